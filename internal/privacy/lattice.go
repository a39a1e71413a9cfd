package privacy

import (
	"math"

	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

const (
	side   = 1 << 15 // upper limit of the length of a row's lattice vector
	sideSq = side * side
	// mostRows limits the rows of a release: with more rows, the sums of |q|² would not fit in 64 bits.
	mostRows = 1 << 33
)

// top returns the length to which rows on the sphere are scaled. Rounding moves a vector of d elements by at most
// √d/2.
func top(d int) float64 { return side - math.Sqrt(float64(d))/2 }

// toLattice clips a row to the ball of the given radius and replaces it with its lattice vector: integers with |q| <=
// side. So that every row has a lattice vector, NaN becomes zero, and so does a row with an infinite length.
func toLattice(row []float64, radius float64) {
	squares := sumOfSquares(row)
	if squares != squares {
		for i, v := range row {
			if math.IsNaN(v) {
				row[i] = 0
			}
		}
		squares = sumOfSquares(row)
	}
	factor := top(len(row)) / radius
	if math.IsInf(squares, 1) || math.IsInf(factor, 1) {
		clear(row)
		return
	}
	if length := math.Sqrt(squares); length > radius {
		factor *= radius / length
	}
	for i, v := range row {
		// Adding and subtracting 1.5·2⁵² rounds to even. The conversion keeps compilers from fusing the operations.
		row[i] = (float64(v*factor) + 3<<51) - 3<<51
	}
	norm := int64(vec.Dot(row, row)) // exact: sums of integers below 2⁵³
	for norm > sideSq {              // rounding errors of the length; every nonzero element becomes smaller
		shrink := math.Sqrt(sideSq/float64(norm)) * (1 - 1.0/(1<<20))
		norm = 0
		for i, q := range row {
			q = math.Trunc(q * shrink)
			row[i] = q
			norm += int64(q) * int64(q)
		}
	}
}

// sumOfSquares returns the sum of the squares of row, with the same bits on every processor.
func sumOfSquares(row []float64) float64 {
	var a, b, c, d float64
	for ; len(row) >= 4; row = row[4:] {
		a += float64(row[0] * row[0])
		b += float64(row[1] * row[1])
		c += float64(row[2] * row[2])
		d += float64(row[3] * row[3])
	}
	for _, v := range row {
		a += float64(v * v)
	}
	return (a + b) + (c + d)
}

// sums are the sums of a release. The sums are integers, so the bits do not depend on the order of the rows or the
// number of processors.
type sums struct {
	groups, dim int
	squares     squaresOf
	counts      []int64 // one per group
	first       []int64 // groups×dim
	second      []int64 // upper triangles, row by row, of each group or of all rows; or one trace
	rows        int64   // all rows that were added; never published

	products []float64 // products of pending rows, not yet added to second
	pending  int
	linear   []float64 // for add: the sums of a block
	vec      []float64 // for addRows: lattice vectors of a block
	mapper   *mapper   // for addRows
}

// squaresOf specifies for which rows a release has second moments.
type squaresOf int

const (
	squaresOfClasses squaresOf = iota // of each group
	squaresOfAll                      // of all rows together
	squaresTrace                      // only the trace, of all rows
)

// secondLen returns the number of values in the second moments.
func secondLen(groups, dim int, of squaresOf) int {
	switch of {
	case squaresTrace:
		return 1
	case squaresOfAll:
		return vec.PackedLen(dim)
	}
	return groups * vec.PackedLen(dim)
}

func newSums(groups, dim int, of squaresOf) *sums {
	return &sums{groups: groups, dim: dim, squares: of, counts: make([]int64, groups),
		first: make([]int64, groups*dim), second: make([]int64, secondLen(groups, dim, of))}
}

// add adds lattice vectors, rows of dim values, to the sums of their groups, 0 to groups-1. Values and products are
// summed in floating point, which is exact for up to 2²³ rows.
func (s *sums) add(q []float64, group []int) {
	const block = 1 << 22
	for len(group) > block {
		s.add(q[:block*s.dim], group[:block])
		q, group = q[block*s.dim:], group[block:]
	}
	d := s.dim
	s.rows += int64(len(group))
	if s.linear == nil {
		s.linear = make([]float64, len(s.first))
	}
	for i, g := range group {
		s.counts[g]++
		vec.Axpy(s.linear[g*d:(g+1)*d], 1, q[i*d:(i+1)*d])
	}
	for j, v := range s.linear {
		s.first[j] += int64(v)
	}
	clear(s.linear)
	switch s.squares {
	case squaresTrace:
		s.second[0] += int64(vec.Dot(q, q))
	case squaresOfAll:
		if s.products == nil {
			s.products = make([]float64, d*d)
		}
		if s.pending += len(group); s.pending > block {
			s.pending -= len(group)
			s.flush()
			s.pending = len(group)
		}
		dense.SyrkUpper(d, len(group), q, d, s.products, d)
	case squaresOfClasses:
		at := 0
		sorted := make([]float64, len(q))
		for g := range s.groups {
			from := at
			for i, of := range group {
				if of == g {
					copy(sorted[at*d:], q[i*d:(i+1)*d])
					at++
				}
			}
			if at > from {
				addProducts(s.second[g*vec.PackedLen(d):(g+1)*vec.PackedLen(d)], sorted[from*d:at*d], at-from, d)
			}
		}
	}
}

// addProducts adds the upper triangle of Σ qq' of the rows.
func addProducts(to []int64, q []float64, rows, d int) {
	products := make([]float64, d*d)
	dense.SyrkUpper(d, rows, q, d, products, d)
	addTriangle(to, products, d)
}

// flush adds the products of pending rows to the second moment of all rows.
func (s *sums) flush() {
	if s.pending == 0 {
		return
	}
	addTriangle(s.second, s.products, s.dim)
	clear(s.products)
	s.pending = 0
}

// addTriangle adds the upper triangle of a matrix of integers.
func addTriangle(to []int64, products []float64, d int) {
	par.For(d, 64, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := to[i*d-i*(i-1)/2:]
			for j := i; j < d; j++ {
				row[j-i] += int64(products[i*d+j])
			}
		}
	})
}
