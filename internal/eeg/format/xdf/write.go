package xdf

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// These are the formats of values that a [Writer] accepts, as named in the header of a stream.
const (
	Float32 = "float32"
	Float64 = "double64"
	Text    = "string"
)

// Writer writes a recording chunk by chunk. If writing is interrupted, the file contains everything up to that point.
type Writer struct {
	w       *bufio.Writer
	streams []written
	body    []byte
	err     error // first error; nothing is written after it
}

// written is the state of one stream of a [Writer].
type written struct {
	format      string
	channels    int
	count       int
	first, last float64
}

// NewWriter starts a file.
func NewWriter(w io.Writer) *Writer {
	x := &Writer{w: bufio.NewWriterSize(w, 1<<16)}
	x.put([]byte("XDF:"))
	x.chunk(1, []byte("<?xml version=\"1.0\"?><info><version>1.0</version><origin>rao</origin></info>"))
	return x
}

// Stream adds a stream and returns its number. header is the description of the stream in the XML of Lab Streaming
// Layer. It must have the given format and number of channels.
func (x *Writer) Stream(header []byte, format string, channels int) int {
	id := len(x.streams) + 1
	x.streams = append(x.streams, written{format: format, channels: channels, first: math.NaN()})
	x.chunk(tagHeader, append(binary.LittleEndian.AppendUint32(nil, uint32(id)), header...))
	return id
}

// Samples writes samples of a stream with their times: samples×channels values, or texts if the format is Text.
func (x *Writer) Samples(id int, times, values []float64, texts []string) error {
	s := &x.streams[id-1]
	if n := len(values) + len(texts); n != len(times)*s.channels {
		return fmt.Errorf("the number of values is %d, which does not match %d samples of %d channels", n, len(times),
			s.channels)
	}
	if len(times) == 0 {
		return x.err
	}
	b := binary.LittleEndian.AppendUint32(x.body[:0], uint32(id))
	b = appendLength(b, uint64(len(times)))
	for k, at := range times {
		b = binary.LittleEndian.AppendUint64(append(b, 8), math.Float64bits(at))
		for c := range s.channels {
			switch i := k*s.channels + c; s.format {
			case Text:
				b = append(appendLength(b, uint64(len(texts[i]))), texts[i]...)
			case Float32:
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(values[i])))
			default:
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(values[i]))
			}
		}
	}
	if s.count == 0 {
		s.first = times[0]
	}
	s.last = times[len(times)-1]
	s.count += len(times)
	x.body = b
	x.chunk(tagData, b)
	return x.err
}

// Flush writes buffered data to the underlying writer.
func (x *Writer) Flush() error {
	if err := x.w.Flush(); x.err == nil {
		x.err = err
	}
	return x.err
}

// Close writes the footers of the streams. It does not close the underlying writer.
func (x *Writer) Close() error {
	for k, s := range x.streams {
		text := fmt.Sprintf("<?xml version=\"1.0\"?><info><first_timestamp>%.9f</first_timestamp>"+
			"<last_timestamp>%.9f</last_timestamp><sample_count>%d</sample_count></info>", s.first, s.last, s.count)
		if s.count == 0 {
			text = "<?xml version=\"1.0\"?><info><sample_count>0</sample_count></info>"
		}
		x.chunk(6, append(binary.LittleEndian.AppendUint32(nil, uint32(k+1)), text...))
	}
	return x.Flush()
}

// chunk writes a chunk, preceded by its length.
func (x *Writer) chunk(tag uint16, body []byte) {
	head := appendLength(nil, uint64(len(body)+2))
	x.put(binary.LittleEndian.AppendUint16(head, tag))
	x.put(body)
}

func (x *Writer) put(b []byte) {
	if x.err == nil {
		_, x.err = x.w.Write(b)
	}
}

// appendLength appends the length n, preceded by the number of bytes that n needs.
func appendLength(b []byte, n uint64) []byte {
	switch {
	case n <= math.MaxUint8:
		return append(b, 1, byte(n))
	case n <= math.MaxUint32:
		return binary.LittleEndian.AppendUint32(append(b, 4), uint32(n))
	}
	return binary.LittleEndian.AppendUint64(append(b, 8), n)
}
