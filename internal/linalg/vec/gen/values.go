package main

// times emits y = y x, value by value, for n values; n is a multiple of 8.
func (s source) times() { s.valueByValue("timesEights", "VMULPD") }

// larger emits y = max(y, x), value by value, for n values; n is a multiple of 8.
func (s source) larger() { s.valueByValue("largerEights", "VMAXPD") }

// valueByValue emits y = x op y for n values; n is a multiple of 8.
func (s source) valueByValue(name, op string) {
	s.begin(name, "n int, x, y *float64")
	s.LoadArg("n", "AX")
	s.LoadArg("x", "SI")
	s.LoadArg("y", "DI")
	s.turns("eight", 8, func() {
		for i := range 64 / s.Bytes {
			at := i * s.Bytes
			s.Op("VMOVUPD %d(SI), %s", at, s.Vec(i))
			s.Op("%s %d(DI), %[3]s, %[3]s", op, at, s.Vec(i))
			s.Op("VMOVUPD %s, %d(DI)", s.Vec(i), at)
		}
		s.Op("ADDQ $64, SI")
		s.Op("ADDQ $64, DI")
	})
	s.End()
}

// standardize emits x = (x - shift) scale for rows of n values (n a multiple of 8), each followed by a number of bytes
// that stay unchanged. It writes eight partial sums of squares for each row.
func (s source) standardize() {
	s.begin("standardize", "rows, n, skip int, scale float64, shift, x *float64, sums *[8]float64")
	s.LoadArg("rows", "CX")
	s.LoadArg("skip", "R8")
	s.LoadArg("x", "DI")
	s.LoadArg("sums", "DX")
	parts := 64 / s.Bytes
	sum := func(i int) string { return s.Vec(1 + parts + i) }
	s.Op("VBROADCASTSD %s, %s", s.Arg("scale"), s.Vec(0))
	s.Countdown("CX", "row", "done", func() {
		s.LoadArg("n", "AX")
		s.LoadArg("shift", "SI")
		for i := range 2 * parts {
			s.Op("VXORPD %[1]s, %[1]s, %[1]s", sum(i))
		}
		take := func(count int) {
			for i := range count {
				x, at := s.Vec(1+i%parts), i*s.Bytes
				s.Op("VMOVUPD %d(DI), %s", at, x)
				s.Op("VSUBPD %d(SI), %s, %s", at, x, x)
				s.Op("VMULPD %s, %s, %s", s.Vec(0), x, x)
				s.Op("VMOVUPD %s, %d(DI)", x, at)
				s.Op("VFMADD231PD %s, %s, %s", x, x, sum(i))
			}
			s.Op("ADDQ $%d, SI", count*s.Bytes)
			s.Op("ADDQ $%d, DI", count*s.Bytes)
		}
		s.turns("sixteen", 16, func() { take(2 * parts) })
		s.turns("eight", 8, func() { take(parts) })
		for i := range parts {
			s.Op("VADDPD %s, %[2]s, %[2]s", sum(parts+i), sum(i))
			s.Op("VMOVUPD %s, %d(DX)", sum(i), i*s.Bytes)
		}
		s.Op("ADDQ $64, DX")
		s.Op("ADDQ R8, DI")
	})
	s.End()
}
