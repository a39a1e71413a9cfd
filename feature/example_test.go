package feature_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"rao/feature"
	"rao/gaussian"
	"rao/spd"
)

// This example learns a spatial filter from covariances of two classes, which differ in the power of the second
// channel.
func ExampleFitCSP() {
	x := spd.NewStack(4, 2)
	for k := range 4 {
		copy(x.At(k), []float64{1, 0, 0, []float64{1, 4, 1.2, 5}[k]})
	}
	m, err := feature.FitCSP(context.Background(), x, []int{0, 1, 0, 1}, []string{"rest", "move"},
		feature.CSPOptions{Filters: 1, KeepPower: true})
	if err != nil {
		log.Fatal(err)
	}
	var features mat.Dense
	m.Transform(&features, x)
	fmt.Printf("share of rest %.2f\n", m.Scores[0])
	fmt.Printf("%.2f\n", mat.Formatted(features.T()))
	// Output:
	// share of rest 0.20
	// [-1.03   0.36  -0.85   0.58]
}

// This example computes principal components of rows from their statistics.
func ExampleFitPCA() {
	x := mat.NewDense(4, 2, []float64{-2, -1, 2, 1, -4, -2, 4, 2})
	stats, err := gaussian.Estimate(x, []int{0, 0, 1, 1}, []string{"near", "far"})
	if err != nil {
		log.Fatal(err)
	}
	m, err := feature.FitPCA(stats, feature.PCAOptions{Filters: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", mat.Formatted(m.Filters.T()))
	// Output: [0.89  0.45]
}

// This example learns filters that separate the class means.
func ExampleFitLDA() {
	x := mat.NewDense(6, 2, []float64{-9, 0, 0, 1, 9, -1, -9, 4, 0, 3, 9, 5})
	stats, err := gaussian.Estimate(x, []int{0, 0, 0, 1, 1, 1}, []string{"low", "high"})
	if err != nil {
		log.Fatal(err)
	}
	m, err := feature.FitLDA(stats, feature.LDAOptions{Filters: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", mat.Formatted(m.Filters.T()))
	// Output: [0.00  1.00]
}
