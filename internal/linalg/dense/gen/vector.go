package main

import "fmt"

// center emits
//
//	func centerNN(n int, x, pivot, y *T, sum *float64, largest *T, squares *[8]float64)
//
// which writes y = x - pivot for n values (n a multiple of 8), adds y to sum, and adds y² to squares, lane by lane. For
// float32 it also updates largest with |y|. Sums are in double precision. Every instruction set uses 8 lanes, so all of
// them give the same sums.
func (s *source) center(e element) {
	s.Begin(fmt.Sprintf("center%d%s", e.bits, s.Name),
		fmt.Sprintf("n int, x, pivot, y *float%d, sum *float64, largest *float%[1]d, squares *[8]float64", e.bits))
	s.LoadArg("n", "AX")
	s.LoadArg("x", "SI")
	s.LoadArg("pivot", "DI")
	s.LoadArg("y", "DX")
	s.LoadArg("sum", "R8")
	s.LoadArg("largest", "R9")
	s.LoadArg("squares", "R10")
	parts := 64 / s.Bytes // registers for 8 doubles
	squares := func(i int) int { return s.first + i }
	for i := range parts {
		s.Op("VMOVUPD %d(R10), %s", i*s.Bytes, s.Vec(squares(i)))
	}
	narrow := min(s.Bytes, 32)     // bytes of a register of float32
	single := func(i int) string { // these registers, at most four
		if s.Wide() {
			return s.Half(i)
		}
		return s.Vec(i)
	}
	if e.bytes == 4 { // register 3: a mask of all bits except the sign
		s.Op("VPCMPEQD %[1]s, %[1]s, %[1]s", single(3))
		s.Op("VPSRLD $1, %[1]s, %[1]s", single(3))
	}
	add := func(i int) { // adds register 1 to the sum, and its square to the squares
		s.Op("VFMADD231PD %[1]s, %[1]s, %[2]s", s.Vec(1), s.Vec(squares(i)))
		s.Op("VADDPD %d(R8), %[2]s, %[2]s", i*s.Bytes, s.Vec(1))
		s.Op("VMOVUPD %s, %d(R8)", s.Vec(1), i*s.Bytes)
	}
	s.Op("SHRQ $3, AX")
	s.Countdown("AX", "eight", "done", func() {
		for at := 0; at < 32 && e.bytes == 4; at += narrow {
			s.Op("VMOVUPS %d(SI), %s", at, single(0))
			s.Op("VSUBPS %d(DI), %[2]s, %[2]s", at, single(0))
			s.Op("VMOVUPS %s, %d(DX)", single(0), at)
			s.Op("VANDPS %s, %s, %s", single(3), single(0), single(1))
			s.Op("VMAXPS %d(R9), %[2]s, %[2]s", at, single(1))
			s.Op("VMOVUPS %s, %d(R9)", single(1), at)
			for i := range 2 * narrow / s.Bytes {
				if i > 0 {
					s.Op("VEXTRACTF128 $1, %s, %s", single(0), s.Half(0))
				}
				s.Op("VCVTPS2PD %s, %s", s.Half(0), s.Vec(1))
				add(2*at/s.Bytes + i)
			}
		}
		for i := 0; i < parts && e.bytes == 8; i++ {
			s.Op("VMOVUPD %d(SI), %s", i*s.Bytes, s.Vec(1))
			s.Op("VSUBPD %d(DI), %[2]s, %[2]s", i*s.Bytes, s.Vec(1))
			s.Op("VMOVUPD %s, %d(DX)", s.Vec(1), i*s.Bytes)
			add(i)
		}
		if e.bytes == 4 {
			s.Op("ADDQ $32, R9")
		}
		for _, p := range []string{"SI", "DI", "DX"} {
			s.Op("ADDQ $%d, %s", 8*e.bytes, p)
		}
		s.Op("ADDQ $64, R8")
	})
	for i := range parts {
		s.Op("VMOVUPD %s, %d(R10)", s.Vec(squares(i)), i*s.Bytes)
	}
	s.End()
}

// addScaled emits
//
//	func addScaled32(n int, alpha float64, y *float32, dst *float64)
//
// which adds alpha y to dst for n values; n is a multiple of 8.
func (s *source) addScaled() {
	s.Begin("addScaled32"+s.Name, "n int, alpha float64, y *float32, dst *float64")
	s.LoadArg("n", "AX")
	s.Op("VBROADCASTSD %s, %s", s.Arg("alpha"), s.Vec(0))
	s.LoadArg("y", "SI")
	s.LoadArg("dst", "DI")
	s.Op("SHRQ $3, AX")
	s.Countdown("AX", "eight", "done", func() {
		for at := 0; at < 64; at += s.Bytes {
			s.Op("VCVTPS2PD %d(SI), %s", at/2, s.Vec(1))
			s.Op("VFMADD213PD %d(DI), %s, %s", at, s.Vec(0), s.Vec(1))
			s.Op("VMOVUPD %s, %d(DI)", s.Vec(1), at)
		}
		s.Op("ADDQ $32, SI")
		s.Op("ADDQ $64, DI")
	})
	s.End()
}
