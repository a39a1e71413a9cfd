package classifiers_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classifiers"
	"rao/spd"
)

// sixTrials returns six covariances of two channels. The first channel has more power in class "left", and the second
// in class "right".
func sixTrials() (*spd.Stack, []int, []string) {
	return spd.StackOf(6, 2, []float64{
		4, 0.1, 0.1, 1,
		1, 0.2, 0.2, 4,
		5, 0.3, 0.3, 1.2,
		1.1, 0, 0, 3.6,
		4.4, -0.2, -0.2, 0.9,
		0.8, 0.1, 0.1, 4.2,
	}), []int{0, 1, 0, 1, 0, 1}, []string{"left", "right"}
}

func printLeft(m interface {
	LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error
}) {
	var lp mat.Dense
	if err := m.LogPosterior(context.Background(), &lp, spd.StackOf(1, 2, []float64{3, 0.1, 0.1, 1})); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("left is more probable:", math.Exp(lp.At(0, 0)) > 0.5)
}

func ExampleFitTangentLDA() {
	x, labels, classes := sixTrials()
	m, err := classifiers.FitTangentLDA(context.Background(), x, labels, classes,
		classifiers.TangentLDAOptions{Shrinkage: gaussian.ShrinkRule{Kind: "oas"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	printLeft(m)
	// Output: left is more probable: true
}

func ExampleFitMatrixKNN() {
	x, labels, classes := sixTrials()
	m, err := classifiers.FitMatrixKNN(context.Background(), x, labels, classes, classifiers.MatrixKNNOptions{K: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	printLeft(m)
	// Output: left is more probable: true
}

func ExampleFitMatrixSVM() {
	x, labels, classes := sixTrials()
	m, err := classifiers.FitMatrixSVM(context.Background(), x, labels, classes,
		classifiers.MatrixSVMOptions{SVMOptions: classifiers.SVMOptions{
			SVM: classifiers.MachineOptions{C: 10, Folds: 3}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	printLeft(m)
	// Output: left is more probable: true
}

func ExampleFitTangentSVM() {
	x, labels, classes := sixTrials()
	m, err := classifiers.FitTangentSVM(context.Background(), x, labels, classes,
		classifiers.TangentSVMOptions{SVM: classifiers.MachineOptions{Folds: 3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	printLeft(m)
	// Output: left is more probable: true
}

func ExampleFitSVM() {
	ctx := context.Background()
	// The class in the middle has neighbors of the other class on both sides.
	x := mat.NewDense(9, 1, []float64{-9, -8, -7, -1, 0, 1, 7, 8, 9})
	m, err := classifiers.FitSVM(ctx, x, []int{0, 0, 0, 1, 1, 1, 0, 0, 0}, []string{"outside", "inside"},
		classifiers.SVMOptions{})
	if err != nil {
		log.Fatal(err)
	}
	labels, err := m.Predict(ctx, mat.NewDense(2, 1, []float64{0.5, -8.5}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Classes[labels[0]], m.Classes[labels[1]])
	// Output: inside outside
}

// Class "ring" has two groups with class "core" between them: one Gaussian per class cannot separate them, but a
// mixture with one Gaussian per group can.
