package spd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
)

// Geometry describes a metric for [RegisterMetric]. Set Embed and Restore if the metric is Euclidean after a map of
// each matrix. Otherwise set Distance, and either Log and Exp or Mean. The functions may be called from several
// goroutines. All their arguments have the same order, are finite and symmetric, and must not be changed, except for
// dst, which is zero before the call. All arguments except dst and the x of Restore and Exp are also positive definite.
type Geometry struct {
	// Name must be in lower case, without colons, commas and spaces.
	Name Metric
	// Embed writes the symmetric matrix that represents x, and Restore is its inverse. The distance is the Frobenius
	// norm of the difference of embedded matrices.
	Embed, Restore func(dst, x *mat.SymDense) error
	// Onto is true if Restore accepts every symmetric matrix, and false if it accepts only positive definite matrices.
	Onto bool
	// Distance returns the distance of two matrices. Swapping the matrices must not change it.
	Distance func(a, b *mat.SymDense) (float64, error)
	// Divergence is true if Distance scales like a squared distance.
	Divergence bool
	// Log writes the tangent at ref of the geodesic that reaches x at time one, and Exp is its inverse. Geodesics,
	// medians and, if Mean is nil, the mean are computed from them.
	Log, Exp func(dst, x, ref *mat.SymDense) error
	// Mean writes the weighted mean of the matrices in closed form. The weights sum to one.
	Mean func(dst *mat.SymDense, x []*mat.SymDense, weights []float64) error
	// Scaled is true if distances change with the unit of the matrices.
	Scaled bool
}

// RegisterMetric adds a metric to the table, usually in an init function. Every function, option and tool that accepts
// the name of a metric then accepts it. It panics if the name is invalid or already registered, or if functions are
// missing. Package rao/spd/spdtest checks the properties that learners rely on.
func RegisterMetric(g Geometry) {
	switch name := string(g.Name); {
	case name == "" || name != strings.ToLower(name) || strings.ContainsAny(name, " :,"):
		panic(fmt.Sprintf("spd: the metric name %q is invalid; use lower case without colons, commas or spaces", name))
	case slices.Contains(Metrics(), name):
		panic(fmt.Sprintf("spd: metric %q is registered twice", name))
	case (g.Embed == nil) != (g.Restore == nil) || (g.Log == nil) != (g.Exp == nil):
		panic(fmt.Sprintf("spd: metric %q has a map without its inverse", name))
	case g.Embed == nil && (g.Distance == nil || g.Log == nil && g.Mean == nil):
		panic(fmt.Sprintf("spd: metric %q needs Embed and Restore, or Distance with Log and Exp, or with Mean", name))
	}
	geometries = append(geometries, g.entry())
}

func (g Geometry) entry() *geometry {
	var e *geometry
	if g.Embed != nil {
		e = newFlat(g.Name, &FlatSpace{onto: g.Onto, scaled: g.Scaled, to: g.to, from: g.from})
	} else {
		e = &geometry{name: g.Name, prepare: definitePairs, row: g.row, divergence: g.Divergence}
		if e.mean = g.meanOfMaps; g.Mean != nil {
			e.mean = closed(g.closedMean)
		} else {
			e.iterates = true
		}
	}
	if g.Log == nil {
		return e
	}
	e.logMap = g.mapBuilder(g.Log, "matrix")
	e.expMap = g.mapBuilder(g.Exp, "")
	if e.geodesic == nil {
		e.geodesic = g.geodesicOfMaps
	}
	return e
}

// view returns the symmetric matrix of order n that uses the memory a.
func view(a []float64, n int) *mat.SymDense { return mat.NewSymDense(n, a[:n*n:n*n]) }

// written calls f with a matrix of order n in dst, and then copies its upper triangle to the lower one.
func written(dst []float64, n int, f func(dst *mat.SymDense) error) error {
	clear(dst[:n*n])
	if err := f(view(dst, n)); err != nil {
		return err
	}
	dense.Mirror(n, dst, n)
	return nil
}

// named adds the metric and the matrix to an error from a registered function.
func (g Geometry) named(err error, role string, index int) error {
	if err != nil {
		return fmt.Errorf("metric %s: %s %d: %w", g.Name, role, index, err)
	}
	return nil
}

func (g Geometry) to(s *scratch, dst []float64, x *Stack, lo, hi int, role string) error {
	n, nn := x.Dim, x.Dim*x.Dim
	if err := s.factors(s.buf(0, (hi-lo)*nn), x, lo, hi, role); err != nil {
		return err
	}
	for k := lo; k < hi; k++ {
		err := written(dst[(k-lo)*nn:(k-lo+1)*nn], n, func(d *mat.SymDense) error {
			return g.Embed(d, view(x.At(k), n))
		})
		if err != nil {
			return g.named(err, role, k)
		}
	}
	return nil
}

func (g Geometry) from(t []float64, n int) ([]float64, error) {
	vec.Symmetrize(t, n)
	out := make([]float64, n*n)
	return out, written(out, n, func(d *mat.SymDense) error { return g.Restore(d, view(t, n)) })
}

// definitePairs computes the log-determinants, and so checks that all matrices are positive definite.
func definitePairs(p *pairs) error {
	return p.both(p.crew.logDeterminants, &p.leftScalar, &p.rightScalar)
}

func (g Geometry) row(p *pairs, _ *scratch, d []float64, i, lo int) (err error) {
	a := view(p.left.At(i), p.n)
	for k := range d {
		if d[k], err = g.Distance(a, view(p.right.At(lo+k), p.n)); err != nil {
			return g.named(err, p.roleRight, lo+k)
		}
	}
	return nil
}

// mapBuilder wraps Log or Exp. If role is not empty, it checks that matrices are positive definite.
func (g Geometry) mapBuilder(f func(dst, x, ref *mat.SymDense) error, role string) mapBuilder {
	return func(sp *spectrum, ref []float64) (pointMap, error) {
		n, nn, at := sp.n, sp.n*sp.n, view(slices.Clone(ref), sp.n)
		return func(s *scratch, out []float64, x *Stack, lo, hi int) error {
			if role != "" {
				if err := s.factors(s.buf(0, (hi-lo)*nn), x, lo, hi, role); err != nil {
					return err
				}
			}
			for k := lo; k < hi; k++ {
				in := view(slices.Clone(x.At(k)), n) // a copy, because out may be the memory of x
				err := written(out[(k-lo)*nn:(k-lo+1)*nn], n, func(d *mat.SymDense) error { return f(d, in, at) })
				if err != nil {
					return g.named(err, "matrix", k)
				}
			}
			return nil
		}, nil
	}
}

func (g Geometry) geodesicOfMaps(a, b []float64, t float64, n int) ([]float64, error) {
	v, out := make([]float64, n*n), make([]float64, n*n)
	if _, err := new(team).whiteners(nil, StackOf(1, n, a), "first matrix"); err != nil {
		return nil, single(err)
	}
	if _, err := new(team).whiteners(nil, StackOf(1, n, b), "second matrix"); err != nil {
		return nil, single(err)
	}
	if err := written(v, n, func(d *mat.SymDense) error { return g.Log(d, view(b, n), view(a, n)) }); err != nil {
		return nil, g.named(err, "geodesic to matrix", 1)
	}
	for i := range v {
		v[i] *= t
	}
	return out, g.named(written(out, n, func(d *mat.SymDense) error { return g.Exp(d, view(v, n), view(a, n)) }),
		"geodesic to matrix", 1)
}

func (g Geometry) closedMean(x *Stack, w []float64) ([]float64, error) {
	if _, err := new(team).whiteners(nil, x, "matrix"); err != nil {
		return nil, err
	}
	list := make([]*mat.SymDense, x.Count)
	for k := range list {
		list[k] = view(x.At(k), x.Dim)
	}
	out := make([]float64, x.Dim*x.Dim)
	return out, written(out, x.Dim, func(d *mat.SymDense) error { return g.Mean(d, list, w) })
}

// meanOfMaps computes the fixed point of M ← Exp_M(Σ w Log_M X).
func (g Geometry) meanOfMaps(ctx context.Context, x *Stack, w []float64, opt MeanOptions) ([]float64, rao.Report,
	error) {
	n, nn := x.Dim, x.Dim*x.Dim
	return fixedPoint(ctx, x, w, opt, string(g.Name)+" mean", func(t *team, x *Stack, w, m []float64) ([]float64,
		error) {
		logs, err := g.mapBuilder(g.Log, "matrix")(&spectrum{n: n}, m)
		if err != nil {
			return nil, err
		}
		sum, err := t.accumulate(x, nn, func(s *scratch, lo, hi int, sum []float64) error {
			v := s.buf(1, (hi-lo)*nn)
			if err := logs(s, v, x, lo, hi); err != nil {
				return err
			}
			for k := lo; k < hi; k++ {
				vec.Axpy(sum, w[k], v[(k-lo)*nn:(k-lo+1)*nn])
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		step, out := slices.Clone(sum), make([]float64, nn)
		err = written(out, n, func(d *mat.SymDense) error { return g.Exp(d, view(step, n), view(m, n)) })
		return out, g.named(err, "step of the mean of matrices up to", x.Count)
	})
}
