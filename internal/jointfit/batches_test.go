package jointfit

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/testkit"
)

// Learning from batches is as good as learning from rows in memory, with the same number of steps.
func TestRefineBatches(t *testing.T) {
	x, labels, f, mix := refinable(t, 2, 8, 2, 3000)
	fresh, truth, _, _ := refinable(t, 3, 8, 2, 3000)
	opt := Options{Noise: 0.1, Seed: 1}
	held := testkit.Must(Fit(t.Context(), x, labels, f, mix, opt))(t)
	out := testkit.Must(FitBatches(t.Context(), 3000, testkit.Batches(x, labels), f, mix, opt))(t)
	a, b := accuracyOf(held.Filters, held.Mixture, fresh, truth), accuracyOf(out.Filters, out.Mixture, fresh, truth)
	if out.Report.Iterations != held.Report.Iterations || math.Abs(out.Report.Objective-held.Report.Objective) > 0.02 ||
		math.Abs(a-b) > 0.02 {
		t.Errorf("in batches %.3f, %+v; held %.3f, %+v", b, out.Report, a, held.Report)
	}
}

func TestRefineBatchesEndsEarlyAndRefuses(t *testing.T) {
	x, labels, f, mix := refinable(t, 4, 5, 2, 600)
	ctx, cancel := context.WithCancel(t.Context())
	out, err := FitBatches(ctx, 600, testkit.Batches(x, labels), f, mix,
		Options{Epochs: 5, Progress: func(rao.Event) { cancel() }})
	if !rao.HasModel(err) || out == nil || out.Report.Passes != 1 || out.Mixture.Validate() != nil {
		t.Errorf("canceled: %v", err)
	}
	bad := mat.DenseCopyOf(x)
	bad.Set(3, 1, math.Inf(1))
	testkit.Fails(t, testkit.ErrorOf(FitBatches(t.Context(), 600, testkit.Batches(bad, labels), f, mix, Options{})),
		"infinity passes")
	gone := errors.New("gone")
	_, err = FitBatches(t.Context(), 600, func(context.Context, int, int, func(mat.Matrix, []int) error) error {
		return gone
	}, f, mix, Options{})
	testkit.ErrorIs(t, err, gone, "an error of the reader")
}
