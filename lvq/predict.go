package lvq

import (
	"context"
	"math"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/internal/argmax"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/rows"
	"rao/spd"
)

// liveState is derived from the fields of a model.
type liveState struct {
	mix  *mixture
	flat *spd.FlatSpace // nil for the affine-invariant metric
	form []float64      // prototypes in the form of their space: inverse factors, or vectors of a flat metric
	undo []undoStep

	deciders sync.Pool // *decider
}

func (m *PLRSQ) rebuild() error {
	flat, err := flatSpace(m.Metric)
	if err != nil {
		return err
	}
	live := &liveState{mix: newMixture(m.Rule, m.Labels, len(m.Classes), m.Priors), flat: flat}
	if flat == nil {
		f, err := newFactors(nil, m.Prototypes)
		if err != nil {
			return err
		}
		live.form = f.inverse
	} else if live.form, err = flat.Vectors(context.Background(), m.Prototypes, "prototype"); err != nil {
		return err
	}
	m.live = live
	return nil
}

// checkInput returns an error if the model cannot measure matrices of the shape of x, or a value is not finite.
func (m *PLRSQ) checkInput(x *spd.Stack) error {
	if m.live == nil {
		panic("lvq: the model is neither fitted nor validated; call Validate before use")
	}
	return checkMatrices(x, m.Prototypes.Dim)
}

// view prepares matrices for computing distances to the model's prototypes.
func (m *PLRSQ) view(ctx context.Context, x *spd.Stack) (space, error) {
	if m.live.flat == nil {
		return &factors{n: x.Dim, x: x, inverse: m.live.form, measure: true}, nil
	}
	rows, err := m.live.flat.Vectors(ctx, x, "matrix")
	if err != nil {
		return nil, err
	}
	return newVectors(m.live.flat, x.Dim, rows, m.live.form, m.live.form), nil
}

// distances returns the squared distance of every matrix of x to every prototype, N×p. The error names the first
// matrix without a valid distance.
func (m *PLRSQ) distances(ctx context.Context, x *spd.Stack) (*mat.Dense, error) {
	s, err := m.view(ctx, x)
	if err != nil {
		return nil, err
	}
	p := m.Prototypes.Count
	d := make([]float64, x.Count*p)
	if err := measureAll(ctx, d, s, indices.Range(x.Count), p); err != nil {
		return nil, err
	}
	return mat.NewDense(x.Count, p, d), nil
}

// checkMatrices returns an error unless there are matrices, of order n, and all values are finite.
// [spd.Stack.Verify] would also reject asymmetric matrices.
func checkMatrices(x *spd.Stack, n int) error {
	if err := checkStackShape(x); err != nil {
		return err
	}
	if err := indices.CheckOrder(x.Dim, n); err != nil {
		return err
	}
	for k := range x.Count {
		if i := vec.NotFinite(x.At(k)); i >= 0 {
			return &spd.MatrixError{Role: "matrix", Index: k, Problem: spd.ProblemNotFinite,
				Row: i / x.Dim, Col: i % x.Dim, Value: x.At(k)[i]}
		}
	}
	return nil
}

// LogPosterior writes log P(c|X_i) to row i of dst (N×c), with the calibration applied. An empty dst is resized. It
// panics with mat.ErrShape if the shapes do not match. It returns an error if the matrices have another order; other
// errors name a matrix that is not finite or not positive definite. If ctx is canceled, it returns the error of ctx.
func (m *PLRSQ) LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error {
	return m.Decide(ctx, nil, dst, x)
}

// Predict returns the index of the most probable class of each matrix. In a tie, the first class wins. It returns the
// same errors as LogPosterior.
func (m *PLRSQ) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// Predict returns the index of the most probable class of each matrix. In a tie, the first class wins. It returns the
// same errors as LogPosterior.
func (m *MatrixGMLVQ) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// Predict returns the index of the most probable class of each row. In a tie, the first class wins. It returns the same
// errors as LogPosterior.
func (m *RSLVQ) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Predict returns the index of the most probable class of each row. In a tie, the first class wins. It returns the same
// errors as LogPosterior.
func (m *GMLVQ) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Decision is the classification of one matrix.
type Decision struct {
	Label       int     // most probable class, even if rejected
	Probability float64 // probability of that class
	Distance    float64 // distance to the nearest prototype
	Rejected    bool    // whether a threshold of [Rejection] rejects the decision
	Outlier     bool    // whether the decision is rejected because of its distance
}

// Decide classifies every matrix and applies the rejection thresholds. It writes the decisions to dst unless dst is
// nil, and the result of [PLRSQ.LogPosterior] to logPosterior. It panics with mat.ErrShape if a length does not match,
// and returns the same errors as LogPosterior. Single matrices, as in a live decoder, need no allocation.
func (m *PLRSQ) Decide(ctx context.Context, dst []Decision, logPosterior *mat.Dense, x *spd.Stack) error {
	if err := m.checkInput(x); err != nil {
		return err
	}
	if dst != nil && len(dst) != x.Count {
		panic(mat.ErrShape)
	}
	rows.Shape(logPosterior, x.Count, len(m.Classes))
	if x.Count == 1 {
		return m.decideOne(ctx, dst, logPosterior.RawRowView(0), x)
	}
	d, err := m.distances(ctx, x)
	if err != nil {
		return err
	}
	par.For(x.Count, 256, func(_, lo, hi int) {
		f := make([]float64, len(m.Labels))
		for i := lo; i < hi; i++ {
			logp, row := logPosterior.RawRowView(i), d.RawRowView(i)
			m.Calibration.posterior(logp, f, row, m.Sigma2, m.live.mix)
			if dst != nil {
				dst[i] = m.decision(logp, row)
			}
		}
	})
	return nil
}

// decision applies the thresholds to one posterior.
func (m *PLRSQ) decision(logp, d []float64) Decision {
	c := floats.MaxIdx(logp)
	out := Decision{Label: c, Probability: math.Exp(logp[c]), Distance: math.Sqrt(d[floats.MinIdx(d)])}
	out.Outlier = m.MaxDistance > 0 && out.Distance > m.MaxDistance
	out.Rejected = out.Outlier || out.Probability < m.MinProbability
	return out
}

// decider is the memory for deciding on one matrix.
type decider struct {
	x     spd.Stack
	eval  evaluator
	pairs []pair
	d, f  []float64
	rows  []float64 // the vector of x, for a flat metric
}

// newDecider returns a decider that shares the prototypes of the model.
func (m *PLRSQ) newDecider() *decider {
	n, p := m.Prototypes.Dim, m.Prototypes.Count
	r := &decider{d: make([]float64, p), f: make([]float64, p)}
	if m.live.flat == nil {
		r.eval = (&factors{n: n, x: &r.x, inverse: m.live.form, measure: true}).evaluator(p)
	} else {
		dim := vec.PackedLen(n)
		r.rows = make([]float64, dim)
		r.eval = (&vectors{dim: dim, n: 1, x: r.rows, w: m.live.form}).evaluator(p)
	}
	for l := range p {
		r.pairs = append(r.pairs, pair{0, l})
	}
	return r
}

// decideOne decides on one matrix, like Decide, without allocating memory.
func (m *PLRSQ) decideOne(ctx context.Context, dst []Decision, logp []float64, x *spd.Stack) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r, _ := m.live.deciders.Get().(*decider)
	if r == nil {
		r = m.newDecider()
	}
	defer m.live.deciders.Put(r)
	r.x = *x
	defer func() { r.x = spd.Stack{} }()
	if r.rows != nil {
		if err := m.live.flat.Vector(r.rows, x, 0); err != nil {
			return err
		}
	}
	if err := r.eval.distances(r.d, r.pairs); err != nil {
		return err
	}
	m.Calibration.posterior(logp, r.f, r.d, m.Sigma2, m.live.mix)
	if dst != nil {
		dst[0] = m.decision(logp, r.d)
	}
	return nil
}
