// Package faults makes the errors of checks that many packages share.
package faults

import (
	"context"
	"fmt"

	"rao"
)

// Option returns a *[rao.ValueError] about a field of options or an argument.
func Option(format string, args ...any) error {
	return &rao.ValueError{Row: -1, Col: -1, Message: fmt.Sprintf(format, args...)}
}

// Data returns a *[rao.ValueError] about values that cannot be used together, such as rows that are all equal.
func Data(format string, args ...any) error { return Option(format, args...) }

// Count returns a *[rao.ShapeError] about got rows, matrices, classes or other items, of which want are needed.
func Count(got, want int, format string, args ...any) error {
	return &rao.ShapeError{Got: got, Want: want, Message: fmt.Sprintf(format, args...)}
}

// Unfinished returns a *[rao.NotConvergedError] for a fit that ended early with a usable model, or nil if its status is
// good.
func Unfinished(ctx context.Context, method string, r rao.Report, remedy string) error {
	if r.Status.Good() {
		return nil
	}
	return &rao.NotConvergedError{Cause: ctx.Err(), Method: method, Report: r, Remedy: remedy}
}

// OneClass returns the error of [Count] for fewer than two classes, or nil.
func OneClass(classes int) error {
	if classes >= 2 {
		return nil
	}
	return Count(classes, 2, "a classifier needs at least two classes, not %d", classes)
}
