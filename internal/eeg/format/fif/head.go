package fif

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"rao/internal/eeg/format/signal"
	"rao/internal/format/ndarray"
	"rao/internal/linalg/vec"
)

const (
	maxChannels = 1 << 16
	maxBuffer   = 1 << 28 // bytes in one run of samples
)

// part is the contents of one file of a recording.
type part struct {
	walker
	info      signal.Info
	gain      []float64
	count     int // number of channels according to the header
	long      []string
	date      float64
	first     int // number of the first sample, in the numbering of events and annotations
	skip      int // buffers that were skipped before the next one
	skipped   int // samples that were skipped before the next buffer
	samples   int
	buffers   []buffer
	codes     [][3]int // events of epochs: sample, previous code, code
	names     map[int]string
	epoch     [2]int // first and last sample of each epoch, relative to its event
	epochs    tag
	onset     []float64
	end       []float64
	texts     []string
	origin    float64
	next      string
	nextRole  int
	hasOrigin bool
	average   bool // whether the projector read last is the average reference
}

// add reads the tags of one file and appends its samples. It returns the name of the file in which the recording
// continues, or "".
func (r *Reader) add(data io.ReaderAt, size int64) (next string, err error) {
	p := &part{walker: walker{r: data, size: size}, names: map[int]string{}}
	if err := p.walk(p.visit); err != nil {
		return "", err
	}
	if err := p.check(); err != nil {
		return "", err
	}
	if p.epochs.size > 0 {
		if err := p.cutEpochs(); err != nil {
			return "", err
		}
	}
	if r.gain == nil {
		r.info, r.gain = p.info, p.gain
		p.annotate()
		r.info.Events = p.info.Events
	} else if !slices.Equal(r.info.Channels, p.info.Channels) || r.info.Rate != p.info.Rate {
		return "", errors.New("its channels or its sampling rate do not match the previous part; check that both " +
			"files belong to one recording")
	} else {
		for _, e := range p.info.Events {
			e.Sample += r.info.Samples
			r.info.Events = append(r.info.Events, e)
		}
	}
	if p.samples > math.MaxInt32-r.info.Samples {
		return "", fmt.Errorf("the recording has more than %d samples, the limit; split the recording", math.MaxInt32)
	}
	for _, b := range p.buffers {
		b.first += r.info.Samples
		if b.planar && b.first > 0 {
			r.info.Breaks = append(r.info.Breaks, b.first)
		}
		r.buffers = append(r.buffers, b)
	}
	r.info.Samples += p.samples
	if p.nextRole == 2 {
		return p.next, nil
	}
	return "", nil
}

func (p *part) visit(t tag) error {
	switch {
	case p.in(blockAnnotations):
		return p.annotation(t)
	case p.in(blockEvents):
		return p.event(t)
	case p.in(blockEpochs):
		return p.epochTag(t)
	case p.directly(blockReference):
		return p.reference(t)
	case p.directly(blockProjection):
		return p.projection(t)
	case p.in(blockInfo):
		return p.header(t)
	}
	return p.samplesTag(t)
}

// header processes a tag in the description of the measurement.
func (p *part) header(t tag) error {
	switch {
	case p.directly(blockBad) && t.kind == tagNames:
		b, err := p.bytes(t)
		p.info.Bad = list(string(b))
		return err
	case p.directly(blockChannel) && t.kind == tagLongName:
		b, err := p.bytes(t)
		p.long = append(p.long, ndarray.Text(b))
		return err
	case !p.directly(blockInfo):
		return nil
	case t.kind == tagRate:
		v, err := p.floats(t)
		if err == nil && (len(v) != 1 || !vec.Positive(v[0])) {
			err = fmt.Errorf("the sampling rate is %v Hz; the file is corrupt, so copy it again", v)
		}
		if err == nil {
			p.info.Rate = v[0]
		}
		return err
	case t.kind == tagChannels:
		n, err := p.integer(t)
		p.count = n
		return err
	case t.kind == tagDate:
		b, err := p.bytes(t)
		if err == nil && len(b) >= 8 {
			p.date = float64(int32(be.Uint32(b))) + 1e-6*float64(int32(be.Uint32(b[4:])))
		}
		return err
	case t.kind == tagChannel:
		return p.channel(t)
	}
	return nil
}

var kinds = map[int32]string{1: "meg", 2: "eeg", 3: "stim", 102: "bio", 201: "mcg", 202: "eog", 301: "ref_meg",
	302: "emg", 402: "ecg",
	502: "misc", 602: "resp", 802: "seeg", 803: "dbs", 900: "syst", 902: "ecog", 910: "ias", 920: "exci", 1100: "fnirs",
	1200: "temperature", 1300: "gsr", 1400: "eyetrack"}

// channel processes the description of a channel: scanno, logno, kind, range, cal, coil, loc (12), unit, multiplier,
// name (16).
func (p *part) channel(t tag) error {
	b, err := p.bytes(t)
	if err != nil {
		return err
	}
	if len(b) < 96 {
		return fmt.Errorf("the description of channel %d has %d bytes, fewer than 96; the file is corrupt, so copy it "+
			"again", len(p.gain)+1, len(b))
	}
	if len(p.gain) == maxChannels {
		return fmt.Errorf("the file describes more than %d channels, the limit; drop channels in MNE", maxChannels)
	}
	number := func(k int) float64 { return float64(math.Float32frombits(be.Uint32(b[k:]))) }
	gain := number(12) * number(16)
	name := ndarray.Text(b[80:96])
	if gain == 0 || !vec.Finite(gain) {
		return fmt.Errorf("channel %s has the calibration factor %g; the file is corrupt, so copy it again", name, gain)
	}
	kind := cmp.Or(kinds[int32(be.Uint32(b[8:]))], "other")
	place := [3]float64{number(24), number(28), number(32)}
	if s := place[0] + place[1] + place[2]; !vec.Finite(s) || kind != "eeg" {
		place = [3]float64{}
	}
	p.gain = append(p.gain, gain)
	p.info.Channels = append(p.info.Channels, name)
	p.info.Types = append(p.info.Types, kind)
	p.info.Positions = append(p.info.Positions, place)
	p.info.Units = append(p.info.Units, unit(int32(be.Uint32(b[72:])), int32(be.Uint32(b[76:]))))
	return nil
}

// unit returns the name of a unit with the prefix for a power of ten, or "" if either is unknown.
func unit(code, power int32) string {
	name := map[int32]string{107: "V", 112: "T", 201: "T/m"}[code]
	prefix, known := map[int32]string{0: "", -3: "m", -6: "u", -9: "n", -12: "p", -15: "f"}[power]
	if name == "" || !known {
		return ""
	}
	return prefix + name
}

// check returns an error unless the description is complete.
func (p *part) check() error {
	n := len(p.gain)
	switch {
	case n == 0 || p.info.Rate == 0:
		return errors.New("the file does not describe channels and a sampling rate, so it is not a recording; name " +
			"another file")
	case p.count != n:
		return fmt.Errorf("the file describes %d channels but declares %d; it is corrupt, so copy it again", n, p.count)
	case p.nextRole == 2 && p.next == "":
		return errors.New("the file continues in another file but does not name that file; save the recording again")
	}
	if len(p.long) == n {
		for i, name := range p.long {
			for k, b := range p.info.Bad {
				if b == p.info.Channels[i] {
					p.info.Bad[k] = name
				}
			}
			p.info.Channels[i] = name
		}
	}
	p.info.Format = "FIF"
	return nil
}

// projection processes the kind of a projector and whether it has been applied.
func (p *part) projection(t tag) error {
	if t.kind != tagProjection && t.kind != tagActive {
		return nil
	}
	v, err := p.integer(t)
	if t.kind == tagProjection {
		p.average = v == averageReference
	} else if p.average {
		p.info.AverageDue = v == 0
	}
	return err
}

// reference processes the name of the next file.
func (p *part) reference(t tag) error {
	switch t.kind {
	case tagRole:
		role, err := p.integer(t)
		if p.nextRole != 2 {
			p.nextRole = role
		}
		return err
	case tagNextName:
		b, err := p.bytes(t)
		if p.nextRole == 2 && p.next == "" {
			p.next = ndarray.Text(b)
		}
		return err
	}
	return nil
}

// annotation processes the onsets, ends and texts of annotations.
func (p *part) annotation(t tag) (err error) {
	switch t.kind {
	case tagBegin:
		p.onset, err = p.floats(t)
	case tagEnd:
		p.end, err = p.floats(t)
	case tagText:
		var b []byte
		b, err = p.bytes(t)
		p.texts = list(string(b))
	case tagDate:
		var b []byte
		if b, err = p.bytes(t); err == nil && len(b) >= 8 && t.typ == typeInt {
			p.origin, p.hasOrigin = float64(int32(be.Uint32(b)))+1e-6*float64(int32(be.Uint32(b[4:]))), true
		} else if v, bad := p.floats(t); err == nil && bad == nil && len(v) == 1 {
			p.origin, p.hasOrigin = v[0], true
		}
	}
	return err
}

// annotate converts annotations to events. It does nothing for epochs, which have their own events.
func (p *part) annotate() {
	if len(p.codes) > 0 {
		return
	}
	shift := -float64(p.first)
	if p.hasOrigin && p.date != 0 {
		shift += (p.origin - p.date) * p.info.Rate
	}
	for k := range min(len(p.onset), len(p.texts)) {
		at := math.RoundToEven(p.onset[k]*p.info.Rate + shift)
		if !(math.Abs(at) <= math.MaxInt32) {
			continue
		}
		e := signal.Event{Sample: int(at), Label: p.texts[k], Code: signal.Code(p.texts[k])}
		if k < len(p.end) {
			if d := math.Round((p.end[k] - p.onset[k]) * p.info.Rate); d > 0 && d <= math.MaxInt32 {
				e.Duration = int(d)
			}
		}
		p.info.Events = append(p.info.Events, e)
	}
}

// event processes the event list of an epochs file and the names of event codes.
func (p *part) event(t tag) error {
	switch t.kind {
	case tagEventList:
		b, err := p.bytes(t)
		for ; len(b) >= 12; b = b[12:] {
			p.codes = append(p.codes,
				[3]int{int(int32(be.Uint32(b))), int(int32(be.Uint32(b[4:]))), int(int32(be.Uint32(b[8:])))})
		}
		return err
	case tagText:
		b, err := p.bytes(t)
		for _, word := range strings.Split(ndarray.DecodeText(strings.TrimRight(string(b), "\x00")), ";") {
			k := strings.LastIndexByte(word, ':')
			if k < 0 {
				continue
			}
			if code, bad := strconv.Atoi(word[k+1:]); bad == nil && p.names[code] == "" {
				p.names[code] = plain(word[:k])
			}
		}
		return err
	}
	return nil
}

// list splits a list of names at colons.
func list(text string) []string {
	text = ndarray.DecodeText(strings.TrimRight(text, "\x00"))
	if text == "" {
		return nil
	}
	names := strings.Split(text, ":")
	for i := range names {
		names[i] = strings.TrimSpace(plain(names[i]))
	}
	return names
}

// plain replaces the escape sequence for a colon in a name.
func plain(name string) string { return strings.ReplaceAll(name, "{COLON}", ":") }
