package eeg

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/dataset"
	"rao/internal/recipes"
	"rao/internal/testkit"
)

const goldenEpochs = "../../../eeg/testdata/epochs.npz"

// epochsLine returns a command on the epochs of the test data, which writes out.
func epochsLine(out string, flags ...string) []string {
	return append([]string{"eeg", "epochs", "--data", goldenEpochs, "--out", out}, flags...)
}

// Covariances of epochs equal those of pyRiemann 0.12 (see eeg/testdata/make_epochs.py), and variables with one value
// per epoch are copied.
func TestCovariancesOfEpochs(t *testing.T) {
	out := filepath.Join(t.TempDir(), "P.npz")
	for golden, flags := range map[string][]string{
		"oas":      {"--estimator", "oas"},
		"filtered": {"--bands", "8-24", "--order", "4", "--start", "0.1", "--stop", "0.6"},
	} {
		tooltest.Succeeds(t, epochsLine(out, flags...)...)
		d := testkit.Must(dataset.Open(context.Background(), out, dataset.OpenOptions{Matrices: true}))(t)
		want := testkit.Must(d.Vars[golden].ToFloat64())(t)
		testkit.Close(t, golden, d.Stack.Data, want, 1e-10)
		if !slices.Equal(d.Labels, []int{0, 1, 0, 1, 0, 1}) || !slices.Equal(d.Classes, []string{"left", "right"}) ||
			!slices.Equal(d.Vars["subject"].Int64, []int64{1, 1, 1, 2, 2, 2}) || d.Vars["note"] != nil {
			t.Errorf("%v of %v, subject %v, note %v", d.Labels, d.Classes, d.Vars["subject"], d.Vars["note"])
		}
		if s := d.Recipe.Signal; s.Rate != 100 || !slices.Equal(s.Channels, []string{"C3", "Cz", "C4"}) {
			t.Errorf("%+v", s)
		}
	}
	tooltest.Exits(t, 0, "left out: ", epochsLine(out, "--where", "subject=2", "--resample", "50", "--reject", "14e-6",
		"--meta", "person=s2,day=1")...)
	d, err := dataset.Open(context.Background(), out, dataset.OpenOptions{Matrices: true})
	if err != nil || d.N() == 0 || d.N() > 2 || len(d.Labels) != d.N() || d.Vars["subject"].Len() != d.N() ||
		d.Vars["person"].Text(0) != "s2" || d.Vars["day"].Len() != d.N() ||
		d.Recipe.Signal.Window != 0.8 {
		t.Errorf("%d epochs, %v", d.N(), err)
	}
	for _, c := range []struct {
		want  string
		flags []string
	}{
		{"needs an array of shape epochs × channels × samples", []string{"--x", "subject"}},
		{"--channels has 2 names, but the data have 3", []string{"--channels", "a,b"}},
		{"reaches", []string{"--stop", "5"}},
		{"is not NAME=VALUE", []string{"--meta", "s2"}},
		{"the name y is already used", []string{"--meta", "y=1"}},
		{"already have a variable subject", []string{"--meta", "subject=9"}},
	} {
		tooltest.Fails(t, c.want, epochsLine(out, c.flags...)...)
	}
}

// Epochs and their correlations are written with the same labels and variables.
func TestSignalsOfEpochs(t *testing.T) {
	out := filepath.Join(t.TempDir(), "X.npz")
	read := func(flags ...string) *dataset.Data {
		tooltest.Succeeds(t, epochsLine(out, flags...)...)
		d := testkit.Must(dataset.Open(context.Background(), out, dataset.OpenOptions{}))(t)
		if d.N() != 6 || !slices.Equal(d.Labels, []int{0, 1, 0, 1, 0, 1}) || d.Vars["subject"].Len() != 6 {
			t.Errorf("%d epochs of labels %v", d.N(), d.Labels)
		}
		return d
	}
	was := testkit.Must(dataset.Open(context.Background(), goldenEpochs, dataset.OpenOptions{}))(t)
	d := read("--signals")
	if d.Image != was.Image || d.Recipe.Signal.Estimator != "none" || d.Vars["sfreq"].Value(0) != 100 {
		t.Errorf("epochs of %v, were %v: %v", d.Image, was.Image, d.Recipe)
	}
	_, n := d.X.Dims()
	have, want := make([]float64, n), make([]float64, n)
	for k := range 6 {
		d.X.Row(have, k)
		was.X.Row(want, k)
		testkit.EqualSlices(t, have, want, "epoch", k, "is another")
	}
	if d := read("--correlate", "10,12.5", "--harmonics", "3"); !slices.Equal(d.Vars["columns"].Strings,
		[]string{"10 Hz", "12.5 Hz"}) || d.Recipe.Signal.Harmonics != 3 {
		t.Errorf("%v, %v", d.Vars["columns"], d.Recipe)
	}
	for want, flags := range map[string][]string{
		"give either":       {"--signals", "--correlate", "10"},
		"needs --correlate": {"--harmonics", "3"},
		"give frequencies":  {"--correlate", "ten"},
		"half the sampling": {"--correlate", "40"},
		"are for matrices":  {"--signals", "--estimator", "oas"},
	} {
		tooltest.Fails(t, want, epochsLine(out, flags...)...)
	}
}

// Delayed copies of the channels are added after the channels, as in pyRiemann 0.12 (see eeg/testdata/delays.py).
func TestDelaysOfEpochs(t *testing.T) {
	var gold struct{ OAS, Cov []float64 }
	testkit.ReadJSON(t, "../../../eeg/testdata/delays.json", &gold)
	out := filepath.Join(t.TempDir(), "P.npz")
	for estimator, want := range map[string][]float64{"oas": gold.OAS, "sample": gold.Cov} {
		delays := map[string]string{"oas": "2,5", "sample": "1"}[estimator]
		tooltest.Succeeds(t, epochsLine(out, "--estimator", estimator, "--delays", delays)...)
		d := testkit.Must(dataset.Open(context.Background(), out, dataset.OpenOptions{Matrices: true}))(t)
		testkit.Close(t, estimator, d.Stack.Data, want, 1e-10)
		if names := d.Vars["channels"].Strings; estimator == "sample" &&
			!slices.Equal(names, []string{"C3", "Cz", "C4", "C3 delay 1", "Cz delay 1", "C4 delay 1"}) {
			t.Errorf("names %v", names)
		}
	}
	for delays, want := range map[string]string{"0": "the first must be at least 1", "3,2": "each must be larger",
		"79": "use shorter delays", "two": "give numbers of samples"} {
		tooltest.Fails(t, want, epochsLine(out, "--delays", delays)...)
	}
}

// Spectral matrices are means over the frequencies of pyRiemann 0.12 (see
// eeg/testdata/spectra.py).
func TestSpectraOfEpochs(t *testing.T) {
	var gold map[string][]float64
	testkit.ReadJSON(t, "../../../eeg/testdata/spectra.json", &gold)
	out := filepath.Join(t.TempDir(), "P.npz")
	for name, want := range gold {
		tooltest.Succeeds(t, epochsLine(out, "--estimator", name, "--segment", "0.32", "--bands", "8-25,26-40",
			"--combine", "block-diagonal")...)
		d := testkit.Must(dataset.Open(context.Background(), out, dataset.OpenOptions{Matrices: true}))(t)
		testkit.Close(t, name, d.Stack.Data, want, 1e-10)
		s := d.Recipe.Signal
		if len(recipes.Names(s)) != d.Stack.Dim || s.Segment != 0.32 || s.Overlap != 0.75 || s.Order != 0 {
			t.Errorf("%s: %d names for order %d, %v", name, len(recipes.Names(s)), d.Stack.Dim, d.Recipe)
		}
	}
	for want, flags := range map[string][]string{
		"block-diagonal":                  {"--estimator", "coherence", "--bands", "8-25,26-40"},
		"contains no frequency of":        {"--estimator", "coherence", "--bands", "9.1-9.2"},
		"at most the length of the trial": {"--estimator", "coherence", "--segment", "2"},
		"need --estimator":                {"--segment", "0.1"},
		"filter order is given":           {"--estimator", "cospectrum", "--order", "3"},
		"choose one":                      {"--estimator", "cospectrum", "--delays", "1"},
		"cannot be normalized":            {"--estimator", "coherence", "--normalize"},
		"are for matrices":                {"--estimator", "coherence", "--signals"},
	} {
		tooltest.Fails(t, want, epochsLine(out, flags...)...)
	}
}

// The arrays units and bad of an archive describe its channels. Counts and names that disagree with the channels are
// errors.
func TestUnitsAndBadChannelsOfEpochs(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "e.npz"), filepath.Join(dir, "P.npz")
	const epochs, channels, samples = 6, 4, 50
	numbers := make([]float64, epochs*channels*samples)
	for i := range numbers {
		numbers[i] = 10 * math.Sin(float64(i*i))
	}
	run := func(name string, v *dataset.Array) (status int, said string) {
		d := &dataset.Data{X: dataset.NewTable(epochs, channels*samples, numbers),
			Image: [3]int{channels, samples, 1}, Labels: []int{0, 1, 0, 1, 0, 1}, Classes: []string{"a", "b"},
			Vars: map[string]*dataset.Array{
				"channels": {Shape: []int{channels}, Strings: []string{"C3", "Cz", "C4", "Pz"}},
				"sfreq":    {Shape: []int{1}, Float64: []float64{100}}}}
		if v != nil {
			v.Shape = []int{v.Len()}
			d.Vars[name] = v
		}
		tooltest.Write(t, in, d)
		status, _, said = tooltest.Run(t, "eeg", "epochs", "--data", in, "--out", out)
		return status, said
	}
	read := func() *dataset.Data {
		return testkit.Must(dataset.Open(context.Background(), out, dataset.OpenOptions{}))(t)
	}
	if status, said := run("", nil); status != 0 {
		t.Fatal(said)
	}
	plain := read().Stack.At(0)[0]
	microvolts := []string{"uV", "uV", "V", "µV"}
	status, said := run("units", &dataset.Array{Strings: microvolts})
	if status != 0 || strings.Contains(said, "unit") {
		t.Errorf("with units: %s", said)
	}
	testkit.Close(t, "a variance in volts", []float64{1e12 * read().Stack.At(0)[0]}, []float64{plain}, 1e-9*plain)
	for _, bad := range []*dataset.Array{{Strings: []string{"Cz"}}, {Int64: []int64{0, 1, 0, 0}}} {
		_, said := run("bad", bad)
		testkit.Contains(t, said, "channels left out because they are marked as bad: Cz")
		testkit.Equal(t, read().Stack.Dim, 3, "channels without the bad one")
	}
	_, said = run("bad", &dataset.Array{Int64: []int64{0, 1, 0, 1, 0, 0}})
	if strings.Contains(said, "marked as bad") {
		t.Errorf("one value per epoch: %s", said)
	}
	for _, c := range []struct {
		message, name string
		values        *dataset.Array
	}{
		{"the array units has 3 texts, but the data have 4 channels; store one unit", "units",
			&dataset.Array{Strings: microvolts[:3]}},
		{"the array units has 0 texts, but the data have 4 channels", "units",
			&dataset.Array{Int64: []int64{1, 1, 1, 1}}},
		{"the array bad has 3 values, but the data have 4 channels; store the names", "bad",
			&dataset.Array{Int64: []int64{0, 1, 0}}},
		{`the array bads names channel "C7", which the data do not have; their channels are C3, Cz, C4, Pz`, "bads",
			&dataset.Array{Strings: []string{"C7"}}},
	} {
		if status, said := run(c.name, c.values); status != 1 || !strings.Contains(said, in+": "+c.message) {
			t.Errorf("%s: status %d, %s", c.name, status, said)
		}
	}
}
