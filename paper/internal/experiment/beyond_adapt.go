package experiment

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/dataset"
	"rao/spd"
)

// recordings are the matrices of one or more sessions with their labels; groups tells
// the sessions apart, nil for one.
type recordings struct {
	x       *spd.Stack
	labels  []int
	classes []string
	groups  []int
}

func recordingsOf(d *dataset.Data) *recordings {
	return &recordings{x: d.Stack, labels: d.Labels, classes: d.Classes}
}

// subset returns the rows of the given places.
func (s *recordings) subset(index []int) *recordings {
	out := &recordings{x: s.x.Select(index), classes: s.classes}
	for _, k := range index {
		out.labels = append(out.labels, s.labels[k])
		if s.groups != nil {
			out.groups = append(out.groups, s.groups[k])
		}
	}
	return out
}

// matrixFit learns a classifier of SPD matrices with its default options.
type matrixFit func(ctx context.Context, s *recordings) (matrixClassifier, error)

func enucOf(ctx context.Context, s *recordings) (matrixClassifier, error) {
	return classify.FitENuc(ctx, s.x, s.labels, s.classes, classify.ENucOptions{})
}

func tsldaOf(ctx context.Context, s *recordings) (matrixClassifier, error) {
	return classify.FitTangentLDA(ctx, s.x, s.labels, s.classes, classify.TangentLDAOptions{})
}

func mdmOf(ctx context.Context, s *recordings) (matrixClassifier, error) {
	return classify.FitMDM(ctx, s.x, s.labels, s.classes, classify.MDMOptions{})
}

// adaptation is one way to meet a new session. Its own settings are the defaults of
// the library, but for the rate of the bias.
type adaptation struct {
	label string
	uses  string  // what of the new session it knows before a decision
	kind  string  // none, center, smooth, balanced, causal, bias
	rate  float64 // of the bias, 0: the default
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

// learn fits a classifier to the training sessions as this adaptation wants them.
func (a adaptation) learn(ctx context.Context, fit matrixFit, train *recordings) (matrixClassifier, error) {
	adapted := *train
	adapt := func(dst, x *spd.Stack) error { _, err := spd.Centering{}.Adapt(ctx, dst, x); return err }
	switch a.kind {
	case "none", "bias":
		adapt = nil
	case "smooth":
		adapt = func(dst, x *spd.Stack) error { _, err := spd.SmoothCentering{}.Adapt(ctx, dst, x); return err }
	}
	if adapt != nil {
		adapted.x = new(spd.Stack)
		if err := spd.AdaptEach(adapted.x, train.x, train.groups, adapt); err != nil {
			return nil, fmt.Errorf("%s: %w", a.label, err)
		}
	}
	m, err := fit(ctx, &adapted)
	return m, whole(ctx, err)
}

// predict writes the log-probabilities of a new session by a classifier of learn.
func (a adaptation) predict(ctx context.Context, m matrixClassifier, train, test *recordings) (*mat.Dense, error) {
	x, logp := new(spd.Stack), new(mat.Dense)
	var err error
	switch a.kind {
	case "none", "bias":
		x = test.x
	case "center":
		_, err = spd.Centering{}.Adapt(ctx, x, test.x)
	case "smooth":
		_, err = spd.SmoothCentering{}.Adapt(ctx, x, test.x)
	case "balanced":
		_, err = spd.BalancedCentering{}.Adapt(ctx, x, test.x, m.LogPosterior)
	case "causal":
		err = a.follow(ctx, x, train, test)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.label, err)
	}
	if err := m.LogPosterior(ctx, logp, x); err != nil {
		return nil, fmt.Errorf("%s: %w", a.label, err)
	}
	if a.kind != "bias" {
		return logp, nil
	}
	b, err := classify.NewCausalBias(len(test.classes), a.rate, nil)
	if err != nil {
		return nil, err
	}
	for k := range test.x.Count {
		b.Push(logp.RawRowView(k))
	}
	return logp, nil
}

// follow centers the test session causally from the mean of the training sessions.
func (a adaptation) follow(ctx context.Context, dst *spd.Stack, train, test *recordings) error {
	mean, _, err := spd.Mean(ctx, train.x, nil, spd.Riemann, spd.MeanOptions{})
	if err := whole(ctx, err); err != nil {
		return err
	}
	c, err := spd.NewCausalCentering(mean, 0, 0)
	if err != nil {
		return err
	}
	return c.Adapt(ctx, dst, test.x)
}

// transfer learns on one side and decides on the other.
func (a adaptation) transfer(ctx context.Context, fit matrixFit, train, test *recordings) (*mat.Dense, error) {
	m, err := a.learn(ctx, fit, train)
	if err != nil {
		return nil, err
	}
	return a.predict(ctx, m, train, test)
}
