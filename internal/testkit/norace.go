//go:build !race

package testkit

// Race is whether the race detector watches: it makes sync.Pool forget, so that tests of
// what is allocated say nothing.
const Race = false
