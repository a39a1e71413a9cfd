package vec

import (
	"math"
	"slices"
)

// Median returns the middle value of v, or the mean of the middle two. v is not changed.
func Median(v []float64) float64 {
	v = slices.Clone(v)
	k := len(v) / 2
	upper := smallest(v, k)
	if len(v)%2 == 1 {
		return upper
	}
	lower := slices.Max(v[:k])
	return lower/2 + upper/2
}

// Deviations returns the median of v and the distance of each value from it.
func Deviations(v []float64) (median float64, distances []float64) {
	median, distances = Median(v), make([]float64, len(v))
	for i, x := range v {
		distances[i] = math.Abs(x - median)
	}
	return median, distances
}

// UpperMedian returns the middle value of v, or the larger of the middle two. v is not changed.
func UpperMedian(v []float64) float64 { return smallest(slices.Clone(v), len(v)/2) }

// smallest returns the element at index k in ascending order. It reorders v: no element before k is then larger, and
// none after k is smaller.
func smallest(v []float64, k int) float64 {
	lo, hi := 0, len(v)-1
	for lo < hi {
		pivot := v[lo+(hi-lo)/2]
		i, j := lo, hi
		for i <= j {
			for v[i] < pivot {
				i++
			}
			for v[j] > pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return v[k]
		}
	}
	return v[k]
}
