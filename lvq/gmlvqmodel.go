package lvq

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
	"rao/internal/rows"
	"rao/spd"
)

// Dims returns the length of the vectors, and the number of classes.
func (m *GMLVQ) Dims() (in, classes int) { _, n := m.Prototypes.Dims(); return n, len(m.Classes) }

// Validate returns an error if the exported fields are invalid. It computes the unexported fields of a model whose
// fields were set by hand; of any other model it only reads, so other goroutines may predict.
func (m *GMLVQ) Validate() error {
	if err := checkVectorModel(m.Prototypes, m.Labels, len(m.Classes), nil); err != nil {
		return err
	}
	if err := m.checkOmega(); err != nil {
		return err
	}
	if !vec.Positive(m.Sigma2) {
		return fmt.Errorf("sigma2 of the model is %g; it must be positive and finite", m.Sigma2)
	}
	if err := m.Calibration.check(len(m.Classes), ruleNearest); err != nil || m.mix != nil {
		return err
	}
	m.mix = newMixture(ruleNearest, m.Labels, len(m.Classes), nil)
	if !m.learned() {
		m.Omega = nil
	}
	m.project()
	return nil
}

func (m *GMLVQ) checkOmega() error {
	if !m.learned() {
		if m.Local {
			return fmt.Errorf("the model has no relevance matrices; fit it again")
		}
		return nil
	}
	r, n := m.Omega.Dims()
	if want, _ := m.Dims(); n != want {
		return fmt.Errorf("the relevance matrix has %d columns, but the vectors have length %d; fit the model again", n,
			want)
	}
	if m.Local && r%len(m.Labels) != 0 {
		return fmt.Errorf("the relevance matrices have %d rows, which does not match %d prototypes; fit the model "+
			"again", r, len(m.Labels))
	}
	for i := range r {
		for j := range n {
			if v := m.Omega.At(i, j); !vec.Finite(v) {
				return fmt.Errorf("the relevance matrix is not finite at row %d, column %d; fit the model again", i, j)
			}
		}
	}
	return nil
}

// learned reports whether the distance uses relevance matrices (false: Euclidean).
func (m *GMLVQ) learned() bool { return m.Omega != nil && !m.Omega.IsEmpty() }

func (m *GMLVQ) omegaOf(l int) mat.Matrix {
	if !m.Local {
		return m.Omega
	}
	rows, n := m.Omega.Dims()
	r := rows / len(m.Labels)
	return m.Omega.Slice(l*r, (l+1)*r, 0, n)
}

// project computes the prototypes times their Ω'.
func (m *GMLVQ) project() {
	m.projected, m.omegaT = nil, nil
	if m.Omega == nil {
		return
	}
	r, n := m.Omega.Dims()
	if m.Local {
		r /= len(m.Labels)
	}
	m.projected, m.omegaT = mat.NewDense(len(m.Labels), r, nil), m.Omega.T()
	for l := range m.Labels {
		m.projected.Slice(l, l+1, 0, r).(*mat.Dense).Mul(m.Prototypes.Slice(l, l+1, 0, n), m.omegaOf(l).T())
	}
}

// LogPosterior writes log P(c|x) of every row of x to dst (N×c). An empty dst is resized. It panics with mat.ErrShape
// if the shapes do not match. If ctx is canceled, it returns the error of ctx.
func (m *GMLVQ) LogPosterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error {
	n, dim := x.Dims()
	if want, _ := m.Dims(); dim != want {
		panic(mat.ErrShape)
	}
	p := rowPosterior{ctx: ctx, dst: dst, x: x, prototypes: m.Prototypes, scale: 1, sigma2: m.Sigma2,
		calibration: &m.Calibration, mix: m.mix}
	if m.Omega == nil {
		p.scale = 1 / float64(dim)
		return p.run(len(m.Classes))
	}
	r, _ := m.Omega.Dims()
	w := rowWorks.Get().(*rowWork)
	defer rowWorks.Put(w)
	rows.Reshape(&w.z, n, r).Mul(x, m.omegaT)
	p.x, p.prototypes, p.local = &w.z, m.projected, m.Local
	return p.run(len(m.Classes))
}

// MatrixGMLVQ is GMLVQ on the vectors of SPD matrices in a flat metric. For [spd.Euclid], the vectors contain the
// entries of the matrices; this is the method that Tang et al. 2021 compare in section 6.1.5. In this metric,
// prototypes are projected after every step to SPD matrices with eigenvalues of at least 1e-4, or 1e-4 times the mean
// diagonal entry if that is below 1. The paper does not state how matrices become vectors. Here a vector is the upper
// triangle, with off-diagonal entries multiplied by √2.
type MatrixGMLVQ struct {
	Metric spd.Metric `json:"metric"` // a flat metric; empty means euclid
	Order  int        `json:"order"`  // order of the matrices
	Vector *GMLVQ     `json:"vector"` // the model of the vectors
}

// MatrixGMLVQOptions are the options of [FitMatrixGMLVQ]. GMLVQOptions apply to the vectors of the matrices.
type MatrixGMLVQOptions struct {
	Metric spd.Metric // a flat metric; default spd.Euclid
	GMLVQOptions
}

// FitMatrixGMLVQ learns from SPD matrices and labels 0..c−1. It returns an error if the metric of the options is not
// flat (see [spd.Metric.Flat]) or a matrix is not positive definite. Other errors and the cost are the same as for
// [FitGMLVQ] on vectors of n(n+1)/2 values, for matrices of order n.
func FitMatrixGMLVQ(ctx context.Context, x *spd.Stack, labels []int, classes []string,
	opt MatrixGMLVQOptions) (*MatrixGMLVQ, error) {
	if err := checkStackShape(x); err != nil {
		return nil, err
	}
	opt.Metric = cmp.Or(opt.Metric, spd.Euclid)
	flat, err := vectorSpace(opt.Metric)
	if err != nil {
		return nil, err
	}
	if err := x.VerifyDefinite("matrix"); err != nil {
		return nil, err
	}
	rows, err := flat.Vectors(ctx, x, "matrix")
	if err != nil {
		return nil, err
	}
	src := &rowSource{n: x.Count, dim: vec.PackedLen(x.Dim), x: rows}
	v, err := fitGMLVQ(ctx, src, labels, classes, opt.GMLVQOptions, flat.Projection(rows, x.Dim, projectionFloor))
	if v == nil {
		return nil, err
	}
	return &MatrixGMLVQ{Metric: opt.Metric, Order: x.Dim, Vector: v}, err
}

// vectorSpace returns the space of a flat metric. It returns an error for any other metric.
func vectorSpace(metric spd.Metric) (*spd.FlatSpace, error) {
	if f := metric.Flat(); f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("matrices cannot become vectors in the metric %q; choose from %s", metric,
		strings.Join(spd.FlatMetrics(), ", "))
}

// Dims returns the order of the matrices, and the number of classes.
func (m *MatrixGMLVQ) Dims() (in, classes int) { return m.Order, len(m.Vector.Classes) }

// Validate returns an error if the exported fields are invalid. It computes the unexported fields of a model whose
// fields were set by hand; of any other model it only reads, so other goroutines may predict.
func (m *MatrixGMLVQ) Validate() error {
	if m.Vector == nil {
		return fmt.Errorf("the model has no prototypes; fit it again")
	}
	if err := m.Vector.Validate(); err != nil {
		return err
	}
	if m.Metric == "" { // without a write if it is set, because other goroutines may predict
		m.Metric = spd.Euclid
	}
	if _, err := vectorSpace(m.Metric); err != nil {
		return err
	}
	if n, _ := m.Vector.Dims(); m.Order < 1 || n != vec.PackedLen(m.Order) {
		return fmt.Errorf("the prototypes have length %d, which does not match matrices of order %d; fit the model "+
			"again", n, m.Order)
	}
	return nil
}

// LogPosterior writes log P(c|X_i) to row i of dst (N×c). An empty dst is resized. It panics with mat.ErrShape if the
// shapes do not match. It returns an error if the matrices have another order; other errors name a matrix that is not
// valid. If ctx is canceled, it returns the error of ctx.
func (m *MatrixGMLVQ) LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error {
	if err := checkMatrices(x, m.Order); err != nil {
		return err
	}
	w := rowWorks.Get().(*rowWork)
	defer rowWorks.Put(w)
	v := rows.Reshape(&w.z, x.Count, vec.PackedLen(m.Order))
	if err := m.Metric.Flat().Rows(ctx, v, x); err != nil {
		return err
	}
	return m.Vector.LogPosterior(ctx, dst, v)
}
