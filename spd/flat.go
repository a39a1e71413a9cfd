package spd

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/rows"
)

// FlatSpace is a linear space of n×n matrices, symmetric or lower triangular, in which a metric is Euclidean. Its
// elements are vectors of n(n+1)/2 values: the upper triangle with off-diagonal entries times √2, or the lower
// triangle.
type FlatSpace struct {
	// to writes the elements for matrices lo..hi-1. It may use scratch slices 0, 2 and 3.
	to func(s *scratch, dst []float64, x *Stack, lo, hi int, role string) error
	// from is the inverse of to, for one element, which it may overwrite.
	from func(t []float64, n int) ([]float64, error)
	// lower is true if the elements are lower triangular.
	lower bool
	// onto is true if every vector belongs to an SPD matrix. If not, only symmetric elements with positive eigenvalues
	// do, or triangular elements with positive diagonals.
	onto bool
	// scaled is true if distances change with the unit of the matrices.
	scaled bool
}

// Flat returns the space in which the metric is Euclidean, or nil if there is none or the metric is unknown.
func (m Metric) Flat() *FlatSpace {
	if g, err := m.geometry(); err == nil {
		return g.flat
	}
	return nil
}

// Below returns a flat space in which no distance is larger than in the metric, or nil if none is known. For a flat
// metric it equals [Metric.Flat].
func (m Metric) Below() *FlatSpace {
	g, err := m.geometry()
	switch {
	case err != nil:
		return nil
	case g.flat != nil:
		return g.flat
	}
	return g.below
}

// FlatMetrics returns the names of the metrics with a [FlatSpace].
func FlatMetrics() []string { return namesOf(isFlat) }

func isFlat(g *geometry) bool { return g.flat != nil }

// Scaled reports whether distances change with the unit of the matrices.
func (f *FlatSpace) Scaled() bool { return f.scaled }

// Vectors returns the elements of the matrices of x, one after another. role is the word for a matrix in errors, such
// as "reference". Errors name a matrix that is not SPD. If ctx is canceled, Vectors returns the error of ctx.
func (f *FlatSpace) Vectors(ctx context.Context, x *Stack, role string) ([]float64, error) {
	if err := x.verify(role); err != nil {
		return nil, err
	}
	out := make([]float64, x.Count*vec.PackedLen(x.Dim))
	return out, f.vectorsInto(ctx, out, x, role)
}

// vectorsInto writes the elements of the matrices of x, which are verified, to out.
func (f *FlatSpace) vectorsInto(ctx context.Context, out []float64, x *Stack, role string) error {
	some := min(4096, max(4, 20_000_000/(x.Dim*x.Dim*x.Dim)))
	crew := passes.Get().(*team)
	defer passes.Put(crew)
	for lo := 0; lo < x.Count; lo += some {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := x
		if x.Count > some {
			part = x.Slice(lo, min(lo+some, x.Count))
		}
		if err := f.embed(crew, out[lo*vec.PackedLen(x.Dim):], part, role); err != nil {
			return indices.InError(err, func(e *MatrixError) { e.Index += lo })
		}
	}
	return nil
}

// Rows writes the element of matrix k of x to row k of dst. An empty dst is resized; another shape panics with
// mat.ErrShape. Errors name a matrix that is not SPD. If ctx is canceled, Rows returns the error of ctx.
func (f *FlatSpace) Rows(ctx context.Context, dst *mat.Dense, x *Stack) error {
	if err := x.verify("matrix"); err != nil {
		return err
	}
	p := vec.PackedLen(x.Dim)
	rows.Shape(dst, x.Count, p)
	if raw := dst.RawMatrix(); raw.Stride == p {
		return f.vectorsInto(ctx, raw.Data, x, "matrix")
	}
	v := make([]float64, x.Count*p)
	if err := f.vectorsInto(ctx, v, x, "matrix"); err != nil {
		return err
	}
	for k := range x.Count {
		copy(dst.RawRowView(k), v[k*p:(k+1)*p])
	}
	return nil
}

// Vector writes the element of matrix k of x to dst, and panics with mat.ErrShape unless dst has n(n+1)/2 values. It
// does not check whether the matrix is finite and symmetric. It returns an error if the metric requires an SPD matrix
// and the matrix is not positive definite.
func (f *FlatSpace) Vector(dst []float64, x *Stack, k int) error {
	if len(dst) != vec.PackedLen(x.Dim) {
		panic(mat.ErrShape)
	}
	s := singles.Get().(*scratch)
	defer singles.Put(s)
	t := s.buf(1, x.Dim*x.Dim)
	if err := f.to(s, t, x, k, k+1, "matrix"); err != nil {
		return err
	}
	f.pack(dst, t, x.Dim)
	return nil
}

// Matrices returns the matrices of order n whose elements are in v, one after another. It returns an error if it cannot
// compute the matrix of an element. It panics with mat.ErrShape if the length of v is not a multiple of n(n+1)/2.
func (f *FlatSpace) Matrices(v []float64, n int) (*Stack, error) {
	p := vec.PackedLen(n)
	if len(v)%p != 0 {
		panic(mat.ErrShape)
	}
	out := NewStack(len(v)/p, n)
	for k := range out.Count {
		t := make([]float64, n*n)
		f.unpack(t, v[k*p:(k+1)*p], n)
		a, err := f.from(t, n)
		if err != nil {
			return nil, fmt.Errorf("matrix %d: %w", k, err)
		}
		copy(out.At(k), a)
	}
	return out, nil
}

// newFlat returns the metric that is Euclidean in the flat space f.
func newFlat(name Metric, f *FlatSpace) *geometry {
	return &geometry{
		name: name, flat: f, prepare: f.prepare, row: flatRow, geodesic: f.geodesic,
		mean: closed(func(x *Stack, w []float64) ([]float64, error) { return f.mean(new(team), x, w) }),
	}
}

// embed writes the elements of the matrices of x to out.
func (f *FlatSpace) embed(t *team, out []float64, x *Stack, role string) error {
	return batchesWith(t, x.Count, x.Dim, flatPass{f, out, x, role}, flatPass.embed)
}

// flatPass contains the variables of [FlatSpace.embed].
type flatPass struct {
	*FlatSpace
	out  []float64
	x    *Stack
	role string
}

func (f flatPass) embed(s *scratch, lo, hi int) error {
	n, nn, p := f.x.Dim, f.x.Dim*f.x.Dim, vec.PackedLen(f.x.Dim)
	t := s.buf(1, (hi-lo)*nn)
	if err := f.to(s, t, f.x, lo, hi, f.role); err != nil {
		return err
	}
	for k := lo; k < hi; k++ {
		v := f.out[k*p : (k+1)*p]
		f.pack(v, t[(k-lo)*nn:(k-lo+1)*nn], n)
		if f.scaled && !inRange(v) {
			return outOfRange(f.x.At(k), f.role, k)
		}
	}
	return nil
}

func (f *FlatSpace) pack(dst, t []float64, n int) {
	if f.lower {
		packLower(dst, t, n)
		return
	}
	vec.Pack(dst, t, n)
}

func (f *FlatSpace) unpack(t, v []float64, n int) {
	if f.lower {
		unpackLower(t, v, n)
		return
	}
	vec.Unpack(t, v, n)
}

// packLower writes the lower triangle of l to dst, row by row.
func packLower(dst, l []float64, n int) {
	p := 0
	for i := range n {
		p += copy(dst[p:], l[i*n:i*n+i+1])
	}
}

// unpackLower is the inverse of packLower.
func unpackLower(l, v []float64, n int) {
	clear(l[:n*n])
	for i := range n {
		v = v[copy(l[i*n:i*n+i+1], v):]
	}
}

// vectors is embed with the signature of the metric's kernel.
func (f *FlatSpace) vectors(x *Stack, _ []float64) ([]float64, error) {
	return f.all(new(team), x, "matrix")
}

func (f *FlatSpace) all(t *team, x *Stack, role string) ([]float64, error) {
	out := make([]float64, x.Count*vec.PackedLen(x.Dim))
	return out, f.embed(t, out, x, role)
}

func (f *FlatSpace) prepare(p *pairs) error {
	return p.both(func(x *Stack, role string) ([]float64, error) { return f.all(p.crew, x, role) }, &p.leftData,
		&p.rightData)
}

func flatRow(p *pairs, _ *scratch, d []float64, i, lo int) error {
	m := vec.PackedLen(p.n)
	a := p.leftData[i*m : (i+1)*m]
	for k := range d {
		d[k] = math.Sqrt(vec.SquaredDistance(a, p.rightData[(lo+k)*m:(lo+k+1)*m]))
	}
	return nil
}

func (f *FlatSpace) geodesic(a, b []float64, t float64, n int) ([]float64, error) {
	s := singles.Get().(*scratch)
	defer singles.Put(s)
	u, v := make([]float64, n*n), make([]float64, n*n)
	if err := f.to(s, u, StackOf(1, n, a), 0, 1, "first matrix"); err != nil {
		return nil, single(err)
	}
	if err := f.to(s, v, StackOf(1, n, b), 0, 1, "second matrix"); err != nil {
		return nil, single(err)
	}
	for i := range u {
		u[i] = (1-t)*u[i] + t*v[i]
	}
	return f.from(u, n)
}

func (f *FlatSpace) mean(crew *team, x *Stack, w []float64) ([]float64, error) {
	n, nn := x.Dim, x.Dim*x.Dim
	sum, err := crew.accumulate(x, nn, func(s *scratch, lo, hi int, sum []float64) error {
		t := s.buf(1, (hi-lo)*nn)
		if err := f.to(s, t, x, lo, hi, "matrix"); err != nil {
			return err
		}
		for k := lo; k < hi; k++ {
			vec.Axpy(sum, w[k], t[(k-lo)*nn:(k-lo+1)*nn])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return f.from(append([]float64(nil), sum...), n) // the next sum of the team reuses this memory
}
