package lvq

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"rao/internal/indices"
	"rao/spd"
)

// matrixCenters are centers of some matrices, with the metric's own distance and mean.
type matrixCenters struct {
	ctx     context.Context
	m       *matrices
	members []int
	w       *spd.Stack
	n       int // number of centers placed so far
}

func (g *matrixCenters) Add(i int) {
	copy(g.w.At(g.n), g.m.x.At(g.members[i]))
	g.n++
}

// distances returns rows of squared distances to the centers from index from on.
func (g *matrixCenters) distances(from int) ([]float64, error) {
	d := make([]float64, len(g.members)*(g.n-from))
	s, err := g.m.space(g.w.Slice(from, g.n))
	if err != nil {
		return nil, err
	}
	return d, measureAll(context.Background(), d, s, g.members, g.n-from)
}

func (g *matrixCenters) Lower(near []float64) error {
	d, err := g.distances(g.n - 1)
	for i, v := range d {
		near[i] = min(near[i], v)
	}
	return err
}

func (g *matrixCenters) Nearest(of []int) (inertia float64, err error) {
	d, err := g.distances(0)
	if err != nil {
		return 0, err
	}
	for i := range of {
		row := d[i*g.n : (i+1)*g.n]
		of[i] = floats.MinIdx(row)
		inertia += row[of[i]]
	}
	return inertia, nil
}

func (g *matrixCenters) Move(groups [][]int) error {
	for c, group := range groups {
		if len(group) == 0 {
			continue // the center stays
		}
		mean, err := g.m.mean(g.ctx, indices.Pick(g.members, group))
		if err != nil {
			return err
		}
		copy(g.w.At(c), mean)
	}
	return nil
}
