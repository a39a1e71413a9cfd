package gaussian

import (
	"fmt"
	"math"

	"rao/internal/linalg/dense"
	"rao/internal/par"
)

// chunkRows is the number of rows of a block that one goroutine sums at a time.
// The sums of the chunks are added in their order.
const chunkRows = 64

// workspace is what one block needs.
type workspace[T float32 | float64] struct {
	y      []T // the block less its pivot, contiguous
	pivot  []T
	chunks []chunk[T]
}

// chunk holds the sums of some rows of y = x - pivot.
type chunk[T float32 | float64] struct {
	first   []float64 // Σ y
	cubic   []float64 // Σ ‖y‖² y
	quartic float64   // Σ ‖y‖⁴
	largest []T       // max |y|, for float32
	bad     int       // first row whose squares are not finite, or -1
}

func (w *workspace[T]) grow(rows, n int) {
	if len(w.y) >= rows*n {
		return
	}
	w.y, w.pivot = make([]T, rows*n), make([]T, n)
	w.chunks = make([]chunk[T], par.Chunks(rows, chunkRows))
	for i := range w.chunks {
		w.chunks[i] = chunk[T]{first: make([]float64, n), cubic: make([]float64, n), largest: make([]T, n)}
	}
}

// addBlock adds the waiting rows and forgets them.
func addBlock[T float32 | float64](s *classSums, p *pending[T], w *workspace[T]) error {
	k, n := len(p.rows), len(s.pivot)
	if k == 0 {
		return nil
	}
	w.grow(k, n)
	if s.second == nil {
		s.second = make([]float64, n*n)
	}
	if _, single := any(w.y).([]float32); single && !s.single {
		s.single, s.moveAt = true, 0
	}
	if s.count >= s.moveAt {
		movePivot(s, p)
	}
	for j, x := range s.pivot {
		w.pivot[j] = T(x)
	}
	par.For(k, chunkRows, func(_, lo, hi int) { w.chunks[lo/chunkRows].sum(p.rows, lo, hi, w) })
	chunks := w.chunks[:par.Chunks(k, chunkRows)]
	for i := range chunks {
		if row := chunks[i].bad; row >= 0 {
			return findNotFinite(p, row)
		}
	}
	for i := range chunks {
		c := &chunks[i]
		for j, x := range c.first {
			s.first[j] += x
			s.cubic[j] += c.cubic[j]
		}
		s.quartic += c.quartic
	}
	multiply(s, k, w.y[:k*n], chunks)
	s.count += k
	p.clear()
	return nil
}

// sum writes the rows [lo,hi) less the pivot to w.y and sums them.
func (c *chunk[T]) sum(rows [][]T, lo, hi int, w *workspace[T]) {
	n := len(w.pivot)
	clear(c.first)
	clear(c.cubic)
	clear(c.largest)
	c.quartic, c.bad = 0, -1
	for i := lo; i < hi; i++ {
		y := w.y[i*n : (i+1)*n]
		q := dense.CenterRow(rows[i], w.pivot, y, c.first, c.largest)
		if !finite(q) {
			c.bad = i
			return
		}
		dense.AddScaled(c.cubic, q, y)
		c.quartic += q * q
	}
}

// findNotFinite names the first bad value of a waiting row, or the largest when
// the values are finite but their squares are not.
func findNotFinite[T float32 | float64](p *pending[T], row int) error {
	worst, values := 0, p.rows[row]
	for j, x := range values {
		if x-x != 0 {
			return notFinite(p.index[row], j, float64(x))
		}
		if math.Abs(float64(x)) > math.Abs(float64(values[worst])) {
			worst = j
		}
	}
	return fmt.Errorf("row %d, column %d is %v: its square overflows, rescale the data", p.index[row], worst, values[worst])
}

// multiply adds yy' to s.second. Blocks in float32 whose squares would leave its
// range go through float64.
func multiply[T float32 | float64](s *classSums, k int, y []T, chunks []chunk[T]) {
	n := len(s.pivot)
	switch y := any(y).(type) {
	case []float64:
		dense.SyrkUpper(n, k, y, n, s.second, n)
	case []float32:
		if inRange(chunks) {
			dense.SyrkUpper32(n, k, y, n, s.second, n)
			return
		}
		wide := make([]float64, k*n)
		for i, v := range y {
			wide[i] = float64(v)
		}
		dense.SyrkUpper(n, k, wide, n, s.second, n)
	}
}

// inRange reports whether float32 holds the squares of every column: the largest
// magnitude of each is zero or between 1e-14 and 1e17.
func inRange[T float32 | float64](chunks []chunk[T]) bool {
	for j := range chunks[0].largest {
		var top T
		for i := range chunks {
			top = max(top, chunks[i].largest[j])
		}
		if top > 1e17 || top != 0 && top < 1e-14 {
			return false
		}
	}
	return true
}
