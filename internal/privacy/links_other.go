//go:build !unix

package privacy

import "os"

// hasLinks always returns false: this system does not report whether a file has several names.
func hasLinks(os.FileInfo) bool { return false }
