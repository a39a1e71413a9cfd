// Package gdf reads EEG recordings in the General Data Format for biosignals: versions 1.x (1.25 is common) and 2.x
// (Schlögl, arXiv cs/0608052), with their event tables.
//
// It reads all sample types that consist of complete bytes: integers of 8 to 64 bits, and floats of 32, 64 and 128
// bits. The lowest value of a signed integer of 16 bits or more marks a missing sample and is read as NaN. Signals that
// do not have the most common sampling rate are left out and listed in Info.Skipped. Event labels are the descriptions
// in the file or, without a description, the names in the standard's table of codes for brain-computer interfaces.
package gdf

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"rao/internal/eeg/format/signal"
	"rao/internal/format/ndarray"
	"rao/internal/linalg/vec"
)

var le = binary.LittleEndian

// Open opens a recording; the caller closes it.
func Open(path string) (signal.Reader, error) { return signal.OpenFile(path, New) }

// Is reports whether head is the start of a GDF file.
func Is(head []byte) bool { return len(head) >= 8 && string(head[:4]) == "GDF " }

type file struct {
	signal.RecordFile
	version float64
	names   []string // names of the codes 0, 1, 2, ...
}

// New reads the header and the events of a recording. size is the length of the file in bytes.
func New(r io.ReaderAt, size int64) (*signal.Records, error) {
	f, count, err := readHeader(r, size)
	if err != nil {
		return nil, err
	}
	fields, err := ndarray.ReadSection(r, size, 256, int64(count)*256, "the channels' headers")
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
	records, err := f.Layout(r)
	if err != nil {
		return nil, err
	}
	info := records.Info()
	info.Events, err = f.readEvents(r, info.Rate)
	signal.Sort(info)
	return records, err
}

func readHeader(r io.ReaderAt, size int64) (*file, int, error) {
	b, err := ndarray.ReadSection(r, size, 0, 256, "the header")
	if err != nil {
		return nil, 0, err
	}
	if !Is(b) {
		return nil, 0, fmt.Errorf("not a GDF file: it does not start with GDF; copy or export it again")
	}
	f := &file{}
	f.Size = size
	f.version, err = strconv.ParseFloat(strings.TrimSpace(string(b[4:8])), 64)
	if err != nil || f.version < 1 || f.version >= 3 {
		return nil, 0, fmt.Errorf("GDF version %q is not supported; rao reads versions 1.x and 2.x", b[4:8])
	}
	f.Format = fmt.Sprintf("GDF %.2f", f.version)
	count := int(le.Uint16(b[252:]))
	if f.version < 2 {
		count = int(min(le.Uint32(b[252:]), 1<<20))
		f.Header = int64(le.Uint64(b[184:]))
	} else {
		f.Header = 256 * int64(le.Uint16(b[184:]))
	}
	if count < 1 || count > 4096 {
		return nil, 0, fmt.Errorf("the header has %d channels, but the number must be from 1 to 4096; copy or "+
			"export the file again", count)
	}
	if least := int64(256 * (count + 1)); f.Header < least || f.Header > size {
		return nil, 0, fmt.Errorf("the header declares a length of %d bytes, but %d channels need at least %d, and "+
			"the file has %d; copy or export the file again", f.Header, count, least, size)
	}
	f.Records = int64(le.Uint64(b[236:]))
	num, den := le.Uint32(b[244:]), le.Uint32(b[248:])
	if f.Duration = float64(num) / float64(den); f.version >= 2.21 {
		f.Duration = math.Float64frombits(le.Uint64(b[244:]))
	}
	return f, count, nil
}

// readChannels reads the second part of the header, in which each field is stored for all channels in turn.
func (f *file) readChannels(b []byte, n int) error {
	at := func(offset, width, i int) []byte { return b[offset*n+width*i : offset*n+width*(i+1)] }
	real := func(offset, i int) float64 { return math.Float64frombits(le.Uint64(at(offset, 8, i))) }
	for i := range n {
		c := signal.RecordChannel{Label: ndarray.Text(at(0, 16, i)), Offset: f.Bytes,
			PhysMin: real(104, i), PhysMax: real(112, i), DigMin: real(120, i), DigMax: real(128, i)}
		if f.version < 2 {
			c.Unit = ndarray.Text(at(96, 8, i))
			c.DigMin, c.DigMax = float64(int64(le.Uint64(at(120, 8, i)))), float64(int64(le.Uint64(at(128, 8, i))))
		} else if c.Unit = unitName(le.Uint16(at(102, 2, i))); c.Unit == "" {
			c.Unit = ndarray.Text(at(96, 6, i))
		}
		name := fmt.Sprintf("channel %d (%s)", i+1, c.Label)
		per := le.Uint32(at(216, 4, i))
		var err error
		if c.Size, c.Decode, err = sampleType(le.Uint32(at(220, 4, i))); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if int64(per)*int64(c.Size) > signal.MaxRecord-int64(f.Bytes) {
			return fmt.Errorf("the header has %d samples per record of %s; use records of at most %d bytes", per, name,
				signal.MaxRecord)
		}
		c.PerRecord = int(per)
		if span := c.DigMax - c.DigMin; per > 0 &&
			(span == 0 || !vec.Finite(span) || !vec.Finite(c.PhysMax-c.PhysMin)) {
			return fmt.Errorf("%s maps digital values from %g to %g to physical values from %g to %g, which defines "+
				"no scale; export the file again",
				name, c.DigMin, c.DigMax, c.PhysMin, c.PhysMax)
		}
		f.Bytes += c.PerRecord * c.Size
		f.Channels = append(f.Channels, c)
	}
	return nil
}

// unitName returns the unit for an ISO/IEEE 11073 code, or "" if EEG files do not use the code.
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
