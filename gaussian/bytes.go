package gaussian

import (
	"slices"

	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/moments"
)

// byteWork adds rows of bytes: directly if the processor supports it, otherwise as float32, with the same result.
type byteWork struct {
	*workspace[float32]
	wide []float32
	rows [][]float32
}

// exact reports whether all values of the pivot are integers from 0 to 255, because sums of integers are exact.
func (w *byteWork) exact(s *classSums) bool {
	return !slices.ContainsFunc(s.pivot, func(v float64) bool { return v != float64(byte(v)) })
}

func (w *byteWork) add(s *classSums, rows [][]byte) (bad int) {
	n := len(s.pivot)
	if s.cubic == nil {
		w.setPivot(s)
		if dense.AddBytes(&w.sums, rows, w.pivot, s.first, s.second, n) {
			return -1
		}
	}
	for first := 0; first < len(rows); first += blockRows {
		if bad := w.workspace.add(s, w.widened(rows[first:min(first+blockRows, len(rows))], n)); bad >= 0 {
			return first + bad
		}
	}
	return -1
}

func (w *byteWork) widened(rows [][]byte, n int) [][]float32 {
	vec.Room(&w.wide, len(rows)*n)
	w.rows = w.rows[:0]
	for i, row := range rows {
		to := w.wide[i*n : (i+1)*n : (i+1)*n]
		vec.WidenBytes(to, row[:n])
		w.rows = append(w.rows, to)
	}
	return w.rows
}

// moments returns the moments of a class whose rows are all still waiting. The result equals the result of
// classSums.moments, with fewer passes over the memory. It returns nil and writes nothing if too few columns are
// constant.
func (w *byteWork) moments(s *classSums, scatter []float64, divide bool) *moments.Class {
	n, rows := len(s.pivot), s.wait8.rows
	t := classSums{single: true, pivot: make([]float64, n), integer: slices.Clone(s.integer)}
	movePivot(&t, &s.wait8)
	w.setPivot(&t)
	m := &moments.Class{Rows: len(rows), Count: float64(len(rows)), Mean: make([]float64, n), Scatter: scatter,
		Divided: divide}
	divisor := 1.0
	if divide {
		divisor = m.Divisor()
	}
	if !dense.CenterBytes(&w.sums, rows, w.pivot, m.Mean, divisor, scatter, n) {
		return nil
	}
	for j, sum := range m.Mean {
		m.Mean[j] = t.pivot[j] + sum/m.Count
	}
	return m
}
