package evaluate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/scoring"
	"rao/internal/testkit"
)

// The values equal those of sklearn.metrics, with ties among the scores.
func TestMeasuresAgreeWithScikitLearn(t *testing.T) {
	var cases []struct {
		Classes        int       `json:"classes"`
		Truth          []int     `json:"truth"`
		LogPosterior   []float64 `json:"log_posterior"`
		Values         []float64 `json:"values"`
		FirstThreshold float64   `json:"first_threshold"`
		First          []float64 `json:"first"` // of the first class, decided for from the threshold on
	}
	readJSON(t, "measures.json", &cases)
	if len(cases) < 4 {
		t.Fatal("golden cases are missing")
	}
	for _, c := range cases {
		s := testkit.Must(Score(c.Truth, mat.NewDense(len(c.Truth), c.Classes, c.LogPosterior)))(t)
		compare := func(opt MeasureOptions, want []float64) {
			t.Helper()
			list := testkit.Must(s.Measures(opt))(t)
			var got []float64
			for k, m := range list {
				if m.Name != scoring.MeasureNames[k] || m.Interval != nil {
					t.Errorf("measure %d is %+v", k, m)
				}
				got = append(got, m.Value)
			}
			testkit.Close(t, "measures", got, want, 1e-12)
		}
		compare(MeasureOptions{Seconds: 3.5}, c.Values)
		compare(MeasureOptions{}, c.Values[:scoring.AtWolpawRate])
		if c.Classes == 2 {
			compare(MeasureOptions{Seconds: 3.5, First: true, Threshold: c.FirstThreshold}, c.First)
		}
	}
}

// separated returns labels with a share of positives and log-probabilities from two normal distributions.
func separated(n int, share, distance float64, seed uint64) ([]int, *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 1))
	truth, logp := make([]int, n), mat.NewDense(n, 2, nil)
	for i := range truth {
		z := rng.NormFloat64()
		if i < int(share*float64(n)) {
			truth[i] = 1
			z += distance
		}
		logp.Set(i, 0, -math.Log1p(math.Exp(z)))
		logp.Set(i, 1, -math.Log1p(math.Exp(-z)))
	}
	return truth, logp
}

// For two normal distributions at distance 1 the area is Φ(1/√2) = 0.7602; 95 % intervals miss it about once in 20.
func TestBootstrapIntervalsCoverTheArea(t *testing.T) {
	missed, width := 0, 0.0
	const trials = 200
	for trial := range trials {
		truth, logp := separated(200, 0.3, 1, uint64(trial))
		s := testkit.Must(Score(truth, logp))(t)
		list := testkit.Must(s.Measures(MeasureOptions{Resamples: 200, Seed: uint64(trial) + 1}))(t)
		i := list[scoring.AtAUC].Interval
		if i.Low > 0.7602 || i.High < 0.7602 {
			missed++
		}
		width += (i.High - i.Low) / trials
	}
	if missed < 2 || missed > 24 || width < 0.10 || width > 0.18 {
		t.Errorf("%d of %d intervals miss the area, and are %.3f wide", missed, trials, width)
	}
}

func TestMeasuresDoNotDependOnBlocksOrProcessors(t *testing.T) {
	truth, logp := separated(500, 0.1, 2, 5)
	measure := func(block, processors int) []scoring.Measure {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		m := testkit.Must(scoring.NewMeasurer(2, scoring.MeasureOptions{Resamples: 50, Seed: 3}))(t)
		for lo := 0; lo < len(truth); lo += block {
			hi := min(lo+block, len(truth))
			testkit.NoError(t, m.Add(truth[lo:hi], logp.Slice(lo, hi, 0, 2).(*mat.Dense), nil))
		}
		return m.Measures()
	}
	want := measure(500, 1)
	if got := measure(33, 4); !reflect.DeepEqual(got, want) {
		t.Errorf("measures are %+v, and %+v in blocks", want, got)
	}
}

// The bootstrap of decisions that are all right or all wrong is constant, which would make an interval of length 0.
func TestAccuracyOfZeroOrOneHasWilsonsInterval(t *testing.T) {
	const n = 89
	p := mat.NewDense(n, 2, nil)
	right, wrong, weights := make([]int, n), make([]int, n), make([]float64, n)
	for i := range n {
		right[i], wrong[i], weights[i] = i%2, 1-i%2, 0.1
		p.SetRow(i, []float64{math.Log(0.5 + 0.4*float64(1-2*right[i])), math.Log(0.5 - 0.4*float64(1-2*right[i]))})
	}
	for _, c := range []struct {
		truth   []int
		weights []float64
		right   int
	}{{right, nil, n}, {wrong, nil, 0}, {right, weights, n}, {wrong, weights, 0}} {
		m := testkit.Must(scoring.NewMeasurer(2, scoring.MeasureOptions{Resamples: 20, Level: 0.9}))(t)
		testkit.NoError(t, m.Add(c.truth, p, c.weights))
		got, want := m.Measures()[0], testkit.Must(WilsonInterval(c.right, n, 0.9))(t)
		if got.Interval == nil || math.Abs(got.Interval.Low-want.Low) > 1e-12 ||
			math.Abs(got.Interval.High-want.High) > 1e-12 {
			t.Errorf("%d of %d right, weighted %t: the interval is %v, want %v", c.right, n, c.weights != nil,
				got.Interval, want)
		}
	}
}

// A score that is equal on all resamples has no interval, except a recall or precision of one class: it is a share of
// the observations of this class, or of the decisions for it, and its interval is Wilson's.
func TestScoresOfPerfectDecisionsHaveNoEmptyInterval(t *testing.T) {
	const n = 60
	for _, classes := range []int{2, 3} {
		for _, wrong := range []int{0, 1} { // decide for the next class
			truth, p := make([]int, n), mat.NewDense(n, classes, nil)
			for i := range n {
				truth[i] = i % 3 % classes // 40 and 20, or 20 each
				for k := range classes {
					p.Set(i, k, math.Log(0.1))
				}
				p.Set(i, (truth[i]+wrong)%classes, math.Log(0.8))
			}
			s := testkit.Must(Score(truth, p))(t)
			for _, m := range testkit.Must(s.Measures(MeasureOptions{Resamples: 100}))(t) {
				want := map[string]int{"accuracy": n} // number of observations
				if classes == 2 {
					want["recall"], want["precision"] = 20, 20
					if wrong == 1 {
						want["precision"] = 40
					}
				}
				if want[m.Name] == 0 {
					if m.Interval != nil && m.Interval.Low == m.Interval.High {
						t.Errorf("%d classes, %d: %s has the interval %v", classes, wrong, m.Name, *m.Interval)
					}
					continue
				}
				right := want[m.Name] * (1 - wrong)
				w := testkit.Must(WilsonInterval(right, want[m.Name], 0.95))(t)
				if m.Interval == nil || *m.Interval != w {
					t.Errorf("%d classes, %d: %s has the interval %v, want %v", classes, wrong, m.Name, m.Interval, w)
				}
			}
		}
	}
}

func TestMeasuresThatAreNotDefined(t *testing.T) {
	truth, logp := []int{0, 0, 0}, mat.NewDense(3, 2, []float64{-1, -0.5, -0.2, -2, -0.3, -1})
	s := testkit.Must(Score(truth, logp))(t)
	list := testkit.Must(s.Measures(MeasureOptions{Resamples: 20}))(t)
	for _, m := range list {
		if slices.Contains([]string{"auc", "average_precision", "precision", "recall", "f1"}, m.Name) ||
			math.IsNaN(m.Value) {
			t.Errorf("%s is %g for one class", m.Name, m.Value)
		}
	}
	for _, bad := range []scoring.MeasureOptions{{Threshold: 1.5}, {Threshold: math.NaN()}, {Resamples: -1},
		{Level: 2}} {
		testkit.Fails(t, testkit.ErrorOf(scoring.NewMeasurer(2, bad)), fmt.Sprintf("no error for %+v", bad))
	}
	testkit.ErrorContains(t, testkit.ErrorOf(scoring.NewMeasurer(3, scoring.MeasureOptions{Threshold: 0.5})),
		"a threshold needs exactly two classes, not 3; leave it out")
	m, _ := scoring.NewMeasurer(2, scoring.MeasureOptions{})
	if err := m.Add([]int{2}, mat.NewDense(1, 2, nil), nil); err == nil || len(m.Measures()) != 0 {
		t.Error("a label outside the classes was added")
	}
}

// The most accurate candidate need not be the candidate with the largest area.
func TestSearchByArea(t *testing.T) {
	truth := []int{0, 0, 0, 1}
	folds := []Fold{{Train: []int{0}, Test: []int{0}}, {Train: []int{1}, Test: []int{1}}}
	probability := map[string][]float64{"accurate": {0.4, 0.1, 0.1, 0.3}, "ranks": {0.6, 0.1, 0.1, 0.7}}
	probability["accurate"][3] = 0.2
	probability["ranks"][1] = 0.55
	fit := func(_ context.Context, c Candidate, _ Fold) (*Scores, error) {
		logp := mat.NewDense(4, 2, nil)
		for i, p := range probability[c[0].Value] {
			logp.SetRow(i, []float64{math.Log(1 - p), math.Log(p)})
		}
		return Score(truth, logp)
	}
	candidates := []Candidate{{{"kind", "accurate"}}, {{"kind", "ranks"}}}
	r := testkit.Must(Search(context.Background(), candidates, folds, SearchOptions{Score: "auc"}, fit))(t)
	if r.Best != 1 || r.Trials[1].Score != 1 || math.Abs(r.Trials[0].Score-2.0/3) > 1e-15 {
		t.Errorf("best %d, areas %g and %g", r.Best, r.Trials[0].Score, r.Trials[1].Score)
	}
	bits := testkit.Must(Search(context.Background(), candidates, folds, SearchOptions{Score: "confusion_bits"},
		fit))(t)
	rate := testkit.Must(Search(context.Background(), candidates, folds,
		SearchOptions{Score: "confusion_bits_per_minute",
			Seconds: 3}, fit))(t)
	for k := range candidates {
		if b, r := bits.Trials[k].Score, rate.Trials[k].Score; math.Abs(r-20*b) > 1e-12 || k == 1 && !(b > 0) {
			t.Errorf("candidate %d: %g bits, %g bits per minute", k, b, r)
		}
	}
	testkit.ErrorContains(t, testkit.ErrorOf(Search(context.Background(), candidates, folds,
		SearchOptions{Score: "wolpaw_bits_per_minute"},
		fit)), "needs the time per decision", "bits per minute without a time")
	truth = []int{0, 0, 0, 0}
	testkit.Fails(t, testkit.ErrorOf(Search(t.Context(), candidates, folds, SearchOptions{Score: "auc"}, fit)),
		"folds of one class")
}

// Wolpaw's formula is 0 at chance level and below, and log₂ N if all decisions are right. The information in the
// confusion matrix is the same for a permutation, where all decisions are wrong in a regular way.
func TestBitsOfDecisions(t *testing.T) {
	for _, c := range []struct {
		p       float64
		classes int
		want    float64
	}{{0.25, 4, 0}, {0.1, 4, 0}, {1, 4, 2}, {0.9, 2, 0.5310044064107188}, {0.8, 36, 3.4221403031659565}} {
		testkit.Near(t, scoring.WolpawBits(c.p, c.classes), c.want, 1e-12, c.p, "of", c.classes, "classes: bits")
	}
	if !math.IsNaN(scoring.WolpawBits(0.5, 1)) || !math.IsNaN(scoring.WolpawBits(1.5, 2)) ||
		!math.IsNaN(scoring.ConfusionBits([][]int{{0}})) {
		t.Error("bits of what is no accuracy")
	}
	for want, confusion := range map[float64][][]int{1: {{0, 50}, {50, 0}}, 0: {{10, 30}, {20, 60}}} {
		testkit.Near(t, scoring.ConfusionBits(confusion), want, 1e-12, confusion, "bits")
	}
}
