package feature

import (
	"math"

	"rao/internal/dense"
	"rao/internal/par"
	"rao/internal/vec"
)

// gradient returns W and adds its derivative with respect to the points to da and db,
// which may be the same slice. By the implicit function theorem, with α and β solving
//
//	p_i α_i + Σ_j P_ij β_j = Σ_j P_ij C_ij,  Σ_i P_ij α_i + q_j β_j = Σ_i P_ij C_ij
//
// (p and q the marginals), dW = Σ G_ij dC_ij with G_ij = P_ij (1 - (C_ij - α_i - β_j)/ε).
func (p *problem) gradient(da, db []float64) float64 {
	n1, n2, m := p.n1, p.n2, p.m
	chunks := par.Chunks(n1, transportChunk)
	r, prow := make([]float64, n1), make([]float64, n1)
	qcol := make([]float64, chunks*n2)
	p.chunks(func(chunk, lo, hi int, c []float64) {
		col, q, total := p.col[chunk*n2:(chunk+1)*n2], qcol[chunk*n2:(chunk+1)*n2], 0.0
		clear(col)
		for i := lo; i < hi; i++ {
			k, s, mass := p.k[i*n2:(i+1)*n2], 0.0, 0.0
			for j, d := range c[(i-lo)*n2 : (i-lo+1)*n2] {
				e := k[j] * d
				s += e
				mass += k[j]
				col[j] += e
				q[j] += k[j]
			}
			r[i], prow[i] = s, mass
			total += s
		}
		p.part[chunk] = total
	})
	p.columns()
	s, q := append([]float64(nil), p.sums[:n2]...), make([]float64, n2)
	w := 0.0
	for chunk := range chunks {
		w += p.part[chunk]
		vec.Axpy(q, 1, qcol[chunk*n2:(chunk+1)*n2])
	}
	p.multipliers(r, prow, s, q)
	alpha, beta, inv := p.t.alpha, p.t.beta, 1/p.eps
	p.chunks(func(chunk, lo, hi int, c []float64) {
		col, out := p.col[chunk*n2:(chunk+1)*n2], p.db[chunk*n2*m:(chunk+1)*n2*m]
		clear(col)
		for i := lo; i < hi; i++ {
			k, g, sum, ai := p.k[i*n2:(i+1)*n2], c[(i-lo)*n2:(i-lo+1)*n2], 0.0, alpha[i]
			for j, d := range g {
				v := k[j] * (1 - (d-ai-beta[j])*inv)
				g[j] = v
				sum += v
				col[j] += v
			}
			r[i] = sum
		}
		dx := make([]float64, (hi-lo)*m)
		dense.Gemm(false, false, hi-lo, m, n2, 1, c, n2, p.b, m, 0, dx, m)
		dense.Gemm(true, false, n2, m, hi-lo, 1, c, n2, p.a[lo*m:], m, 0, out, m)
		for i := lo; i < hi; i++ {
			for h := range m {
				da[i*m+h] += 2 * (r[i]*p.a[i*m+h] - dx[(i-lo)*m+h])
			}
		}
	})
	p.columns()
	for j, sum := range p.sums[:n2] {
		for h := range m {
			back := 0.0
			for chunk := range chunks {
				back += p.db[(chunk*n2+j)*m+h]
			}
			db[j*m+h] += 2 * (sum*p.b[j*m+h] - back)
		}
	}
	return w
}

// multipliers solves for α and β from the last answer, by alternating between them, or
// with both clouds the same by α ← α + (r - (D + P)α)/2p.
func (p *problem) multipliers(r, prow, s, q []float64) {
	n1, n2 := p.n1, p.n2
	if p.t.alpha == nil {
		p.t.alpha, p.t.beta = append([]float64(nil), p.t.f...), append([]float64(nil), p.t.g...)
	}
	alpha, beta := p.t.alpha, p.t.beta
	factor := p.rate.factor // the system has the rate of Sinkhorn's iteration
	for range maxSinkhorn {
		if p.same {
			if p.relax(alpha, r, prow) {
				copy(beta, alpha)
				return
			}
			continue
		}
		par.For(n1, transportChunk, func(_, lo, hi int) {
			chunk := lo / transportChunk
			col := p.col[chunk*n2 : (chunk+1)*n2]
			clear(col)
			for i := lo; i < hi; i++ {
				k := p.k[i*n2 : (i+1)*n2]
				alpha[i] += factor * ((r[i]-vec.Dot(k, beta))/prow[i] - alpha[i])
				vec.Axpy(col, alpha[i], k)
			}
		})
		p.columns()
		change, size := 0.0, 0.0
		for j, c := range p.sums[:n2] {
			next := beta[j]
			if q[j] > 0 {
				next += factor * ((s[j]-c)/q[j] - next)
			}
			change += math.Abs(next-beta[j]) * q[j]
			size += math.Abs(s[j])
			beta[j] = next
		}
		if change <= p.tolerance*size {
			return
		}
	}
}

// relax makes one step for equal multipliers and reports whether it was negligible.
func (p *problem) relax(alpha, r, prow []float64) bool {
	n := p.n1
	par.For(n, transportChunk, func(_, lo, hi int) {
		miss := 0.0
		for i := lo; i < hi; i++ {
			d := r[i] - prow[i]*alpha[i] - vec.Dot(p.k[i*n:(i+1)*n], alpha)
			miss += math.Abs(d)
			p.row[i] = alpha[i] + d/(2*prow[i])
		}
		p.part[lo/transportChunk] = miss
	})
	copy(alpha, p.row[:n])
	miss, size := 0.0, 0.0
	for _, v := range p.part[:par.Chunks(n, transportChunk)] {
		miss += v
	}
	for _, v := range r {
		size += math.Abs(v)
	}
	return miss <= p.tolerance*size
}
