package classify_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/gaussian"
)

func ExampleFitLDA() {
	x := mat.NewDense(6, 1, []float64{-1, 0, 1, 9, 10, 11})
	stats, err := gaussian.Estimate(x, []int{0, 0, 0, 1, 1, 1}, []string{"low", "high"})
	if err != nil {
		fmt.Println(err)
		return
	}
	lda, err := classify.FitLDA(stats, classify.LDAOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var logp mat.Dense
	if err := lda.LogPosterior(context.Background(), &logp, mat.NewDense(1, 1, []float64{5})); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f %.2f\n", math.Exp(logp.At(0, 0)), math.Exp(logp.At(0, 1)))
	// Output: 0.50 0.50
}

func ExampleFitKNN() {
	x := mat.NewDense(5, 1, []float64{0, 1, 2, 10, 11})
	knn, err := classify.FitKNN(x, []int{0, 0, 0, 1, 1}, []string{"low", "high"}, classify.KNNOptions{K: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	var logp mat.Dense
	if err := knn.LogPosterior(context.Background(), &logp, mat.NewDense(1, 1, []float64{9})); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f %.3f\n", math.Exp(logp.At(0, 0)), math.Exp(logp.At(0, 1)))
	// Output: 0.375 0.625
}
