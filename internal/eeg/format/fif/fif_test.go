package fif

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/internal/eeg/format/signal"
	"rao/internal/testkit"
)

type golden struct {
	Names, Bads, Types []string
	Rate               float64
	Data               []float64
	Events             [][3]any
	C3                 []float64
}

// The files of testdata equal what MNE 1.13 reads (see testdata/make.py).
func TestFilesReadAsMNEReadsThem(t *testing.T) {
	var gold map[string]golden
	testkit.ReadJSON(t, "testdata/golden.json", &gold)
	for file, want := range gold {
		r := testkit.Must(Open(filepath.Join("testdata", file)))(t)
		defer r.Close()
		info, c := r.Info(), len(want.Names)
		if !slices.Equal(info.Channels, want.Names) || !slices.Equal(info.Types, want.Types) ||
			info.Rate != want.Rate || !slices.Equal(info.Bad, want.Bads) {
			t.Errorf("%s: %q of kinds %q, bad %q, %g Hz", file, info.Channels, info.Types, info.Bad, info.Rate)
		}
		if !slices.Equal(info.Positions[1][:], want.C3) || info.Units[0] != "V" {
			t.Errorf("%s: C3 at %v in %s, MNE has it at %v", file, info.Positions[1], info.Units[0], want.C3)
		}
		got := make([]float64, len(want.Data))
		if err := r.ReadSamples(got, 0, info.Samples); err != nil || info.Samples*c != len(got) {
			t.Fatalf("%s: %d samples, %v", file, info.Samples, err)
		}
		for i, v := range want.Data {
			if got[i] != v {
				t.Fatalf("%s: value %d is %g, MNE reads %g", file, i, got[i], v)
			}
		}
		part := make([]float64, 7*c)
		if err := r.ReadSamples(part, 13, 7); err != nil || !slices.Equal(part, got[13*c:20*c]) {
			t.Errorf("%s: samples 13 to 19 differ: %v", file, err)
		}
		var events []signal.Event
		for _, e := range want.Events {
			w := signal.Event{Sample: int(e[0].(float64)), Code: int(e[1].(float64)), Label: e[2].(string)}
			if w.Label == "7" {
				w.Code, w.Duration = 7, 5
			}
			events = append(events, w)
		}
		testkit.EqualSlices(t, info.Events, events, file, "events")
	}
}

func TestEpochsLieOneAfterTheOther(t *testing.T) {
	r := testkit.Must(Open("testdata/some-epo.fif"))(t)
	defer r.Close()
	testkit.EqualSlices(t, r.Info().Breaks, []int{15, 30, 45}, "breaks")
}

// put returns a tag as a file has it.
func put(kind, typ int32, data []byte) []byte {
	b := be.AppendUint32(nil, uint32(kind))
	b = be.AppendUint32(b, uint32(typ))
	b = be.AppendUint32(b, uint32(len(data)))
	return append(be.AppendUint32(b, 0), data...)
}

func word(v int32) []byte { return be.AppendUint32(nil, uint32(v)) }

// small returns a file of two channels of shorts with the tags in the middle of its raw data.
func small(middle ...[]byte) []byte {
	channel := make([]byte, 96)
	be.PutUint32(channel[8:], 2)
	be.PutUint32(channel[12:], math.Float32bits(1))
	be.PutUint32(channel[16:], math.Float32bits(0.5))
	channel[80] = 'a'
	b := slices.Concat(put(100, 31, make([]byte, 20)), put(104, 3, word(101)), put(200, 3, word(2)),
		put(201, 4, be.AppendUint32(nil, math.Float32bits(100))),
		put(203, 30, channel), put(203, 30, channel), put(105, 3, word(101)), put(104, 3, word(102)))
	return slices.Concat(append([][]byte{b}, middle...)...)
}

func read(data []byte) (*Reader, error) {
	r := new(Reader)
	if _, err := r.add(bytes.NewReader(data), int64(len(data))); err != nil {
		return nil, err
	}
	return r, r.finish()
}

func TestSkippedSamplesAreMissing(t *testing.T) {
	two := put(300, 2, []byte{0, 2, 0, 4, 0, 6, 0, 8})
	r := testkit.Must(read(small(put(208, 3, word(7)), put(301, 3, word(1)), two, put(301, 3, word(2)), two)))(t)
	x := make([]float64, 2*r.info.Samples)
	if err := r.ReadSamples(x, 0, r.info.Samples); err != nil || len(x) != 16 {
		t.Fatal(len(x), err)
	}
	testkit.EqualSlices(t, x[:4], []float64{1, 2, 3, 4}, x)
	testkit.EqualSlices(t, x[12:], []float64{1, 2, 3, 4}, x)
	for _, v := range x[4:12] {
		if !math.IsNaN(v) {
			t.Errorf("skipped samples are %v", x[4:12])
		}
	}
}

func TestBrokenFilesAreRefused(t *testing.T) {
	good := testkit.Must(os.ReadFile("testdata/single_raw.fif"))(t)
	two := put(300, 2, []byte{0, 2, 0, 4, 0, 6, 0, 8})
	loop := slices.Clone(two)
	be.PutUint32(loop[12:], 16)
	for what, c := range map[string]struct {
		data []byte
		want string
	}{
		"cut":      {good[:len(good)-1500], "declares"},
		"no info":  {put(100, 31, make([]byte, 20)), "does not describe channels"},
		"loop":     {small(loop), "refers back to byte"},
		"ragged":   {small(put(300, 2, []byte{1, 2, 3})), "a block of samples has 3 bytes"},
		"complex":  {small(put(300, 20, make([]byte, 16))), "samples of type 20 are not supported"},
		"none":     {small(), "the file has no samples"},
		"gap":      {small(two, put(301, 3, word(-4)), two), "the file skips"},
		"huge gap": {small(two, put(301, 3, word(math.MaxInt32)), two), "the file skips"},
		"no name":  {small(two, put(104, 3, word(118)), put(115, 3, word(2))), "does not name that file"},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(read(c.data)), c.want, what)
	}
}

func TestPartsMustBeThere(t *testing.T) {
	dir := t.TempDir()
	b := testkit.Must(os.ReadFile("testdata/split_raw.fif"))(t)
	path := filepath.Join(dir, "split_raw.fif")
	testkit.NoError(t, os.WriteFile(path, b, 0o644))
	testkit.ErrorContains(t, testkit.ErrorOf(Open(path)), "put all parts of a recording in one folder",
		"a missing part")
	for from, want := range map[string]string{"split_raw-1.fif": "refer to each other in a loop",
		"../x/split_raw-1.fif": "is not a file name"} {
		next := slices.Concat(put(104, 3, word(118)), put(115, 3, word(2)),
			put(118, 10, []byte(strings.Replace(from, "split_raw-1.fif", "split_raw.fif", 1))), put(105, 3, word(118)))
		two := put(300, 2, []byte{0, 2, 0, 4, 0, 6, 0, 8})
		testkit.NoError(t, os.WriteFile(path, small(two, next), 0o644))
		testkit.ErrorContains(t, testkit.ErrorOf(Open(path)), want, from)
	}
}

func FuzzRead(f *testing.F) {
	testkit.Seeds(f, "single_raw.fif", "split_raw-1.fif", "some-epo.fif")
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := read(data)
		if err != nil {
			return
		}
		if n := len(r.info.Channels); len(r.info.Types) != n || len(r.info.Units) != n || len(r.info.Positions) != n {
			t.Errorf("%d channels, %d kinds", n, len(r.info.Types))
		}
		dst := make([]float64, len(r.info.Channels))
		for _, first := range []int{0, r.info.Samples / 2, r.info.Samples - 1} {
			testkit.NoError(t, r.ReadSamples(dst, first, 1))
		}
	})
}

// Annotations in Latin-1, as older programs wrote them, are decoded.
func TestAnnotationsInLatin1(t *testing.T) {
	b := testkit.Must(os.ReadFile("testdata/single_raw.fif"))(t)
	path := filepath.Join(t.TempDir(), "latin_raw.fif")
	b = bytes.Replace(b, []byte("go{COLON}left"), []byte("go{COLON}f\xfc\xdfe"), 1)
	testkit.NoError(t, os.WriteFile(path, b, 0o600))
	r := testkit.Must(Open(path))(t)
	defer r.Close()
	if !slices.ContainsFunc(r.Info().Events, func(e signal.Event) bool { return e.Label == "go:füße" }) {
		t.Errorf("%+v", r.Info().Events)
	}
}
