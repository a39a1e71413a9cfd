package evaluate_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"rao/evaluate"
	"rao/spd"
)

// This example tests whether classes of covariance matrices differ, using only distances on the manifold.
func ExampleManova() {
	ctx := context.Background()
	x := spd.NewStack(12, 2)
	labels := make([]int, x.Count)
	for k := range x.Count {
		labels[k] = k % 2
		copy(x.At(k), []float64{1 + float64(k)/20, 0.1, 0.1, 1 + 3*float64(labels[k])})
	}
	var d mat.Dense
	if err := spd.Distances(ctx, &d, spd.Riemann, x, nil); err != nil {
		log.Fatal(err)
	}
	r, err := evaluate.Manova(ctx, mat.NewSymDense(x.Count, d.RawMatrix().Data), labels,
		evaluate.ManovaOptions{Permutations: 999})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the classes differ:", r.P < 0.05)
	// Output: the classes differ: true
}
