package main

import "fmt"

// solveLower solves T X = B by substitution. T is triangular, with rows and columns in the order of solution:
//
//	X(i,j) = (B(i,j) - Σ_{k<i} T(i,k) X(k,j)) / T(i,i),
//
// for four columns at a time; the last two blocks of columns may overlap. The strides are in bytes and may be negative:
// row is the step from a row of X and B to the next one to be solved, and down and across are the steps from T(i,k) to
// T(i+1,k) and T(i,k+1).
func solveLower(m *machine) {
	m.begin("solveLower", "solves triangular systems with n right-hand sides. x, b and t point to the row that is "+
		"solved first. In bytes, row is the distance between rows of x and b, and down and across are the distances "+
		"between rows and between columns of t.",
		"x*", "b*", "t*", "n", "row", "down", "across")
	x, b, t, n := m.argument("x"), m.argument("b"), m.argument("t"), m.argument("n")
	row, across := m.argument("row"), m.argument("across")
	i, j, k, p, q := m.gpr(), m.gpr(), m.gpr(), m.gpr(), m.gpr()
	acc, v, one, inverse := m.several(4), m.vec(), m.vec(), m.vec()
	m.load(one, m.constant(1))
	m.op("XORQ", i, i)

	// t points to T(i,0) and b to row i of B.
	rows := func(columns int) {
		top := m.label("row")
		m.Place(top)
		m.copyTo(q, i)
		m.op("IMULQ", across, q)
		m.div(inverse, one, m.indexed(t, q, 0))
		m.op("XORQ", j, j)
		block := m.label("block")
		m.Place(block)
		if columns > 1 { // stay within the row
			m.op("LEAQ", fmt.Sprintf("-%d(%s)", columns, n), q)
			m.op("CMPQ", j, q)
			m.op("CMOVQGT", q, j)
		}
		m.copyTo(q, j)
		m.toBytes(q) // start at j
		m.op("LEAQ", fmt.Sprintf("(%s)(%s*1)", b, q), p)
		for c := range columns {
			m.load(acc[c], m.at(p, c))
		}
		m.op("LEAQ", fmt.Sprintf("(%s)(%s*1)", x, q), p)
		m.copyTo(k, i)
		m.copyTo(q, t)
		m.countMaybe(k, func() {
			m.load(v, m.at(q, 0))
			for c := range columns {
				m.fnma(acc[c], v, m.at(p, c))
			}
			m.op("ADDQ", row, p)
			m.op("ADDQ", across, q)
		})
		// Here p points to row i of X.
		for c := range columns {
			m.mul(acc[c], acc[c], inverse)
			m.store(m.at(p, c), acc[c])
		}
		m.op("ADDQ", imm(columns), j)
		m.op("CMPQ", j, n)
		m.op("JLT", block)
		m.op("ADDQ", row, b)
		m.op("ADDQ", m.Arg("down"), t)
		m.op("INCQ", i)
		m.op("CMPQ", i, n)
		m.op("JLT", top)
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
