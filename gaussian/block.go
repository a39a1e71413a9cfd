package gaussian

import (
	"math"
	"slices"

	"rao"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// chunkRows is the number of rows in a chunk of a block. One goroutine sums the higher moments of a chunk. The sums of
// the chunks are added in order.
const chunkRows = 64

// worker adds blocks of rows of one element type.
type worker[T value] interface {
	// add adds rows to the sums, and returns -1, or the index of the first row with squares that are not finite.
	add(s *classSums, rows [][]T) (bad int)
	// exact reports whether sums of rows about any pivot of s are free of rounding errors.
	exact(s *classSums) bool
}

// workspace is the memory for one block.
type workspace[T float32 | float64] struct {
	sums   dense.Centered[T]
	pivot  []T
	chunks []chunk[T] // only for higher moments
}

// chunk contains the higher moments of some rows of y = x - pivot.
type chunk[T float32 | float64] struct {
	y, largest []T
	first      []float64
	cubic      []float64 // Σ ‖y‖² y
	quartic    float64   // Σ ‖y‖⁴
}

// addBlock adds the waiting rows and clears them.
func addBlock[T value](s *classSums, p *pending[T], w worker[T]) error {
	k := len(p.rows)
	if k == 0 {
		return nil
	}
	if _, double := any(p).(*pending[float64]); !double && !s.single {
		s.single, s.moveAt = true, 0
	}
	if s.count >= s.moveAt && !(s.count > 0 && w.exact(s)) {
		movePivot(s, p)
	}
	s.begin()
	if bad := w.add(s, p.rows); bad >= 0 {
		return findNotFinite(p, bad)
	}
	s.count += k
	p.clear()
	return nil
}

func (w *workspace[T]) add(s *classSums, rows [][]T) (bad int) {
	w.setPivot(s)
	if bad := w.sums.Add(rows, w.pivot, s.first, s.second, len(s.pivot)); bad >= 0 {
		return bad
	}
	if s.cubic != nil {
		w.higher(s, rows)
	}
	return -1
}

func (w *workspace[T]) exact(*classSums) bool { return false }

// setPivot copies the pivot of s to w, in the type of w.
func (w *workspace[T]) setPivot(s *classSums) {
	if w.pivot == nil {
		w.pivot = make([]T, len(s.pivot))
	}
	for j, x := range s.pivot {
		w.pivot[j] = T(x)
	}
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

// findNotFinite returns an error about waiting row number row. It names the first value that is not finite. If all
// values are finite, it names the value of largest magnitude in this row or, if no square in this row overflows, in the
// first row with a square that overflows.
func findNotFinite[T value](p *pending[T], row int) error {
	worst, values := 0, p.rows[row]
	if j := vec.NotFinite(values); j >= 0 {
		return &rao.ValueError{Row: p.index[row], Col: j, Value: float64(values[j])}
	}
	if !slices.ContainsFunc(values, overflows[T]) { // the pivot overflows, which is computed from the waiting rows
		if i := slices.IndexFunc(p.rows, func(x []T) bool { return slices.ContainsFunc(x, overflows[T]) }); i >= 0 {
			row, values = i, p.rows[i]
		}
	}
	for j, x := range values {
		if math.Abs(float64(x)) > math.Abs(float64(values[worst])) {
			worst = j
		}
	}
	return &rao.ValueError{Row: p.index[row], Col: worst, Value: float64(values[worst])}
}

func overflows[T value](x T) bool { return math.IsInf(float64(x*x), 0) }
