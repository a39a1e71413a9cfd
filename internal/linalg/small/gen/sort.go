package main

import "fmt"

// ranks counts, for each value of a lane, the values of that lane that come before it in ascending order: the smaller
// ones, and equal ones with a smaller index.
func ranks(m *machine) {
	m.begin("ranks", "writes the position of each value among the n values of its lane in ascending order, as a "+
		"floating-point number. Equal values keep their order.", "places*", "values*", "n")
	places, values, n := m.argument("places"), m.argument("values"), m.argument("n")
	end, j, k := m.gpr(), m.gpr(), m.gpr()
	v, count, one, x := m.vec(), m.vec(), m.vec(), m.vec()
	before := m.mask()
	m.load(one, m.constant(1))
	m.scaled(end, n)
	m.overColumns(j, end, func() {
		m.load(v, m.indexed(values, j, 0))
		m.zero(count)
		add := func(comparison int) func() {
			return func() {
				m.compare(before, comparison, v, m.indexed(values, k, 0))
				m.add(x, count, one)
				m.choose(count, before, x, count)
			}
		}
		m.overColumns(k, j, add(atLeast))
		m.op("ADDQ", imm(m.Bytes), k)
		m.columnsFrom(k, end, add(above))
		m.store(m.indexed(places, j, 0), count)
	})
	m.End()
}

// scaleRows multiplies each row of each lane's matrix by its own factor.
func scaleRows(m *machine) {
	m.begin("scaleRows", "writes the rows of z, each multiplied by its value of d, to dst.", "dst*", "z*", "d*", "n")
	dst, z, d, n := m.argument("dst"), m.argument("z"), m.argument("d"), m.argument("n")
	rows, k := m.gpr(), m.gpr()
	x, factor := m.vec(), m.vec()
	m.copyTo(rows, n)
	m.count(rows, func() {
		m.load(factor, m.at(d, 0))
		m.copyTo(k, n)
		m.count(k, func() {
			m.mul(x, factor, m.at(z, 0))
			m.store(m.at(dst, 0), x)
			m.op("ADDQ", imm(m.Bytes), z)
			m.op("ADDQ", imm(m.Bytes), dst)
		})
		m.op("ADDQ", imm(m.Bytes), d)
	})
	m.End()
}

// gatherColumns writes rows of one lane of z as columns, in any order: entry (i,j) of dst is entry i of the row that
// starts offsets[j] bytes after z.
func gatherColumns(m *machine) {
	m.begin("gatherColumns", "writes an n×n matrix to dst. Column j is the row of z, in one lane, that starts "+
		"offsets[j] bytes after z. The int64 offsets are padded to full vectors. A negative zero becomes positive.",
		"dst*", "z*", "offsets*", "n")
	dst, z, offsets, n := m.argument("dst"), m.argument("z"), m.argument("offsets"), m.argument("n")
	if m.ARM() {
		m.gatherEach(dst, z, offsets, n)
		return
	}
	bytes, left, rows, to, from := m.gpr(), m.gpr(), m.gpr(), m.gpr(), m.gpr()
	index, v, zero, lane, limit := m.vec(), m.vec(), m.vec(), m.vec(), m.vec()
	columns, gathering := m.mask(), m.mask()
	m.zero(zero)
	m.load(lane, m.iota())
	m.copyTo(bytes, n)
	m.op("SHLQ", imm(3), bytes) // bytes in a row of dst
	m.copyTo(left, n)
	top := m.label("columns")
	m.Place(top)
	m.broadcast(limit, left)
	m.compare(columns, less, lane, limit)
	m.load(index, m.at(offsets, 0))
	m.copyTo(rows, n)
	m.copyTo(to, dst)
	m.copyTo(from, z)
	m.count(rows, func() {
		m.keepMask(gathering, columns) // a gather clears its mask
		if m.Wide() {
			m.op("VGATHERQPD", fmt.Sprintf("(%s)(%s*1)", from, index), gathering, v)
			m.add(v, v, zero)
			m.op("VMOVUPD", v, columns, "("+to+")")
		} else {
			m.op("VGATHERQPD", gathering, fmt.Sprintf("(%s)(%s*1)", from, index), v)
			m.add(v, v, zero)
			m.op("VMASKMOVPD", v, columns, "("+to+")")
		}
		m.op("ADDQ", imm(m.Bytes), from)
		m.op("ADDQ", bytes, to)
	})
	m.op("ADDQ", imm(m.Bytes), offsets)
	m.op("ADDQ", imm(m.Bytes), dst)
	m.op("SUBQ", imm(m.Lanes()), left)
	m.op("JGT", top)
	m.End()
}

// gatherEach is gatherColumns for processors without a gather instruction: it copies value by value, column by column.
func (m *machine) gatherEach(dst, z, offsets, n gpr) {
	bytes, left, rows, to, from := m.gpr(), m.gpr(), m.gpr(), m.gpr(), m.gpr()
	v, zero := m.vec(), m.vec()
	m.zero(zero)
	m.copyTo(bytes, n)
	m.op("SHLQ", imm(3), bytes)
	m.copyTo(left, n)
	m.count(left, func() {
		m.copyTo(from, z)
		m.op("ADDQ", m.at(offsets, 0), from)
		m.copyTo(to, dst)
		m.copyTo(rows, n)
		m.count(rows, func() {
			m.op("VMOVSD", m.at(from, 0), v)
			m.add(v, v, zero)
			m.op("VMOVSD", v, m.at(to, 0))
			m.op("ADDQ", imm(m.Bytes), from)
			m.op("ADDQ", bytes, to)
		})
		m.op("ADDQ", imm(8), offsets)
		m.op("ADDQ", imm(8), dst)
	})
	m.End()
}

// iota returns the address of a vector with 0, 1, 2, ...
func (m *machine) iota() string {
	values := make([]float64, m.Lanes())
	for i := range values {
		values[i] = float64(i)
	}
	return m.Data("iota", values)
}
