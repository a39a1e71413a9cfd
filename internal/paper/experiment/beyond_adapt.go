package experiment

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/classifiers"
	"rao/spd"
)

// adaptation is a way to adapt to a new session. Its settings are the defaults of the library, except for the rate of
// the bias.
type adaptation struct {
	label string
	uses  string  // what is known about the new session before a decision
	kind  string  // none, center, smooth, balanced, causal or bias
	rate  float64 // rate of the bias; 0 for the default
}

var adaptations = []adaptation{
	{"as recorded", "nothing", "none", 0},
	{"centered", "all of it", "center", 0},
	{"balanced centering", "all of it", "balanced", 0},
	{"smooth centering", "all of it", "smooth", 0},
	{"causal centering", "the trials so far", "causal", 0},
	{"causal bias, rate 0.2", "the trials so far", "bias", 0},
	{"causal bias, rate 0.05", "the trials so far", "bias", 0.05},
}

// learn fits a classifier to the training sessions, prepared as the adaptation requires.
func (a adaptation) learn(ctx context.Context, fit fitter, train *dataset.Data) (matrixClassifier, error) {
	adapted := *train
	adapt := func(dst, x *spd.Stack) error { _, err := spd.Center(ctx, dst, x); return err }
	switch a.kind {
	case "none", "bias":
		adapt = nil
	case "smooth":
		adapt = func(dst, x *spd.Stack) error { _, err := spd.CenterSmoothly(ctx, dst, x, 0); return err }
	}
	if adapt != nil {
		adapted.Stack = new(spd.Stack)
		if err := spd.AdaptEach(adapted.Stack, train.Stack, nil, adapt); err != nil {
			return nil, fmt.Errorf("%s: %w", a.label, err)
		}
	}
	return fit.on(ctx, &adapted, 0)
}

// predict returns the log-probabilities of a new session. m is a classifier from learn.
func (a adaptation) predict(ctx context.Context, m matrixClassifier, train, test *dataset.Data) (*mat.Dense, error) {
	x := new(spd.Stack)
	var err error
	switch a.kind {
	case "none", "bias":
		x = test.Stack
	case "center":
		_, err = spd.Center(ctx, x, test.Stack)
	case "smooth":
		_, err = spd.CenterSmoothly(ctx, x, test.Stack, 0)
	case "balanced":
		_, err = spd.BalancedCentering{}.Adapt(ctx, x, test.Stack, m.LogPosterior)
	case "causal":
		err = a.follow(ctx, x, train, test)
	}
	var logp mat.Dense
	if err == nil {
		err = m.LogPosterior(ctx, &logp, x)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.label, err)
	}
	if a.kind != "bias" {
		return &logp, nil
	}
	b, err := classifiers.NewCausalBias(len(test.Classes), a.rate, nil)
	if err != nil {
		return nil, err
	}
	for k := range test.Stack.Count {
		b.Push(logp.RawRowView(k))
	}
	return &logp, nil
}

// follow centers the test session causally. It starts from the mean of the training sessions.
func (a adaptation) follow(ctx context.Context, dst *spd.Stack, train, test *dataset.Data) error {
	mean, _, err := spd.Mean(ctx, train.Stack, nil, spd.Riemann, spd.MeanOptions{})
	if err := canceledOr(ctx, err); err != nil {
		return err
	}
	c, err := spd.NewCausalCentering(mean, 0, 0)
	if err != nil {
		return err
	}
	return c.Adapt(ctx, dst, test.Stack)
}

// transfer fits train and returns the log-probabilities of test.
func (a adaptation) transfer(ctx context.Context, fit fitter, train, test *dataset.Data) (*mat.Dense, error) {
	m, err := a.learn(ctx, fit, train)
	if err != nil {
		return nil, err
	}
	return a.predict(ctx, m, train, test)
}
