package sqfa_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/synth"
	"rao/internal/testkit"
	"rao/sqfa"
)

func TestBadOptionsAreNamed(t *testing.T) {
	stats := synth.Synthetic(3, 5, 1)
	for want, opt := range map[string]sqfa.Options{
		"6 filters were requested in 5 dimensions": {Filters: 6},
		"number of filters is -1":                  {Filters: -1},
		"the noise is -0.5":                        {Noise: -0.5},
		"the noise is NaN":                         {Noise: math.NaN()},
		"the noise is +Inf":                        {Noise: math.Inf(1)},
		"sharpness is -3":                          {Sharpness: -3},
		"tolerance is -1":                          {Tol: -1},
		"starts is -1":                             {Starts: -1},
		"folds is 1":                               {Folds: 1},
		"memory of the optimizer is -5":            {Memory: -5},
		"coarse fit is -1":                         {Coarse: -1},
		"group of filters is -2":                   {Group: -2},
		"iteration limit is -1":                    {MaxIter: -1},
		"number of priors is 2":                    {Priors: []float64{1, 1}},
		"class 1 (counted from 0) is 0":            {Priors: []float64{1, 0, 1}},
		`the start is "given"`:                     {Start: "given"},
		"initial filters are used only":            {Initial: mat.NewDense(5, 2, nil)},
		"initial filters are 4×2, but 5×2 are":     {Start: "given", Initial: mat.NewDense(4, 2, nil)},
		"initial filters: column 1 is zero":        {Start: "given", Initial: mat.NewDense(5, 2, nil)},
		"did you mean bhattacharyya":               {Distance: gaussian.Dissimilarity("bhattacharya")},
		"jeffreys is not a distance":               {Distance: gaussian.Dissimilarity("jeffreys_squared")},
		"bayes works only with": {Aggregate: "bayes",
			Distance: gaussian.CalvoOller},
		`unknown start "pcs"`:        {Start: "pcs"},
		`unknown constraint "ball"`:  {Constraint: "ball"},
		`unknown aggregation "bays"`: {Aggregate: "bays"},
		`unknown search "wide"`:      {Search: "wide"},
	} {
		m, err := sqfa.Fit(context.Background(), stats, opt)
		if err == nil || m != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestBadStatisticsAreNamed(t *testing.T) {
	one := synth.Synthetic(1, 4, 1)
	testkit.ErrorContains(t, testkit.ErrorOf(sqfa.Fit(context.Background(), one, sqfa.Options{})), "one class",
		"one class")
	broken := synth.Synthetic(3, 4, 1)
	broken.Covariance(1).RawSymmetric().Data[5] = math.NaN()
	if _, err := sqfa.Fit(context.Background(), broken, sqfa.Options{}); err == nil ||
		!strings.Contains(err.Error(), broken.Classes[1]) || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("NaN in the statistics: %v", err)
	}
	single := synth.Synthetic(3, 4, 1)
	single.Counts[2] = 1
	testkit.ErrorContains(t, testkit.ErrorOf(sqfa.Fit(context.Background(), single, sqfa.Options{})),
		"one observation", "class of one observation")
}

// A class that fills only a plane has a singular covariance in three features.
func TestSingularClassIsNamedWithItsRemedy(t *testing.T) {
	stats := synth.Synthetic(3, 6, 1)
	stats.Classes = []string{"cat", "dog", "owl"}
	cov := stats.Covariance(1).RawSymmetric().Data
	clear(cov)
	cov[0], cov[7] = 1, 1
	for _, c := range []struct {
		search   sqfa.Search
		distance string
	}{{"direct", "bhattacharyya"}, {"growing", "bhattacharyya"}, {"direct", "calvo_oller"},
		{"growing", "calvo_oller"},
		{"direct", "riemann"}, {"direct", "wasserstein"}, {"direct", "fisher_rao"}} {
		opt := sqfa.Options{Filters: 4, Distance: gaussian.Dissimilarity(c.distance), Search: c.search}
		_, err := sqfa.Fit(context.Background(), stats, opt)
		var singular *gaussian.SingularError
		if !errors.As(err, &singular) || singular.Class != 1 ||
			!strings.Contains(err.Error(), "in feature space, the covariance of class dog is not positive "+
				"definite: its smallest eigenvalue is") ||
			!strings.Contains(err.Error(), "add feature noise, shrink the covariances") ||
			strings.Count(err.Error(), "in feature space") != 1 {
			t.Errorf("%v without noise: %v", c, err)
		}
		opt.Noise = 0.1
		testkit.NoError(t, testkit.ErrorOf(sqfa.Fit(context.Background(), stats, opt)), c, "with noise")
	}
}

func TestBadDataAreNamed(t *testing.T) {
	x := mat.NewDense(6, 2, []float64{1, 2, 3, 4, 5, 7, 7, 8, 9, 1, 2, 2})
	for want, labels := range map[string][]int{
		"the number of labels is 5, but the number of rows is 6": {0, 1, 0, 1, 0},
		"row 2 has label -1": {0, 1, -1, 1, 0, 1},
		"row 5 has label 2":  {0, 1, 0, 1, 0, 2},
		"one class":          {0, 0, 0, 0, 0, 0},
		"use fewer folds":    {0, 0, 0, 0, 1, 1},
	} {
		names := []string{"a", "b"}
		if want == "one class" {
			names = names[:1]
		}
		opt := sqfa.Options{Filters: 1, Noise: sqfa.AutoNoise, Folds: 2}
		_, err := sqfa.Fit(context.Background(), sqfa.Rows{X: x, Labels: labels, Classes: names}, opt)
		testkit.ErrorContains(t, err, want)
	}
	x.Set(3, 1, math.Inf(1))
	_, err := sqfa.Fit(context.Background(), sqfa.Rows{X: x, Labels: []int{0, 1, 0, 1, 0, 1}},
		sqfa.Options{Filters: 1, Noise: sqfa.AutoNoise, Folds: 2})
	if err == nil || !strings.Contains(err.Error(), "row 3") && !strings.Contains(err.Error(), "row 4") {
		t.Errorf("Inf in the data: %v", err)
	}
}

func TestDamagedModelsAreRefused(t *testing.T) {
	good := func() *sqfa.Model { return fit(t, synth.Synthetic(3, 5, 1), sqfa.Options{Noise: 0.1}) }
	for want, damage := range map[string]func(m *sqfa.Model){
		"there are no filters":               func(m *sqfa.Model) { m.Filters = nil },
		"7 filters in 2 dimensions":          func(m *sqfa.Model) { m.Filters = mat.NewDense(2, 7, nil) },
		"filter 1 is not finite":             func(m *sqfa.Model) { m.Filters.Set(2, 1, math.NaN()) },
		"the noise is -1":                    func(m *sqfa.Model) { m.Noise = -1 },
		"not the name of a":                  func(m *sqfa.Model) { m.Distance = "Near Ness" },
		"the number of dissimilarities is 2": func(m *sqfa.Model) { m.Pairs = m.Pairs[1:] },
		"noise candidates":                   func(m *sqfa.Model) { m.NoiseGrid = []float64{1} },
	} {
		m := good()
		damage(m)
		testkit.ErrorContains(t, m.Validate(), want)
	}
	m := good()
	var z mat.Dense
	m.Transform(&z, mat.NewDense(4, 5, nil))
	if r, c := z.Dims(); r != 4 || c != 2 {
		t.Errorf("features are %d×%d", r, c)
	}
	if in, out := m.Dims(); in != 5 || out != 2 {
		t.Errorf("dimensions %d and %d", in, out)
	}
}
