package eeg

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/optionvalues"
	"rao/internal/recipes"
	"rao/recipe"
)

// correlate replaces the signals by their canonical correlations with oscillations, one column per frequency (see
// correlations). With a filter bank, each band is correlated separately, and the squares are summed (FBCCA):
//
//	Σ_n (n^−1.25 + 0.25) ρ_n²,  n = 1 ... bands
//
// The first band should contain all harmonics, and each further band should begin at a higher frequency.
func (t *Trials) correlate(opt recipe.SignalOptions) error {
	s := t.Recipe.Signal
	count, width := t.Signals.Dims()
	rows, bands := len(recipes.Names(s)), 1
	if opt.Combine == optionvalues.CombineFilterBank {
		bands = max(1, len(opt.Bands))
	}
	c := correlations{Frequencies: opt.Frequencies, Harmonics: opt.Harmonics, Rate: s.Rate,
		Channels: rows / bands, Samples: width / rows}
	if err := c.Validate(); err != nil {
		return err
	}
	sum := mat.NewDense(count, len(opt.Frequencies), nil)
	for n := range bands {
		var z mat.Dense
		if err := c.Features(&z, t.Signals.Slice(0, count, n*width/bands, (n+1)*width/bands)); err != nil {
			return err
		}
		if bands == 1 {
			t.Signals = &z
			return nil
		}
		weight := math.Pow(float64(n+1), -1.25) + 0.25
		z.Apply(func(_, _ int, rho float64) float64 { return weight * rho * rho }, &z)
		sum.Add(sum, &z)
	}
	t.Signals = sum
	return nil
}
