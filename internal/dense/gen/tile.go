package main

import "fmt"

// unroll is the number of steps of k in one turn of a loop.
const unroll = 4

// tile emits
//
//	func tileNNxW(k int, a, b *T, alpha float64, c *float64, ldc int)
//
// which adds alpha A'B to the tile C of `rows` rows and `width` vectors. A and B
// point into packed panels: for every k, a panel holds `columns` vectors, of which
// the tile takes the first `width` as its columns (B) and the first `rows`
// elements as its rows (A). C is always float64, ldc its row stride in bytes.
//
// All of C stays in registers. Each step of k loads B's vectors, and for each row
// broadcasts one element of A and does one multiplication and addition a vector.
// The tile of C is prefetched row by row during the first turns of the loop.
func (s *source) tile(e element, width int) {
	name := fmt.Sprintf("tile%dx%d%s", e.bits, width, s.name)
	s.function(fmt.Sprintf("func %s(k int, a, b *float%d, alpha float64, c *float64, ldc int)", name, e.bits), name, 48)
	s.op("MOVQ k+0(FP), AX")
	s.op("MOVQ a+8(FP), SI")
	s.op("MOVQ b+16(FP), DI")
	s.op("MOVQ c+32(FP), DX")
	s.op("MOVQ ldc+40(FP), R8")
	for i := range s.rows * width {
		s.zero(s.first + i)
	}
	s.op("MOVQ DX, R9")
	s.op("MOVQ AX, R10")
	s.op("SHRQ $2, R10") // turns of the unrolled loop
	s.op("ANDQ $3, AX")  // steps that remain
	s.op("MOVQ $%d, R11", s.rows)

	s.label("prefetching")
	s.op("TESTQ R10, R10")
	s.op("JZ rest")
	s.steps(e, width, unroll)
	row := width * s.bytes / e.bytes * 8 // bytes of a row of C
	for line := 0; line < row; line += 64 {
		s.op("PREFETCHT0 %d(R9)", line)
	}
	s.op("PREFETCHT0 %d(R9)", row-1)
	s.op("ADDQ R8, R9")
	s.op("DECQ R10")
	s.op("DECQ R11")
	s.op("JNZ prefetching")

	s.label("turns")
	s.op("TESTQ R10, R10")
	s.op("JZ rest")
	s.op("PCALIGN $32")
	s.label("turn")
	s.steps(e, width, unroll)
	s.op("DECQ R10")
	s.op("JNZ turn")

	s.label("rest")
	s.op("TESTQ AX, AX")
	s.op("JZ store")
	s.steps(e, width, 1)
	s.op("DECQ AX")
	s.op("JMP rest")

	s.label("store")
	s.op("VBROADCASTSD alpha+24(FP), %s", s.vec(0))
	for r := range s.rows {
		for v := range width {
			acc := s.first + width*r + v
			if e.bytes == 8 {
				s.update(acc, v*s.bytes)
				continue
			}
			s.op("VCVTPS2PD %s, %s", s.halfOf(acc), s.vec(1))
			s.op("%s $1, %s, %s", s.upper, s.vec(acc), s.halfOf(2))
			s.op("VCVTPS2PD %s, %s", s.halfOf(2), s.vec(2))
			s.update(1, 2*v*s.bytes)
			s.update(2, (2*v+1)*s.bytes)
		}
		if r < s.rows-1 {
			s.op("ADDQ R8, DX")
		}
	}
	s.end()
}

// update adds alpha (in register 0) times a register to C at an offset.
func (s *source) update(reg, offset int) {
	s.op("VFMADD213PD %d(DX), %s, %s", offset, s.vec(0), s.vec(reg))
	s.op("VMOVUPD %s, %d(DX)", s.vec(reg), offset)
}

// steps emits n steps of k and moves the pointers past them.
func (s *source) steps(e element, width, n int) {
	panel := columns * s.bytes // bytes of a panel for one k
	for step := range n {
		for v := range width {
			s.op("VMOVU%s %d(DI), %s", e.suffix, step*panel+v*s.bytes, s.vec(v))
		}
		for r := range s.rows {
			a := columns + r%(s.first-columns)
			s.op("VBROADCAST%s %d(SI), %s", e.scalar, step*panel+r*e.bytes, s.vec(a))
			for v := range width {
				s.op("VFMADD231%s %s, %s, %s", e.suffix, s.vec(v), s.vec(a), s.vec(s.first+width*r+v))
			}
		}
	}
	s.op("ADDQ $%d, SI", n*panel)
	s.op("ADDQ $%d, DI", n*panel)
}
