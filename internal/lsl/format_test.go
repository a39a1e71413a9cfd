package lsl

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"rao/internal/testkit"
)

// sampleOf returns a sample in the given format, with values that are hard to represent.
func sampleOf(f Format) (values []float64, texts []string) {
	switch f {
	case Text:
		return nil, []string{"", "left", strings.Repeat("ü", 300)}
	case Float32:
		return []float64{0, -1.5, float64(float32(math.Pi))}, nil
	case Float64:
		return []float64{math.Inf(-1), math.SmallestNonzeroFloat64, math.Pi}, nil
	case Int8:
		return []float64{-128, 127, 0}, nil
	case Int16:
		return []float64{-32768, 32767, 258}, nil
	case Int32:
		return []float64{-1 << 31, 1<<31 - 1, 65538}, nil
	}
	return []float64{-1 << 63, 1 << 53, -3}, nil
}

func TestSamplesOfEveryFormat(t *testing.T) {
	for f := range Format(len(formatNames)) {
		for _, order := range []byteOrder{binary.LittleEndian, binary.BigEndian} {
			c := newCodec(f, 3, order)
			values, texts := sampleOf(f)
			testkit.NoError(t, f.holds(values))
			b := c.appendPatterns(nil)
			b = c.appendSample(b, 17.25, true, values, texts)
			b = c.appendSample(b, 0, false, values, texts)
			r := bufio.NewReader(bytes.NewReader(b))
			testkit.NoError(t, c.checkPattern(r), f)
			got, words := c.buffers()
			for _, stamped := range []bool{true, false} {
				at, has, err := c.read(r, got, words)
				if err != nil || has != stamped || stamped && at != 17.25 {
					t.Fatalf("%v: %v %v %v", f, at, has, err)
				}
				testkit.EqualSlices(t, got, values, f, order)
				testkit.EqualSlices(t, words, texts, f, order)
			}
			if _, _, err := c.read(r, got, words); err != io.EOF {
				t.Errorf("%v: %v at the end", f, err)
			}
		}
		testkit.Equal(t, testkit.Must(parseFormat(f.String()))(t), f)
	}
	if _, err := parseFormat("float16"); err == nil || Format(99).valid() {
		t.Error("an unknown format passes")
	}
}

func TestFormatsRefuseWhatTheyCannotHold(t *testing.T) {
	for f, v := range map[Format]float64{Int8: 128, Int16: 0.5, Int32: math.NaN(), Int64: math.Inf(1)} {
		testkit.Fails(t, f.holds([]float64{0, v}), f, "holds", v)
	}
}

// Bytes that are not a sample are a protocol error. If the data end within a sample, the error is io.ErrUnexpectedEOF.
func TestBrokenSamples(t *testing.T) {
	nan := binary.LittleEndian.AppendUint64([]byte{tagStamped}, math.Float64bits(math.NaN()))
	for what, c := range map[string]struct {
		format Format
		data   string
		want   string
	}{
		"tag":       {Float32, "\x07", "begins with byte 7"},
		"time":      {Float32, string(nan), "has the time NaN"},
		"size":      {Text, "\x01\x03", "a length of 3 bytes"},
		"long text": {Text, "\x01\x04\xff\xff\xff\xff", "a text has 4294967295 bytes"},
		"amidst":    {Float64, "\x01abc", "unexpected EOF"},
		"in time":   {Float64, "\x02abc", "unexpected EOF"},
		"in text":   {Text, "\x01\x01\x05ab", "unexpected EOF"},
	} {
		codec := newCodec(c.format, 1, binary.LittleEndian)
		values, texts := codec.buffers()
		_, _, err := codec.read(bufio.NewReader(strings.NewReader(c.data)), values, texts)
		testkit.ErrorContains(t, err, c.want, what)
		var p *protocolError
		if errors.As(err, &p) == strings.Contains(c.want, "EOF") {
			t.Errorf("%s: a protocol error: %v", what, p != nil)
		}
	}
	c := newCodec(Int16, 2, binary.LittleEndian)
	wrong := newCodec(Int16, 2, binary.BigEndian).appendPatterns(nil)
	testkit.Fails(t, c.checkPattern(bufio.NewReader(bytes.NewReader(wrong))), "the patterns of another byte order pass")
}
