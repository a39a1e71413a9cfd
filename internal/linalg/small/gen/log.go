package main

import "math"

// logSquares replaces the values of each lane by their logarithms and sums the squares of the logarithms. A value is
// 2^k m with m between √½ and √2. With t = (m-1)/(m+1),
//
//	log = k ln 2 + 2t (1 + t²/3 + t⁴/5 + ...),
//
// where the terms beyond t²⁰ are below the roundoff, because |t| < 0.172.
func logSquares(m *machine) {
	m.begin("logSquares", "replaces n positive normal values of each lane by their logarithms, and writes the sum of "+
		"the squares to dst.", "dst*", "values*", "n")
	dst, values, n := m.argument("dst"), m.argument("values"), m.argument("n")
	sum, x, k, t, square, series := m.vec(), m.vec(), m.vec(), m.vec(), m.vec(), m.vec()
	one, half := m.vec(), m.vec()
	big := m.mask()
	m.zero(sum)
	m.load(one, m.constant(1))
	m.load(half, m.constant(0.5))
	m.count(n, func() {
		m.load(x, m.at(values, 0))
		// The exponent, converted to a number by inserting its bits below those of 2⁵².
		m.op("VPSRLQ", imm(52), x, k)
		m.or(k, k, m.constant(0x1p52))
		m.sub(k, k, m.constant(0x1p52+1023))
		m.and(x, x, m.bits(0x000fffffffffffff))
		m.or(x, x, one)
		m.compare(big, above, x, m.constant(1.4142135623730951))
		m.mul(t, x, half)
		m.choose(x, big, t, x)
		m.add(t, k, one)
		m.choose(k, big, t, k)

		m.add(t, x, one)
		m.sub(x, x, one)
		m.div(t, x, t)
		m.mul(square, t, t)
		m.load(series, m.constant(1.0/21))
		for d := 19.0; d >= 3; d -= 2 {
			m.op("VFMADD213PD", m.constant(1/d), square, series)
		}
		m.mul(series, series, square)
		m.add(t, t, t)
		m.mul(series, series, t) // the series' tail
		// k ln 2 in two parts; the first product is exact.
		m.fma(series, k, m.constant(ln2Low))
		m.add(t, t, series)
		m.fma(t, k, m.constant(ln2High))
		m.store(m.at(values, 0), t)
		m.fma(sum, t, t)
		m.op("ADDQ", imm(m.Bytes), values)
	})
	m.store(m.at(dst, 0), sum)
	m.End()
}

// ln 2 = ln2High + ln2Low, where ln2High has 32 bits and its product with an exponent is therefore exact.
var (
	ln2High = math.Float64frombits(math.Float64bits(math.Ln2) &^ (1<<21 - 1))
	ln2Low  = math.Ln2 - ln2High + ln2Rest
)

// ln2Rest is ln 2 minus the double nearest to it.
const ln2Rest = 2.3190468138462996e-17
