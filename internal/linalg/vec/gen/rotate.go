package main

// rotationWidth equals vec.RotationWidth.
const rotationWidth = 16

// rotate emits n rotations of rows of rotationWidth values, from the row at top to the rows before it. The upper row
// of one rotation is the lower row of the next, so it stays in registers.
func (s source) rotate() {
	s.begin("rotateChain", "n int, cs, top *float64")
	s.LoadArg("n", "CX")
	s.LoadArg("cs", "SI")
	s.LoadArg("top", "DI")
	row := 8 * rotationWidth
	count := row / s.Bytes
	below := func(i int) string { return s.Vec(i) }
	above := func(i int) string { return s.Vec(count + i) }
	sum := func(i int) string { return s.Vec(2*count + i) }
	cosine, sine := s.Vec(3*count), s.Vec(3*count+1)
	for i := range count {
		s.Op("VMOVUPD %d(DI), %s", i*s.Bytes, below(i))
	}
	s.Countdown("CX", "rotation", "done", func() {
		s.Op("VBROADCASTSD (SI), %s", cosine)
		s.Op("VBROADCASTSD 8(SI), %s", sine)
		for i := range count {
			s.Op("VMOVUPD %d(DI), %s", i*s.Bytes-row, above(i))
			s.Op("VMULPD %s, %s, %s", cosine, below(i), sum(i))
			s.Op("VFMADD231PD %s, %s, %s", sine, above(i), sum(i))
			s.Op("VMOVUPD %s, %d(DI)", sum(i), i*s.Bytes)
			s.Op("VMULPD %s, %s, %[2]s", cosine, above(i))
			s.Op("VFNMADD231PD %s, %s, %s", sine, below(i), above(i))
			s.Op("VMOVAPD %s, %s", above(i), below(i))
		}
		s.Op("ADDQ $16, SI")
		s.Op("SUBQ $%d, DI", row)
	})
	for i := range count {
		s.Op("VMOVUPD %s, %d(DI)", below(i), i*s.Bytes)
	}
	s.End()
}
