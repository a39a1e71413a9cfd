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
	rec, err := eeg.NewRecording([]string{"left", "right"}, rate, x.RawMatrix().Data, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := eeg.FitAJDC(context.Background(), [][]*eeg.Recording{{rec}}, eeg.AJDCOptions{Low: 1, High: 30})
	if err != nil {
		fmt.Println(err)
		return
	}
	without, err := f.Without(rec, []int{0}) // the strongest source
	if err != nil {
		fmt.Println(err)
		return
	}
	clean := mat.NewDense(20*rate, 2, nil)
	if err := without.Read(clean.RawMatrix().Data, 0, 20*rate); err != nil {
		fmt.Println(err)
		return
	}
	power := func(m mat.Matrix) float64 { return math.Pow(mat.Norm(m, 2), 2) / (20 * rate) }
	fmt.Printf("power %.1f, without the slow rhythm %.1f\n", power(x), power(clean))
	// Output: power 10.0, without the slow rhythm 1.0
}
