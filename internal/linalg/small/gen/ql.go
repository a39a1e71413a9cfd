package main

import "fmt"

// The implicit QL iteration runs in lock step. Before every sweep, each lane finds its first unreduced block l..m. The
// sweep then covers the union of these blocks, and each lane takes part only in the rows of its own block. A lane that
// has converged has no block, and later sweeps leave its bits unchanged.

// ql diagonalizes matrices and computes their eigenvectors.
func ql(m *machine) {
	m.begin("ql", "diagonalizes tridiagonal matrices with the diagonal d and the off-diagonal e, where e[i] couples i "+
		"and i+1, and applies the rotations to the rows of z. It makes at most limit sweeps; a lane that has not "+
		"converged then has an entry of e that is not zero. scratch has 5 vectors.",
		"d*", "e*", "z*", "scratch*", "n", "limit")
	q := &sweeper{machine: m}
	q.d, q.e, q.z, q.scratch, q.n = m.argument("d"), m.argument("e"), m.argument("z"), m.argument("scratch"),
		m.argument("n")
	q.rowBytes = m.gpr()
	m.scaled(q.rowBytes, q.n)
	q.run()
}

// qlValues computes eigenvalues only, with the squares of the off-diagonal entries: the variant of Pal, Walker and
// Kahan, which needs no square root in its sweep.
func qlValues(m *machine) {
	m.begin("qlValues", "computes the eigenvalues of tridiagonal matrices with the diagonal d and the off-diagonal e, "+
		"where e[i] couples i and i+1. It makes at most limit sweeps; a lane that has not converged then has an "+
		"entry of e that is not zero. scratch has 5 vectors.",
		"d*", "e*", "scratch*", "n", "limit")
	q := &sweeper{machine: m, squares: true}
	q.d, q.e, q.scratch, q.n = m.argument("d"), m.argument("e"), m.argument("scratch"), m.argument("n")
	x, end := m.vec(), m.gpr()
	m.scaled(end, q.n)
	k := m.gpr()
	m.overColumns(k, end, func() {
		m.load(x, m.indexed(q.e, k, 0))
		m.mul(x, x, x)
		m.store(m.indexed(q.e, k, 0), x)
	})
	m.usedGprs -= 2
	m.release(0)
	q.run()
}

// sweeper holds the registers of the iteration. Row indices are in bytes of d and e.
type sweeper struct {
	*machine
	squares                 bool // e holds squares
	d, e, z, scratch, n     gpr
	rowBytes                gpr // bytes in a row of z
	k, t, u                 gpr // the row index, and scratch
	lowest, highest, bottom gpr // the union of the blocks, and n-1

	// These registers describe each lane's block l..m after a scan: l and m as floating-point numbers, and d[l],
	// d[l+1], e[l], d[m].
	first, last, dl, dl1, el, dm vec
	started                      mask

	// These registers are the state of a sweep at row i: the rotation (c, s), the bulge g, the part p subtracted from
	// the diagonal (with squares: the square of the bulge), d[i+1], e[i+1] and i.
	g, s, c, p, d1, e1, at vec
	taking, previous       mask // lanes that take part at this row, and at row i+1
	some                   mask // scratch
	tmp                    []vec
}

// These vectors are in scratch memory.
const (
	scratchFirst = iota // l
	scratchLast         // m
	scratchShift        // minus the shift
	scratchC            // the rotation not yet applied
	scratchS
)

// run emits the QL iteration.
func (q *sweeper) run() {
	q.k, q.t, q.u = q.gpr(), q.gpr(), q.gpr()
	q.lowest, q.highest, q.bottom = q.gpr(), q.gpr(), q.gpr()
	q.op("XORQ", q.lowest, q.lowest)
	top, done := q.label("sweep"), q.label("done")
	q.Place(top)
	q.usedVecs, q.usedMasks = 0, 0
	q.findBlocks()
	q.whenEmpty(q.started, q.t, done)
	q.op("DECQ", q.Arg("limit"))
	q.op("JLT", done)
	q.open()
	if q.squares {
		q.rows(q.stepValues)
	} else {
		q.rows(q.step)
		q.apply()
	}
	q.op("JMP", top)
	q.Place(done)
	q.End()
}

// findBlocks sets negligible entries of e to zero and finds each lane's block. e[i] is negligible if it is at most eps
// (|d[i]| + |d[i+1]|), or tiny.
func (q *sweeper) findBlocks() {
	q.first, q.last, q.dl, q.dl1, q.el, q.dm = q.vec(), q.vec(), q.vec(), q.vec(), q.vec(), q.vec()
	q.started = q.mask()
	at, x, y, z := q.vec(), q.vec(), q.vec(), q.vec()
	small, edge, open := q.mask(), q.mask(), q.mask()
	for _, v := range []vec{q.first, q.last, q.dl, q.dl1, q.dm} {
		q.zero(v)
	}
	q.copyTo(q.k, q.lowest) // rows above the last sweep's are done
	q.copyTo(q.t, q.lowest)
	q.toVectors(q.t)
	q.broadcast(at, q.t)
	q.load(q.el, q.constant(1)) // prevents 0/0 in lanes without a block
	q.none(q.started)
	q.none(open)
	q.op("MOVQ", imm(-1), q.lowest)
	q.op("MOVQ", imm(-1), q.highest)
	q.op("LEAQ", "-1("+q.n+")", q.bottom)
	q.toBytes(q.bottom)
	q.columnsFrom(q.k, q.bottom, func() {
		q.load(x, q.indexed(q.d, q.k, 0))
		q.load(y, q.indexed(q.d, q.k, 1))
		q.abs(x, x)
		q.abs(y, y)
		q.add(z, x, y)
		q.mul(z, z, q.constant(0x1p-53))
		if q.squares {
			q.add(z, z, q.constant(0x1p-110))
			q.mul(z, z, z)
		} else {
			q.add(z, z, q.constant(0x1p-300))
		}
		q.load(x, q.indexed(q.e, q.k, 0))
		q.abs(y, x)
		q.compare(small, atMost, y, z)
		q.compare(edge, above, y, z)
		q.zero(y)
		q.choose(x, small, y, x)
		q.store(q.indexed(q.e, q.k, 0), x)

		q.except(edge, edge, q.started) // a block begins
		q.either(q.started, q.started, edge)
		q.either(open, open, edge)
		q.choose(q.first, edge, at, q.first)
		q.choose(q.el, edge, x, q.el)
		q.load(x, q.indexed(q.d, q.k, 0))
		q.choose(q.dl, edge, x, q.dl)
		q.choose(q.dl1, edge, q.indexed(q.d, q.k, 1), q.dl1)

		q.both(edge, open, small) // a block ends
		q.choose(q.last, edge, at, q.last)
		q.choose(q.dm, edge, x, q.dm)
		q.except(open, open, small)

		q.add(at, at, q.constant(1))
		closed := q.label("closed")
		q.whenEmpty(open, q.t, closed)
		q.copyTo(q.highest, q.k)
		q.op("TESTQ", q.lowest, q.lowest)
		q.op("CMOVQLT", q.k, q.lowest)
		q.Place(closed)
	})
	q.choose(q.last, open, at, q.last)
	q.choose(q.dm, open, q.indexed(q.d, q.bottom, 0), q.dm)
}

// open starts a sweep with Wilkinson's shift. With h = (d[l+1]-d[l])/2, the bulge is d[m] minus the shift,
//
//	d[m] - d[l] + e[l]² / (h ± √(h²+e[l]²)),
//
// where the sign is the sign of h.
func (q *sweeper) open() {
	q.store(q.memory(scratchFirst), q.first)
	q.store(q.memory(scratchLast), q.last)
	x, y, half := q.first, q.last, q.dl1
	if !q.squares {
		q.mul(q.el, q.el, q.el)
	}
	q.sub(half, q.dl1, q.dl)
	q.mul(half, half, q.constant(0.5))
	q.move(x, q.el)
	q.fma(x, half, half)
	q.sqrt(x, x)
	q.withSign(x, x, half, y)
	q.add(x, x, half)
	q.div(x, q.el, x)
	q.sub(x, x, q.dl)
	q.store(q.memory(scratchShift), x)
	q.add(x, x, q.dm)

	q.usedVecs, q.usedMasks = 0, 0 // x is the first register, which g also uses
	q.g, q.s, q.c, q.p, q.d1, q.e1, q.at = q.vec(), q.vec(), q.vec(), q.vec(), q.vec(), q.vec(), q.vec()
	q.previous, q.taking, q.some = q.mask(), q.mask(), q.mask()
	q.tmp = q.several(6)
	q.load(q.c, q.constant(1))
	if q.squares {
		q.zero(q.s)
		q.mul(q.p, q.g, q.g)
	} else {
		q.move(q.s, q.c)
		q.zero(q.p)
	}
	q.none(q.previous)
}

func (q *sweeper) memory(i int) string { return q.machine.at(q.scratch, i) }

// rows runs step for the rows of the union of the blocks, highest first.
func (q *sweeper) rows(step func()) {
	q.copyTo(q.k, q.highest)
	q.copyTo(q.t, q.highest)
	q.toVectors(q.t)
	q.broadcast(q.at, q.t)
	q.load(q.d1, q.indexed(q.d, q.k, 1))
	q.load(q.e1, q.indexed(q.e, q.k, 1))
	top := q.label("rotation")
	q.Place(top)
	q.compare(q.taking, less, q.at, q.memory(scratchLast))
	q.compare(q.some, atLeast, q.at, q.memory(scratchFirst))
	q.both(q.taking, q.taking, q.some)
	step()
	q.sub(q.at, q.at, q.constant(1))
	q.op("SUBQ", imm(q.Bytes), q.k)
	q.op("CMPQ", q.k, q.lowest)
	q.op("JGE", top)
	q.store(q.indexed(q.d, q.k, 1), q.d1)
	q.store(q.indexed(q.e, q.k, 1), q.e1)
}

// step computes the rotation of row i, in the notation of Golub and Van Loan's algorithm 8.3.2 with the order of rows
// reversed:
//
//	f = s e[i],  b = c e[i],  r = √(f²+g²),  s = f/r,  c = g/r,
//	t = (d[i] - d[i+1] + p) s + 2cb,  p = s t,  g = c t - b,
//	e[i+1] = r,  d[i+1] = d[i+1] - p(old) + p.
//
// It then applies the rotation of row i+1. This work overlaps with the long dependency chain of a square root and a
// division.
func (q *sweeper) step() {
	x, s, b, c, y, w := q.tmp[0], q.tmp[1], q.tmp[2], q.tmp[3], q.tmp[4], q.tmp[5]
	q.load(x, q.indexed(q.e, q.k, 0))
	q.mul(s, q.s, x)
	q.mul(b, q.c, x)
	q.mul(c, s, s)
	q.fma(c, q.g, q.g)
	q.compare(q.some, less, c, q.constant(0x1p-900))
	q.roots(y, w, c)
	q.mul(s, s, w)
	q.mul(c, q.g, w)
	q.zero(x)
	q.choose(s, q.some, x, s)
	q.choose(c, q.some, q.constant(1), c)

	q.both(q.some, q.taking, q.previous)
	q.choose(y, q.some, y, q.e1)
	q.store(q.indexed(q.e, q.k, 1), y)

	q.sub(w, q.d1, q.p)
	q.load(x, q.indexed(q.d, q.k, 0))
	q.sub(x, x, w)
	q.mul(x, x, s)
	q.add(y, b, b)
	q.fma(x, y, c) // t
	q.mul(y, s, x) // p
	q.add(w, w, y) // d[i+1]
	q.fms(b, c, x) // g
	q.choose(q.g, q.taking, b, q.g)
	q.choose(q.p, q.taking, y, q.p)
	q.choose(q.s, q.taking, s, q.s)
	q.choose(q.c, q.taking, c, q.c)
	q.choose(w, q.taking, w, q.d1)
	q.store(q.indexed(q.d, q.k, 1), w)

	q.close(x, func() { q.sub(y, x, q.p) }, y, nil, q.g)

	q.zero(x)
	q.choose(s, q.taking, s, x)
	q.load(x, q.constant(1))
	q.choose(c, q.taking, c, x)
	q.keepMask(q.previous, q.taking)
	first := q.label("first")
	q.op("CMPQ", q.k, q.highest)
	q.op("JEQ", first)
	q.applyWith(x, b, y, w)
	q.Place(first)
	q.store(q.memory(scratchC), c)
	q.store(q.memory(scratchS), s)
}

// roots sets root to √x and inverse to √x/x = 1/√x, in such a way that the division does not wait for the square root.
// Both operations are correctly rounded under IEEE 754, unlike a processor's approximation of 1/√x, so every processor
// gives the same bits.
func (q *sweeper) roots(root, inverse, x vec) {
	q.load(inverse, q.constant(1))
	q.div(inverse, inverse, x)
	q.sqrt(root, x)
	q.mul(inverse, inverse, root)
}

// close loads d[i] and e[i] for the next row. Lanes in which the block ends here, i = l, get newD and newE instead.
// makeD and makeE emit the code that computes newD and newE. At that point, x contains d[i].
func (q *sweeper) close(x vec, makeD func(), newD vec, makeE func(), newE vec) {
	q.compare(q.some, equal, q.at, q.memory(scratchFirst))
	q.both(q.some, q.some, q.taking)
	q.load(x, q.indexed(q.d, q.k, 0))
	makeD()
	q.choose(q.d1, q.some, newD, x)
	if makeE != nil {
		makeE()
	}
	q.load(x, q.indexed(q.e, q.k, 0))
	q.choose(q.e1, q.some, newE, x)
}

// apply applies the pending rotation, at row i+1.
func (q *sweeper) apply() { q.applyWith(q.tmp[0], q.tmp[2], q.tmp[4], q.tmp[5]) }

// applyWith rotates rows i+2 (upper) and i+1 (lower) of z,
//
//	upper = s lower + c upper,  lower = c lower - s upper.
func (q *sweeper) applyWith(c, s, upper, lower vec) {
	var x, y vec
	if q.Wide() {
		used := q.usedVecs
		x, y = q.vec(), q.vec()
		q.release(used)
	} else {
		x, y = q.taking, q.some // masks are vectors here, and these two are free
	}
	q.load(c, q.memory(scratchC))
	q.load(s, q.memory(scratchS))
	q.op("LEAQ", fmt.Sprintf("%d(%s)", q.Bytes, q.k), q.t)
	q.op("IMULQ", q.n, q.t)
	q.op("ADDQ", q.z, q.t)
	rotate := func(i int) {
		q.load(upper, q.indexed(q.t, q.rowBytes, i))
		q.load(lower, q.machine.at(q.t, i))
		q.mul(x, c, upper)
		q.mul(y, c, lower)
		q.fma(x, s, lower)
		q.fnma(y, s, upper)
		q.store(q.indexed(q.t, q.rowBytes, i), x)
		q.store(q.machine.at(q.t, i), y)
	}
	q.copyTo(q.u, q.n)
	q.op("SHRQ", imm(1), q.u)
	q.countMaybe(q.u, func() {
		rotate(0)
		rotate(1)
		q.op("ADDQ", imm(2*q.Bytes), q.t)
	})
	even := q.label("even")
	q.op("TESTQ", imm(1), q.n)
	q.op("JEQ", even)
	rotate(0)
	q.Place(even)
}

// stepValues is step without eigenvectors. With e holding squares:
//
//	r = p + e[i],  e[i+1] = s r,  c' = p/r,  s' = e[i]/r,
//	g' = c' (d[i] - shift) - s' g,  d[i+1] = g + d[i] - g',
//	p' = g'²/c', or c e[i] when c' vanishes.
//
// Angles are ratios of p and e, so an error in p is an error in the angle, however small p is. Matrices are scaled to
// have norms near one, and nonzero entries of e are at least 2⁻²²⁰. A p below 2⁻⁵⁸⁰ therefore changes none of them and
// counts as zero, and for a larger p no intermediate result underflows.
func (q *sweeper) stepValues() {
	x, r, a, s, p, c := q.tmp[0], q.tmp[1], q.tmp[2], q.tmp[3], q.tmp[4], q.tmp[5]
	q.load(x, q.indexed(q.e, q.k, 0))
	q.add(r, q.p, x)
	q.mul(a, q.s, r)
	q.both(q.some, q.taking, q.previous)
	q.choose(a, q.some, a, q.e1)
	q.store(q.indexed(q.e, q.k, 1), a)

	// One division is enough: y = 1/(r p).
	q.compare(q.some, less, q.p, q.constant(0x1p-580))
	q.choose(a, q.some, q.constant(1), q.p)
	q.mul(p, r, a)
	q.load(s, q.constant(1))
	q.div(s, s, p) // y
	q.load(c, q.indexed(q.d, q.k, 0))
	q.add(c, c, q.memory(scratchShift))
	q.mul(c, c, q.p)
	q.fnma(c, x, q.g) // r g'
	q.mul(p, q.c, x)
	q.mul(r, r, s)
	q.mul(r, r, c) // r g'/p, because the square of r g' would underflow
	q.mul(a, a, s) // 1/r
	q.mul(c, c, a) // g'
	q.mul(r, r, c)
	q.choose(p, q.some, p, r) // p'
	q.mul(s, x, a)            // s'
	q.mul(a, q.p, a)          // c'
	q.load(r, q.indexed(q.d, q.k, 0))
	q.sub(x, r, c)
	q.add(x, x, q.g)
	q.choose(x, q.taking, x, q.d1)
	q.store(q.indexed(q.d, q.k, 1), x)
	q.choose(q.p, q.taking, p, q.p)
	q.choose(q.g, q.taking, c, q.g)
	q.choose(q.c, q.taking, a, q.c)
	q.choose(q.s, q.taking, s, q.s)
	q.close(x, func() { q.sub(r, q.g, q.memory(scratchShift)) }, r, func() { q.mul(r, q.s, q.p) }, r)
	q.keepMask(q.previous, q.taking)
}
