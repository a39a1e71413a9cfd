package vec

import (
	"slices"
	"testing"

	"rao/internal/testkit"
)

func TestMedian(t *testing.T) {
	for n := 1; n < 40; n++ {
		v := make([]float64, n)
		for i := range v {
			v[i] = float64((i * 7919) % 11)
		}
		sorted := slices.Clone(v)
		slices.Sort(sorted)
		want := (sorted[(n-1)/2] + sorted[n/2]) / 2
		testkit.Equal(t, Median(v), want, n, "values")
		testkit.Equal(t, UpperMedian(v), sorted[n/2], n, "values, upper median")
	}
}
