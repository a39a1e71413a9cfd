package cluster_test

import (
	"context"
	"fmt"

	"rao/cluster"
	"rao/spd"
)

func ExampleFitKMeans() {
	// Two small matrices, two large ones.
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
