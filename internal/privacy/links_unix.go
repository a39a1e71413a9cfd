//go:build unix

package privacy

import (
	"os"
	"syscall"
)

// hasLinks reports whether a file has several names. Charging a ledger replaces the file, so the other names would
// still refer to the old balance.
func hasLinks(f os.FileInfo) bool {
	st, ok := f.Sys().(*syscall.Stat_t)
	return ok && st.Nlink > 1
}
