package evaluate

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"rao/internal/testkit"
)

func TestComparisonsAgreeWithScipy(t *testing.T) {
	var g struct {
		Wilcoxon []struct {
			A, B         []float64
			Statistic, P float64
			Exact        bool
		}
		McNemar []struct {
			B, C           int
			Exact, Chi2, P float64
		}
		T []struct {
			D            []float64
			Train, Test  int
			Statistic, P float64
		}
		Interval []struct {
			Right, N int
			Level    float64
			Wilson   []float64
		}
		Chance []struct {
			N, Classes   int
			Alpha, Level float64
		}
	}
	readJSON(t, "compare.json", &g)
	for i, c := range g.Wilcoxon {
		r := testkit.Must(Wilcoxon(c.A, c.B))(t)
		testkit.Close(t, fmt.Sprint("wilcoxon ", i), []float64{r.Statistic}, []float64{c.Statistic}, 1e-12)
		testkit.Close(t, fmt.Sprint("wilcoxon p ", i), []float64{r.P}, []float64{c.P}, 1e-11)
		testkit.Equal(t, r.Exact, c.Exact, "case", i, "exact")
	}
	for _, c := range g.McNemar {
		truth := make([]int, c.B+c.C+5)
		first, second := slices.Clone(truth), slices.Clone(truth)
		for i := range c.B {
			second[i] = 1
		}
		for i := range c.C {
			first[c.B+i] = 1
		}
		r := testkit.Must(McNemar(truth, first, second, false))(t)
		testkit.Close(t, "mcnemar exact", []float64{r.P, r.Statistic}, []float64{c.Exact, float64(min(c.B, c.C))},
			1e-12)
		r = testkit.Must(McNemar(truth, first, second, true))(t)
		testkit.Close(t, "mcnemar chi-squared", []float64{r.P, r.Statistic}, []float64{c.P, c.Chi2}, 1e-12)
	}
	for _, c := range g.T {
		r := testkit.Must(CorrectedResampledT(c.D, c.Train, c.Test))(t)
		testkit.Close(t, "corrected t", []float64{r.Statistic, r.P}, []float64{c.Statistic, c.P}, 1e-11)
	}
	for _, c := range g.Interval {
		w := testkit.Must(WilsonInterval(c.Right, c.N, c.Level))(t)
		testkit.Close(t, "wilson", []float64{w.Low, w.High}, c.Wilson, 1e-12)
		if p := float64(c.Right) / float64(c.N); w.Low > p || w.High < p {
			t.Errorf("the interval %v leaves out the accuracy %g itself", w, p)
		}
	}
	for _, c := range g.Chance {
		level := testkit.Must(ChanceLevel(c.N, c.Classes, c.Alpha))(t)
		testkit.Close(t, "chance", []float64{level}, []float64{c.Level}, 1e-12)
	}
}

// For the smallest samples the distribution can be computed by hand.
func TestWilcoxonOfFewPairs(t *testing.T) {
	r := testkit.Must(Wilcoxon([]float64{1, 2, 3, 4, 5}, make([]float64, 5)))(t)
	if r.P != 2./32 || r.Statistic != 0 || r.N != 5 {
		t.Errorf("%+v", r)
	}
	swapped := testkit.Must(Wilcoxon(make([]float64, 5), []float64{1, 2, 3, 4, 5}))(t)
	testkit.Equal(t, swapped.P, r.P, "swapping the methods changes p to")
}

func TestChanceLevelOfFewTrials(t *testing.T) {
	level := testkit.Must(ChanceLevel(3, 2, 1e-6))(t)
	testkit.Equal(t, level, 1, "three trials cannot show anything at 1e-6, level")
}

func TestHolm(t *testing.T) {
	got := testkit.Must(Holm([]float64{0.01, 0.04, 0.03, 0.005}))(t)
	testkit.Close(t, "adjusted", got, []float64{0.03, 0.06, 0.06, 0.02}, 1e-15)
	if one, _ := Holm([]float64{0.9, 0.8}); one[0] != 1 || one[1] != 1 {
		t.Errorf("adjusted %v", one)
	}
	if none, err := Holm(nil); len(none) != 0 || err != nil {
		t.Errorf("nothing to adjust: %v, %v", none, err)
	}
}

func TestEqualDifferences(t *testing.T) {
	r, err := CorrectedResampledT([]float64{0, 0, 0}, 10, 5)
	testkit.NoError(t, err)
	testkit.Equal(t, r.P, 1, fmt.Sprintf("no difference: %+v", r))
	r, err = CorrectedResampledT([]float64{0.5, 0.5}, 10, 5)
	testkit.NoError(t, err)
	testkit.Equal(t, r.P, 0, fmt.Sprintf("always the same difference: %+v", r))
	if r, err = McNemar([]int{1}, []int{1}, []int{1}, true); err != nil || r.P != 1 {
		t.Errorf("no discordant observation: %+v, %v", r, err)
	}
}

func TestComparisonsSayWhatIsWrong(t *testing.T) {
	fail := func(_ any, err error) error { return err }
	for _, c := range []struct {
		err  error
		want string
	}{
		{fail(Wilcoxon([]float64{1}, nil)), "first values is 1, but the number of second values is 0"},
		{fail(Wilcoxon([]float64{1}, []float64{1})), "none of the 1 pairs differs"},
		{fail(Wilcoxon([]float64{1, math.NaN()}, []float64{1, 2})), "pair 1 (NaN and 2)"},
		{fail(McNemar([]int{1}, []int{1}, nil, false)), "1 labels, but 1 decisions of the first classifier and 0"},
		{fail(CorrectedResampledT([]float64{1}, 1, 1)), "at least 2"},
		{fail(CorrectedResampledT([]float64{1, 2}, 0, 1)), "0 training"},
		{fail(CorrectedResampledT([]float64{1, math.Inf(1)}, 1, 1)), "difference 1 is +Inf"},
		{fail(Holm([]float64{0.5, 2})), "p-value 1 is 2"},
		{fail(WilsonInterval(3, 2, 0.95)), "3 right decisions among 2"},
		{fail(WilsonInterval(1, 2, 1)), "confidence level is 1"},
		{fail(ChanceLevel(0, 2, 0.05)), "chance level: the number of trials is 0"},
		{fail(ChanceLevel(5, 1, 0.05)), "one trial and two classes"},
	} {
		testkit.ErrorContains(t, c.err, c.want)
	}
}

func ExampleWilcoxon() {
	ours := []float64{0.75, 0.34, 0.80, 0.58, 0.38, 0.62}
	theirs := []float64{0.71, 0.32, 0.77, 0.52, 0.33, 0.55}
	r, err := Wilcoxon(ours, theirs)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%g %.3f\n", r.Statistic, r.P)
	// Output: 0 0.031
}
