//go:build race

package testkit

// Race reports whether the race detector is on. With the race detector, sync.Pool drops values, so tests of allocations
// are meaningless.
const Race = true
