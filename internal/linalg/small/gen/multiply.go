package main

import "fmt"

// These are the offsets of the fields of productArgs.
const (
	argC         = 8 * iota
	argA         // operands
	argB         //
	argN         // order
	argARow      // strides of op(A) and op(B) in bytes
	argACol      //
	argBRow      //
	argBCol      //
	argLowerA    // known properties, each 0 or 1
	argLowerB    //
	argUpperB    //
	argSymmetric //
	argI         // scratch: position of the block
	argJ         //
)

// multiplyBlocks computes C in register blocks of 4×4 entries or, with AVX2's few registers, 4×2. The last blocks of a
// row or a column overlap the blocks before them, so the order must be at least 4.
func multiplyBlocks(m *machine) {
	columns := 4
	if m.Registers <= 16 {
		columns = 2
	}
	m.begin("multiplyBlocks", "forms a product of order 4 or more.", "args*")
	m.product(4, columns)
}

// multiplyEntries computes C entry by entry, for the smallest orders.
func multiplyEntries(m *machine) {
	m.begin("multiplyEntries", "forms a product of any order, one entry at a time.", "args*")
	m.product(1, 1)
}

func (m *machine) product(rows, columns int) {
	args := m.argument("args")
	field := func(offset int) string { return fmt.Sprintf("%d(%s)", offset, args) }
	k, pa, pb, s, t := m.gpr(), m.gpr(), m.gpr(), m.gpr(), m.gpr()
	aRow, aRow3, aCol, bRow, bCol, bCol3 := m.gpr(), m.gpr(), m.gpr(), m.gpr(), m.gpr(), m.gpr()
	for _, f := range []struct {
		offset int
		r      gpr
	}{{argARow, aRow}, {argACol, aCol}, {argBRow, bRow}, {argBCol, bCol}} {
		m.op("MOVQ", field(f.offset), f.r)
	}
	m.op("LEAQ", fmt.Sprintf("(%s)(%s*2)", aRow, aRow), aRow3)
	m.op("LEAQ", fmt.Sprintf("(%s)(%s*2)", bCol, bCol), bCol3)
	acc := make([][]vec, rows)
	for r := range acc {
		acc[r] = m.several(columns)
	}
	x, y := m.vec(), m.several(columns)

	nextRow, nextBlock, rowDone := m.label("row"), m.label("block"), m.label("rowdone")
	m.op("MOVQ", imm(0), field(argI))
	m.Place(nextRow)
	m.op("MOVQ", imm(0), field(argJ))
	m.Place(nextBlock)
	m.clampBlock(field, s, t, k, rows, columns)

	// s is the first row of the block, t its first column.
	inside := m.label("inside")
	m.op("CMPQ", field(argSymmetric), imm(0))
	m.op("JEQ", inside)
	m.op("LEAQ", fmt.Sprintf("%d(%s)", rows-1, s), k)
	m.op("CMPQ", t, k)
	m.op("JGT", rowDone)
	m.Place(inside)
	m.productRange(field, s, t, k, pa, pb, rows, columns)

	// Here pa and pb hold the start and the end of the range of the sum.
	m.op("SUBQ", pa, pb)
	m.copyTo(k, pb)
	m.op("IMULQ", aRow, s)
	m.op("IMULQ", bCol, t)
	m.copyTo(pb, pa)
	m.op("IMULQ", aCol, pa)
	m.op("IMULQ", bRow, pb)
	m.op("ADDQ", field(argA), pa)
	m.op("ADDQ", field(argB), pb)
	m.op("ADDQ", s, pa)
	m.op("ADDQ", t, pb)
	for r := range acc {
		for c := range acc[r] {
			m.zero(acc[r][c])
		}
	}
	left, right := strided(pa, aRow, aRow3), strided(pb, bCol, bCol3)
	m.countMaybe(k, func() {
		for c := range columns {
			m.load(y[c], right[c])
		}
		for r := range rows {
			m.load(x, left[r])
			for c := range columns {
				m.fma(acc[r][c], x, y[c])
			}
		}
		m.op("ADDQ", aCol, pa)
		m.op("ADDQ", bRow, pb)
	})
	m.storeBlock(field, acc, s, t, k, pa, pb)

	m.op("ADDQ", imm(columns), field(argJ))
	m.op("MOVQ", field(argJ), t)
	m.op("CMPQ", t, field(argN))
	m.op("JLT", nextBlock)
	m.Place(rowDone)
	m.op("ADDQ", imm(rows), field(argI))
	m.op("MOVQ", field(argI), t)
	m.op("CMPQ", t, field(argN))
	m.op("JLT", nextRow)
	done := m.label("done")
	m.op("CMPQ", field(argSymmetric), imm(0))
	m.op("JEQ", done)
	m.mirror(field, x, k, pa, pb, s, t, aRow)
	m.Place(done)
	m.End()
}

// clampBlock sets s and t to the first row and column of the block, moved up and left if the block would extend past
// the matrix. It destroys scratch.
func (m *machine) clampBlock(field func(int) string, s, t, scratch gpr, rows, columns int) {
	for _, c := range []struct {
		offset, size int
		r            gpr
	}{{argI, rows, s}, {argJ, columns, t}} {
		m.op("MOVQ", field(c.offset), c.r)
		m.op("MOVQ", field(argN), scratch)
		m.op("SUBQ", imm(c.size), scratch)
		m.op("CMPQ", c.r, scratch)
		m.op("CMOVQGT", scratch, c.r)
	}
}

// productRange sets from and to to the range of the sum for the block at row s and column t.
func (m *machine) productRange(field func(int) string, s, t, scratch, from, to gpr, rows, columns int) {
	m.op("XORQ", from, from)
	m.op("CMPQ", field(argLowerB), imm(0))
	m.op("CMOVQNE", t, from)
	m.op("MOVQ", field(argN), to)
	for _, limit := range []struct {
		offset, size int
		r            gpr
	}{{argLowerA, rows, s}, {argUpperB, columns, t}} {
		skip := m.label("skip")
		m.op("CMPQ", field(limit.offset), imm(0))
		m.op("JEQ", skip)
		m.op("LEAQ", fmt.Sprintf("%d(%s)", limit.size, limit.r), scratch)
		m.op("CMPQ", scratch, to)
		m.op("CMOVQLT", scratch, to)
		m.Place(skip)
	}
}

// storeBlock writes a block of C. It destroys the integer registers.
func (m *machine) storeBlock(field func(int) string, acc [][]vec, s, t, scratch, p, row gpr) {
	m.clampBlock(field, s, t, scratch, len(acc), len(acc[0]))
	m.op("MOVQ", field(argN), row)
	m.copyTo(p, s)
	m.op("IMULQ", row, p)
	m.op("ADDQ", t, p)
	m.toBytes(p)
	m.op("ADDQ", field(argC), p)
	m.toBytes(row)
	for r := range acc {
		for c := range acc[r] {
			m.store(m.at(p, c), acc[r][c])
		}
		m.op("ADDQ", row, p)
	}
}

// mirror copies the lower triangle of C to the upper one.
func (m *machine) mirror(field func(int) string, x vec, n, row, from, to, length, k gpr) {
	m.op("MOVQ", field(argN), n)
	m.scaled(row, n)
	m.op("MOVQ", field(argC), from)
	m.copyTo(to, from)
	m.op("XORQ", length, length)
	m.count(n, func() {
		// Copy the start of row from, up to the diagonal, to column to.
		p := field(argI)
		m.op("MOVQ", from, p)
		m.op("MOVQ", to, field(argJ))
		m.copyTo(k, length)
		m.countMaybe(k, func() {
			m.load(x, m.at(from, 0))
			m.store(m.at(to, 0), x)
			m.op("ADDQ", imm(m.Bytes), from)
			m.op("ADDQ", row, to)
		})
		m.op("MOVQ", p, from)
		m.op("MOVQ", field(argJ), to)
		m.op("ADDQ", row, from)
		m.op("ADDQ", imm(m.Bytes), to)
		m.op("INCQ", length)
	})
}
