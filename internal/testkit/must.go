package testkit

import (
	"errors"
	"strings"
	"testing"

	"rao"
)

// Must returns a function that returns v, or fails the test if err is not nil; see [NoError]. It replaces the check of
// an error that no test expects:
//
//	x := testkit.Must(f())(t)
func Must[T any](v T, err error) func(t testing.TB, what ...any) T {
	return func(t testing.TB, what ...any) T {
		t.Helper()
		NoError(t, err, what...)
		return v
	}
}

// Must2 is [Must] for functions with two results.
func Must2[A, B any](a A, b B, err error) func(t testing.TB, what ...any) (A, B) {
	return func(t testing.TB, what ...any) (A, B) {
		t.Helper()
		NoError(t, err, what...)
		return a, b
	}
}

// NoError fails the test if err is not nil. The message starts with what.
func NoError(t testing.TB, err error, what ...any) {
	if err != nil {
		t.Helper()
		t.Fatalf("%s%v", prefix(what), err)
	}
}

// Fails reports an error of the test if err is nil. what describes the operation that should have failed.
func Fails(t testing.TB, err error, what ...any) {
	if err == nil {
		t.Helper()
		t.Errorf("%sno error", prefix(what))
	}
}

// Panic returns the value that f panics with, or nil.
func Panic(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// Panics reports an error of the test unless f panics. what describes the operation that should have failed.
func Panics(t testing.TB, f func(), what ...any) {
	if Panic(f) == nil {
		t.Helper()
		t.Errorf("%sno panic", prefix(what))
	}
}

// ErrorOf returns the error of a function with two results, for [ErrorContains].
func ErrorOf[T any](_ T, err error) error { return err }

// ErrorIs reports an error of the test unless err is want or wraps it. The message starts with what.
func ErrorIs(t testing.TB, err, want error, what ...any) {
	if !errors.Is(err, want) {
		t.Helper()
		t.Errorf("%sthe error is %v, want %v", prefix(what), err, want)
	}
}

// ErrorContains reports an error of the test unless err contains the text want. The message starts with what.
func ErrorContains(t testing.TB, err error, want string, what ...any) {
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Helper()
		t.Errorf("%sthe error is %v, want one with %q", prefix(what), err, want)
	}
}

// Fitted is [Must] for a fit: it also returns the model of a fit that did not converge.
func Fitted[T any](m T, err error) func(t testing.TB, what ...any) T {
	if rao.IsNotConverged(err) {
		err = nil
	}
	return Must(m, err)
}
