package method

import (
	"slices"
	"testing"

	"rao/internal/indices"
	"rao/internal/testkit"
)

// A sample has the same fraction of each class, for any order of the rows.
func TestSamplesHaveAllClasses(t *testing.T) {
	labels := make([]int, 4000)
	for _, cycle := range []bool{true, false} {
		for i := range labels {
			labels[i] = i % 4
		}
		if !cycle {
			slices.Sort(labels)
		}
		for _, most := range []int{400, 2000, 5000} {
			got := indices.Pick(labels, sample(labels, most))
			want := min(most, len(labels)) / 4
			for class, n := range indices.Tally(got, 4) {
				testkit.Equal(t, n, want, "rows of class", class, "of", most, cycle)
			}
		}
	}
}
