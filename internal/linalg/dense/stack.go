package dense

import (
	"rao/internal/linalg/cpu"
	"rao/internal/par"
)

// Stack is several symmetric matrices of the same order, stored one after the other with both triangles, which must
// agree. A stack records which rows are zero, and products skip these rows and columns. A feature that is constant
// within a class, for example a pixel at the border of an image, gives a row of zeros in the covariance of the class.
type Stack struct {
	path   cpu.Path
	c, n   int
	data   []float64
	spans  [][]span // for every matrix: where its rows are not zero
	blocks []rowBlock
	upper  *blocking // nil if products read both triangles
}

// span is a range of rows and, because the matrix is symmetric, of columns.
type span struct{ lo, hi int }

// rowBlock is a piece of work: rows lo to hi-1 of a matrix, and the rows of zeros from row from to row lo-1.
type rowBlock struct{ matrix, from, lo, hi int }

// shortestGap is the smallest number of rows of zeros that separates two spans. A shorter gap saves no time, because
// the processor reads entire cache lines and each span has a start-up cost.
const shortestGap = 16

// NewStack returns a stack of c symmetric n×n matrices in data. It keeps data, which must not change.
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

// Project computes Phi_i F for every matrix of the stack; F is n×m. dst is n×(c·m), with the products side by side:
// Phi_i F is in the columns from i·m on.
//
// Every matrix is read once, in place. For a large stack (n at least 128, 2 MB or more in total) and m at most 12,
// processors with AVX2 read only the upper triangles: half the values, for as many products. This needs scratch memory
// of at most an eighth of the stack's size. Otherwise each product is computed as by the function [Project]. Matrices
// and parts of them run in parallel.
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

// projectRows is Project by blocks of rows, reading both triangles.
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
