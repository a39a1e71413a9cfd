package covstream_test

import (
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"rao/internal/covstream"
)

// A covariance every half second, of the last second of samples.
func Example() {
	s, err := covstream.New(2, 4, covstream.Options{Window: 1, Step: 0.5})
	if err != nil {
		log.Fatal(err)
	}
	samples := []float64{1, 0, -1, 1, 1, 2, -1, 3, 1, 4, -1, 5}
	err = s.Push(samples, func(cov *mat.SymDense, end int64) error {
		fmt.Printf("after sample %d: variances %.2f and %.2f\n", end, cov.At(0, 0), cov.At(1, 1))
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// after sample 4: variances 1.33 and 1.67
	// after sample 6: variances 1.33 and 1.67
}
