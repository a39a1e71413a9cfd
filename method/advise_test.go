package method_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/testkit"
	"rao/method"
	"rao/model"
	_ "rao/sets"
)

// A note reports a noise that is worse on held-out rows than the noise that validation would choose, if advice is
// requested. The filters are the same with and without advice.
func TestNoiseThatDoesWorseIsNoted(t *testing.T) {
	d := testkit.Must(dataset.Open(context.Background(), "digits:train", dataset.OpenOptions{RequireLabels: true}))(t)
	m := testkit.Must(method.Lookup("sqfa"))(t)
	for _, c := range []struct {
		noise  string
		advise bool
		want   string
	}{
		{"0.001", true, "of 1198 held-out rows are classified correctly, but with noise"},
		{"0.001", false, ""},
		{"10", true, "span only 4 dimensions"}, // as good on test rows as what validation takes
		{"1", true, ""},                        // half a step from what validation takes
		{"auto", true, ""},
	} {
		set := method.Settings{{Name: "noise", Value: c.noise}, {Name: "filters", Value: "9"},
			{Name: "max-iter", Value: "60"}}
		mod, err := m.Fit(context.Background(), method.InMemory{Data: d, Advise: c.advise}, set, nil)
		if mod == nil {
			t.Fatal(err)
		}
		notes := strings.Join(mod.Notes, "\n")
		if c.want == "" && strings.Contains(notes, "is worse") || !strings.Contains(notes, c.want) {
			t.Errorf("noise %s, advice %v: notes %q, want %q", c.noise, c.advise, notes, c.want)
		}
	}
}

// A note reports the chosen noise and the range that was tried, for rows and for statistics.
func TestChoiceOfNoiseIsTold(t *testing.T) {
	d := testkit.Must(dataset.Open(context.Background(), "digits:train", dataset.OpenOptions{RequireLabels: true}))(t)
	stats := testkit.Must(gaussian.Estimate(d.X, d.Labels, d.Classes))(t)
	m := testkit.Must(method.Lookup("sqfa"))(t)
	for how, src := range map[string]method.TrainingData{
		" of 480 held-out rows correctly": method.InMemory{Data: d},
		" from the statistics alone":      method.Statistics{Stats: stats},
	} {
		mod := testkit.Must(m.Fit(context.Background(), src, method.Settings{{Name: "filters", Value: "2"}}, nil))(t)
		notes := strings.Join(mod.Notes, "\n")
		filters := model.StageOf[*feature.Model](mod)
		want := fmt.Sprintf(" was chosen from %d values between ", len(filters.NoiseGrid))
		testkit.Contains(t, notes, how, "notes")
		testkit.Contains(t, notes, want, "notes")
	}
}

// warningsOf returns the warnings of fits of SQFA to rows of normal values with the given class means, from statistics
// and from rows.
func warningsOf(t *testing.T, option string, rng *rand.Rand, rows, cols, classes int,
	mean func(class, j int) float64) (list []string) {
	t.Helper()
	x, labels := mat.NewDense(rows, cols, nil), make([]int, rows)
	for i := range rows {
		labels[i] = i % classes
		for j := range cols {
			x.Set(i, j, rng.NormFloat64()+mean(labels[i], j))
		}
	}
	stats := testkit.Must(gaussian.Estimate(x, labels, nil))(t)
	data := &dataset.Data{X: dataset.NewTable(rows, cols, x.RawMatrix().Data), Labels: labels, Classes: stats.Classes}
	spec := testkit.Must(method.ParseSpec("sqfa:" + option))(t)
	for _, src := range []method.TrainingData{method.Statistics{Stats: stats}, method.InMemory{Data: data}} {
		mod := testkit.Must(spec.Fit(t.Context(), src, nil))(t)
		list = append(list, strings.Join(mod.Warnings, "\n"))
	}
	return list
}

// warningsOfNoise returns the warnings of fits to rows whose classes differ in their means by multiples of apart.
func warningsOfNoise(t *testing.T, seed uint64, rows, cols, classes int, apart float64) []string {
	t.Helper()
	return warningsOf(t, "filters=2", rand.New(rand.NewPCG(seed, 1)), rows, cols, classes,
		func(class, j int) float64 { return apart * float64(class*j%5) })
}

// A noise that classes of few rows cannot choose well comes with a warning, from rows and from statistics.
func TestNoiseOfTinyClassesWarns(t *testing.T) {
	for rows, want := range map[int]string{18: "; 18 rows are too few", 60: "; the 10 rows of class 0 are too few",
		90: "; the 15 rows of class 0 are too few for a good choice, so the accuracy may be much lower", 240: ""} {
		for i, got := range warningsOfNoise(t, 3, rows, 20, 6, 1) {
			if want == "" && strings.Contains(got, "too few") || !strings.Contains(got, want) {
				t.Errorf("%d rows, source %d: warnings %q, want %q", rows, i, got, want)
			}
		}
	}
}

// Classes with many rows have a warning too if there are no more rows than columns in total.
func TestNoiseOfFewerRowsThanColumnsWarns(t *testing.T) {
	for cols, want := range map[int]bool{60: true, 59: false} {
		for i, got := range warningsOfNoise(t, 4, 60, cols, 3, 2) {
			testkit.Equal(t, strings.Contains(got, "; 60 rows of 60 columns are too few for a good choice"), want,
				"warning for", cols, "columns, source", i, got)
		}
	}
}

// Filters learned with a given noise have the same warnings as others, from rows and from statistics, in all columns
// and in the span of few rows.
func TestGivenNoiseWarns(t *testing.T) {
	for _, cols := range []int{8, 300} {
		for _, apart := range []float64{0, 2} {
			list := warningsOf(t, "noise=0.1", rand.New(rand.NewPCG(1, 4)), 120, cols, 3,
				func(class, j int) float64 { return apart * float64((class+j)%3) })
			for i, w := range list {
				testkit.Equal(t, strings.Contains(w, "not clearly above chance (33.3 %)"), apart == 0,
					fmt.Sprintf("%d columns, means %g apart, source %d: warnings %q", cols, apart, i, w))
			}
		}
	}
}

// The noise is chosen for the classifier that is fitted, with its regularization.
func TestNoiseIsChosenForTheRegularizedClassifier(t *testing.T) {
	d := testkit.Must(dataset.Open(context.Background(), "digits:train", dataset.OpenOptions{RequireLabels: true}))(t)
	m := testkit.Must(method.Lookup("sqfa"))(t)
	var scores [2][]float64
	for i, r := range []string{"0", "0.9"} {
		mod := testkit.Must(m.Fit(context.Background(), method.InMemory{Data: d}, method.Settings{
			{Name: "filters", Value: "2"}, {Name: "reg-param", Value: r}}, nil))(t)
		scores[i] = model.StageOf[*feature.Model](mod).NoiseScores
	}
	if scores[0] == nil || slices.Equal(scores[0], scores[1]) {
		t.Errorf("a classifier with a regularization has the scores of one without: %v", scores)
	}
}
