package study

import (
	"math"
	"testing"

	"rao/internal/testkit"
)

// Five subjects: a is better than b on all, and slightly better than c on all but one; b and c differ by chance. The
// sign permutations of the differences give p-values of 1/32, 2/32 and 16/32; two-sided and with Holm's correction
// these are 3·2/32, 2·4/32 and 1.
func TestPairsAreAdjusted(t *testing.T) {
	r := &Result{}
	for method, units := range map[string][]float64{"a": {5, 5, 5, 3, -0.5}, "b": {1, 1, 1, -1, -1},
		"c": {0, 0, 0, 0, 0}} {
		m := Mean{Set: "toy", Evaluation: CrossSubject, Method: method, Subjects: len(units)}
		for _, u := range units {
			m.each = append(m.each, 0.5+u/64)
			m.Mean += Number((0.5 + u/64) / float64(len(units)))
		}
		r.Means = append(r.Means, m)
	}
	for _, pair := range [][2]string{{"a", "b"}, {"c", "a"}, {"b", "c"}} {
		testkit.NoError(t, r.superior(CrossSubject, pair[0], pair[1]))
	}
	testkit.NoError(t, r.adjust(CrossSubject))
	if len(r.Pairs) != 3 {
		t.Fatalf("%+v", r.Pairs)
	}
	for i, want := range []Superiority{{First: "a", Second: "b", P: 1. / 32, Holm: 6. / 32},
		{First: "a", Second: "c", P: 2. / 32, Holm: 8. / 32}, {First: "b", Second: "c", P: 0.5, Holm: 1}} {
		got := r.Pairs[i]
		if got.First != want.First || got.Second != want.Second || math.Abs(float64(got.P-want.P)) > 1e-12 ||
			math.Abs(float64(got.Holm-want.Holm)) > 1e-12 || math.Abs(float64(got.Least)-1./32) > 1e-12 {
			t.Errorf("pair %d: %+v, want %+v", i, got, want)
		}
	}
}

// Equal methods are shown as equal: neither is called the better one.
func TestEqualMethodsTie(t *testing.T) {
	r := &Result{}
	for _, method := range []string{"a", "b"} {
		r.Means = append(r.Means, Mean{Set: "toy", Evaluation: CrossSubject, Method: method, Subjects: 3,
			each: []float64{1, 0.5, 1}})
	}
	testkit.NoError(t, r.superior(CrossSubject, "a", "b"))
	if _, rows := r.PairTable(); rows[0][1] != "a = b" {
		t.Errorf("the pair is shown as %q", rows[0][1])
	}
}

// Over several sets, the better method is the one with the positive effect, even if the mean of its scores is lower: a
// loses by much but not consistently on the first set, and wins consistently by little on the second.
func TestBetterOverSetsHasThePositiveEffect(t *testing.T) {
	r := &Result{}
	for _, m := range []Mean{
		{Set: "first", Method: "a", each: []float64{0.4, 0.8, 0.5, 0.7}},
		{Set: "first", Method: "b", each: []float64{0.9, 0.7, 0.9, 0.6}},
		{Set: "second", Method: "a", each: []float64{0.51, 0.52, 0.51, 0.52}},
		{Set: "second", Method: "b", each: []float64{0.5, 0.5, 0.5, 0.5}},
	} {
		m.Evaluation, m.Subjects = CrossSubject, len(m.each)
		m.Mean, m.SD = meanSD(m.each)
		r.Means = append(r.Means, m)
	}
	testkit.NoError(t, r.superior(CrossSubject, "a", "b"))
	if p := r.Pairs[0]; p.First != "a" || p.Effect <= 0 || p.P > 0.5 {
		t.Errorf("%+v, want a to be better", p)
	}
}
