// Package edf reads EEG recordings in the European Data Format: EDF (Kemp et al., 1992)
// and EDF+ with annotations (Kemp and Olivan, 2003). It reads their 24-bit sister
// BDF(+) with its status channel too.
//
// Annotations become events whose label is the annotation's text and whose code is
// the number it spells, if it does. In a BDF file without annotations each rise
// of the low 16 bits of the channel "Status" to another value than 0 is an
// event. Signals of a rate other than most signals' are left out and named in
// Info.Skipped. Records of a discontinuous file (EDF+D) follow each other, and
// Info.Breaks has the samples behind a gap.
package edf

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"rao/internal/eeg/format/signal"
)

// Open opens a recording; the caller closes it.
func Open(path string) (signal.Reader, error) { return signal.OpenFile(path, New) }

// Is reports whether the first bytes of a file are those of EDF or BDF.
func Is(head []byte) bool {
	return len(head) >= 8 && (string(head[:8]) == "0       " || string(head[:8]) == "\xffBIOSEMI")
}

// file is a header as it stands.
type file struct {
	size      int64
	bdf       bool
	kind      string // the reserved field: "EDF+C", "EDF+D" or other
	records   int
	duration  float64 // seconds a record
	signals   []channel
	rawRecord int // bytes a record
	header    int64
}

type channel struct {
	label, unit                    string
	physMin, physMax, digMin, dMax float64
	perRecord                      int
	offset                         int
}

func (c channel) annotations() bool {
	return c.label == "EDF Annotations" || c.label == "BDF Annotations"
}

// New reads the header and the events of a recording of size bytes.
func New(r io.ReaderAt, size int64) (*signal.Records, error) {
	f, err := readHeader(r, size)
	if err != nil {
		return nil, err
	}
	records, info, err := f.layout(r)
	if err != nil {
		return nil, err
	}
	reader := signal.NewRecords(records, info)
	if info.Events, info.Breaks, err = f.events(reader, info.Rate); err != nil {
		return nil, err
	}
	slices.SortStableFunc(info.Events, func(a, b signal.Event) int { return a.Sample - b.Sample })
	return reader, nil
}

func readHeader(r io.ReaderAt, size int64) (*file, error) {
	b, err := signal.ReadAll(r, size, 0, 256, "the header")
	if err != nil {
		return nil, err
	}
	if !Is(b) {
		return nil, fmt.Errorf("not an EDF or BDF file: it does not start with the version 0 or BIOSEMI")
	}
	f := &file{size: size, bdf: b[0] == 0xff, kind: signal.Text(b[192:236])}
	count, err := integer(b[252:256], "number of signals")
	if err != nil {
		return nil, err
	}
	if count < 1 || count > 4096 {
		return nil, fmt.Errorf("the header says %d signals; 1 to 4096 are possible", count)
	}
	f.header = int64(256 * (count + 1))
	if says, err := integer(b[184:192], "length of the header"); err != nil || int64(says) != f.header {
		return nil, fmt.Errorf("the header says it is %q bytes long; with %d signals it must be %d",
			signal.Text(b[184:192]), count, f.header)
	}
	if f.records, err = integer(b[236:244], "number of records"); err != nil {
		return nil, err
	}
	if f.duration, err = number(b[244:252], "duration of a record"); err != nil {
		return nil, err
	}
	fields, err := signal.ReadAll(r, size, 256, f.header-256, "the signals' headers")
	if err != nil {
		return nil, err
	}
	return f, f.readSignals(fields, count)
}

// readSignals reads the second part of the header: each field for all signals.
func (f *file) readSignals(b []byte, n int) error {
	at := func(offset, width, i int) []byte { return b[offset*n+width*i : offset*n+width*(i+1)] }
	for i := range n {
		c := channel{label: signal.Text(at(0, 16, i)), unit: signal.Text(at(96, 8, i)), offset: f.rawRecord}
		name := fmt.Sprintf("signal %d (%s)", i+1, c.label)
		for _, v := range []struct {
			dst    *float64
			offset int
			what   string
		}{{&c.physMin, 104, "physical minimum"}, {&c.physMax, 112, "physical maximum"},
			{&c.digMin, 120, "digital minimum"}, {&c.dMax, 128, "digital maximum"}} {
			var err error
			if *v.dst, err = number(at(v.offset, 8, i), v.what+" of "+name); err != nil {
				return err
			}
		}
		if c.digMin == c.dMax && !c.annotations() {
			return fmt.Errorf("digital minimum and maximum of %s are both %g", name, c.dMax)
		}
		per, err := integer(at(216, 8, i), "samples per record of "+name)
		if err != nil {
			return err
		}
		if per < 0 || per > signal.MaxRecord/4 {
			return fmt.Errorf("the header says %d samples per record of %s", per, name)
		}
		c.perRecord = per
		f.rawRecord += per * f.sampleSize()
		if f.rawRecord > signal.MaxRecord {
			return fmt.Errorf("records of more than %d bytes: the header is wrong", signal.MaxRecord)
		}
		f.signals = append(f.signals, c)
	}
	return nil
}

func (f *file) sampleSize() int {
	if f.bdf {
		return 3
	}
	return 2
}

// layout checks the file's length and chooses the signals to keep.
func (f *file) layout(r io.ReaderAt) (signal.Records, *signal.Info, error) {
	if f.rawRecord == 0 {
		return signal.Records{}, nil, fmt.Errorf("the header has no samples in a record")
	}
	have := (f.size - f.header) / int64(f.rawRecord)
	if f.records == -1 { // a recorder that was cut off
		f.records = int(min(have, math.MaxInt32))
	}
	if f.records < 0 || int64(f.records) > have {
		return signal.Records{}, nil, fmt.Errorf("the header has %d records but the file has %d: it is truncated",
			f.records, have)
	}
	per := make([]int, len(f.signals))
	for i, c := range f.signals {
		if !c.annotations() {
			per[i] = c.perRecord
		}
	}
	common := signal.CommonRate(per)
	info := &signal.Info{Format: f.format()}
	out := signal.Records{R: r, Start: f.header, Bytes: f.rawRecord, PerRecord: max(common, 1)}
	for _, c := range f.signals {
		switch {
		case c.annotations():
		case c.perRecord != common || f.status(c):
			info.Skipped = append(info.Skipped, c.label)
		default:
			gain := (c.physMax - c.physMin) / (c.dMax - c.digMin)
			out.Layout = append(out.Layout, signal.Layout{Offset: c.offset, Size: f.sampleSize(), Decode: f.decode(),
				Gain: gain, Bias: c.physMin - gain*c.digMin})
			info.Channels = append(info.Channels, c.label)
			info.Units = append(info.Units, c.unit)
		}
	}
	if len(info.Channels) == 0 {
		return out, nil, fmt.Errorf("the file has annotations but no signals")
	}
	if !(f.duration > 0) {
		return out, nil, fmt.Errorf("the header says that a record lasts %g seconds", f.duration)
	}
	total := int64(f.records) * int64(common)
	if total > math.MaxInt32 {
		return out, nil, fmt.Errorf("%d samples per channel are more than this reader accepts "+
			"(%d)", total, math.MaxInt32)
	}
	info.Rate, info.Samples = float64(common)/f.duration, int(total)
	return out, info, nil
}

func (f *file) format() string {
	name := "EDF"
	if f.bdf {
		name = "BDF"
	}
	if len(f.kind) >= 5 && f.kind[3] == '+' {
		return f.kind[:5]
	}
	return name
}

// status reports whether c is the trigger channel of a BDF file.
func (f *file) status(c channel) bool { return f.bdf && c.label == "Status" }

func (f *file) decode() func([]byte) float64 {
	if f.bdf {
		return func(b []byte) float64 { return float64(int32(b[0])<<8|int32(b[1])<<16|int32(b[2])<<24) / 256 }
	}
	return func(b []byte) float64 { return float64(int16(binary.LittleEndian.Uint16(b))) }
}

// integer reads a field of digits.
func integer(b []byte, what string) (int, error) {
	n, err := strconv.ParseInt(signal.Text(b), 10, 32)
	if err != nil {
		return 0, fmt.Errorf("the header's %s is %q, not a whole number", what, signal.Text(b))
	}
	return int(n), nil
}

// number reads a field of a decimal number; some writers use a decimal comma.
func number(b []byte, what string) (float64, error) {
	v, err := strconv.ParseFloat(strings.Replace(signal.Text(b), ",", ".", 1), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("the header's %s is %q, not a number", what, signal.Text(b))
	}
	return v, nil
}
