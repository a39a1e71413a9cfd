package eeg

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

var threeWaves = correlations{Frequencies: []float64{5, 7.5, 12}, Harmonics: 2, Rate: 64, Channels: 3, Samples: 60}

// Correlations are the cosines of scipy's angles between the spaces of the channels and of the oscillations. The
// channels of one trial span one direction less.
func TestCorrelationsAgreeWithScipy(t *testing.T) {
	var g struct{ X, Correlations []float64 }
	testkit.ReadJSON(t, "testdata/correlations.json", &g)
	c := threeWaves
	testkit.NoError(t, c.Validate())
	var z mat.Dense
	testkit.NoError(t, c.Features(&z, mat.NewDense(6, 180, g.X)))
	testkit.Close(t, "correlations", z.RawMatrix().Data, g.Correlations, 1e-10)
}

// A sum of the oscillations has a correlation of 1, whatever its phase and scale. Mixing the channels does not change
// the correlations.
func TestCorrelationsOfAnOscillation(t *testing.T) {
	c := threeWaves
	x, mixed := mat.NewDense(1, 180, nil), mat.NewDense(1, 180, nil)
	for s := range 60 {
		wave := math.Sin(2*math.Pi*7.5*float64(s)/64 + 0.7)
		x.Set(0, s, 5+wave)
		x.Set(0, 60+s, math.Sin(float64(s*s)))
		x.Set(0, 120+s, math.Cos(float64(s*s*s)))
		mixed.Set(0, s, x.At(0, 60+s)-2*x.At(0, s))
		mixed.Set(0, 60+s, x.At(0, s)+x.At(0, 120+s))
		mixed.Set(0, 120+s, x.At(0, 60+s)+3*x.At(0, 120+s))
	}
	var a, b mat.Dense
	testkit.NoError(t, c.Features(&a, x))
	testkit.NoError(t, c.Features(&b, mixed))
	if math.Abs(a.At(0, 1)-1) > 1e-12 || a.At(0, 0) > 0.9 || a.At(0, 2) > 0.9 {
		t.Errorf("correlations %v", mat.Formatted(&a))
	}
	if !mat.EqualApprox(&a, &b, 1e-10) {
		t.Errorf("mixed channels give %v, as they are %v", mat.Formatted(&b), mat.Formatted(&a))
	}
}

func TestCorrelationsRefuse(t *testing.T) {
	for want, change := range map[string]func(*correlations){
		"correlations need at least one frequency": func(c *correlations) { c.Frequencies = nil },
		"sampling rate is NaN":                     func(c *correlations) { c.Rate = math.NaN() },
		"are 0 channels":                           func(c *correlations) { c.Channels = 0 },
		"correlate perfectly":                      func(c *correlations) { c.Samples = 7 },
		"at 34 Hz":                                 func(c *correlations) { c.Frequencies = []float64{17} },
		"of -1 Hz":                                 func(c *correlations) { c.Frequencies = []float64{-1} },
	} {
		c := threeWaves
		change(&c)
		testkit.ErrorContains(t, c.Validate(), want)
	}
	c := threeWaves
	var z mat.Dense
	short := mat.NewDense(1, 100, nil)
	testkit.ErrorContains(t, c.Features(&z, short), "must have 3 channels", "shorter trials")
	flat := mat.NewDense(1, 180, nil)
	testkit.ErrorContains(t, c.Features(&z, flat), "trial 0 is constant", "flat trials")
	nan := mat.NewDense(1, 180, nil)
	nan.Set(0, 3, math.NaN())
	testkit.Fails(t, c.Features(&z, nan), "a trial with NaN has correlations")
}
