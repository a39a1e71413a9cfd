package eeg

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/covstream"
	"rao/internal/electrodes"
	"rao/internal/recipes"
	"rao/internal/testkit"
	"rao/recipe"
	"rao/spd"
)

// Interpolation and references equal the results of MNE 1.13 (see testdata/make_prepare.py).
func TestInterpolationAndReferenceAgreeWithMNE(t *testing.T) {
	var gold struct {
		Names                               []string
		Pos, X, Interpolated, Average, P3P4 []float64
	}
	testkit.ReadJSON(t, "testdata/prepare.json", &gold)
	r := testkit.Must(NewRecording(gold.Names, 120, gold.X, nil))(t)
	r.Bad = []string{"C4", "Oz"}
	for i := range gold.Names {
		r.Positions = append(r.Positions, [3]float64(gold.Pos[3*i:]))
	}
	for what, c := range map[string]struct {
		reference []string
		want      []float64
	}{"interpolated": {nil, gold.Interpolated}, "average": {[]string{"average"}, gold.Average},
		"P3,P4": {[]string{"P3", "P4"}, gold.P3P4}} {
		done := testkit.Must(r.withPreparation(recipe.Preparation{Interpolate: true, Reference: c.reference}))(t)
		var got []float64
		for k := 0; k < 120; k += 17 {
			got = append(got, values(t, done, k, 1)...)
		}
		testkit.Close(t, what, got, c.want, 1e-10)
	}
}

// A spatially smooth field is reconstructed at a lost channel.
func TestInterpolationByNames(t *testing.T) {
	names := []string{"Fp1", "Fp2", "F7", "F3", "Fz", "F4", "F8", "T7", "C3", "Cz", "C4", "T8", "P7", "P3", "Pz", "P4",
		"P8", "O1", "O2", "EOG"}
	row := make([]float64, len(names))
	for i, n := range names {
		p, _ := electrodes.Position(n)
		row[i] = 3 + p[0] - 2*p[1] + p[2]*p[0]
	}
	want := row[8]
	row[8], row[19] = 1e3, -500
	r := testkit.Must(NewRecording(names, 100, row, nil))(t)
	r.Bad = []string{"C3"}
	done := testkit.Must(r.withPreparation(recipe.Preparation{Interpolate: true}))(t)
	got := values(t, done, 0, 1)
	if math.Abs(got[8]-want) > 0.05 || got[19] != -500 || len(done.Bad) != 0 {
		t.Errorf("C3 is %g, it was %g; EOG %g", got[8], want, got[19])
	}
	r.Bad = []string{"EOG"}
	testkit.ErrorContains(t, testkit.ErrorOf(r.withPreparation(recipe.Preparation{Interpolate: true})),
		"the position of the bad channel EOG is unknown")
}

// ready returns a preparation with every step that a stream can have.
func ready(causal bool) recipe.Preparation {
	return recipe.Preparation{Reference: []string{"c"}, Notch: []float64{20}, Rate: 80, Causal: causal}
}

// Trials of a prepared recording and windows of a stream prepared in the same way give the same matrices, for any block
// sizes.
func TestPreparedStreamEqualsPreparedTrials(t *testing.T) {
	r := synthetic(t, 8)
	done := testkit.Must(r.withPreparation(ready(true)))(t)
	if done.Rate != 80 || !slices.Equal(done.Channels, []string{"a", "b"}) || done.Samples() != r.Samples()*80/100 {
		t.Fatalf("%g Hz, %v, %d samples", done.Rate, done.Channels, done.Samples())
	}
	bands := []recipe.Band{{Low: 8, High: 12}, {Low: 14, High: 30}}
	tr := testkit.Must(CutTrials(context.Background(), []*Recording{done},
		TrialOptions{Classes: leftRight(), Stop: 1,
			SignalOptions: recipe.SignalOptions{Bands: bands, Combine: "stacked"}, Causal: true}))(t)
	o := testkit.Must(covstream.OptionsOf(tr.Recipe))(t)
	o.Step = 0.0125
	testkit.NoError(t, recipe.Check(tr.Recipe, o.Recipe(done.Channels, r.Rate)))
	for _, block := range []int{1, 7, 1000} {
		s := testkit.Must(covstream.New(3, r.Rate, o))(t)
		found := 0
		x := r.data
		for len(x) > 0 {
			n := min(3*block, len(x))
			err := s.Push(x[:n], func(cov *mat.SymDense, end int64) error {
				for k, first := range tr.Sample {
					// The window ends with sample first+79, which the input's last completes.
					if int64(math.Floor(float64(first+79)*100/80))+1 != end {
						continue
					}
					found++
					testkit.Close(t, "window", spd.StackFrom(cov).Data, tr.Stacks[0].At(k), 1e-12)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			x = x[n:]
		}
		testkit.Equal(t, found, len(tr.Sample), "blocks of", block, "trials that are windows")
	}
}

func TestRecipeOfAPreparedRecording(t *testing.T) {
	r := synthetic(t, 8)
	opt := TrialOptions{Classes: leftRight(), Stop: 1}
	cut := func(p recipe.Preparation) *recipe.Recipe {
		o := opt
		o.Reference, o.Notch, o.Resample, o.Causal = p.Reference, p.Notch, p.Rate, p.Causal
		return testkit.Must(CutTrials(context.Background(), []*Recording{r}, o))(t).Recipe
	}
	plain, whole, zero := cut(recipe.Preparation{}), cut(ready(true)), cut(ready(false))
	s := whole.Signal
	if s.Rate != 80 || !s.Resampled || !s.Causal || s.Reference != "c" || !slices.Equal(s.Notch, []float64{20}) ||
		!slices.Equal(recipes.Inputs(s), []string{"a", "b", "c"}) {
		t.Errorf("%+v", s)
	}
	for what, c := range map[string]struct {
		here *recipe.Recipe
		want []string
	}{
		"plain": {plain, []string{"rate: 100 Hz here, 80 Hz in training", "reference: as recorded here, c in training",
			"notch: none here, 20 Hz in training"}},
		"zero": {zero, []string{"filter: zero-phase here, causal in training"}},
	} {
		err := recipe.Check(whole, c.here)
		for _, w := range c.want {
			testkit.ErrorContains(t, err, w, what)
		}
	}
}

// Each piece is prepared separately. The times of events and breaks do not change.
func TestPreparationHeedsBreaks(t *testing.T) {
	r := synthetic(t, 9)
	r.Breaks = []int{1001}
	done := testkit.Must(r.withPreparation(recipe.Preparation{Rate: 50}))(t)
	if !slices.Equal(done.Breaks, []int{501}) || done.Samples() != 501+1500 {
		t.Fatalf("breaks %v, %d samples", done.Breaks, done.Samples())
	}
	for i, e := range done.Events {
		want := math.RoundToEven(float64(r.Events[i].Sample) / 2)
		if r.Events[i].Sample >= 1001 {
			want = 501 + math.RoundToEven(float64(r.Events[i].Sample-1001)/2)
		}
		testkit.Equal(t, e.Sample, int(want), "sample of the event that was at", r.Events[i].Sample)
	}
	half := *r
	half.Breaks, half.data, half.samples = nil, r.data[1001*3:], r.samples-1001
	other := testkit.Must(half.withPreparation(recipe.Preparation{Rate: 50}))(t)
	testkit.EqualSlices(t, values(t, done, 501, 1500), values(t, other, 0, other.Samples()),
		"the second piece is not resampled on its own")
}

func TestMissingSamplesStayMissing(t *testing.T) {
	r := synthetic(t, 9)
	r.data[300*3] = math.NaN()
	done := testkit.Must(r.withPreparation(recipe.Preparation{Notch: []float64{20}, Rate: 50}))(t)
	for first, bad := range map[int]bool{100: false, 140: true, 150: true, 160: false} {
		if why, err := done.invalid(first, 11); err != nil || strings.Contains(why, "not finite") != bad {
			t.Errorf("%d: %q %v", first, why, err)
		}
	}
}

func TestLoudTrialsAreLeftOut(t *testing.T) {
	r := synthetic(t, 9)
	r.Units = []string{"uV", "uV", "uV"}
	r.data[(50+40)*3+2] += 300 // in the first trial
	limit, err := amplitude("0.15 mV", []*Recording{r})
	if err != nil || math.Abs(limit-150) > 1e-9 {
		t.Fatal(limit, err)
	}
	tr := testkit.Must(CutTrials(context.Background(), []*Recording{r},
		TrialOptions{Classes: leftRight(), Stop: 1, Amplitude: "0.15 mV"}))(t)
	if len(tr.Labels) != 19 || len(tr.Skipped) != 1 || !strings.Contains(tr.Skipped[0], "at sample 50 varies by") ||
		!strings.Contains(tr.Skipped[0], "at c, more than 150") {
		t.Errorf("%d trials, left out: %v", len(tr.Labels), tr.Skipped)
	}
	r.Units[1] = "V"
	for text, want := range map[string]string{"150uV": "channel b is in V, but an earlier channel is in uV",
		"x": "must be a number and a unit", "3nT": "must have one of the units", "-1": "must be a number"} {
		testkit.ErrorContains(t, testkit.ErrorOf(amplitude(text, []*Recording{r})), want, text)
	}
	testkit.ErrorContains(t, testkit.ErrorOf(amplitude("7", []*Recording{r})), "is in uV; give")
	r.Units[1] = "degC"
	testkit.ErrorContains(t, testkit.ErrorOf(amplitude("1mV", []*Recording{r})), "is in degC, which is not a voltage")
	r.Units[1] = ""
	testkit.ErrorContains(t, testkit.ErrorOf(amplitude("1mV", []*Recording{r})), "the unit of channel b is unknown, so")
	r.Units = nil
	if v, err := amplitude("7", []*Recording{r}); v != 7 || err != nil {
		t.Error(v, err)
	}
}

func TestPreparationRefuses(t *testing.T) {
	r := synthetic(t, 9)
	for want, p := range map[string]recipe.Preparation{
		`no channel "M1"; the recording has a, b, c`: {Reference: []string{"M1"}},
		"no channel is left with a,b,c":              {Reference: []string{"a", "b", "c"}},
		"the notch is at 50 Hz":                      {Notch: []float64{50}},
		"is not a ratio of integers":                 {Rate: math.Pi},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(r.withPreparation(p)), want, p)
	}
	r.Bad = []string{"a"}
	testkit.ErrorContains(t, testkit.ErrorOf(r.withPreparation(recipe.Preparation{Interpolate: true})),
		"the positions of these electrodes are unknown")
	if same, err := r.withPreparation(recipe.Preparation{}); same != r || err != nil {
		t.Error("nothing to do makes another recording")
	}
	if _, err := covstream.New(3, 100,
		covstream.Options{Window: 1, Prepare: recipe.Preparation{Interpolate: true}}); err == nil {
		t.Error("a stream interpolates")
	}
}

// A channel that does not vary in some trials is reported, although filters and shrinkage hide it.
func TestFlatTrialsAreReported(t *testing.T) {
	const rate, samples = 100, 1000
	r := rand.New(rand.NewPCG(4, 4))
	data := make([]float64, 3*samples)
	for i := range data {
		if data[i] = r.NormFloat64(); i%3 == 1 && i/3 >= 300 && i/3 < 700 {
			data[i] = 0.25
		}
	}
	var events []Event
	for k := range 9 {
		events = append(events, Event{Sample: 100*k + 50, Label: []string{"a", "b"}[k%2]})
	}
	rec := testkit.Must(NewRecording([]string{"C3", "Cz", "C4"}, rate, data, events))(t)
	classes := testkit.Must(ParseClasses("a,b"))(t)
	for _, rate := range []float64{0, 50} {
		var said []string
		opt := TrialOptions{Resample: rate, Note: func(err error) { said = append(said, err.Error()) }}
		opt.Classes, opt.Stop = classes, 0.9
		opt.Bands, opt.Estimator = []recipe.Band{{Low: 5, High: 20}}, "oas"
		testkit.Must(CutTrials(t.Context(), []*Recording{rec}, opt))(t)
		if all := strings.Join(said, "\n"); !strings.Contains(all, "does not vary: Cz in 3 of 9;") ||
			strings.Contains(all, "C3") {
			t.Errorf("at %g Hz: %q", rate, all)
		}
	}
}

// A trial with fewer samples than channels is reported if its matrices are singular.
func TestExtractReportsTooFewSamples(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	data := testkit.Normals(r, 8*400)
	rec := testkit.Must(NewRecording(strings.Split("abcdefgh", ""), 100, data, []Event{{Sample: 50, Label: "a"},
		{Sample: 150, Label: "b"}}))(t)
	classes := testkit.Must(ParseClasses("a,b"))(t)
	for _, c := range []struct {
		stop      float64
		estimator recipe.Estimator
		reported  bool
	}{{0.05, "sample", true}, {0.08, "sample", true}, {0.5, "sample", false}, {0.05, "oas", false}} {
		said := ""
		opt := TrialOptions{Note: func(err error) { said += err.Error() }}
		opt.Classes, opt.Stop, opt.Estimator = classes, c.stop, c.estimator
		testkit.Must(CutTrials(t.Context(), []*Recording{rec}, opt))(t)
		testkit.Equal(t, strings.Contains(said, "are singular; use estimator=oas"), c.reported, c.stop, "s",
			c.estimator, said)
	}
}
