//go:build !linux

package hugepages

// advise does nothing on other systems.
func advise([]byte) {}
