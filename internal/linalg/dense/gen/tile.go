package main

import "fmt"

// unroll is the number of steps of k per turn of a loop.
const unroll = 4

// tile emits
//
//	func tileNNxW(k int, a, b *T, alpha float64, c *float64, ldc int)
//
// which adds alpha A'B to a tile of C with `rows` rows and `width` vectors. a and b point into packed panels. For
// every k, a panel holds `columns` vectors. The tile's columns (B) are the first `width` of them, its rows (A) the
// first `rows` elements. C is always float64; ldc is its row stride in bytes. For bytes the panels start with a head,
// and k counts their rows; see whole.go.
//
// All of the tile stays in registers. Each step of k loads the vectors of B. For each row it broadcasts one element of
// A and does one fused multiply-add per vector. The tile is prefetched row by row during the first turns of the loop.
func (s *source) tile(e element, width int) {
	s.Begin(fmt.Sprintf("tile%dx%d%s", e.bits, width, s.Name),
		fmt.Sprintf("k int, a, b *float%d, alpha float64, c *float64, ldc int", 8*e.bytes))
	s.LoadArg("k", "AX")
	s.LoadArg("a", "SI")
	s.LoadArg("b", "DI")
	s.LoadArg("c", "DX")
	s.LoadArg("ldc", "R8")
	if e == whole {
		s.head(width)
	} else {
		for i := range s.rows * width {
			s.Op("%s %[2]s, %[2]s, %[2]s", s.clear, s.Vec(s.first+i))
		}
	}
	s.Op("MOVQ DX, R9")
	s.Op("MOVQ AX, R10")
	s.Op("SHRQ $2, R10") // turns of the unrolled loop
	s.Op("ANDQ $3, AX")  // remaining steps
	s.Op("MOVQ $%d, R11", s.rows)

	s.Place("prefetching")
	s.Op("TESTQ R10, R10")
	s.Op("JZ rest")
	s.steps(e, width, unroll)
	row := width * s.Bytes / e.bytes * 8 // bytes in a row of C
	for line := 0; line < row; line += 64 {
		s.Op("PREFETCHT0 %d(R9)", line)
	}
	s.Op("PREFETCHT0 %d(R9)", row-1)
	s.Op("ADDQ R8, R9")
	s.Op("DECQ R10")
	s.Op("DECQ R11")
	s.Op("JNZ prefetching")

	s.turns(func() { s.steps(e, width, unroll) })
	s.Countdown("AX", "rest", "store", func() { s.steps(e, width, 1) })
	s.Op("VBROADCASTSD %s, %s", s.Arg("alpha"), s.Vec(0))
	for r := range s.rows {
		for v := range width {
			acc := s.first + width*r + v
			if e.bytes == 8 {
				s.update(acc, v*s.Bytes)
				continue
			}
			s.Op("%s %s, %s", e.widen, s.Half(acc), s.Vec(1))
			s.Op("%s $1, %s, %s", s.upper, s.Vec(acc), s.Half(2))
			s.Op("%s %s, %s", e.widen, s.Half(2), s.Vec(2))
			s.update(1, 2*v*s.Bytes)
			s.update(2, (2*v+1)*s.Bytes)
		}
		if r < s.rows-1 {
			s.Op("ADDQ R8, DX")
		}
	}
	s.End()
}

// turns emits a loop that runs body R10 times, and jumps to rest if R10 is 0.
func (s *source) turns(body func()) {
	s.Place("turns")
	s.Op("TESTQ R10, R10")
	s.Op("JZ rest")
	s.Op("PCALIGN $32")
	s.Place("turn")
	body()
	s.Op("DECQ R10")
	s.Op("JNZ turn")
}

// update adds a register, times alpha (in register 0), to C at an offset.
func (s *source) update(reg, offset int) {
	s.Op("VFMADD213PD %d(DX), %s, %s", offset, s.Vec(0), s.Vec(reg))
	s.Op("VMOVUPD %s, %d(DX)", s.Vec(reg), offset)
}

func (s *source) steps(e element, width, n int) {
	panel := columns * s.Bytes // bytes of a panel for each k
	spare := s.first - columns // registers for elements of A
	if e == whole {
		spare = signs - columns
	}
	for step := range n {
		if s.ARM() {
			s.laneStep(e, width, step*panel)
			continue
		}
		for v := range width {
			if at := step*panel + v*s.Bytes; e == whole {
				s.Op("VPXORD %d(DI), %s, %s", at, s.Vec(signs), s.Vec(v))
			} else {
				s.Op("VMOVU%s %d(DI), %s", e.suffix, at, s.Vec(v))
			}
		}
		for r := range s.rows {
			a := columns + r%spare
			s.Op("%s %d(SI), %s", e.broadcast, step*panel+r*e.bytes, s.Vec(a))
			for v := range width {
				s.Op("%s %s, %s, %s", e.multiply, s.Vec(v), s.Vec(a), s.Vec(s.first+width*r+v))
			}
		}
	}
	s.Op("ADDQ $%d, SI", n*panel)
	s.Op("ADDQ $%d, DI", n*panel)
}
