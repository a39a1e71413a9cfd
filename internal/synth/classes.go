package synth

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/eig"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
	"rao/internal/par"
)

// Classes are Gaussian classes that resemble the embeddings of many categories. The means form a two-level hierarchy
// with ten classes per group and a power-law spectrum. A covariance is the sum of a common part with spectrum k^-0.9
// and 24 directions from a pool of 96, multiplied by a scale of the class. Only these parameters are stored, so
// covariances use memory only while they are in use.
type Classes struct {
	Dim, Count int
	Means      []float64 // c×n
	common     []float64 // n×n: a factor A of the common part AA'
	pool       []float64 // n×p
	own        [][]int   // by class: columns of the pool
	strength   [][]float64
	scale      []float64
}

const (
	ownDirections = 24
	poolSize      = 96
)

// NewClasses returns c classes in n dimensions, n at least 96. The same seed gives the same classes.
func NewClasses(c, n int, seed uint64) *Classes {
	r := rand.New(rand.NewPCG(seed, 0xc1a55e5))
	s := &Classes{Dim: n, Count: c, Means: make([]float64, c*n), own: make([][]int, c), strength: make([][]float64, c),
		scale: make([]float64, c)}
	root := make([]float64, n) // square roots of the spectrum, which has mean one
	var sum float64
	for j := range root {
		sum += math.Pow(float64(j+1), -0.9)
	}
	for j := range root {
		root[j] = math.Sqrt(math.Pow(float64(j+1), -0.9) * float64(n) / sum)
	}
	basis := rotation(r, n)
	s.common, s.pool = make([]float64, n*n), make([]float64, n*poolSize)
	for i := range n {
		for j := range n {
			s.common[i*n+j] = math.Sqrt(0.6) * basis[i*n+j] * root[j]
		}
	}
	turn := rotation(r, poolSize)
	dense.Gemm(false, false, n, poolSize, poolSize, 1, basis, n, turn, poolSize, 0, s.pool, poolSize)
	groups := normals(r, max(c/10, 1)*n)
	z := normals(r, c*n)
	for i := range c {
		group := groups[i%max(c/10, 1)*n:]
		for j := range n {
			z[i*n+j] = 0.55 * root[j] * (0.8*group[j] + 0.6*z[i*n+j])
		}
		s.own[i] = r.Perm(poolSize)[:ownDirections]
		for range ownDirections { // gamma distribution with shape two
			s.strength[i] = append(s.strength[i], 1.5*(r.ExpFloat64()+r.ExpFloat64()))
		}
		s.scale[i] = math.Exp(0.15 * r.NormFloat64())
	}
	dense.Gemm(false, true, c, n, n, 1, z, n, basis, n, 0, s.Means, n)
	return s
}

// normals returns n standard normal values.
func normals(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// rotation returns a random orthogonal matrix of order n: the eigenvectors of a random symmetric matrix. With [haar]
// instead, the classes of a seed would be others.
func rotation(r *rand.Rand, n int) []float64 {
	q := normals(r, n*n)
	for i := range n {
		for j := range i {
			q[i*n+j] = q[j*n+i]
		}
	}
	if err := eig.Sym(make([]float64, n), q, n, true, make([]float64, eig.WorkLen(n))); err != nil {
		panic("synth: " + err.Error()) // normal numbers are finite
	}
	return q
}

// Statistics returns the statistics of the coordinates V'x of the classes, as if each had the given number of
// observations. V is n×q; nil means the identity.
func (s *Classes) Statistics(v []float64, q, observations int) *gaussian.Statistics {
	means, base, pool, q := s.within(v, q)
	out := gaussian.New(naming.Classes(nil, s.Count), q)
	copy(out.Means, means)
	par.For(s.Count, 1, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			out.Counts[i] = observations
			s.covariance(out.Covariance(i).RawSymmetric().Data, i, base, pool, q)
		}
	})
	return out
}

// Source is [Classes.Statistics] with one covariance in memory at a time.
func (s *Classes) Source(v []float64, q, observations int) *gaussian.Source {
	means, base, pool, q := s.within(v, q)
	counts := slices.Repeat([]int{observations}, s.Count)
	cov := mat.NewSymDense(q, nil)
	return gaussian.NewSource(naming.Classes(nil, s.Count), counts, means, func(i int) *mat.SymDense {
		s.covariance(cov.RawSymmetric().Data, i, base, pool, q)
		return cov
	})
}

// within returns the means, the common part of the covariances and the pool in the coordinates V'x, and the number of
// coordinates.
func (s *Classes) within(v []float64, q int) (means, base, pool []float64, dim int) {
	n := s.Dim
	common := s.common
	pool, means = s.pool, s.Means
	if v == nil {
		q = n
	} else {
		common, pool, means = make([]float64, q*n), make([]float64, q*poolSize), make([]float64, s.Count*q)
		dense.Gemm(true, false, q, n, n, 1, v, q, s.common, n, 0, common, n)
		dense.Gemm(true, false, q, poolSize, n, 1, v, q, s.pool, poolSize, 0, pool, poolSize)
		dense.Gemm(false, false, s.Count, q, n, 1, s.Means, n, v, q, 0, means, q)
	}
	base = make([]float64, q*q)
	dense.Gemm(false, true, q, q, n, 1, common, n, common, n, 0, base, q)
	return means, base, pool, q
}

// All returns the statistics of all classes pooled into one, with the given number of observations per class.
func (s *Classes) All(observations int) *gaussian.Statistics {
	n, c := s.Dim, s.Count
	out := gaussian.New([]string{"all"}, n)
	out.Counts[0] = c * observations
	mean, cov := out.Mean(0), out.Covariance(0).RawSymmetric().Data
	for i := range c {
		vec.Axpy(mean, 1/float64(c), s.Means[i*n:(i+1)*n])
	}
	spread := make([]float64, n*poolSize) // the pool, scaled by how much all classes use of it
	copy(spread, s.pool)
	share := make([]float64, poolSize)
	total := 0.0
	for i := range c {
		total += s.scale[i] / float64(c)
		for k, d := range s.own[i] {
			share[d] += s.scale[i] * s.strength[i][k] / float64(c)
		}
	}
	for r := range n {
		for d, x := range share {
			spread[r*poolSize+d] *= x
		}
	}
	centered := make([]float64, c*n)
	for i := range centered {
		centered[i] = (s.Means[i] - mean[i%n]) / math.Sqrt(float64(c))
	}
	dense.Gemm(false, true, n, n, n, total, s.common, n, s.common, n, 0, cov, n)
	dense.Gemm(false, true, n, n, poolSize, 1, spread, poolSize, s.pool, poolSize, 1, cov, n)
	dense.Gemm(true, false, n, n, c, 1, centered, n, centered, n, 1, cov, n)
	vec.Symmetrize(cov, n)
	return out
}

// covariance writes the covariance of class i, scale·(base + Σ strength v v'), to dst.
func (s *Classes) covariance(dst []float64, i int, base, pool []float64, q int) {
	v := make([]float64, ownDirections*q) // one direction per row
	for k, d := range s.own[i] {
		for a := range q {
			v[k*q+a] = pool[a*poolSize+d]
		}
	}
	par.For(q, max(1, 1<<12/q), func(_, lo, hi int) {
		for a := lo; a < hi; a++ {
			row := dst[a*q : (a+1)*q]
			copy(row, base[a*q:])
			for k, x := range s.strength[i] {
				vec.Axpy(row, x*v[k*q+a], v[k*q:(k+1)*q])
			}
			for j := range row {
				row[j] *= s.scale[i]
			}
		}
	})
}

// Rows draws the given number of observations per class, one class after the other. x is N×n, and labels has the class
// of each row.
func (s *Classes) Rows(each int, seed uint64) (x []float64, labels []int) {
	n, r := s.Dim, rand.New(rand.NewPCG(seed, 0xd4a3))
	rows := s.Count * each
	z, own := normals(r, rows*n), make([]float64, rows*poolSize)
	for i := range rows {
		class := i / each
		labels = append(labels, class)
		for k, d := range s.own[class] {
			own[i*poolSize+d] = math.Sqrt(s.strength[class][k]) * r.NormFloat64()
		}
	}
	x = make([]float64, rows*n)
	dense.Gemm(false, true, rows, n, n, 1, z, n, s.common, n, 0, x, n)
	dense.Gemm(false, true, rows, n, poolSize, 1, own, poolSize, s.pool, poolSize, 1, x, n)
	for i, class := range labels {
		a := math.Sqrt(s.scale[class])
		for j, g := range s.Means[class*n : (class+1)*n] {
			x[i*n+j] = g + a*x[i*n+j]
		}
	}
	return x, labels
}
