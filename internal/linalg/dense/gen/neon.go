package main

// NEON can multiply a vector by one lane of another, so elements of A are loaded several at a time and need no
// broadcast.

// laneStep emits one step of k of a tile. at is an offset into both panels.
func (s *source) laneStep(e element, width, at int) {
	lanes := s.Bytes / e.bytes
	for v := range width {
		s.Op("VMOVUPD %d(DI), %s", at+v*s.Bytes, s.Vec(v))
	}
	for r := 0; r < s.rows; r += lanes {
		a := s.Vec(columns + r/lanes)
		if r+lanes > s.rows { // half a vector remains
			a = s.Half(columns + r/lanes)
		}
		s.Op("VMOVUPD %d(SI), %s", at+r*e.bytes, a)
	}
	for r := range s.rows {
		for v := range width {
			s.FMALane(e.bytes, s.first+width*r+v, v, columns+r/lanes, r%lanes)
		}
	}
}

// rowPair emits two steps of k for rows times packed columns.
func (s *source) rowPair(width, step int) {
	for v := range 2 * width {
		s.Op("VMOVUPD %d(DX), %s", (step*width+v)*s.Bytes, s.Vec(v))
	}
	for r := range s.rows {
		a := 2*columns + r%(s.first-2*columns)
		s.Op("VMOVUPD %s, %s", s.rowAt(r, step*8), s.Vec(a))
		for lane := range 2 {
			for v := range width {
				s.FMALane(8, s.first+width*r+v, lane*width+v, a, lane)
			}
		}
	}
}
