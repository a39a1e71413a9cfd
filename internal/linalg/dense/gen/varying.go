package main

// differ emits
//
//	func differAVX512(count int, rows *[]byte, at int, about, seen *byte)
//
// which compares 64 bytes of each row, starting at byte `at`, with about, and sets the bits that differ in seen.
func (s *source) differ() {
	s.Begin("differ"+s.Name, "count int, rows *[]byte, at int, about, seen *byte")
	for _, a := range [][2]string{{"count", "AX"}, {"rows", "SI"}, {"at", "BX"}, {"about", "DI"}, {"seen", "DX"}} {
		s.LoadArg(a[0], a[1])
	}
	seen, about, row := s.Vec(0), s.Vec(1), s.Vec(2)
	s.Op("VMOVDQU64 (DX), %s", seen)
	s.Op("VMOVDQU64 (DI), %s", about)
	s.Countdown("AX", "row", "done", func() {
		s.Op("MOVQ (SI), R10")
		s.Op("VMOVDQU64 (R10)(BX*1), %s", row)
		s.Op("VPTERNLOGQ $0xf6, %s, %s, %s", row, about, seen) // adds the bits that differ
		s.Op("ADDQ $24, SI")
	})
	s.Op("VMOVDQU64 %s, (DX)", seen)
	s.End()
}

// compress emits
//
//	func compressAVX512(count int, rows *[]byte, length int, masks, others *uint64, about, dst *byte, stride int,
//	    flags *byte)
//
// which copies the bytes of every row that masks select to dst; each mask covers 64 bytes, and the copies are stride
// bytes apart. A flag is 1 if the row differs from about in one of the bytes that others selects, and 0 otherwise. The
// last mask covers the 64 bytes before length. Up to 64 bytes after each copy are overwritten.
func (s *source) compress() {
	s.Begin("compress"+s.Name,
		"count int, rows *[]byte, length int, masks, others *uint64, about, dst *byte, stride int, flags *byte")
	for _, a := range [][2]string{{"count", "AX"}, {"rows", "SI"}, {"length", "BX"}, {"about", "CX"}, {"dst", "DX"},
		{"flags", "DI"}} {
		s.LoadArg(a[0], a[1])
	}
	s.Op("SUBQ $64, BX") // start of the last 64 bytes
	part, narrow := s.Vec(0), s.Vec(1)
	one := func(at string) {
		s.Op("KMOVQ (R12), K1")
		s.Op("POPCNTQ (R12), R13")
		s.Op("KMOVQ (R8), K2")
		s.Op("VMOVDQU64 (R10)(%s*1), %s", at, part)
		s.Op("VPCOMPRESSB.Z %s, K1, %s", part, narrow)
		s.Op("VMOVDQU64 %s, (R9)", narrow)
		s.Op("VPCMPUB $4, (CX)(%s*1), %s, K2, K3", at, part) // bytes that differ
		s.Op("KORQ K3, K4, K4")
		s.Op("ADDQ R13, R9")
		s.Op("ADDQ $8, R12")
		s.Op("ADDQ $8, R8")
	}
	s.Countdown("AX", "row", "done", func() {
		s.Op("MOVQ (SI), R10")
		s.Op("MOVQ DX, R9")
		s.LoadArg("masks", "R12")
		s.LoadArg("others", "R8")
		s.Op("XORQ R11, R11")
		s.Op("KXORQ K4, K4, K4")
		s.Place("part")
		s.Op("CMPQ R11, BX")
		s.Op("JGE last")
		one("R11")
		s.Op("ADDQ $64, R11")
		s.Op("JMP part")
		s.Place("last")
		one("BX")
		s.Op("KORTESTQ K4, K4")
		s.Op("SETNE (DI)")
		s.Op("INCQ DI")
		s.Op("ADDQ $24, SI")
		s.LoadArg("stride", "R8")
		s.Op("ADDQ R8, DX")
	})
	s.End()
}
