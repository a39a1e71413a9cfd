package gdf

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"rao/internal/eeg/format/signal"
	"rao/internal/testkit"
)

// save2gdf of BioSig 3.0 wrote testdata/biosig-2.51.gdf from a synthetic EDF+ file of 3 channels and 256 samples.
// digital.csv contains the samples as integers, in steps of 0.1 µV.
func TestReadsFileOfBioSig(t *testing.T) {
	f := testkit.Must(os.Open("testdata/digital.csv"))(t)
	defer f.Close()
	rows := testkit.Must(csv.NewReader(f).ReadAll())(t)
	r := testkit.Must(Open("testdata/biosig-2.51.gdf"))(t)
	defer r.Close()
	info := r.Info()
	if info.Format != "GDF 2.51" || info.Rate != 64 || info.Samples != 256 ||
		!slices.Equal(info.Channels, []string{"C3", "Cz", "C4"}) ||
		!slices.Equal(info.Units, []string{"uV", "uV", "uV"}) {
		t.Errorf("%+v", info)
	}
	events := []signal.Event{{Sample: 32, Code: 1, Label: "769"}, {Sample: 80, Code: 2, Label: "770", Duration: 64},
		{Sample: 160, Code: 3, Label: "left hand"}, {Sample: 192, Code: 4, Label: "0x303", Duration: 32}}
	testkit.EqualSlices(t, info.Events, events, "events")
	got, want := make([]float64, 3*256), []float64{}
	for _, row := range rows {
		for _, cell := range row {
			v, _ := strconv.ParseFloat(cell, 64)
			want = append(want, v/10)
		}
	}
	testkit.NoError(t, r.ReadSamples(got, 0, 256))
	testkit.Close(t, "samples", got, want, 1e-14)
}

// build writes a GDF file of 2 channels and 3 records of 4 samples at 8 Hz. Its digital values are raw (record,
// channel, sample), encoded as typ.
func build(version string, typ uint32, raw []byte, events []byte) []byte {
	v2 := version[0] == '2'
	b := make([]byte, 256*3)
	copy(b, "GDF "+version)
	if v2 {
		le.PutUint16(b[184:], 3)
		copy(b[168:], "\x00\x00\x00\x80\x1a\x3a\x0b\x00") // a start date
	} else {
		copy(b[168:], "2020010112000000")
		le.PutUint64(b[184:], 256*3)
	}
	le.PutUint64(b[236:], 3)
	if version >= "2.21" {
		le.PutUint64(b[244:], math.Float64bits(0.5))
	} else {
		le.PutUint32(b[244:], 1)
		le.PutUint32(b[248:], 2)
	}
	le.PutUint32(b[252:], 2)
	h := b[256:]
	for i := range 2 {
		copy(h[16*i:], []string{"C3", "C4"}[i])
		if v2 {
			le.PutUint16(h[102*2+2*i:], 4275)
		} else {
			copy(h[96*2+8*i:], "uV")
		}
		le.PutUint64(h[104*2+8*i:], math.Float64bits(-50))
		le.PutUint64(h[112*2+8*i:], math.Float64bits(50))
		if v2 {
			le.PutUint64(h[120*2+8*i:], math.Float64bits(-100))
			le.PutUint64(h[128*2+8*i:], math.Float64bits(100))
		} else {
			low := int64(-100)
			le.PutUint64(h[120*2+8*i:], uint64(low))
			le.PutUint64(h[128*2+8*i:], 100)
		}
		le.PutUint32(h[216*2+4*i:], 4)
		le.PutUint32(h[220*2+4*i:], typ)
	}
	return append(append(b, raw...), events...)
}

// sampleAt returns the digital value of sample k of channel c: small and positive.
func sampleAt(k, c int) int { return (k*7+c*31)%90 + 3 }

func encode(typ uint32) []byte {
	var b []byte
	for rec := range 3 {
		for c := range 2 {
			for i := range 4 {
				v := sampleAt(4*rec+i, c)
				switch typ {
				case 16:
					b = le.AppendUint32(b, math.Float32bits(float32(v)))
				case 17:
					b = le.AppendUint64(b, math.Float64bits(float64(v)))
				case 18:
					d := math.Float64bits(float64(v))
					b = le.AppendUint64(b, d<<60)
					b = le.AppendUint64(b, uint64(int(d>>52)-1023+16383)<<48|d<<12>>16)
				default:
					size := map[uint32]int{1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 8, 8: 8, 279: 3, 535: 3}[typ]
					for j := range size {
						b = append(b, byte(uint64(v)>>(8*j)))
					}
				}
			}
		}
	}
	return b
}

// table writes an event table of three events.
func table(version string, mode byte) []byte {
	b := []byte{mode, 3, 0, 0}
	if version[0] == '1' {
		b = []byte{mode, 8, 0, 0, 3, 0, 0, 0}
	} else {
		b = le.AppendUint32(b, math.Float32bits(8))
	}
	for _, p := range []uint32{9, 1, 5} {
		b = le.AppendUint32(b, p)
	}
	for _, c := range []uint16{770, 768, 769} {
		b = le.AppendUint16(b, c)
	}
	if mode&2 != 0 {
		b = append(b, make([]byte, 6)...)
		for _, d := range []uint32{3, 0, 2} {
			b = le.AppendUint32(b, d)
		}
	}
	return b
}

func TestReadsEverySampleTypeAndEventMode(t *testing.T) {
	want := make([]float64, 24)
	for k := range 12 {
		for c := range 2 {
			want[2*k+c] = float64(sampleAt(k, c)) / 2
		}
	}
	for _, version := range []string{"1.25", "1.99", "2.10", "2.20", "2.51"} {
		for _, typ := range []uint32{1, 2, 3, 4, 5, 6, 7, 8, 16, 17, 18, 279, 535} {
			for _, mode := range []byte{1, 3} {
				ev := table(version, mode)
				if version == "1.99" { // from 1.94 on the table is that of version 2
					ev = table("2", mode)
				}
				b := build(version, typ, encode(typ), ev)
				r, err := New(bytes.NewReader(b), int64(len(b)))
				testkit.NoError(t, err, "version", version, "type", typ, "mode", mode)
				info := r.Info()
				if info.Rate != 8 || info.Samples != 12 || !slices.Equal(info.Units, []string{"uV", "uV"}) {
					t.Fatalf("%+v", info)
				}
				got := make([]float64, 24)
				testkit.NoError(t, r.ReadSamples(got, 0, 12))
				testkit.Close(t, "samples", got, want, 1e-15)
				events := []signal.Event{{Sample: 0, Code: 768, Label: "start of trial"},
					{Sample: 4, Code: 769, Label: "left hand", Duration: 2},
					{Sample: 8, Code: 770, Label: "right hand", Duration: 3}}
				if mode == 1 {
					events[1].Duration, events[2].Duration = 0, 0
				}
				testkit.EqualSlices(t, info.Events, events, "version", version, "mode", mode, "events")
			}
		}
	}
}

// BioSig itself reads the files this test writes to the same numbers.
func TestBioSigAgrees(t *testing.T) {
	tool, err := exec.LookPath("save2gdf")
	if err != nil {
		t.Skip("save2gdf of biosig-tools is not installed")
	}
	for _, version := range []string{"1.25", "2.20"} {
		path := filepath.Join(t.TempDir(), "a.gdf")
		b := build(version, 3, encode(3), table(version, 3))
		testkit.NoError(t, os.WriteFile(path, b, 0o600))
		testkit.Output(t, exec.Command(tool, "-f=GDF", path, path+".gdf"))
		mine := testkit.Must(Open(path))(t)
		theirs := testkit.Must(Open(path + ".gdf"))(t)
		x, y := make([]float64, 24), make([]float64, 24)
		testkit.NoError(t, mine.ReadSamples(x, 0, 12))
		testkit.NoError(t, theirs.ReadSamples(y, 0, 12))
		testkit.Close(t, "version "+version, y, x, 1e-14)
		testkit.EqualSlices(t, mine.Info().Events, theirs.Info().Events, "events of version", version)
		mine.Close()
		theirs.Close()
	}
}

func TestLowestCodeIsAMissingSample(t *testing.T) {
	for typ, size := range map[uint32]int{3: 2, 5: 4, 7: 8, 279: 3} {
		raw := encode(typ)
		p := 5 * size // record 0, channel 1, sample 1
		clear(raw[p : p+size])
		raw[p+size-1] = 0x80
		b := build("2.20", typ, raw, nil)
		r := testkit.Must(New(bytes.NewReader(b), int64(len(b))))(t)
		got := make([]float64, 24)
		testkit.NoError(t, r.ReadSamples(got, 0, 12))
		for i, v := range got {
			testkit.Equal(t, math.IsNaN(v), (i == 3), "type", typ, "value", i, "is", v)
		}
	}
}

func TestSpecialQuadruples(t *testing.T) {
	for _, c := range []struct {
		hi   uint64
		want float64
	}{{0, 0}, {0x3fff << 48, 1}, {0xc000 << 48, -2}, {0x7fff << 48, math.Inf(1)}, {0x7ffe << 48, math.Inf(1)},
		{1 << 48, 0}} {
		b := le.AppendUint64(make([]byte, 8), c.hi)
		testkit.Equal(t, float128(b), c.want, c.hi)
	}
	if !math.IsNaN(float128(le.AppendUint64(make([]byte, 8), 0x7fff8<<44))) {
		t.Error("a quadruple NaN is a number")
	}
}

func TestRefuses(t *testing.T) {
	good := build("2.20", 3, encode(3), table("2", 3))
	edit := func(offset int, bytes ...byte) []byte {
		b := slices.Clone(good)
		copy(b[offset:], bytes)
		return b
	}
	records := 256 * 3
	events := records + 48
	cases := []struct {
		name string
		b    []byte
		want string
	}{
		{"empty", nil, "ends within the header"},
		{"other", make([]byte, 300), "not a GDF file"},
		{"version", edit(4, []byte("9.99")...), `GDF version "9.99"`},
		{"cut header", good[:700], "the file has 700"},
		{"header length", edit(184, 1, 0), "the header declares a length of 256 bytes"},
		{"channels", edit(252, 255, 255), "65535 channels"},
		{"no duration", edit(244, 0, 0, 0, 0), "records of 0 seconds"},
		{"duration by zero", edit(248, 0, 0, 0, 0), "records of +Inf seconds"},
		{"cut records", good[:events-1], "has 3 records but the file has only 2"},
		{"huge count of records", edit(236, 0, 0, 0, 0, 0, 0, 0, 0x7f), "so it is truncated"},
		{"samples", edit(256+216*2, 0xff, 0xff, 0xff, 0xff), "4294967295 samples per record"},
		{"type", edit(256+220*2, 11, 1), "GDF type 267"},
		{"scale", edit(256+120*2, good[256+128*2:256+128*2+8]...), "which defines no scale"},
		{"no number", edit(256+120*2, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f), "which defines no scale"},
		{"event mode", edit(events, 9), "the event table has mode 9"},
		{"event count", edit(events+1, 255, 255, 255), "16777215 events"},
		{"cut events", good[:len(good)-1], "ends within the event table"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := New(bytes.NewReader(c.b), int64(len(c.b)))
			testkit.ErrorContains(t, err, c.want)
		})
	}
}

func FuzzNew(f *testing.F) {
	for _, v := range []string{"1.25", "2.20", "2.51"} {
		f.Add(build(v, 3, encode(3), table(v, 3)))
	}
	testkit.Seeds(f, "biosig-2.51.gdf")
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := New(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		testkit.ReadsSamples(t, r, r.Info().Samples, len(r.Info().Channels))
	})
}
