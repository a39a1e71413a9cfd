package eeg

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"rao/cmd/rao/internal/tooltest"
	"rao/eeg"
	"rao/internal/eeg/live"
	"rao/internal/testkit"
)

// blinking writes a recording with blinks: strong at frontal channels, weaker at others. EOG contains only blinks.
func blinking(t *testing.T, path string) (blink []float64) {
	t.Helper()
	const rate, n = 100, 6000
	rng := rand.New(rand.NewPCG(4, 1))
	names := []string{"Fp1", "Cz", "C3", "O1", "EOG"}
	blink = make([]float64, n)
	for at := 80; at < n-40; at += 150 + rng.IntN(200) {
		for k := range 30 {
			blink[at+k] = 100 * math.Pow(math.Sin(math.Pi*float64(k)/30), 2)
		}
	}
	data := make([]float64, n*len(names))
	slow := make([]float64, 4)
	for k := range n {
		row := data[k*5 : (k+1)*5]
		for s := range slow {
			slow[s] = 0.8*slow[s] + rng.NormFloat64()
		}
		alpha := 6 * math.Sin(2*math.Pi*10*float64(k)/rate)
		beta := 4 * math.Sin(2*math.Pi*21*float64(k)/rate+float64(k/500))
		for c, weights := range [][3]float64{{1, 0.1, 0.1}, {0.4, 0.3, 1}, {0.3, 0.2, 0.8}, {0.05, 1, 0.1}} {
			row[c] = weights[0]*blink[k] + weights[1]*alpha + weights[2]*beta + slow[c]
		}
		row[4] = 2*blink[k] + 3*rng.NormFloat64()
	}
	events := []eeg.Event{{Sample: 500, Label: "left"}, {Sample: 900, Label: "right"}}
	rec := testkit.Must(eeg.NewRecording(names, rate, data, events))(t)
	rec.Source, rec.Breaks = "blinks", []int{3000}
	testkit.NoError(t, live.SaveRecording(path, rec))
	return blink
}

// The strongest source contains the blinks, according to its share, its place and the eye channel. Without this source
// the front no longer follows the blinks. Events and breaks do not change.
func TestCleanTakesBlinksOut(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "blinks.xdf"), filepath.Join(dir, "clean.xdf")
	blink := blinking(t, in)
	flags := []string{"eeg", "clean", in, "--eog", "EOG", "--low", "1", "--high", "40"}
	var r cleanResult
	tooltest.Decode(t, &r, flags...)
	if first := r.Sources[0]; len(r.Sources) != 4 || first.Channels[0] != "Fp1" || *first.Eyes < 0.9 ||
		first.Share < 0.5 || slices.Contains(r.Channels, "EOG") || !r.Converged {
		t.Fatalf("%+v", r)
	}
	printed := tooltest.Output(t, append(flags, "--suppress", "1", "--out", out, "--json")...)
	testkit.Contains(t, printed, `"suppressed":true`)
	before, after := opened(t, in), opened(t, out)
	front := func(r *eeg.Recording) []float64 {
		x := make([]float64, r.Samples()*len(r.Channels))
		testkit.NoError(t, r.Read(x, 0, r.Samples()))
		var one []float64
		for k := range r.Samples() {
			one = append(one, x[k*len(r.Channels)])
		}
		return one
	}
	if was, is := stat.Correlation(front(before), blink, nil), stat.Correlation(front(after), blink, nil); was < 0.9 ||
		math.Abs(is) > 0.1 {
		t.Errorf("the front follows the blinks with %.3f, and %.3f afterwards", was, is)
	}
	if after.Rate != 100 || after.Samples() != before.Samples() || !slices.Equal(after.Events, before.Events) ||
		!slices.Equal(after.Breaks, []int{3000}) || !slices.Equal(after.Channels, []string{"Fp1", "Cz", "C3", "O1"}) {
		t.Errorf("%g Hz, %d samples, %v, breaks %v, %v", after.Rate, after.Samples(), after.Events, after.Breaks,
			after.Channels)
	}
	for k, more := range [][]string{{"--eog", "EOG"}, {"--drop", "EOG"}} { // by correlation, and by kurtosis
		name := filepath.Join(dir, []string{"eog.xdf", "kurtosis.xdf"}[k])
		r = cleanResult{}
		tooltest.Decode(t, &r, append([]string{"eeg", "clean", in, "--low", "1", "--high", "40", "--suppress", "auto",
			"--out", name}, more...)...)
		for i, s := range r.Sources {
			testkit.Equal(t, s.Suppressed, i == 0, more, "source", i+1, s)
		}
		if is := stat.Correlation(front(opened(t, name)), blink, nil); math.Abs(is) > 0.1 {
			t.Errorf("%v: the front follows the blinks with %.3f", more, is)
		}
	}
	for want, args := range map[string][]string{
		"give both, or neither":                {in, "--suppress", "1"},
		"the sources are numbered from 1 to 4": {in, "--eog", "EOG", "--suppress", "5", "--out", out},
		"no channel \"Fp2\"":                   {in, "--eog", "Fp2"},
		"to at most half the rate":             {in, "--high", "60"},
		"no such file":                         {in, "--also", filepath.Join(dir, "none.xdf")},
		"whole numbers":                        {in, "--suppress", "one", "--out", out},
		"the recording":                        {in, "--eog", "EOG", "--suppress", "1", "--out", in},
	} {
		if status, _, said := tooltest.Run(t, append([]string{"eeg", "clean"}, args...)...); status == 0 ||
			want != "the recording" && !strings.Contains(said, want) {
			t.Errorf("%v: %d, %s; want %q", args, status, said, want)
		}
	}
	tooltest.Succeeds(t, "eeg", "clean", in, "--also", in, "--sources", "2", "--channels",
		"Fp1,Cz,O1")
}

func opened(t *testing.T, path string) *eeg.Recording {
	t.Helper()
	r := testkit.Must(eeg.OpenRecording(path, eeg.RecordingOptions{}))(t)
	t.Cleanup(func() { r.Close() })
	return r
}
