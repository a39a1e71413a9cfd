package lvq

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/small"
	"rao/spd"
)

// RecenterOptions of re-centering. The zero value takes the plain mean.
type RecenterOptions struct {
	// Balanced weighs the trials so that the classes, as the model itself sees
	// them, have the shares they had in training. Use it when the new recording
	// may hold the classes in other proportions: the plain mean would then differ
	// for a reason that must not be removed.
	Balanced bool
	// Strength in (0, 1] is how far to go from no correction to the full one, along
	// the geodesic; default 1. Few trials call for less.
	Strength float64
	// Iterations of the balanced form; default 5.
	Iterations int
}

// Recentering is the congruence X → E X E' that carries the mean of a recording
// to the mean of the training data.
type Recentering struct {
	Dim       int
	Transport []float64 // E, n×n
	Mean      []float64 // mean of the recording, n×n
	Shares    []float64 // balanced form: shares of the classes as the model sees them
}

// Recenter finds, without labels, the move of a new recording to the place of the
// training data. With M the Riemannian mean of x and R that of the training data,
//
//	E = (R M⁻¹)^½ = R V diag(μ^(−s/2)) V',  M V = R V diag(μ), V'RV = I
//
// is the parallel transport along the geodesic from M to R at strength s = 1
// (Zanini et al. 2018; Yair, Ben-Chen and Talmon 2019). It does not turn the data
// when M = R, and it is the identity there.
//
// The plain form assumes that the classes come in the same proportions as in
// training; see RecenterOptions.Balanced when they may not.
func (m *PLRSQ) Recenter(ctx context.Context, x *spd.Stack, opt RecenterOptions) (*Recentering, error) {
	if m.Reference == nil {
		return nil, fmt.Errorf("lvq: the model keeps no training mean, so recordings cannot be re-centered")
	}
	if opt.Strength == 0 {
		opt.Strength = 1
	}
	if opt.Iterations == 0 {
		opt.Iterations = 5
	}
	if !(opt.Strength > 0 && opt.Strength <= 1) || opt.Iterations < 0 {
		return nil, fmt.Errorf("lvq: re-centering of strength %g in %d iterations: want a strength in (0, 1]", opt.Strength, opt.Iterations)
	}
	if err := checkSPD("matrix", x); err != nil {
		return nil, err
	}
	if x.Dim != m.Prototypes.Dim || x.Count == 0 {
		return nil, fmt.Errorf("lvq: re-centering %d matrices of order %d with a model of order %d", x.Count, x.Dim, m.Prototypes.Dim)
	}
	r, err := m.toward(ctx, x, nil, opt.Strength)
	if err != nil || !opt.Balanced || m.ClassShare == nil {
		return r, err
	}
	for range opt.Iterations {
		weights, seen, err := m.balance(r, x)
		if err != nil {
			return nil, err
		}
		next, err := m.toward(ctx, x, weights, opt.Strength)
		if err != nil {
			return nil, err
		}
		r, r.Shares = next, seen
	}
	return r, nil
}

// toward builds the move from the weighted mean of x to the reference.
func (m *PLRSQ) toward(ctx context.Context, x *spd.Stack, weights []float64, strength float64) (*Recentering, error) {
	mean, _, err := spd.Mean(ctx, x, weights, spd.Riemann, spd.MeanOptions{})
	if mean == nil {
		return nil, fmt.Errorf("lvq: mean of the recording: %w", err)
	}
	e, err := transport(mean.RawSymmetric().Data, m.Reference, x.Dim, strength)
	if err != nil {
		return nil, err
	}
	return &Recentering{Dim: x.Dim, Transport: e, Mean: mean.RawSymmetric().Data}, nil
}

// transport returns E = R V diag(μ^(−s/2)) V'.
func transport(mean, reference []float64, n int, strength float64) ([]float64, error) {
	var ws small.Workspace
	values, v, tmp, e := make([]float64, n), make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	if err := ws.Generalized(values, v, mean, reference, n, 1); err != nil {
		return nil, placeError("mean of the recording", err, func(k int) int { return k })
	}
	for i, mu := range values {
		if !(mu > 0) {
			return nil, fmt.Errorf("lvq: the mean of the recording is singular (eigenvalue %.3g): drop a channel or repair the matrices", mu)
		}
		values[i] = math.Pow(mu, -strength/2)
	}
	ws.Rebuild(tmp, v, values, n, 1)
	ws.Mul(e, reference, tmp, false, false, n, 1)
	return e, nil
}

// balance returns weights that give the classes, as seen after the move r, their
// shares in training, and the shares seen.
func (m *PLRSQ) balance(r *Recentering, x *spd.Stack) (weights, seen []float64, err error) {
	var logp mat.Dense
	if err := m.LogPosterior(&logp, r.Apply(x)); err != nil {
		return nil, nil, err
	}
	seen = make([]float64, m.Classes)
	for i := range x.Count {
		for c, v := range logp.RawRowView(i) {
			seen[c] += math.Exp(v) / float64(x.Count)
		}
	}
	weights = make([]float64, x.Count)
	for i := range weights {
		for c, v := range logp.RawRowView(i) {
			// a class that is hardly there cannot be restored: its weight is bounded
			weights[i] += math.Exp(v) * m.ClassShare[c] / math.Max(seen[c], 0.02)
		}
	}
	return weights, seen, nil
}

// Apply returns the moved matrices E X E'.
func (r *Recentering) Apply(x *spd.Stack) *spd.Stack {
	if x.Dim != r.Dim {
		panic(mat.ErrShape)
	}
	var ws small.Workspace
	out := spd.NewStack(x.Count, x.Dim)
	ws.Congruence(out.Data, r.Transport, x.Contiguous(), x.Dim, x.Count, true)
	symmetrize(out.Data, x.Dim)
	return out
}

// ApplyTo moves one n×n matrix into dst, which may be x itself.
func (r *Recentering) ApplyTo(dst, x []float64) {
	copy(dst, r.Apply(spd.StackOf(1, r.Dim, x)).Data)
}

// Tracker follows the mean of a running recording, trial by trial, so that
// re-centering needs no future trials. Start it with a prior mean, commonly the
// model's own Reference, counted as a number of trials.
type Tracker struct {
	Dim   int
	Mean  []float64 // current mean
	Count float64   // trials behind it, the prior's among them
	ref   []float64
}

// NewTracker returns a tracker that begins at the training mean with the weight of
// priorTrials trials (at least 1).
func (m *PLRSQ) NewTracker(priorTrials float64) (*Tracker, error) {
	if m.Reference == nil {
		return nil, fmt.Errorf("lvq: the model keeps no training mean, so recordings cannot be re-centered")
	}
	if !(priorTrials >= 1) {
		return nil, fmt.Errorf("lvq: prior weight of %g trials: want at least 1", priorTrials)
	}
	return &Tracker{Dim: m.Prototypes.Dim, Mean: append([]float64(nil), m.Reference...), Count: priorTrials, ref: m.Reference}, nil
}

// Observe moves the mean by 1/(Count+1) of the way to x (n×n), along the geodesic,
// and returns the congruence E that x and its like should be moved by.
func (t *Tracker) Observe(x []float64) (*Recentering, error) {
	n := t.Dim
	if len(x) != n*n {
		return nil, fmt.Errorf("lvq: matrix of %d values, want %d×%d", len(x), n, n)
	}
	one := spd.StackOf(1, n, x)
	if err := checkSPD("matrix", one); err != nil {
		return nil, err
	}
	f, err := newFactors(one, spd.StackOf(1, n, t.Mean))
	if err != nil {
		return nil, err
	}
	eval := f.evaluator(1)
	if err := eval.distances(make([]float64, 1), []pair{{0, 0}}); err != nil {
		return nil, err
	}
	if err := eval.move([]int{0}, []float64{1 / (t.Count + 1)}); err != nil {
		return nil, err
	}
	next, err := f.stack()
	if err != nil {
		return nil, err
	}
	e, err := transport(next.Data, t.ref, n, 1)
	if err != nil {
		return nil, err
	}
	t.Mean, t.Count = next.Data, t.Count+1
	return &Recentering{Dim: n, Transport: e, Mean: t.Mean}, nil
}
