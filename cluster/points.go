package cluster

import (
	"context"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/rows"
	"rao/spd"
)

// points are matrices represented by tangent vectors. For a flat metric, the vectors are in the space in which the
// metric is Euclidean. For riemann, they are in the tangent space at any center. The length of a vector is the distance
// of its matrix from the center. A center is a point of the flat space, or for riemann a matrix.
type points struct {
	x    *spd.Stack
	flat *spd.FlatSpace // nil for riemann
	rows *mat.Dense     // elements of x in the flat space
}

func newPoints(ctx context.Context, x *spd.Stack, metric spd.Metric) (*points, error) {
	if known := spd.SpaceMetrics(); !slices.Contains(known, string(metric)) {
		return nil, rao.Optionf("metric", "this method does not support the metric %s; set {metric} to one of %s",
			metric, strings.Join(known, ", "))
	}
	p := &points{x: x, flat: metric.Flat()}
	if p.flat == nil {
		return p, nil
	}
	p.rows = new(mat.Dense)
	return p, p.flat.Rows(ctx, p.rows, x)
}

// center returns the center at matrix i of x.
func (p *points) center(i int) []float64 {
	if p.flat == nil {
		return slices.Clone(p.x.At(i))
	}
	return slices.Clone(p.rows.RawRowView(i))
}

// from writes the tangent vectors of all matrices at the center to dst, one per row.
func (p *points) from(ctx context.Context, dst *mat.Dense, center []float64) error {
	if p.flat == nil {
		return spd.TangentVectors(ctx, dst, p.x, mat.NewSymDense(p.x.Dim, center))
	}
	rows.Shape(dst, p.x.Count, len(center))
	for i := range p.x.Count {
		v := dst.RawRowView(i)
		for j, r := range p.rows.RawRowView(i) {
			v[j] = r - center[j]
		}
	}
	return ctx.Err()
}

// moved returns the center that is reached by moving along a tangent vector.
func (p *points) moved(center, by []float64) ([]float64, error) {
	if p.flat == nil {
		var to spd.Stack
		err := spd.UntangentVectors(&to, mat.NewDense(1, len(by), by), mat.NewSymDense(p.x.Dim, center))
		return to.Data, err
	}
	to := slices.Clone(center)
	for j, v := range by {
		to[j] += v
	}
	return to, nil
}

func (p *points) matrices(centers [][]float64) (*spd.Stack, error) {
	if p.flat == nil {
		return spd.StackOf(len(centers), p.x.Dim, slices.Concat(centers...)), nil
	}
	return p.flat.Matrices(slices.Concat(centers...), p.x.Dim)
}

// centers returns the centers at the matrices of m, as the inverse of [points.matrices].
func (p *points) centers(ctx context.Context, m *spd.Stack) ([][]float64, error) {
	out := make([][]float64, m.Count)
	if p.flat == nil {
		for k := range out {
			out[k] = slices.Clone(m.At(k))
		}
		return out, nil
	}
	var rows mat.Dense
	if err := p.flat.Rows(ctx, &rows, m); err != nil {
		return nil, err
	}
	for k := range out {
		out[k] = rows.RawRowView(k)
	}
	return out, nil
}
