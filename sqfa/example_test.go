package sqfa_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/gaussian"
	_ "rao/sets" // digits by name
	"rao/sqfa"
)

// The means of the classes differ in the first of three columns, so the filter uses this column.
func ExampleFit() {
	x := mat.NewDense(8, 3, []float64{
		-3, 1, 0, -3, -1, 0, -5, 0, 1, -5, 0, -1,
		3, 1, 0, 3, -1, 0, 5, 0, 1, 5, 0, -1,
	})
	stats, err := gaussian.Estimate(x, []int{0, 0, 0, 0, 1, 1, 1, 1}, []string{"left", "right"})
	if err != nil {
		log.Fatal(err)
	}
	model, err := sqfa.Fit(context.Background(), stats, sqfa.Options{Filters: 1, Noise: 0.01})
	if err != nil {
		log.Fatal(err)
	}
	w := model.Filters
	fmt.Printf("%.2f of the filter is in the first column\n", w.At(0, 0)*w.At(0, 0))
	// Output: 1.00 of the filter is in the first column
}

// With the rows of the data, Fit can also choose the noise. It holds out some rows and compares how well they are
// classified.
func ExampleFit_rows() {
	ctx := context.Background()
	d, err := dataset.Open(ctx, "digits:train", dataset.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	model, err := sqfa.Fit(ctx, sqfa.Rows{X: d.X.Matrix(), Labels: d.Labels, Classes: d.Classes},
		sqfa.Options{Filters: 2, Noise: sqfa.AutoNoise})
	if err != nil {
		log.Fatal(err)
	}
	pixels, filters := model.Filters.Dims()
	fmt.Printf("%d filters for images of %d pixels\n", filters, pixels)
	fmt.Println("noise was chosen from several values:", len(model.NoiseGrid) > 1)
	// Output:
	// 2 filters for images of 64 pixels
	// noise was chosen from several values: true
}
