package gaussian

import (
	"context"
	"math"

	"rao/internal/linalg/eig"
	"rao/internal/linalg/small"
	"rao/internal/linalg/vec"
	"rao/internal/optim"
)

// eriksen minimizes f(K) = |log G(K)|²/4 for one pair, in coordinates in which the first Gaussian is N(0, I) and the
// second N(mu, diag(lambda)).
//
// With J the exchange of the outer blocks, J G J = G⁻¹, so eigenvalues occur as pairs λ, 1/λ and a single 1. Only the m
// largest and their vectors (v1, v2, v3) are used, so the relative accuracy does not depend on how far apart the
// eigenvalues are. Then
//
//	f = Σ log² λ / 2,  ∂f/∂K = block (3,1) of log G = Σ log λ (v3 v1' - v1 v3').
type eriksen struct {
	m, n       int
	lambda, mu []float64
	v          []float64 // whitening map: x ↦ v'(x - mean)
	scale      []float64 // step of one unit in each free entry of K
	k, p, pd   []float64 // K, the block -μμ'/2 + K, the same times diag(1/λ)
	g          []float64 // G, then its eigenvectors in columns
	values     []float64
	work       []float64
	start      []float64
	solver     *optim.Solver
	problem    optim.Problem
	left       []float64
}

func newEriksen(m int) *eriksen {
	n, free := 2*m+1, m*(m-1)/2
	e := &eriksen{m: m, n: n, lambda: make([]float64, m), mu: make([]float64, m), v: make([]float64, m*m),
		scale: make([]float64, free), k: make([]float64, m*m), p: make([]float64, m*m), pd: make([]float64, m*m),
		g: make([]float64, n*n), values: make([]float64, n), work: make([]float64, eig.WorkLen(n)),
		start: make([]float64, free), left: make([]float64, m*m)}
	if free > 0 {
		solver, err := optim.NewSolver(free, optim.Options{Memory: 12, MaxIterations: 300,
			GradientTolerance: 3e-7, FunctionTolerance: 1e-14, Patience: 1, Curvature: 0.5, MaxTrials: 8})
		if err != nil {
			panic(err) // the options are constants, so this cannot fail
		}
		e.solver, e.problem = solver, optim.Function(free, e.evaluate)
	}
	return e
}

// whiten diagonalizes the pair: S_b V = S_a V diag(λ), V'S_a V = I.
func (e *eriksen) whiten(w *small.Workspace, meanA, covA, meanB, covB []float64) error {
	m := e.m
	if err := w.Generalized(e.lambda, e.v, covB, covA, m, 1); err != nil {
		return err
	}
	for j := range m {
		var s float64
		for i := range m {
			s += e.v[i*m+j] * (meanB[i] - meanA[i])
		}
		e.mu[j] = s
	}
	q := 0
	for a := range m {
		for b := a + 1; b < m; b++ {
			e.scale[q] = 1 / math.Sqrt(curvatureAt(e.lambda[a]*e.lambda[b]))
			q++
		}
	}
	return nil
}

// begin starts the search at the K given in the Gaussians' coordinates, which is V'KV in the whitened coordinates.
func (e *eriksen) begin(w *small.Workspace, k []float64) {
	m, q := e.m, 0
	w.Mul(e.left, k, e.v, false, false, m, 1)
	w.Mul(e.k, e.v, e.left, true, false, m, 1)
	for a := range m {
		for b := a + 1; b < m; b++ {
			e.start[q] = e.k[a*m+b] / e.scale[q]
			q++
		}
	}
}

// keep stores the K of the last evaluation in the Gaussians' coordinates: (S_a V) K (S_a V)', because V⁻ᵀ = S_a V.
func (e *eriksen) keep(w *small.Workspace, dst, covA []float64) {
	sv, half := e.p, e.pd // free after an evaluation
	w.Mul(sv, covA, e.v, false, false, e.m, 1)
	w.Mul(half, sv, e.k, false, false, e.m, 1)
	w.Mul(dst, half, sv, false, true, e.m, 1)
}

// curvatureAt returns the second derivative of f with respect to the entry (a,b) of K for equal means, 2 log(x)/(x-1)
// with x = λ_a λ_b.
func curvatureAt(x float64) float64 {
	if math.Abs(x-1) < 1e-8 {
		return 2
	}
	return 2 * math.Log(x) / (x - 1)
}

// minimize returns the squared distance and leaves the eigendecomposition of the best G in place.
func (e *eriksen) minimize() (float64, error) {
	if e.solver == nil {
		return e.evaluate(nil, nil), nil
	}
	r, err := e.solver.Run(context.Background(), e.problem, nil, e.start)
	if err != nil {
		return 0, err
	}
	return e.evaluate(r.X, nil), nil
}

// evaluate computes f at K = scale * x, and its gradient if grad is not nil.
func (e *eriksen) evaluate(x, grad []float64) float64 {
	e.assemble(x)
	if err := eig.Sym(e.values, e.g, e.n, true, e.work); err != nil {
		return math.NaN()
	}
	m, n := e.m, e.n
	var f float64
	for t := m + 1; t < n; t++ {
		l := math.Log(e.values[t])
		f += l * l / 2
	}
	if grad == nil {
		return f
	}
	clear(grad)
	for t := m + 1; t < n; t++ {
		l, q := 2*math.Log(e.values[t]), 0
		for a := range m {
			a1, a3 := e.g[a*n+t], e.g[(m+1+a)*n+t]
			for b := a + 1; b < m; b++ {
				grad[q] += l * (a3*e.g[b*n+t] - a1*e.g[(m+1+b)*n+t])
				q++
			}
		}
	}
	for q := range grad {
		grad[q] *= e.scale[q]
	}
	return f
}

func (e *eriksen) assemble(x []float64) {
	m, n := e.m, e.n
	q := 0
	for a := range m {
		e.k[a*m+a] = 0
		for b := a + 1; b < m; b++ {
			v := e.scale[q] * x[q]
			e.k[a*m+b], e.k[b*m+a] = v, -v
			q++
		}
	}
	for a := range m {
		for b := range m {
			v := e.k[a*m+b] - e.mu[a]*e.mu[b]/2
			e.p[a*m+b], e.pd[a*m+b] = v, v/e.lambda[b]
		}
	}
	clear(e.g)
	set := func(r, c int, v float64) { e.g[r*n+c], e.g[c*n+r] = v, v }
	middle := 1.0
	for a := range m {
		set(a, a, 1/e.lambda[a])
		set(m, a, e.mu[a]/e.lambda[a])
		middle += e.mu[a] * e.mu[a] / e.lambda[a]
	}
	set(m, m, middle)
	for a := range m {
		r := m + 1 + a
		row := e.pd[a*m : (a+1)*m]
		s := -e.mu[a]
		for b, v := range row {
			set(r, b, v)
			s += v * e.mu[b]
		}
		set(r, m, s)
		for b := range a + 1 {
			s := e.mu[a] * e.mu[b]
			for c, v := range row {
				s += v * e.p[b*m+c]
			}
			if a == b {
				s += e.lambda[a]
			}
			set(r, m+1+b, s)
		}
	}
}

// endpoints writes the gradient of the squared distance with respect to both Gaussians, from the eigendecomposition
// that minimize left. At the first Gaussian, the velocity of the geodesic is (log G)_12 for the mean and -(log G)_11
// for the covariance; at the second it follows from (G log G)_11 and _12. By the envelope theorem K is held constant.
func (e *eriksen) endpoints(w *small.Workspace, meanA, covA, meanB, covB []float64) {
	m, n := e.m, e.n
	ma, mb := e.work[:m], e.work[m:2*m]
	clear(ma)
	clear(mb)
	ca, cb := e.k, e.p
	clear(ca)
	clear(cb)
	for t := m + 1; t < n; t++ {
		value := e.values[t]
		l := math.Log(value)
		up, down := value*l, l/value
		v2 := e.g[m*n+t]
		for a := range m {
			a1, a3 := e.g[a*n+t], e.g[(m+1+a)*n+t]
			ma[a] -= 2 * l * v2 * (a1 - a3)
			mb[a] += 2 * v2 * (up*a1 - down*a3)
			for b := range m {
				b1, b3 := e.g[b*n+t], e.g[(m+1+b)*n+t]
				ca[a*m+b] += l * (a1*b1 - a3*b3)
				cb[a*m+b] -= up*a1*b1 - down*a3*b3
			}
		}
	}
	for a := range m { // 2(δ' - Δ'μ), cb = -Δ'
		for b, x := range e.mu {
			mb[a] += 2 * cb[a*m+b] * x
		}
	}
	e.unwhiten(w, meanA, covA, ma, ca)
	e.unwhiten(w, meanB, covB, mb, cb)
}

// unwhiten writes V g and V H V'.
func (e *eriksen) unwhiten(w *small.Workspace, mean, cov, g, h []float64) {
	m := e.m
	for i := range m {
		mean[i] = vec.Dot(e.v[i*m:(i+1)*m], g)
	}
	w.Mul(e.left, e.v, h, false, false, m, 1)
	w.Mul(cov, e.left, e.v, false, true, m, 1)
	vec.Symmetrize(cov, m)
}
