package main

import "fmt"

// gather emits
//
//	func gatherNNxW(k int, rows *[]T, at int, pivot, dst *T, sum *float64, largest *T)
//
// which packs `width` vectors of columns of k rows, starting at byte `at` of each row, into a panel, minus the pivot.
// rows points to the headers of k slices. It also sums every column, in double precision and in the order of the rows,
// and finds its largest magnitude. It prefetches the same columns of the next panel.
func (s *source) gather(e element, width int) {
	t := fmt.Sprintf("float%d", e.bits)
	s.Begin(fmt.Sprintf("gather%dx%d%s", e.bits, width, s.Name),
		fmt.Sprintf("k int, rows *[]%s, at int, pivot, dst *%[1]s, sum *float64, largest *%[1]s", t))
	for _, a := range [][2]string{{"k", "AX"}, {"rows", "SI"}, {"at", "BX"}, {"pivot", "DI"}, {"dst", "DX"},
		{"sum", "R8"}, {"largest", "R9"}} {
		s.LoadArg(a[0], a[1])
	}
	const mask = 3
	parts := 8 / e.bytes // registers of float64 for each register of values
	largest := func(v int) string { return s.Vec(4 + v) }
	sum := func(v, part int) string { return s.Vec(7 + 2*v + part) }
	pivot := func(v int) string { return s.Vec(13 + v) }
	s.magnitudeMask(e, mask)
	for v := range width {
		s.Op("VMOVU%s %d(DI), %s", e.suffix, v*s.Bytes, pivot(v))
		s.Op("%s %[2]s, %[2]s, %[2]s", s.clear, largest(v))
		for part := range parts {
			s.Op("%s %[2]s, %[2]s, %[2]s", s.clear, sum(v, part))
		}
	}
	s.Countdown("AX", "row", "done", func() {
		s.Op("MOVQ (SI), R10")
		s.Op("ADDQ BX, R10")
		for v := range width {
			s.Op("VMOVU%s %d(R10), %s", e.suffix, v*s.Bytes, s.Vec(0))
			s.Op("VSUB%s %s, %s, %[3]s", e.suffix, pivot(v), s.Vec(0))
			s.Op("VMOVU%s %s, %d(DX)", e.suffix, s.Vec(0), v*s.Bytes)
			s.Op("VAND%s %s, %s, %s", e.suffix, s.Vec(mask), s.Vec(0), s.Vec(1))
			s.Op("VMAX%s %s, %s, %[3]s", e.suffix, s.Vec(1), largest(v))
			if e.bytes == 8 {
				s.Op("VADDPD %s, %s, %[2]s", s.Vec(0), sum(v, 0))
				continue
			}
			s.Op("VCVTPS2PD %s, %s", s.Half(0), s.Vec(1))
			s.Op("VADDPD %s, %s, %[2]s", s.Vec(1), sum(v, 0))
			s.Op("%s $1, %s, %s", s.upper, s.Vec(0), s.Half(2))
			s.Op("VCVTPS2PD %s, %s", s.Half(2), s.Vec(2))
			s.Op("VADDPD %s, %s, %[2]s", s.Vec(2), sum(v, 1))
		}
		panel := columns * s.Bytes
		for at := 0; at < panel; at += 64 {
			s.Op("PREFETCHT0 %d(R10)", panel+at)
		}
		s.Op("ADDQ $24, SI")
		s.Op("ADDQ $%d, DX", panel)
	})
	for v := range width {
		s.Op("VMOVU%s %s, %d(R9)", e.suffix, largest(v), v*s.Bytes)
		for part := range parts {
			s.Op("VMOVUPD %s, %d(R8)", sum(v, part), (v*parts+part)*s.Bytes)
		}
	}
	s.End()
}

// magnitudeMask fills a register with ones except in the sign bits of its elements.
func (s *source) magnitudeMask(e element, reg int) {
	if s.Wide() {
		s.Op("VPTERNLOGD $255, %[1]s, %[1]s, %[1]s", s.Vec(reg))
	} else {
		s.Op("VPCMPEQD %[1]s, %[1]s, %[1]s", s.Vec(reg))
	}
	shift := map[int]string{4: "VPSRLD", 8: "VPSRLQ"}[e.bytes]
	s.Op("%s $1, %s, %[2]s", shift, s.Vec(reg))
}
