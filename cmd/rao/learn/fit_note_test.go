package learn

import (
	"context"
	"testing"

	"rao"
	"rao/internal/testkit"
)

// The note of an interrupted fit mentions the interruption, also if the method reports that a limit ended the fit.
func TestNoteOfInterruptedFit(t *testing.T) {
	limit := &rao.NotConvergedError{Method: "sqfa", Report: rao.Report{Status: rao.StatusMaxIterations}}
	canceled := &rao.NotConvergedError{Method: "sqfa", Report: rao.Report{Status: rao.StatusCanceled}}
	ctx, cancel := context.WithCancel(context.Background())
	testkit.Equal(t, unfinished(ctx, limit), limit.Error(), "without interruption")
	cancel()
	testkit.Contains(t, unfinished(ctx, limit), "the fit was interrupted", "limit")
	testkit.Equal(t, unfinished(ctx, canceled), canceled.Error(), "canceled")
}
