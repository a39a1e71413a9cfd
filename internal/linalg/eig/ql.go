package eig

import (
	"math"

	"rao/internal/linalg/vec"
	"rao/internal/par"
)

const (
	// direct is the largest order for which rotations are applied immediately. For larger matrices they are stored and
	// then applied to a few columns at a time, which stay in the processor's cache.
	direct = 64
	// keptSweeps is the number of sweeps for which rotations are stored.
	keptSweeps = 32
	width      = vec.RotationWidth
	// grain is the number of groups of columns that one goroutine processes at a time.
	grain = 4
)

// rotations stores the rotations of the latest sweeps for the rows of z.
type rotations struct {
	z      []float64
	n      int
	groups []float64 // z in groups of columns, the last padded with zeros
	kept   []float64 // pairs c, s of each sweep, highest row first
	bounds []float64 // l and m of each sweep
}

// newRotations returns rotations for z, row-major or nil, with scratch memory of length rotationSpace.
func newRotations(z []float64, n int, space []float64) rotations {
	r := rotations{z: z, n: n}
	if z == nil || n <= direct {
		return r
	}
	size, most := n*par.Chunks(n, width)*width, 2*n*keptSweeps
	r.groups, space = space[:size], space[size:]
	r.kept, r.bounds = space[:0:most], space[most:][:0:2*keptSweeps]
	clear(r.groups[size-n*width:])
	r.exchange(func(group, row []float64) { copy(group, row) })
	return r
}

// exchange calls do with every row of every group and the matching part of z.
func (r *rotations) exchange(do func(group, row []float64)) {
	n := r.n
	for lo := 0; lo < n; lo += width {
		hi := min(lo+width, n)
		for i := range n {
			do(r.groups[lo*n+i*width:][:hi-lo], r.z[i*n+lo:i*n+hi])
		}
	}
}

// add stores the rotation of rows i and i+1, or applies it immediately.
func (r *rotations) add(i int, c, s float64) {
	switch {
	case r.z == nil:
	case r.groups == nil:
		rotate(r.z[(i+1)*r.n:(i+2)*r.n], r.z[i*r.n:(i+1)*r.n], c, s)
	default:
		r.kept = append(r.kept, c, s)
	}
}

// endSweep records that the sweep over rows l to m is complete.
func (r *rotations) endSweep(l, m int) {
	if r.groups == nil {
		return
	}
	r.bounds = append(r.bounds, float64(l), float64(m))
	if len(r.bounds) == cap(r.bounds) {
		r.apply()
	}
}

// apply applies the stored rotations. Columns are independent of each other, so the number of workers does not change
// the result.
func (r *rotations) apply() {
	n, groups, kept, bounds := r.n, r.groups, r.kept, r.bounds
	par.For(len(groups)/(n*width), grain, func(_, lo, hi int) {
		for g := lo; g < hi; g++ {
			rows, at := groups[g*n*width:(g+1)*n*width], 0
			for b := 0; b < len(bounds); b += 2 {
				l, m := int(bounds[b]), int(bounds[b+1])
				next := at + 2*(m-l)
				vec.Rotate(rows[l*width:(m+1)*width], kept[at:next])
				at = next
			}
		}
	})
	r.kept, r.bounds = r.kept[:0], r.bounds[:0]
}

// finish applies the remaining rotations and completes z.
func (r *rotations) finish() {
	if r.groups == nil {
		return
	}
	r.apply()
	r.exchange(func(group, row []float64) { copy(row, group) })
}

// rotationSpace returns the length of the scratch memory that rotations need.
func rotationSpace(n int) int {
	if n <= direct {
		return 0
	}
	return n*par.Chunks(n, width)*width + keptSweeps*(2*n+2)
}

// implicitQL diagonalizes the tridiagonal matrix with diagonal d and off-diagonal e, where e[i] couples i and i+1, and
// applies its rotations to the rows of z unless z is nil. space is scratch memory for the rotations. It reports
// whether it converged.
func implicitQL(d, e, z []float64, n int, space []float64) bool {
	r := newRotations(z, n, space)
	sweeps := 0
	for l := range n {
		for {
			m := l
			for ; m < n-1; m++ {
				if math.Abs(e[m]) <= eps*(math.Abs(d[m])+math.Abs(d[m+1]))+floor {
					e[m] = 0
					break
				}
			}
			if m == l {
				break
			}
			if sweeps++; sweeps > maxSweeps*n {
				return false
			}
			sweep(d, e, l, m, &r)
		}
	}
	r.finish()
	return true
}

// sweep makes one implicit QL step on the unreduced block l..m.
func sweep(d, e []float64, l, m int, r *rotations) {
	g := (d[l+1] - d[l]) / (2 * e[l])
	g = d[m] - d[l] + e[l]/(g+math.Copysign(math.Sqrt(g*g+1), g))
	s, c, p := 1.0, 1.0, 0.0
	for i := m - 1; i >= l; i-- {
		f, b := s*e[i], c*e[i]
		square := f*f + g*g
		root := math.Sqrt(square)
		if square < negligible {
			s, c = 0, 1
		} else {
			s, c = f/root, g/root
		}
		if i < m-1 {
			e[i+1] = root
		}
		g = d[i+1] - p
		t := (d[i]-g)*s + 2*c*b
		p = s * t
		d[i+1] = g + p
		g = c*t - b
		r.add(i, c, s)
	}
	d[l] -= p
	e[l] = g
	r.endSweep(l, m)
}

func rotate(upper, lower []float64, c, s float64) {
	lower = lower[:len(upper)]
	for k, f := range upper {
		t := lower[k]
		upper[k] = s*t + c*f
		lower[k] = c*t - s*f
	}
}
