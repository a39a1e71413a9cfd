package gaussian

import (
	"math"
	"math/rand/v2"

	"rao/internal/linalg/vec"
	"rao/internal/par"
)

const (
	clusterComponents = 40 // principal components on which rows are clustered
	lloydRounds       = 15
)

// centers are the centers of the clusters of one class, on the leading coordinates.
type centers struct {
	d int
	x []float64 // count×d
}

func (c *centers) count() int { return len(c.x) / c.d }

// nearest returns the center nearest to z, the first of equals.
func (c *centers) nearest(z []float64) int {
	best, least := 0, math.Inf(1)
	for k := range c.count() {
		if q := vec.SquaredDistance(c.x[k*c.d:(k+1)*c.d], z[:c.d]); q < least {
			best, least = k, q
		}
	}
	return best
}

// lloyd clusters rows of ld coordinates by the first 40 of them into k clusters at most:
// k-means++ for the first centers, then Lloyd's rounds.
func lloyd(z []float64, ld, k int, seed, stream uint64) *centers {
	n := len(z) / ld
	k = min(k, n)
	c := &centers{d: min(ld, clusterComponents)}
	c.x = c.plusPlus(z, ld, k, rand.New(rand.NewPCG(seed, 0x10d<<32|stream)))
	of := make([]int, n)
	for range lloydRounds {
		if c.count() == 1 {
			break
		}
		par.For(n, 256, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				of[i] = c.nearest(z[i*ld:])
			}
		})
		sums, counts := make([]float64, len(c.x)), make([]int, c.count())
		for i, a := range of {
			counts[a]++
			vec.Axpy(sums[a*c.d:(a+1)*c.d], 1, z[i*ld:i*ld+c.d])
		}
		for a, m := range counts {
			for j := range c.d {
				if m > 0 { // an empty one keeps its center
					c.x[a*c.d+j] = sums[a*c.d+j] / float64(m)
				}
			}
		}
	}
	if c.count() == 1 {
		clear(c.x) // every row is its own
	}
	return c
}

// plusPlus draws the first centers: each a row, with a probability in proportion to its
// squared distance from the nearest before it. It stops when all rows are centers.
func (c *centers) plusPlus(z []float64, ld, k int, rng *rand.Rand) []float64 {
	n, d := len(z)/ld, c.d
	take := func(i int) { c.x = append(c.x, z[i*ld:i*ld+d]...) }
	take(rng.IntN(n))
	distance := make([]float64, n)
	for i := range distance {
		distance[i] = math.Inf(1)
	}
	for c.count() < k {
		last, sum := c.x[len(c.x)-d:], 0.0
		for i := range distance {
			distance[i] = min(distance[i], vec.SquaredDistance(last, z[i*ld:i*ld+d]))
			sum += distance[i]
		}
		if sum == 0 {
			break
		}
		at, i := rng.Float64()*sum, 0
		for ; i < n-1; i++ {
			if at -= distance[i]; at < 0 {
				break
			}
		}
		take(i)
	}
	return c.x
}
