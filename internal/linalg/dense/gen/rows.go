package main

import (
	"fmt"

	"rao/internal/linalg/asm"
)

// rowBlock emits
//
//	func rowsWxD(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)
//
// which adds A F to acc for a block of `rows` rows of A, read where they lie (lda
// is the row stride in bytes). F has `width` vectors of columns, packed in f with
// `width` vectors a row, and `dots` columns more that lie in dots one after the
// other, ldd bytes apart. A product with a vector of columns takes each element of
// A and a row of F; one with a single column takes as many elements of A and of
// the column as a vector holds, so that no lane is idle.
//
// acc holds width vectors for every row, packed like f, and then the partial sums of
// every row and single column, which remain to be added. There are as many as a vector
// has lanes, or with AVX2 two vectors of them, as AVX-512 has: these stay in memory. The
// processor's own prefetching of the rows is better than any that was tried.
func (s *source) rowBlock(width, dots int) {
	s.Begin(fmt.Sprintf("rows%dx%d%s", width, dots, s.Name), "k int, a *float64, lda int, f, dots *float64, ldd int, "+
		"acc *float64")
	turn := unroll // steps of k in one turn
	inMemory := dots > 0 && s.dotParts() > 1
	if dots > 0 {
		turn = s.Lanes() * s.dotParts()
	}
	s.LoadArg("k", "AX")
	s.LoadArg("a", "SI")
	s.LoadArg("lda", "R8")
	s.LoadArg("f", "DX")
	s.LoadArg("acc", "R11")
	s.Op("LEAQ (R8)(R8*2), R9")
	if s.rows > 4 {
		s.Op("LEAQ (SI)(R8*4), DI")
	}
	for d := range dots {
		if d == 0 {
			s.LoadArg("dots", dotColumns[0])
			s.LoadArg("ldd", "R10")
			continue
		}
		s.Op("LEAQ (%s)(R10*1), %s", dotColumns[d-1], dotColumns[d])
	}
	kept := width + dots // accumulators of a row
	if inMemory {
		kept = width
	}
	s.accumulators(kept, func(reg, offset int) { s.Op("VMOVUPD %d(R11), %s", offset, s.Vec(reg)) })
	s.Op("MOVQ AX, R10")
	s.Op("SHRQ $%d, R10", asm.Log2(turn))
	s.Op("ANDQ $%d, AX", turn-1)

	s.turns(func() {
		switch {
		case inMemory:
			s.dotStepInMemory(width, dots)
		case dots > 0:
			s.dotStep(width, dots)
		}
		s.rowSteps(width, turn)
	})
	s.Countdown("AX", "rest", "store", func() {
		if inMemory {
			s.lastDotsInMemory(width, dots)
			s.lastStep(width, 0)
			return
		}
		s.lastStep(width, dots)
	})
	s.accumulators(kept, func(reg, offset int) { s.Op("VMOVUPD %s, %d(R11)", s.Vec(reg), offset) })
	s.End()
}

// dotColumns point to the columns beyond the vectors.
var dotColumns = [...]string{"BX", "CX", "R13"}

// accumulators calls do for every accumulator and its place in acc.
func (s *source) accumulators(width int, do func(reg, offset int)) {
	for i := range s.rows * width {
		do(s.first+i, i*s.Bytes)
	}
}

// rowAt is the address of an element of row r of the block.
func (s *source) rowAt(r, offset int) string {
	address := [...]string{"(%s)", "(%s)(R8*1)", "(%s)(R8*2)", "(%s)(R9*1)"}
	base := "SI"
	if r >= 4 {
		base = "DI"
	}
	return fmt.Sprintf("%d"+address[r%4], offset, base)
}

// dotStep emits the products of the rows' next elements, a vector of them, with
// those of the columns beyond the vectors, and moves the columns' pointers.
func (s *source) dotStep(width, dots int) {
	for d := range dots {
		s.Op("VMOVUPD (%s), %s", dotColumns[d], s.Vec(d))
	}
	for r := range s.rows {
		a := columns + r%(s.first-columns)
		s.Op("VMOVUPD %s, %s", s.rowAt(r, 0), s.Vec(a))
		for d := range dots {
			s.Op("VFMADD231PD %s, %s, %s", s.Vec(d), s.Vec(a), s.Vec(s.dot(width, dots, r, d)))
		}
	}
	for d := range dots {
		s.Op("ADDQ $%d, %s", s.Bytes, dotColumns[d])
	}
}

// dot is the accumulator of row r and column d beyond the vectors.
func (s *source) dot(width, dots, r, d int) int { return s.first + s.rows*width + r*dots + d }

// rowSteps emits n steps of k and moves the pointers past them.
func (s *source) rowSteps(width, n int) {
	for step := range n {
		if width == 0 {
			break
		}
		if s.ARM() {
			if step%2 == 0 {
				s.rowPair(width, step)
			}
			continue
		}
		for v := range width {
			s.Op("VMOVUPD %d(DX), %s", (step*width+v)*s.Bytes, s.Vec(v))
		}
		for r := range s.rows {
			a := columns + r%(s.first-columns)
			s.Op("VBROADCASTSD %s, %s", s.rowAt(r, step*8), s.Vec(a))
			for v := range width {
				s.Op("VFMADD231PD %s, %s, %s", s.Vec(v), s.Vec(a), s.Vec(s.first+width*r+v))
			}
		}
	}
	s.advance(width, n)
}

// lastStep emits one step of k for all columns and moves the pointers past it. A
// column beyond the vectors gives one element and zeros.
func (s *source) lastStep(width, dots int) {
	for v := range width {
		s.Op("VMOVUPD %d(DX), %s", v*s.Bytes, s.Vec(v))
	}
	for d := range dots {
		s.Op("VMOVSD (%s), X%d", dotColumns[d], width+d)
		s.Op("ADDQ $8, %s", dotColumns[d])
	}
	for r := range s.rows {
		a := columns + r%(s.first-columns)
		s.Op("VBROADCASTSD %s, %s", s.rowAt(r, 0), s.Vec(a))
		for v := range width {
			s.Op("VFMADD231PD %s, %s, %s", s.Vec(v), s.Vec(a), s.Vec(s.first+width*r+v))
		}
		for d := range dots {
			s.Op("VFMADD231PD %s, %s, %s", s.Vec(width+d), s.Vec(a), s.Vec(s.dot(width, dots, r, d)))
		}
	}
	s.advance(width, 1)
}

// advance moves the pointers past n steps of k.
func (s *source) advance(width, n int) {
	s.Op("ADDQ $%d, SI", n*8)
	if s.rows > 4 {
		s.Op("ADDQ $%d, DI", n*8)
	}
	if width > 0 {
		s.Op("ADDQ $%d, DX", n*width*s.Bytes)
	}
}
