package eeg

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/internal/format/npy"
	"rao/internal/testkit"
)

// A channel with event codes that the file does not mark as such is left out, unless it is named. Constant, coarse and
// mostly flat channels are not taken for such channels.
func TestChannelsOfCodesAreLeftOut(t *testing.T) {
	const samples, width = 20000, 6
	r := rand.New(rand.NewPCG(8, 8))
	x := make([]float64, samples*width)
	for k := range samples {
		row := x[k*width : (k+1)*width]
		row[0] = r.NormFloat64()
		row[1] = float64(int(3 * r.NormFloat64())) // a coarse amplifier
		if k > 5000 && k%700 < 50 {
			row[2] = float64(1 + k/700%3) // codes, which begin late
		}
		row[3] = -1 // dead
		if k > 19000 {
			row[4] = r.NormFloat64() // plugged in late
		}
		row[5] = r.NormFloat64()
	}
	file := filepath.Join(t.TempDir(), "x.npy")
	f := testkit.Must(os.Create(file))(t)
	out, err := npy.NewFloats(f, samples, width)
	if err == nil {
		err = errors.Join(out.Write(x), out.Close(), f.Close())
	}
	testkit.NoError(t, err)
	for _, c := range []struct {
		opt  RecordingOptions
		kept int
	}{{RecordingOptions{Rate: 500}, 5}, {RecordingOptions{Rate: 500, Kinds: []string{"all"}}, 6},
		{RecordingOptions{Rate: 500, Channels: []string{"a", "b", "c", "d", "e", "f"}}, 6}} {
		rec := testkit.Must(OpenRecording(file, c.opt))(t)
		if len(rec.Channels) != c.kept || slices.Contains(rec.LeftOut, "ch3 (stim)") != (c.kept == 5) {
			t.Errorf("%+v keeps %v and leaves out %v", c.opt, rec.Channels, rec.LeftOut)
		}
		got := make([]float64, len(rec.Channels))
		if err := rec.Read(got, 100, 1); err != nil || got[len(got)-1] != x[100*width+5] {
			t.Errorf("%+v: last value %v, error %v", c.opt, got, err)
		}
	}
}

// If one recording is much larger in amplitude, a note reports that units or gains may differ.
func TestLoudRecordingsAreReported(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	classes := testkit.Must(ParseClasses("a,b"))(t)
	for _, gain := range []float64{3, 50} {
		var recs []*Recording
		for day := range 2 {
			data := make([]float64, 3*1000)
			for i := range data {
				if data[i] = 1e-5 * r.NormFloat64(); day == 1 {
					data[i] *= gain
				}
			}
			rec := testkit.Must(NewRecording([]string{"C3", "Cz", "C4"}, 100, data, []Event{{Sample: 50, Label: "a"},
				{Sample: 250, Label: "b"}}))(t)
			rec.Source, rec.Units = []string{"monday.edf", "tuesday.edf"}[day], []string{"V", "V", "V"}
			recs = append(recs, rec)
		}
		var said []string
		opt := TrialOptions{Note: func(err error) { said = append(said, err.Error()) }}
		opt.Classes, opt.Stop = classes, 1
		testkit.Must(CutTrials(t.Context(), recs, opt))(t)
		if all := strings.Join(said, "\n"); strings.Contains(all, "as large as those of monday.edf") != (gain == 50) ||
			gain == 50 && !strings.Contains(all, "µV") {
			t.Errorf("gain %g: %q", gain, all)
		}
	}
}
