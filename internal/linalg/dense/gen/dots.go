package main

import "fmt"

// dotLanes is the number of partial sums of a single column on amd64, for AVX2 and AVX-512.
const dotLanes = 8

// dotParts returns the number of vectors that hold the partial sums of a single column.
func (s *source) dotParts() int {
	if s.ARM() {
		return 1
	}
	return dotLanes / s.Lanes()
}

// dotInMemory returns the address of one part of the sums of row r and single column d.
func (s *source) dotInMemory(width, dots, r, d, part int) string {
	return fmt.Sprintf("%d(R11)", (s.rows*width+(r*dots+d)*s.dotParts()+part)*s.Bytes)
}

// dotStepInMemory is dotStep for kernels with too few registers for the sums.
func (s *source) dotStepInMemory(width, dots int) {
	for d := range dots {
		for part := range s.dotParts() {
			column := s.Vec((d*s.dotParts() + part) % 2)
			s.Op("VMOVUPD %d(%s), %s", part*s.Bytes, dotColumns[d], column)
			for r := range s.rows {
				a, sum := s.Vec(2+r%2), s.dotInMemory(width, dots, r, d, part)
				s.Op("VMOVUPD %s, %s", s.rowAt(r, part*s.Bytes), a)
				s.Op("VFMADD213PD %s, %s, %s", sum, column, a)
				s.Op("VMOVUPD %s, %s", a, sum)
			}
		}
		s.Op("ADDQ $%d, %s", dotLanes*8, dotColumns[d])
	}
}

// lastDotsInMemory emits one step of k for the single columns: it multiplies one element of each, with zeros in the
// other lanes.
func (s *source) lastDotsInMemory(width, dots int) {
	s.Op("VXORPD %[1]s, %[1]s, %[1]s", s.Vec(1))
	for d := range dots {
		s.Op("VMOVSD (%s), X0", dotColumns[d])
		s.Op("ADDQ $8, %s", dotColumns[d])
		for r := range s.rows {
			for part := range s.dotParts() {
				sum := s.dotInMemory(width, dots, r, d, part)
				s.Op("VBROADCASTSD %s, %s", s.rowAt(r, 0), s.Vec(2))
				s.Op("VFMADD213PD %s, %s, %s", sum, s.Vec(min(part, 1)), s.Vec(2))
				s.Op("VMOVUPD %s, %s", s.Vec(2), sum)
			}
		}
	}
}

// dotBlock emits rows0xD for AVX2, with as many partial sums as AVX-512: two vectors for each row and column. With one
// column, the sums of four rows fill the registers; with more columns, it processes two rows at a time.
func (s *source) dotBlock(dots int) {
	s.Begin(fmt.Sprintf("rows0x%d%s", dots, s.Name), "k int, a *float64, lda int, f, dots *float64, ldd int, "+
		"acc *float64")
	rows, parts := 4, s.dotParts()
	if dots > 1 {
		rows = 2
	}
	sum := func(r, d, part int) string { return s.Vec(s.first + (r*dots+d)*parts + part) }
	each := func(do func(r, d, part int)) {
		for i := range rows * dots * parts {
			do(i/parts/dots, i/parts%dots, i%parts)
		}
	}
	s.LoadArg("a", "SI")
	s.LoadArg("lda", "R8")
	s.LoadArg("acc", "R11")
	s.Op("LEAQ (R8)(R8*2), R9")
	s.Op("MOVQ $%d, DI", s.rows/rows)
	s.Place("rows")
	s.LoadArg("k", "AX")
	s.LoadArg("ldd", "R10")
	s.LoadArg("dots", dotColumns[0])
	for d := 1; d < dots; d++ {
		s.Op("LEAQ (%s)(R10*1), %s", dotColumns[d-1], dotColumns[d])
	}
	s.Op("MOVQ SI, R12")
	each(func(r, d, part int) { s.Op("VMOVUPD %d(R11), %s", ((r*dots+d)*parts+part)*s.Bytes, sum(r, d, part)) })
	s.Op("MOVQ AX, R10")
	s.Op("SHRQ $3, R10")
	s.Op("ANDQ $7, AX")
	s.turns(func() { s.dotTurn(rows, dots, sum) })
	s.Countdown("AX", "rest", "store", func() { s.dotRest(rows, dots, sum) })
	each(func(r, d, part int) { s.Op("VMOVUPD %s, %d(R11)", sum(r, d, part), ((r*dots+d)*parts+part)*s.Bytes) })
	s.Op("ADDQ $%d, R11", rows*dots*parts*s.Bytes)
	s.Op("LEAQ (R12)(R8*%d), SI", rows)
	s.Op("DECQ DI")
	s.Op("JNZ rows")
	s.End()
}

// dotTurn emits the products of the next eight elements of each row with the elements of the columns.
func (s *source) dotTurn(rows, dots int, sum func(r, d, part int) string) {
	for part := range s.dotParts() {
		for d := range dots {
			s.Op("VMOVUPD %d(%s), %s", part*s.Bytes, dotColumns[d], s.Vec(d))
		}
		for r := range rows {
			a := s.Vec(dots + r%(s.first-dots))
			s.Op("VMOVUPD %s, %s", s.rowAt(r, part*s.Bytes), a)
			for d := range dots {
				s.Op("VFMADD231PD %s, %s, %s", s.Vec(d), a, sum(r, d, part))
			}
		}
	}
	for d := range dots {
		s.Op("ADDQ $%d, %s", 8*dotLanes, dotColumns[d])
	}
	s.Op("ADDQ $%d, SI", 8*dotLanes)
}

// dotRest emits one step of k: it multiplies one element of each column, with zeros in the other lanes.
func (s *source) dotRest(rows, dots int, sum func(r, d, part int) string) {
	element, a, zero := s.Vec(0), s.Vec(1), s.Vec(2)
	s.Op("VXORPD %[1]s, %[1]s, %[1]s", zero)
	for d := range dots {
		s.Op("VMOVSD (%s), X0", dotColumns[d])
		s.Op("ADDQ $8, %s", dotColumns[d])
		for r := range rows {
			s.Op("VBROADCASTSD %s, %s", s.rowAt(r, 0), a)
			s.Op("VFMADD231PD %s, %s, %s", element, a, sum(r, d, 0))
			for part := 1; part < s.dotParts(); part++ {
				s.Op("VFMADD231PD %s, %s, %s", zero, a, sum(r, d, part))
			}
		}
	}
	s.Op("ADDQ $8, SI")
}
