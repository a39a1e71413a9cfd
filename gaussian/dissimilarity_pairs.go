package gaussian

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Pairs evaluates a [Dissimilarity] for pairs of c Gaussians in m dimensions, all of
// them or those of a list, in two phases, so that the matrix work done for the values
// serves the gradient too. It keeps all scratch memory; it must not be used from several
// goroutines at once (it is parallel inside, and gives the same bits at any GOMAXPROCS).
// The search behind fisher_rao begins where the last one ended, so its values may depend
// on the calls before in the last digits.
//
// All pairs i<j are numbered row by row: (0,1), (0,2), …, (0,c-1), (1,2), …; see
// [PairIndex].
type Pairs struct {
	c, m, n   int // n is the number of pairs
	kernel    kernel
	root      bool // take sqrt(raw + smoothing)
	saturate  bool // 1 - exp(-raw) first
	smoothing float64
	slope     []float64 // derivative of the value in the raw quantity, one a pair
	weights   []float64
}

// kernel computes the raw quantity of all pairs: a squared distance or a
// divergence, without smoothing.
type kernel interface {
	// values writes the raw quantities, one a pair.
	values(dst, means, covs []float64) error
	// gradient adds Σ_p weights[p] ∂raw_p at the point of the last values.
	gradient(gradMeans, gradCovs, weights []float64)
}

// NumPairs returns c(c-1)/2.
func NumPairs(c int) int { return c * (c - 1) / 2 }

// PairIndex returns the number of the pair i<j among c classes.
func PairIndex(i, j, c int) int { return i*(2*c-i-1)/2 + j - i - 1 }

// Pair is two of the Gaussians by their numbers.
type Pair struct{ I, J int }

// Pairs returns an evaluator of all pairs of c Gaussians in m dimensions. smoothing is
// added inside the square root of a distance: [Smoothing] in a learner's objective, 0
// for the distance itself. Divergences and squared distances ignore it.
// It panics if c < 1, m < 1 or d is not valid.
func (d Dissimilarity) Pairs(c, m int, smoothing float64) *Pairs {
	return d.pairs(allPairs(c), m, smoothing)
}

// PairsOf is [Dissimilarity.Pairs] for the pairs of a list alone, in its order: where
// most pairs of many Gaussians are too far apart to matter, time and memory are those of
// the pairs that do. It panics too when a pair is not of two of the c Gaussians.
func (d Dissimilarity) PairsOf(list []Pair, c, m int, smoothing float64) *Pairs {
	l := &pairList{c: c, i: make([]int, len(list)), j: make([]int, len(list))}
	for p, x := range list {
		if x.I == x.J || min(x.I, x.J) < 0 || max(x.I, x.J) >= c {
			panic(fmt.Sprintf("gaussian: pair %d of %d and %d among %d", p, x.I, x.J, c))
		}
		l.i[p], l.j[p] = x.I, x.J
	}
	return d.pairs(l, m, smoothing)
}

func (d Dissimilarity) pairs(l *pairList, m int, smoothing float64) *Pairs {
	if l.c < 1 || m < 1 {
		panic("gaussian: no classes or no dimensions")
	}
	if err := d.Validate(); err != nil {
		panic("gaussian: " + err.Error())
	}
	f, n := lookup(d.name()), len(l.i)
	return &Pairs{c: l.c, m: m, n: n, kernel: f.kernel(l, m, d.weight()), root: f.distance && !d.Squared,
		saturate:  f.saturate,
		smoothing: smoothing, slope: make([]float64, n), weights: make([]float64, n)}
}

// Values writes the dissimilarity of every pair to dst, from means (c×m) and
// covariances (c×m×m, both triangles). It panics with mat.ErrShape if a length is
// wrong, and returns a [SingularError] that names the class when a covariance is
// not positive definite; dst is then not meaningful.
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

// Gradient adds Σ_p weights[p] ∂value_p to gradMeans (c×m) and gradCovariances
// (c×m×m, symmetric: the covariance is treated as a full matrix), at the point of
// the last Values. Where two Gaussians coincide and there is no smoothing, the
// distance has no derivative and contributes nothing. It panics with mat.ErrShape
// if a length is wrong.
func (p *Pairs) Gradient(gradMeans, gradCovariances, weights []float64) {
	if len(weights) != p.n || len(gradMeans) != p.c*p.m || len(gradCovariances) != p.c*p.m*p.m {
		panic(mat.ErrShape)
	}
	for k, w := range weights {
		p.weights[k] = w * p.slope[k]
	}
	p.kernel.gradient(gradMeans, gradCovariances, p.weights)
}

// DissimilarityMatrix writes the dissimilarities of all pairs of classes to dst,
// c×c with a zero diagonal and no smoothing. An empty dst is resized; a wrong shape
// panics with mat.ErrShape. The matrix is symmetric but for chernoff with a weight
// other than 1/2: row i is then the first Gaussian.
func (s *Statistics) DissimilarityMatrix(dst *mat.Dense, d Dissimilarity) error {
	c := s.NumClasses()
	if dst.IsEmpty() {
		dst.ReuseAs(c, c)
	} else if r, k := dst.Dims(); r != c || k != c {
		panic(mat.ErrShape)
	}
	if err := d.Validate(); err != nil {
		return err
	}
	upper := make([]float64, NumPairs(c))
	lower := upper
	if err := s.pairValues(upper, d); err != nil {
		return err
	}
	if lookup(d.name()).weighted && d.weight() != 0.5 {
		lower = make([]float64, NumPairs(c))
		d.S = 1 - d.weight()
		if err := s.pairValues(lower, d); err != nil {
			return err
		}
	}
	for i := range c {
		dst.Set(i, i, 0)
		for j := i + 1; j < c; j++ {
			dst.Set(i, j, upper[PairIndex(i, j, c)])
			dst.Set(j, i, lower[PairIndex(i, j, c)])
		}
	}
	return nil
}

// pairValues evaluates d without smoothing and names a singular class.
func (s *Statistics) pairValues(dst []float64, d Dissimilarity) error {
	if err := s.Validate(); err != nil {
		return err
	}
	err := d.Pairs(s.NumClasses(), s.Dim, 0).Values(dst, s.Means, s.Covariances)
	var singular *SingularError
	if errors.As(err, &singular) {
		singular.Name = s.Name(singular.Class)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", d, err)
	}
	return nil
}
