// Package gdf reads EEG recordings in the General Data Format for biosignals: versions 1.x (1.25
// is common) and 2.x (Schlögl, arXiv cs/0608052), with their event tables.
//
// Every sample type of whole bytes is read: integers of 8 to 64 bits, floats of
// 32, 64 and 128 bits. The lowest code of a signed integer of 16 bits or more stands for a
// missing sample and is read as NaN. Signals of a rate other than most signals' are left out and
// named in Info.Skipped. Event labels come from the file's own descriptions, or else
// from the standard's table for the codes used in brain-computer interfaces.
package gdf

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"rao/internal/eeg/format/signal"
)

var le = binary.LittleEndian

// Open opens a recording; the caller closes it.
func Open(path string) (signal.Reader, error) { return signal.OpenFile(path, New) }

// Is reports whether the first bytes of a file are those of GDF.
func Is(head []byte) bool { return len(head) >= 8 && string(head[:4]) == "GDF " }

// file is the header as it stands.
type file struct {
	size      int64
	version   float64
	header    int64   // length of all headers: offset of the first record
	records   int64   // −1 when the recorder did not know
	duration  float64 // seconds a record
	signals   []channel
	rawRecord int
	names     []string // descriptions of the codes 0, 1, 2, ...
}

type channel struct {
	label, unit                    string
	physMin, physMax, digMin, dMax float64
	perRecord, offset, size        int
	decode                         func([]byte) float64
}

// New reads the header and the events of a recording of size bytes.
func New(r io.ReaderAt, size int64) (*signal.Records, error) {
	f, count, err := readHeader(r, size)
	if err != nil {
		return nil, err
	}
	fields, err := signal.ReadAll(r, size, 256, int64(count)*256, "the channels' headers")
	if err != nil {
		return nil, err
	}
	if err := f.readChannels(fields, count); err != nil {
		return nil, err
	}
	if f.version >= 2 {
		if err := f.readDescriptions(r, 256*int64(count+1)); err != nil {
			return nil, err
		}
	}
	records, info, err := f.layout(r)
	if err != nil {
		return nil, err
	}
	if info.Events, err = f.readEvents(r, info.Rate); err != nil {
		return nil, err
	}
	return signal.NewRecords(records, info), nil
}

func readHeader(r io.ReaderAt, size int64) (*file, int, error) {
	b, err := signal.ReadAll(r, size, 0, 256, "the header")
	if err != nil {
		return nil, 0, err
	}
	if !Is(b) {
		return nil, 0, fmt.Errorf("not a GDF file: it does not start with GDF")
	}
	f := &file{size: size}
	f.version, err = strconv.ParseFloat(strings.TrimSpace(string(b[4:8])), 64)
	if err != nil || f.version < 1 || f.version >= 3 {
		return nil, 0, fmt.Errorf("GDF version %q; versions 1.x and 2.x are read", b[4:8])
	}
	count := int(le.Uint16(b[252:]))
	if f.version < 2 {
		count = int(min(le.Uint32(b[252:]), 1<<20))
		f.header = int64(le.Uint64(b[184:]))
	} else {
		f.header = 256 * int64(le.Uint16(b[184:]))
	}
	if count < 1 || count > 4096 {
		return nil, 0, fmt.Errorf("the header says %d channels; 1 to 4096 are possible", count)
	}
	if least := int64(256 * (count + 1)); f.header < least || f.header > size {
		return nil, 0, fmt.Errorf("the header claims %d bytes; with %d channels it needs %d or more, and the file "+
			"has %d", f.header, count, least, size)
	}
	f.records = int64(le.Uint64(b[236:]))
	num, den := le.Uint32(b[244:]), le.Uint32(b[248:])
	if f.duration = float64(num) / float64(den); f.version >= 2.21 {
		f.duration = math.Float64frombits(le.Uint64(b[244:]))
	}
	if !(f.duration > 0) || math.IsInf(f.duration, 0) {
		return nil, 0, fmt.Errorf("the header says that a record lasts %g seconds", f.duration)
	}
	return f, count, nil
}

// readChannels reads the second part of the header: each field for all channels.
func (f *file) readChannels(b []byte, n int) error {
	at := func(offset, width, i int) []byte { return b[offset*n+width*i : offset*n+width*(i+1)] }
	real := func(offset, i int) float64 { return math.Float64frombits(le.Uint64(at(offset, 8, i))) }
	for i := range n {
		c := channel{label: signal.Text(at(0, 16, i)), offset: f.rawRecord,
			physMin: real(104, i), physMax: real(112, i), digMin: real(120, i), dMax: real(128, i)}
		if f.version < 2 {
			c.unit = signal.Text(at(96, 8, i))
			c.digMin, c.dMax = float64(int64(le.Uint64(at(120, 8, i)))), float64(int64(le.Uint64(at(128, 8, i))))
		} else if c.unit = unitName(le.Uint16(at(102, 2, i))); c.unit == "" {
			c.unit = signal.Text(at(96, 6, i))
		}
		name := fmt.Sprintf("channel %d (%s)", i+1, c.label)
		per := le.Uint32(at(216, 4, i))
		var err error
		if c.size, c.decode, err = sampleType(le.Uint32(at(220, 4, i))); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if int64(per)*int64(c.size) > signal.MaxRecord-int64(f.rawRecord) {
			return fmt.Errorf("the header says %d samples per record of %s: records of more than %d bytes are not read",
				per, name, signal.MaxRecord)
		}
		c.perRecord = int(per)
		if span := c.dMax - c.digMin; per > 0 &&
			(!(span != 0) || math.IsInf(span, 0) || math.IsNaN(c.physMax-c.physMin) ||
				math.IsInf(c.physMax-c.physMin, 0)) {
			return fmt.Errorf("%s maps digital %g to %g on physical %g to %g, which gives no scale",
				name, c.digMin, c.dMax, c.physMin, c.physMax)
		}
		f.rawRecord += c.perRecord * c.size
		f.signals = append(f.signals, c)
	}
	return nil
}

// layout checks the file's length and chooses the channels to keep.
func (f *file) layout(r io.ReaderAt) (signal.Records, *signal.Info, error) {
	if f.rawRecord == 0 {
		return signal.Records{}, nil, fmt.Errorf("the header has no samples in a record")
	}
	have := (f.size - f.header) / int64(f.rawRecord)
	if f.records == -1 {
		f.records = have
	}
	if f.records < 0 || f.records > have {
		return signal.Records{}, nil, fmt.Errorf("the header has %d records but the file has %d: it is truncated",
			f.records, have)
	}
	per := make([]int, len(f.signals))
	for i, c := range f.signals {
		per[i] = c.perRecord
	}
	common := signal.CommonRate(per)
	info := &signal.Info{Format: fmt.Sprintf("GDF %.2f", f.version), Rate: float64(common) / f.duration}
	out := signal.Records{R: r, Start: f.header, Bytes: f.rawRecord, PerRecord: common}
	for _, c := range f.signals {
		if c.perRecord != common {
			info.Skipped = append(info.Skipped, c.label)
			continue
		}
		gain := (c.physMax - c.physMin) / (c.dMax - c.digMin)
		out.Layout = append(out.Layout, signal.Layout{Offset: c.offset, Size: c.size, Decode: c.decode,
			Gain: gain, Bias: c.physMin - gain*c.digMin})
		info.Channels = append(info.Channels, c.label)
		info.Units = append(info.Units, c.unit)
	}
	if f.records > math.MaxInt32/int64(common) {
		return out, nil, fmt.Errorf("%d records of %d samples are more than this reader accepts (%d samples)",
			f.records, common, math.MaxInt32)
	}
	info.Samples = int(f.records) * common
	return out, info, nil
}

// unitName translates the codes of ISO/IEEE 11073 that EEG files use.
func unitName(code uint16) string {
	switch code {
	case 4256:
		return "V"
	case 4274:
		return "mV"
	case 4275:
		return "uV"
	case 4276:
		return "nV"
	case 512:
		return "1"
	}
	return ""
}
