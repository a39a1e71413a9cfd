// Package kmeans clusters samples around centers in any geometry.
package kmeans

import (
	"math"
	"math/rand/v2"
	"slices"

	"rao/internal/indices"
	"rao/internal/linalg/vec"
)

// Centers are the centers of clusters, in a geometry with squared distances.
type Centers interface {
	// Add places the next center at a sample.
	Add(sample int)
	// Lower updates near, the smallest squared distance of each sample to a center, after a center was added.
	Lower(near []float64) error
	// Nearest writes the nearest center of every sample to of, the first center in a tie, and returns the sum of the
	// squared distances.
	Nearest(of []int) (float64, error)
	// Move moves every center to the mean of its samples.
	Move(groups [][]int) error
}

// PlusPlus places k centers at samples and returns the indices of these samples. The probability of a sample is
// proportional to its squared distance to the nearest center so far (Arthur and Vassilvitskii 2007). When every sample
// equals a center, the remaining centers are the first samples that have not been chosen. k is at most n.
func PlusPlus(c Centers, n, k int, rng *rand.Rand) ([]int, error) {
	near := slices.Repeat([]float64{math.Inf(1)}, n)
	chosen := []int{rng.IntN(n)}
	for {
		last := chosen[len(chosen)-1]
		c.Add(last)
		if len(chosen) == k {
			return chosen, nil
		}
		if err := c.Lower(near); err != nil {
			return nil, err
		}
		next := draw(near, rng)
		for i := 0; next < 0; i++ {
			if !slices.Contains(chosen, i) {
				next = i
			}
		}
		chosen = append(chosen, next)
	}
}

// draw returns an index with probability proportional to its weight, or -1 if all weights are zero.
func draw(weights []float64, rng *rand.Rand) int {
	sum := vec.Total(weights)
	left, last := sum*rng.Float64(), -1
	for i, w := range weights {
		if w <= 0 {
			continue
		}
		last = i
		if left -= w; left < 0 {
			break
		}
	}
	return last
}

// Result is the result of Lloyd's algorithm.
type Result struct {
	Groups  []int     // nearest center of each sample
	Inertia []float64 // sum of the squared distances before each round and after the last
	Rounds  int
	Settled bool // no further improvement is possible
}

// Lloyd runs at most limit rounds of Lloyd's algorithm, which moves each of k centers to the mean of its nearest
// samples. After an error, the result contains the last groups.
func Lloyd(c Centers, n, k, limit int) (Result, error) {
	var r Result
	next := make([]int, n)
	for {
		inertia, err := c.Nearest(next)
		if err != nil {
			return r, err
		}
		// Equal samples may change clusters forever, so Lloyd also stops if the inertia does not decrease.
		h := len(r.Inertia)
		r.Settled = h > 0 && (slices.Equal(next, r.Groups) || inertia >= r.Inertia[h-1])
		r.Groups, r.Inertia = append(r.Groups[:0], next...), append(r.Inertia, inertia)
		if r.Settled || r.Rounds == limit {
			return r, nil
		}
		r.Rounds++
		if err := c.Move(indices.Groups(next, k)); err != nil {
			return r, err
		}
	}
}
