package main

import "fmt"

// rowBlock emits
//
//	func rowsW(k int, a *float64, lda int, f, acc, next *float64)
//
// which adds A F to acc for a block of `rows` rows of A, read where they lie (lda
// is the row stride in bytes), and F packed with `width` vectors a row; acc is
// packed like F. As much memory as the block has is prefetched from next on.
func (s *source) rowBlock(width int) {
	name := fmt.Sprintf("rows%d%s", width, s.name)
	s.function(fmt.Sprintf("func %s(k int, a *float64, lda int, f, acc, next *float64)", name), name, 48)
	s.op("MOVQ k+0(FP), AX")
	s.op("MOVQ a+8(FP), SI")
	s.op("MOVQ lda+16(FP), R8")
	s.op("MOVQ f+24(FP), DX")
	s.op("MOVQ acc+32(FP), R11")
	s.op("LEAQ (R8)(R8*2), R9")
	s.op("MOVQ next+40(FP), R12")
	if s.rows > 4 {
		s.op("LEAQ (SI)(R8*4), DI")
	}
	s.accumulators(width, func(reg, offset int) { s.op("VMOVUPD %d(R11), %s", offset, s.vec(reg)) })
	s.op("MOVQ AX, R10")
	s.op("SHRQ $2, R10")
	s.op("ANDQ $3, AX")

	s.label("turns")
	s.op("TESTQ R10, R10")
	s.op("JZ rest")
	s.op("PCALIGN $32")
	s.label("turn")
	s.rowSteps(width, unroll)
	next := unroll * 8 * s.rows // bytes of a block in a turn
	for line := 0; line < next; line += 64 {
		s.op("PREFETCHT1 %d(R12)", line)
	}
	s.op("ADDQ $%d, R12", next)
	s.op("DECQ R10")
	s.op("JNZ turn")

	s.label("rest")
	s.op("TESTQ AX, AX")
	s.op("JZ store")
	s.rowSteps(width, 1)
	s.op("DECQ AX")
	s.op("JMP rest")

	s.label("store")
	s.accumulators(width, func(reg, offset int) { s.op("VMOVUPD %s, %d(R11)", s.vec(reg), offset) })
	s.end()
}

// accumulators calls do for every accumulator and its place in acc.
func (s *source) accumulators(width int, do func(reg, offset int)) {
	for i := range s.rows * width {
		do(s.first+i, i*s.bytes)
	}
}

// rowSteps emits n steps of k and moves the pointers past them.
func (s *source) rowSteps(width, n int) {
	address := [...]string{"(%s)", "(%s)(R8*1)", "(%s)(R8*2)", "(%s)(R9*1)"}
	for step := range n {
		for v := range width {
			s.op("VMOVUPD %d(DX), %s", (step*width+v)*s.bytes, s.vec(v))
		}
		for r := range s.rows {
			base := "SI"
			if r >= 4 {
				base = "DI"
			}
			a := columns + r%(s.first-columns)
			s.op("VBROADCASTSD %d"+fmt.Sprintf(address[r%4], base)+", %s", step*8, s.vec(a))
			for v := range width {
				s.op("VFMADD231PD %s, %s, %s", s.vec(v), s.vec(a), s.vec(s.first+width*r+v))
			}
		}
	}
	s.op("ADDQ $%d, SI", n*8)
	if s.rows > 4 {
		s.op("ADDQ $%d, DI", n*8)
	}
	s.op("ADDQ $%d, DX", n*width*s.bytes)
}
