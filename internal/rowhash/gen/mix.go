package main

// multiplier is that of package rowhash.
const multiplier = 0xa0761d6478bd642f

// The constants of a step: registers, and masks.
const (
	multiplierLow = constant + iota
	multiplierHigh
	topBit
	half      // of the multiplier's lower part
	minusHalf // shifted to the upper part

	even, odd = "K2", "K3" // of doublewords
)

func (s source) mixConstants() {
	const low = multiplier & (1<<32 - 1)
	s.fill(multiplierLow, low)
	s.fill(multiplierHigh, multiplier>>32)
	s.fill(topBit, 1<<63)
	s.fill(half, low/2)
	s.fill(minusHalf, (1<<32-low/2)<<32)
	s.Op("MOVL $0x5555, AX")
	s.Op("KMOVW AX, %s", even)
	s.Op("MOVL $0xaaaa, AX")
	s.Op("KMOVW AX, %s", odd)
}

// mix emits h = hi ^ lo ^ rotl(a, 23), where a = h ^ w, and hi and lo are the halves of the product
// of a | 2⁶³ with the multiplier b. These two have digits of 32 bits, 2³²a₁ + a₀ and 2³²b₁ + b₀. With
// m = ⌊a₀b₀ / 2³²⌋ + a₀b₁ + a₁b₀
//
//	lo = a₀b₀ mod 2³² + 2³² (m mod 2³²),  hi = a₁b₁ + ⌊m / 2³²⌋.
//
// m may have 65 bits. But a₁ is 2³¹ or more and b₁ + ⌈b₀/2⌉ < 2³². So m - 2³²⌊b₀/2⌋ is neither
// negative nor longer than 64 bits; ⌊b₀/2⌋ is added to hi. The register w is spent.
func (s source) mix(h, w int) {
	z := s.Vec
	hash, upper, a, lo, m, x := z(h), z(w), z(w+1), z(w+2), z(w+3), z(w+4)
	s.Op("VPXORQ %s, %s, %s", hash, upper, a)
	s.Op("VPTERNLOGQ $0xbe, %s, %s, %s", z(topBit), hash, upper) // (w ^ h) | 2⁶³
	s.Op("VMOVSHDUP %[1]s, %[1]s", upper)                        // a₁
	s.Op("VPMULUDQ %s, %s, %s", z(multiplierLow), a, lo)
	s.Op("VPMULUDQ %s, %s, %s", z(multiplierHigh), a, m)
	s.Op("VPROLQ $23, %[1]s, %[1]s", a)
	s.Op("VMOVDQA64 %s, %s", z(minusHalf), x)
	s.Op("VMOVSHDUP %s, %s, %s", lo, even, x)
	s.Op("VPADDQ %s, %s, %[2]s", x, m)
	s.Op("VPMULUDQ %s, %s, %s", z(multiplierLow), upper, x)
	s.Op("VPADDQ %s, %s, %[2]s", x, m)
	s.Op("VPMULUDQ %s, %s, %[2]s", z(multiplierHigh), upper)
	s.Op("VPADDQ %s, %s, %[2]s", z(half), upper)
	s.Op("VMOVSLDUP %s, %s, %s", m, odd, lo)
	s.Op("VPSRLQ $32, %[1]s, %[1]s", m)
	s.Op("VPADDQ %s, %s, %s", m, upper, hash)         // hi
	s.Op("VPTERNLOGQ $0x96, %s, %s, %s", a, lo, hash) // exclusive or of all three
}
