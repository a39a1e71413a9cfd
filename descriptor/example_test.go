package descriptor_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"rao/descriptor"
	"rao/spd"
)

// A ramp across a 4×4 image: its intensity and its column move together.
func ExampleImages() {
	x := mat.NewDense(1, 16, nil)
	for p := range 16 {
		x.Set(0, p, float64(2*(p%4))+float64(p/4))
	}
	stack, err := descriptor.Images(context.Background(), x, descriptor.Shape{Rows: 4, Cols: 4, Channels: 1},
		descriptor.ImageOptions{Features: []descriptor.Feature{descriptor.FeatureX, descriptor.Intensity}})
	if err != nil {
		log.Fatal(err)
	}
	c := stack.At(0)
	fmt.Printf("%.3f %.3f\n%.3f %.3f\n", c[0], c[1], c[2], c[3])
	// Output:
	// 1.333 2.667
	// 2.667 6.667
}

// Spatial filters from the covariances of two classes: the second source differs.
func ExampleFitCSP() {
	x := spd.NewStack(4, 2)
	for k := range 4 {
		copy(x.At(k), []float64{1, 0, 0, []float64{1, 4, 1.2, 5}[k]})
	}
	m, err := descriptor.FitCSP(context.Background(), x, []int{0, 1, 0, 1}, []string{"rest", "move"},
		descriptor.CSPOptions{Filters: 1, KeepPower: true})
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
