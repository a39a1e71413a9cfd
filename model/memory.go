package model

import (
	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
	"rao/internal/rows"
	"rao/spd"
)

// memory holds the outputs of stages. After a reset, a pipeline that runs again on as many observations finds all its
// outputs and allocates nothing. A nil memory allocates every output.
type memory struct {
	rows       []*mat.Dense
	stacks     []*spd.Stack
	row, stack int // outputs in use
}

func (m *memory) reset() { m.row, m.stack = 0, 0 }

// dense returns an n×p matrix of arbitrary values.
func (m *memory) dense(n, p int) *mat.Dense {
	if m == nil {
		return mat.NewDense(max(1, n), p, nil).Slice(0, n, 0, p).(*mat.Dense)
	}
	if m.row == len(m.rows) {
		m.rows = append(m.rows, new(mat.Dense))
	}
	d := m.rows[m.row]
	m.row++
	rows.Reshape(d, n, p)
	return d
}

// matrices returns a stack of n×n matrices of arbitrary values.
func (m *memory) matrices(count, n int) *spd.Stack {
	if m == nil {
		return spd.NewStack(count, n)
	}
	if m.stack == len(m.stacks) {
		m.stacks = append(m.stacks, new(spd.Stack))
	}
	s := m.stacks[m.stack]
	m.stack++
	*s = spd.Stack{Count: count, Dim: n, Stride: n * n, Data: vec.Room(&s.Data, count*n*n)}
	return s
}

// size returns the number of values that the memory keeps.
func (m *memory) size() int {
	sum := 0
	for _, d := range m.rows {
		sum += cap(d.RawMatrix().Data)
	}
	for _, s := range m.stacks {
		sum += cap(s.Data)
	}
	return sum
}
