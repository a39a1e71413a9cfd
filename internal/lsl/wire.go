package lsl

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"rao/internal/format/ndarray"
	"rao/internal/linalg/vec"
)

// These tags mark a sample without and with a time stamp.
const (
	tagDeduced = 1
	tagStamped = 2
)

// testTime is the time stamp of the test patterns.
const testTime = 123456.789

// maxText limits the length in bytes of a text in a sample.
const maxText = 1 << 20

// byteOrder is binary.LittleEndian or binary.BigEndian.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// codec encodes and decodes the samples of a stream.
type codec struct {
	format   Format
	channels int
	order    byteOrder
	elem     ndarray.Elem
	raw      []byte // bytes of the values of one sample
}

func newCodec(format Format, channels int, order byteOrder) *codec {
	e := formatElems[format]
	e.Big = order == binary.BigEndian
	return &codec{format, channels, order, e, make([]byte, e.Size*channels)}
}

// read reads a sample into values, or into texts if the format is Text. stamped reports whether the sample has a time
// stamp.
func (c *codec) read(r *bufio.Reader, values []float64, texts []string) (at float64, stamped bool, err error) {
	tag, err := r.ReadByte()
	if err != nil {
		return 0, false, err
	}
	switch tag {
	case tagDeduced:
	case tagStamped:
		var b [8]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return 0, false, err
		}
		at, stamped = math.Float64frombits(c.order.Uint64(b[:])), true
		if !vec.Finite(at) {
			return 0, false, &protocolError{fmt.Sprintf("a sample has the time %g", at)}
		}
	default:
		return 0, false, &protocolError{fmt.Sprintf("a sample begins with byte %d", tag)}
	}
	if c.format == Text {
		for k := range c.channels {
			if texts[k], err = c.readText(r); err != nil {
				return 0, false, err
			}
		}
		return at, stamped, nil
	}
	if _, err := io.ReadFull(r, c.raw); err != nil {
		return 0, false, err
	}
	c.elem.DecodeFloat64(values, c.raw)
	return at, stamped, nil
}

// readText reads a text. The text is preceded by its length, and the length by the number of its bytes: 1, 2, 4 or 8.
func (c *codec) readText(r *bufio.Reader) (string, error) {
	size, err := r.ReadByte()
	if err != nil {
		return "", err
	}
	var b [8]byte
	var n uint64
	switch size {
	case 1, 2, 4, 8:
		if _, err := io.ReadFull(r, b[:size]); err != nil {
			return "", err
		}
	default:
		return "", &protocolError{fmt.Sprintf("a text has a length of %d bytes", size)}
	}
	switch size {
	case 1:
		n = uint64(b[0])
	case 2:
		n = uint64(c.order.Uint16(b[:]))
	case 4:
		n = uint64(c.order.Uint32(b[:]))
	case 8:
		n = c.order.Uint64(b[:])
	}
	if n > maxText {
		return "", &protocolError{fmt.Sprintf("a text has %d bytes, more than %d", n, maxText)}
	}
	text := make([]byte, n)
	_, err = io.ReadFull(r, text)
	return string(text), err
}

// appendSample appends the encoding of a sample, with a time stamp if stamped is true.
func (c *codec) appendSample(b []byte, at float64, stamped bool, values []float64, texts []string) []byte {
	if stamped {
		b = c.order.AppendUint64(append(b, tagStamped), math.Float64bits(at))
	} else {
		b = append(b, tagDeduced)
	}
	for _, t := range texts {
		if len(t) <= math.MaxUint8 {
			b = append(b, 1, byte(len(t)))
		} else {
			b = c.order.AppendUint32(append(b, 4), uint32(len(t)))
		}
		b = append(b, t...)
	}
	for _, v := range values {
		switch c.format {
		case Float32:
			b = c.order.AppendUint32(b, math.Float32bits(float32(v)))
		case Float64:
			b = c.order.AppendUint64(b, math.Float64bits(v))
		case Int32:
			b = c.order.AppendUint32(b, uint32(int32(v)))
		case Int16:
			b = c.order.AppendUint16(b, uint16(int16(v)))
		case Int8:
			b = append(b, byte(int8(v)))
		case Int64:
			b = c.order.AppendUint64(b, uint64(int64(v)))
		}
	}
	return b
}

// holds returns an error unless the format can represent the values exactly. Values may be rounded to Float32.
func (f Format) holds(values []float64) error {
	limit := map[Format]float64{Int32: 1 << 31, Int16: 1 << 15, Int8: 1 << 7, Int64: 1 << 63}[f]
	if limit == 0 {
		return nil
	}
	for _, v := range values {
		if v != math.Trunc(v) || !(v >= -limit && v < limit) {
			return fmt.Errorf("a stream of %v cannot represent %g; use a stream of another format", f, v)
		}
	}
	return nil
}

// testPattern computes a test pattern. A stream begins with two test patterns, with offsets 4 and 2.
func testPattern(f Format, offset int, values []float64, texts []string) {
	for k := range texts {
		texts[k] = strconv.Itoa((k + 10) * (1 - 2*(k%2)))
	}
	more := map[Format]int64{Float64: 16777217, Int32: 65537, Int16: 257, Int8: 1, Int64: 2147483649}[f]
	wrap := map[Format]int64{Int32: math.MaxInt32, Int16: math.MaxInt16, Int8: math.MaxInt8}[f]
	for k := range values {
		v := int64(k+offset) + more
		if wrap > 0 {
			v %= wrap
		}
		values[k] = float64(v * int64(1-2*(k%2)))
	}
}

// checkPattern reads the two test patterns. Wrong values mean that the two sides do not use the same format;
// checkPattern then returns an error.
func (c *codec) checkPattern(r *bufio.Reader) error {
	numbers, words := c.buffers()
	want, wantWords := c.buffers()
	for _, offset := range [...]int{4, 2} {
		at, stamped, err := c.read(r, numbers, words)
		if err != nil {
			return err
		}
		testPattern(c.format, offset, want, wantWords)
		if !stamped || at != testTime || !slices.Equal(numbers, want) || !slices.Equal(words, wantWords) {
			return &protocolError{"its test patterns do not match its format"}
		}
	}
	return nil
}

// buffers allocates memory for one sample: numbers or texts.
func (c *codec) buffers() (values []float64, texts []string) {
	if c.format == Text {
		return nil, make([]string, c.channels)
	}
	return make([]float64, c.channels), nil
}

func (c *codec) appendPatterns(b []byte) []byte {
	numbers, words := c.buffers()
	for _, offset := range [...]int{4, 2} {
		testPattern(c.format, offset, numbers, words)
		b = c.appendSample(b, testTime, true, numbers, words)
	}
	return b
}

// protocolError reports that the other side does not use the protocol, or uses another version.
type protocolError struct{ What string }

func (e *protocolError) Error() string { return "the stream violates the protocol: " + e.What }

// isProtocol reports whether an error is the fault of the other side. Connecting again would not help.
func isProtocol(err error) bool {
	var p *protocolError
	return errors.As(err, &p)
}
