//go:build !unix

package privacy

import "os"

// hasLinks reports whether a file is known to have several names, which this system does not tell.
func hasLinks(os.FileInfo) bool { return false }
