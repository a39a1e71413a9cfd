package main

// pack emits
//
//	func packNN(k int, src unsafe.Pointer, stride int, dst unsafe.Pointer)
//
// which, for every k, copies `columns` vectors from a row of src to a panel. Rows are stride bytes apart and are
// prefetched eight ahead.
func (s *source) pack() {
	s.Begin("pack"+s.Name, "k int, src unsafe.Pointer, stride int, dst unsafe.Pointer")
	s.LoadArg("k", "AX")
	s.LoadArg("src", "SI")
	s.LoadArg("stride", "R8")
	s.LoadArg("dst", "DI")
	s.Countdown("AX", "row", "done", func() {
		for v := range columns {
			s.Op("VMOVUPD %d(SI), %s", v*s.Bytes, s.Vec(v))
		}
		for at := 0; at < columns*s.Bytes; at += 64 {
			s.Op("PREFETCHT0 %d(SI)(R8*8)", at)
		}
		for v := range columns {
			s.Op("VMOVUPD %s, %d(DI)", s.Vec(v), v*s.Bytes)
		}
		s.Op("ADDQ R8, SI")
		s.Op("ADDQ $%d, DI", columns*s.Bytes)
	})
	s.End()
}

// widen emits
//
//	func widenNN(n int, src *float32, dst *float64)
//
// which converts n values; n is a multiple of 8.
func (s *source) widen() {
	s.Begin("widen"+s.Name, "n int, src *float32, dst *float64")
	s.LoadArg("n", "AX")
	s.LoadArg("src", "SI")
	s.LoadArg("dst", "DI")
	s.Op("SHRQ $3, AX")
	s.Countdown("AX", "eight", "done", func() {
		for at := 0; at < 64; at += s.Bytes {
			s.Op("VCVTPS2PD %d(SI), %s", at/2, s.Vec(0))
			s.Op("VMOVUPD %s, %d(DI)", s.Vec(0), at)
		}
		s.Op("ADDQ $32, SI")
		s.Op("ADDQ $64, DI")
	})
	s.End()
}
