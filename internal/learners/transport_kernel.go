package learners

import "rao/internal/linalg/vec"

// entries are the entries of a transport's kernel. Single precision halves the memory traffic, which dominates the time
// of a large transport. Rounding changes the plan and its cost by about 1e-8, far less than the tolerance.
type entries struct {
	single bool // set it before calling grow
	wide   []float64
	narrow []float32
}

// singleFrom is the minimum number of entries for single precision.
const singleFrom = 1 << 20

func (e *entries) grow(n int) {
	if e.single {
		vec.Room(&e.narrow, n)
		return
	}
	vec.Room(&e.wide, n)
}

// set copies x to the entries starting at index at.
func (e *entries) set(at int, x []float64) {
	if e.single {
		vec.Narrow(e.narrow[at:], x)
		return
	}
	copy(e.wide[at:], x)
}

// dot returns the inner product of v and the entries starting at index at.
func (e *entries) dot(at int, v []float64) float64 {
	if e.single {
		return vec.DotNarrow(e.narrow[at:at+len(v)], v)
	}
	return vec.Dot(e.wide[at:at+len(v)], v)
}

// axpy adds alpha times the entries starting at index at to y.
func (e *entries) axpy(y []float64, alpha float64, at int) {
	if e.single {
		vec.AxpyNarrow(y, alpha, e.narrow[at:])
		return
	}
	vec.Axpy(y, alpha, e.wide[at:])
}

// times multiplies y elementwise by the entries starting at index at.
func (e *entries) times(y []float64, at int) {
	if e.single {
		vec.TimesNarrow(y, e.narrow[at:])
		return
	}
	vec.Times(y, e.wide[at:])
}
