// Package xdf reads recordings of Lab Streaming Layer in the Extensible Data Format. One stream of signals is the
// recording; the markers of all other streams are its events.
//
// The clock offsets in the file are used to convert all streams to one clock: a line is fitted to them with Huber's
// loss, separately after each reset. The times of a regular stream are replaced by a straight line in each piece
// without a break, which removes jitter. The thresholds are the same as in the package pyxdf. Breaks in the stream of
// signals are breaks of the recording.
package xdf

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"rao"
	"rao/internal/eeg/format/signal"
	"rao/internal/format/gunzip"
	"rao/internal/format/ndarray"
	"rao/internal/linalg/vec"
)

var le = binary.LittleEndian

// These are the tags of chunks.
const (
	tagHeader = 2
	tagData   = 3
	tagClock  = 4
)

const (
	maxChunk    = 1 << 30
	maxXML      = 1 << 26
	maxStreams  = 1 << 12
	maxChannels = 1 << 16
)

// Is reports whether head is the start of an XDF file.
func Is(head []byte) bool { return bytes.HasPrefix(head, []byte("XDF:")) }

// Open reads a recording. name is the name, type or number of the stream of signals; it may be empty if there is only
// one choice.
func Open(path, name string) (signal.Reader, error) {
	f, err := gunzip.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	file, err := read(f)
	var r signal.Reader
	if err == nil {
		r, err = file.recording(name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

type file struct {
	streams []*stream // in the order of their headers
	cut     bool      // the last chunk is incomplete
}

type stream struct {
	id     uint32
	head   header
	elem   ndarray.Elem // type of the values; its size is 0 for text
	times  []float64    // time of each sample, on the clock of the stream
	values []float64    // samples×channels
	texts  []string     // samples×channels
	clock  [][2]float64 // pairs of a time on the clock of the stream and the offset to add to it
	pieces [][2]int     // first and last sample of each piece between breaks
}

type header struct {
	Name     string  `xml:"name"`
	Type     string  `xml:"type"`
	Channels int     `xml:"channel_count"`
	Rate     float64 `xml:"nominal_srate"`
	Format   string  `xml:"channel_format"`
	Labels   []struct {
		Label    string `xml:"label"`
		Unit     string `xml:"unit"`
		Type     string `xml:"type"`
		Status   string `xml:"status"` // rao writes "bad" here for bad channels
		Location struct {
			X string `xml:"X"`
			Y string `xml:"Y"`
			Z string `xml:"Z"`
		} `xml:"location"`
	} `xml:"desc>channels>channel"`
	Reference string `xml:"desc>reference>label"`
}

func read(src io.Reader) (*file, error) {
	r := bufio.NewReaderSize(src, 1<<16)
	var magic [4]byte
	if _, err := io.ReadFull(r, magic[:]); err != nil || string(magic[:]) != "XDF:" {
		return nil, errors.New("not an XDF file: it does not begin with \"XDF:\"; copy or record it again")
	}
	f := new(file)
	byID := map[uint32]*stream{}
	var chunk bytes.Buffer
	for {
		length, err := length(r)
		if err == io.EOF {
			return f, nil
		}
		if err == nil && (length < 2 || length > maxChunk) {
			err = fmt.Errorf("a chunk declares %d bytes; the file is corrupt, so copy it again", length)
		}
		if err != nil {
			return nil, err
		}
		chunk.Reset()
		if n, err := io.CopyN(&chunk, r, int64(length)); err != nil {
			if err != io.EOF {
				return nil, err
			}
			f.cut = n > 0
			return f, nil // keep what was recorded before
		}
		if err := f.chunk(byID, chunk.Bytes()); err != nil {
			return nil, err
		}
	}
}

// length reads a length that is preceded by the number of its bytes.
func length(r io.ByteReader) (uint64, error) {
	n, err := r.ReadByte()
	if err != nil {
		return 0, err
	}
	if n != 1 && n != 4 && n != 8 {
		return 0, fmt.Errorf("a chunk has a length field of %d bytes; the file is corrupt, so copy it again", n)
	}
	var v uint64
	for i := range n {
		b, err := r.ReadByte()
		if err != nil {
			return 0, io.EOF
		}
		v |= uint64(b) << (8 * i)
	}
	return v, nil
}

func (f *file) chunk(byID map[uint32]*stream, b []byte) error {
	tag := le.Uint16(b)
	if tag != tagHeader && tag != tagData && tag != tagClock {
		return nil
	}
	if len(b) < 6 {
		return fmt.Errorf("a chunk of kind %d has %d bytes; the file is corrupt, so copy it again", tag, len(b))
	}
	id, b := le.Uint32(b[2:]), b[6:]
	s := byID[id]
	if tag == tagHeader {
		if s != nil {
			return fmt.Errorf("stream %d has two headers; the file is corrupt, so copy it again", id)
		}
		if len(byID) == maxStreams {
			return fmt.Errorf("the file has more than %d streams; record fewer streams per file", maxStreams)
		}
		s, err := newStream(id, b)
		if err != nil {
			return err
		}
		byID[id] = s
		f.streams = append(f.streams, s)
		return nil
	}
	if s == nil {
		return fmt.Errorf("a chunk of stream %d precedes the header of the stream; the file is corrupt, so copy it "+
			"again", id)
	}
	if tag == tagClock {
		if len(b) < 16 {
			return fmt.Errorf("a clock offset has %d bytes; the file is corrupt, so copy it again", len(b))
		}
		t, v := math.Float64frombits(le.Uint64(b)), math.Float64frombits(le.Uint64(b[8:]))
		if !vec.Finite(t + v) {
			return fmt.Errorf("stream %d has a clock offset of %g at %g; the file is corrupt, so copy it again", id, v,
				t)
		}
		s.clock = append(s.clock, [2]float64{t, v})
		return nil
	}
	if err := s.samples(b); err != nil {
		return fmt.Errorf("stream %d (%s): %w", id, s.head.Name, err)
	}
	return nil
}

// formats are the formats of values. Text has no size.
var formats = map[string]ndarray.Elem{"float32": {Kind: 'f', Size: 4}, "double64": {Kind: 'f', Size: 8},
	"int8": {Kind: 'i', Size: 1}, "int16": {Kind: 'i', Size: 2}, "int32": {Kind: 'i', Size: 4},
	"int64": {Kind: 'i', Size: 8}, "string": {}}

// newStream parses the header of a stream.
func newStream(id uint32, text []byte) (*stream, error) {
	s := &stream{id: id}
	if len(text) > maxXML {
		return nil, fmt.Errorf("the header of stream %d has %d bytes, more than the limit of %d; the file is corrupt, "+
			"so copy it again", id, len(text), maxXML)
	}
	// as parseInfo of package lsl, which would link the network into programs that only read files
	d := xml.NewDecoder(strings.NewReader(strings.ToValidUTF8(string(text), "\ufffd")))
	d.Strict = false
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	if err := d.Decode(&s.head); err != nil {
		return nil, fmt.Errorf("the header of stream %d cannot be read: %w; the file is corrupt, so copy it "+
			"again", id, err)
	}
	h := &s.head
	var known bool
	if s.elem, known = formats[h.Format]; !known {
		return nil, fmt.Errorf("stream %d (%s) has values of the unknown format %q; copy the file again, or record "+
			"the stream in a standard format", id, h.Name, h.Format)
	}
	if h.Channels < 1 || h.Channels > maxChannels || !vec.NotNegative(h.Rate) {
		return nil, fmt.Errorf("stream %d (%s) has %d channels at %g Hz; the file is corrupt, so copy it again",
			id, h.Name, h.Channels, h.Rate)
	}
	return s, nil
}

// samples appends the samples of a chunk. A sample without a time stamp is one sampling interval after the previous
// one.
func (s *stream) samples(b []byte) error {
	r := bytes.NewReader(b)
	count, err := length(r)
	least := uint64(1 + max(s.elem.Size, 1)*s.head.Channels)
	if err == nil && count > uint64(r.Len())/least {
		err = fmt.Errorf("a chunk declares %d samples in %d bytes; the file is corrupt, so copy it again", count,
			len(b))
	}
	if err != nil {
		return err
	}
	b = b[len(b)-r.Len():]
	ends := errors.New("a chunk ends within a sample; the file is corrupt, so copy it again")
	for range count {
		if len(b) < 1 {
			return ends
		}
		stamp := b[0]
		b = b[1:]
		t := 0.0
		if n := len(s.times); n > 0 {
			t = s.times[n-1]
		}
		if s.head.Rate > 0 {
			t += 1 / s.head.Rate
		}
		if stamp != 0 {
			if len(b) < 8 {
				return ends
			}
			t, b = math.Float64frombits(le.Uint64(b)), b[8:]
		}
		if !vec.Finite(t) {
			return fmt.Errorf("sample %d has the time %g; the file is corrupt, so copy it again", len(s.times), t)
		}
		s.times = append(s.times, t)
		if s.elem.Size == 0 {
			if b, err = s.words(b); err != nil {
				return ends
			}
			continue
		}
		bytes, n := s.elem.Size*s.head.Channels, len(s.values)
		if len(b) < bytes {
			return ends
		}
		s.values = append(s.values, make([]float64, s.head.Channels)...)
		s.elem.DecodeFloat64(s.values[n:], b)
		b = b[bytes:]
	}
	return nil
}

// words reads the texts of one sample and returns the remaining bytes.
func (s *stream) words(b []byte) ([]byte, error) {
	for range s.head.Channels {
		r := bytes.NewReader(b)
		n, err := length(r)
		if err != nil || n > uint64(r.Len()) {
			return nil, io.ErrUnexpectedEOF
		}
		b = b[len(b)-r.Len():]
		s.texts = append(s.texts, ndarray.DecodeText(string(b[:n])))
		b = b[n:]
	}
	return b, nil
}

// choose finds the stream of signals by its name, its type, or its number, from 1, among the streams of signals.
func (f *file) choose(name string) (*stream, error) {
	var list []string
	var all, fit []*stream
	for _, s := range f.streams {
		if s.elem.Size == 0 || s.head.Rate == 0 {
			continue
		}
		all, list = append(all, s), append(list, fmt.Sprintf("%d (%q of type %q, %d channels at %g Hz)", len(list)+1,
			s.head.Name, s.head.Type, s.head.Channels, s.head.Rate))
		if name != "" && (s.head.Name == name || s.head.Type == name) || name == "" &&
			strings.EqualFold(s.head.Type, "eeg") {
			fit = append(fit, s)
		}
	}
	if n, err := strconv.Atoi(name); err == nil && len(fit) == 0 && n >= 1 && n <= len(all) {
		return all[n-1], nil
	}
	switch {
	case len(all) == 0:
		return nil, errors.New("the file has no stream of signals; use a recording with at least one")
	case len(fit) == 1:
		return fit[0], nil
	case len(fit) == 0 && name != "":
		return nil, fmt.Errorf("the file has no stream of signals %q; its streams are %s",
			name, strings.Join(list, ", "))
	case len(all) == 1:
		return all[0], nil
	}
	return nil, rao.Optionf("stream",
		"the file has %d streams of signals; select one by name or number with {stream}: %s", len(all),
		strings.Join(list, ", "))
}
