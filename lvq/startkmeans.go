package lvq

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"rao/internal/indices"
	"rao/internal/kmeans"
	"rao/internal/linalg/vec"
	"rao/spd"
)

// placeCenters chooses p centers among n samples.
func placeCenters(c kmeans.Centers, n, p, rounds int, rng *rand.Rand) error {
	if _, err := kmeans.PlusPlus(c, n, p, rng); err != nil {
		return err
	}
	_, err := kmeans.Lloyd(c, n, p, rounds)
	return err
}

type rowCenters struct {
	r       *rowSource
	members []int
	w       []float64
}

func (g *rowCenters) Add(i int) { g.w = append(g.w, g.r.row(g.members[i])...) }

func (g *rowCenters) Lower(near []float64) error {
	last := g.w[len(g.w)-g.r.dim:]
	for i, k := range g.members {
		near[i] = min(near[i], vec.SquaredDistance(g.r.row(k), last))
	}
	return nil
}

func (g *rowCenters) Nearest(of []int) (inertia float64, err error) {
	dim := g.r.dim
	d := make([]float64, len(g.w)/dim)
	for i, k := range g.members {
		for c := range d {
			d[c] = vec.SquaredDistance(g.r.row(k), g.w[c*dim:(c+1)*dim])
		}
		of[i] = floats.MinIdx(d)
		inertia += d[of[i]]
	}
	return inertia, nil
}

func (g *rowCenters) Move(groups [][]int) error {
	for c, group := range groups {
		if len(group) > 0 { // otherwise the center stays
			copy(g.w[c*g.r.dim:], g.r.mean(indices.Pick(g.members, group)))
		}
	}
	return nil
}

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
