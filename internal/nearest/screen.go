package nearest

import (
	"math"

	"rao/internal/linalg/dense"
	"rao/internal/linalg/eig"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

const (
	// fewDimensions is the number of dimensions up to which a screen uses all of them.
	fewDimensions = 32
	// leadingShare is the share of the rows' scatter along the directions of a screen for data with more dimensions.
	leadingShare = 0.97
	// scatterRows is the number of rows, evenly spaced, from which the directions are computed.
	scatterRows = 8192
	// beyond is a squared norm that is too large for single precision.
	beyond = 0x1p120
)

// screen gives a lower bound of distances from the distance along a few orthonormal directions P and the difference of
// the lengths of the remainders:
//
//	‖a - b‖² ≥ ‖P'(a-b)‖² + (‖a - PP'a‖ - ‖b - PP'b‖)²
//
// The bound is computed as a product in single precision, with an allowance for rounding.
type screen struct {
	n, lead    int       // number of dimensions and of directions
	mean       []float64 // subtracted from the rows first
	directions []float64 // n×lead; nil if all coordinates are used
	width      int       // values per screened row
	// rounding·(‖a‖²/2 + ‖b‖²) is an upper bound of the error of a product.
	rounding float64
}

// screened contains rows prepared for a screen. The product of left of a and right of b is an upper bound of a'b -
// ‖b‖²/2, so a distance can be below a limit only if
//
//	product > half(a) - limit/2
type screened struct {
	left, right []float32
	half        []float64 // ‖a‖²/2 minus the allowance; -Inf if all pairs pass
}

// newScreen returns a screen with the directions in which the rows vary most.
func newScreen(x []float64, rows, n int) *screen {
	s := &screen{n: n, lead: n, mean: make([]float64, n)}
	for i := range rows {
		vec.Axpy(s.mean, 1/float64(rows), x[i*n:(i+1)*n])
	}
	if n > fewDimensions {
		s.principal(x, rows)
	}
	s.width = s.lead + 2
	s.rounding = 4 * float64(s.width+4) * 0x1p-24
	return s
}

// principal sets the directions, unless more than three quarters of the dimensions are needed.
func (s *screen) principal(x []float64, rows int) {
	n, step := s.n, max(1, rows/scatterRows)
	some := make([]float64, 0, (rows/step+1)*n)
	for i := 0; i < rows; i += step {
		some = append(some, x[i*n:(i+1)*n]...)
	}
	s.center(some)
	scatter, values := make([]float64, n*n), make([]float64, n)
	dense.Syrk(n, len(some)/n, 1, some, n, 0, scatter, n)
	if eig.Sym(values, scatter, n, true, make([]float64, eig.WorkLen(n))) != nil {
		return
	}
	total, sum, k := 0.0, 0.0, 0
	for _, v := range values {
		total += v
	}
	for ; k < n && (sum < leadingShare*total || k < fewDimensions); k++ {
		sum += values[n-1-k]
	}
	if 4*k > 3*n {
		return
	}
	s.lead, s.directions = k, make([]float64, n*k)
	for i := range n {
		for j := range k {
			s.directions[i*k+j] = scatter[i*n+n-1-j]
		}
	}
}

// center subtracts the mean from rows.
func (s *screen) center(x []float64) {
	par.For(len(x)/s.n, 512, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := x[i*s.n : (i+1)*s.n]
			for j, v := range s.mean {
				row[j] -= v
			}
		}
	})
}

// rows centers rows in place and prepares them for the screen.
func (s *screen) rows(x []float64) screened {
	n, h, rows := s.n, s.lead, len(x)/s.n
	s.center(x)
	lead := x
	if s.directions != nil {
		lead = make([]float64, rows*h)
		dense.Gemm(false, false, rows, h, n, 1, x, n, s.directions, h, 0, lead, h)
	}
	v := screened{left: make([]float32, rows*s.width), right: make([]float32, rows*s.width),
		half: make([]float64, rows)}
	par.For(rows, 512, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			s.write(v, i, lead[i*h:(i+1)*h], vec.Dot(x[i*n:(i+1)*n], x[i*n:(i+1)*n]))
		}
	})
	return v
}

// write sets row i from its leading coordinates and its squared norm.
func (s *screen) write(v screened, i int, lead []float64, norm float64) {
	l, r := v.left[i*s.width:(i+1)*s.width], v.right[i*s.width:(i+1)*s.width]
	v.half[i], l[s.lead+1] = math.Inf(-1), 1
	if !(norm < beyond) {
		r[s.lead+1] = beyond
		return
	}
	for j, x := range lead {
		l[j] = float32(x)
	}
	l[s.lead] = float32(math.Sqrt(max(norm-vec.Dot(lead, lead), 0)))
	copy(r, l[:s.lead+1])
	v.half[i] = (1 - s.rounding) * norm / 2
	r[s.lead+1] = float32((2*s.rounding - 1) * norm / 2)
}

// products writes the products of count rows of a, starting at row i, with the given number of rows of b, starting at
// row j. dst has one row per row of a.
func (s *screen) products(dst []float64, a screened, i, count int, b screened, j, others int) {
	w := s.width
	clear(dst[:count*others])
	dense.Gemm32(false, true, count, others, w, a.left[i*w:], w, b.right[j*w:], w, dst, others)
}
