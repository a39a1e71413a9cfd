package lvq_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"rao/lvq"
)

// GMLVQ learns which directions of the vectors matter: here only the first column separates the classes.
func ExampleFitGMLVQ() {
	x := mat.NewDense(8, 2, []float64{
		0, 5, 0.2, -5, -0.1, 4, 0.1, -4,
		3, 5, 3.2, -5, 2.9, 4, 3.1, -4,
	})
	labels := []int{0, 0, 0, 0, 1, 1, 1, 1}
	m, err := lvq.FitGMLVQ(context.Background(), x, labels, []string{"left", "right"}, lvq.GMLVQOptions{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	var logp mat.Dense
	if err := m.LogPosterior(context.Background(), &logp, mat.NewDense(2, 2, []float64{0.3, 4, 2.8, -6})); err != nil {
		log.Fatal(err)
	}
	fmt.Println(logp.At(0, 0) > logp.At(0, 1), logp.At(1, 1) > logp.At(1, 0))
	// Output: true true
}
