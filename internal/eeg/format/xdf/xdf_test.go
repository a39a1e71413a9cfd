package xdf

import (
	"bytes"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"rao/internal/eeg/format/signal"
	"rao/internal/testkit"
)

// The times, values and pieces agree with pyxdf 1.17.5 on the files in testdata (see make.py there): a break with
// outliers of the clock, and a restart of the machine.
func TestStreamsReadAsPyxdfReadsThem(t *testing.T) {
	var gold map[string]map[string]struct {
		Times    []float64
		Values   []any
		Segments [][2]int
	}
	testkit.ReadJSON(t, "testdata/golden.json", &gold)
	for name, streams := range gold {
		b := testkit.Must(os.ReadFile("testdata/" + name))(t)
		f := testkit.Must(read(bytes.NewReader(b)))(t)
		for _, s := range f.streams {
			want := streams[s.head.Name]
			s.synchronize()
			if s.head.Rate > 0 {
				s.dejitter()
				testkit.EqualSlices(t, s.pieces, want.Segments, name, s.head.Name, "pieces")
			}
			for k, v := range want.Times {
				if len(s.times) != len(want.Times) || math.Abs(s.times[k]-v) > 2e-9 {
					t.Fatalf("%s %s: sample %d of %d at %.12g, pyxdf has %.12g",
						name, s.head.Name, k, len(s.times), s.times[k], v)
				}
			}
			for k, v := range want.Values {
				if s.elem.Size == 0 && s.texts[k] != v || s.elem.Size != 0 && s.values[k] != v {
					t.Fatalf("%s %s: value %d is not %v", name, s.head.Name, k, v)
				}
			}
		}
	}
}

func TestMarkersBecomeEvents(t *testing.T) {
	r := testkit.Must(Open("testdata/break.xdf", ""))(t)
	info := r.Info()
	if !slices.Equal(info.Channels, []string{"Cz", "EOG"}) || !slices.Equal(info.Types, []string{"eeg", "eog"}) ||
		info.Units[0] != "uV" ||
		info.Rate != 100 || info.Samples != 500 || !slices.Equal(info.Breaks, []int{300}) {
		t.Errorf("%+v", info)
	}
	var got []string
	for _, e := range info.Events {
		got = append(got, e.Label)
	}
	if !slices.Equal(got, []string{"left", "", "right", strings.Repeat("x", 300), "33"}) || info.Events[1].Code != 5 ||
		info.Events[4].Code != 33 {
		t.Errorf("events %v", info.Events)
	}
	// Samples are 9.99 ms apart: the marker at 993.2 is 0.7 s after the first.
	for k, want := range []int{70, 85, 200} {
		testkit.Equal(t, info.Events[k].Sample, want, "event", k, "at sample")
	}
	// 310 without a break: the last sample before it is nearer than the first one after it
	if e := info.Events[3]; e.Sample != 299 {
		t.Errorf("%q of the break at sample %d", e.Label[:1], e.Sample)
	}
}

func TestStreamsAreChosenByNameOrType(t *testing.T) {
	for _, name := range []string{"", "amp", "EEG", "1"} {
		testkit.NoError(t, testkit.ErrorOf(Open("testdata/reset.xdf", name)))
	}
	for name, want := range map[string]string{
		"none": `1 ("amp" of type "EEG", 2 channels at 100 Hz), 2 ("pose" of type "Mocap", 3 channels at 10 Hz)`,
		"2":    "has 1 sample, but a signal", "3": `no stream of signals "3"`,
		"pose": "has 1 sample, but a signal", "keys": "no stream of signals"} {
		testkit.ErrorContains(t, testkit.ErrorOf(Open("testdata/reset.xdf", name)), want, name)
	}
}

// A truncated file gives the samples before the end, and a note.
func TestCutFile(t *testing.T) {
	b := testkit.Must(os.ReadFile("testdata/break.xdf"))(t)
	f := testkit.Must(read(bytes.NewReader(b[:len(b)-800])))(t)
	r := testkit.Must(f.recording(""))(t)
	testkit.Equal(t, len(r.Info().Skipped), 1, r)
}

func TestBrokenFilesAreRefused(t *testing.T) {
	head := "XDF:"
	xml := func(n, rate, format string) string {
		return "<info><name>a</name><type>EEG</type><channel_count>" + n + "</channel_count><nominal_srate>" + rate +
			"</nominal_srate><channel_format>" + format + "</channel_format></info>"
	}
	chunk := func(tag byte, body string) string {
		return "\x04" + string(le.AppendUint32(nil, uint32(len(body)+2))) + string([]byte{tag, 0}) + body
	}
	one := "\x01\x00\x00\x00"
	good := chunk(2, one+xml("1", "100", "int16"))
	for what, c := range map[string]struct{ data, want string }{
		"nothing":       {"", "not an XDF file"},
		"other":         {"abcdefgh", "not an XDF file"},
		"no streams":    {head, "the file has no stream of signals"},
		"length":        {head + "\x03abc", "a length field of 3 bytes"},
		"empty chunk":   {head + "\x01\x00", "a chunk declares 0 bytes"},
		"huge chunk":    {head + "\x08\xff\xff\xff\xff\xff\xff\xff\x7f", "a chunk declares 9223372036854775807 bytes"},
		"no header":     {head + chunk(3, one+"\x01\x00"), "precedes the header"},
		"twice":         {head + good + good, "has two headers"},
		"format":        {head + chunk(2, one+xml("1", "100", "int13")), `values of the unknown format "int13"`},
		"channels":      {head + chunk(2, one+xml("0", "100", "int16")), "0 channels at 100 Hz"},
		"rate":          {head + chunk(2, one+xml("1", "-1", "int16")), "1 channels at -1 Hz"},
		"xml":           {head + chunk(2, one+"<info"), "cannot be read"},
		"many samples":  {head + good + chunk(3, one+"\x04\xff\xff\xff\x7f\x00"), "declares 2147483647 samples"},
		"within sample": {head + good + chunk(3, one+"\x01\x01\x08ab"), "ends within a sample"},
		"clock":         {head + good + chunk(4, one+"abc"), "a clock offset has 3 bytes"},
		"no samples":    {head + good, "has 0 samples, but a signal"},
		"lost samples": {head + good +
			chunk(3, one+"\x01\x02"+"\x08"+strings.Repeat("\x00", 8)+"ab"+"\x08\x00\x00\x00\x00\x00\x00\xe0\x3fab"),
			"2 samples per second by its time stamps, but 100 by its header"},
	} {
		f, err := read(strings.NewReader(c.data))
		if err == nil {
			_, err = f.recording("")
		}
		testkit.ErrorContains(t, err, c.want, what)
	}
}

func FuzzRead(f *testing.F) {
	testkit.Seeds(f, "break.xdf", "reset.xdf")
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := read(bytes.NewReader(data))
		if err != nil {
			return
		}
		r, err := file.recording("")
		if err != nil {
			return
		}
		info := r.Info()
		var prev signal.Event
		for i, e := range info.Events {
			if i > 0 && e.Sample < prev.Sample {
				t.Error("events out of order")
			}
			prev = e
		}
		testkit.NoError(t, r.ReadSamples(make([]float64, len(info.Channels)), info.Samples-1, 1))
	})
}
