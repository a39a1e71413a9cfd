package main

import "fmt"

// addRows emits y += A'w for a number of rows of A, a given number of bytes apart, and n columns; n is a multiple of
// 8. Sums of up to 64 columns stay in registers while the rows are read.
func (s source) addRows() {
	s.begin("addRows", "rows, n, stride int, w, a, y *float64")
	s.LoadArg("n", "AX")
	s.LoadArg("stride", "R8")
	s.LoadArg("a", "SI")
	s.LoadArg("y", "DI")
	widest := 2 * s.strands
	for count := widest; count*s.Lanes() >= 8; count /= 2 {
		name := fmt.Sprintf("columns%d", count)
		s.turns(name, count*s.Lanes(), func() {
			for i := range count {
				s.Op("VMOVUPD %d(DI), %s", i*s.Bytes, s.Vec(i))
			}
			s.LoadArg("rows", "CX")
			s.LoadArg("w", "DX")
			s.Op("MOVQ SI, BX")
			s.Place(name + "Row")
			s.Op("VBROADCASTSD (DX), %s", s.Vec(widest))
			for i := range count {
				s.Op("VFMADD231PD %d(BX), %s, %s", i*s.Bytes, s.Vec(widest), s.Vec(i))
			}
			s.Op("ADDQ $8, DX")
			s.Op("ADDQ R8, BX")
			s.Op("DECQ CX")
			s.Op("JNZ %sRow", name)
			for i := range count {
				s.Op("VMOVUPD %s, %d(DI)", s.Vec(i), i*s.Bytes)
			}
			s.Op("ADDQ $%d, SI", count*s.Bytes)
			s.Op("ADDQ $%d, DI", count*s.Bytes)
		})
	}
	s.End()
}
