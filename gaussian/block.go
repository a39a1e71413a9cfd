package gaussian

import (
	"fmt"
	"math"

	"rao/internal/linalg/dense"
	"rao/internal/par"
)

// chunkRows is the number of rows of a block whose higher moments one goroutine sums at a
// time. The sums of the chunks are added in their order.
const chunkRows = 64

// workspace is what one block needs.
type workspace[T float32 | float64] struct {
	sums   dense.Centered[T]
	pivot  []T
	chunks []chunk[T] // for higher moments alone
}

// chunk holds the higher moments of some rows of y = x - pivot.
type chunk[T float32 | float64] struct {
	y, largest []T
	first      []float64
	cubic      []float64 // Σ ‖y‖² y
	quartic    float64   // Σ ‖y‖⁴
}

// addBlock adds the waiting rows and forgets them.
func addBlock[T float32 | float64](s *classSums, p *pending[T], w *workspace[T]) error {
	k, n := len(p.rows), len(s.pivot)
	if k == 0 {
		return nil
	}
	if _, single := any(w.pivot).([]float32); single && !s.single {
		s.single, s.moveAt = true, 0
	}
	if s.count >= s.moveAt {
		movePivot(s, p)
	}
	if w.pivot == nil {
		w.pivot = make([]T, n)
	}
	for j, x := range s.pivot {
		w.pivot[j] = T(x)
	}
	if bad := w.sums.Add(p.rows, w.pivot, s.first, s.second, n); bad >= 0 {
		return findNotFinite(p, bad)
	}
	if s.cubic != nil {
		w.higher(s, p.rows)
	}
	s.count += k
	p.clear()
	return nil
}

// higher adds the third and fourth moments of rows.
func (w *workspace[T]) higher(s *classSums, rows [][]T) {
	n, chunks := len(s.pivot), par.Chunks(len(rows), chunkRows)
	for len(w.chunks) < chunks {
		w.chunks = append(w.chunks,
			chunk[T]{y: make([]T, n), largest: make([]T, n), first: make([]float64, n), cubic: make([]float64, n)})
	}
	par.For(len(rows), chunkRows, func(_, lo, hi int) {
		c := &w.chunks[lo/chunkRows]
		clear(c.cubic)
		c.quartic = 0
		for _, x := range rows[lo:hi] {
			q := dense.CenterRow(x[:n], w.pivot, c.y, c.first, c.largest)
			dense.AddScaled(c.cubic, q, c.y)
			c.quartic += q * q
		}
	})
	for i := range chunks {
		c := &w.chunks[i]
		for j, x := range c.cubic {
			s.cubic[j] += x
		}
		s.quartic += c.quartic
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
	return fmt.Errorf("row %d, column %d is %v: its square overflows, rescale the data",
		p.index[row], worst, values[worst])
}
