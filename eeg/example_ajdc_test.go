package eeg_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"rao/eeg"
)

// In this example, two channels record a slow and a fast rhythm. AJDC separates the rhythms by their spectra, and
// removes the slow rhythm.
func ExampleFitAJDC() {
	const rate = 100
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(20*rate, 2, nil)
	for i := range 20 * rate {
		t := float64(i) / rate
		slow, fast := 3*math.Sin(2*math.Pi*4*t), math.Sin(2*math.Pi*20*t)
		x.SetRow(i, []float64{slow + fast + 0.1*rng.NormFloat64(), slow - fast + 0.1*rng.NormFloat64()})
	}
	f, err := eeg.FitAJDC(context.Background(), [][]eeg.Pieces{{{x}}}, rate, eeg.AJDCOptions{Low: 1, High: 30})
	if err != nil {
		fmt.Println(err)
		return
	}
	var sources, clean mat.Dense
	f.Transform(&sources, x)
	if err := f.InverseTransform(&clean, &sources, []int{0}); err != nil { // without the strongest source
		fmt.Println(err)
		return
	}
	power := func(m mat.Matrix) float64 { return math.Pow(mat.Norm(m, 2), 2) / (20 * rate) }
	fmt.Printf("power %.1f, without the slow rhythm %.1f\n", power(x), power(&clean))
	// Output: power 10.0, without the slow rhythm 1.0
}
