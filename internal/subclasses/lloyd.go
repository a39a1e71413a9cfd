package subclasses

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"rao/internal/kmeans"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

const (
	clusterComponents = 40 // number of principal components on which rows are clustered
	lloydRounds       = 15
)

// centers are the centers of the clusters of one class, on the leading coordinates.
type centers struct {
	d int
	x []float64 // count×d
}

func (c *centers) count() int { return len(c.x) / c.d }

// nearest returns the index of the center nearest to z and its squared distance. Ties go to the first center.
func (c *centers) nearest(z []float64) (int, float64) {
	best, least := 0, math.Inf(1)
	for k := range c.count() {
		if q := vec.SquaredDistance(c.x[k*c.d:(k+1)*c.d], z[:c.d]); q < least {
			best, least = k, q
		}
	}
	return best, least
}

// lloyd clusters rows of ld coordinates, by the first 40 of them, into at most k clusters.
func lloyd(z []float64, ld, k int, seed, stream uint64) (*centers, error) {
	n := len(z) / ld
	k = min(k, n)
	c := &centers{d: min(ld, clusterComponents)}
	if k == 1 {
		c.x = make([]float64, c.d) // every row is its own cluster
		return c, nil
	}
	s := &sampleCenters{c, z, ld, make([]float64, n)}
	if _, err := kmeans.PlusPlus(s, n, k, rand.New(rand.NewPCG(seed, 0x10d<<32|stream))); err != nil {
		return nil, err
	}
	_, err := kmeans.Lloyd(s, n, k, lloydRounds)
	return c, err
}

// sampleCenters are centers and the rows from which they are learned.
type sampleCenters struct {
	*centers
	z        []float64 // rows of ld coordinates
	ld       int
	distance []float64
}

func (s *sampleCenters) row(i int) []float64 { return s.z[i*s.ld : i*s.ld+s.d] }

func (s *sampleCenters) Add(i int) { s.x = append(s.x, s.row(i)...) }

func (s *sampleCenters) Lower(near []float64) error {
	last := s.x[len(s.x)-s.d:]
	for i := range near {
		near[i] = min(near[i], vec.SquaredDistance(last, s.row(i)))
	}
	return nil
}

func (s *sampleCenters) Nearest(of []int) (inertia float64, err error) {
	par.For(len(of), 256, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			of[i], s.distance[i] = s.nearest(s.row(i))
		}
	})
	return floats.Sum(s.distance), nil
}

func (s *sampleCenters) Move(groups [][]int) error {
	for a, group := range groups {
		if len(group) == 0 {
			continue // the cluster has no rows: keep its center
		}
		center := s.x[a*s.d : (a+1)*s.d]
		clear(center)
		for _, i := range group {
			vec.Axpy(center, 1, s.row(i))
		}
		for j := range center {
			center[j] /= float64(len(group))
		}
	}
	return nil
}
