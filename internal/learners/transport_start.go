package learners

import (
	"math"

	"rao/internal/linalg/vec"
)

// A transport starts from the solution for every coarseStep-th point of both clouds, if each of these has at least
// coarseLeast points.
const (
	coarseStep  = 4
	coarseLeast = 128
)

// coarseTolerance is the tolerance of the solution for a subset of the points.
const coarseTolerance = 1e-2

// fromCoarse sets the potentials from the transport between a subset of the points. It returns false if there are too
// few points.
func (p *problem) fromCoarse() bool {
	m, n1, n2 := p.m, p.n1/coarseStep, p.n2/coarseStep
	if min(n1, n2) < coarseLeast {
		return false
	}
	if p.coarse == nil {
		p.coarse = &transportWork{tolerance: coarseTolerance, stop: p.stop}
	}
	a := some(p.a, n1, m)
	b := a
	if !p.same {
		b = some(p.b, n2, m)
	}
	var t transport
	p.coarse.solve(&t, a, b, n1, n2, m, p.eps)
	p.t.factor = t.factor
	p.potentials(p.t.f, p.a, p.na[:p.n1], b, p.coarse.nb[:n2], t.g, float64(p.n2)/float64(n2))
	if p.same {
		copy(p.t.g, p.t.f)
		return true
	}
	p.potentials(p.t.g, p.b, p.nb[:p.n2], a, p.coarse.na[:n1], t.f, float64(n2)/float64(n1))
	return true
}

// some returns every coarseStep-th point of x.
func some(x []float64, n, m int) []float64 {
	y := make([]float64, n*m)
	for i := range n {
		copy(y[i*m:(i+1)*m], x[i*coarseStep*m:])
	}
	return y
}

// softmin computes one exact step for each potential in the logarithmic domain, in which no cost can overflow. The
// resulting plan has row sums of about 1 and column sums of n₁/n₂; it does not sum to 1.
func (p *problem) softmin() {
	p.potentials(p.t.f, p.a, p.na[:p.n1], p.b, p.nb[:p.n2], p.t.g, 1)
	p.potentials(p.t.g, p.b, p.nb[:p.n2], p.a, p.na[:p.n1], p.t.f, float64(p.n2)/float64(p.n1))
	if p.same {
		for i, v := range p.t.g {
			p.t.f[i] = (p.t.f[i] + v) / 2
		}
		copy(p.t.g, p.t.f)
	}
}

// potentials sets dst to -ε log(weight Σ_j exp((g_j - ‖a_i - b_j‖²)/ε)). na and nb are the squared norms of the points.
// It does not use [vec.LogSumExp], because the terms of a sum are in several tiles, and are too many for math.Exp.
func (p *problem) potentials(dst, a, na, b, nb, g []float64, weight float64) {
	n1, n2, m, inv := len(na), len(nb), p.m+2, 1/p.eps
	left, right := vec.Room(&p.left, n1*m), vec.Room(&p.right, n2*m)
	leftFactors(left, inv, a, na, make([]float64, n1))
	rightFactors(right, inv, b, nb, scaled(inv, g))
	sum := make([]float64, n1) // Σ exp(e - largest e); dst holds the largest
	for i := range dst {
		dst[i] = math.Inf(-1)
	}
	p.tilesOf(n1, n2, func(t tile) {
		for i := t.lo; i < t.hi; i++ {
			row, top := t.row(i), dst[i]
			for _, e := range row {
				if e > top {
					top = e
				}
			}
			for j := range row {
				row[j] -= top
			}
			vec.Exp(row, -700)
			s := vec.Total(row)
			sum[i] = sum[i]*math.Exp(dst[i]-top) + s
			dst[i] = top
		}
	})
	for i, s := range sum {
		dst[i] = -p.eps * (dst[i] + math.Log(weight*s))
	}
}
