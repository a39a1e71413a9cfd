package optim

import (
	"gonum.org/v1/gonum/floats"

	"rao/internal/linalg/vec"
)

// memory contains the last steps s and gradient changes y of L-BFGS in a ring buffer.
type memory struct {
	s, y  [][]float64
	rho   []float64 // 1/(s·y)
	alpha []float64

	scratch []float64
	first   int // oldest
	count   int
}

func newMemory(size, n int) *memory {
	m := &memory{s: make([][]float64, size), y: make([][]float64, size),
		rho: make([]float64, size), alpha: make([]float64, size), scratch: make([]float64, n)}
	for i := range size {
		m.s[i] = make([]float64, n)
		m.y[i] = make([]float64, n)
	}
	return m
}

// at returns the index in the ring buffer of the i-th oldest pair.
func (m *memory) at(i int) int { return (m.first + i) % len(m.s) }

func (m *memory) clear() { m.count = 0 }

// next returns the buffers for the next push. If the memory is full, these are the buffers of the oldest pair.
func (m *memory) next() (s, y []float64) {
	if m.count == len(m.s) {
		m.first = m.at(1)
		m.count--
	}
	k := m.at(m.count)
	return m.s[k], m.y[k]
}

// push adds the pair in the buffers of next if its curvature is safely positive; otherwise, it drops the pair.
func (m *memory) push() {
	k := m.at(m.count)
	sy, yy := vec.Dot(m.s[k], m.y[k]), vec.Dot(m.y[k], m.y[k])
	if sy > 1e-14*yy && sy > 0 {
		m.rho[k] = 1 / sy
		m.count++
	}
}

// apply overwrites q with H q, where H is the inverse Hessian modeled by the pairs. The recursion starts from a
// multiple of the preconditioner, or of the identity without a preconditioner. The newest pair determines the multiple
// (Nocedal and Wright 2006, equation 7.20).
func (m *memory) apply(q []float64, precondition func(v []float64)) {
	for i := m.count - 1; i >= 0; i-- {
		k := m.at(i)
		m.alpha[k] = m.rho[k] * vec.Dot(m.s[k], q)
		vec.Axpy(q, -m.alpha[k], m.y[k])
	}
	if precondition != nil {
		precondition(q)
	}
	if m.count > 0 {
		k := m.at(m.count - 1)
		length := 0.0
		if precondition == nil {
			length = vec.Dot(m.y[k], m.y[k])
		} else {
			copy(m.scratch, m.y[k])
			precondition(m.scratch)
			length = vec.Dot(m.scratch, m.y[k])
		}
		floats.Scale(1/(m.rho[k]*length), q)
	}
	for i := range m.count {
		k := m.at(i)
		vec.Axpy(q, m.alpha[k]-m.rho[k]*vec.Dot(m.y[k], q), m.s[k])
	}
}
