package eeglab

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/internal/eeg/format/signal"
	"rao/internal/format/matfile"
	"rao/internal/testkit"
)

// The sets of testdata equal what MNE 1.13 reads (see testdata/make.py).
func TestSetsReadAsMNEReadsThem(t *testing.T) {
	var gold map[string]struct {
		Names  []string
		Rate   float64
		Data   []float64
		Events [][3]any
	}
	testkit.ReadJSON(t, "testdata/golden.json", &gold)
	gold["raw73.set"] = gold["raw.set"] // the same in a file of version 7.3
	for file, want := range gold {
		r := testkit.Must(Open(filepath.Join("testdata", file)))(t)
		defer r.Close()
		info := r.Info()
		if !slices.Equal(info.Channels, want.Names) || info.Rate != want.Rate || info.Samples*4 != len(want.Data) {
			t.Errorf("%s: %v, %g Hz, %d samples", file, info.Channels, info.Rate, info.Samples)
		}
		got := make([]float64, len(want.Data))
		testkit.NoError(t, r.ReadSamples(got, 0, info.Samples))
		for i, v := range want.Data {
			if math.Abs(got[i]-v) > 1e-12*math.Abs(v) {
				t.Fatalf("%s: value %d is %g, MNE reads %g", file, i, got[i], v)
			}
		}
		events := slices.Clone(info.Events)
		for _, e := range want.Events {
			if e[0] == "boundary" {
				testkit.EqualSlices(t, info.Breaks, []int{int(math.Ceil(e[1].(float64)))}, file,
					"breaks for a boundary at", e[1])
				continue
			}
			w := signal.Event{Sample: int(math.Round(e[1].(float64))), Label: strings.TrimSuffix(e[0].(string), ".0"),
				Duration: int(math.Round(e[2].(float64)))}
			w.Code = signal.Code(w.Label)
			if len(events) == 0 || events[0] != w {
				t.Fatalf("%s: events %v, want next %v", file, events, w)
			}
			events = events[1:]
		}
		testkit.Equal(t, len(events), 0, file, "more events than MNE has", events)
	}
}

func TestChannelsHaveKindsAndPlaces(t *testing.T) {
	for _, file := range []string{"raw.set", "split.set", "raw73.set"} {
		r := testkit.Must(Open("testdata/" + file))(t)
		defer r.Close()
		info := r.Info()
		testkit.EqualSlices(t, info.Types, []string{"eeg", "eeg", "eeg", "eog"}, file, "kinds")
		if p := info.Positions[1]; !(p[0] < 0) || math.Abs(p[1]) > 1e-9 || math.Abs(p[2]/p[0]+1) > 1e-6 ||
			info.Positions[3] != [3]float64{} {
			t.Errorf("%s: C3 at %v, EOG at %v", file, p, info.Positions[3])
		}
	}
}

func TestEpochsLieOneAfterTheOther(t *testing.T) {
	r := testkit.Must(Open("testdata/epochs.set"))(t)
	defer r.Close()
	testkit.EqualSlices(t, r.Info().Breaks, []int{12, 24, 36, 48}, "breaks")
}

// A set that was renamed, as BIDS does, finds its samples next to it.
func TestRenamedSet(t *testing.T) {
	dir := t.TempDir()
	for from, to := range map[string]string{"split.set": "sub-01_eeg.set", "split.fdt": "sub-01_eeg.fdt"} {
		b := testkit.Must(os.ReadFile("testdata/" + from))(t)
		testkit.NoError(t, os.WriteFile(filepath.Join(dir, to), b, 0o644))
	}
	r := testkit.Must(Open(filepath.Join(dir, "sub-01_eeg.set")))(t)
	testkit.NoError(t, r.ReadSamples(make([]float64, 4*7), 43, 7))
	r.Close()
	fdt := filepath.Join(dir, "sub-01_eeg.fdt")
	testkit.NoError(t, os.Truncate(fdt, 796))
	testkit.ErrorContains(t, testkit.ErrorOf(Open(filepath.Join(dir, "sub-01_eeg.set"))),
		"has 796 bytes, but 4 channels × 50 samples × 1 epochs need 800", "a cut .fdt")
	os.Remove(fdt)
	testkit.ErrorContains(t, testkit.ErrorOf(Open(filepath.Join(dir, "sub-01_eeg.set"))), "in the same folder",
		"no .fdt")
}

func FuzzOpen(f *testing.F) {
	testkit.Seeds(f, "raw.set", "split.set", "epochs.set")
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := matfile.New(bytes.NewReader(data), int64(len(data)), "f.set")
		if err != nil {
			return
		}
		r, err := open(m, "testdata/f.set")
		if err != nil {
			return
		}
		defer r.Close()
		info := r.Info()
		if n := len(info.Channels); len(info.Units) != n || info.Types != nil &&
			(len(info.Types) != n || len(info.Positions) != n) {
			t.Errorf("%d channels, %d units, %d kinds", n, len(info.Units), len(info.Types))
		}
		testkit.NoError(t, r.ReadSamples(make([]float64, len(info.Channels)), info.Samples-1, 1))
	})
}
