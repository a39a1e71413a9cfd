package main

// widen emits the load of count vectors of float32 from SI as float64, to registers starting at 0.
func (s source) widen(count int) {
	for i := range count {
		s.Op("VCVTPS2PD %d(SI), %s", i*s.Bytes/2, s.Vec(i))
	}
	s.Op("ADDQ $%d, SI", count*s.Bytes/2)
}

// dotNarrow emits the inner product with a in single precision.
func (s source) dotNarrow() {
	s.begin("dotNarrowEights", "n int, a *float32, b *float64, lanes *[8]float64")
	s.LoadArg("n", "AX")
	s.LoadArg("a", "SI")
	s.LoadArg("b", "DI")
	s.LoadArg("lanes", "DX")
	s.sumStrands(s.sums, func(count int) {
		s.widen(count)
		for i := range count {
			s.Op("VFMADD231PD %d(DI), %s, %s", i*s.Bytes, s.Vec(i), s.Vec(s.sums+i))
		}
		s.Op("ADDQ $%d, DI", count*s.Bytes)
	})
}

// timesNarrow is times with x in single precision.
func (s source) timesNarrow() {
	s.begin("timesNarrowEights", "n int, x *float32, y *float64")
	s.LoadArg("n", "AX")
	s.LoadArg("x", "SI")
	s.LoadArg("y", "DI")
	s.turns("eight", 8, func() {
		count := 64 / s.Bytes
		s.widen(count)
		for i := range count {
			s.Op("VMULPD %d(DI), %[2]s, %[2]s", i*s.Bytes, s.Vec(i))
			s.Op("VMOVUPD %s, %d(DI)", s.Vec(i), i*s.Bytes)
		}
		s.Op("ADDQ $64, DI")
	})
	s.End()
}

// axpyNarrow is axpy with x in single precision. It prefetches the n values after x, the next row of a matrix.
func (s source) axpyNarrow() {
	s.begin("axpyNarrowEights", "n int, alpha float64, x *float32, y *float64")
	s.LoadArg("n", "AX")
	s.Op("VBROADCASTSD %s, %s", s.Arg("alpha"), s.Vec(s.strands))
	s.LoadArg("x", "SI")
	s.LoadArg("y", "DI")
	s.Op("MOVQ AX, R8")
	s.Op("SHLQ $2, R8") // bytes in a row
	add := func(count int) {
		for at := 0; at < count*s.Bytes/2; at += 64 {
			s.Op("PREFETCHT1 %d(SI)(R8*1)", at)
		}
		s.widen(count)
		for i := range count {
			s.Op("VFMADD213PD %d(DI), %s, %s", i*s.Bytes, s.Vec(s.strands), s.Vec(i))
			s.Op("VMOVUPD %s, %d(DI)", s.Vec(i), i*s.Bytes)
		}
		s.Op("ADDQ $%d, DI", count*s.Bytes)
	}
	s.turns("wide", s.strands*s.Lanes(), func() { add(s.strands) })
	s.turns("eight", 8, func() { add(64 / s.Bytes) })
	s.End()
}

// narrow emits the conversion of x to single precision.
func (s source) narrow() {
	s.begin("narrowEights", "n int, x *float64, dst *float32")
	s.LoadArg("n", "AX")
	s.LoadArg("x", "SI")
	s.LoadArg("dst", "DI")
	convert := "VCVTPD2PSY"
	if s.Wide() {
		convert = "VCVTPD2PS"
	}
	s.turns("eight", 8, func() {
		for at := 0; at < 64; at += s.Bytes {
			s.Op("VMOVUPD %d(SI), %s", at, s.Vec(0))
			s.Op("%s %s, %s", convert, s.Vec(0), s.Half(0))
			s.Op("VMOVUPS %s, %d(DI)", s.Half(0), at/2)
		}
		s.Op("ADDQ $64, SI")
		s.Op("ADDQ $32, DI")
	})
	s.End()
}

// widened emits the conversion of x to double precision.
func (s source) widened() {
	s.begin("widenEights", "n int, x *float32, dst *float64")
	s.LoadArg("n", "AX")
	s.LoadArg("x", "SI")
	s.LoadArg("dst", "DI")
	s.turns("eight", 8, func() {
		count := 64 / s.Bytes
		s.widen(count)
		for i := range count {
			s.Op("VMOVUPD %s, %d(DI)", s.Vec(i), i*s.Bytes)
		}
		s.Op("ADDQ $64, DI")
	})
	s.End()
}
