package evaluate_test

import (
	"math"
	"testing"

	"rao/internal/scoring"
	"rao/internal/testkit"
)

// The numbers equal those of moabb.analysis.meta_analysis of MOABB 1.7.2: compute_pvals_perm for up to 9 subjects,
// compute_pvals_wilcoxon for 25, compute_effect, combine_pvalues and combine_effects.
func TestSuperiorAgreesWithMOABB(t *testing.T) {
	for _, c := range []struct {
		a, b            []float64
		p, back, effect float64
	}{
		{[]float64{0.443, 0.518, 0.801}, []float64{0.441, 0.511, 0.782}, 0.125, 0.875, 1.0682666312031217},
		{[]float64{0.64, 0.48, 0.767, 0.457, 0.596}, []float64{0.628, 0.464, 0.77, 0.48, 0.586}, 0.40625, 0.65625,
			0.15109587793245996},
		{[]float64{0.542, 0.724, 0.748, 0.546, 0.401, 0.887, 0.549, 0.557, 0.846},
			[]float64{0.485, 0.597, 0.731, 0.528, 0.321, 0.901, 0.534, 0.483, 0.787}, 0.00390625, 0.998046875,
			1.1134232997225713},
		{[]float64{0.715, 0.549, 0.771, 0.761, 0.509, 0.815, 0.729, 0.741, 0.81, 0.614, 0.779, 0.839, 0.451, 0.825,
			0.597, 0.64, 0.473, 0.749, 0.546, 0.836, 0.538, 0.681, 0.6, 0.706, 0.498},
			[]float64{0.646, 0.65, 0.736, 0.808, 0.418, 0.948, 0.772, 0.654, 0.687, 0.757, 0.789, 0.783, 0.47, 0.668,
				0.662, 0.582, 0.527, 0.607, 0.518, 0.836, 0.645, 0.516, 0.51, 0.616, 0.377}, 0.1043393442437563,
			0.8956606557562437, 0.2555698553824384},
	} {
		s := testkit.Must(scoring.Superior(c.a, c.b))(t)
		back := testkit.Must(scoring.Superior(c.b, c.a))(t)
		const tol = 1e-12
		if math.Abs(s.P-c.p) > tol || math.Abs(back.P-c.back) > tol || math.Abs(s.Effect-c.effect) > 1e-12 ||
			s.N != len(c.a) {
			t.Errorf("%d subjects: p %v and %v, effect %v; want %v, %v, %v", s.N, s.P, back.P, s.Effect, c.p, c.back,
				c.effect)
		}
	}
	p, err := scoring.Stouffer([]float64{0.03, 0.4, 0.2}, []int{5, 9, 3})
	if err != nil || math.Abs(p-0.059629393290742363) > 1e-14 {
		t.Error(p, err)
	}
	testkit.Near(t, scoring.MeanEffect([]float64{0.5, -0.2, 0.7}, []int{5, 9, 3}), 0.24834099524195413, 1e-14)
}

func TestSuperiorOfEqualScores(t *testing.T) {
	s, err := scoring.Superior([]float64{0.5, 0.7}, []float64{0.5, 0.7})
	if err != nil || s.P != 0.75 || s.Effect != 0 {
		t.Error(s, err)
	}
	if s, err = scoring.Superior([]float64{0.625, 0.75}, []float64{0.5, 0.625}); err != nil ||
		!math.IsInf(s.Effect, 1) || s.P != 0.25 {
		t.Error(s, err)
	}
	for _, wrong := range [][2][]float64{{nil, nil}, {{1}, {1, 2}}, {{math.NaN()}, {1}}} {
		testkit.Fails(t, testkit.ErrorOf(scoring.Superior(wrong[0], wrong[1])), wrong, "is taken")
	}
	for _, p := range []float64{0, 1, math.NaN()} {
		testkit.Fails(t, testkit.ErrorOf(scoring.Stouffer([]float64{p, 0.5}, []int{3, 3})), "the p-value", p,
			"is taken")
	}
}
