package spd

import (
	"math"

	"rao/internal/linalg/vec"
)

// flatSpace is a linear space of n×n matrices, symmetric or lower triangular, in which a
// metric is Euclidean.
type flatSpace struct {
	// to writes the elements for matrices lo..hi-1. It may use scratch slices 0, 2 and 3.
	to func(s *scratch, dst []float64, x *Stack, lo, hi int, role string) error
	// from is the inverse for one element, which it may overwrite.
	from  func(t []float64, n int) ([]float64, error)
	lower bool
}

// newFlat is the metric that is Euclidean in a flat space.
func newFlat(name Metric, f *flatSpace) *geometry {
	return &geometry{
		name: name, flat: f, prepare: f.prepare, row: flatRow, geodesic: f.geodesic,
		mean: closed(func(x *Stack, w []float64) ([]float64, error) { return f.mean(new(team), x, w) }),
	}
}

// embed writes for every matrix of x a vector of packed(n) values: the upper triangle with
// off-diagonal entries times √2, or the lower triangle.
func (f *flatSpace) embed(t *team, x *Stack, role string) ([]float64, error) {
	n, nn, p := x.Dim, x.Dim*x.Dim, packed(x.Dim)
	out := make([]float64, x.Count*p)
	err := t.batches(x.Count, n, func(s *scratch, lo, hi int) error {
		c := hi - lo
		t := s.buf(1, c*nn)
		if err := f.to(s, t, x, lo, hi, role); err != nil {
			return err
		}
		for k := range c {
			dst, src := out[(lo+k)*p:(lo+k+1)*p], t[k*nn:(k+1)*nn]
			if f.lower {
				packLower(dst, src, n)
			} else {
				vec.Pack(dst, src, n)
			}
		}
		return nil
	})
	return out, err
}

// vectors is embed as the metric's kernel wants it.
func (f *flatSpace) vectors(x *Stack, _ []float64) ([]float64, error) {
	return f.embed(new(team), x, "matrix")
}

func (f *flatSpace) prepare(p *pairs) error {
	return p.both(func(x *Stack, role string) ([]float64, error) { return f.embed(p.crew, x, role) }, &p.leftData,
		&p.rightData)
}

func flatRow(p *pairs, _ *scratch, d []float64, i, lo int) error {
	m := packed(p.n)
	a := p.leftData[i*m : (i+1)*m]
	for k := range d {
		d[k] = math.Sqrt(vec.SquaredDistance(a, p.rightData[(lo+k)*m:(lo+k+1)*m]))
	}
	return nil
}

func (f *flatSpace) geodesic(a, b []float64, t float64, n int) ([]float64, error) {
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

// mean averages in the flat space and maps back.
func (f *flatSpace) mean(crew *team, x *Stack, w []float64) ([]float64, error) {
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
	return f.from(append([]float64(nil), sum...), n) // the crew's next sum has the same place
}
