package gaussian

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/classcolumns"
	"rao/internal/naming"
	"rao/internal/rows"
)

// Pairs evaluates a [Dissimilarity] for all pairs, or for a list of pairs, of c Gaussians in m dimensions. The
// gradient reuses the matrix computations of the values. Pairs reuses its scratch memory and is not safe for
// concurrent use. It runs in parallel and gives the same bits at any GOMAXPROCS. The search for fisher_rao starts where
// the last search ended, so the last digits of its values may depend on earlier calls.
//
// All pairs i<j are numbered row by row: (0,1), (0,2), …, (0,c-1), (1,2), …
type Pairs struct {
	c, m, n   int // n is the number of pairs
	kernel    kernel
	root      bool // use sqrt(raw + smoothing)
	saturate  bool // use 1 - exp(-raw) first
	smoothing float64
	slope     []float64 // derivative of the value with respect to the raw quantity, one per pair
	weights   []float64
}

// kernel computes the raw quantity of all pairs: a squared distance or a divergence, without smoothing.
type kernel interface {
	// values writes the raw quantities, one per pair.
	values(dst, means, covs []float64) error
	// gradient adds Σ_p weights[p] ∂raw_p at the Gaussians of the last call of values.
	gradient(gradMeans, gradCovs, weights []float64)
}

// Pair is a pair of Gaussians, by their indices.
type Pair struct{ I, J int }

// Pairs returns an evaluator for a list of pairs among c Gaussians in m dimensions, in the order of the list, or for
// all pairs if the list is nil. If most pairs of many Gaussians are too far apart to matter, listing only the others
// saves time and memory. smoothing is added inside the square root of a distance, for example 1e-6, so that Gaussians
// that coincide still have a gradient; 0 gives the distance itself. Divergences and squared distances ignore it. It
// panics if c < 1, m < 1, d is unknown, or the indices of a pair are equal or outside the c Gaussians.
func (d Dissimilarity) Pairs(list []Pair, c, m int, smoothing float64) *Pairs {
	if c < 1 || m < 1 {
		panic("gaussian: no classes or no dimensions")
	}
	s, err := d.Measure()
	if err != nil {
		panic("gaussian: " + err.Error())
	}
	l := allPairs(c)
	if list != nil {
		l = &pairList{c: c, i: make([]int, len(list)), j: make([]int, len(list))}
	}
	for p, x := range list {
		if x.I == x.J || min(x.I, x.J) < 0 || max(x.I, x.J) >= c {
			panic(fmt.Sprintf("gaussian: pair %d is of the classes %d and %d; they must differ, and be from 0 to %d", p,
				x.I, x.J, c-1))
		}
		l.i[p], l.j[p] = x.I, x.J
	}
	n := len(l.i)
	return &Pairs{c: c, m: m, n: n, kernel: s.pairsKernel(l, m, s.Weight), root: s.Root,
		saturate: s.saturate, smoothing: smoothing, slope: make([]float64, n), weights: make([]float64, n)}
}

// Values writes the dissimilarity of every pair to dst, for the given means (c×m) and covariances (c×m×m, both
// triangles). It panics with mat.ErrShape if a length is wrong. It returns a [SingularError] that names the class if a
// covariance is not positive definite, and an error that names the two classes if a pair cannot be computed; dst is
// then undefined.
func (p *Pairs) Values(dst, means, covariances []float64) error {
	if len(dst) != p.n || len(means) != p.c*p.m || len(covariances) != p.c*p.m*p.m {
		panic(mat.ErrShape)
	}
	if err := p.kernel.values(dst, means, covariances); err != nil {
		return err
	}
	for k, raw := range dst {
		slope := 1.0
		if p.saturate {
			slope = math.Exp(-raw)
			raw = -math.Expm1(-raw)
		}
		if p.root {
			root := math.Sqrt(math.Max(raw, 0) + p.smoothing)
			if raw = root; root > 0 {
				slope /= 2 * root
			} else {
				slope = 0
			}
		}
		dst[k], p.slope[k] = raw, slope
	}
	return nil
}

// Gradient adds Σ_p weights[p] ∂value_p to gradMeans (c×m) and gradCovariances (c×m×m, symmetric: the covariance is
// treated as a full matrix), at the point of the last call of Values. If two Gaussians coincide and there is no
// smoothing, the distance has no derivative and contributes nothing. It panics with mat.ErrShape if a length is wrong.
func (p *Pairs) Gradient(gradMeans, gradCovariances, weights []float64) {
	if len(weights) != p.n || len(gradMeans) != p.c*p.m || len(gradCovariances) != p.c*p.m*p.m {
		panic(mat.ErrShape)
	}
	for k, w := range weights {
		p.weights[k] = w * p.slope[k]
	}
	p.kernel.gradient(gradMeans, gradCovariances, p.weights)
}

// DissimilarityMatrix writes the dissimilarities of all pairs of classes, without smoothing, to dst, c×c with a zero
// diagonal. An empty dst is resized; a wrong shape panics with mat.ErrShape. It returns an error if d is unknown or the
// statistics are invalid, and a [SingularError] if a covariance is not positive definite. The matrix is symmetric,
// except for Chernoff with a weight other than 1/2, for which the class of the row is the first Gaussian.
func (s *Statistics) DissimilarityMatrix(dst *mat.Dense, d Dissimilarity) error {
	how, err := d.Measure()
	if err != nil {
		return err
	}
	if err := s.Validate(); err != nil {
		return err
	}
	c := s.NumClasses()
	rows.Shape(dst, c, c)
	list := make([]Pair, 0, c*(c-1))
	for i := range c {
		for j := i + 1; j < c; j++ {
			list = append(list, Pair{i, j})
		}
	}
	if how.Weight != 0.5 {
		for _, p := range list[:classcolumns.NumPairs(c)] {
			list = append(list, Pair{p.J, p.I})
		}
	}
	values := make([]float64, len(list))
	err = d.Pairs(list, c, s.Dim, 0).Values(values, s.Means, s.Covariances)
	var singular *SingularError
	if errors.As(err, &singular) {
		singular.Name = naming.Class(s.Classes, singular.Class)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", d, err)
	}
	for i := range c {
		dst.Set(i, i, 0)
	}
	for k, p := range list {
		dst.Set(p.I, p.J, values[k])
		if len(list) == classcolumns.NumPairs(c) {
			dst.Set(p.J, p.I, values[k])
		}
	}
	return nil
}
