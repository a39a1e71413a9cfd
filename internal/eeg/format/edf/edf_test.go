package edf

import (
	"bytes"
	"encoding/csv"
	"os"
	"slices"
	"strconv"
	"testing"

	"rao/internal/eeg/format/signal"
	"rao/internal/testkit"
)

// The fixtures are a synthetic recording of 3 channels and 4 records of 64 samples, written byte by byte according to
// the format, with 0.1 µV per step. digital.csv contains the steps, and BioSig 3.0 reads the same values.
func steps(t *testing.T) []float64 {
	f := testkit.Must(os.Open("testdata/digital.csv"))(t)
	defer f.Close()
	rows := testkit.Must(csv.NewReader(f).ReadAll())(t)
	var out []float64
	for _, row := range rows {
		for _, cell := range row {
			v := testkit.Must(strconv.ParseFloat(cell, 64))(t)
			out = append(out, v/10)
		}
	}
	return out
}

func TestReadsEDFAndBDF(t *testing.T) {
	want := steps(t)
	for path, format := range map[string]string{"testdata/synth.edf": "EDF+C", "testdata/synth.bdf": "BDF+C"} {
		r := testkit.Must(Open(path))(t)
		defer r.Close()
		info := r.Info()
		if info.Format != format || info.Rate != 64 || info.Samples != 256 || len(info.Skipped) != 0 ||
			!slices.Equal(info.Channels, []string{"C3", "Cz", "C4"}) ||
			!slices.Equal(info.Units, []string{"uV", "uV", "uV"}) {
			t.Errorf("%s: %+v", path, info)
		}
		events := []signal.Event{{Sample: 32, Code: 769, Label: "769"},
			{Sample: 80, Code: 770, Label: "770", Duration: 64},
			{Sample: 160, Label: "left hand"}, {Sample: 192, Code: 771, Label: "0x303", Duration: 32}}
		testkit.EqualSlices(t, info.Events, events, path, "events")
		got := make([]float64, 3*256)
		testkit.NoError(t, r.ReadSamples(got, 0, 256))
		testkit.Close(t, path, got, want, 1e-14)
		part := make([]float64, 3*100)
		testkit.NoError(t, r.ReadSamples(part, 50, 100))
		testkit.Close(t, path+" part", part, got[150:450], 0)
	}
}

func fixture(t testing.TB, name string) []byte {
	return testkit.Must(os.ReadFile("testdata/" + name))(t)
}

// put overwrites the bytes at offset with text.
func put(b []byte, offset int, text string) []byte {
	b = slices.Clone(b)
	copy(b[offset:], text)
	return b
}

func TestStatusChannelOfBDFGivesTriggers(t *testing.T) {
	b := fixture(t, "synth.bdf")
	b = put(b, 256+3*16, "Status          ")
	body := 256 * 5
	record := 3 * (3*64 + 30)
	for k := range 4 { // one trigger of code 5 for samples 10-19 of each record's 30
		p := body + k*record + 3*3*64
		clear(b[p : p+90])
		for i := 10; i < 20; i++ {
			b[p+3*i] = 5
		}
	}
	r := testkit.Must(New(bytes.NewReader(b), int64(len(b))))(t)
	want := []signal.Event{}
	for k := range 4 {
		want = append(want, signal.Event{Sample: 64*k + 21, Code: 5}) // 10/30 of 64, rounded
	}
	if !slices.Equal(r.Info().Events, want) || !slices.Equal(r.Info().Skipped, []string{"Status"}) {
		t.Errorf("events %v, skipped %v", r.Info().Events, r.Info().Skipped)
	}
}

func TestUnknownNumberOfRecordsComesFromTheLength(t *testing.T) {
	b := put(fixture(t, "synth.edf"), 236, "-1      ")
	r := testkit.Must(New(bytes.NewReader(b), int64(len(b)-100)))(t)
	testkit.Equal(t, r.Info().Samples, 3*64, "samples of a file cut in its fourth record, want 192")
}

func TestRefuses(t *testing.T) {
	good := fixture(t, "synth.edf")
	annotations := 256*5 + 2*3*64
	second := annotations + 2*(3*64+30)
	cases := []struct {
		name string
		b    []byte
		want string
	}{
		{"empty", nil, "ends within the header"},
		{"other file", bytes.Repeat([]byte("x"), 300), "not an EDF or BDF file"},
		{"cut header", good[:600], "ends within the signals' headers"},
		{"cut records", good[:len(good)-1], "has 4 records but the file has only 3"},
		{"signals", put(good, 252, "9999"), "9999 signals"},
		{"signals text", put(good, 252, "four"), `number of signals in the header is "four"`},
		{"header length", put(good, 184, "512     "), "a header with 4 signals has 1280 bytes"},
		{"duration", put(good, 244, "0       "), "records of 0 seconds"},
		{"duration text", put(good, 244, "nan     "), `duration of a record in the header is "nan"`},
		{"records", put(good, 236, "-3      "), "has -3 records"},
		{"digital range", put(put(good, 256+4*120, "5       "), 256+4*128, "5       "), "are both 5"},
		{"samples", put(good, 256+4*216, "99999999"), "the header has 99999999 samples"},
		{"annotation", put(good, annotations, "z0"), "record 0: the annotation time"},
		{"overlap", put(good, second, "-9"), "before the end of the previous one"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := New(bytes.NewReader(c.b), int64(len(c.b)))
			testkit.ErrorContains(t, err, c.want)
		})
	}
	testkit.ErrorContains(t, testkit.ErrorOf(Open("testdata/digital.csv")), "digital.csv: ",
		"the error should name the file")
}

func TestSignalsOfAnotherRateAreSkipped(t *testing.T) {
	// The third signal claims 30 samples a record and the annotations 64.
	b := put(put(fixture(t, "synth.edf"), 256+4*216+16, "30      "), 256+4*216+24, "64      ")
	for k := range 4 { // move the annotations to their new place
		p := 256*5 + k*2*222 + 2*64*2
		list := slices.Clone(b[p+128 : p+188])
		clear(b[p+60 : p+188])
		copy(b[p+60:], list)
	}
	r := testkit.Must(New(bytes.NewReader(b), int64(len(b))))(t)
	if !slices.Equal(r.Info().Skipped, []string{"C4"}) || len(r.Info().Channels) != 2 || len(r.Info().Events) != 4 {
		t.Errorf("%+v", r.Info())
	}
}

func FuzzNew(f *testing.F) {
	f.Add(fixture(f, "synth.edf"))
	f.Add(fixture(f, "synth.bdf"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := New(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		testkit.ReadsSamples(t, r, r.Info().Samples, len(r.Info().Channels))
	})
}
