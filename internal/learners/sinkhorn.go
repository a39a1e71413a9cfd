package learners

import (
	"math"

	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// transport is the entropic optimal transport between two clouds of equally weighted points (Cuturi 2013),
//
//	P = argmin Σ P_ij (C_ij + ε log P_ij),  P_ij = exp((f_i + g_j - C_ij)/ε)
//
// with C the squared distances and marginals 1/n₁ and 1/n₂. It also computes the gradient of the cost W = Σ P_ij C_ij.
// The potentials f and g, the multipliers of the gradient and the relaxation factor are stored, so the next call starts
// close to the solution.
type transport struct {
	f, g        []float64 // potentials, in units of the cost
	alpha, beta []float64 // multipliers of the gradient; see gradient
	factor      float64   // relaxation factor
	ready       bool
}

// transportWork is scratch memory shared by the transports of one problem.
type transportWork struct {
	tolerance   float64   // relative tolerance on the marginals and the multipliers
	k           entries   // n₁×n₂: exp((f + g - C)/ε) for the potentials at the last call of absorb
	c           []float64 // one tile per worker
	left, right []float64 // factors of the tiles: n₁×(m+2) and n₂×(m+2)
	u, v        []float64 // scalings: the plan is u_i k_ij v_j
	sums, weigh []float64
	na, nb      []float64
	col         []float64 // column sums of each chunk
	row         []float64
	part        []float64      // sum over the rows of each chunk
	db          []float64      // derivative with respect to the second cloud, for each chunk
	coarse      *transportWork // scratch memory of the transport between a subset of the points
	stop        func() bool    // if it returns true, iterations end early; nil: never
}

func (w *transportWork) stopped() bool { return w.stop != nil && w.stop() }

const (
	// Entries of a plan are set to zero if their logarithm, relative to a uniform plan, is below farLog.
	farLog      = -30
	maxSinkhorn = 300
	// drift is the largest scaling before scalings are absorbed into the potentials. With larger scalings, entries that
	// were set to zero might not be negligible.
	drift = 1e4
)

// problem is an optimal transport between two sets of points.
type problem struct {
	*transportWork
	t      *transport
	a, b   []float64 // n₁×m and n₂×m points
	n1, n2 int
	m      int
	eps    float64
	same   bool // both clouds are the same
	rate   relaxation
}

// solve finds the plan u_i k_ij v_j. The plan is stored in w until the next call.
func (w *transportWork) solve(t *transport, a, b []float64, n1, n2, m int, eps float64) *problem {
	p := &problem{transportWork: w, t: t, a: a, b: b, n1: n1, n2: n2, m: m, eps: eps, same: n1 == n2 && &a[0] == &b[0]}
	chunks := par.Chunks(n1, transportChunk)
	w.k.grow(n1 * n2)
	vec.Room(&w.c, par.Workers(max(n1, n2), transportChunk)*transportChunk*transportTile)
	vec.Room(&w.u, n1)
	vec.Room(&w.v, n2)
	vec.Room(&w.sums, n2)
	vec.Room(&w.weigh, n2)
	vec.Room(&w.row, n1)
	vec.Room(&w.col, chunks*n2)
	vec.Room(&w.part, chunks)
	norms(vec.Room(&w.na, n1), a, m)
	norms(vec.Room(&w.nb, n2), b, m)
	if t.f == nil {
		t.f, t.g, t.factor = make([]float64, n1), make([]float64, n2), 1
	}
	if !t.ready && !p.fromCoarse() {
		p.softmin()
	}
	p.sinkhorn()
	return p
}

// kernel computes exp((f + g - C)/ε) and sets the scalings to one.
func (p *problem) kernel() {
	inv := 1 / p.eps
	p.factors(inv, scaled(inv, p.t.f), scaled(inv, p.t.g))
	p.tiles(func(t tile) {
		vec.Exp(t.c, farLog)
		for i := t.lo; i < t.hi; i++ {
			p.k.set(i*p.n2+t.from, t.row(i))
		}
	})
	ones(p.u[:p.n1])
	ones(p.v[:p.n2])
}

func ones(v []float64) {
	for i := range v {
		v[i] = 1
	}
}

// columns adds the column sums of all chunks.
func (p *problem) columns() {
	sums := p.sums[:p.n2]
	clear(sums)
	for chunk := range par.Chunks(p.n1, transportChunk) {
		vec.Axpy(sums, 1, p.col[chunk*p.n2:(chunk+1)*p.n2])
	}
}

// within reports whether all values are between 1/bound and bound.
func within(v []float64, bound float64) bool {
	for _, x := range v {
		if !(x > 1/bound && x < bound) {
			return false
		}
	}
	return true
}

// sinkhorn scales the rows to sums of 1 and the columns to sums of n₁/n₂, in turn, until both are satisfied. It then
// absorbs the scalings into the potentials, and scales u so that the plan sums to one.
func (p *problem) sinkhorn() {
	u, v := p.u[:p.n1], p.v[:p.n2]
	p.kernel()
	p.rate = relaxation{factor: p.t.factor}
	for range maxSinkhorn {
		if p.stopped() {
			break
		}
		miss := p.scale(u, v, p.rate.factor)
		if !within(u, 1e60) || !within(v, 1e60) { // the scalings are useless; start again with exact steps
			p.absorb()
			p.softmin()
			p.kernel()
			p.rate = relaxation{factor: 1}
			continue
		}
		if miss < p.tolerance {
			if within(u, drift) && within(v, drift) {
				break
			}
			p.absorb()
			p.kernel()
			continue
		}
		p.rate.learn(miss)
	}
	if p.rate.factor != 1 {
		p.scale(u, v, 1) // a step without relaxation makes the column sums exact
	}
	p.absorb()
	for i := range u {
		u[i] /= float64(p.n1)
	}
	p.t.ready, p.t.factor = true, p.rate.factor
}

// scale makes one step of Sinkhorn's iteration and returns the mean error of the row sums before the step. If both
// clouds are the same, both scalings are set to √(u/Ku). This converges fast, whereas alternating steps would be slow
// (Knight, Ruiz and Uçar 2014).
func (p *problem) scale(u, v []float64, factor float64) (miss float64) {
	n1, n2 := p.n1, p.n2
	par.For(n1, transportChunk, func(_, lo, hi int) {
		chunk := lo / transportChunk
		col, miss := p.col[chunk*n2:(chunk+1)*n2], 0.0
		clear(col)
		for i := lo; i < hi; i++ {
			s := p.k.dot(i*n2, v)
			miss += math.Abs(u[i]*s - 1)
			if p.same {
				p.row[i] = math.Sqrt(u[i] / s)
				continue
			}
			u[i] = overstep(u[i], 1/s, factor)
			p.k.axpy(col, u[i], i*n2)
		}
		p.part[chunk] = miss
	})
	for _, x := range p.part[:par.Chunks(n1, transportChunk)] {
		miss += x / float64(n1)
	}
	if p.same {
		copy(u, p.row[:n1])
		copy(v, u)
		return miss
	}
	p.columns()
	want := float64(n1) / float64(n2)
	for j, s := range p.sums[:n2] {
		v[j] = overstep(v[j], want/s, factor)
	}
	return miss
}

// overstep returns the value that is factor times as far from old as next is, on the logarithmic scale.
func overstep(old, next, factor float64) float64 {
	if factor == 1 {
		return next
	}
	return old * math.Pow(next/old, factor)
}

// absorb adds the scalings to the potentials. Call kernel afterwards; until then, both the kernel and the potentials
// contain the scalings.
func (p *problem) absorb() {
	fold := func(potential, scaling []float64) {
		for i, s := range scaling {
			if vec.Positive(s) {
				potential[i] += p.eps * math.Log(s)
			}
		}
	}
	fold(p.t.f, p.u[:p.n1])
	fold(p.t.g, p.v[:p.n2])
}
