//go:build !linux

package hugepages

// advise does nothing where nobody can be asked.
func advise([]byte) {}
