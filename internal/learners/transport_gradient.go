package learners

import (
	"math"

	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// gradient returns W and adds its derivative with respect to the points to da and db, which may be the same slice. With
// α and β the solution of
//
//	p_i α_i + Σ_j P_ij β_j = Σ_j P_ij C_ij,  Σ_i P_ij α_i + q_j β_j = Σ_i P_ij C_ij
//
// where p and q are the marginals, the implicit function theorem gives dW = Σ G_ij dC_ij with G_ij = P_ij (1 - (C_ij -
// α_i - β_j)/ε).
func (p *problem) gradient(da, db []float64) float64 {
	cost := p.moments()
	w := vec.Total(cost.r)
	p.multipliers(cost)
	p.derivative(da, db)
	return w
}

// moments contains row and column sums of the plan, and of the plan times the cost.
type moments struct {
	r, s []float64 // plan times cost: sums of the rows and of the columns
	p, q []float64 // plan: sums of the rows and of the columns
}

// moments computes the sums. The column sums of the plan are exact; see sinkhorn.
func (p *problem) moments() moments {
	n1, n2 := p.n1, p.n2
	out := moments{r: make([]float64, n1), s: make([]float64, n2), p: make([]float64, n1), q: make([]float64, n2)}
	p.factors(-1, make([]float64, n1), make([]float64, n2))
	u, v := p.u[:n1], p.v[:n2]
	p.tiles(func(t tile) {
		col := p.col[t.chunk*n2+t.from : t.chunk*n2+t.to]
		clear(col)
		for i := t.lo; i < t.hi; i++ {
			c := t.row(i)
			p.k.times(c, i*n2+t.from)
			out.p[i] += p.k.dot(i*n2+t.from, v[t.from:t.to])
			out.r[i] += vec.Dot(c, v[t.from:t.to])
			if !p.same {
				vec.Axpy(col, u[i], c)
			}
		}
	})
	vec.Times(out.p, u)
	vec.Times(out.r, u)
	if p.same {
		out.s, out.q = out.r, out.p
		return out
	}
	p.columns()
	copy(out.s, p.sums[:n2])
	vec.Times(out.s, v)
	for j := range out.q {
		out.q[j] = 1 / float64(n2)
	}
	return out
}

// derivative adds the derivatives of W with respect to the points a and b to da and db.
func (p *problem) derivative(da, db []float64) {
	n1, n2, m := p.n1, p.n2, p.m
	inv := 1 / p.eps
	x, y := scaled(inv, p.t.alpha), scaled(inv, p.t.beta)
	for i := range x {
		x[i]++
	}
	p.factors(inv, x, y)
	a, b := withOnes(p.a, p.u[:n1], m), withOnes(p.b, p.v[:n2], m)
	width := m + 1
	dx := make([]float64, n1*width)
	vec.Room(&p.db, par.Chunks(n1, transportChunk)*n2*width)
	p.tiles(func(t tile) {
		for i := t.lo; i < t.hi; i++ {
			p.k.times(t.row(i), i*n2+t.from)
		}
		rows, cols := t.hi-t.lo, t.to-t.from
		dense.Gemm(false, false, rows, width, cols, 1, t.c, cols, b[t.from*width:], width, 1, dx[t.lo*width:], width)
		if !p.same {
			dense.Gemm(true, false, cols, width, rows, 1, t.c, cols, a[t.lo*width:], width, 0,
				p.db[(t.chunk*n2+t.from)*width:], width)
		}
	})
	if p.same { // the plan is symmetric
		add(da, dx, p.a, p.u[:n1], m, 4)
		return
	}
	add(da, dx, p.a, p.u[:n1], m, 2)
	dy := p.db[:n2*width]
	for chunk := 1; chunk < par.Chunks(n1, transportChunk); chunk++ {
		vec.Axpy(dy, 1, p.db[chunk*n2*width:(chunk+1)*n2*width])
	}
	add(db, dy, p.b, p.v[:n2], m, 2)
}

// withOnes appends a one to each point of x, and multiplies the result by the weight of the point.
func withOnes(x, weights []float64, m int) []float64 {
	y := make([]float64, len(weights)*(m+1))
	for i, w := range weights {
		row := y[i*(m+1) : (i+1)*(m+1)]
		for h, v := range x[i*m : (i+1)*m] {
			row[h] = w * v
		}
		row[m] = w
	}
	return y
}

// add adds factor·w_i (s_i x_i - y_i) to row i of dst. Row i of y is y_i followed by s_i.
func add(dst, y, x, weights []float64, m int, factor float64) {
	for i, w := range weights {
		row := y[i*(m+1) : (i+1)*(m+1)]
		for h := range m {
			dst[i*m+h] += factor * w * (row[m]*x[i*m+h] - row[h])
		}
	}
}

// multipliers solves for α and β, starting from the last solution. It alternates between α and β or, if both clouds are
// the same, iterates α ← α + (r - (D + P)α)/2p.
func (p *problem) multipliers(cost moments) {
	if p.t.alpha == nil {
		p.t.alpha, p.t.beta = append([]float64(nil), p.t.f...), append([]float64(nil), p.t.g...)
	}
	for range maxSinkhorn {
		if p.stopped() {
			break
		}
		if p.same {
			if p.relax(p.t.alpha, cost) {
				break
			}
		} else if p.alternate(p.t.alpha, p.t.beta, cost) {
			break
		}
	}
	if p.same {
		copy(p.t.beta, p.t.alpha)
	}
}

// alternate updates both multipliers once and reports whether the change was negligible. It converges at the same
// rate as Sinkhorn's iteration.
func (p *problem) alternate(alpha, beta []float64, cost moments) bool {
	n1, n2, factor := p.n1, p.n2, p.rate.factor
	weighted := p.weigh[:n2]
	copy(weighted, beta)
	vec.Times(weighted, p.v[:n2])
	par.For(n1, transportChunk, func(_, lo, hi int) {
		chunk := lo / transportChunk
		col := p.col[chunk*n2 : (chunk+1)*n2]
		clear(col)
		for i := lo; i < hi; i++ {
			u := p.u[i]
			alpha[i] += factor * ((cost.r[i]-u*p.k.dot(i*n2, weighted))/cost.p[i] - alpha[i])
			p.k.axpy(col, u*alpha[i], i*n2)
		}
	})
	p.columns()
	change, size := 0.0, 0.0
	for j, c := range p.sums[:n2] {
		step := factor * ((cost.s[j]-p.v[j]*c)/cost.q[j] - beta[j])
		change += math.Abs(step) * cost.q[j]
		size += math.Abs(cost.s[j])
		beta[j] += step
	}
	return change <= p.tolerance*size
}

// relax updates equal multipliers once and reports whether the change was negligible.
func (p *problem) relax(alpha []float64, cost moments) bool {
	n := p.n1
	weighted := p.weigh[:n]
	copy(weighted, alpha)
	vec.Times(weighted, p.v[:n])
	par.For(n, transportChunk, func(_, lo, hi int) {
		miss := 0.0
		for i := lo; i < hi; i++ {
			d := cost.r[i] - cost.p[i]*alpha[i] - p.u[i]*p.k.dot(i*n, weighted)
			miss += math.Abs(d)
			p.row[i] = alpha[i] + d/(2*cost.p[i])
		}
		p.part[lo/transportChunk] = miss
	})
	copy(alpha, p.row[:n])
	miss, size := 0.0, 0.0
	for _, v := range p.part[:par.Chunks(n, transportChunk)] {
		miss += v
	}
	for _, v := range cost.r {
		size += math.Abs(v)
	}
	return miss <= p.tolerance*size
}
