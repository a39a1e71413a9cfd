package main

import (
	"fmt"

	"rao/internal/linalg/asmwriter"
)

// pack interleaves the matrices of a group: value t of lane k becomes dst[t*lanes+k]. Blocks of lanes×lanes values are
// transposed in registers. If size is not a multiple of lanes, the last two blocks overlap.
func pack(m *machine) {
	m.begin("pack", "interleaves matrices of size values each, which are stored one after the other in src. size is "+
		"at least the number of lanes.", "dst*", "src*", "size")
	dst, src := m.argument("dst"), m.argument("src")
	m.moveBlocks(dst, src, true)
}

// unpack is the inverse of pack.
func unpack(m *machine) {
	m.begin("unpack", "is the inverse of pack.", "dst*", "src*", "size")
	dst, src := m.argument("dst"), m.argument("src")
	m.moveBlocks(src, dst, false)
}

// moveBlocks copies between the interleaved group at lanes and the matrices at matrices.
func (m *machine) moveBlocks(lanes, matrices gpr, packing bool) {
	size, stride, triple, blocks := m.argument("size"), m.gpr(), m.gpr(), m.gpr()
	m.op("MOVQ", size, stride)
	m.op("SHLQ", imm(3), stride)
	m.op("LEAQ", fmt.Sprintf("(%s)(%s*2)", stride, stride), triple)
	rows := strided(matrices, stride, triple)[:min(4, m.Lanes())]
	second := m.gpr() // rows 4 to 7
	if m.Wide() {
		m.op("LEAQ", fmt.Sprintf("(%s)(%s*4)", matrices, stride), second)
		rows = append(rows, strided(second, stride, triple)...)
	}
	v, t := m.several(m.Lanes()), m.several(m.Lanes())
	block := func() {
		for r := range rows {
			if packing {
				m.load(v[r], rows[r])
			} else {
				m.load(v[r], m.at(lanes, r))
			}
		}
		m.transpose(v, t)
		for r := range rows {
			if packing {
				m.store(m.at(lanes, r), v[r])
			} else {
				m.store(rows[r], v[r])
			}
		}
	}
	m.op("MOVQ", size, blocks)
	m.op("SHRQ", imm(asmwriter.Log2(m.Lanes())), blocks)
	m.count(blocks, func() {
		block()
		m.op("ADDQ", imm(m.Bytes), matrices)
		m.op("ADDQ", imm(m.Bytes), second)
		m.op("ADDQ", imm(m.Bytes*m.Lanes()), lanes)
	})
	done := m.label("done")
	m.op("ANDQ", imm(m.Lanes()-1), size)
	m.op("JEQ", done)
	m.op("SUBQ", imm(m.Lanes()), size) // subtract the overlap
	m.op("LEAQ", fmt.Sprintf("(%s)(%s*8)", matrices, size), matrices)
	m.op("LEAQ", fmt.Sprintf("(%s)(%s*8)", second, size), second)
	m.toBytes(size)
	m.op("ADDQ", size, lanes)
	block()
	m.Place(done)
	m.End()
}

// transpose transposes the square block of values in v, in place; t is scratch.
func (m *machine) transpose(v, t []vec) {
	for i := 0; i < len(v); i += 2 { // pairs of values within 128 bits
		m.op("VUNPCKLPD", v[i+1], v[i], t[i])
		m.op("VUNPCKHPD", v[i+1], v[i], t[i+1])
	}
	if m.Lanes() == 4 {
		for i := range 2 {
			m.op("VPERM2F128", "$0x20", t[2+i], t[i], v[i])
			m.op("VPERM2F128", "$0x31", t[2+i], t[i], v[2+i])
		}
		return
	}
	if m.Wide() {
		m.transposeWide(v, t)
	}
	for i := range v {
		v[i], t[i] = t[i], v[i]
	}
}

// transposeWide combines the pairs in t into rows in t, with v as scratch.
func (m *machine) transposeWide(v, t []vec) {
	for i := range 2 { // even columns, then odd columns
		// v[0..3] hold 128-bit pieces 0,2 and 1,3 of rows 0-3 and 4-7.
		m.op("VSHUFF64X2", "$0x88", t[2+i], t[i], v[0+i])
		m.op("VSHUFF64X2", "$0xdd", t[2+i], t[i], v[2+i])
		m.op("VSHUFF64X2", "$0x88", t[6+i], t[4+i], v[4+i])
		m.op("VSHUFF64X2", "$0xdd", t[6+i], t[4+i], v[6+i])
	}
	for i := range 2 {
		m.op("VSHUFF64X2", "$0x88", v[4+i], v[0+i], t[0+i])
		m.op("VSHUFF64X2", "$0xdd", v[4+i], v[0+i], t[4+i])
		m.op("VSHUFF64X2", "$0x88", v[6+i], v[2+i], t[2+i])
		m.op("VSHUFF64X2", "$0xdd", v[6+i], v[2+i], t[6+i])
	}
}
