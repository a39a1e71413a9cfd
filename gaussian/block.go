package gaussian

import (
	"fmt"
	"math"

	"rao/internal/dense"
	"rao/internal/par"
)

// columnGrain is how many columns of a block one chunk of work takes.
const columnGrain = 112

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
	if err := centre(s, p, w); err != nil {
		return err
	}
	multiply(s, k, w.y[:k*n], w.largest)
	higher(s, k, w)
	s.count += k
	p.clear()
	return nil
}

// centre writes the block less the pivot to w.y, adds its column sums to s.first
// and finds the largest magnitude of every column.
func centre[T float32 | float64](s *classSums, p *pending[T], w *workspace[T]) error {
	n := len(s.pivot)
	par.For(n, columnGrain, func(_, lo, hi int) {
		var pivot [columnGrain]T
		var sum [columnGrain]float64
		var largest [columnGrain]T
		m := hi - lo
		for j := range m {
			pivot[j] = T(s.pivot[lo+j])
		}
		for i, row := range p.rows {
			y := w.y[i*n+lo : i*n+hi]
			for j, x := range row[lo:hi] {
				d := x - pivot[j]
				y[j] = d
				sum[j] += float64(d)
				largest[j] = max(largest[j], d, -d)
			}
		}
		for j := range m {
			w.column[lo+j], w.largest[lo+j] = sum[j], float64(largest[j])
		}
	})
	for j, x := range w.column {
		if !finite(x) {
			return findNotFinite(p, j)
		}
	}
	for j, x := range w.column {
		s.first[j] += x
	}
	return nil
}

// findNotFinite names the first bad value of a column, or the largest when the
// values are finite but their differences or sums are not.
func findNotFinite[T float32 | float64](p *pending[T], column int) error {
	worst := 0
	for i, row := range p.rows {
		x := row[column]
		if x-x != 0 {
			return notFinite(p.index[i], column, float64(x))
		}
		if math.Abs(float64(x)) > math.Abs(float64(p.rows[worst][column])) {
			worst = i
		}
	}
	return fmt.Errorf("row %d, column %d is %v: too large to sum, rescale the data", p.index[worst], column, p.rows[worst][column])
}

// multiply adds yy' to s.second. Blocks in float32 whose squares would leave its
// range go through float64.
func multiply[T float32 | float64](s *classSums, k int, y []T, largest []float64) {
	n := len(s.pivot)
	switch y := any(y).(type) {
	case []float64:
		dense.SyrkUpper(n, k, y, n, s.second, n)
	case []float32:
		for _, x := range largest {
			if x > 1e17 || x != 0 && x < 1e-14 {
				wide := make([]float64, k*n)
				for i, v := range y {
					wide[i] = float64(v)
				}
				dense.SyrkUpper(n, k, wide, n, s.second, n)
				return
			}
		}
		dense.SyrkUpper32(n, k, y, n, s.second, n)
	}
}

// higher adds the block's third and fourth moments.
func higher[T float32 | float64](s *classSums, k int, w *workspace[T]) {
	n := len(s.pivot)
	par.For(k, 32, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			var s0, s1, s2, s3 float64
			y := w.y[i*n : (i+1)*n]
			for ; len(y) >= 4; y = y[4:] {
				a, b, c, d := float64(y[0]), float64(y[1]), float64(y[2]), float64(y[3])
				s0 += a * a
				s1 += b * b
				s2 += c * c
				s3 += d * d
			}
			for _, v := range y {
				s0 += float64(v) * float64(v)
			}
			w.squares[i] = (s0 + s1) + (s2 + s3)
		}
	})
	par.For(n, columnGrain, func(_, lo, hi int) {
		cubic := s.cubic[lo:hi]
		for i, q := range w.squares[:k] {
			for j, v := range w.y[i*n+lo : i*n+hi] {
				cubic[j] += q * float64(v)
			}
		}
	})
	for _, q := range w.squares[:k] {
		s.quartic += q * q
	}
}
