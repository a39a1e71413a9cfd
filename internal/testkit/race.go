//go:build race

package testkit

// Race reports whether the race detector is on. It makes sync.Pool drop values, so tests of allocation are
// meaningless.
const Race = true
