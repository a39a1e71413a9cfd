package gaussian

import (
	"errors"
	"fmt"
	"math"

	"rao/internal/classcolumns"
	"rao/internal/linalg/small"
	"rao/internal/par"
)

// pairGrain is the number of pairs that one goroutine processes at a time: a few full vectors of the interleaved
// kernels, and about half of the 45 pairs of ten classes.
const pairGrain = 24

// lane is the scratch memory of one goroutine.
type lane struct {
	work    small.Workspace
	a, b, d []float64 // room for pairGrain matrices each
	eriksen *eriksen  // only for the exact Fisher-Rao distance
}

// pairList lists the pairs of c Gaussians to evaluate: pair p is (i[p], j[p]).
type pairList struct {
	c    int
	i, j []int
}

// allPairs lists the pairs i<j of c Gaussians row by row.
func allPairs(c int) *pairList {
	l := &pairList{c: c, i: make([]int, 0, classcolumns.NumPairs(c)), j: make([]int, 0, classcolumns.NumPairs(c))}
	for i := range c {
		for j := i + 1; j < c; j++ {
			l.i, l.j = append(l.i, i), append(l.j, j)
		}
	}
	return l
}

// pairLoop runs loops over chunks of pairs.
type pairLoop struct {
	*pairList
	order int
	lanes []lane
	errs  []error // one per chunk
}

// newPairLoop returns a loop with scratch matrices of the given order.
func newPairLoop(l *pairList, order int) *pairLoop {
	return &pairLoop{pairList: l, order: order, errs: make([]error, par.Chunks(len(l.i), pairGrain)),
		lanes: make([]lane, 1)}
}

// run calls body for chunks of pairs, in parallel, and returns the first error in the order of the pairs.
func (p *pairLoop) run(body func(l *lane, lo, hi int) error) error {
	return p.runPart(0, len(p.i), body)
}

// runPart is like run, for the pairs [from,to), where from is a multiple of pairGrain.
func (p *pairLoop) runPart(from, to int, body func(l *lane, lo, hi int) error) error {
	n := to - from
	for len(p.lanes) < par.Workers(n, pairGrain) {
		p.lanes = append(p.lanes, lane{})
	}
	par.For(n, pairGrain, func(worker, lo, hi int) {
		lo, hi = from+lo, from+hi
		l := &p.lanes[worker]
		if l.a == nil {
			size := pairGrain * p.order * p.order
			buf := make([]float64, 3*size)
			l.a, l.b, l.d = buf[:size:size], buf[size:2*size:2*size], buf[2*size:]
		}
		p.errs[lo/pairGrain] = body(l, lo, hi)
	})
	for k := from / pairGrain; k < par.Chunks(to, pairGrain); k++ {
		err := p.errs[k]
		if err == nil {
			continue
		}
		var bad *small.Error
		if errors.As(err, &bad) {
			q := k*pairGrain + bad.Index
			return fmt.Errorf("classes %d and %d: %w, because their covariances are too far apart or too "+
				"ill-conditioned for double precision; add feature noise", p.i[q], p.j[q], err)
		}
		return err
	}
	return nil
}

// gather copies the matrices with the given indices from a stack to dst, and returns the part of dst that it wrote.
func gather(dst, stack []float64, index []int, order int) []float64 {
	nn := order * order
	for k, i := range index {
		copy(dst[k*nn:(k+1)*nn], stack[i*nn:(i+1)*nn])
	}
	return dst[:len(index)*nn]
}

// scatter adds to each class's matrix in grad the matrices of its pairs, first (for i) and second (for j), in the
// order of the pairs.
func (p *pairLoop) scatter(grad, first, second []float64, order int) {
	nn := order * order
	for k := range p.i {
		add(grad[p.i[k]*nn:(p.i[k]+1)*nn], first[k*nn:(k+1)*nn])
		add(grad[p.j[k]*nn:(p.j[k]+1)*nn], second[k*nn:(k+1)*nn])
	}
}

func add(y, x []float64) {
	x = x[:len(y)]
	for i := range y {
		y[i] += x[i]
	}
}

// classFactor computes the Cholesky factors of c matrices. It returns a SingularError that names the first class with
// a matrix that has no factor.
func classFactor(w *small.Workspace, l, a []float64, order, c int) error {
	err := w.Cholesky(l, a, order, c)
	var bad *small.Error
	if !errors.As(err, &bad) {
		return err
	}
	nn := order * order
	values := make([]float64, order)
	e := &SingularError{Class: bad.Index, Smallest: math.NaN(), Largest: math.NaN()}
	if w.EigenValues(values, a[bad.Index*nn:(bad.Index+1)*nn], order, 1) == nil {
		e.Smallest, e.Largest = values[0], values[order-1]
	}
	return e
}

// embed writes [S+μμ' μ; μ' 1] of c Gaussians to dst when border is true, and S+μμ' alone otherwise.
func embed(dst, means, covs []float64, c, m int, border bool) {
	n := m
	if border {
		n++
	}
	for k := range c {
		mu, s, o := means[k*m:(k+1)*m], covs[k*m*m:], dst[k*n*n:]
		for i, x := range mu {
			for j, y := range mu {
				o[i*n+j] = s[i*m+j] + x*y
			}
			if border {
				o[i*n+m], o[m*n+i] = x, x
			}
		}
		if border {
			o[m*n+m] = 1
		}
	}
}

// unembed converts the gradient g with respect to the embedded matrices and adds it to the gradients of means and
// covariances:
//
//	∂S = G_SS,  ∂μ = 2 G_SS μ + 2 G_Sm.
func unembed(gradMeans, gradCovs, g, means []float64, c, m int, border bool) {
	n := m
	if border {
		n++
	}
	for k := range c {
		mu, gk := means[k*m:(k+1)*m], g[k*n*n:]
		for i := range m {
			var s float64
			for j, y := range mu {
				v := gk[i*n+j]
				gradCovs[(k*m+i)*m+j] += v
				s += v * y
			}
			if border {
				s += gk[i*n+m]
			}
			gradMeans[k*m+i] += 2 * s
		}
	}
}
