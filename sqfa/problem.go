package sqfa

import (
	"math"

	"rao/gaussian"
	"rao/internal/dense"
	"rao/internal/optim"
	"rao/internal/par"
)

// refreshEvery is the number of iterations after which the projected statistics
// are computed from the filters again, against drift.
const refreshEvery = 25

// rowGrain is the number of data dimensions that one goroutine takes at a time.
const rowGrain = 64

// problem is the objective as a function of the free filters. It reads the
// statistics once an iteration.
//
// T_i = Φ_i F is kept for the current point. For a direction D, U_i = Φ_i D is the
// only pass. Along F(t) = (F + t D) N(t),
//
//	T_i(t) = (T_i + t U_i) N,
//	S_i(t) = N' (F'T_i + t (F'U_i + U_i'F) + t² D'U_i) N + σ² I,
//	μ_i(t) = N' (F'g_i + t D'g_i),
//
// so a trial point costs m×m work and no pass. The first `fixed` columns of F do
// not move; D and N concern the k columns after them.
type problem struct {
	stats          *gaussian.Statistics
	c, n, m        int
	fixed, k       int
	noise          float64
	obj            *objective
	curve          *optim.Curve
	passes         int
	steps          int // taken since the last refresh
	t              float64
	err            error     // of the last evaluation
	f, t0          []float64 // F (n×m) and T (c×n×m)
	d, u           []float64 // D (n×k) and U (c×n×k)
	free           []float64 // the free columns of F, n×k
	a, bm, cm      []float64 // coefficients of S_i(t) before N, c×m×m
	mu0, mu1       []float64 // F'g_i and D'g_i, c×m
	full, dfull    []float64 // N and N' bordered by the identity, m×m
	mid, tmp, tmp2 []float64
	s, mu          []float64 // trial point
	gs, gm         []float64 // gradient there
	cross          []float64
}

// newProblem serves m filters of which the leading ones given by fixed (n×p) do
// not move.
func newProblem(stats *gaussian.Statistics, o Options, m int, fixed []float64) *problem {
	c, n := stats.NumClasses(), stats.Dim
	p := len(fixed) / n
	k := m - p
	q := &problem{stats: stats, c: c, n: n, m: m, fixed: p, k: k, noise: o.Noise, obj: newObjective(o, c, m)}
	q.f, q.t0 = make([]float64, n*m), make([]float64, c*n*m)
	q.d, q.u, q.free = make([]float64, n*k), make([]float64, c*n*k), make([]float64, n*k)
	q.a, q.bm, q.cm = make([]float64, c*m*m), make([]float64, c*m*m), make([]float64, c*m*m)
	q.mu0, q.mu1, q.mu, q.gm = make([]float64, c*m), make([]float64, c*m), make([]float64, c*m), make([]float64, c*m)
	q.s, q.gs = make([]float64, c*m*m), make([]float64, c*m*m)
	q.full, q.dfull, q.mid, q.tmp, q.tmp2 = make([]float64, m*m), make([]float64, m*m), make([]float64, m*m), make([]float64, m*m), make([]float64, m*m)
	q.cross = make([]float64, m*k)
	for r := range n {
		copy(q.f[r*m:r*m+p], fixed[r*p:(r+1)*p])
	}
	return q
}

// project computes T from F: one pass.
func (q *problem) project() {
	dense.ProjectMany(q.c, q.n, q.m, q.stats.Covariances, q.f, q.m, q.t0)
	q.passes++
	q.steps = 0
	for i := range q.c {
		a := q.a[i*q.m*q.m : (i+1)*q.m*q.m]
		innerProduct(a, q.f, q.m, q.t0[i*q.n*q.m:], q.m, q.n)
		symmetrise(a, q.m)
		rowTimes(q.mu0[i*q.m:(i+1)*q.m], q.stats.Mean(i), q.f, q.m)
	}
}

// setFree writes the free columns x (n×k) into F.
func (q *problem) setFree(x []float64) {
	for r := range q.n {
		copy(q.f[r*q.m+q.fixed:(r+1)*q.m], x[r*q.k:(r+1)*q.k])
	}
}

// Start implements optim.Problem.
func (q *problem) Start(x, grad []float64) (float64, error) {
	q.setFree(x)
	copy(q.free, x)
	q.project()
	copy(q.s, q.a)
	q.addNoise(q.s, q.noise)
	copy(q.mu, q.mu0)
	v, err := q.obj.value(q.mu, q.s)
	if err != nil {
		return math.NaN(), err
	}
	q.obj.gradient(q.gm, q.gs)
	q.advance(grad, nil)
	return -v, nil
}

// addNoise adds v to the diagonals of c m×m matrices.
func (q *problem) addNoise(a []float64, v float64) {
	for i := range q.c {
		for j := range q.m {
			a[(i*q.m+j)*q.m+j] += v
		}
	}
}

// Search implements optim.Problem: the one pass of an iteration.
func (q *problem) Search(x, d []float64) error {
	copy(q.d, d)
	dense.ProjectMany(q.c, q.n, q.k, q.stats.Covariances, q.d, q.k, q.u)
	q.passes++
	q.curve.Set(x, q.d)
	m, k, p := q.m, q.k, q.fixed
	clear(q.bm)
	clear(q.cm)
	for i := range q.c {
		b, c := q.bm[i*m*m:(i+1)*m*m], q.cm[i*m*m:(i+1)*m*m]
		u := q.u[i*q.n*k:]
		innerProduct(q.cross, q.f, m, u, k, q.n) // F'U, m×k
		for r := range m {
			for j := range k {
				b[r*m+p+j] += q.cross[r*k+j]
				b[(p+j)*m+r] += q.cross[r*k+j]
			}
		}
		innerProduct(q.cross[:k*k], q.d, k, u, k, q.n) // D'U, k×k
		for r := range k {
			for j := range k {
				c[(p+r)*m+p+j] = (q.cross[r*k+j] + q.cross[j*k+r]) / 2
			}
		}
		rowTimes(q.mu1[i*m+p:(i+1)*m], q.stats.Mean(i), q.d, k)
	}
	return nil
}

// Along implements optim.Problem.
func (q *problem) Along(t float64) (value, slope float64) {
	q.t = t
	if !q.curve.At(t) {
		return math.NaN(), math.NaN()
	}
	q.border()
	m, mm := q.m, q.m*q.m
	for i := range q.c {
		a, b, c := q.a[i*mm:(i+1)*mm], q.bm[i*mm:(i+1)*mm], q.cm[i*mm:(i+1)*mm]
		for j := range q.mid {
			q.mid[j] = a[j] + t*(b[j]+t*c[j])
		}
		s := q.s[i*mm : (i+1)*mm]
		multiply(q.tmp, q.mid, q.full, m)
		multiplyLeftT(s, q.full, q.tmp, m)
		symmetrise(s, m)
		mu := q.mu[i*m : (i+1)*m]
		for j := range mu {
			var v float64
			for h := range m {
				v += (q.mu0[i*m+h] + t*q.mu1[i*m+h]) * q.full[h*m+j]
			}
			mu[j] = v
		}
	}
	q.addNoise(q.s, q.noise)
	v, err := q.obj.value(q.mu, q.s)
	if q.err = err; err != nil {
		return math.NaN(), math.NaN()
	}
	q.obj.gradient(q.gm, q.gs)
	return -v, -q.slope(t)
}

// border writes N and its derivative with the identity for the fixed columns.
func (q *problem) border() {
	clear(q.full)
	clear(q.dfull)
	for j := range q.fixed {
		q.full[j*q.m+j] = 1
	}
	for r := range q.k {
		at := (q.fixed+r)*q.m + q.fixed
		copy(q.full[at:at+q.k], q.curve.N[r*q.k:(r+1)*q.k])
		copy(q.dfull[at:at+q.k], q.curve.DN[r*q.k:(r+1)*q.k])
	}
}

// slope returns the derivative of the objective in t at the last trial point:
// Σ_i <∂S_i, dS_i/dt> + <∂μ_i, dμ_i/dt> with, for M = A + tB + t²C,
//
//	dS/dt = N'(B + 2tC)N + N'M N' + its transpose.
func (q *problem) slope(t float64) float64 {
	m, mm := q.m, q.m*q.m
	var sum float64
	for i := range q.c {
		a, b, c := q.a[i*mm:(i+1)*mm], q.bm[i*mm:(i+1)*mm], q.cm[i*mm:(i+1)*mm]
		for j := range q.mid {
			q.mid[j] = a[j] + t*(b[j]+t*c[j])
		}
		multiply(q.tmp, q.mid, q.dfull, m) // M N'
		for j := range q.mid {
			q.mid[j] = (b[j] + 2*t*c[j]) / 2
		}
		multiply(q.tmp2, q.mid, q.full, m)
		for j := range q.tmp {
			q.tmp[j] += q.tmp2[j]
		}
		multiplyLeftT(q.mid, q.full, q.tmp, m)
		for j, g := range q.gs[i*mm : (i+1)*mm] {
			sum += 2 * g * q.mid[j]
		}
		for j, g := range q.gm[i*m : (i+1)*m] {
			var v float64
			for h := range m {
				v += q.mu1[i*m+h]*q.full[h*m+j] + (q.mu0[i*m+h]+t*q.mu1[i*m+h])*q.dfull[h*m+j]
			}
			sum += g * v
		}
	}
	return sum
}

// Take implements optim.Problem.
func (q *problem) Take(t float64, x, grad []float64) error {
	if t != q.t || q.err != nil {
		if q.Along(t); q.err != nil {
			return q.err
		}
	}
	q.curve.Point(q.free, q.free, q.d, t)
	copy(x, q.free)
	q.setFree(q.free)
	if q.steps++; q.steps >= refreshEvery {
		q.project()
		q.advance(grad, nil)
		return nil
	}
	copy(q.a, q.s)
	q.addNoise(q.a, -q.noise)
	copy(q.mu0, q.mu)
	q.advance(grad, &t)
	return nil
}

// advance moves T to (T + t U) N when t is given, and writes minus the gradient of
// the objective in the free filters,
//
//	2 Σ_i T_i ∂S_i + g_i ∂μ_i'.
func (q *problem) advance(grad []float64, t *float64) {
	m, k, p := q.m, q.k, q.fixed
	par.For(q.n, rowGrain, func(_, lo, hi int) {
		row := make([]float64, k)
		for r := lo; r < hi; r++ {
			g := grad[r*k : (r+1)*k]
			clear(g)
			for i := range q.c {
				tr := q.t0[(i*q.n+r)*m : (i*q.n+r+1)*m]
				if t != nil {
					ur := q.u[(i*q.n+r)*k : (i*q.n+r+1)*k]
					for j := range row {
						row[j] = tr[p+j] + *t*ur[j]
					}
					timesN(tr[p:], row, q.curve.N, k)
				}
				gs := q.gs[i*m*m : (i+1)*m*m]
				for h, v := range tr {
					v *= 2
					for j, w := range gs[h*m+p : (h+1)*m] {
						g[j] -= v * w
					}
				}
				x := q.stats.Means[i*q.n+r]
				for j, w := range q.gm[i*m+p : (i+1)*m] {
					g[j] -= x * w
				}
			}
		}
	})
}

// timesN writes row N for an upper triangular or diagonal N.
func timesN(dst, row, n []float64, k int) {
	for j := range k {
		var s float64
		for h := 0; h <= j; h++ {
			s += row[h] * n[h*k+j]
		}
		dst[j] = s
	}
}
