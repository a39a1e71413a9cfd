package gaussian

import (
	"math"
	"slices"

	"rao"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/moments"
	"rao/internal/par"
)

// classSums are the running sums of y = x - pivot for one class.
type classSums struct {
	count   int
	moveAt  int  // count at which the pivot is next moved to the mean
	single  bool // rows of float32 were added, so the pivot is a float32
	pivot   []float64
	integer []bool    // by column: all values checked so far are integers
	first   []float64 // Σ y
	second  []float64 // Σ yy', upper triangle
	unset   bool      // second has not been written yet
	cubic   []float64 // Σ ‖y‖² y; nil unless higher moments are requested
	quartic float64   // Σ ‖y‖⁴

	wait8  pending[byte]
	wait32 pending[float32]
	wait64 pending[float64]
}

// value is the type of a row's values.
type value interface{ byte | float32 | float64 }

// pending are rows that wait for a full block of their class.
type pending[T value] struct {
	rows  [][]T
	index []int // number of each row, counted over all calls
	own   []T   // memory for rows kept between calls
	kept  int   // number of rows in own
}

// newClassSums returns empty sums of n columns; second is the memory for the products, n×n with arbitrary values.
func newClassSums(n int, second []float64) *classSums {
	s := &classSums{second: second, unset: true, pivot: make([]float64, n), integer: make([]bool, n),
		first: make([]float64, n)}
	for j := range s.integer {
		s.integer[j] = true
	}
	return s
}

// begin clears the sums of products before the first rows.
func (s *classSums) begin() {
	if s.unset {
		par.For(len(s.second), 1<<16, func(_, lo, hi int) { clear(s.second[lo:hi]) })
		s.unset = false
	}
}

// keep copies the caller's rows that still wait, after checking their values.
func (p *pending[T]) keep(block, n int) error {
	if held := len(p.own) / n; len(p.rows) > held {
		p.own = make([]T, min(block, max(2*held, len(p.rows)))*n)
		p.kept = 0
	}
	for i := p.kept; i < len(p.rows); i++ {
		row := p.own[i*n : (i+1)*n : (i+1)*n]
		copy(row, p.rows[i])
		if j := vec.NotFinite(row); j >= 0 {
			return &rao.ValueError{Row: p.index[i], Col: j, Value: float64(row[j])}
		}
		p.rows[i] = row
	}
	p.kept = len(p.rows)
	clear(p.rows[len(p.rows):cap(p.rows)]) // release the caller's memory
	return nil
}

// grow allocates memory for k more rows.
func (p *pending[T]) grow(k int) { p.rows, p.index = slices.Grow(p.rows, k), slices.Grow(p.index, k) }

// clear removes the rows but keeps their memory.
func (p *pending[T]) clear() { p.rows, p.index, p.kept = p.rows[:0], p.index[:0], 0 }

// pivotRows is the number of rows from which the first pivot is computed.
const pivotRows = 64

// movePivot moves the pivot to the mean of the rows added so far or, if there are none, of the first waiting rows. It
// is called whenever the count has doubled, and moves the pivot if the mean is more than two standard deviations away,
// so the sums stay near the mean of most of the data. The pivot of columns of integers is an integer, which keeps
// their products exact; after rows of float32, it is a float32.
func movePivot[T value](s *classSums, p *pending[T]) {
	n, k := len(s.pivot), len(p.rows)
	pivot := make([]float64, n)
	look := p.rows[:min(k, pivotRows)]
	for _, row := range look {
		for j, x := range row {
			v := float64(x)
			pivot[j] += v - float64(look[0][j])
			s.integer[j] = s.integer[j] && v == math.Trunc(v)
		}
	}
	for j, x := range look[0] {
		pivot[j] = float64(x) + pivot[j]/float64(len(look))
	}
	far := false
	for j := range pivot {
		if s.count > 0 {
			d := s.first[j] / float64(s.count)
			variance := s.second[j*n+j]/float64(s.count) - d*d
			far = far || d*d > 4*variance+1e-12*s.pivot[j]*s.pivot[j]
			pivot[j] = s.pivot[j] + d
		}
		if s.integer[j] {
			pivot[j] = math.Round(pivot[j])
		}
		if s.single {
			pivot[j] = float64(float32(pivot[j]))
		}
		if !vec.Finite(pivot[j]) {
			pivot[j] = 0
		}
	}
	switch {
	case s.count == 0:
		copy(s.pivot, pivot)
	case far || s.rounds():
		s.set(s.centered(s.second, false), pivot)
	}
	s.moveAt = 2 * (s.count + k)
}

// rounds reports whether the pivot must move because float32 cannot represent it.
func (s *classSums) rounds() bool {
	if s.single {
		for _, x := range s.pivot {
			if float64(float32(x)) != x {
				return true
			}
		}
	}
	return false
}

// centered returns the moments about the mean. The scatter is written to the given memory, which may be the memory of
// s.second. With divide, the covariance is written instead, unless higher moments need the scatter.
func (s *classSums) centered(scatter []float64, divide bool) *moments.Class {
	n, count := len(s.pivot), float64(s.count)
	m := &moments.Class{Rows: s.count, Count: count, Mean: make([]float64, n), Scatter: scatter,
		Divided: divide && s.cubic == nil}
	if s.cubic != nil {
		m.Cubic = make([]float64, n)
	}
	if s.count == 0 {
		clear(scatter)
		return m
	}
	d := make([]float64, n)
	for j, x := range s.first {
		d[j] = x / count
		m.Mean[j] = s.pivot[j] + d[j]
	}
	par.For(n, moments.RowGrain(n), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			src, dst, f := s.second[i*n+i:(i+1)*n], scatter[i*n+i:(i+1)*n], s.first[i]
			for j, x := range d[i:] {
				dst[j] = src[j] - f*x
			}
			dst[0] = max(0, dst[0])
			if m.Divided {
				for j := range dst {
					dst[j] /= m.Divisor()
				}
			}
		}
	})
	dense.Mirror(n, scatter, n)
	if s.cubic != nil {
		m.Recenter(d, s.cubic, s.quartic)
	}
	return m
}

// set replaces the sums by the moments m, expressed about the pivot.
func (s *classSums) set(m *moments.Class, pivot []float64) {
	n, count := len(s.pivot), m.Count
	d := make([]float64, n)
	copy(s.pivot, pivot)
	for j, x := range m.Mean {
		d[j] = x - pivot[j]
		s.first[j] = count * d[j]
	}
	if s.cubic != nil {
		clear(s.cubic)
		s.quartic = m.About(d, 1, s.cubic)
	}
	s.count = m.Rows
	copy(s.second, m.Scatter)
	s.unset = false
	par.For(n, moments.RowGrain(n), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := s.second[i*n : (i+1)*n]
			for j := i; j < n; j++ {
				row[j] += s.first[i] * d[j]
			}
		}
	})
}

// moments returns the moments of all rows, including waiting rows. The scatter is written to the given memory; s is
// unchanged unless this memory is s.second. See centered.
func (s *classSums) moments(w *workers, scatter []float64, divide bool) (*moments.Class, error) {
	if len(s.wait8.rows) == 0 && len(s.wait32.rows) == 0 && len(s.wait64.rows) == 0 {
		return s.centered(scatter, divide), nil
	}
	if s.count == 0 && s.cubic == nil && len(s.wait32.rows) == 0 && len(s.wait64.rows) == 0 {
		if m := w.bytes.moments(s, scatter, divide); m != nil {
			return m, nil
		}
	}
	t := *s
	t.pivot, t.integer = slices.Clone(s.pivot), slices.Clone(s.integer)
	t.first, t.cubic, t.second = slices.Clone(s.first), slices.Clone(s.cubic), scatter
	if !s.unset {
		copy(scatter, s.second)
	}
	// The copy shares the waiting rows and their numbers, which addBlock only reads.
	if err := addBlock(&t, &t.wait8, &w.bytes); err != nil {
		return nil, err
	}
	if err := addBlock(&t, &t.wait32, &w.single); err != nil {
		return nil, err
	}
	if err := addBlock(&t, &t.wait64, &w.double); err != nil {
		return nil, err
	}
	return t.centered(t.second, divide), nil
}
