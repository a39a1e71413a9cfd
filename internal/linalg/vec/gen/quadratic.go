package main

import (
	"fmt"
	"slices"
)

// halfSquares emits, for n columns of X (n a multiple of 8), dst = offset - ½ Σ_j (Σ_k f_jk x_k)². f holds the packed
// rows of a factor: row j has j+2 values, for all j with j+2 < end. The rows of X are stride bytes apart. All sums stay
// in registers.
func (s source) halfSquares() {
	s.begin("halfSquares", "n, end, stride int, offset float64, f, x, dst *float64")
	s.LoadArg("n", "AX")
	s.LoadArg("stride", "R8")
	s.LoadArg("end", "R9")
	s.LoadArg("x", "SI")
	s.LoadArg("dst", "DI")
	half := s.Data("minusHalf", slices.Repeat([]float64{-0.5}, s.Lanes()))
	widest := 2 * s.strands
	if 2*widest+1 > s.Registers {
		widest /= 2
	}
	for count := widest; count*s.Lanes() >= 8; count /= 2 {
		weight, squares := s.Vec(2*count), func(i int) string { return s.Vec(count + i) }
		name := fmt.Sprintf("columns%d", count)
		s.turns(name, count*s.Lanes(), func() {
			for i := range count {
				s.Op("VXORPD %[1]s, %[1]s, %[1]s", squares(i))
			}
			s.LoadArg("f", "DX")
			s.Op("MOVQ $2, R10")
			s.Place(name + "Row")
			for i := range count {
				s.Op("VXORPD %[1]s, %[1]s, %[1]s", s.Vec(i))
			}
			s.Op("MOVQ SI, BX")
			s.Op("MOVQ R10, CX")
			s.Place(name + "Term")
			s.Op("VBROADCASTSD (DX), %s", weight)
			for i := range count {
				s.Op("VFMADD231PD %d(BX), %s, %s", i*s.Bytes, weight, s.Vec(i))
			}
			s.Op("ADDQ $8, DX")
			s.Op("ADDQ R8, BX")
			s.Op("DECQ CX")
			s.Op("JNZ %sTerm", name)
			for i := range count {
				s.Op("VFMADD231PD %[1]s, %[1]s, %[2]s", s.Vec(i), squares(i))
			}
			s.Op("INCQ R10")
			s.Op("CMPQ R10, R9")
			s.Op("JLT %sRow", name)
			s.Op("VMOVUPD %s, %s", half, weight)
			s.Op("VBROADCASTSD %s, %s", s.Arg("offset"), s.Vec(0))
			for i := range count {
				s.Op("VFMADD213PD %s, %s, %s", s.Vec(0), weight, squares(i))
				s.Op("VMOVUPD %s, %d(DI)", squares(i), i*s.Bytes)
			}
			s.Op("ADDQ $%d, SI", count*s.Bytes)
			s.Op("ADDQ $%d, DI", count*s.Bytes)
		})
	}
	s.End()
}
