package main

import (
	"math"
	"slices"
	"strconv"
)

// terms is the degree of the polynomial that approximates e^r.
const terms = 13

// exps emits x = e^x for n values (n a multiple of 8), and 0 for an x below floor, which is at least -708. With k the
// integer nearest to x/ln 2 and r = x - k ln 2,
//
//	e^x = 2^k (1 + r + r²/2! + ... + r¹³/13!),
//
// where the next term is below the roundoff, because |r| < 0.347. Adding 1.5·2⁵² to x/ln 2 leaves k in the lowest
// bits, from which it is shifted to the exponent.
func (s source) exps() {
	s.begin("expEights", "n int, floor float64, x *float64")
	s.LoadArg("n", "AX")
	s.Op("VBROADCASTSD %s, %s", s.Arg("floor"), s.Vec(0))
	s.LoadArg("x", "SI")
	constant := s.constants(6)
	lowest, highest := constant("lowest", -708), constant("highest", 709)
	shift, log2e := constant("shift", 0x1.8p52), constant("log2e", math.Log2E)
	high, low := constant("ln2High", ln2High), constant("ln2Low", ln2Low)
	var factorial [terms + 1]string
	for i := range factorial {
		factorial[i] = constant("factorial"+strconv.Itoa(i), 1/math.Gamma(float64(i+1)))
	}
	s.turns("eight", 8, func() {
		for at := 0; at < 64; at += s.Bytes {
			x, t, k, p, keep := s.Vec(1), s.Vec(2), s.Vec(3), s.Vec(4), s.Vec(5)
			if s.Wide() {
				keep = "K1"
			}
			s.Op("VMOVUPD %d(SI), %s", at, x)
			s.Op("VCMPPD $0x1d, %s, %s, %s", s.Vec(0), x, keep) // not below
			s.Op("VMAXPD %s, %s, %s", lowest, x, x)
			s.Op("VMINPD %s, %s, %s", highest, x, x)
			s.Op("VMOVUPD %s, %s", shift, t)
			s.Op("VFMADD231PD %s, %s, %s", log2e, x, t)
			s.Op("VSUBPD %s, %s, %s", shift, t, k)
			// k ln 2 in two parts; the first product is exact.
			s.Op("VFNMADD231PD %s, %s, %s", high, k, x)
			s.Op("VFNMADD231PD %s, %s, %s", low, k, x)
			s.Op("VMOVUPD %s, %s", factorial[terms], p)
			for i := terms - 1; i >= 0; i-- {
				s.Op("VFMADD213PD %s, %s, %s", factorial[i], x, p)
			}
			s.Op("VPSLLQ $52, %s, %s", t, t)
			s.Op("VPADDQ %s, %s, %s", t, p, p)
			if s.Wide() {
				s.Op("VMOVAPD.Z %s, %s, %s", p, keep, p)
			} else {
				s.Op("VANDPD %s, %s, %s", keep, p, p)
			}
			s.Op("VMOVUPD %s, %d(SI)", p, at)
		}
		s.Op("ADDQ $64, SI")
	})
	s.End()
}

// constants returns a function that returns the operand for a vector of equal values: a register, starting at number
// first, if there are many registers, otherwise an address.
func (s source) constants(first int) func(name string, value float64) string {
	return func(name string, value float64) string {
		values := slices.Repeat([]float64{value}, s.Lanes())
		address := s.Data(name, values)
		if s.Registers <= 16 {
			return address
		}
		register := s.Vec(first)
		first++
		s.Op("VMOVUPD %s, %s", address, register)
		return register
	}
}

// ln 2 = ln2High + ln2Low, where ln2High has 32 bits and its product with an exponent is therefore exact. The last
// number is ln 2 minus the double nearest to it.
var (
	ln2High = math.Float64frombits(math.Float64bits(math.Ln2) &^ (1<<21 - 1))
	ln2Low  = math.Ln2 - ln2High + 2.3190468138462996e-17
)
