package main

// The constants of bytes, that of floating-point numbers, and a mask for gathers.
const (
	offsets   = minusHalf + 1 // of a chain's rows
	firstByte = minusHalf + 2
	one       = minusHalf + 3
	zero      = minusHalf + 1

	all = "K1"
)

// nth is the shuffle of bytes in use.
const nth = constant - 1

// bytes reads eight bytes of every row at a time. A shuffle makes integers of one of them, and
// these are converted. Meanwhile as many bytes of the rows that follow come from memory.
func (s source) bytes() words {
	return words{
		kernel: "bytes", goType: "byte",
		prepare: func() {
			s.Op("MOVQ $0x0706050403020100, AX")
			s.Op("VMOVQ AX, X%d", scratch)
			s.Op("VPMOVZXBQ X%d, %s", scratch, s.Vec(scratch))
			s.Op("VPBROADCASTQ %s, %s", s.Arg("stride"), s.Vec(offsets))
			s.Op("VPMULLQ %s, %s, %[2]s", s.Vec(scratch), s.Vec(offsets))
			// The first byte of every lane and zeros. Shuffles see two lanes as one.
			s.fill(firstByte, 0x8080808080808000)
			s.fill(scratch, 8)
			s.Op("VPSLLDQ $8, %[1]s, %[1]s", s.Vec(scratch))
			s.Op("VPADDQ %s, %s, %[2]s", s.Vec(scratch), s.Vec(firstByte))
			s.fill(one, 1)
			s.LoadArg("stride", "R10")
			s.Op("LEAQ (%s)(R10*%d), R10", pointers[chains-1], lanes)
		},
		block: func(chain int) {
			s.Op("LEAQ (%s)(R12*1), DI", pointers[chain])
			s.Op("KXNORW %[1]s, %[1]s, %[1]s", all)
			s.Op("VPGATHERQQ (DI)(%s*1), %s, %s", s.Vec(offsets), all, s.Vec(columns+chain))
			s.Op("PREFETCHT0 (R10)")
			s.Op("ADDQ $%d, R10", 8*lanes)
		},
		skip: func() {
			s.Op("VPBROADCASTQ DX, %s", s.Vec(nth))
			s.Op("VPADDQ %s, %s, %[2]s", s.Vec(firstByte), s.Vec(nth))
		},
		word: func(chain, to int) {
			s.Op("VPSHUFB %s, %s, %s", s.Vec(nth), s.Vec(columns+chain), s.Vec(to))
			s.Op("VCVTUQQ2PD %[1]s, %[1]s", s.Vec(to))
		},
		next: func() { s.Op("VPADDQ %s, %s, %[2]s", s.Vec(one), s.Vec(nth)) },
	}
}

// floats turns blocks of eight rows and columns around, in registers, and keeps their columns in
// space, from the next multiple of 64 on: DI points there. Zero is added to every value, which
// makes 0 of -0.
func (s source) floats(goType string, size int) words {
	return words{
		kernel: goType + "s", goType: goType,
		prepare: func() {
			s.LoadArg("space", "DI")
			s.Op("ADDQ $63, DI")
			s.Op("ANDQ $-64, DI")
			s.LoadArg("stride", "R13")
			s.Op("VPXORQ %[1]s, %[1]s, %[1]s", s.Vec(zero))
		},
		block: func(chain int) {
			s.Op("LEAQ (%s)(R12*%d), AX", pointers[chain], size)
			for i := range lanes {
				row := s.Vec(scratch + i)
				if size == 4 {
					s.Op("VCVTPS2PD (AX), %s", row)
					s.Op("VADDPD %s, %s, %[2]s", s.Vec(zero), row)
				} else {
					s.Op("VADDPD (AX), %s, %s", s.Vec(zero), row)
				}
				if i+1 < lanes {
					s.Op("ADDQ R13, AX")
				}
			}
			for j, column := range s.transpose() {
				s.Op("VMOVDQU64 %s, %d(DI)", column, (j*chains+chain)*s.Bytes)
			}
		},
		skip: func() {
			s.Op("IMUL3Q $%d, DX, AX", chains*s.Bytes)
			s.Op("ADDQ DI, AX")
		},
		word: func(chain, to int) { s.Op("VMOVDQU64 %d(AX), %s", chain*s.Bytes, s.Vec(to)) },
		next: func() { s.Op("ADDQ $%d, AX", chains*s.Bytes) },
	}
}

// transpose emits the columns of eight rows of eight values, which are in scratch and what
// follows, and returns the registers that have them. The values of two rows are interleaved, then
// those of four, then of eight.
func (s source) transpose() (columns [lanes]string) {
	r := func(i int) string { return s.Vec(scratch + i) }
	for i := 0; i < lanes; i += 2 { // now lane k of r(8+i) has column 2k of rows i and i+1
		s.Op("VUNPCKLPD %s, %s, %s", r(i+1), r(i), r(lanes+i))
		s.Op("VUNPCKHPD %s, %s, %s", r(i+1), r(i), r(lanes+i+1))
	}
	for odd := range 2 {
		for i := 0; i < lanes; i += 4 { // now r(i+odd) has columns 0 and 4, r(i+odd+2) columns 2 and 6
			s.Op("VSHUFF64X2 $0x88, %s, %s, %s", r(lanes+i+odd+2), r(lanes+i+odd), r(i+odd))
			s.Op("VSHUFF64X2 $0xdd, %s, %s, %s", r(lanes+i+odd+2), r(lanes+i+odd), r(i+odd+2))
		}
		for i := 0; i < 4; i += 2 {
			low, high := r(lanes+i+odd), r(lanes+i+odd+4)
			s.Op("VSHUFF64X2 $0x88, %s, %s, %s", r(i+odd+4), r(i+odd), low)
			s.Op("VSHUFF64X2 $0xdd, %s, %s, %s", r(i+odd+4), r(i+odd), high)
			columns[i+odd], columns[i+odd+4] = low, high
		}
	}
	return columns
}
