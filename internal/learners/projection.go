package learners

import (
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/linearfilters"
	"rao/internal/optim"
	"rao/internal/par"
	"rao/internal/rows"
)

// cost is a function of the N×m projected rows. It sets dz to the derivative. The result must not depend on the number
// of processors.
type cost func(z, dz []float64) float64

// projection is an [optim.Problem] with an objective that depends on the filters only through the projected rows Z = (X
// - 1μ')F. Along a curve of filters (F + tD)N(t) the projected rows are (Z + tU)N(t) with U = (X - 1μ')D. An iteration
// therefore reads the data only twice, for U and for the gradient (X - 1μ')'dZ. Trying more steps does not read the
// data again.
type projection struct {
	x      *rows.Reader
	center []float64
	m      int
	flat   bool // filters are unconstrained: N(t) is the identity
	curve  *optim.Curve
	cost   cost

	f, d         []float64 // current filters and direction, n×m
	z, u, zt, dz []float64 // N×m
	last         float64   // t at which zt and dz were computed
	steps        int
	buf          []float64
	passes       int
}

// refreshAfter is the number of steps after which the rows are projected again, to remove accumulated rounding
// errors.
const refreshAfter = 25

func newProjection(x *rows.Reader, center []float64, manifold *optim.Manifold, c cost) *projection {
	n, m := manifold.Rows, manifold.Cols
	size := x.Rows * m
	return &projection{x: x, center: center, m: m, flat: manifold.Kind == optim.None, curve: optim.NewCurve(manifold),
		cost: c,
		f:    make([]float64, n*m), d: make([]float64, n*m),
		z: make([]float64, size), u: make([]float64, size), zt: make([]float64, size), dz: make([]float64, size)}
}

// blocks calls body with blocks of rows, as float64 with stride ld.
func (p *projection) blocks(body func(lo, hi int, x []float64, ld int)) {
	p.passes++
	n := p.x.Cols
	if p.x.F64 != nil {
		body(0, p.x.Rows, p.x.F64, p.x.Stride)
		return
	}
	block := min(max(linearfilters.TransformBlock/n, 16), p.x.Rows)
	if p.buf == nil {
		p.buf = make([]float64, block*n)
	}
	for lo := 0; lo < p.x.Rows; lo += block {
		hi := min(lo+block, p.x.Rows)
		par.For(hi-lo, 128, func(_, from, to int) { p.x.Read(p.buf[from*n:], n, lo+from, lo+to, nil) })
		body(lo, hi, p.buf, n)
	}
}

// project sets dst to (X - 1μ')F.
func (p *projection) project(dst, f []float64) {
	n, m := p.x.Cols, p.m
	shift := make([]float64, m)
	dense.Gemm(false, false, 1, m, n, 1, p.center, n, f, m, 0, shift, m)
	p.blocks(func(lo, hi int, x []float64, ld int) {
		dense.Gemm(false, false, hi-lo, m, n, 1, x, ld, f, m, 0, dst[lo*m:], m)
	})
	par.For(p.x.Rows, 4096, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := dst[i*m : (i+1)*m]
			for j, s := range shift {
				row[j] -= s
			}
		}
	})
}

// gradient sets dst to (X - 1μ')'dZ.
func (p *projection) gradient(dst []float64) {
	n, m := p.x.Cols, p.m
	clear(dst)
	p.blocks(func(lo, hi int, x []float64, ld int) {
		dense.Gemm(true, false, n, m, hi-lo, 1, x, ld, p.dz[lo*m:], m, 1, dst, m)
	})
	sum := make([]float64, m)
	for i := 0; i < len(p.dz); i += m {
		for j, v := range p.dz[i : i+m] {
			sum[j] += v
		}
	}
	for i, c := range p.center {
		vec.Axpy(dst[i*m:(i+1)*m], -c, sum)
	}
}

// Start implements [optim.Problem].
func (p *projection) Start(x, grad []float64) (float64, error) {
	copy(p.f, x)
	p.project(p.z, x)
	v := p.cost(p.z, p.dz)
	p.gradient(grad)
	return v, nil
}

// Search implements [optim.Problem].
func (p *projection) Search(x, d []float64) error {
	copy(p.f, x)
	copy(p.d, d)
	p.curve.Set(x, d)
	p.project(p.u, d)
	return nil
}

// slopeGrain is the number of rows per task when the slope is summed.
const slopeGrain = 4096

// Along implements [optim.Problem].
func (p *projection) Along(t float64) (value, slope float64) {
	if !p.curve.At(t) {
		return inf, 0
	}
	if p.flat {
		return p.straightAlong(t)
	}
	m, nt, dn := p.m, p.curve.N, p.curve.DN
	par.For(p.x.Rows, slopeGrain, func(_, lo, hi int) {
		row := make([]float64, m)
		for i := lo; i < hi; i++ {
			for j := range row {
				row[j] = p.z[i*m+j] + t*p.u[i*m+j]
			}
			timesUpper(p.zt[i*m:(i+1)*m], row, nt, m)
		}
	})
	value = p.cost(p.zt, p.dz)
	p.last = t
	parts := make([]float64, par.Chunks(p.x.Rows, slopeGrain))
	par.For(p.x.Rows, slopeGrain, func(_, lo, hi int) {
		row, moved, s := make([]float64, m), make([]float64, m), 0.0
		for i := lo; i < hi; i++ {
			dz := p.dz[i*m : (i+1)*m]
			timesUpper(moved, p.u[i*m:(i+1)*m], nt, m)
			s += vec.Dot(dz, moved)
			for j := range row {
				row[j] = p.z[i*m+j] + t*p.u[i*m+j]
			}
			timesUpper(moved, row, dn, m)
			s += vec.Dot(dz, moved)
		}
		parts[lo/slopeGrain] = s
	})
	for _, s := range parts {
		slope += s
	}
	return value, slope
}

// straightAlong does the work of Along for unconstrained filters F + tD.
func (p *projection) straightAlong(t float64) (value, slope float64) {
	m := p.m
	par.For(p.x.Rows, slopeGrain, func(_, lo, hi int) {
		copy(p.zt[lo*m:hi*m], p.z[lo*m:hi*m])
		vec.Axpy(p.zt[lo*m:hi*m], t, p.u[lo*m:hi*m])
	})
	value = p.cost(p.zt, p.dz)
	p.last = t
	parts := make([]float64, par.Chunks(p.x.Rows, slopeGrain))
	par.For(p.x.Rows, slopeGrain, func(_, lo, hi int) {
		parts[lo/slopeGrain] = vec.Dot(p.dz[lo*m:hi*m], p.u[lo*m:hi*m])
	})
	for _, s := range parts {
		slope += s
	}
	return value, slope
}

// timesUpper sets dst to row·a for an upper triangular m×m matrix a.
func timesUpper(dst, row, a []float64, m int) {
	for j := range m {
		s := 0.0
		for h := 0; h <= j; h++ {
			s += row[h] * a[h*m+j]
		}
		dst[j] = s
	}
}

// Take implements [optim.Problem].
func (p *projection) Take(t float64, x, grad []float64) error {
	if t != p.last {
		p.Along(t)
	}
	p.curve.Point(p.f, p.f, p.d, t)
	copy(x, p.f)
	p.z, p.zt = p.zt, p.z
	if p.steps++; p.steps%refreshAfter == 0 {
		p.project(p.z, p.f)
		p.cost(p.z, p.dz)
	}
	p.gradient(grad)
	p.last = inf
	return nil
}
