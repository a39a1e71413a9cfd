package cluster_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/cluster"
	"rao/spd"
)

func ExampleFitKMeans() {
	// The first two matrices are small, and the other two are large.
	x := spd.StackOf(4, 2, []float64{
		1, 0, 0, 1,
		50, 0, 0, 60,
		1.1, 0.1, 0.1, 0.9,
		55, 1, 1, 50,
	})
	m, err := cluster.FitKMeans(context.Background(), x, 2, cluster.KMeansOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, _ := cluster.Accuracy(m.Assignments, []int{0, 1, 0, 1})
	fmt.Println("accuracy", a)
	// Output: accuracy 1
}

func ExampleFitMeanShift() {
	// Two matrices are small, and three are large.
	x := spd.StackOf(5, 2, []float64{
		1, 0, 0, 1,
		50, 0, 0, 60,
		1.1, 0.1, 0.1, 0.9,
		55, 1, 1, 50,
		48, 2, 2, 55,
	})
	m, err := cluster.FitMeanShift(context.Background(), x, cluster.MeanShiftOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Modes.Count, "clusters:", m.Assignments)
	// Output: 2 clusters: [0 1 0 1 1]
}

func ExampleFitMixture() {
	// The matrices are small or large.
	x := spd.NewStack(20, 2)
	for k := range x.Count {
		size := 1 + 30*float64(k%2) + 0.1*float64(k%5)
		copy(x.At(k), []float64{size, 0.02 * float64(k%3), 0.02 * float64(k%3), 2*size + 0.01*float64(k)})
	}
	m, err := cluster.FitMixture(context.Background(), x, 2, cluster.MixtureOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("weights %.2f, cluster of the first and the second: same %v\n", m.Weights,
		m.Assignments[0] == m.Assignments[1])
	// Output: weights [0.50 0.50], cluster of the first and the second: same false
}

// This example maps matrices of two sizes to points on a line.
func ExampleSpectralEmbedding() {
	x := spd.StackOf(4, 2, []float64{
		1, 0, 0, 1,
		50, 0, 0, 60,
		1.1, 0.1, 0.1, 0.9,
		55, 1, 1, 50,
	})
	points := mat.NewDense(4, 1, nil)
	err := cluster.SpectralEmbedding(context.Background(), points, x, cluster.EmbedOptions{Components: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	same := func(i, j int) bool { return points.At(i, 0)*points.At(j, 0) > 0 }
	fmt.Println("small with small:", same(0, 2), "small with large:", same(0, 1))
	// Output: small with small: true small with large: false
}

func ExampleFitKernelKMeans() {
	// The first two matrices are small, and the other two are large.
	x := spd.StackOf(4, 2, []float64{
		1, 0, 0, 1,
		50, 0, 0, 60,
		1.1, 0.1, 0.1, 0.9,
		55, 1, 1, 50,
	})
	m, err := cluster.FitKernelKMeans(context.Background(), x, 2, cluster.KernelKMeansOptions{Metric: spd.LogEuclid})
	if err != nil {
		fmt.Println(err)
		return
	}
	groups, err := m.Predict(context.Background(), spd.StackOf(2, 2, []float64{1, 0, 0, 1.2, 52, 0, 0, 52}))
	fmt.Println(groups[0] == m.Assignments[0], groups[1] == m.Assignments[1], err)
	// Output: true true <nil>
}
