package main

import (
	"fmt"

	"rao/internal/linalg/asmwriter"
)

// rowBlock emits
//
//	func rowsWxD(k int, a *float64, lda int, f, dots *float64, ldd int, acc *float64)
//
// which adds A F to acc for a block of `rows` rows of A, read in place; lda is the row stride in bytes. F has `width`
// vectors of columns, packed in f with `width` vectors per row, and `dots` single columns, stored one after the other
// in dots, ldd bytes apart. A product with a vector of columns uses one element of A and one row of F. A product with a
// single column uses as many elements of A and of the column as a vector holds, so no lane is idle.
//
// acc holds width vectors for every row, packed like f, followed by the partial sums of every row and single column,
// which the caller still has to add. Each lane has one partial sum. With AVX2, two vectors of partial sums stay in
// memory, so their number is the same as with AVX-512. The rows are not prefetched, because the processor's own
// prefetching was faster in tests.
func (s *source) rowBlock(width, dots int) {
	s.Begin(fmt.Sprintf("rows%dx%d%s", width, dots, s.Name), "k int, a *float64, lda int, f, dots *float64, ldd int, "+
		"acc *float64")
	turn := unroll // steps of k per turn
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
	kept := width + dots // accumulators per row
	if inMemory {
		kept = width
	}
	s.accumulators(kept, func(reg, offset int) { s.Op("VMOVUPD %d(R11), %s", offset, s.Vec(reg)) })
	s.Op("MOVQ AX, R10")
	s.Op("SHRQ $%d, R10", asmwriter.Log2(turn))
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

// dotColumns lists the registers that point to the single columns.
var dotColumns = [...]string{"BX", "CX", "R13"}

// accumulators calls do for every accumulator and its offset in acc.
func (s *source) accumulators(width int, do func(reg, offset int)) {
	for i := range s.rows * width {
		do(s.first+i, i*s.Bytes)
	}
}

// rowAt returns the address of an element of row r of the block.
func (s *source) rowAt(r, offset int) string {
	address := [...]string{"(%s)", "(%s)(R8*1)", "(%s)(R8*2)", "(%s)(R9*1)"}
	base := "SI"
	if r >= 4 {
		base = "DI"
	}
	return fmt.Sprintf("%d"+address[r%4], offset, base)
}

// dotStep emits the products of the next vector of each row with the next vector of the single columns, and advances
// the pointers of the columns.
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

// dot returns the accumulator of row r and single column d.
func (s *source) dot(width, dots, r, d int) int { return s.first + s.rows*width + r*dots + d }

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

// lastStep emits one step of k for all columns and advances the pointers. Single columns contribute one element; their
// other lanes are zero.
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

func (s *source) advance(width, n int) {
	s.Op("ADDQ $%d, SI", n*8)
	if s.rows > 4 {
		s.Op("ADDQ $%d, DI", n*8)
	}
	if width > 0 {
		s.Op("ADDQ $%d, DX", n*width*s.Bytes)
	}
}
