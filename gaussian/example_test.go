package gaussian_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
)

func ExampleEstimate() {
	x := mat.NewDense(6, 2, []float64{
		1, 0,
		2, 1,
		3, 2,
		7, 5,
		8, 3,
		9, 4,
	})
	stats, err := gaussian.Estimate(x, []int{0, 0, 0, 1, 1, 1}, []string{"near", "far"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, name := range stats.Classes {
		fmt.Println(name, stats.Counts[i], stats.Mean(i), mat.Formatted(stats.Covariance(i), mat.FormatMATLAB()))
	}
	// Output:
	// near 3 [2 1] [1 1; 1 1]
	// far 3 [8 4] [1 -0.5; -0.5 1]
}

func ExampleAccumulator() {
	a := gaussian.NewAccumulator(1, 2)
	// The rows arrive in blocks, for example from a file or a camera.
	if err := a.Add(mat.NewDense(3, 1, []float64{1, 3, 10}), []int{0, 0, 1}); err != nil {
		fmt.Println(err)
	}
	if err := a.Add(mat.NewDense(2, 1, []float64{5, 12}), []int{0, 1}); err != nil {
		fmt.Println(err)
	}
	stats, err := a.Statistics([]string{"a", "b"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(stats.Counts, stats.Means, stats.Covariances)
	// Output: [3 2] [3 11] [4 2]
}

func ExampleMerge() {
	here, _ := gaussian.Estimate(mat.NewDense(2, 1, []float64{1, 3}), []int{0, 0}, []string{"rest"})
	there, _ := gaussian.Estimate(mat.NewDense(2, 1, []float64{5, 7}), []int{0, 0}, []string{"rest"})
	both, err := gaussian.Merge(here, there)
	if err != nil {
		fmt.Println(err)
		return
	}
	rest, err := gaussian.Subtract(both, here)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d %v %.3f\n", both.Counts[0], both.Means, both.Covariances)
	fmt.Println(rest.Counts[0], rest.Means, rest.Covariances)
	// Output:
	// 4 [4] [6.667]
	// 2 [6] [2]
}

func ExampleStatistics_Shrink() {
	x := mat.NewDense(4, 2, []float64{0, 0, 1, 1, 2, 2.5, 3, 2.5})
	stats, _ := gaussian.Estimate(x, []int{0, 0, 0, 0}, nil)
	shrunk, rho, err := stats.Shrink(gaussian.ShrinkRule{Kind: "oas"})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, b := stats.Covariance(0), shrunk.Covariance(0)
	fmt.Printf("coefficient %.2f, covariance of the two columns %.2f becomes %.2f\n", rho[0], a.At(0, 1), b.At(0, 1))
	// Output: coefficient 0.87, covariance of the two columns 1.50 becomes 0.20
}

// A source reads the covariances of a statistics file when they are needed, one class at a time.
func ExampleOpenSource() {
	dir, err := os.MkdirTemp("", "rao")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "stats.npz")
	stats, err := gaussian.Estimate(mat.NewDense(4, 2, []float64{1, 0, 3, 2, 5, 5, 7, 9}), []int{0, 0, 1, 1},
		[]string{"near", "far"})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := stats.WriteFile(path); err != nil {
		fmt.Println(err)
		return
	}
	source, err := gaussian.OpenSource(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer source.Close()
	sum, err := source.Project(context.Background(), mat.NewDense(2, 1, []float64{1, 1}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(source.Structure, source.Classes, sum.Means, sum.Covariances)
	// Output: full [near far] [3 13] [8 18]
}

// The second row of the class counts as two rows.
func ExampleAccumulator_AddWeighted() {
	a := gaussian.NewAccumulator(1, 1)
	if err := a.AddWeighted(mat.NewDense(2, 1, []float64{1, 4}), []int{0, 0}, []float64{1, 2}); err != nil {
		fmt.Println(err)
		return
	}
	stats, err := a.Finish([]string{"all"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(stats.Counts, stats.Weights, stats.Means)
	// Output: [2] [3] [3]
}
