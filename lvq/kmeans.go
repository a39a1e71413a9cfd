package lvq

import (
	"context"
	"math"
	"math/rand/v2"

	"rao/internal/linalg/vec"
	"rao/spd"
)

// centers are those of k-means in one geometry.
type centers interface {
	// add puts a center at a sample.
	add(sample int)
	// distances writes the squared distances of samples to the centers from the given one on.
	distances(d []float64, samples []int, from int) error
	// move puts center c at the mean of samples.
	move(c int, samples []int) error
}

// kmeans places p centers among some samples: k-means++ seeds, each next one drawn with
// probability proportional to its squared distance from the nearest so far (Arthur and
// Vassilvitskii 2007), then Lloyd's iterations. A center without samples stays where it is.
func kmeans(g centers, members []int, p, iterations int, rng *rand.Rand) error {
	near, d := make([]float64, len(members)), make([]float64, len(members)*p)
	for i := range near {
		near[i] = math.Inf(1)
	}
	pick := rng.IntN(len(members))
	for c := range p {
		if c > 0 {
			pick = drawProportional(near, rng)
		}
		g.add(members[pick])
		if err := g.distances(d[:len(members)], members, c); err != nil {
			return err
		}
		for i := range near {
			near[i] = math.Min(near[i], d[i])
		}
	}
	owner := make([]int, len(members))
	for iteration := range iterations {
		if err := g.distances(d, members, 0); err != nil {
			return err
		}
		moved := iteration == 0
		groups := make([][]int, p)
		for i, k := range members {
			c := nearestOf(d[i*p : (i+1)*p])
			moved = moved || c != owner[i]
			owner[i] = c
			groups[c] = append(groups[c], k)
		}
		if !moved {
			break
		}
		for c, group := range groups {
			if len(group) == 0 {
				continue
			}
			if err := g.move(c, group); err != nil {
				return err
			}
		}
	}
	return nil
}

// drawProportional returns an index with probability proportional to its weight.
func drawProportional(weights []float64, rng *rand.Rand) int {
	total := 0.0
	for _, v := range weights {
		total += v
	}
	left := total * rng.Float64()
	for i, v := range weights {
		if left -= v; left < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// rowCenters are centers of vectors.
type rowCenters struct {
	r *rowSource
	w []float64
}

func (g *rowCenters) add(sample int) { g.w = append(g.w, g.r.row(sample)...) }

func (g *rowCenters) distances(d []float64, samples []int, from int) error {
	dim := g.r.dim
	for _, k := range samples {
		for at := from * dim; at < len(g.w); at += dim {
			d[0], d = vec.SquaredDistance(g.r.row(k), g.w[at:at+dim]), d[1:]
		}
	}
	return nil
}

func (g *rowCenters) move(c int, samples []int) error {
	copy(g.w[c*g.r.dim:], g.r.mean(samples))
	return nil
}

// matrixCenters are centers of matrices, with the metric's own distance and mean.
type matrixCenters struct {
	ctx context.Context
	m   *matrices
	w   *spd.Stack
	n   int // of w that are placed
}

func (g *matrixCenters) add(sample int) {
	copy(g.w.At(g.n), g.m.x.At(sample))
	g.n++
}

func (g *matrixCenters) distances(d []float64, samples []int, from int) error {
	return g.m.distances(d, samples, g.w.Slice(from, g.n))
}

func (g *matrixCenters) move(c int, samples []int) error {
	mean, err := g.m.mean(g.ctx, samples)
	copy(g.w.At(c), mean)
	return err
}
