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

// This example predicts labels with logistic regression. Use LogPosterior instead of Predict for probabilities.
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

func ExampleFitMixture() {
	x := mat.NewDense(9, 1, []float64{-4, -3.5, -4.5, 4, 3.5, 4.5, 0, 0.5, -0.5})
	groups := []int{0, 0, 0, 1, 1, 1, 2, 2, 2}
	components, err := gaussian.Estimate(x, groups, []string{"left", "right", "middle"})
	if err != nil {
		fmt.Println(err)
		return
	}
	of := []int{0, 0, 1} // the class of each component
	m, err := classify.FitMixture(components, of, []string{"ring", "core"}, classify.MixtureOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	labels, err := m.Predict(context.Background(), mat.NewDense(3, 1, []float64{-4.2, 0.1, 3.8}))
	fmt.Println(labels, err)
	// Output: [0 1 0] <nil>
}
