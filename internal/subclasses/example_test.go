package subclasses_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/internal/subclasses"
)

// This example describes each class by two Gaussians, because class a consists of two clouds.
func ExampleEstimate() {
	var x []float64
	var labels []int
	for i := range 200 {
		side, step := float64(20*(i%2)-10), float64(i%7)
		x = append(x, side+step, float64(i%5))                // class a is left and right
		x = append(x, 0.5*step-1.5, float64(100+(i%3)-(i%4))) // class b is in the middle, above
		labels = append(labels, 0, 1)
	}
	rows := subclasses.RowsOf(mat.NewDense(400, 2, x), labels, []string{"a", "b"})
	s, err := subclasses.Estimate(context.Background(), rows, subclasses.Options{Most: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, class := range s.Of {
		fmt.Printf("%s: %d rows\n", s.Classes[class], s.Components.Counts[i])
	}
	// Output:
	// a: 100 rows
	// a: 100 rows
	// b: 101 rows
	// b: 99 rows
}
