package main

import "fmt"

// The operations on vectors. A source named x may be an address if the instruction accepts an address as its last
// source.

func (m *machine) load(dst vec, x string) { m.op("VMOVUPD", x, dst) }
func (m *machine) store(x string, v vec)  { m.op("VMOVUPD", v, x) }
func (m *machine) zero(dst vec)           { m.op("VXORPD", dst, dst, dst) }
func (m *machine) move(dst, src vec)      { m.op("VMOVAPD", src, dst) }

func (m *machine) add(dst, a vec, x string) { m.op("VADDPD", x, a, dst) }
func (m *machine) sub(dst, a vec, x string) { m.op("VSUBPD", x, a, dst) }
func (m *machine) mul(dst, a vec, x string) { m.op("VMULPD", x, a, dst) }
func (m *machine) div(dst, a vec, x string) { m.op("VDIVPD", x, a, dst) }
func (m *machine) max(dst, a vec, x string) { m.op("VMAXPD", x, a, dst) }
func (m *machine) and(dst, a vec, x string) { m.op("VANDPD", x, a, dst) }
func (m *machine) or(dst, a vec, x string)  { m.op("VORPD", x, a, dst) }
func (m *machine) sqrt(dst vec, x string)   { m.op("VSQRTPD", x, dst) }

// fma adds a*x to dst, fnma subtracts it, and fms sets dst to a*x - dst.
func (m *machine) fma(dst, a vec, x string)  { m.op("VFMADD231PD", x, a, dst) }
func (m *machine) fnma(dst, a vec, x string) { m.op("VFNMADD231PD", x, a, dst) }
func (m *machine) fms(dst, a vec, x string)  { m.op("VFMSUB231PD", x, a, dst) }

// abs sets dst to the magnitude of a.
func (m *machine) abs(dst, a vec) { m.and(dst, a, m.bits(0x7fffffffffffffff)) }

// withSign sets dst to the magnitude of a with the sign of s. dst may be a.
func (m *machine) withSign(dst, a, s, scratch vec) {
	m.and(scratch, s, m.bits(1<<63))
	m.abs(dst, a)
	m.or(dst, dst, scratch)
}

// broadcast converts an integer to floating point and copies it to every lane of dst.
func (m *machine) broadcast(dst vec, i gpr) {
	low := "X" + dst[1:]
	m.op("VXORPD", low, low, low)
	m.op("VCVTSI2SDQ", i, low, low)
	m.op("VBROADCASTSD", low, dst)
}

// mask returns a new mask: a set of lanes.
func (m *machine) mask() mask {
	if !m.Wide() {
		return m.vec()
	}
	m.usedMasks++
	if m.usedMasks > 7 {
		panic("mask registers exhausted in " + m.Function)
	}
	return fmt.Sprintf("K%d", m.usedMasks)
}

// These comparisons are ordered: they are false if a value is NaN.
const (
	equal   = 0x00
	less    = 0x11
	atMost  = 0x12
	atLeast = 0x1d
	above   = 0x1e
)

// compare sets dst to the lanes in which the comparison of a and x is true.
func (m *machine) compare(dst mask, comparison int, a vec, x string) {
	m.op("VCMPPD", fmt.Sprintf("$0x%02x", comparison), x, a, dst)
}

// choose sets dst to yes in the lanes of k and to no in the other lanes.
func (m *machine) choose(dst vec, k mask, yes string, no vec) {
	if m.Wide() {
		m.op("VBLENDMPD", yes, no, k, dst)
		return
	}
	m.op("VBLENDVPD", k, yes, no, dst)
}

func (m *machine) both(dst, a, b mask)   { m.masks("KANDB", "VANDPD", b, a, dst) }
func (m *machine) either(dst, a, b mask) { m.masks("KORB", "VORPD", b, a, dst) }

// except sets dst to the lanes of a that are not in b.
func (m *machine) except(dst, a, b mask) { m.masks("KANDNB", "VANDNPD", a, b, dst) }

func (m *machine) none(dst mask) { m.masks("KXORB", "VXORPD", dst, dst, dst) }

func (m *machine) masks(wide, narrow string, operands ...mask) {
	if m.Wide() {
		m.op(wide, operands...)
		return
	}
	m.op(narrow, operands...)
}

// whenEmpty jumps if k has no lanes. It destroys scratch.
func (m *machine) whenEmpty(k mask, scratch gpr, label string) {
	if m.Wide() {
		m.op("KORTESTB", k, k)
	} else {
		m.op("VMOVMSKPD", k, scratch)
		m.op("TESTL", scratch, scratch)
	}
	m.op("JEQ", label)
}

func (m *machine) keepMask(dst, src mask) {
	if m.Wide() {
		m.op("KMOVB", src, dst)
		return
	}
	m.move(dst, src)
}
