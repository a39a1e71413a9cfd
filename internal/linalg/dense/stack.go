package dense

import (
	"rao/internal/linalg/cpu"
	"rao/internal/par"
)

// Stack is a number of symmetric matrices of one order, one after the other, both
// triangles of each, which agree. It knows their rows of zeros, and products do not read
// these rows and columns: a feature that is constant within a class has them in the
// class's covariance, as the pixels at the border of images do.
type Stack struct {
	path   cpu.Path
	c, n   int
	data   []float64
	spans  [][]span // of every matrix: where its rows are not zero
	blocks []rowBlock
	upper  *blocking // nil where products read both triangles
}

// span is a range of rows, and as the matrix is symmetric of columns.
type span struct{ lo, hi int }

// rowBlock is a piece of work: the rows [lo,hi) of a matrix and those of zeros
// before them, from the row from on.
type rowBlock struct{ matrix, from, lo, hi int }

// shortestGap is the number of rows of zeros worth a gap between two spans: the
// processor reads whole cache lines, and each span has its start-up cost.
const shortestGap = 16

// NewStack returns the stack of c symmetric n×n matrices in data, which it keeps and
// which must not change.
func NewStack(c, n int, data []float64) *Stack { return newStackOn(cpu.Use(), c, n, data) }

func newStackOn(path cpu.Path, c, n int, data []float64) *Stack {
	check("the stack", len(data), c*n, n, n)
	s := &Stack{path: path, c: c, n: n, data: data, spans: make([][]span, c)}
	par.For(c, 1, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			s.spans[i] = s.find(i)
		}
	})
	g := rowKernelsOf(path)
	if len(g.triangle) > 0 && n >= triangleOrder && c*n*n >= triangleValues {
		s.upper = newBlocking(s)
	}
	for i, spans := range s.spans {
		from := 0
		for _, x := range spans {
			for lo := x.lo; lo < x.hi; lo += g.rows {
				hi := min(lo+g.rows, x.hi)
				s.blocks = append(s.blocks, rowBlock{i, from, lo, hi})
				from = hi
			}
		}
		if from < n {
			s.blocks = append(s.blocks, rowBlock{i, from, n, n})
		}
	}
	return s
}

// find returns the spans of matrix i.
func (s *Stack) find(i int) []span {
	n, a := s.n, s.data[i*s.n*s.n:(i+1)*s.n*s.n]
	var spans []span
	for r := range n {
		if a[r*n+r] == 0 && zero(a[r*n:(r+1)*n]) {
			continue
		}
		if k := len(spans) - 1; k >= 0 && r-spans[k].hi < shortestGap {
			spans[k].hi = r + 1
		} else {
			spans = append(spans, span{r, r + 1})
		}
	}
	return spans
}

// zero reports whether all values of x are zero.
func zero(x []float64) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

// Project computes Phi_i F for every matrix of the stack, F being n×m. dst is
// n×(c·m): the products stand side by side, Phi_i F in the columns from i·m on.
//
// Every matrix is read once, where it lies. Of a large stack (n at least 128, 2 MB in all) only
// the upper triangles are read, where m is at most 12 and the processor has AVX2: half the values, for
// as many products. That takes scratch memory, at most an eighth of the stack's. Otherwise it is
// done as by the function [Project]. Matrices and their parts run in parallel.
func (s *Stack) Project(m int, f []float64, ldf int, dst []float64, lddst int) {
	check("F", len(f), s.n, m, ldf)
	check("dst", len(dst), s.n, s.c*m, lddst)
	switch {
	case s.c == 0 || s.n == 0 || m == 0:
	case s.upper != nil && m <= rowKernelsOf(s.path).triangleColumns:
		s.upper.project(s, m, f, ldf, dst, lddst)
	default:
		s.projectRows(m, f, ldf, dst, lddst)
	}
}

// projectRows is Project by blocks of rows of both triangles.
func (s *Stack) projectRows(m int, f []float64, ldf int, dst []float64, lddst int) {
	n := s.n
	p := newProjection(s.path, n, m, 1, f, ldf, false)
	defer giveBack(p.memory)
	par.For(len(s.blocks), p.grain(), func(worker, lo, hi int) {
		for _, b := range s.blocks[lo:hi] {
			out := dst[b.matrix*m:]
			for r := b.from; r < b.lo; r++ {
				clear(out[r*lddst : r*lddst+m])
			}
			if b.lo < b.hi {
				p.rows(b.lo, b.hi, n, s.spans[b.matrix], s.data[b.matrix*n*n:], n, out, lddst, worker)
			}
		}
	})
}
