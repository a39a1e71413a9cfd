package brainvision

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/internal/eeg/format/signal"
	"rao/internal/testkit"
)

const header = `Brain Vision Data Exchange Header File Version 1.0
; a comment

[Common Infos]
Codepage=UTF-8
DataFile=$b.eeg
MarkerFile=$b.vmrk
DataFormat=BINARY
DataOrientation=%s
NumberOfChannels=3
SamplingInterval=4000

[Binary Infos]
BinaryFormat=%s

[Channel Infos]
Ch1=C3,,0.5,µV
Ch2=a\1b,FCz,2,mV
Ch3=Cz,,,

[Comment]
Ch1=free text
`

const markers = "\ufeffBrain Vision Data Exchange Marker File, Version 1.0\r\n[Common " +
	"Infos]\r\nDataFile=x.eeg\r\n[Marker Infos]\r\n; Mk1=comment\r\nMk1=New " +
	"Segment,,1,1,0,20200101000000000000\r\nMk2=Stimulus,S  7,6,2,0\r\nMk3=Response,R " +
	"12,3,1,0\r\nMk4=Comment,look\\1 here,5,,0\r\n"

func valueAt(k, c int) int { return (k*5+c*17)%60 + 1 }

func encode(format string, vectorized bool) []byte {
	var b []byte
	put := func(v int) {
		switch format {
		case "INT_16", "UINT_16":
			b = binary.LittleEndian.AppendUint16(b, uint16(v))
		case "INT_32":
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		default:
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
		}
	}
	for i := range 30 {
		if vectorized {
			put(valueAt(i%10, i/10))
		} else {
			put(valueAt(i/3, i%3))
		}
	}
	return b
}

func TestReadsEveryFormatAndOrientation(t *testing.T) {
	want := make([]float64, 30)
	for k := range 10 {
		for c, gain := range []float64{0.5, 2, 1} {
			want[3*k+c] = gain * float64(valueAt(k, c))
		}
	}
	for _, format := range []string{"INT_16", "UINT_16", "INT_32", "IEEE_FLOAT_32"} {
		for _, orientation := range []string{"MULTIPLEXED", "VECTORIZED"} {
			dir := t.TempDir()
			write(t, dir, "run 1.vhdr", fmt.Sprintf(header, orientation, format))
			write(t, dir, "run 1.vmrk", markers)
			write(t, dir, "run 1.eeg", string(encode(format, orientation == "VECTORIZED")))
			r := testkit.Must(Open(filepath.Join(dir, "run 1.vhdr")))(t)
			info := r.Info()
			if info.Rate != 250 || info.Samples != 10 || !slices.Equal(info.Channels, []string{"C3", "a,b", "Cz"}) ||
				!slices.Equal(info.Units, []string{"uV", "mV", "uV"}) {
				t.Errorf("%+v", info)
			}
			events := []signal.Event{{Sample: 2, Code: 12, Label: "R 12", Duration: 1},
				{Sample: 4, Label: "look, here"}, {Sample: 5, Code: 7, Label: "S  7", Duration: 2}}
			testkit.EqualSlices(t, info.Events, events, "events")
			got := make([]float64, 30)
			testkit.NoError(t, r.ReadSamples(got, 0, 10))
			testkit.Close(t, format+orientation, got, want, 0)
			testkit.NoError(t, r.ReadSamples(got[:12], 3, 4))
			testkit.Close(t, "part", got[:12], want[9:21], 0)
			testkit.Fails(t, r.ReadSamples(got, 1, 10), "samples beyond the end are read")
			testkit.NoError(t, r.Close())
		}
	}
}

// pybv writes the commas of a description as they are.
func TestCommasOfDescriptions(t *testing.T) {
	events, _, err := ParseMarkers("Brain Vision Data Exchange Marker File, Version 1.0\n[Marker Infos]\n" +
		"Mk1=Comment,Augen zu, Übung 5, 2,7,0,0\nMk2=Comment,a,b, c,3,1,0,20200101000000000000\n" +
		"Mk3=Stimulus,S  1,9,1\n")
	want := []signal.Event{{Sample: 2, Label: "a,b, c", Duration: 1}, {Sample: 6, Label: "Augen zu, Übung 5, 2"},
		{Sample: 8, Code: 1, Label: "S  1", Duration: 1}}
	testkit.NoError(t, err)
	testkit.EqualSlices(t, events, want)
}

func write(t *testing.T, dir, name, text string) {
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

func TestRefusesHeaders(t *testing.T) {
	good := fmt.Sprintf(header, "MULTIPLEXED", "INT_16")
	for _, c := range []struct{ old, new, want string }{
		{"Brain Vision", "Other", "not a BrainVision header"},
		{"DataFormat=BINARY", "DataFormat=ASCII", "DataFormat=ASCII is not supported"},
		{"=MULTIPLEXED", "=SIDEWAYS", "DataOrientation=SIDEWAYS is unknown"},
		{"$b.eeg", "../../etc/passwd", "not a plain file name"},
		{"$b.eeg", "", "DataFile= is not a plain file name"},
		{"$b.vmrk", `..\x`, "MarkerFile"},
		{"=4000", "=0", "SamplingInterval=0 is not"},
		{"=4000", "=NaN", "SamplingInterval=NaN is not"},
		{"Channels=3", "Channels=4", "4 channels but has no entry Ch4"},
		{"Channels=3", "Channels=-1", "NumberOfChannels=-1 is not"},
		{",2,mV", ",0,mV", `resolution "0" of channel Ch2`},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		testkit.ErrorContains(t, testkit.ErrorOf(ParseHeader(text, "x")), c.want, c.new)
	}
}

func TestRefusesSamplesAndMarkers(t *testing.T) {
	h := testkit.Must(ParseHeader(fmt.Sprintf(header, "MULTIPLEXED", "INT_16"), "x"))(t)
	testkit.ErrorContains(t, testkit.ErrorOf(NewReader(h, bytes.NewReader(nil), 61)), "61 bytes, not a multiple of 6",
		"cut samples")
	h.Binary = "INT_8"
	testkit.ErrorContains(t, testkit.ErrorOf(NewReader(h, bytes.NewReader(nil), 60)), `format "INT_8"`, "format")
	for _, c := range []struct{ old, new, want string }{
		{"Vision", "Ear", "not a BrainVision marker file"},
		{"S  7,6", "S  7,six", `position "six"`},
		{"S  7,6,2", "S  7,6,-2", `size "-2"`},
		{"Stimulus,S  7,6,2,0", "Stimulus", "no position"},
		{"Mk3=", "Mk9=", "entry Mk3 is missing"},
	} {
		if _, _, err := ParseMarkers(strings.Replace(markers, c.old, c.new, 1)); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.new, err, c.want)
		}
	}
	dir := t.TempDir()
	write(t, dir, "a.vhdr", fmt.Sprintf(header, "MULTIPLEXED", "INT_16"))
	testkit.ErrorContains(t, testkit.ErrorOf(Open(filepath.Join(dir, "a.vhdr"))),
		"names a file of samples that cannot be opened", "missing samples")
	write(t, dir, "a.eeg", string(encode("INT_16", false)))
	testkit.ErrorContains(t, testkit.ErrorOf(Open(filepath.Join(dir, "a.vhdr"))), "a.vmrk", "missing markers")
}

func FuzzParseHeader(f *testing.F) {
	f.Add(fmt.Sprintf(header, "VECTORIZED", "IEEE_FLOAT_32"), []byte("0123456789abcdef01234567"))
	f.Fuzz(func(t *testing.T, text string, data []byte) {
		h, err := ParseHeader(text, "base")
		if err != nil {
			return
		}
		if strings.ContainsAny(h.DataFile+h.MarkerFile, "/\\") {
			t.Fatalf("file names %q and %q lead out of the folder", h.DataFile, h.MarkerFile)
		}
		r, err := NewReader(h, bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		testkit.ReadsSamples(t, r, r.Info().Samples, len(h.Info.Channels))
	})
}

func FuzzParseMarkers(f *testing.F) {
	f.Add(markers)
	f.Fuzz(func(t *testing.T, text string) {
		events, _, err := ParseMarkers(text)
		for _, e := range events {
			if err != nil || e.Sample < 0 || e.Duration < 0 {
				t.Fatalf("event %+v, error %v", e, err)
			}
		}
	})
}
