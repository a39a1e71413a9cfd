//go:build !linux

package pages

// advise does nothing where nobody can be asked.
func advise([]byte) {}
