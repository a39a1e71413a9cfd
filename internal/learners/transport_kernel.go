package learners

import "rao/internal/linalg/vec"

// entries are those of a transport's kernel. In single precision they take half the
// memory, whose reading is most of the work of a large one; what rounding does to the
// plan and its cost, some 1e-8 of them, is far below any tolerance then.
type entries struct {
	single bool // choose before grow
	wide   []float64
	narrow []float32
}

// singleFrom is the number of entries from which on they are in single precision.
const singleFrom = 1 << 20

// grow makes room for n entries.
func (e *entries) grow(n int) {
	if e.single {
		grow(&e.narrow, n)
		return
	}
	grow(&e.wide, n)
}

// set writes x to the entries from at on.
func (e *entries) set(at int, x []float64) {
	if e.single {
		vec.Narrow(e.narrow[at:], x)
		return
	}
	copy(e.wide[at:], x)
}

// dot is the inner product of v and the entries from at on.
func (e *entries) dot(at int, v []float64) float64 {
	if e.single {
		return vec.DotNarrow(e.narrow[at:at+len(v)], v)
	}
	return vec.Dot(e.wide[at:at+len(v)], v)
}

// axpy adds alpha times the entries from at on to y.
func (e *entries) axpy(y []float64, alpha float64, at int) {
	if e.single {
		vec.AxpyNarrow(y, alpha, e.narrow[at:])
		return
	}
	vec.Axpy(y, alpha, e.wide[at:])
}

// times multiplies y by the entries from at on.
func (e *entries) times(y []float64, at int) {
	if e.single {
		vec.TimesNarrow(y, e.narrow[at:])
		return
	}
	vec.Times(y, e.wide[at:])
}
