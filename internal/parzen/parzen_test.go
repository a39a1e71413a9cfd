package parzen

import (
	"math"
	"math/rand/v2"
	"testing"

	"rao/internal/testkit"
)

// scipy 1.17.1: gaussian_kde([0.3, -1.2, 2.5, 0.7, 0.1], bw_method=lambda k: (4/(3*5))**0.2).logpdf([0.5, 3, 9])
func TestWindowAgreesWithScipy(t *testing.T) {
	w := New([]float64{0.3, -1.2, 2.5, 0.7, 0.1})
	for i, x := range []float64{0.5, 3, 9} {
		want := []float64{-1.361859372490438, -2.5351048799229638, -22.667032804913489}[i]
		testkit.Near(t, w.LogDensity(x), want, 1e-12*math.Abs(want), "log-density at", x)
	}
	if v := w.LogDensity(1e4); math.IsInf(v, 0) || math.IsNaN(v) {
		t.Errorf("far away the log-density is %g", v)
	}
}

// Information is 0 if the values do not depend on the class, and the entropy of the class if they determine it. It does
// not depend on scale, shift or the order of the classes.
func TestInformation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	v, class := make([]float64, 400), make([]int, 400)
	apart, flipped, scaled := make([]float64, 400), make([]int, 400), make([]float64, 400)
	for k := range v {
		class[k] = k % 2
		flipped[k] = 1 - class[k]
		v[k] = rng.NormFloat64()
		apart[k] = v[k] + 100*float64(class[k])
		scaled[k] = 3*v[k] - 7
	}
	none, all := Information(v, class), Information(apart, class)
	if none < 0 || none > 0.02 {
		t.Errorf("information of noise: %g", none)
	}
	testkit.Near(t, all, math.Ln2, 1e-12, "information of two far classes")
	for _, other := range []float64{Information(scaled, class), Information(v, flipped)} {
		testkit.Near(t, other, none, 1e-12, "information")
	}
	if i := Information([]float64{1, 1, 1, 1}, []int{0, 1, 0, 1}); math.Abs(i) > 1e-12 {
		t.Errorf("information of equal values: %g", i)
	}
}
