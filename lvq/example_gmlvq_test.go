package lvq_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"rao/lvq"
	"rao/spd"
)

// GMLVQ learns which directions of the vectors matter. In this example, only the first column separates the classes.
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

// RSLVQ learns one prototype per class, and decides by a softmax of the distances to the prototypes.
func ExampleFitRSLVQ() {
	x := mat.NewDense(6, 1, []float64{0, 0.2, -0.1, 3, 3.2, 2.9})
	labels := []int{0, 0, 0, 1, 1, 1}
	m, err := lvq.FitRSLVQ(context.Background(), x, labels, []string{"left", "right"}, lvq.RSLVQOptions{Epochs: 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	decided, err := m.Predict(context.Background(), mat.NewDense(2, 1, []float64{0.4, 2.5}))
	fmt.Println(decided, err)
	// Output: [0 1] <nil>
}

// GMLVQ of matrices learns which entries of their logarithms matter.
func ExampleFitMatrixGMLVQ() {
	x := spd.StackOf(4, 2, []float64{4, 0, 0, 1, 5, 0, 0, 1, 1, 0, 0, 4, 1, 0, 0, 5})
	m, err := lvq.FitMatrixGMLVQ(context.Background(), x, []int{0, 0, 1, 1}, []string{"left", "right"},
		lvq.MatrixGMLVQOptions{GMLVQOptions: lvq.GMLVQOptions{Seed: 1, CalibrationFolds: -1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	decided, err := m.Predict(context.Background(), spd.StackOf(2, 2, []float64{3, 0, 0, 1, 1, 0, 0, 3}))
	fmt.Println(decided, err)
	// Output: [0 1] <nil>
}
