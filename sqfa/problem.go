package sqfa

import (
	"math"

	"rao/gaussian"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/optim"
	"rao/internal/par"
)

// refreshEvery is the number of iterations after which the projected statistics are recomputed from the filters to
// avoid drift.
const refreshEvery = 25

// rowGrain is the number of data dimensions that one goroutine processes at a time.
const rowGrain = 64

// problem is the objective as a function of the free filters. It reads the statistics once per iteration.
//
// T_i = Φ_i F is stored for the current point. For a direction D, computing U_i = Φ_i D is the only pass. Along F(t) =
// (F + t D) N(t),
//
//	T_i(t) = (T_i + t U_i) N,
//	S_i(t) = N' (F'T_i + t (F'U_i + U_i'F) + t² D'U_i) N + σ² I,
//	μ_i(t) = N' (F'g_i + t D'g_i),
//
// so a trial point costs m×m operations and no pass. The first `fixed` columns of F do not move; D and N are for the k
// columns after them. The T_i are stored side by side, with row r of all classes together, so sums over classes are
// single products.
type problem struct {
	stats      *gaussian.Statistics
	covs       *dense.Stack
	c, n, m    int
	fixed, k   int
	noise      float64
	constraint Constraint
	obj        *objective
	curve      *optim.Curve
	passes     int
	steps      int     // steps since the last refresh
	t          float64 // t of the last evaluation
	err        error   // error of the last evaluation

	f, d, free  []float64 // F (n×m), D and the free columns of F (n×k)
	both        []float64 // [F D], n×(m+k)
	t0, u       []float64 // T (n×cm) and U (n×ck), classes side by side
	a, bm, cm   []float64 // coefficients of S_i(t) before multiplication by N, c×m×m
	mu0, mu1    []float64 // F'g_i and D'g_i, c×m
	full, dfull []float64 // N and its derivative bordered by the identity, m×m
	tmp, tmp2   []float64 // m×m
	half, stack []float64 // m×m, cm×k
	mid, s, mu  []float64 // trial point: A + tB + t²C, S and μ
	gs, gm      []float64 // gradient at the trial point
	cross       []float64 // products with all classes, (m+k)×cm
}

// newProblem returns the problem for m filters. The first p filters, given by fixed (n×p), do not move.
func newProblem(stats *gaussian.Statistics, o plan, m int, fixed []float64) *problem {
	c, n := stats.NumClasses(), stats.Dim
	p := len(fixed) / n
	k := m - p
	q := &problem{stats: stats, covs: dense.NewStack(c, n, stats.Covariances), c: c, n: n, m: m, fixed: p, k: k,
		noise: o.Noise, constraint: o.Constraint, obj: newObjective(o, c, m)}
	buf := make([]float64, n*m+2*n*k+n*(m+k)+c*n*m+c*n*k+6*c*m*m+4*c*m+5*m*m+c*m*k+(m+k)*c*m)
	cut := func(size int) []float64 {
		out := buf[:size:size]
		buf = buf[size:]
		return out
	}
	q.f, q.d, q.free, q.both = cut(n*m), cut(n*k), cut(n*k), cut(n*(m+k))
	q.t0, q.u = cut(c*n*m), cut(c*n*k)
	q.a, q.bm, q.cm, q.mid, q.s, q.gs = cut(c*m*m), cut(c*m*m), cut(c*m*m), cut(c*m*m), cut(c*m*m), cut(c*m*m)
	q.mu0, q.mu1, q.mu, q.gm = cut(c*m), cut(c*m), cut(c*m), cut(c*m)
	q.full, q.dfull, q.tmp, q.tmp2, q.half = cut(m*m), cut(m*m), cut(m*m), cut(m*m), cut(m*m)
	q.stack, q.cross = cut(c*m*k), cut((m+k)*c*m)
	for r := range n {
		copy(q.f[r*m:r*m+p], fixed[r*p:(r+1)*p])
	}
	return q
}

// pass computes Φ_i X for every class, X n×k, and writes the classes side by side to dst (n×ck).
func (q *problem) pass(dst, x []float64, k int) {
	q.covs.Project(k, x, k, dst, q.c*k)
	q.passes++
}

// project computes T from F: one pass.
func (q *problem) project() {
	q.pass(q.t0, q.f, q.m)
	q.steps = 0
	m, w := q.m, q.c*q.m
	dense.Gemm(true, false, m, w, q.n, 1, q.f, m, q.t0, w, 0, q.cross, w)
	for i := range q.c {
		a := q.a[i*m*m : (i+1)*m*m]
		for r := range m {
			copy(a[r*m:(r+1)*m], q.cross[r*w+i*m:])
		}
		vec.Symmetrize(a, m)
	}
	dense.Gemm(false, false, q.c, m, q.n, 1, q.stats.Means, q.n, q.f, m, 0, q.mu0, m)
}

// setFree writes the free columns x (n×k) into F.
func (q *problem) setFree(x []float64) {
	for r := range q.n {
		copy(q.f[r*q.m+q.fixed:(r+1)*q.m], x[r*q.k:(r+1)*q.k])
	}
}

// Start implements optim.Problem.
func (q *problem) Start(x, grad []float64) (float64, error) {
	v, err := q.at(x)
	if err != nil {
		return math.NaN(), err
	}
	copy(q.free, x)
	q.obj.gradient(q.gm, q.gs)
	q.advance(grad, nil)
	return -v, nil
}

// at moves to the free filters x and returns the objective: one pass.
func (q *problem) at(x []float64) (float64, error) {
	q.setFree(x)
	q.project()
	copy(q.s, q.a)
	q.addNoise(q.s, q.noise)
	copy(q.mu, q.mu0)
	return q.obj.value(q.mu, q.s)
}

// addNoise adds v to the diagonals of c m×m matrices.
func (q *problem) addNoise(a []float64, v float64) {
	for i := range q.c {
		for j := range q.m {
			a[(i*q.m+j)*q.m+j] += v
		}
	}
}

// Search implements optim.Problem. It reads the statistics once, which is the only pass of an iteration.
func (q *problem) Search(x, d []float64) error {
	copy(q.d, d)
	q.pass(q.u, q.d, q.k)
	q.curve.Set(x, q.d)
	m, k, p := q.m, q.k, q.fixed
	for r := range q.n {
		copy(q.both[r*(m+k):], q.f[r*m:(r+1)*m])
		copy(q.both[r*(m+k)+m:], q.d[r*k:(r+1)*k])
	}
	w := q.c * k
	dense.Gemm(true, false, m+k, w, q.n, 1, q.both, m+k, q.u, w, 0, q.cross, w)
	clear(q.bm)
	for i := range q.c {
		b, c := q.bm[i*m*m:(i+1)*m*m], q.cm[i*m*m:(i+1)*m*m]
		for r := range m { // F'U
			for j, v := range q.cross[r*w+i*k : r*w+(i+1)*k] {
				b[r*m+p+j] += v
				b[(p+j)*m+r] += v
			}
		}
		for r := range k { // D'U
			for j := range k {
				c[(p+r)*m+p+j] = (q.cross[(m+r)*w+i*k+j] + q.cross[(m+j)*w+i*k+r]) / 2
			}
		}
	}
	dense.Gemm(false, false, q.c, k, q.n, 1, q.stats.Means, q.n, q.d, k, 0, q.mu1[p:], m)
	return nil
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

// advance moves T to (T + t U) N if t is given, and writes minus the gradient of the objective with respect to the
// free filters,
//
//	2 Σ_i T_i ∂S_i + g_i ∂μ_i'.
func (q *problem) advance(grad []float64, t *float64) {
	m, k, p := q.m, q.k, q.fixed
	if t != nil {
		q.moveT(*t)
	}
	for i := range q.c {
		for h := range m {
			copy(q.stack[(i*m+h)*k:(i*m+h+1)*k], q.gs[(i*m+h)*m+p:])
		}
	}
	w := q.c * m
	dense.Gemm(false, false, q.n, k, w, -2, q.t0, w, q.stack, k, 0, grad, k)
	dense.Gemm(true, false, q.n, k, q.c, -1, q.stats.Means, q.n, q.gm[p:], m, 1, grad, k)
}

// moveT overwrites the free columns of every T_i with (T_i + t U_i) N, where N is diagonal or upper triangular.
func (q *problem) moveT(t float64) {
	if q.fixed == 0 && !q.triangular() {
		q.scaleT(t)
		return
	}
	m, k, p := q.m, q.k, q.fixed
	n := q.curve.N
	triangular := q.triangular()
	par.For(q.n, rowGrain, func(_, lo, hi int) {
		for b := lo * q.c; b < hi*q.c; b++ {
			tr, ur := q.t0[b*m+p:(b+1)*m], q.u[b*k:(b+1)*k]
			for j, v := range ur {
				tr[j] += t * v
			}
			if !triangular {
				for j := range tr {
					tr[j] *= n[j*k+j]
				}
				continue
			}
			for j := k - 1; j >= 0; j-- {
				var s float64
				for h := 0; h <= j; h++ {
					s += tr[h] * n[h*k+j]
				}
				tr[j] = s
			}
		}
	})
}

// scaleT replaces moveT for a diagonal N if all columns are free. It processes complete rows.
func (q *problem) scaleT(t float64) {
	w := q.c * q.m
	scales := q.stack[:w]
	for b := range scales {
		j := b % q.m
		scales[b] = q.curve.N[j*q.k+j]
	}
	par.For(q.n, rowGrain, func(_, lo, hi int) {
		vec.Axpy(q.t0[lo*w:hi*w], t, q.u[lo*w:hi*w])
		for r := lo; r < hi; r++ {
			vec.Times(q.t0[r*w:(r+1)*w], scales)
		}
	})
}
