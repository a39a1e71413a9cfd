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

// Predict gives labels alone, LogPosterior the probabilities behind them.
func ExampleFitLogistic() {
	ctx := context.Background()
	x := mat.NewDense(6, 1, []float64{-1, 0, 1, 9, 10, 11})
	m, err := classify.FitLogistic(ctx, x, []int{0, 0, 0, 1, 1, 1}, []string{"low", "high"}, classify.LogisticOptions{})
	if err != nil {
		log.Fatal(err)
	}
	labels, err := m.Predict(ctx, mat.NewDense(2, 1, []float64{2, 7}))
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range labels {
		fmt.Println(m.Classes[l])
	}
	// Output:
	// low
	// high
}

func ExampleFitSVM() {
	ctx := context.Background()
	// The class in the middle has neighbors of the other class on both sides.
	x := mat.NewDense(9, 1, []float64{-9, -8, -7, -1, 0, 1, 7, 8, 9})
	m, err := classify.FitSVM(ctx, x, []int{0, 0, 0, 1, 1, 1, 0, 0, 0}, []string{"outside", "inside"},
		classify.SVMOptions{})
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
