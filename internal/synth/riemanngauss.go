package synth

import (
	"fmt"
	"math"
	"math/rand/v2"

	"rao/dataset"
	"rao/internal/linalg/small"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
	"rao/internal/par"
	"rao/spd"
)

// RiemannGaussian draws perClass matrices of every class from the Riemannian Gaussian distribution around the class's
// center (Said, Bombrun, Berthoumieu and Manton 2017, equation 21),
//
//	p(Y) ∝ exp(−d²(Y, Ȳ)/(2σ²))
//
// with respect to the invariant volume, where d is the affine-invariant distance. sigma has one value, or one per
// class. Class c has label c and its own random stream, so the same seed gives the same data on any number of
// processors.
//
// Draws are independent and exact: Y = L U diag(e^r) U' L' with Ȳ = L L', U uniform on the orthogonal group and r drawn
// from
//
//	p(r) ∝ exp(−‖r‖²/(2σ²)) Π_{i<j} sinh(|r_i − r_j|/2)
//
// by rejection (see radial). The number of rejected proposals grows with the order and is largest near σ = 1. Any σ is
// practical up to order 10; σ ≤ 0.5 and σ ≥ 1.5 are practical up to order 22. It returns an error if none of a million
// proposals is accepted.
func RiemannGaussian(centers *spd.Stack, sigma []float64, perClass int, seed uint64) (*dataset.Data, error) {
	c, n := centers.Count, centers.Dim
	if err := centers.Validate(); err != nil {
		return nil, fmt.Errorf("centers: %w", err)
	}
	if perClass < 1 || c < 1 {
		return nil, fmt.Errorf("there are %d observations per class and %d classes; there must be at least 1 of each",
			perClass, c)
	}
	if len(sigma) != 1 && len(sigma) != c {
		return nil, fmt.Errorf("there are %d values of sigma; give one, or one for each of the %d classes",
			len(sigma), c)
	}
	for k, s := range sigma {
		if !vec.Positive(s) {
			return nil, fmt.Errorf("sigma at index %d is %g; it must be finite and above 0", k, s)
		}
	}
	var ws small.Workspace
	l := make([]float64, c*n*n)
	if err := ws.Cholesky(l, centers.Contiguous(), n, c); err != nil {
		return nil, fmt.Errorf("centers: %w", err)
	}
	d := &dataset.Data{Source: "riemann-gauss", Stack: spd.NewStack(c*perClass, n), Labels: make([]int, c*perClass)}
	d.Classes = naming.Classes(nil, c)
	return d, par.Try(c, 1, func(_, k, _ int) error {
		rng := rand.New(rand.NewPCG(seed, uint64(k)))
		if err := drawRiemann(d, k, perClass, l[k*n*n:(k+1)*n*n], sigma[k%len(sigma)], rng); err != nil {
			return fmt.Errorf("class %d (counted from 0): %w", k, err)
		}
		return nil
	})
}

// drawRiemann draws the matrices of class k.
func drawRiemann(d *dataset.Data, k, perClass int, l []float64, sigma float64, rng *rand.Rand) error {
	n := d.Stack.Dim
	var ws small.Workspace
	r, err := newRadial(n, sigma)
	if err != nil {
		return err
	}
	values, u, y := make([]float64, n), make([]float64, n*n), make([]float64, n*n)
	for i := range perClass {
		at := k*perClass + i
		d.Labels[at] = k
		if err := r.draw(values, rng); err != nil {
			return err
		}
		for j := range values {
			values[j] = math.Exp(values[j])
		}
		haar(u, n, rng)
		ws.Rebuild(y, u, values, n, 1)
		ws.Congruence(d.Stack.At(at), l, y, n, 1, false)
	}
	return nil
}

// radial draws the logarithms of the eigenvalues by rejection from one of two proposals.
//
// Small σ. With u = |r_i − r_j|/2 and v = u², g(v) = log(sinh u / u) is concave in v, because sinh u / u = Π (1 +
// v/(kπ)²). Hence g(v) ≤ g(v₀) + κ(v − v₀), κ = g'(v₀), and
//
//	Π sinh(|r_i−r_j|/2) ≤ const · Π |r_i−r_j| · exp(κ n ‖r⊥‖²/4)
//
// where r⊥ is r minus its mean. Multiplied by exp(−‖r‖²/(2σ²)), this is the distribution of the eigenvalues of a
// symmetric Gaussian matrix with variance σ² along the identity and 1/(1/σ² − κn/2) elsewhere. Any v₀ with a positive
// second variance is valid; the expected v gives the highest acceptance.
//
// Large σ. For r₁ > … > r_n, Π 2 sinh((r_i−r_j)/2) = exp(ρ·r) Π (1 − e^{−(r_i−r_j)}) with ρ_i = (n+1−2i)/2. Proposals r
// ~ N(σ²ρ, σ²I) are accepted with the last product as probability, and rejected if they are not in descending order.
type radial struct {
	n           int
	sigma       float64
	v0, g0, k   float64 // tangent of g at v₀
	spread      float64 // standard deviation of the matrix without its trace
	ordered     bool    // use the proposal for large σ
	ws          small.Workspace
	matrix, eig []float64
}

// newRadial chooses the proposal with the higher acceptance in a short trial with a fixed seed.
func newRadial(n int, sigma float64) (*radial, error) {
	r := &radial{n: n, sigma: sigma, matrix: make([]float64, n*n), eig: make([]float64, n)}
	if n == 1 {
		r.spread = sigma
		return r, nil
	}
	r.tangent()
	const trial = 2000
	var best float64
	for _, ordered := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(1, 1))
		sum := 0.0
		for range trial {
			p, err := r.propose(r.eig, ordered, rng)
			if err != nil {
				return nil, err
			}
			sum += p
		}
		if sum > best {
			best, r.ordered = sum, ordered
		}
	}
	return r, nil
}

// logSinhc returns g(v) = log(sinh √v / √v) and its derivative.
func logSinhc(v float64) (g, slope float64) {
	u := math.Sqrt(v)
	if u < 1e-2 {
		return v/6 - v*v/180, 1.0/6 - v/90
	}
	return u + math.Log1p(-math.Exp(-2*u)) - math.Log(2*u), (1/math.Tanh(u) - 1/u) / (2 * u)
}

// tangent chooses v₀ as the mean of v under its own proposal.
func (r *radial) tangent() {
	n := float64(r.n)
	mean := func(s2 float64) float64 { // E Σ_{i<j} (r_i−r_j)²/4 over the pairs
		return s2 * (n*(n+1)/2 - 1) * n / 4 / (n * (n - 1) / 2)
	}
	lo, hi := 0.0, 1.0
	variance := func(v float64) float64 { // 0 if it would not be positive
		_, k := logSinhc(v)
		return 1 / math.Max(1/(r.sigma*r.sigma)-k*n/2, 0)
	}
	for math.IsInf(variance(hi), 1) || mean(variance(hi)) > hi {
		lo, hi = hi, 2*hi
	}
	for range 60 {
		mid := (lo + hi) / 2
		if s := variance(mid); math.IsInf(s, 1) || mean(s) > mid {
			lo = mid
		} else {
			hi = mid
		}
	}
	r.v0 = hi
	r.g0, r.k = logSinhc(hi)
	r.spread = math.Sqrt(variance(hi))
}

// propose draws from a proposal and returns the probability of accepting it.
func (r *radial) propose(dst []float64, ordered bool, rng *rand.Rand) (float64, error) {
	n := r.n
	if ordered {
		for i := range dst {
			dst[i] = r.sigma*r.sigma*float64(n-1-2*i)/2 + r.sigma*rng.NormFloat64()
			if i > 0 && dst[i] >= dst[i-1] {
				return 0, nil
			}
		}
		p := 1.0
		for i := range dst {
			for j := range i {
				p *= -math.Expm1(dst[i] - dst[j])
			}
		}
		return p, nil
	}
	trace := 0.0
	for i := range n {
		for j := range i {
			v := r.spread / math.Sqrt2 * rng.NormFloat64()
			r.matrix[i*n+j], r.matrix[j*n+i] = v, v
		}
		r.matrix[i*n+i] = r.spread * rng.NormFloat64()
		trace += r.matrix[i*n+i]
	}
	shift := r.sigma*rng.NormFloat64()/math.Sqrt(float64(n)) - trace/float64(n)
	for i := range n {
		r.matrix[i*n+i] += shift
	}
	if err := r.ws.EigenValues(dst, r.matrix, n, 1); err != nil {
		return 0, err
	}
	log := 0.0
	for i := range dst {
		for j := range i {
			v := (dst[i] - dst[j]) * (dst[i] - dst[j]) / 4
			g, _ := logSinhc(v)
			log += g - r.g0 - r.k*(v-r.v0)
		}
	}
	return math.Exp(log), nil
}

// draw fills dst with one sample of the exact distribution.
func (r *radial) draw(dst []float64, rng *rand.Rand) error {
	if r.n == 1 {
		dst[0] = r.sigma * rng.NormFloat64()
		return nil
	}
	const most = 1000000
	for range most {
		p, err := r.propose(dst, r.ordered, rng)
		if err != nil {
			return err
		}
		if rng.Float64() < p {
			return nil
		}
	}
	return fmt.Errorf("none of %[3]d draws of matrices of order %[1]d at sigma %[2]g was accepted; use a smaller "+
		"order, or a sigma farther from 1", r.n, r.sigma, most)
}

// haar fills u with a uniformly distributed orthogonal matrix: Gram-Schmidt on Gaussian columns, run twice to be
// orthogonal up to rounding.
func haar(u []float64, n int, rng *rand.Rand) {
	for i := range u {
		u[i] = rng.NormFloat64()
	}
	orthonormal(u, n)
}

// orthonormal makes the columns of u orthonormal by Gram-Schmidt, starting with the first. It is not [orth.Columns],
// which adds in another order: from order 5 on, no draw would keep its bits, and generated data sets would change.
func orthonormal(u []float64, n int) {
	for j := range n {
		for range 2 {
			for k := range j {
				dot := 0.0
				for i := range n {
					dot += u[i*n+j] * u[i*n+k]
				}
				for i := range n {
					u[i*n+j] -= dot * u[i*n+k]
				}
			}
		}
		norm := 0.0
		for i := range n {
			norm += u[i*n+j] * u[i*n+j]
		}
		norm = math.Sqrt(norm)
		for i := range n {
			u[i*n+j] /= norm
		}
	}
}
