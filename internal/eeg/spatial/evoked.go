package spatial

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/classifiers/common"
	"rao/internal/faults"
	"rao/internal/linalg/ritz"
	"rao/internal/linalg/vec"
	"rao/internal/optionvalues"
	"rao/internal/par"
	"rao/internal/text"
	"rao/spd"
)

// Evoked computes covariances of trials extended by the mean responses of classes, which measure how similar the trial
// is to each response (Barachant and Congedo, 2014). For a trial X and the prototypes P, which are the mean responses,
// the result is the covariance of
//
//	[ P ]
//	[ X ]
//
// The prototypes are learned from the training trials, so do not evaluate a classifier on these trials.
type Evoked struct {
	Prototypes *mat.Dense `json:"prototypes"` // p × samples: mean responses, stacked on top of each trial
	Filters    *mat.Dense `json:"filters"`    // channels × f: filters that are first applied to a trial; nil if none
	Patterns   *mat.Dense `json:"patterns"`   // channels × f: pattern of each filter; nil if unknown
	Channels   int        `json:"channels"`   // number of channels of a trial
	Estimator  string     `json:"estimator"`  // estimator of the covariance, such as oas
	Normalize  bool       `json:"normalize"`  // whether the matrix is divided by its mean diagonal element
}

// FitEvoked averages the trials of each class in evoked; nil means all classes. components is the number of principal
// components that represent each mean response; 0 means all. c selects the estimator of the extended covariance. labels
// are 0..c−1 for the c names in classes. Errors name the class. It panics with mat.ErrShape if the numbers of labels
// and trials differ.
func FitEvoked(t Trials, labels []int, classes, evoked []string, components int,
	c spd.CovarianceOptions) (*Evoked, error) {
	members, err := t.check(labels, classes, evoked)
	if err != nil {
		return nil, err
	}
	n := t.channels()
	if components < 0 || components > n {
		return nil, faults.Option("the number of components is %d; it must be between 0 (all) and %d, the number of "+
			"channels", components, n)
	}
	rows := n
	if components > 0 {
		rows = min(components, n)
	}
	p := mat.NewDense(rows*len(members), t.Samples, nil)
	for k, of := range members {
		mean := t.average(of)
		if components > 0 {
			var svd mat.SVD
			if !svd.Factorize(mean, mat.SVDFull) {
				return nil, faults.Data("class %d (counted from 0): the components of the mean response could not be "+
					"computed; check the trials for extreme values", k)
			}
			var u, small mat.Dense
			svd.UTo(&u)
			vec.NormalizeColumns(u.RawMatrix().Data, n)
			ritz.FixSigns(u.RawMatrix().Data, n, n)
			small.Mul(u.Slice(0, n, 0, rows).T(), mean)
			mean = &small
		}
		p.Slice(k*rows, (k+1)*rows, 0, t.Samples).(*mat.Dense).Copy(mean)
	}
	return newEvoked(p, n, c), nil
}

// FitXdawnCovariances works like [FitEvoked], after applying the filters of [FitXdawn] to the mean responses and,
// unless keepChannels is true, to the trials.
func FitXdawnCovariances(t Trials, labels []int, classes, evoked []string, filters int, keepChannels bool,
	c spd.CovarianceOptions) (*Evoked, error) {
	x, err := FitXdawn(t, labels, classes, evoked, filters)
	if err != nil {
		return nil, err
	}
	e := newEvoked(x.Evoked, t.channels(), c)
	if !keepChannels {
		e.Filters, e.Patterns = x.Filters, x.Patterns
	}
	return e, nil
}

func newEvoked(p *mat.Dense, channels int, c spd.CovarianceOptions) *Evoked {
	return &Evoked{Prototypes: p, Channels: channels,
		Estimator: string(cmp.Or(c.Estimator, optionvalues.EstimatorSample)),
		Normalize: c.TraceNormalize}
}

func (e *Evoked) samples() int { _, n := e.Prototypes.Dims(); return n }

// Dims returns the number of values of a trial, over all channels, and the order of its matrix.
func (e *Evoked) Dims() (in, order int) {
	p, samples := e.Prototypes.Dims()
	rows := e.Channels
	if e.Filters != nil {
		_, rows = e.Filters.Dims()
	}
	return e.Channels * samples, p + rows
}

// Matrices returns the extended covariance of every trial, a row of x. It returns an error for trials of the wrong
// length and for trials without a valid covariance.
func (e *Evoked) Matrices(x mat.Matrix) (*spd.Stack, error) {
	count, width := x.Dims()
	in, order := e.Dims()
	if width != in {
		return nil, fmt.Errorf("the trials have %s, but the model was fitted to %s of %s",
			text.Plural(width, "value", "values"), text.Plural(e.Channels, "channel", "channels"),
			text.Plural(e.samples(), "sample", "samples"))
	}
	estimator, err := optionvalues.ParseEstimator(spd.Estimator(e.Estimator))
	if err != nil {
		return nil, err
	}
	opt := spd.CovarianceOptions{Estimator: estimator, TraceNormalize: e.Normalize}
	t, samples := Trials{x, e.samples()}, e.samples()
	p, _ := e.Prototypes.Dims()
	out := spd.NewStack(count, order)
	return out, par.Try(count, 1, func(_, k, _ int) error {
		one, both := mat.NewDense(e.Channels, samples, nil), mat.NewDense(order, samples, nil)
		both.Slice(0, p, 0, samples).(*mat.Dense).Copy(e.Prototypes)
		rest := both.Slice(p, order, 0, samples).(*mat.Dense)
		m := mat.NewSymDense(order, nil)
		t.trial(one, k)
		bounded(one)
		if e.Filters == nil {
			rest.Copy(one)
		} else {
			rest.Mul(e.Filters.T(), one)
		}
		if _, err := spd.Covariance(m, both.T(), opt); err != nil {
			return fmt.Errorf("trial %d, whose channels are numbered after %d mean responses: %w", k, p, err)
		}
		out.Set(k, m)
		return nil
	})
}

// largestValue is the largest value of a trial that is not scaled down. Estimators of covariances add many fourth
// powers, which must not overflow.
const largestValue = 1e60

// bounded scales a trial down if it has a value above largestValue. The scaled trial is still large enough to be
// recognized as an outlier.
func bounded(x *mat.Dense) {
	peak := vec.MaxAbs(x.RawMatrix().Data)
	if peak > largestValue && peak <= math.MaxFloat64 {
		x.Scale(largestValue/peak, x)
	}
}

// Validate returns an error if the fields are inconsistent or not finite.
func (e *Evoked) Validate() error {
	if e.Prototypes == nil || e.Prototypes.IsEmpty() || e.Channels < 1 {
		return errors.New("the covariances of evoked potentials have no prototypes or no channels; fit the model again")
	}
	if e.Channels > math.MaxInt32/e.samples() {
		return fmt.Errorf("the trials of %d channels and %d samples are too long; use shorter trials or fewer channels",
			e.Channels, e.samples())
	}
	if _, err := optionvalues.ParseEstimator(e.Estimator); err != nil {
		return err
	}
	rows, samples := e.Prototypes.Dims()
	if err := common.CheckMatrix("the mean responses", e.Prototypes, rows, samples); err != nil {
		return err
	}
	if e.Filters == nil {
		if e.Patterns != nil {
			return errors.New("the covariances of evoked potentials have patterns but no filters; fit the model again")
		}
		return nil
	}
	_, filters := e.Filters.Dims()
	if err := common.CheckMatrix("the filters", e.Filters, e.Channels, filters); err != nil || e.Patterns == nil {
		return err
	}
	return common.CheckMatrix("the patterns", e.Patterns, e.Channels, filters)
}
