package spd

import "rao/internal/linalg/vec"

// anderson accelerates a fixed-point iteration z ← z + r(z) in a space in which the steps of different iterations can
// be compared (Anderson 1965; Walker and Ni 2011). The next step is the combination of past steps with the smallest
// residual.
type anderson struct {
	steps   [][]float64 // s_i, oldest first
	changes [][]float64 // r_{i+1} − r_i
	last    []float64   // step taken
	prev    []float64   // residual before it
	started bool

	smallest float64
	since    int
}

const andersonMemory = 6

func newAnderson(size int) *anderson {
	return &anderson{last: make([]float64, size), prev: make([]float64, size)}
}

func (a *anderson) reset() { a.steps, a.changes, a.started = nil, nil, false }

// stalled reports whether the residual has not reached a new minimum in the last 12 calls.
func (a *anderson) stalled(residual float64) bool {
	if a.smallest == 0 || residual < a.smallest {
		a.smallest, a.since = residual, 0
		return false
	}
	a.since++
	return a.since >= 12
}

// step returns the step from the point with residual r and stores it; nu is the length of a plain step. The slice is
// valid until the next call.
func (a *anderson) step(r []float64, nu float64) []float64 {
	if a.started {
		change := make([]float64, len(r))
		for i, v := range r {
			change[i] = v - a.prev[i]
		}
		a.steps = append(a.steps, append([]float64(nil), a.last...))
		a.changes = append(a.changes, change)
		if len(a.steps) > andersonMemory {
			a.steps, a.changes = a.steps[1:], a.changes[1:]
		}
	}
	copy(a.prev, r)
	rest := append([]float64(nil), r...)
	gamma := leastSquares(a.changes, rest)
	// rest is the smallest residual; the step is Σ −γ s plus ν times rest.
	for i, v := range rest {
		a.last[i] = nu * v
	}
	for k, g := range gamma {
		vec.Axpy(a.last, -g, a.steps[k])
	}
	a.started = true
	return a.last
}

// leastSquares returns the coefficients that minimize ‖r − Σ γ_k c_k‖ and leaves the remainder in r. It orthogonalizes
// the columns, newest first, and gives no weight to a column that depends on newer ones up to 1e-8.
func leastSquares(columns [][]float64, r []float64) []float64 {
	m := len(columns)
	gamma := make([]float64, m)
	q := make([][]float64, m)
	upper := make([]float64, m*m) // upper[k*m+j]: component of column j along q_k
	for j := m - 1; j >= 0; j-- {
		v := append([]float64(nil), columns[j]...)
		length := vec.Norm(v)
		for k := m - 1; k > j; k-- {
			if q[k] == nil {
				continue
			}
			upper[k*m+j] = vec.Dot(q[k], v)
			vec.Axpy(v, -upper[k*m+j], q[k])
		}
		rest := vec.Norm(v)
		if !(rest > 1e-8*length) {
			continue
		}
		for i := range v {
			v[i] /= rest
		}
		upper[j*m+j] = rest
		q[j] = v
	}
	along := make([]float64, m)
	for j := m - 1; j >= 0; j-- {
		if q[j] != nil {
			along[j] = vec.Dot(q[j], r)
			vec.Axpy(r, -along[j], q[j])
		}
	}
	// r = Σ_j γ_j c_j and c_j = Σ_{k≥j} upper[k][j] q_k: solve from the oldest column on.
	for j := range m {
		if q[j] == nil {
			continue
		}
		v := along[j]
		for k := range j {
			v -= upper[j*m+k] * gamma[k]
		}
		gamma[j] = v / upper[j*m+j]
	}
	return gamma
}
