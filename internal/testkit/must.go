package testkit

import "testing"

// Must returns a function that returns v, or fails the test if err is not nil. It replaces the check of an error that
// no test expects:
//
//	x := testkit.Must(f())(t)
func Must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		NoError(t, err)
		return v
	}
}

// Must2 is [Must] for functions with two results.
func Must2[A, B any](a A, b B, err error) func(t testing.TB) (A, B) {
	return func(t testing.TB) (A, B) {
		t.Helper()
		NoError(t, err)
		return a, b
	}
}

// NoError fails the test if err is not nil.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
