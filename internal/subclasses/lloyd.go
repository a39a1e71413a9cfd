package subclasses

import (
	"math/rand/v2"

	"rao/internal/kmeans"
)

const (
	clusterComponents = 40 // number of principal components on which rows are clustered
	lloydRounds       = 15
)

// lloyd clusters rows of ld coordinates, by the first 40 of them, into at most k clusters.
func lloyd(z []float64, ld, k int, seed, stream uint64) *kmeans.Points {
	n, d := len(z)/ld, min(ld, clusterComponents)
	if k = min(k, n); k == 1 {
		return &kmeans.Points{Dim: d, Values: make([]float64, d)} // every row is nearest to the only center
	}
	return kmeans.OfRows(n, d, k, lloydRounds, func(i int) []float64 { return z[i*ld : i*ld+d] },
		rand.New(rand.NewPCG(seed, 0x10d<<32|stream)))
}
