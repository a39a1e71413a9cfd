package main

import "fmt"

// The product of bytes uses the first factor unchanged and subtracts 128 from the second, because VPDPBUSD multiplies
// an unsigned byte by a signed one. The instruction adds four such products, from neighboring rows, to a 32-bit sum
// without rounding. A panel begins with headRows rows of integers, with one value per column j with values x:
//
//	S(j) = Σ x,  128 - p(j),  S(j) - k p(j),  -p(j),
//
// where p is the pivot and k the number of rows. The sums of a tile start from
//
//	(128 - p(j)) S(i) - p(i) (S(j) - k p(j)),
//
// so they end as Σ (x(i) - p(i)) (x(j) - p(j)).
const headRows = 4

// signs is the register of the constant that converts a byte x to the signed x - 128.
const signs = 7

// head emits the initial sums of a tile and advances the pointers past the heads of the panels.
func (s *source) head(width int) {
	panel := columns * s.Bytes
	for v := range width {
		s.Op("VMOVUPS %d(DI), %s", panel+v*s.Bytes, s.Vec(v))
		s.Op("VMOVUPS %d(DI), %s", 2*panel+v*s.Bytes, s.Vec(columns+v))
	}
	for r := range s.rows {
		s.Op("VPBROADCASTD %d(SI), %s", 4*r, s.Vec(6))
		for v := range width {
			s.Op("VPMULLD %s, %s, %s", s.Vec(v), s.Vec(6), s.Vec(s.first+width*r+v))
		}
		s.Op("VPBROADCASTD %d(SI), %s", 3*panel+4*r, s.Vec(6))
		for v := range width {
			acc := s.Vec(s.first + width*r + v)
			s.Op("VPMULLD %s, %s, %s", s.Vec(columns+v), s.Vec(6), s.Vec(7))
			s.Op("VPADDD %s, %s, %[2]s", s.Vec(7), acc)
		}
	}
	s.Op("ADDQ $%d, SI", headRows*panel)
	s.Op("ADDQ $%d, DI", headRows*panel)
	s.Op("SUBQ $%d, AX", headRows)
	s.Op("MOVL $0x80808080, R12")
	s.Op("VPBROADCASTD R12, %s", s.Vec(signs))
}

// gatherBytes emits
//
//	func bytes8xW(quads int, rows *[]byte, at int, dst *float32, sum *int32)
//
// which packs and sums like gatherWhole, for rows of bytes.
func (s *source) gatherBytes(width int) {
	s.Begin(fmt.Sprintf("bytes8x%d%s", width, s.Name), "quads int, rows *[]byte, at int, dst *float32, sum *int32")
	for _, a := range [][2]string{{"quads", "AX"}, {"rows", "SI"}, {"at", "BX"}, {"dst", "DX"}, {"sum", "R8"}} {
		s.LoadArg(a[0], a[1])
	}
	quad, number := s.Vec(0), s.Vec(1)
	sum := func(v int) string { return s.Vec(2 + v) }
	for v := range width {
		s.Op("%s %[2]s, %[2]s, %[2]s", s.clear, sum(v))
	}
	rows := [...]string{"R10", "R11", "R12", "R13"}
	s.Countdown("AX", "quad", "done", func() {
		for i, r := range rows {
			s.Op("MOVQ %d(SI), %s", 24*i, r)
			s.Op("ADDQ BX, %s", r)
		}
		for v := range width {
			for i, r := range rows {
				into := number
				if i == 0 {
					into = quad
				}
				s.Op("VPMOVZXBD %d(%s), %s", v*s.Bytes/4, r, into)
				s.Op("VPADDD %s, %s, %[2]s", into, sum(v))
				if i > 0 {
					s.Op("VPSLLD $%d, %s, %[2]s", 8*i, number)
					s.Op("VPORD %s, %s, %[2]s", number, quad)
				}
			}
			s.Op("VMOVUPS %s, %d(DX)", quad, v*s.Bytes)
		}
		s.Op("ADDQ $96, SI")
		s.Op("ADDQ $%d, DX", columns*s.Bytes)
	})
	for v := range width {
		s.Op("VMOVUPS %s, %d(R8)", sum(v), v*s.Bytes)
	}
	s.End()
}

// gatherWhole emits
//
//	func gather8xW(quads int, rows *[]float32, at int, dst *float32, sum *int32, odd *int64)
//
// which packs `width` vectors of columns of 4·quads rows, starting at byte `at` of each row, into a panel: four values
// of a column, from neighboring rows, become the four bytes of one element. It also sums every column, and sets odd if
// a value is not one of 0, 1, ..., 255.
func (s *source) gatherWhole(width int) {
	s.Begin(fmt.Sprintf("gather8x%d%s", width, s.Name),
		"quads int, rows *[]float32, at int, dst *float32, sum *int32, odd *int64")
	for _, a := range [][2]string{{"quads", "AX"}, {"rows", "SI"}, {"at", "BX"}, {"dst", "DX"}, {"sum", "R8"},
		{"odd", "R9"}} {
		s.LoadArg(a[0], a[1])
	}
	quad, number, back, parts, all, fraction := s.Vec(0), s.Vec(1), s.Vec(2), s.Vec(3), s.Vec(4), s.Vec(5)
	sum := func(v int) string { return s.Vec(6 + v) }
	for i := range 6 + width {
		s.Op("%s %[2]s, %[2]s, %[2]s", s.clear, s.Vec(i))
	}
	rows := [...]string{"R10", "R11", "R12", "R13"}
	s.Countdown("AX", "quad", "done", func() {
		for i, r := range rows {
			s.Op("MOVQ %d(SI), %s", 24*i, r)
			s.Op("ADDQ BX, %s", r)
		}
		for v := range width {
			for i, r := range rows {
				s.Op("VMOVUPS %d(%s), %s", v*s.Bytes, r, parts)
				s.Op("VCVTPS2DQ %s, %s", parts, number)
				s.Op("VCVTDQ2PS %s, %s", number, back)
				s.Op("VPTERNLOGD $0xf6, %s, %s, %s", parts, back, fraction) // adds the bits that differ
				s.Op("VPORD %s, %s, %[2]s", number, all)
				s.Op("VPADDD %s, %s, %[2]s", number, sum(v))
				if i == 0 {
					s.Op("VMOVAPS %s, %s", number, quad)
					continue
				}
				s.Op("VPSLLD $%d, %s, %[2]s", 8*i, number)
				s.Op("VPORD %s, %s, %[2]s", number, quad)
			}
			s.Op("VMOVUPS %s, %d(DX)", quad, v*s.Bytes)
		}
		s.Op("ADDQ $96, SI")
		s.Op("ADDQ $%d, DX", columns*s.Bytes)
	})
	for v := range width {
		s.Op("VMOVUPS %s, %d(R8)", sum(v), v*s.Bytes)
	}
	s.Op("VPSRLD $8, %s, %[1]s", all) // bits beyond a byte
	s.Op("VPORD %s, %s, %[2]s", all, fraction)
	s.Op("VPTESTMD %s, %[1]s, K1", fraction)
	s.Op("KMOVW K1, R10")
	s.Op("MOVQ R10, (R9)")
	s.End()
}
