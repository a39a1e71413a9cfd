package main

import "fmt"

// measure finds the largest magnitude in each lane's lower triangle, and a value that is NaN if the lane contains a
// NaN or an infinity.
func measure(m *machine) {
	m.begin("measure", "writes to stats the largest magnitude in each lane's lower triangle, followed by 0 if all "+
		"values of the triangle are finite and NaN otherwise.", "a*", "stats*", "n")
	largest, fate, x, y, zero := m.vec(), m.vec(), m.vec(), m.vec(), m.vec()
	a, stats, n := m.argument("a"), m.argument("stats"), m.argument("n")
	m.zero(largest)
	m.zero(fate)
	m.zero(zero)
	m.overLower(a, n, func(address string) {
		m.load(x, address)
		m.abs(y, x)
		m.max(largest, largest, y)
		m.fma(fate, x, zero)
	})
	m.store(m.at(stats, 0), largest)
	m.store(m.at(stats, 1), fate)
	m.End()
}

// scaleLower multiplies each lane's lower triangle by its factor.
func scaleLower(m *machine) {
	m.begin("scaleLower", "multiplies each lane's lower triangle by its factor.", "a*", "factors*", "n")
	a, factors, n := m.argument("a"), m.argument("factors"), m.argument("n")
	x, factor := m.vec(), m.vec()
	m.load(factor, m.at(factors, 0))
	m.overLower(a, n, func(address string) {
		m.mul(x, factor, address)
		m.store(address, x)
	})
	m.End()
}

// overLower runs body for every entry of the lower triangle of a. It destroys n.
func (m *machine) overLower(a, n gpr, body func(address string)) {
	row, length, k, p := m.gpr(), m.gpr(), m.gpr(), m.gpr()
	m.scaled(row, n)
	m.op("MOVQ", imm(1), length)
	m.count(n, func() {
		m.copyTo(p, a)
		m.copyTo(k, length)
		m.count(k, func() {
			body(m.at(p, 0))
			m.op("ADDQ", imm(m.Bytes), p)
		})
		m.op("INCQ", length)
		m.op("ADDQ", row, a)
	})
}

// tridiagonal reduces each matrix with reflections H = I - u u'/h, from the last row to the third. The algorithm is the
// same as in package eig, with one matrix per lane. A lane in which the row is already reduced gets 1/h = 0, which
// makes its reflection the identity.
func tridiagonal(m *machine) {
	m.begin("tridiagonal", "reduces the lower triangle of a to tridiagonal form by reflections I - u u'/h. For "+
		"i >= 2, row i then contains its u, inverse[i] is its 1/h, and e[i] couples i-1 and i.",
		"a*", "e*", "inverse*", "n")
	t := &reduction{machine: m}
	t.a, t.e, t.inverse = m.argument("a"), m.argument("e"), m.argument("inverse")
	n := m.argument("n")
	t.row, t.triple, t.u, t.length, t.p, t.k, t.rows = m.gpr(), m.gpr(), m.gpr(), m.gpr(), m.gpr(), m.gpr(), m.gpr()
	t.left = m.gpr()
	m.scaled(t.row, n)
	m.op("LEAQ", fmt.Sprintf("(%s)(%s*2)", t.row, t.row), t.triple)
	m.copyTo(t.length, n) // i, the length of u
	top, done := m.label("reflect"), m.label("done")
	m.Place(top)
	m.op("DECQ", t.length)
	m.op("CMPQ", t.length, imm(2))
	m.op("JLT", done)
	m.copyTo(t.u, t.length)
	m.op("IMULQ", t.row, t.u)
	m.op("ADDQ", t.a, t.u)
	t.reflector()
	t.product()
	t.correct()
	t.update()
	m.op("JMP", top)
	m.Place(done)
	m.End()
}

// reduction holds the registers of tridiagonal. Each step allocates and releases its vectors; the reflection's numbers
// are passed between steps in memory.
type reduction struct {
	*machine
	a, e, inverse    gpr
	row, triple      gpr // bytes in a row, and three times that
	u, length        gpr // the row of the reflection and its length
	p, k, rows, left gpr // scratch
}

// entry returns the address of entry i of e or of inverse. It leaves i, in bytes, in k.
func (t *reduction) entry(base gpr) string {
	t.scaled(t.k, t.length)
	return t.indexed(base, t.k, 0)
}

// reflector replaces row i by u and stores 1/h and the new off-diagonal entry.
func (t *reduction) reflector() {
	used := t.usedVecs
	masks := t.usedMasks
	sums := t.several(4)
	x, alpha, g, h, zero := t.vec(), t.vec(), t.vec(), t.vec(), t.vec()
	flat := t.mask()
	for _, s := range sums {
		t.zero(s)
	}
	t.copyTo(t.p, t.u)
	t.op("LEAQ", "-1("+t.length+")", t.rows)
	t.fours(t.rows, func(n int) {
		for i := range n {
			t.load(x, t.at(t.p, i))
			t.fma(sums[i], x, x)
		}
		t.op("ADDQ", imm(n*t.Bytes), t.p)
	})
	t.add(sums[0], sums[0], sums[1])
	t.add(sums[2], sums[2], sums[3])
	t.add(sums[0], sums[0], sums[2]) // sum of squares without the last entry
	t.compare(flat, less, sums[0], t.constant(0x1p-900))
	t.load(alpha, t.at(t.p, 0))
	t.fma(sums[0], alpha, alpha)
	t.sqrt(g, sums[0])
	t.withSign(g, g, alpha, x) // the new entry with opposite sign
	t.move(h, sums[0])
	t.fma(h, g, alpha)
	t.load(x, t.constant(1))
	t.div(h, x, h)
	t.zero(zero)
	t.choose(h, flat, zero, h)
	t.add(x, alpha, g)
	t.choose(x, flat, alpha, x)
	t.store(t.at(t.p, 0), x)
	t.sub(g, zero, g)
	t.choose(g, flat, alpha, g)
	t.store(t.entry(t.e), g)
	t.store(t.indexed(t.inverse, t.k, 0), h)
	t.release(used)
	t.usedMasks = masks
}

// product writes A u to the start of e, where A is the leading block of order i, stored as a lower triangle. It handles
// four rows at a time. Each entry contributes to the sums of its row and its column.
func (t *reduction) product() {
	used := t.usedVecs
	acc, us := t.several(4), t.several(4)
	x, uk, pk := t.vec(), t.vec(), t.vec()
	t.forRows(func(n int, address []string) {
		for r := range n {
			t.load(us[r], t.indexed(t.u, t.left, r))
			t.zero(acc[r])
		}
		t.overColumns(t.k, t.left, func() {
			t.load(uk, t.indexed(t.u, t.k, 0))
			t.load(pk, t.indexed(t.e, t.k, 0))
			for r := range n {
				t.load(x, address[r])
				t.fma(acc[r], x, uk)
				t.fma(pk, x, us[r])
			}
			t.store(t.indexed(t.e, t.k, 0), pk)
			t.op("ADDQ", imm(t.Bytes), t.p)
		})
		for r := range n { // the block on the diagonal
			for s := range r {
				t.load(x, offset(address[r], s*t.Bytes))
				t.fma(acc[r], x, us[s])
				t.fma(acc[s], x, us[r])
			}
			t.load(x, offset(address[r], r*t.Bytes))
			t.fma(acc[r], x, us[r])
		}
		for r := range n {
			t.store(t.indexed(t.e, t.left, r), acc[r])
		}
		t.op("SUBQ", t.left, t.p)
	})
	t.release(used)
}

// correct turns p = A u into q = p/h - u (u'p)/(2h²).
func (t *reduction) correct() {
	used := t.usedVecs
	h, half, x, y := t.vec(), t.vec(), t.vec(), t.vec()
	t.load(h, t.entry(t.inverse))
	t.zero(half)
	t.scaled(t.left, t.length)
	t.overColumns(t.k, t.left, func() {
		t.mul(x, h, t.indexed(t.e, t.k, 0))
		t.store(t.indexed(t.e, t.k, 0), x)
		t.fma(half, x, t.indexed(t.u, t.k, 0))
	})
	t.mul(half, half, h)
	t.mul(half, half, t.constant(0.5))
	t.overColumns(t.k, t.left, func() {
		t.load(x, t.indexed(t.e, t.k, 0))
		t.load(y, t.indexed(t.u, t.k, 0))
		t.fnma(x, half, y)
		t.store(t.indexed(t.e, t.k, 0), x)
	})
	t.release(used)
}

// update subtracts u q' + q u' from the lower triangle.
func (t *reduction) update() {
	used := t.usedVecs
	us, qs := t.several(4), t.several(4)
	x, uk, qk := t.vec(), t.vec(), t.vec()
	t.forRows(func(n int, address []string) {
		for r := range n {
			t.load(us[r], t.indexed(t.u, t.left, r))
			t.load(qs[r], t.indexed(t.e, t.left, r))
		}
		t.overColumns(t.k, t.left, func() {
			t.load(uk, t.indexed(t.u, t.k, 0))
			t.load(qk, t.indexed(t.e, t.k, 0))
			for r := range n {
				t.load(x, address[r])
				t.fnma(x, us[r], qk)
				t.fnma(x, qs[r], uk)
				t.store(address[r], x)
			}
			t.op("ADDQ", imm(t.Bytes), t.p)
		})
		for r := range n {
			for s := range r + 1 {
				to := offset(address[r], s*t.Bytes)
				t.load(x, to)
				t.fnma(x, us[r], qs[s])
				t.fnma(x, qs[r], us[s])
				t.store(to, x)
			}
		}
		t.op("SUBQ", t.left, t.p)
	})
	t.release(used)
}

// forRows runs body for the rows of the leading block, four at a time and then one by one. left is the index of the
// first row in bytes. address holds the addresses of the rows at p, which starts at column 0; body may move p if it
// restores it.
func (t *reduction) forRows(body func(n int, address []string)) {
	t.copyTo(t.rows, t.length)
	t.copyTo(t.p, t.a)
	t.op("XORQ", t.left, t.left)
	address := strided(t.p, t.row, t.triple)
	t.fours(t.rows, func(n int) {
		body(n, address[:n])
		t.advance(t.p, t.row, n)
		t.op("ADDQ", imm(n*t.Bytes), t.left)
	})
}

// offset adds bytes to an address that has no displacement.
func offset(address string, bytes int) string {
	if bytes == 0 {
		return address
	}
	return fmt.Sprintf("%d%s", bytes, address)
}

// accumulate forms Q' from the reflections that tridiagonal left. Each reflection adds a row and a column.
func accumulate(m *machine) {
	m.begin("accumulate", "replaces the reflections in a by the transpose of their product, and writes the "+
		"diagonal to d.", "a*", "d*", "inverse*", "n")
	t := &reduction{machine: m}
	t.a, t.e, t.inverse = m.argument("a"), m.argument("d"), m.argument("inverse")
	n := m.argument("n")
	t.row, t.triple, t.u, t.length, t.p, t.k, t.rows = m.gpr(), m.gpr(), m.gpr(), m.gpr(), m.gpr(), m.gpr(), m.gpr()
	t.left = m.gpr()
	m.scaled(t.row, n)
	m.op("LEAQ", fmt.Sprintf("(%s)(%s*2)", t.row, t.row), t.triple)
	m.copyTo(t.u, t.a)
	m.op("XORQ", t.length, t.length)
	top, plain := m.label("grow"), m.label("plain")
	m.Place(top)
	m.op("CMPQ", t.length, imm(2))
	m.op("JLT", plain)
	t.reflectRows()
	m.Place(plain)
	t.border()
	m.op("ADDQ", t.row, t.u)
	m.op("INCQ", t.length)
	m.op("CMPQ", t.length, n)
	m.op("JLT", top)
	m.End()
}

// reflectRows applies reflection i to the rows above it.
func (t *reduction) reflectRows() {
	used := t.usedVecs
	acc, x, uk, h := t.several(4), t.vec(), t.vec(), t.vec()
	t.load(h, t.entry(t.inverse))
	t.copyTo(t.rows, t.length)
	t.copyTo(t.p, t.a)
	t.scaled(t.left, t.length)
	address := strided(t.p, t.row, t.triple)
	t.fours(t.rows, func(n int) {
		for r := range n {
			t.zero(acc[r])
		}
		t.overColumns(t.k, t.left, func() {
			t.load(uk, t.indexed(t.u, t.k, 0))
			for r := range n {
				t.fma(acc[r], uk, address[r])
			}
			t.op("ADDQ", imm(t.Bytes), t.p)
		})
		t.op("SUBQ", t.left, t.p)
		for r := range n {
			t.mul(acc[r], acc[r], h)
		}
		t.overColumns(t.k, t.left, func() {
			t.load(uk, t.indexed(t.u, t.k, 0))
			for r := range n {
				t.load(x, address[r])
				t.fnma(x, acc[r], uk)
				t.store(address[r], x)
			}
			t.op("ADDQ", imm(t.Bytes), t.p)
		})
		t.op("SUBQ", t.left, t.p)
		t.advance(t.p, t.row, n)
	})
	t.release(used)
}

// border moves the diagonal entry of row i to d, and replaces the row and the column by a row and a column of the
// identity.
func (t *reduction) border() {
	used := t.usedVecs
	x, zero := t.vec(), t.vec()
	t.zero(zero)
	t.scaled(t.left, t.length)
	t.load(x, t.indexed(t.u, t.left, 0))
	t.store(t.indexed(t.e, t.left, 0), x)
	t.op("LEAQ", fmt.Sprintf("(%s)(%s*1)", t.a, t.left), t.p)
	t.overColumns(t.k, t.left, func() {
		t.store(t.indexed(t.u, t.k, 0), zero)
		t.store(t.at(t.p, 0), zero)
		t.op("ADDQ", t.row, t.p)
	})
	t.load(x, t.constant(1))
	t.store(t.indexed(t.u, t.left, 0), x)
	t.release(used)
}
