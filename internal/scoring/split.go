package scoring

import (
	"fmt"
	"math"
	"math/rand/v2"

	"rao/internal/indices"
)

// ByClass lists the rows of each label in ascending order. It returns an error for a negative label.
func ByClass(labels []int) ([][]int, error) {
	if err := indices.CheckLabels("row", labels, math.MaxInt); err != nil {
		return nil, err
	}
	var out [][]int
	for i, l := range labels {
		for len(out) <= l {
			out = append(out, nil)
		}
		out[l] = append(out[l], i)
	}
	return out, nil
}

// Deal shuffles the rows of each class, deals them into k folds in turn, and returns the fold of each row. Each class
// continues at the fold after the last row of the previous class, so small classes are not all absent from the same
// fold. It panics if k < 1 or a label is negative.
func Deal(labels []int, k int, rng *rand.Rand) []int {
	classes, err := ByClass(labels)
	if err != nil || k < 1 {
		panic(fmt.Sprintf("evaluate: %d folds, %v", k, err))
	}
	fold := make([]int, len(labels))
	next := 0
	for _, rows := range classes {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		for _, r := range rows {
			fold[r] = next % k
			next++
		}
	}
	return fold
}
