package descriptors_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"rao/internal/descriptors"
)

// A ramp across a 4×4 image: its intensity and its column move together.
func ExampleDescribe() {
	x := mat.NewDense(1, 16, nil)
	for p := range 16 {
		x.Set(0, p, float64(2*(p%4))+float64(p/4))
	}
	stack, err := descriptors.Describe(context.Background(), x, descriptors.Shape{Rows: 4, Cols: 4, Channels: 1},
		descriptors.Options{Features: []descriptors.Feature{descriptors.FeatureX, descriptors.Intensity}})
	if err != nil {
		log.Fatal(err)
	}
	c := stack.At(0)
	fmt.Printf("%.3f %.3f\n%.3f %.3f\n", c[0], c[1], c[2], c[3])
	// Output:
	// 1.333 2.667
	// 2.667 6.667
}
