// Package edf reads EEG recordings in the European Data Format: EDF (Kemp et al., 1992) and EDF+ with annotations (Kemp
// and Olivan, 2003). It also reads the 24-bit variant BDF(+) with its status channel.
//
// Annotations become events labeled with the text of the annotation. If the text is a number, it is also the code of
// the event. In a BDF file without annotations, an event is a change of the low 16 bits of the channel "Status" to a
// nonzero value. Signals that do not have the most common sampling rate are left out and listed in Info.Skipped. The
// records of a discontinuous file (EDF+D) are concatenated, and Info.Breaks lists the first sample after each gap.
package edf

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"

	"rao/internal/eeg/format/signal"
	"rao/internal/format/ndarray"
	"rao/internal/linalg/vec"
)

// Open opens a recording; the caller closes it.
func Open(path string) (signal.Reader, error) { return signal.OpenFile(path, New) }

// Is reports whether head is the start of an EDF or BDF file.
func Is(head []byte) bool {
	return len(head) >= 8 && (string(head[:8]) == "0       " || string(head[:8]) == "\xffBIOSEMI")
}

type file struct {
	signal.RecordFile
	bdf bool
}

// New reads the header and the events of a recording. size is the length of the file in bytes.
func New(r io.ReaderAt, size int64) (*signal.Records, error) {
	f, err := readHeader(r, size)
	if err != nil {
		return nil, err
	}
	reader, err := f.Layout(r)
	if err != nil {
		return nil, err
	}
	info := reader.Info()
	if info.Events, info.Breaks, err = f.events(reader, info.Rate); err != nil {
		return nil, err
	}
	signal.Sort(info)
	return reader, nil
}

func readHeader(r io.ReaderAt, size int64) (*file, error) {
	b, err := ndarray.ReadSection(r, size, 0, 256, "the header")
	if err != nil {
		return nil, err
	}
	if !Is(b) {
		return nil, fmt.Errorf("not an EDF or BDF file: it does not start with the version 0 or BIOSEMI; copy or " +
			"export it again")
	}
	f := &file{bdf: b[0] == 0xff}
	f.Size, f.Format = size, "EDF"
	if f.bdf {
		f.Format = "BDF"
	}
	if kind := ndarray.Text(b[192:236]); len(kind) >= 5 && kind[3] == '+' { // EDF+C or EDF+D
		f.Format = kind[:5]
	}
	count, err := integer(b[252:256], "number of signals")
	if err != nil {
		return nil, err
	}
	if count < 1 || count > 4096 {
		return nil, fmt.Errorf("the header has %d signals, but the number must be from 1 to 4096; copy or export "+
			"the file again", count)
	}
	f.Header = int64(256 * (count + 1))
	if says, err := integer(b[184:192], "length of the header"); err != nil || int64(says) != f.Header {
		return nil, fmt.Errorf("the header length is given as %q, but a header with %d signals has %d bytes; the "+
			"file is "+
			"corrupt, so copy or export it again", ndarray.Text(b[184:192]), count, f.Header)
	}
	records, err := integer(b[236:244], "number of records")
	if err != nil {
		return nil, err
	}
	f.Records = int64(records)
	if f.Duration, err = number(b[244:252], "duration of a record"); err != nil {
		return nil, err
	}
	fields, err := ndarray.ReadSection(r, size, 256, f.Header-256, "the signals' headers")
	if err != nil {
		return nil, err
	}
	return f, f.readSignals(fields, count)
}

// readSignals reads the second part of the header, in which each field is stored for all signals in turn.
func (f *file) readSignals(b []byte, n int) error {
	at := func(offset, width, i int) []byte { return b[offset*n+width*i : offset*n+width*(i+1)] }
	for i := range n {
		c := signal.RecordChannel{Label: ndarray.Text(at(0, 16, i)), Unit: ndarray.Text(at(96, 8, i)), Offset: f.Bytes,
			Size: 2, Decode: decode16}
		if f.bdf {
			c.Size, c.Decode = 3, decode24
		}
		c.Annotations = c.Label == "EDF Annotations" || c.Label == "BDF Annotations"
		c.Triggers = f.bdf && c.Label == "Status"
		name := fmt.Sprintf("signal %d (%s)", i+1, c.Label)
		for _, v := range []struct {
			dst    *float64
			offset int
			what   string
		}{{&c.PhysMin, 104, "physical minimum"}, {&c.PhysMax, 112, "physical maximum"},
			{&c.DigMin, 120, "digital minimum"}, {&c.DigMax, 128, "digital maximum"}} {
			var err error
			if *v.dst, err = number(at(v.offset, 8, i), v.what+" of "+name); err != nil {
				return err
			}
		}
		if c.DigMin == c.DigMax && !c.Annotations {
			return fmt.Errorf("the digital minimum and maximum of %s are both %g, so values cannot be scaled; "+
				"export the file again", name, c.DigMax)
		}
		per, err := integer(at(216, 8, i), "samples per record of "+name)
		if err != nil {
			return err
		}
		if per < 0 || per > signal.MaxRecord/4 {
			return fmt.Errorf("the header has %d samples per record of %s, which is impossible; copy or export the "+
				"file again", per, name)
		}
		c.PerRecord = per
		f.Bytes += per * c.Size
		if f.Bytes > signal.MaxRecord {
			return fmt.Errorf("the header declares records of more than %d bytes, which is impossible; copy or "+
				"export the file again", signal.MaxRecord)
		}
		f.Channels = append(f.Channels, c)
	}
	return nil
}

func decode16(b []byte) float64 { return float64(int16(binary.LittleEndian.Uint16(b))) }

func decode24(b []byte) float64 { return float64(int32(b[0])<<8|int32(b[1])<<16|int32(b[2])<<24) / 256 }

// integer parses a header field with an integer.
func integer(b []byte, what string) (int, error) {
	n, err := strconv.ParseInt(ndarray.Text(b), 10, 32)
	if err != nil {
		return 0, fmt.Errorf("the %s in the header is %q, not an integer; copy or export the file again",
			what, ndarray.Text(b))
	}
	return int(n), nil
}

// number parses a header field with a decimal number. Some programs write a decimal comma.
func number(b []byte, what string) (float64, error) {
	v, err := strconv.ParseFloat(strings.Replace(ndarray.Text(b), ",", ".", 1), 64)
	if err != nil || !vec.Finite(v) {
		return 0, fmt.Errorf("the %s in the header is %q, not a number; copy or export the file again",
			what, ndarray.Text(b))
	}
	return v, nil
}
