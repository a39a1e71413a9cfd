package method

import (
	"testing"

	"gonum.org/v1/gonum/floats"

	"rao/dataset"
	"rao/internal/testkit"
)

// inUnit returns the data with all matrices times factor.
func inUnit(d *dataset.Data, factor float64) *dataset.Data {
	out := *d
	out.Stack = d.Stack.Clone()
	floats.Scale(factor, out.Stack.Data)
	return &out
}

// Some metrics square the entries of matrices. If the squares overflow or vanish, all distances are equal, so a model
// would decide at chance.
func TestMatricesWhoseSquaresAreOutOfRangeAreRefused(t *testing.T) {
	d := toyMatrices(t)
	for _, c := range [][2]string{{"mdm", "euclid"}, {"mdm", "harmonic"}, {"knn-spd", "euclid"},
		{"knn-spd", "harmonic"}, {"knn-spd", "wasserstein"}, {"svm-spd", "euclid"}, {"plrsq", "euclid"}, {"rslvq", ""},
		{"gmlvq-spd", ""}} {
		m := testkit.Must(Lookup(c[0]))(t)
		set := m.only(quick())
		if c[1] != "" {
			set = set.With("metric", c[1])
		}
		for _, factor := range []float64{1e200, 1e-200} {
			err := testkit.ErrorOf(m.Fit(background, InMemory{Data: inUnit(d, factor)}, set, nil))
			testkit.ErrorContains(t, err, " 0 has entries of up to ", c, factor)
			testkit.ErrorContains(t, err, "whose squares overflow or underflow in this metric; rescale the data", c)
		}
	}
}

// The nearest mean decides, even if the distances are so small that all probabilities are equal up to rounding.
// Factors that are powers of two add no rounding errors.
func TestTheNearestMeanDecidesInAnyUnit(t *testing.T) {
	d := toyMatrices(t)
	for _, metric := range []string{"euclid", "chol", "wasserstein", "harmonic"} {
		decided := func(factor float64) []int {
			d := inUnit(d, factor)
			mod := fitTo(t, "mdm", InMemory{Data: d}, "metric="+metric)
			return testkit.Must(Predict(background, mod, d))(t).Label
		}
		want := decided(1)
		for _, factor := range []float64{0x1p-40, 0x1p-100, 0x1p40, 0x1p100} {
			testkit.EqualSlices(t, decided(factor), want, metric, "other decisions if all matrices are multiplied by",
				factor)
		}
	}
}
