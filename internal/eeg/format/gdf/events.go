package gdf

import (
	"fmt"
	"io"
	"math"
	"strings"

	"rao/internal/eeg/format/signal"
	"rao/internal/format/ndarray"
	"rao/internal/linalg/vec"
)

// readDescriptions reads the names of the event codes 0, 1, 2, ... from the third part of a version 2 header (BioSig
// leaves the first name empty). This part is a list of entries: a tag, a length of 24 bits and a value. Tag 1 has the
// names.
func (f *file) readDescriptions(r io.ReaderAt, from int64) error {
	b, err := ndarray.ReadSection(r, f.Size, from, f.Header-from, "the optional header")
	if err != nil {
		return err
	}
	for len(b) >= 4 && b[0] != 0 && b[0] != 255 {
		n := int(uint24(b[1:]))
		if n > len(b)-4 {
			return fmt.Errorf("field %d of the optional header is %d bytes long, but only %d remain; copy the file "+
				"again", b[0], n, len(b)-4)
		}
		if b[0] == 1 {
			f.names = strings.Split(strings.TrimRight(string(b[4:4+n]), "\x00"), "\x00")
		}
		b = b[4+n:]
	}
	return nil
}

func (f *file) label(code int) string {
	if code >= 1 && code < len(f.names) {
		return f.names[code]
	}
	return standard[code]
}

// standard contains the standard's names for the event codes of cue-based experiments.
var standard = map[int]string{
	0x0300: "start of trial", 0x0301: "left hand", 0x0302: "right hand", 0x0303: "foot", 0x0304: "tongue",
	0x0306: "down", 0x030b: "right", 0x030c: "up", 0x030f: "cue unknown", 0x030d: "feedback",
	0x0311: "beep", 0x0312: "cross on screen", 0x0114: "eyes open", 0x0115: "eyes closed",
	0x03ff: "rejected trial", 0x7ffe: "start of new segment",
}

// readEvents reads the event table after the records:
//
//	mode, count, rate; positions (uint32, from 1); codes (uint16);
//	mode 3 and 7: channels (uint16), durations (uint32); mode 7: time stamps
func (f *file) readEvents(r io.ReaderAt, rate float64) ([]signal.Event, error) {
	start := f.Header + f.Records*int64(f.Bytes)
	if f.Size-start < 8 {
		return nil, nil
	}
	h, err := ndarray.ReadSection(r, f.Size, start, 8, "the event table")
	if err != nil {
		return nil, err
	}
	mode, count, eventRate := h[0], int64(uint24(h[1:])), float64(math.Float32frombits(le.Uint32(h[4:])))
	if f.version < 1.94 {
		count, eventRate = int64(le.Uint32(h[4:])), float64(uint24(h[1:]))
	}
	if mode&^byte(6) != 1 {
		return nil, fmt.Errorf("the event table has mode %d, but only modes 1, 3, 5 and 7 are supported; export the "+
			"file again", mode)
	}
	if count > signal.MaxEvents {
		return nil, fmt.Errorf("the event table declares %d events, but at most %d are supported; split the recording",
			count, signal.MaxEvents)
	}
	size := int64(6)
	if mode&2 != 0 {
		size += 6
	}
	b, err := ndarray.ReadSection(r, f.Size, start+8, count*size, "the event table")
	if err != nil {
		return nil, err
	}
	scale := 1.0 // events can have a rate of their own
	if vec.Positive(eventRate) && math.Abs(eventRate/rate-1) > 1e-6 {
		scale = rate / eventRate
	}
	n := int(count)
	var events []signal.Event
	for i := range n {
		code := int(le.Uint16(b[4*n+2*i:]))
		if code == 0 || code == 0x7fff { // empty entry, or sparse sample of a channel
			continue
		}
		position := max(0, math.Round((float64(le.Uint32(b[4*i:]))-1)*scale)) // some programs count from 0
		length := 0.0
		if mode&2 != 0 {
			length = math.Round(float64(le.Uint32(b[8*n+4*i:])) * scale)
		}
		if position > math.MaxInt32 || length > math.MaxInt32 {
			return nil, fmt.Errorf("event %d (code %d) is at sample %g for %g samples, so the event table is "+
				"corrupt; copy the file again",
				i, code, position, length)
		}
		events = append(events, signal.Event{Sample: int(position), Code: code, Label: f.label(code),
			Duration: int(length)})
	}
	return events, nil
}
