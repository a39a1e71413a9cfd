package sqfa

import (
	"math"
	"math/rand/v2"

	"rao/gaussian"
	"rao/internal/dense"
	"rao/internal/optim"
	"rao/internal/small"
)

// principal returns the k leading principal components of all classes together
// (of the total covariance: within plus between), n×k with orthonormal columns in
// the order of decreasing variance, and their variances. Each column's entry of
// largest magnitude is positive.
//
// Subspace iteration with a few guard vectors and Rayleigh-Ritz (Golub and Van
// Loan, section 8.2.4) needs no decomposition of order n.
func principal(stats *gaussian.Statistics, k int) (components, variances []float64, err error) {
	n := stats.Dim
	_, _, _, total := stats.Pooled(nil)
	b := min(n, k+max(8, k/4))
	x, y := make([]float64, n*b), make([]float64, n*b)
	rng := rand.New(rand.NewPCG(0x5ca1ab1e, 1))
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	basis := optim.NewManifold(optim.Orthogonal, n, b)
	if err := basis.Normalise(x); err != nil {
		return nil, nil, err
	}
	h, v, values := make([]float64, b*b), make([]float64, b*b), make([]float64, b)
	previous := make([]float64, b)
	var work small.Workspace
	for round := range 200 {
		dense.Project(n, b, total, n, x, b, y, b)
		dense.Gemm(true, false, b, b, n, 1, x, b, y, b, 0, h, b)
		symmetrise(h, b)
		if err := work.Eigen(values, v, h, b, 1); err != nil {
			return nil, nil, err
		}
		reverseColumns(v, b)
		dense.Gemm(false, false, n, b, b, 1, x, b, v, b, 0, y, b)
		if settled(values, previous, k) || round == 199 || b == n {
			break
		}
		copy(previous, values)
		// two steps of the power method for each decomposition
		dense.Project(n, b, total, n, y, b, x, b)
		scaleColumns(x, b)
		dense.Project(n, b, total, n, x, b, y, b)
		x, y = y, x
		if err := orthonormalise(x, n, b, &work); err != nil {
			return nil, nil, err
		}
	}
	components, variances = make([]float64, n*k), make([]float64, k)
	for r := range n {
		copy(components[r*k:(r+1)*k], y[r*b:r*b+k])
	}
	for j := range k {
		variances[j] = values[b-1-j]
	}
	canonicalSigns(components, n, k)
	return components, variances, nil
}

// settled reports whether the k largest values (ascending order) have stopped
// moving. The vectors' error is of the order of the square root of the values'.
func settled(values, previous []float64, k int) bool {
	b := len(values)
	for j := b - k; j < b; j++ {
		if math.Abs(values[j]-previous[j]) > 1e-12*values[b-1] {
			return false
		}
	}
	return true
}

// reverseColumns reverses the order of the columns of an n×n matrix.
func reverseColumns(v []float64, n int) {
	for i := range n {
		row := v[i*n : (i+1)*n]
		for a, b := 0, n-1; a < b; a, b = a+1, b-1 {
			row[a], row[b] = row[b], row[a]
		}
	}
}

// scaleColumns divides every column by its norm.
func scaleColumns(x []float64, k int) {
	for j := range k {
		var s float64
		for i := j; i < len(x); i += k {
			s += x[i] * x[i]
		}
		if s = math.Sqrt(s); s > 0 {
			for i := j; i < len(x); i += k {
				x[i] /= s
			}
		}
	}
}

// orthonormalise replaces the columns of x (n×b) by an orthonormal basis of their
// span: Cholesky QR twice, or Gram-Schmidt when they are nearly dependent.
func orthonormalise(x []float64, n, b int, work *small.Workspace) error {
	g, li, y := make([]float64, b*b), make([]float64, b*b), make([]float64, n*b)
	scaleColumns(x, b)
	for range 2 {
		dense.Gemm(true, false, b, b, n, 1, x, b, x, b, 0, g, b)
		symmetrise(g, b)
		if work.Cholesky(g, g, b, 1) != nil {
			return gramSchmidt(x, n, b)
		}
		work.InvertLower(li, g, b, 1)
		dense.Gemm(false, true, n, b, b, 1, x, b, li, b, 0, y, b)
		copy(x, y)
	}
	return nil
}

// gramSchmidt orthonormalises columns, replacing those that vanish by random ones:
// a total covariance of low rank has fewer directions than the block.
func gramSchmidt(x []float64, n, b int) error {
	rng := rand.New(rand.NewPCG(0x5ca1ab1e, 2))
	m := optim.NewManifold(optim.Orthogonal, n, b)
	for attempt := 0; ; attempt++ {
		err := m.Normalise(x)
		if err == nil || attempt == 3 {
			return err
		}
		for i := range x {
			x[i] += 1e-6 * rng.NormFloat64()
		}
	}
}

// canonicalSigns turns every column so that its entry of largest magnitude is
// positive.
func canonicalSigns(x []float64, n, k int) {
	for j := range k {
		top := 0.0
		for r := range n {
			if v := x[r*k+j]; math.Abs(v) > math.Abs(top)*(1+1e-9) {
				top = v
			}
		}
		if top < 0 {
			for r := range n {
				x[r*k+j] = -x[r*k+j]
			}
		}
	}
}

// randomFilters draws m unit vectors, or orthonormal ones.
func randomFilters(n, m int, c Constraint, seed, stream uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, stream))
	x := make([]float64, n*m)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	kind := optim.Sphere
	if c == Orthogonal {
		kind = optim.Orthogonal
	}
	if err := optim.NewManifold(kind, n, m).Normalise(x); err != nil {
		panic(err) // normal draws are independent
	}
	return x
}
