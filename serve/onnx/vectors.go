package onnx

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/densities"
	"rao/internal/linalg/vec"
	"rao/internal/serve/forms"
	"rao/lvq"
	"rao/model"
	"rao/spd"
)

// rows is a graph whose current value is the vectors z = (x - center) a + b. The product is added to the graph only
// when z is needed. Consecutive factors are multiplied in advance, because a runtime that merges factors may do so in
// single precision.
type rows struct {
	*graph
	x      string
	center []float64
	a      *mat.Dense // nil for the identity
	b      []float64
	dim    int // length of z
}

// then replaces z by (z - c) m - o. c and o may be nil, which means zero.
func (r rows) then(c []float64, m *mat.Dense, o []float64) rows {
	out := r
	_, out.dim = m.Dims()
	shift := make([]float64, r.dim)
	if r.b != nil {
		copy(shift, r.b)
	}
	if r.a == nil && c != nil { // x has not been transformed yet
		if r.center == nil {
			out.center = c
		} else {
			out.center = make([]float64, len(c))
			for i := range c {
				out.center[i] = r.center[i] + c[i]
			}
		}
	} else {
		for i := range c {
			shift[i] -= c[i]
		}
	}
	out.a = mat.DenseCopyOf(m)
	if r.a != nil {
		out.a = new(mat.Dense)
		out.a.Mul(r.a, m)
	}
	out.b = make([]float64, out.dim)
	for j := range out.b {
		for i, v := range shift {
			out.b[j] += v * m.At(i, j)
		}
		if o != nil {
			out.b[j] -= o[j]
		}
	}
	return out
}

// value adds the operations that compute the vectors and returns the name of the result.
func (r rows) value() string {
	x := r.x
	if r.center != nil {
		x = r.op("Sub", x, r.numbers(r.center, len(r.center)))
	}
	if r.a != nil {
		n, m := r.a.Dims()
		x = r.matmul(x, r.numbers(r.a.RawMatrix().Data, n, m))
	}
	if r.b != nil {
		x = r.op("Add", x, r.numbers(r.b, len(r.b)))
	}
	return x
}

// scaled subtracts the shift of each column and multiplies the difference by the scale, if the stage has them.
func (r rows) scaled(s *model.Scaling) rows {
	m := mat.NewDense(r.dim, r.dim, vec.Identity(r.dim))
	for i := range r.dim {
		switch len(s.Scale) {
		case 0:
		case 1:
			m.Set(i, i, s.Scale[0])
		default:
			m.Set(i, i, s.Scale[i])
		}
	}
	var shift []float64
	if len(s.Shift) > 0 {
		shift = s.Shift
	}
	return r.then(shift, m, nil)
}

// scores adds a classifier of vectors and returns its scores.
func (r rows) scores(cl model.Classifier) (string, error) {
	e := find(vectorClassifiers, cl)
	if e == nil {
		return "", without(cl)
	}
	return e.add(r, cl)
}

// gaussians adds log π - ½ log det Φ - ½ ‖L⁻¹(z - μ)‖² for every class that has one Gaussian. For mixtures the score is
// 1/T log Σ w N(z; μ, Φ) over the components of a class.
func (r rows) gaussians(m forms.Gaussians) (string, error) {
	densities, err := r.densities(m.Means, m.Covariances, m.Weights)
	if err != nil || m.Single() {
		return densities, err
	}
	k := len(m.Of)
	c := m.Of[k-1] + 1
	member, cooled := make([]float64, c*k), make([]float64, c)
	for i := range member {
		member[i] = absent
	}
	for j, i := range m.Of {
		member[i*k+j] = 0
	}
	for i := range cooled {
		cooled[i] = 1 / m.Temperature
	}
	f := r.op("Add", r.reshape(densities, -1, 1, int64(k)), r.numbers(member, c, k))
	return r.op("Mul", r.logSum(f, c), r.numbers(cooled, c)), nil
}

// densities adds the weighted log-densities of Gaussians, up to a constant, one per column. One product whitens the
// vectors for all Gaussians.
func (r rows) densities(means *mat.Dense, covariances *spd.Stack, weights []float64) (string, error) {
	c, n := means.Dims()
	gaussians, singular := densities.New(weights, means, covariances.Contiguous())
	if singular >= 0 {
		return "", fmt.Errorf("the covariance of class %d (counted from 0) is not positive definite; fit the model "+
			"again with more regularization", singular)
	}
	center, whiten, offsets, constants := gaussians.Whitening()
	whiten.Scale(1/math.Sqrt2, whiten) // half of the squares
	for i := range offsets {
		offsets[i] /= math.Sqrt2
	}
	w := r.then(center, whiten, offsets).value()
	squares := r.sum(r.reshape(r.op("Mul", w, w), -1, int64(c), int64(n)), 2)
	return r.op("Sub", r.numbers(constants, c), squares), nil
}

// distancesTo returns the squared distances of vectors to the rows of p.
func (g *graph) distancesTo(z string, p *mat.Dense) string {
	count, n := p.Dims()
	d := g.op("Sub", g.reshape(z, -1, 1, int64(n)), g.numbers(mat.DenseCopyOf(p).RawMatrix().Data, count, n))
	return g.sum(g.op("Mul", d, d), 2)
}

// learnedDistances returns the squared distances to the prototypes, ‖Ω(z - w)‖², and the unit by which to divide them.
func (r rows) learnedDistances(m *lvq.GMLVQ) (d string, unit float64) {
	p, n := m.Prototypes.Dims()
	if m.Omega == nil {
		return r.distancesTo(r.value(), m.Prototypes), float64(n)
	}
	omega := mat.DenseCopyOf(m.Omega.T())
	if !m.Local {
		var projected mat.Dense
		projected.Mul(m.Prototypes, omega)
		return r.distancesTo(r.then(nil, omega, nil).value(), &projected), 1
	}
	_, all := omega.Dims()
	offsets := make([]float64, all)
	for i := range offsets {
		offsets[i] = mat.Dot(m.Prototypes.RowView(i/(all/p)), omega.ColView(i))
	}
	w := r.then(nil, omega, offsets).value()
	return r.sum(r.reshape(r.op("Mul", w, w), -1, int64(p), int64(all/p)), 2), 1
}

// learned returns the scores of a GMLVQ classifier that uses the nearest prototype of each class.
func (r rows) learned(cl *lvq.GMLVQ) (string, error) {
	d, unit := r.learnedDistances(cl)
	return r.prototypes(d, "nearest", cl.Labels, len(cl.Classes), nil, 2*cl.Sigma2*unit, &cl.Calibration), nil
}

// absent is the logarithm of a term that contributes nothing to a sum.
const absent = -1e30

// prototypes returns the scores of the classes from squared distances to prototypes. The score of class c is log Σ π_l
// exp(-d_l/(spread τ_c)) over its prototypes, plus its offset. For the rule of the nearest prototype it is the largest
// -d_l/(spread τ_c).
func (g *graph) prototypes(d string, rule lvq.Rule, labels []int, classes int, priors []float64, spread float64,
	k *lvq.Calibration) string {
	count := make([]float64, classes)
	for _, c := range labels {
		count[c]++
	}
	p := len(labels)
	factor, logs := make([]float64, p), make([]float64, classes*p)
	for i := range logs {
		logs[i] = absent
	}
	for l, c := range labels {
		tau := k.Temperature
		if k.Scale != nil {
			tau *= k.Scale[c]
		}
		factor[l] = -1 / (spread * tau)
		logs[c*p+l] = 0
		if priors != nil && rule != "nearest" {
			logs[c*p+l] = math.Log(priors[c] / count[c])
		}
	}
	f := g.reshape(g.op("Mul", d, g.numbers(factor, p)), -1, 1, int64(p))
	f = g.op("Add", f, g.numbers(logs, classes, p))
	if rule == "nearest" {
		return g.reduce("ReduceMax", f, 0, -1)
	}
	score := g.logSum(f, classes)
	if k.Offset != nil {
		score = g.op("Add", score, g.numbers(k.Offset, classes))
	}
	return score
}

// logSum returns log Σ exp over the last axis. The other two axes are observations and classes.
func (g *graph) logSum(f string, classes int) string {
	top := g.reduce("ReduceMax", f, 1, -1)
	sum := g.sum(g.op("Exp", g.op("Sub", f, top)), 2)
	return g.op("Add", g.op("Log", sum), g.reshape(top, -1, int64(classes)))
}
