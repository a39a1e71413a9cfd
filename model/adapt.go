package model

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/classifiers"
	"rao/spd"
)

// Adapt is a kind of [Adaptation]:
//
//   - center ([spd.Center]) centers each matrix at the mean of the complete recording.
//   - smooth ([spd.CenterSmoothly]) centers at a mean that drifts.
//   - balanced ([spd.BalancedCentering]) centers at a mean in which the classes have the same weights as in training.
//   - causal ([spd.CausalCentering]) centers each matrix at a running mean of the matrices up to it.
//   - bias adapts the intercepts of the classifier to its decisions.
type Adapt string

const (
	adaptCenter   Adapt = "center"
	adaptSmooth   Adapt = "smooth"
	adaptBalanced Adapt = "balanced"
	adaptCausal   Adapt = "causal"
	adaptBias     Adapt = "bias"
)

// adaptations are the kinds of Adaptation, in the order of the help text.
var adaptations = []string{"center", "smooth", "balanced", "causal", "bias"}

// Adaptation is the stage that aligns the matrices of a recording with the training data, without labels. It removes
// shifts between days or between people. The matrices of a call are one recording, unless the batch has Recordings.
//
// Center, smooth and balanced use the complete recording before the first decision; they are for evaluating a finished
// session. A [Decoder] follows the session causally from Mean instead. Bias does not change the matrices. It adapts
// the intercepts of the classifier until the classes are predicted as often as in the training data.
type Adaptation struct {
	How Adapt `json:"how"` // center, smooth, balanced, causal or bias
	// Mean is the Riemannian mean of the training matrices, the starting point for a live recording; nil if unknown.
	Mean *mat.SymDense `json:"mean"`
	// Shares are the class frequencies in the training data, for balanced and bias. Nil means equal.
	Shares []float64 `json:"shares"`
	// Rate is the rate of bias or the smallest rate of causal. 0 means 0.2 for bias and 0.02 for causal.
	Rate float64 `json:"rate"`
}

// FitAdaptation returns the stage and the adapted training matrices. how is a kind of adaptation, such as center.
// Matrices with the same group belong to one recording; if groups is nil, all matrices do. For causal and balanced,
// each training recording is centered by its complete mean. It returns an error for an unknown kind or a rate outside
// [0, 1], and the errors of [spd.Center].
func FitAdaptation(ctx context.Context, how Adapt, rate float64, x *spd.Stack, groups []int,
	shares []float64) (*Adaptation, *spd.Stack, error) {
	a := &Adaptation{How: how, Rate: rate}
	if err := a.validate(); err != nil {
		return nil, nil, err
	}
	switch how {
	case adaptBalanced:
		a.Shares = shares
	case adaptBias:
		a.Shares = shares
		return a, x, nil
	}
	out := new(spd.Stack)
	if groups == nil && how != adaptSmooth {
		mean, err := spd.Center(ctx, out, x)
		if err != nil {
			return nil, nil, err
		}
		a.Mean = mean
		return a, out, nil
	}
	mean, _, err := spd.Mean(ctx, x, nil, spd.Riemann, spd.MeanOptions{})
	if err != nil && !rao.HasModel(err) {
		return nil, nil, err
	}
	a.Mean = mean
	return a, out, spd.AdaptEach(out, x, groups, func(dst, x *spd.Stack) error {
		if how == adaptSmooth {
			_, err := spd.CenterSmoothly(ctx, dst, x, 0)
			return err
		}
		_, err := spd.Center(ctx, dst, x)
		return err
	})
}

// Out implements Stage.
func (a *Adaptation) Out(in Schema) (Schema, error) {
	if err := a.validate(); err != nil {
		return in, err
	}
	if err := in.Wants(KindMatrices, in.Dim); err != nil {
		return in, err
	}
	if a.How == adaptCausal && a.Mean == nil {
		return in, errors.New("the adaptation has no training mean to start from; fit the model again")
	}
	if a.Mean != nil && a.Mean.SymmetricDim() != in.Dim {
		return in, fmt.Errorf("the mean of the adaptation has order %d, but the matrices have order %d",
			a.Mean.SymmetricDim(), in.Dim)
	}
	return in, nil
}

// Apply implements Stage. Balanced centering needs a classifier, so for balanced Apply only centers; [Model.Predict]
// also balances the classes.
func (a *Adaptation) Apply(ctx context.Context, b Batch) (Batch, error) {
	return a.apply(ctx, b, nil)
}

// apply adapts each recording separately; posterior classifies adapted matrices and may be nil.
func (a *Adaptation) apply(ctx context.Context, b Batch, posterior posterior) (Batch, error) {
	if a.How == adaptBias {
		return b, nil // the intercepts adapt, not the matrices
	}
	x, out := b.Stack, new(spd.Stack)
	b.Stack = out
	return b, spd.AdaptEach(out, x, b.Recordings, func(dst, x *spd.Stack) error {
		return a.applyTo(ctx, dst, x, posterior)
	})
}

// applyTo writes the adapted matrices of one recording, x, to out.
func (a *Adaptation) applyTo(ctx context.Context, out, x *spd.Stack, posterior posterior) (err error) {
	switch {
	case a.How == adaptSmooth:
		_, err = spd.CenterSmoothly(ctx, out, x, 0)
	case a.How == adaptCausal:
		var c *spd.CausalCentering
		if c, err = a.follow(); err == nil {
			err = c.Adapt(ctx, out, x)
		}
	case a.How == adaptBalanced && posterior != nil:
		_, err = spd.BalancedCentering{Shares: a.Shares}.Adapt(ctx, out, x, posterior)
	default:
		_, err = spd.Center(ctx, out, x)
	}
	return err
}

// follow returns the causal centering of a recording, starting from the training mean.
func (a *Adaptation) follow() (*spd.CausalCentering, error) {
	return spd.NewCausalCentering(a.Mean, 0, a.Rate)
}

// bias returns the adaptation of the intercepts of c classes to a session.
func (a *Adaptation) bias(c int) (*classifiers.CausalBias, error) {
	return classifiers.NewCausalBias(c, a.Rate, a.Shares)
}

// drift corrects the log-probabilities of each recording by intercepts that adapt to them, if the adaptation of the
// model is bias. If recordings is nil, all rows belong to one recording. Rows without a decision are left out.
func (m *Model) drift(logp *mat.Dense, recordings []int, far *far) error {
	for _, s := range m.Stages {
		a, ok := s.(*Adaptation)
		if !ok || a.How != adaptBias {
			continue
		}
		of := map[int]*classifiers.CausalBias{}
		n, _ := logp.Dims()
		for i := range n {
			r := 0
			if recordings != nil {
				r = recordings[i]
			}
			if of[r] == nil {
				var err error
				if of[r], err = a.bias(len(m.Classes)); err != nil {
					return err
				}
			}
			if row := logp.RawRowView(i); !far.absurd[i] && usable(row) {
				of[r].Push(row)
			}
		}
	}
	return nil
}

func (a *Adaptation) validate() error {
	if !(a.Rate >= 0 && a.Rate <= 1) {
		return fmt.Errorf("the rate of the adaptation is %g; it must be between 0 and 1", a.Rate)
	}
	if slices.Contains(adaptations, string(a.How)) {
		return spd.BalancedCentering{Shares: a.Shares}.Validate()
	}
	return &rao.UnknownError{Kind: "adaptation", Name: string(a.How), Known: adaptations}
}
