package main

import "fmt"

// cholesky factors column by column: entry (i,j) needs rows i and j left of column j. It handles four rows at a time,
// which share the loads of row j.
func cholesky(m *machine) {
	m.begin("cholesky", "replaces each matrix in a by its Cholesky factor, with zeros above the diagonal, and "+
		"writes the pivots before their square roots are taken.", "a*", "pivots*", "n")
	a, pivots, n := m.argument("a"), m.argument("pivots"), m.argument("n")
	row, triple := m.gpr(), m.gpr()
	m.scaled(row, n)
	m.op("LEAQ", fmt.Sprintf("(%s)(%s*2)", row, row), triple)
	// pivotRow is row j, entry its diagonal entry, and left is j in bytes.
	pivotRow, left, below, p, k := m.gpr(), m.gpr(), m.gpr(), m.gpr(), m.gpr()
	m.copyTo(pivotRow, a)
	m.op("XORQ", left, left)
	acc, x, inverse := m.several(4), m.vec(), m.vec()

	columns := m.gpr()
	m.copyTo(columns, n)
	m.count(columns, func() {
		m.load(acc[0], m.indexed(pivotRow, left, 0))
		m.overColumns(k, left, func() {
			m.load(x, m.indexed(pivotRow, k, 0))
			m.fnma(acc[0], x, x)
		})
		m.store(m.at(pivots, 0), acc[0])
		m.op("ADDQ", imm(m.Bytes), pivots)
		m.sqrt(acc[0], acc[0])
		m.store(m.indexed(pivotRow, left, 0), acc[0])
		m.load(x, m.constant(1))
		m.div(inverse, x, acc[0])

		// The rows below it, four at a time and then one by one.
		m.op("LEAQ", fmt.Sprintf("(%s)(%s*1)", pivotRow, row), p)
		m.op("LEAQ", fmt.Sprintf("-1(%s)", columns), below)
		m.fours(below, func(rows int) {
			// Advance p along the row, so the addresses need no second index.
			address := strided(p, row, triple)[:rows]
			m.op("ADDQ", left, p)
			for r := range rows {
				m.load(acc[r], address[r])
			}
			m.op("SUBQ", left, p)
			m.overColumns(k, left, func() {
				m.load(x, m.indexed(pivotRow, k, 0))
				for r := range rows {
					m.fnma(acc[r], x, address[r])
				}
				m.op("ADDQ", imm(m.Bytes), p)
			})
			for r := range rows {
				m.mul(acc[r], acc[r], inverse)
				m.store(address[r], acc[r])
			}
			m.op("SUBQ", left, p)
			m.advance(p, row, rows)
		})

		// Zeros to the right of the pivot.
		m.zero(x)
		m.op("LEAQ", fmt.Sprintf("(%s)(%s*1)", pivotRow, left), p)
		m.op("LEAQ", fmt.Sprintf("-1(%s)", columns), below)
		m.countMaybe(below, func() {
			m.op("ADDQ", imm(m.Bytes), p)
			m.store(m.at(p, 0), x)
		})
		m.op("ADDQ", row, pivotRow)
		m.op("ADDQ", imm(m.Bytes), left)
	})
	m.End()
}

// overColumns runs body for each k = 0, width, ... less than limit, which is a multiple of width.
func (m *machine) overColumns(k, limit gpr, body func()) {
	m.op("XORQ", k, k)
	m.columnsFrom(k, limit, body)
}

// columnsFrom is overColumns starting at the current value of k.
func (m *machine) columnsFrom(k, limit gpr, body func()) {
	top, done := m.label("column"), m.label("done")
	m.op("CMPQ", k, limit)
	m.op("JGE", done)
	m.Place(top)
	body()
	m.op("ADDQ", imm(m.Bytes), k)
	m.op("CMPQ", k, limit)
	m.op("JLT", top)
	m.Place(done)
}

// fours runs body(4) while n >= 4 and then body(1) for the rest. It destroys n.
func (m *machine) fours(n gpr, body func(rows int)) {
	top, rest, one, done := m.label("four"), m.label("rest"), m.label("one"), m.label("done")
	m.Place(top)
	m.op("CMPQ", n, imm(4))
	m.op("JLT", rest)
	body(4)
	m.op("SUBQ", imm(4), n)
	m.op("JMP", top)
	m.Place(rest)
	m.op("TESTQ", n, n)
	m.op("JLE", done)
	m.Place(one)
	body(1)
	m.op("DECQ", n)
	m.op("JNE", one)
	m.Place(done)
}

// advance adds rows times stride to p.
func (m *machine) advance(p, stride gpr, rows int) {
	switch rows {
	case 1:
		m.op("ADDQ", stride, p)
	case 4:
		m.op("LEAQ", fmt.Sprintf("(%s)(%s*4)", p, stride), p)
	default:
		panic("advance")
	}
}

// invertLower forms the inverse X row by row from the rows above,
//
//	X(i,j) = -1/L(i,i) Σ_{j<=k<i} L(i,k) X(k,j),
//
// for four columns at a time; the last two blocks of columns may overlap. X is zero above its diagonal, so blocks may
// extend past it.
func invertLower(m *machine) {
	m.begin("invertLower", "writes the inverses of the lower triangular l to li, with zeros above the "+
		"diagonal.", "li*", "l*",
		"n")
	li, l, n := m.argument("li"), m.argument("l"), m.argument("n")
	row := m.gpr()
	m.scaled(row, n)
	// out is row i of li and left is i in bytes; j and k are columns in bytes.
	out, left, j, k, p, t := m.gpr(), m.gpr(), m.gpr(), m.gpr(), m.gpr(), m.gpr()
	acc, x, one, inverse := m.several(4), m.vec(), m.vec(), m.vec()
	m.load(one, m.constant(1))

	m.Op("// zero li")
	m.zero(x)
	m.copyTo(p, li)
	m.copyTo(t, n)
	m.op("IMULQ", n, t)
	m.count(t, func() {
		m.store(m.at(p, 0), x)
		m.op("ADDQ", imm(m.Bytes), p)
	})

	m.copyTo(out, li)
	m.op("XORQ", left, left)
	rows := func(columns int) {
		m.count(n, func() {
			m.op("LEAQ", fmt.Sprintf("(%s)(%s*1)", l, left), t)
			m.div(inverse, one, m.at(t, 0))
			m.op("XORQ", j, j)
			block, done := m.label("block"), m.label("done")
			m.Place(block)
			m.op("CMPQ", j, left)
			m.op("JGE", done)
			if columns > 1 { // stay within the row
				m.op("LEAQ", fmt.Sprintf("%d(%s)", -columns*m.Bytes, row), t)
				m.op("CMPQ", j, t)
				m.op("CMOVQGT", t, j)
			}
			for c := range columns {
				m.zero(acc[c])
			}
			// p is row k of li at column j, for k from j on: rows above have zeros there.
			m.op("LEAQ", fmt.Sprintf("(%s)(%s*1)", li, j), p)
			m.copyTo(t, j)
			m.toVectors(t)
			m.op("IMULQ", row, t)
			m.op("ADDQ", t, p)
			m.copyTo(k, j)
			m.columnsFrom(k, left, func() {
				m.load(x, m.indexed(l, k, 0))
				for c := range columns {
					m.fma(acc[c], x, m.at(p, c))
				}
				m.op("ADDQ", row, p)
			})
			m.op("LEAQ", fmt.Sprintf("(%s)(%s*1)", out, j), p)
			for c := range columns {
				m.zero(x)
				m.fnma(x, acc[c], inverse)
				m.store(m.at(p, c), x)
			}
			m.op("ADDQ", imm(columns*m.Bytes), j)
			m.op("JMP", block)
			m.Place(done)
			m.store(m.indexed(out, left, 0), inverse)
			m.op("ADDQ", row, out)
			m.op("ADDQ", row, l)
			m.op("ADDQ", imm(m.Bytes), left)
		})
	}
	narrow, end := m.label("narrow"), m.label("end")
	m.op("CMPQ", n, imm(4))
	m.op("JLT", narrow)
	rows(4)
	m.op("JMP", end)
	m.Place(narrow)
	rows(1)
	m.Place(end)
	m.End()
}
