package learn

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"rao/cmd/rao/internal/app"
	"rao/evaluate"
)

// An interrupted search has failed, however much of it is printed.
func TestInterruptedSearchPrintsWhatItTried(t *testing.T) {
	one := evaluate.Candidate{{Name: "filters", Value: "4"}}
	two := evaluate.Candidate{{Name: "filters", Value: "9"}}
	res := &evaluate.SearchResult{Trials: []evaluate.Trial{
		{Candidate: one, Result: &evaluate.CrossValidation{Accuracy: 0.75}},
		{Candidate: two, Err: context.Canceled},
	}}
	var out bytes.Buffer
	a := &app.App{Out: &out, Err: &out}
	err := emitInterrupted(a, &tuneResult{}, res)
	if err == nil || !strings.Contains(err.Error(), "1 of 2 candidates tried") {
		t.Errorf("error %v", err)
	}
	if s := out.String(); !strings.Contains(s, "75.00 %") || !strings.Contains(s, "best") ||
		strings.Contains(s, "failed") {
		t.Errorf("printed %q", s)
	}
	res.Trials = res.Trials[1:]
	if err := emitInterrupted(a, &tuneResult{}, res); !errors.Is(err, context.Canceled) {
		t.Errorf("nothing tried: error %v", err)
	}
}
