package small

import (
	"errors"
	"math"

	"rao/internal/linalg/eig"
)

// portable is the engine with one lane in plain Go, for processors without SIMD kernels. It is also the reference for
// the other engines.
type portable struct{}

func (portable) lanes() int { return 1 }

func (portable) pack(dst, src []float64, m int)   { copy(dst[:m], src) }
func (portable) unpack(dst, src []float64, m int) { copy(dst[:m], src) }

func (portable) cholesky(a, pivots []float64, n int) {
	for i := range n {
		row := a[i*n : i*n+n]
		for j := range i {
			row[j] = (row[j] - dot(row[:j], a[j*n:])) / a[j*n+j]
		}
		pivots[i] = row[i] - dot(row[:i], row)
		row[i] = math.Sqrt(pivots[i])
		clear(row[i+1:])
	}
}

func (portable) invertLower(li, l []float64, n int) {
	for i := range n {
		row, src := li[i*n:i*n+n], l[i*n:i*n+n]
		clear(row)
		for k := range i {
			axpy(row[:k+1], -src[k], li[k*n:])
		}
		for j := range i {
			row[j] /= src[i]
		}
		row[i] = 1 / src[i]
	}
}

func (portable) multiply(p *product) {
	n := p.n
	for i := range n {
		columns := n
		if p.known&symmetric != 0 {
			columns = i + 1
		}
		terms := n
		if p.known&lowerA != 0 {
			terms = i + 1
		}
		c := p.c[i*n : i*n+n]
		if p.transB {
			p.dots(c[:columns], i, terms)
		} else {
			p.sums(c[:columns], i, terms)
		}
		if p.known&symmetric != 0 {
			for j := range i {
				p.c[j*n+i] = c[j]
			}
		}
	}
}

// sums computes row i of C as a sum of rows of B, over k < terms.
func (p *product) sums(c []float64, i, terms int) {
	clear(c)
	for k := range terms {
		reach := len(c)
		if p.known&lowerB != 0 {
			reach = min(reach, k+1)
		}
		axpy(c[:reach], p.left(i, k), p.b[k*p.n:])
	}
}

// left returns element (i,k) of op(A).
func (p *product) left(i, k int) float64 {
	if p.transA {
		return p.a[k*p.n+i]
	}
	return p.a[i*p.n+k]
}

// dots computes row i of C as inner products with the columns of the transposed B, over k < terms.
func (p *product) dots(c []float64, i, terms int) {
	n := p.n
	for j := range c {
		last := terms
		if p.known&upperB != 0 {
			last = min(terms, j+1)
		}
		if !p.transA {
			c[j] = dot(p.a[i*n:i*n+last], p.b[j*n:])
			continue
		}
		var sum float64
		for k := range last {
			sum += p.a[k*n+i] * p.b[j*n+k]
		}
		c[j] = sum
	}
}

func (portable) eigen(w *Workspace, values, a []float64, n int, vectors bool) {
	work := w.slot(slotEigen, eig.WorkLen(n))
	err := eig.SymRows(values, a, n, vectors, work)
	switch {
	case errors.Is(err, eig.ErrNotFinite):
		w.fail(0, NotFinite, math.NaN())
	case err != nil:
		w.fail(0, NoConvergence, math.NaN())
	}
}

func (portable) scaleRows(dst, z, d []float64, n int) {
	for j, v := range d[:n] {
		row := dst[j*n : (j+1)*n]
		for i, x := range z[j*n : (j+1)*n] {
			row[i] = v * x
		}
	}
}

// ranks leaves the order unchanged, because eig has sorted the values.
func (portable) ranks(places, values []float64, n int) {
	for j := range n {
		places[j] = float64(j)
	}
}

func (portable) columns(dst, z []float64, order []int64, _, n int) {
	for j, from := range order[:n] {
		for i, v := range z[int(from)*n : (int(from)+1)*n] {
			dst[i*n+j] = v + 0 // turns -0 into 0
		}
	}
}

func (portable) logSquares(dst, values []float64, n int) {
	dst[0] = logSquaresOf(values[:n], 1)
}

// logSquaresOf replaces every lanes-th value by its logarithm, and returns the sum of their squares.
func logSquaresOf(values []float64, lanes int) float64 {
	var sum float64
	for t := 0; t < len(values); t += lanes {
		values[t] = math.Log(values[t])
		sum += values[t] * values[t]
	}
	return sum
}

// dot returns the inner product of x and the first values of y.
func dot(x, y []float64) float64 {
	y = y[:len(x)]
	var sum float64
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

// axpy adds s times the first values of y to x.
func axpy(x []float64, s float64, y []float64) {
	y = y[:len(x)]
	for i := range x {
		x[i] += s * y[i]
	}
}
