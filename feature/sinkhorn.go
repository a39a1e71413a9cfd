package feature

import (
	"math"

	"rao/internal/dense"
	"rao/internal/par"
	"rao/internal/vec"
)

// transport is the entropic optimal transport between two clouds of equally weighted
// points (Cuturi 2013),
//
//	P = argmin Σ P_ij (C_ij + ε log P_ij),  P_ij = exp((f_i + g_j - C_ij)/ε)
//
// with C the squared distances and marginals 1/n₁ and 1/n₂, and the gradient of its
// cost W = Σ P_ij C_ij. The potentials f and g, and the multipliers of the gradient, are
// kept from one call to the next, which then starts near its answer.
type transport struct {
	f, g        []float64 // potentials, in units of the cost
	alpha, beta []float64 // multipliers of the gradient
	ready       bool
}

// transportWork is scratch memory that the transports of one problem share.
type transportWork struct {
	tolerance  float64   // on the marginals and the multipliers, relative
	k          []float64 // n₁×n₂: kernel, then plan
	c          []float64 // costs of a chunk of rows for each worker
	u, v, sums []float64
	na, nb     []float64
	col        []float64 // column sums of each chunk
	row        []float64
	part       []float64 // sums over the rows of each chunk
	db         []float64 // derivative of each chunk with respect to the second cloud
}

const (
	transportChunk = 128
	// farLog is the logarithm of a plan's entry, relative to a uniform one, below which it counts as zero.
	farLog      = -30
	maxSinkhorn = 300
)

// grow returns a slice of n values, reusing s when it is long enough.
func grow(s *[]float64, n int) []float64 {
	if cap(*s) < n {
		*s = make([]float64, n)
	}
	*s = (*s)[:n]
	return *s
}

// problem is one transport with its points.
type problem struct {
	*transportWork
	t      *transport
	a, b   []float64 // n₁×m and n₂×m points
	n1, n2 int
	m      int
	eps    float64
	same   bool // both clouds are one
	rate   relaxation
}

// solve finds the plan, which then stands in w.k until the next call.
func (w *transportWork) solve(t *transport, a, b []float64, n1, n2, m int, eps float64) *problem {
	p := &problem{transportWork: w, t: t, a: a, b: b, n1: n1, n2: n2, m: m, eps: eps, same: n1 == n2 && &a[0] == &b[0]}
	chunks := par.Chunks(n1, transportChunk)
	grow(&w.k, n1*n2)
	grow(&w.c, par.Workers(n1, transportChunk)*min(transportChunk, n1)*n2)
	grow(&w.u, n1)
	grow(&w.v, n2)
	grow(&w.sums, n2)
	grow(&w.row, n1)
	grow(&w.col, chunks*n2)
	grow(&w.part, chunks)
	grow(&w.db, chunks*n2*m)
	norms := func(dst *[]float64, x []float64, n int) {
		grow(dst, n)
		for i := range n {
			(*dst)[i] = vec.Dot(x[i*m:(i+1)*m], x[i*m:(i+1)*m])
		}
	}
	norms(&w.na, a, n1)
	norms(&w.nb, b, n2)
	if t.f == nil {
		t.f, t.g = make([]float64, n1), make([]float64, n2)
	}
	if !t.ready || !p.kernel() {
		p.softmin()
		p.kernel()
	}
	p.sinkhorn()
	return p
}

// chunks runs body over chunks of rows with the squared distances of each.
func (p *problem) chunks(body func(chunk, lo, hi int, c []float64)) {
	size := min(transportChunk, p.n1) * p.n2
	par.For(p.n1, transportChunk, func(worker, lo, hi int) {
		c := p.c[worker*size : worker*size+(hi-lo)*p.n2]
		p.distances(c, lo, hi)
		body(lo/transportChunk, lo, hi, c)
	})
}

// distances writes the squared distances of rows lo to hi-1.
func (p *problem) distances(c []float64, lo, hi int) {
	n, m := p.n2, p.m
	dense.Gemm(false, true, hi-lo, n, m, -2, p.a[lo*m:], m, p.b, m, 0, c, n)
	for i := lo; i < hi; i++ {
		na := p.na[i]
		row := c[(i-lo)*n : (i-lo+1)*n]
		for j, d := range p.nb[:n] {
			row[j] = max(row[j]+na+d, 0)
		}
	}
}

// kernel computes exp((f + g - C)/ε); false when a row or a column is empty.
func (p *problem) kernel() bool {
	n := p.n2
	inv := 1 / p.eps
	p.chunks(func(chunk, lo, hi int, c []float64) {
		col := p.col[chunk*n : (chunk+1)*n]
		clear(col)
		for i := lo; i < hi; i++ {
			k, fi, sum := p.k[i*n:(i+1)*n], p.t.f[i], 0.0
			for j, d := range c[(i-lo)*n : (i-lo+1)*n] {
				if e := (fi + p.t.g[j] - d) * inv; e > farLog {
					k[j] = math.Exp(e)
					sum += k[j]
					col[j] += k[j]
				} else {
					k[j] = 0
				}
			}
			p.row[i] = sum
		}
	})
	p.columns()
	return healthy(p.row[:p.n1]) && healthy(p.sums[:n])
}

// columns adds up the chunks' column sums.
func (p *problem) columns() {
	sums := p.sums[:p.n2]
	clear(sums)
	for chunk := range par.Chunks(p.n1, transportChunk) {
		vec.Axpy(sums, 1, p.col[chunk*p.n2:(chunk+1)*p.n2])
	}
}

// healthy reports whether all values are well inside the range of a float64.
func healthy(v []float64) bool {
	for _, x := range v {
		if !(x > 1e-60 && x < 1e60) {
			return false
		}
	}
	return true
}

// softmin makes one exact step in the logarithmic domain for each potential,
//
//	f_i = -ε log Σ_j exp((g_j - C_ij)/ε),  g_j = -ε log Σ_i exp((f_i - C_ij)/ε)
//
// which no cost can overflow. Potentials are scaled so that the plan is about one in
// each row and column, not one in all.
func (p *problem) softmin() {
	n, inv := p.n2, 1/p.eps
	chunks := par.Chunks(p.n1, transportChunk)
	tops := make([]float64, chunks*n)
	p.chunks(func(chunk, lo, hi int, c []float64) {
		top, sum := tops[chunk*n:(chunk+1)*n], p.col[chunk*n:(chunk+1)*n]
		for j := range top {
			top[j], sum[j] = math.Inf(-1), 0
		}
		for i := lo; i < hi; i++ {
			row := c[(i-lo)*n : (i-lo+1)*n]
			best, s := math.Inf(-1), 0.0
			for j, d := range row {
				best = math.Max(best, (p.t.g[j]-d)*inv)
			}
			for j, d := range row {
				s += math.Exp((p.t.g[j]-d)*inv - best)
			}
			p.t.f[i] = -p.eps * (best + math.Log(s))
			for j, d := range row {
				e := (p.t.f[i] - d) * inv
				if e > top[j] {
					sum[j] = sum[j]*math.Exp(top[j]-e) + 1
					top[j] = e
				} else {
					sum[j] += math.Exp(e - top[j])
				}
			}
		}
	})
	scale := math.Log(float64(p.n1) / float64(n))
	for j := range n {
		top, sum := math.Inf(-1), 0.0
		for chunk := range chunks {
			top = math.Max(top, tops[chunk*n+j])
		}
		for chunk := range chunks {
			sum += p.col[chunk*n+j] * math.Exp(tops[chunk*n+j]-top)
		}
		p.t.g[j] = -p.eps * (top + math.Log(sum) - scale)
	}
	if p.same {
		for i, v := range p.t.g {
			p.t.f[i] = (p.t.f[i] + v) / 2
		}
		copy(p.t.g, p.t.f)
	}
}

// sinkhorn scales rows to sum 1 and columns to n₁/n₂ until both hold, folding the
// scalings into the potentials, and leaves the plan itself (summing to one) in k.
func (p *problem) sinkhorn() {
	n1, n2 := p.n1, p.n2
	u, v := p.u[:n1], p.v[:n2]
	for i := range u {
		u[i] = 1
	}
	for j := range v {
		v[j] = 1
	}
	p.rate = relaxation{factor: 1}
	for range maxSinkhorn {
		miss := p.scale(u, v, p.rate.factor)
		if !healthy(u) || !healthy(v) {
			p.absorb()
			p.softmin()
			p.kernel()
			continue
		}
		if miss < p.tolerance {
			break
		}
		p.rate.learn(miss)
	}
	if p.rate.factor != 1 {
		p.scale(u, v, 1) // columns hold exactly after a plain step
	}
	par.For(n1, transportChunk, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			s := u[i] / float64(n1)
			k := p.k[i*n2 : (i+1)*n2]
			for j := range k {
				k[j] *= s * v[j]
			}
		}
	})
	p.absorb()
	p.t.ready = true
}

// scale makes one step of Sinkhorn's iteration and returns by how much, on average, a
// row missed its sum before. With both clouds the same the scalings are kept equal,
// u ← √(u/Ku), which converges fast where alternating would be slow (Knight, Ruiz and
// Uçar 2014).
func (p *problem) scale(u, v []float64, factor float64) (miss float64) {
	n1, n2 := p.n1, p.n2
	par.For(n1, transportChunk, func(_, lo, hi int) {
		chunk := lo / transportChunk
		col, miss := p.col[chunk*n2:(chunk+1)*n2], 0.0
		clear(col)
		for i := lo; i < hi; i++ {
			k := p.k[i*n2 : (i+1)*n2]
			s := vec.Dot(k, v)
			miss += math.Abs(u[i]*s - 1)
			if p.same {
				p.row[i] = math.Sqrt(u[i] / s)
				continue
			}
			u[i] = overstep(u[i], 1/s, factor)
			vec.Axpy(col, u[i], k)
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

// overstep returns the scaling that goes factor times as far from old to next, in the
// logarithm.
func overstep(old, next, factor float64) float64 {
	if factor == 1 {
		return next
	}
	return old * math.Pow(next/old, factor)
}

// absorb moves the scalings into the potentials.
func (p *problem) absorb() {
	fold := func(potential, scaling []float64) {
		for i, s := range scaling {
			if s > 0 && !math.IsInf(s, 1) {
				potential[i] += p.eps * math.Log(s)
			}
			scaling[i] = 1
		}
	}
	fold(p.t.f, p.u[:p.n1])
	fold(p.t.g, p.v[:p.n2])
}
