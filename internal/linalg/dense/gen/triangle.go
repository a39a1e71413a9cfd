package main

import "fmt"

// triangleLanes is the order of a block, for AVX2 and AVX-512.
const triangleLanes = 8

// triangles emits the kernels for which the sums, F and Y of every column fit in the registers along with two rows of
// A. With AVX2 that is only the kernel for one column.
func (s *source) triangles() {
	if !s.Wide() {
		s.halfTriangle()
		return
	}
	for columns := 1; 2+columns*(triangleLanes+2) <= s.Registers; columns++ {
		s.triangle(columns)
	}
}

// beginTriangle emits the start of triangleD and loads its arguments.
func (s *source) beginTriangle(columns int) {
	s.Begin(fmt.Sprintf("triangle%d%s", columns, s.Name),
		"k int, a *float64, lda int, fj, yj, fi, yi *float64, step int, ahead *float64")
	for _, a := range [][2]string{{"k", "R10"}, {"a", "SI"}, {"lda", "R8"}, {"fj", "DX"}, {"yj", "CX"}, {"fi", "BX"},
		{"yi", "R11"}, {"step", "R13"}, {"ahead", "R12"}} {
		s.LoadArg(a[0], a[1])
	}
	s.Op("LEAQ (R8)(R8*2), R9")
}

// triangle emits
//
//	func triangleD(k int, a *float64, lda int, fj, yj, fi, yi *float64, step int, ahead *float64)
//
// which, for a row of k square blocks A_J of a symmetric matrix, read in place (lda is the row stride in bytes), adds
// A_J F_J to Y_I and A_J' F_I to Y_J. A block has eight rows. F and Y have D columns, with eight values of each per
// block. fj and yj point to the values of the first of the k blocks; blocks are step bytes apart. fi and yi point to
// the values of the rows. The kernel also prefetches three rows of k blocks, starting at ahead.
func (s *source) triangle(columns int) {
	s.beginTriangle(columns)
	s.Op("LEAQ (SI)(R8*4), DI")
	f, y := func(d int) string { return s.Vec(d) }, func(d int) string { return s.Vec(columns + d) }
	a, first := 2*columns, s.Registers-triangleLanes*columns
	total := func(r, d int) int { return first + r*columns + d }
	for i := first; i < s.Registers; i++ {
		s.Op("%s %[2]s, %[2]s, %[2]s", s.clear, s.Vec(i))
	}
	s.turns(func() {
		for d := range columns {
			s.Op("VMOVUPD %d(DX), %s", d*s.Bytes, f(d))
			s.Op("VMOVUPD %d(CX), %s", d*s.Bytes, y(d))
		}
		for _, row := range []string{"(R12)", "(R12)(R8*1)", "(R12)(R8*2)"} {
			s.Op("PREFETCHT0 %s", row)
		}
		for r := range triangleLanes {
			x := s.Vec(a + r%2)
			s.Op("VMOVUPD %s, %s", s.rowAt(r, 0), x)
			for d := range columns {
				s.Op("VFMADD231PD %s, %s, %s", f(d), x, s.Vec(total(r, d)))
			}
			for d := range columns {
				s.Op("VFMADD231PD.BCST %d(BX), %s, %s", d*s.Bytes+8*r, x, y(d))
			}
		}
		for d := range columns {
			s.Op("VMOVUPD %s, %d(CX)", y(d), d*s.Bytes)
		}
		s.Op("ADDQ $%d, SI", s.Bytes)
		s.Op("ADDQ $%d, DI", s.Bytes)
		s.Op("ADDQ $%d, R12", s.Bytes)
		s.Op("ADDQ R13, DX")
		s.Op("ADDQ R13, CX")
	})
	s.Place("rest")
	for d := range columns {
		s.lanesTotal(func(r int) int { return total(r, d) })
		s.Op("VADDPD %d(R11), %[2]s, %[2]s", d*s.Bytes, s.Vec(0))
		s.Op("VMOVUPD %s, %d(R11)", s.Vec(0), d*s.Bytes)
	}
	s.End()
}

// halfTriangle emits triangle1 with vectors of half a block's rows: four rows of the blocks, then the other four. Each
// value is summed in the same order as with vectors of eight.
func (s *source) halfTriangle() {
	s.beginTriangle(1)
	f, y := s.Vec(0), s.Vec(1)
	spread := func(r int) string { return s.Vec(4 + r) }
	total := func(r, half int) int { return 8 + 2*r + half }
	for part := range 2 {
		name := [...]string{"upper", "lower"}[part]
		for r := range 4 {
			s.Op("VBROADCASTSD %d(BX), %s", 8*(4*part+r), spread(r))
		}
		for i := 8; i < 16; i++ {
			s.Op("%s %[2]s, %[2]s, %[2]s", s.clear, s.Vec(i))
		}
		s.Op("TESTQ R10, R10")
		s.Op("JZ %sEnd", name)
		s.Op("PCALIGN $32")
		s.Place(name)
		for half := range 2 {
			at := half * s.Bytes
			s.Op("VMOVUPD %d(DX), %s", at, f)
			s.Op("VMOVUPD %d(CX), %s", at, y)
			for r := range 4 {
				x := s.Vec(2 + r%2)
				s.Op("VMOVUPD %s, %s", s.rowAt(r, at), x)
				s.Op("VFMADD231PD %s, %s, %s", f, x, s.Vec(total(r, half)))
				s.Op("VFMADD231PD %s, %s, %s", spread(r), x, y)
			}
			s.Op("VMOVUPD %s, %d(CX)", y, at)
		}
		rows := []string{"(R12)", "(R12)(R8*1)"}
		if part == 1 {
			rows = []string{"(R12)(R8*2)"}
		}
		for _, row := range rows {
			s.Op("PREFETCHT0 %s", row)
		}
		s.Op("ADDQ $%d, SI", 2*s.Bytes)
		s.Op("ADDQ $%d, R12", 2*s.Bytes)
		s.Op("ADDQ R13, DX")
		s.Op("ADDQ R13, CX")
		s.Op("DECQ R10")
		s.Op("JNZ %s", name)
		s.Place(name + "End")
		s.lanesTotal(func(r int) int { return total(r, 0) })
		s.Op("VMOVAPD %s, %s", s.Vec(0), s.Vec(4))
		s.lanesTotal(func(r int) int { return total(r, 1) })
		s.Op("VADDPD %s, %[2]s, %[2]s", s.Vec(4), s.Vec(0))
		s.Op("VADDPD %d(R11), %[2]s, %[2]s", part*s.Bytes, s.Vec(0))
		s.Op("VMOVUPD %s, %d(R11)", s.Vec(0), part*s.Bytes)
		if part == 0 {
			for _, a := range [][2]string{{"k", "R10"}, {"a", "SI"}, {"fj", "DX"}, {"yj", "CX"}, {"ahead", "R12"}} {
				s.LoadArg(a[0], a[1])
			}
			s.Op("LEAQ (SI)(R8*4), SI")
		}
	}
	s.End()
}

// lanesTotal sums the lanes of each of several registers, one register per lane of a vector, and writes the sums to
// the lanes of register 0.
func (s *source) lanesTotal(reg func(r int) int) {
	pairs := s.Lanes() / 2
	for i := range pairs {
		x, y, to := s.Vec(reg(2*i)), s.Vec(reg(2*i+1)), s.Vec(i)
		if !s.Wide() {
			s.Op("VHADDPD %s, %s, %s", y, x, to)
			continue
		}
		s.Op("VUNPCKLPD %s, %s, %s", y, x, to)
		s.Op("VUNPCKHPD %s, %s, %s", y, x, s.Vec(pairs))
		s.Op("VADDPD %s, %[2]s, %[2]s", s.Vec(pairs), to)
	}
	halves := func(op string, low, high, i int) {
		x, y := s.Vec(2*i), s.Vec(2*i+1)
		s.Op("%s $%d, %s, %s, %s", op, low, y, x, s.Vec(pairs))
		s.Op("%s $%d, %s, %s, %s", op, high, y, x, s.Vec(pairs+1))
		s.Op("VADDPD %s, %s, %s", s.Vec(pairs), s.Vec(pairs+1), s.Vec(i))
	}
	if !s.Wide() {
		halves("VPERM2F128", 0x20, 0x31, 0)
		return
	}
	for _, i := range []int{0, 1, 0} {
		halves("VSHUFF64X2", 0x88, 0xdd, i)
	}
}
