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
