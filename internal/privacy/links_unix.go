//go:build unix

package privacy

import (
	"os"
	"syscall"
)

// hasLinks reports whether a file has several names. A ledger is replaced when it is charged, and the other names
// would keep what was spent before.
func hasLinks(f os.FileInfo) bool {
	st, ok := f.Sys().(*syscall.Stat_t)
	return ok && st.Nlink > 1
}
