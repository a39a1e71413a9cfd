package spd

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/internal/faults"
	"rao/internal/naming"
	"rao/internal/par"
	"rao/internal/text"
)

// Covariances returns a stack with the covariance of every trial. Each trial is samples×channels, and all trials have
// the same channels. Trials are processed in parallel. It returns an error if there are no trials or their numbers of
// channels differ, and the errors of [Covariance] with the index of the trial. If ctx is canceled,
// Covariances returns the error of ctx.
func Covariances(ctx context.Context, trials []mat.Matrix, opt CovarianceOptions) (*Stack, error) {
	if len(trials) == 0 {
		return nil, faults.Count(0, 1, "there are no trials; give at least one")
	}
	_, channels := trials[0].Dims()
	for k, x := range trials {
		if _, c := x.Dims(); c != channels || c == 0 {
			return nil, faults.Count(c, channels, "trial %d has %s, but the first trial has %d; every trial needs the "+
				"same channels, and at least one", k, text.Plural(c, "channel", "channels"), channels)
		}
	}
	out := NewStack(len(trials), channels)
	return out, par.Try(len(trials), 1, func(_, k, _ int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := Covariance(out.View(k), trials[k], opt); err != nil {
			return naming.At(fmt.Sprintf("trial %d", k), err)
		}
		return nil
	})
}
