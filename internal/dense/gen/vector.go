package main

import "fmt"

// centre emits
//
//	func centreNN(n int, x, pivot, y *T, sum *float64, largest *T, squares *[8]float64)
//
// which, for n values, n a multiple of 8, writes y = x - pivot, adds y to sum and
// y² to squares, lane by lane, and, for float32, raises largest to |y|. Sums are
// in double; there are 8 lanes in every instruction set, so that all give the
// same sums.
func (s *source) centre(e element) {
	name := fmt.Sprintf("centre%d%s", e.bits, s.name)
	s.function(fmt.Sprintf("func %s(n int, x, pivot, y *float%d, sum *float64, largest *float%[2]d, squares *[8]float64)", name, e.bits), name, 56)
	s.op("MOVQ n+0(FP), AX")
	s.op("MOVQ x+8(FP), SI")
	s.op("MOVQ pivot+16(FP), DI")
	s.op("MOVQ y+24(FP), DX")
	s.op("MOVQ sum+32(FP), R8")
	s.op("MOVQ largest+40(FP), R9")
	s.op("MOVQ squares+48(FP), R10")
	parts := 64 / s.bytes // registers for 8 doubles
	squares := func(i int) int { return s.first + i }
	for i := range parts {
		s.op("VMOVUPD %d(R10), %s", i*s.bytes, s.vec(squares(i)))
	}
	if e.bytes == 4 { // register 3: the mask of all bits but the sign, 8 times
		s.op("VPCMPEQD Y3, Y3, Y3")
		s.op("VPSRLD $1, Y3, Y3")
	}
	s.op("SHRQ $3, AX")
	s.label("eight")
	s.op("TESTQ AX, AX")
	s.op("JZ done")
	if e.bytes == 4 {
		s.op("VMOVUPS (SI), Y0")
		s.op("VSUBPS (DI), Y0, Y0")
		s.op("VMOVUPS Y0, (DX)")
		s.op("VANDPS Y3, Y0, Y1")
		s.op("VMAXPS (R9), Y1, Y1")
		s.op("VMOVUPS Y1, (R9)")
		s.op("ADDQ $32, R9")
	}
	for i := range parts {
		switch {
		case e.bytes == 8:
			s.op("VMOVUPD %d(SI), %s", i*s.bytes, s.vec(1))
			s.op("VSUBPD %d(DI), %[2]s, %[2]s", i*s.bytes, s.vec(1))
			s.op("VMOVUPD %s, %d(DX)", s.vec(1), i*s.bytes)
		case i == 0:
			s.op("VCVTPS2PD %s, %s", s.halfOf(0), s.vec(1))
		default:
			s.op("VEXTRACTF128 $1, Y0, X0")
			s.op("VCVTPS2PD X0, Y1")
		}
		s.op("VFMADD231PD %[1]s, %[1]s, %[2]s", s.vec(1), s.vec(squares(i)))
		s.op("VADDPD %d(R8), %[2]s, %[2]s", i*s.bytes, s.vec(1))
		s.op("VMOVUPD %s, %d(R8)", s.vec(1), i*s.bytes)
	}
	for _, p := range []string{"SI", "DI", "DX"} {
		s.op("ADDQ $%d, %s", 8*e.bytes, p)
	}
	s.op("ADDQ $64, R8")
	s.op("DECQ AX")
	s.op("JMP eight")
	s.label("done")
	for i := range parts {
		s.op("VMOVUPD %s, %d(R10)", s.vec(squares(i)), i*s.bytes)
	}
	s.end()
}

// addScaled emits
//
//	func addScaled32(n int, alpha float64, y *float32, dst *float64)
//
// which adds alpha y to dst for n values, n a multiple of 8.
func (s *source) addScaled() {
	name := "addScaled32" + s.name
	s.function(fmt.Sprintf("func %s(n int, alpha float64, y *float32, dst *float64)", name), name, 32)
	s.op("MOVQ n+0(FP), AX")
	s.op("VBROADCASTSD alpha+8(FP), %s", s.vec(0))
	s.op("MOVQ y+16(FP), SI")
	s.op("MOVQ dst+24(FP), DI")
	s.op("SHRQ $3, AX")
	s.label("eight")
	s.op("TESTQ AX, AX")
	s.op("JZ done")
	for at := 0; at < 64; at += s.bytes {
		s.op("VCVTPS2PD %d(SI), %s", at/2, s.vec(1))
		s.op("VFMADD213PD %d(DI), %s, %s", at, s.vec(0), s.vec(1))
		s.op("VMOVUPD %s, %d(DI)", s.vec(1), at)
	}
	s.op("ADDQ $32, SI")
	s.op("ADDQ $64, DI")
	s.op("DECQ AX")
	s.op("JMP eight")
	s.label("done")
	s.end()
}
