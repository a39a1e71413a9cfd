package edf

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rao/internal/eeg/format/signal"
	"rao/internal/format/ndarray"
	"rao/internal/linalg/vec"
)

// events reads the annotations of all records and the breaks between them. If there are no annotations, it reads the
// triggers of a BDF status channel.
func (f *file) events(r *signal.Records, rate float64) (events []signal.Event, breaks []int, err error) {
	var lists []signal.RecordChannel
	for _, c := range f.Channels {
		if c.Annotations {
			lists = append(lists, c)
		}
	}
	if len(lists) > 0 {
		return f.annotations(r, lists, rate)
	}
	for _, c := range f.Channels {
		if c.Triggers {
			events, err = f.triggers(r, c, rate)
			return events, nil, err
		}
	}
	return nil, nil, nil
}

// segment is a series of records without a gap. Its start is given in seconds and in samples.
type segment struct {
	seconds float64
	first   int
}

func (f *file) annotations(r *signal.Records, lists []signal.RecordChannel, rate float64) ([]signal.Event, []int,
	error) {
	var all []annotation
	segments := []segment{{}}
	per := int(math.Round(f.Duration * rate)) // samples per record
	for k := range int(f.Records) {
		buf, err := r.Load(k)
		if err != nil {
			return nil, nil, err
		}
		for i, c := range lists {
			part := buf[c.Offset : c.Offset+c.PerRecord*c.Size]
			list, err := parseAnnotations(part)
			if err != nil {
				return nil, nil, fmt.Errorf("record %d: %w", k, err)
			}
			if i == 0 && len(list) > 0 && list[0].text == "" { // the start time of the record
				last := &segments[len(segments)-1]
				due := last.seconds + float64(k*per-last.first)/rate
				switch gap := list[0].onset - due; {
				case k == 0:
					last.seconds = list[0].onset
				case gap*rate < -0.5:
					return nil, nil, fmt.Errorf("record %d starts %.3g s before the end of the previous one; export "+
						"the recording again", k, -gap)
				case gap*rate > 0.5:
					segments = append(segments, segment{list[0].onset, k * per})
				}
			}
			for _, a := range list {
				if a.text == "" {
					continue
				}
				if len(all) >= signal.MaxEvents {
					return nil, nil, fmt.Errorf("record %d has more than %d annotations, the limit; export fewer "+
						"annotations", k, signal.MaxEvents)
				}
				all = append(all, a)
			}
		}
	}
	var events []signal.Event
	for _, a := range all {
		e, err := place(a, segments, rate)
		if err != nil {
			return nil, nil, err
		}
		events = append(events, e)
	}
	var breaks []int
	for _, s := range segments[1:] {
		breaks = append(breaks, s.first)
	}
	return events, breaks, nil
}

// place converts an annotation to an event. An annotation in a gap is moved to the first sample after the gap.
func place(a annotation, segments []segment, rate float64) (signal.Event, error) {
	k, _ := slices.BinarySearchFunc(segments, a.onset, func(s segment, onset float64) int {
		if s.seconds <= onset+0.5/rate {
			return -1
		}
		return 1
	})
	s := segments[max(k-1, 0)]
	sample, length := math.Round((a.onset-s.seconds)*rate), math.Round(a.duration*rate)
	if math.Abs(sample) > math.MaxInt32 || length > math.MaxInt32 {
		return signal.Event{}, fmt.Errorf("annotation %q at %g s is outside the recording; correct or remove it",
			a.text, a.onset)
	}
	at := s.first + int(sample)
	if k > 0 && k < len(segments) {
		at = min(at, segments[k].first)
	}
	return signal.Event{Sample: at, Code: signal.Code(a.text), Label: a.text, Duration: int(length)}, nil
}

// annotation is one entry of a time-stamped annotation list. text is empty for the entry with the start time of the
// record.
type annotation struct {
	onset, duration float64
	text            string
}

// parseAnnotations parses time-stamped annotation lists: +onset[\x15duration], then texts that each end in \x14, and
// a final NUL.
func parseAnnotations(b []byte) ([]annotation, error) {
	var out []annotation
	for len(b) > 0 {
		end := bytes.IndexByte(b, 0)
		if end < 0 {
			end = len(b)
		}
		tal := string(b[:end])
		b = b[min(end+1, len(b)):]
		if tal == "" {
			continue
		}
		when, texts, found := strings.Cut(tal, "\x14")
		if !found {
			return nil, fmt.Errorf("the annotation %.40q has no text; export the recording again", tal)
		}
		onset, length, timed := strings.Cut(when, "\x15")
		var a annotation
		var err error
		if a.onset, err = seconds(onset); err != nil {
			return nil, err
		}
		if timed && length != "" {
			if a.duration, err = seconds(length); err != nil || a.duration < 0 {
				return nil, fmt.Errorf("the annotation duration %.40q is not a number of seconds of 0 or more; export "+
					"the recording again", length)
			}
		}
		for i, text := range strings.Split(strings.TrimSuffix(texts, "\x14"), "\x14") {
			if text == "" && i > 0 {
				continue
			}
			a.text = strings.TrimSpace(ndarray.DecodeText(text))
			out = append(out, a)
		}
	}
	return out, nil
}

func seconds(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !vec.Finite(v) {
		return 0, fmt.Errorf("the annotation time %.40q is not a number of seconds; export the recording again", s)
	}
	return v, nil
}

// triggers finds the changes of the low 16 bits of the status channel.
func (f *file) triggers(r *signal.Records, c signal.RecordChannel, rate float64) ([]signal.Event, error) {
	if c.PerRecord == 0 {
		return nil, nil
	}
	step := rate * f.Duration / float64(c.PerRecord) // samples of the signals per sample of the status channel
	var events []signal.Event
	last := -1
	for k := range int(f.Records) {
		buf, err := r.Load(k)
		if err != nil {
			return nil, err
		}
		for i := range c.PerRecord {
			p := c.Offset + 3*i
			code := int(buf[p]) | int(buf[p+1])<<8
			if code != last && code != 0 && last >= 0 {
				if len(events) >= signal.MaxEvents {
					return nil, fmt.Errorf("the status channel has more than %d triggers, the limit; split the "+
						"recording", signal.MaxEvents)
				}
				at := (float64(k)*float64(c.PerRecord) + float64(i)) * step
				events = append(events, signal.Event{Sample: int(math.Round(at)), Code: code})
			}
			last = code
		}
	}
	return events, nil
}
