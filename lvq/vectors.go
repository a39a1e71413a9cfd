package lvq

import (
	"math"

	"rao/internal/linalg/vec"
)

// vectors is the Euclidean space of rows of length dim. It is used for RSLVQ (Seo and Obermayer 2003) on vectors, and
// for PLRSQ in flat metrics: on the logarithms of SPD matrices, or on their entries with a projection to SPD matrices.
type vectors struct {
	dim     int
	n       int
	x       []float64 // n×dim
	w       []float64 // p×dim
	project func(w []float64) error
}

func (v *vectors) samples() int { return v.n }
func (v *vectors) frame() int   { return v.dim }

func (v *vectors) row(i int) []float64 { return v.x[i*v.dim : (i+1)*v.dim] }
func (v *vectors) at(l int) []float64  { return v.w[l*v.dim : (l+1)*v.dim] }

func (v *vectors) snapshot(dst []float64) []float64 { return append(dst, v.w...) }
func (v *vectors) restore(state []float64)          { copy(v.w, state) }

func (v *vectors) apply(l int, tangent []float64) (float64, error) {
	sum := 0.0
	for k, t := range tangent {
		v.at(l)[k] += t
		sum += t * t
	}
	return math.Sqrt(sum), v.settle(l)
}

// settle projects prototype l onto the allowed set.
func (v *vectors) settle(l int) error {
	if v.project == nil {
		return nil
	}
	return v.project(v.at(l))
}

type vectorEval struct {
	v     *vectors
	pairs []pair
}

func (v *vectors) evaluator(int) evaluator { return &vectorEval{v: v} }

func (e *vectorEval) distances(d []float64, pairs []pair) error {
	e.pairs = pairs
	for k, q := range pairs {
		d[k] = vec.SquaredDistance(e.v.row(q.sample), e.v.at(q.prototype))
	}
	return nil
}

// move applies w ← w + a (x − w).
func (e *vectorEval) move(slots []int, a []float64) error {
	for k, s := range slots {
		q := e.pairs[s]
		w, x := e.v.at(q.prototype), e.v.row(q.sample)
		for i := range w {
			w[i] += a[k] * (x[i] - w[i])
		}
		if err := e.v.settle(q.prototype); err != nil {
			return err
		}
	}
	return nil
}

func (e *vectorEval) accumulate(tangents []float64, a []float64) {
	dim := e.v.dim
	for s, q := range e.pairs {
		if a[s] == 0 {
			continue
		}
		w, x := e.v.at(q.prototype), e.v.row(q.sample)
		tangent := tangents[q.prototype*dim : (q.prototype+1)*dim]
		for i := range tangent {
			tangent[i] += a[s] * (x[i] - w[i])
		}
	}
}
