package main

// pack emits
//
//	func packNN(k int, src unsafe.Pointer, stride int, dst unsafe.Pointer)
//
// which copies, for every k, `columns` vectors from rows of src, stride bytes
// apart, to a panel. Rows are prefetched eight ahead.
func (s *source) pack() {
	name := "pack" + s.name
	s.function("func "+name+"(k int, src unsafe.Pointer, stride int, dst unsafe.Pointer)", name, 32)
	s.op("MOVQ k+0(FP), AX")
	s.op("MOVQ src+8(FP), SI")
	s.op("MOVQ stride+16(FP), R8")
	s.op("MOVQ dst+24(FP), DI")
	s.label("row")
	s.op("TESTQ AX, AX")
	s.op("JZ done")
	for v := range columns {
		s.op("VMOVUPD %d(SI), %s", v*s.bytes, s.vec(v))
	}
	for at := 0; at < columns*s.bytes; at += 64 {
		s.op("PREFETCHT0 %d(SI)(R8*8)", at)
	}
	for v := range columns {
		s.op("VMOVUPD %s, %d(DI)", s.vec(v), v*s.bytes)
	}
	s.op("ADDQ R8, SI")
	s.op("ADDQ $%d, DI", columns*s.bytes)
	s.op("DECQ AX")
	s.op("JMP row")
	s.label("done")
	s.end()
}

// widen emits
//
//	func widenNN(n int, src *float32, dst *float64)
//
// which converts n values, n a multiple of 8.
func (s *source) widen() {
	name := "widen" + s.name
	s.function("func "+name+"(n int, src *float32, dst *float64)", name, 24)
	s.op("MOVQ n+0(FP), AX")
	s.op("MOVQ src+8(FP), SI")
	s.op("MOVQ dst+16(FP), DI")
	s.op("SHRQ $3, AX")
	s.label("eight")
	s.op("TESTQ AX, AX")
	s.op("JZ done")
	for at := 0; at < 64; at += s.bytes {
		s.op("VCVTPS2PD %d(SI), %s", at/2, s.vec(0))
		s.op("VMOVUPD %s, %d(DI)", s.vec(0), at)
	}
	s.op("ADDQ $32, SI")
	s.op("ADDQ $64, DI")
	s.op("DECQ AX")
	s.op("JMP eight")
	s.label("done")
	s.end()
}
