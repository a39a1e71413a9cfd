package eeg

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/covstream"
	"rao/internal/recipes"
	"rao/internal/testkit"
	"rao/recipe"
	"rao/spd"
)

// synthetic returns a recording at 100 Hz with 20 trials of 1 s, one every 2 s. Classes 769 and 770 have a 10 Hz rhythm
// on channel a or b. All channels have noise.
func synthetic(t testing.TB, seed uint64) *Recording {
	rng := rand.New(rand.NewPCG(seed, 0))
	const rate, trials, channels = 100, 20, 3
	n := trials * 2 * rate
	data := make([]float64, n*channels)
	for i := range data {
		data[i] = 500 + rng.NormFloat64()
	}
	var events []Event
	for k := range trials {
		start, class := k*2*rate+50, k%2
		events = append(events, Event{Sample: start - 20, Code: 768}, Event{Sample: start, Code: 769 + class})
		for s := range rate {
			data[(start+s)*channels+class] += 4 * math.Sin(2*math.Pi*10*float64(s)/rate)
		}
	}
	return testkit.Must(NewRecording([]string{"a", "b", "c"}, rate, data, events))(t)
}

func leftRight() []Class { return []Class{{Name: "left", Code: 769}, {Name: "right", Code: 770}} }

func TestCutTrialsFindsTheRhythm(t *testing.T) {
	tr := testkit.Must(CutTrials(context.Background(), []*Recording{synthetic(t, 1), synthetic(t, 2)},
		TrialOptions{Classes: leftRight(), Stop: 1,
			SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 8, High: 12}}}}))(t)
	if len(tr.Stacks) != 1 || tr.Stacks[0].Count != 40 || tr.Stacks[0].Dim != 3 ||
		!slices.Equal(tr.Classes, []string{"left", "right"}) {
		t.Fatalf("%d stacks, %+v", len(tr.Stacks), tr)
	}
	for k := range 40 {
		m := tr.Stacks[0].At(k)
		if tr.Labels[k] != k%2 || tr.Recording[k] != k/20 || tr.Sample[k] != k%20*200+50 {
			t.Errorf("trial %d: label %d, recording %d, sample %d", k, tr.Labels[k], tr.Recording[k], tr.Sample[k])
		}
		testkit.Equal(t, m[0] > m[4], k%2 == 0, "trial", k, "variances", m[0], "and", m[4])
	}
}

func TestBandsCombine(t *testing.T) {
	rec := []*Recording{synthetic(t, 3)}
	opt := TrialOptions{Classes: leftRight(), Start: 0.1, Stop: 0.9,
		SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 8, High: 12}, {Low: 20, High: 30}}}}
	get := func(c recipe.Combine) *Trials {
		o := opt
		o.Combine = c
		return testkit.Must(CutTrials(context.Background(), rec, o))(t)
	}
	sep, block, stacked := get("separate"), get("block-diagonal"), get("stacked")
	if len(sep.Stacks) != 2 || sep.Stacks[0].Dim != 3 || block.Stacks[0].Dim != 6 || stacked.Stacks[0].Dim != 6 {
		t.Fatal("orders of the matrices")
	}
	for k := range 20 {
		b, s := block.Stacks[0].At(k), stacked.Stacks[0].At(k)
		cross := 0.0
		for i := range 6 {
			for j := range 6 {
				if i/3 != j/3 {
					if b[6*i+j] != 0 {
						t.Fatal("block-diagonal matrices have values between bands")
					}
					cross += math.Abs(s[6*i+j])
					continue
				}
				want := sep.Stacks[i/3].At(k)[i%3*3+j%3]
				if math.Abs(b[6*i+j]-want) > 1e-13 || math.Abs(s[6*i+j]-want) > 1e-12 {
					t.Fatalf("trial %d, place %d,%d: block %g, stacked %g, separate %g",
						k, i, j, b[6*i+j], s[6*i+j], want)
				}
			}
		}
		if cross == 0 {
			t.Fatal("stacked matrices have no values between bands")
		}
	}
}

func TestTrialsSameBitsAtAnyProcs(t *testing.T) {
	testkit.SameAtAnyProcs(t, func() []float64 {
		return testkit.Must(CutTrials(context.Background(), []*Recording{synthetic(t, 4)},
			TrialOptions{Classes: leftRight(), Stop: 1,
				SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 4, High: 30}},
					Estimator: "oas"}}))(t).Stacks[0].Data
	})
}

// An event that a recording contains twice gives one trial: two equal trials would be in different folds.
func TestRepeatedEventsGiveOneTrial(t *testing.T) {
	r := synthetic(t, 5)
	r.Events = []Event{{Sample: 20, Code: 769}, {Sample: 150, Code: 770}, {Sample: 150, Code: 770},
		{Sample: 200, Code: 769}, {Sample: 20, Code: 769}}
	tr := testkit.Must(CutTrials(context.Background(), []*Recording{r}, TrialOptions{Classes: leftRight(), Stop: 1}))(t)
	testkit.EqualSlices(t, tr.Sample, []int{20, 150, 200}, "samples")
	testkit.EqualSlices(t, tr.Labels, []int{0, 1, 0}, "labels")
}

// Events of two classes at one sample do not say which class the trial has.
func TestTrialsOfTwoClassesAreRefused(t *testing.T) {
	r := synthetic(t, 5)
	left, right, other := Event{Sample: 150, Code: 769}, Event{Sample: 150, Code: 770}, Event{Sample: 150, Code: 7}
	rest := []Event{{Sample: 300, Code: 770}, {Sample: 350, Code: 5}, {Sample: 500, Code: 769}, {Sample: 550, Code: 5}}
	for name, events := range map[string][]Event{"left first": {left, right}, "right first": {right, left},
		"with another event": {other, left, right}, "one event": {{Sample: 150, Code: 769, Label: "r"}},
		"before an anchor": {left, right, {Sample: 200, Code: 5}}} {
		t.Run(name, func(t *testing.T) {
			r.Events = append(slices.Clone(events), rest...)
			classes := leftRight()
			classes[1].Label = "r"
			opt := TrialOptions{Classes: classes, Stop: 1}
			if name == "before an anchor" {
				opt.Anchor = Class{Code: 5}
			}
			_, err := CutTrials(context.Background(), []*Recording{r}, opt)
			testkit.ErrorContains(t, err, "has an unknown class, because class", name)
			testkit.ErrorContains(t, err, "correct the events", name)
			opt.SkipInvalid = true
			tr := testkit.Must(CutTrials(context.Background(), []*Recording{r}, opt))(t)
			testkit.EqualSlices(t, tr.Labels, []int{1, 0}, "labels")
			testkit.Equal(t, len(tr.Skipped) > 0, true, "the trial is reported as left out:", tr.Skipped)
		})
	}
	r.Events = append([]Event{left, other}, rest...)
	tr := testkit.Must(CutTrials(context.Background(), []*Recording{r}, TrialOptions{Classes: leftRight(), Stop: 1}))(t)
	testkit.EqualSlices(t, tr.Labels, []int{0, 1, 0}, "labels with an event of no class at the same sample")
}

func TestAnchorTakesTheClassBeforeIt(t *testing.T) {
	r := synthetic(t, 5)
	r.Events = []Event{{Sample: 10, Code: 5}, {Sample: 20, Code: 769}, {Sample: 150, Code: 5}, {Sample: 160, Code: 5},
		{Sample: 200, Code: 769}, {Sample: 210, Code: 770}, {Sample: 300, Label: "go", Code: 5}}
	tr := testkit.Must(CutTrials(context.Background(), []*Recording{r},
		TrialOptions{Classes: leftRight(), Stop: 1, Anchor: Class{Code: 5}}))(t)
	if !slices.Equal(tr.Sample, []int{150, 300}) || !slices.Equal(tr.Labels, []int{0, 1}) {
		t.Errorf("trials at %v of classes %v", tr.Sample, tr.Labels)
	}
}

func TestMissingSamplesAndEnds(t *testing.T) {
	r := synthetic(t, 6)
	for k := 255; k < 258; k++ { // within the second trial
		r.data[3*k+1] = math.NaN()
	}
	r.data[0] = math.Inf(1)
	opt := TrialOptions{Classes: leftRight(), Stop: 1.6}
	for _, bands := range [][]recipe.Band{nil, {{Low: 8, High: 30}}} {
		opt.Bands, opt.SkipInvalid = bands, false
		_, err := CutTrials(context.Background(), []*Recording{r}, opt)
		if err == nil || !strings.Contains(err.Error(), "trial of class right at sample 250") ||
			!strings.Contains(err.Error(), "skip such trials") {
			t.Errorf("missing samples: %v", err)
		}
		opt.SkipInvalid = true
		tr := testkit.Must(CutTrials(context.Background(), []*Recording{r}, opt))(t)
		if len(tr.Labels) != 18 || len(tr.Skipped) != 2 ||
			!strings.Contains(tr.Skipped[1], "reaches beyond the recording of 4000 samples") {
			t.Errorf("%d trials, skipped %q", len(tr.Labels), tr.Skipped)
		}
		for _, v := range tr.Stacks[0].Data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatal("a gap spread into other trials")
			}
		}
	}
}

func TestCutTrialsRefuses(t *testing.T) {
	good := synthetic(t, 7)
	other := synthetic(t, 7)
	other.Channels = []string{"a", "b", "d"}
	slow := synthetic(t, 7)
	slow.Rate = 50
	flat, silent := synthetic(t, 7), synthetic(t, 7)
	for i := 1; i < len(flat.data); i += 3 {
		flat.data[i], silent.data[i] = 0, math.NaN()
	}
	two := []recipe.Band{{Low: 8, High: 12}, {Low: 15, High: 25}}
	cases := []struct {
		name string
		recs []*Recording
		opt  TrialOptions
		want string
	}{
		{"no recording", nil, TrialOptions{Classes: leftRight(), Stop: 1}, "there are no recordings"},
		{"no classes", []*Recording{good}, TrialOptions{Stop: 1}, "has these events: 768 ×20, 769 ×10, 770 ×10; name"},
		{"no length", []*Recording{good}, TrialOptions{Classes: leftRight()}, "from 0 to 0 s"},
		{"short", []*Recording{good}, TrialOptions{Classes: leftRight(), Stop: 0.001}, "0 samples at 100 Hz"},
		{"nothing matches", []*Recording{good}, TrialOptions{Classes: []Class{{Name: "feet", Code: 771}}, Stop: 1},
			"no event matches class feet (code 771); events found: 768 ×20, 769 ×10, 770 ×10"},
		{"no anchor", []*Recording{good}, TrialOptions{Classes: leftRight(), Stop: 1, Anchor: Class{Code: 99}},
			"no event matches the anchor"},
		{"channels", []*Recording{good, other}, TrialOptions{Classes: leftRight(), Stop: 1}, "choose the channels " +
			"that all recordings have"},
		{"rates", []*Recording{good, slow}, TrialOptions{Classes: leftRight(), Stop: 1}, "resample them"},
		{"band", []*Recording{good}, TrialOptions{Classes: leftRight(), Stop: 1,
			SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 8, High: 60}}}},
			"band edge is 60 Hz"},
		{"flat", []*Recording{flat}, TrialOptions{Classes: leftRight(), Stop: 1},
			"channel b of the trial is constant (0)"},
		{"flat in bands", []*Recording{flat}, TrialOptions{Classes: leftRight(), Stop: 1,
			Causal: true, SignalOptions: recipe.SignalOptions{Bands: two, Combine: "stacked"}},
			"channel b of the trial is constant"},
		{"flat spectra", []*Recording{flat}, TrialOptions{Classes: leftRight(), Stop: 1,
			SignalOptions: recipe.SignalOptions{Bands: two[:1], Estimator: "cospectrum"}},
			"channel b of the trial has no power"},
		{"combine", []*Recording{good}, TrialOptions{Classes: leftRight(), Stop: 1,
			SignalOptions: recipe.SignalOptions{Combine: "side by side"}}, "bands cannot be combined"},
	}
	testkit.ErrorContains(t, testkit.ErrorOf(silent.filtered(two[0], 4, false)), "channel b has no finite sample",
		"no samples")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := CutTrials(context.Background(), c.recs, c.opt)
			testkit.ErrorContains(t, err, c.want)
		})
	}
}

// Progress counts the bands of all recordings.
func TestCutTrialsShowsItsProgress(t *testing.T) {
	var shown []int
	opt := TrialOptions{Classes: leftRight(), Stop: 1, Progress: func(e rao.Event) {
		shown = append(shown, e.Done)
		testkit.Equal(t, e.Total, 4, e)
	}, SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 4, High: 8}, {Low: 8, High: 12}}}}
	testkit.Must(CutTrials(t.Context(), []*Recording{synthetic(t, 8), synthetic(t, 9)}, opt))(t)
	testkit.EqualSlices(t, shown, []int{0, 0, 1, 2, 2, 3}, "bands")
}

// A stream cut into blocks of any size gives the matrices of causal trials.
func TestStreamEqualsCausalTrials(t *testing.T) {
	r := synthetic(t, 8)
	var events []Event
	for s := 0; s+80 <= r.Samples(); s += 30 {
		events = append(events, Event{Sample: s, Code: 769})
	}
	r.Events = events
	for i, combine := range []recipe.Combine{"stacked", "block-diagonal", "stacked",
		"block-diagonal"} {
		bands := []recipe.Band{{Low: 8, High: 12}, {Low: 15, High: 25}}
		var delays []int
		if i > 1 {
			delays = []int{1, 4}
		}
		tr := testkit.Must(CutTrials(context.Background(), []*Recording{r},
			TrialOptions{Classes: leftRight()[:1], Stop: 0.8,
				SignalOptions: recipe.SignalOptions{Bands: bands, Combine: combine, Delays: delays,
					Estimator: recipe.Estimator("ledoit_wolf")}, Causal: true}))(t)
		testkit.Equal(t, len(recipes.Names(tr.Recipe.Signal)), tr.Stacks[0].Dim, "names")
		s := testkit.Must(covstream.New(3, 100,
			covstream.Options{Window: 0.8, Step: 0.3,
				SignalOptions: recipe.SignalOptions{Bands: bands, Combine: combine, Delays: delays,
					Estimator: recipe.Estimator("ledoit_wolf")}}))(t)
		k := 0
		for lo, step := 0, 1; lo < len(r.data); step = step*7%31 + 1 {
			hi := min(lo+3*step, len(r.data))
			testkit.NoError(t, s.Push(r.data[lo:hi], func(cov *mat.SymDense, end int64) error {
				if int(end) != tr.Sample[k]+80 {
					return fmt.Errorf("window %d ends at %d", k, end)
				}
				one := spd.NewStack(1, s.Dim())
				one.Set(0, cov)
				testkit.Close(t, "window", one.At(0), tr.Stacks[0].At(k), 1e-12)
				k++
				return nil
			}))
			lo = hi
		}
		testkit.Equal(t, k, len(tr.Labels), "windows")
	}
}

func TestStreamDoesNotAllocateAndRefuses(t *testing.T) {
	s := testkit.Must(covstream.New(2, 100, covstream.Options{Window: 0.5, Step: 0.1,
		SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 8, High: 30}}}}))(t)
	rng := rand.New(rand.NewPCG(1, 1))
	block := testkit.Normals(rng, 400)
	emit := func(*mat.SymDense, int64) error { return nil }
	if n := testing.AllocsPerRun(5, func() {
		testkit.NoError(t, s.Push(block, emit))
	}); n != 0 && !testkit.Race { // under the race detector pools forget what they are given
		t.Errorf("%g allocations a block", n)
	}
	testkit.ErrorContains(t, s.Push([]float64{1, math.NaN()}, emit),
		"channel 1 (counted from 0) of the stream is NaN", "NaN")
	for _, c := range []struct {
		channels int
		rate     float64
		opt      covstream.Options
		want     string
	}{
		{0, 100, covstream.Options{Window: 1}, "0 channels"},
		{2, 0, covstream.Options{Window: 1}, "at 0 Hz"},
		{2, 100, covstream.Options{}, "use windows of 2 to"},
		{2, 100, covstream.Options{Window: 1e9}, "use windows of 2 to"},
		{2, 100, covstream.Options{Window: 1,
			SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 8, High: 12},
				{Low: 12, High: 20}}}}, "combine the 2 bands"},
		{2, 100, covstream.Options{Window: 1,
			SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 0, High: 0}}}}, "passes no frequency"},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(covstream.New(c.channels, c.rate, c.opt)), c.want, c.opt)
	}
}

func TestReadEvents(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []Event
	}{
		"named": {"sample,code\n30,2\n10,1\n", []Event{{Sample: 10, Code: 1}, {Sample: 30, Code: 2}}},
		"bare": {"10,769,left,5\n20,770\n",
			[]Event{{Sample: 10, Code: 769, Label: "left", Duration: 5}, {Sample: 20, Code: 770}}},
		"BIDS": {"onset\tduration\ttrial_type\tvalue\n0.5\t2\tleft hand\t1\n1.25\tn/a\trest\tn/a\n",
			[]Event{{Sample: 50, Code: 1, Label: "left hand", Duration: 200}, {Sample: 125, Label: "rest"}}},
		"event":   {"sample,event\n5,769\n", []Event{{Sample: 5, Code: 769}}},
		"words":   {"\ufeffsample,code\n5, go\n", []Event{{Sample: 5, Label: "go"}}},
		"nothing": {"", nil},
	} {
		got := testkit.Must(readEvents(strings.NewReader(c.text), 100))(t)
		testkit.EqualSlices(t, got, c.want, name)
	}
	for text, want := range map[string]string{
		"sample,code\nten,1\n":              `line 2: the sample "ten"`,
		"sample,code\n1e300,1\n":            `sample "1e300"`,
		"sample,code,duration\n1,1,long\n":  `duration "long"`,
		"sample,code,label\n1,left,right\n": `code "left" of an event is not a whole number`,
		"onset,code\n,1\n":                  `the onset of an event is missing`,
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(readEvents(strings.NewReader(text), 100)), want, text)
	}
}

func FuzzReadEvents(f *testing.F) {
	f.Add("sample,code\n30,2\n10,1\n")
	f.Add("onset\tduration\ttrial_type\tvalue\n0.5\t2\tleft hand\t1\n")
	f.Fuzz(func(t *testing.T, text string) {
		events, err := readEvents(strings.NewReader(text), 256)
		if err != nil && events != nil {
			t.Fatal("events beside an error")
		}
		if !slices.IsSortedFunc(events, func(a, b Event) int { return a.Sample - b.Sample }) {
			t.Fatal("not in order")
		}
	})
}

func TestParseClassesAndBands(t *testing.T) {
	got := testkit.Must(ParseClasses("left=769, right=0x302,rest"))(t)
	testkit.EqualSlices(t, got, []Class{{Name: "left", Code: 769, Label: "769"},
		{Name: "right", Code: 770, Label: "0x302"}, {Name: "rest", Label: "rest"}})
	for spec, want := range map[string]string{"": "write NAME=CODE", "a=": "write NAME=CODE",
		"a=1,a=2": `and write a comma in a label as \,`} {
		testkit.ErrorContains(t, testkit.ErrorOf(ParseClasses(spec)), want, spec)
	}
	bands := testkit.Must(recipe.ParseBands("8-12, 12.5-30,0-40"))(t)
	testkit.EqualSlices(t, bands, []recipe.Band{{Low: 8, High: 12}, {Low: 12.5, High: 30}, {Low: 0, High: 40}})
	for _, spec := range []string{"", "8", "8-", "a-b"} {
		testkit.ErrorContains(t, testkit.ErrorOf(recipe.ParseBands(spec)), "write LOW-HIGH", spec)
	}
}

func TestOpenRecordingKinds(t *testing.T) {
	edf := filepath.Join("..", "internal", "eeg", "format", "edf", "testdata", "synth.edf")
	whole := testkit.Must(OpenRecording(edf, RecordingOptions{}))(t)
	defer whole.Close()
	part := testkit.Must(OpenRecording(edf, RecordingOptions{Channels: []string{"C4", "C3"}, Rate: 64}))(t)
	defer part.Close()
	gdf := testkit.Must(OpenRecording(filepath.Join("..", "internal", "eeg", "format", "gdf", "testdata",
		"biosig-2.51.gdf"),
		RecordingOptions{Drop: []string{"Cz"}}))(t)
	defer gdf.Close()
	x, y, z := make([]float64, 3*256), make([]float64, 2*256), make([]float64, 2*256)
	for _, c := range []struct {
		r   *Recording
		dst []float64
	}{{whole, x}, {part, y}, {gdf, z}} {
		testkit.NoError(t, c.r.Read(c.dst, 0, 256))
		before := slices.Clone(c.dst)
		testkit.NoError(t, c.r.load())
		testkit.NoError(t, c.r.Read(c.dst[:2*len(c.r.Channels)], 100, 2))
		testkit.EqualSlices(t, c.dst[:2*len(c.r.Channels)], before[100*len(c.r.Channels):][:2*len(c.r.Channels)],
			c.r.Format, "other samples in memory than in the file")
		copy(c.dst, before)
	}
	for k := range 256 {
		if y[2*k] != x[3*k+2] || y[2*k+1] != x[3*k] || math.Abs(z[2*k]-x[3*k]) > 1e-12 ||
			math.Abs(z[2*k+1]-x[3*k+2]) > 1e-12 {
			t.Fatalf("sample %d: %v %v %v", k, x[3*k:3*k+3], y[2*k:2*k+2], z[2*k:2*k+2])
		}
	}
	if len(whole.Events) != 4 || whole.Events[2].Label != "left hand" {
		t.Errorf("events %v", whole.Events)
	}
	testkit.ErrorContains(t, whole.Read(x, 1, 256), "256 samples of 3 channels", "beyond the end")
}

func TestOpenRecordingRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		p := filepath.Join(dir, name)
		testkit.NoError(t, os.WriteFile(p, []byte(text), 0o600))
		return p
	}
	edf := filepath.Join("..", "internal", "eeg", "format", "edf", "testdata", "synth.edf")
	for _, c := range []struct {
		path string
		opt  RecordingOptions
		want string
	}{
		{filepath.Join(dir, "none.edf"), RecordingOptions{}, "none.edf: no such file or directory; name a " +
			"recording (EDF"},
		{dir, RecordingOptions{}, "is a folder; name the recordings in it"},
		{write("empty.edf", ""), RecordingOptions{}, "is empty"},
		{write("text.txt", "hello, this is text"), RecordingOptions{}, "unknown file format for a recording"},
		{write("cut.gdf", "GDF 2.20"), RecordingOptions{}, "truncated or its header is wrong"},
		{edf, RecordingOptions{Channels: []string{"Pz"}}, `no channel "Pz"; the recording has C3, Cz, C4`},
		{edf, RecordingOptions{Drop: []string{"Pz"}}, `no channel "Pz"`},
		{edf, RecordingOptions{Drop: []string{"C3", "Cz", "C4"}}, "is left"},
		{edf, RecordingOptions{Rate: 128}, "sampling rate of the file is 64 Hz, not 128"},
		{edf, RecordingOptions{Events: filepath.Join(dir, "none.csv")}, "none.csv: no such file or directory; " +
			"name a csv"},
	} {
		if _, err := OpenRecording(c.path, c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.path, err, c.want)
		} else if n := strings.Count(err.Error(), c.path); n > 1 {
			t.Errorf("%v names the file %d times", err, n)
		}
	}
	testkit.Fails(t, testkit.ErrorOf(NewRecording([]string{"a", "b"}, 100, make([]float64, 3), nil)),
		"three values for two channels are taken")
	testkit.Fails(t, testkit.ErrorOf(NewRecording([]string{"a"}, math.NaN(), make([]float64, 3), nil)),
		"a rate of NaN is taken")
}

// Spectral matrices of a stream equal those of trials.
func TestSpectralStreamEqualsTrials(t *testing.T) {
	r := synthetic(t, 9)
	r.Events = []Event{{Sample: 0, Code: 769}, {Sample: 80, Code: 769}, {Sample: 160, Code: 769}}
	bands := []recipe.Band{{Low: 8, High: 14}, {Low: 15, High: 25}}
	for _, kind := range []recipe.Estimator{"cospectrum", "cross-spectrum",
		"coherence"} {
		tr := testkit.Must(CutTrials(context.Background(), []*Recording{r},
			TrialOptions{Classes: leftRight()[:1], Stop: 0.8,
				SignalOptions: recipe.SignalOptions{Bands: bands, Combine: "block-diagonal", Estimator: kind,
					Segment: 0.2}}))(t)
		o := testkit.Must(covstream.OptionsOf(tr.Recipe))(t)
		testkit.NoError(t, recipe.Check(tr.Recipe, o.Recipe(r.Channels, 100)), kind)
		s := testkit.Must(covstream.New(3, 100, o))(t)
		k := 0
		if err := s.Push(r.data[:3*240], func(cov *mat.SymDense, _ int64) error {
			one := spd.NewStack(1, s.Dim())
			one.Set(0, cov)
			testkit.Close(t, string(kind), one.At(0), tr.Stacks[0].At(k), 1e-12)
			k++
			return nil
		}); err != nil || k != 3 {
			t.Errorf("%s: %d windows, %v", kind, k, err)
		}
	}
}
