// Package eeglab reads EEGLAB data sets: .set files with the samples in the file itself or in an .fdt file next to it,
// continuous or epoched.
//
// The file is a MAT-file with a struct EEG, or with the fields of EEG as variables. Latencies of events count samples
// from 1; in an epoched set, the samples of all epochs are numbered consecutively. The reader returns them in this
// order, with a break between epochs. Events of type boundary become breaks.
package eeglab

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"

	"rao/internal/eeg/format/signal"
	"rao/internal/format/matfile"
	"rao/internal/format/ndarray"
	"rao/internal/format/regular"
	"rao/internal/linalg/vec"
)

// maxChannels limits the number of channels of a recording.
const maxChannels = 1 << 16

// fields lists the fields of EEG that rao reads.
var fields = []string{"data", "nbchan", "pnts", "trials", "srate", "chanlocs", "event"}

// Open opens a recording; the caller closes it.
func Open(path string) (signal.Reader, error) {
	f, err := matfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := open(f, path)
	if err != nil && !strings.HasPrefix(err.Error(), path) {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return r, err
}

// Is reports whether a MAT-file is an EEGLAB data set.
func Is(f *matfile.File) bool {
	v := f.Lookup("EEG")
	return v != nil && v.Class == "struct" || f.Lookup("srate") != nil && f.Lookup("pnts") != nil &&
		f.Lookup("data") != nil
}

type set struct {
	field        func(name string) *matfile.Value
	info         signal.Info
	pnts, trials int
}

func open(f *matfile.File, path string) (signal.Reader, error) {
	s, err := load(f)
	if err != nil {
		return nil, err
	}
	if err := s.header(); err != nil {
		return nil, err
	}
	if err := s.channels(); err != nil {
		return nil, err
	}
	if err := s.events(); err != nil {
		return nil, err
	}
	return s.samples(path)
}

// load reads the fields of EEG, in a struct or as variables.
func load(f *matfile.File) (*set, error) {
	if f.Lookup("EEG") != nil {
		v, err := f.Select("EEG", fields...)
		if err != nil {
			return nil, err
		}
		if v.Len() != 1 {
			return nil, fmt.Errorf("the variable EEG contains %d data sets; save each to a separate file", v.Len())
		}
		return &set{field: func(name string) *matfile.Value { return v.Field(0, name) }}, nil
	}
	if !Is(f) {
		return nil, fmt.Errorf("the file has neither the variable EEG nor srate, pnts and data; its variables are %s",
			strings.Join(f.Names(), ", "))
	}
	values := map[string]*matfile.Value{}
	for _, name := range fields {
		if f.Lookup(name) == nil {
			continue
		}
		v, err := f.At(name)
		if err != nil {
			return nil, err
		}
		values[name] = v
	}
	return &set{field: func(name string) *matfile.Value { return values[name] }}, nil
}

// count reads an integer field. If the field is empty and absent is positive, it returns absent.
func (s *set) count(name string, absent, limit int) (int, error) {
	v, ok := s.field(name).Number()
	if !ok {
		if absent > 0 && s.field(name).Len() == 0 {
			return absent, nil
		}
		return 0, fmt.Errorf("EEG.%s is not a number; save the data set again with pop_saveset", name)
	}
	if !(v >= 1 && v <= float64(limit)) || v != math.Trunc(v) {
		return 0, fmt.Errorf("EEG.%s is %g, not an integer from 1 to %d; save the data set again with pop_saveset",
			name, v, limit)
	}
	return int(v), nil
}

func (s *set) header() error {
	n, err := s.count("nbchan", 0, maxChannels)
	if err != nil {
		return err
	}
	if s.pnts, err = s.count("pnts", 0, math.MaxInt32); err != nil {
		return err
	}
	if s.trials, err = s.count("trials", 1, math.MaxInt32/s.pnts); err != nil {
		return err
	}
	rate, ok := s.field("srate").Number()
	if !ok || !vec.Positive(rate) {
		return fmt.Errorf("EEG.srate is %g, not a positive number of hertz; save the data set again with pop_saveset",
			rate)
	}
	s.info = signal.Info{Format: "EEGLAB", Channels: make([]string, n), Units: make([]string, n), Rate: rate,
		Samples: s.pnts * s.trials}
	for k := 1; k < s.trials; k++ {
		s.info.Breaks = append(s.info.Breaks, k*s.pnts)
	}
	if s.trials > 1 {
		s.info.Format = fmt.Sprintf("EEGLAB, %d epochs", s.trials)
	}
	for i := range s.info.Units {
		s.info.Units[i] = "uV"
	}
	return nil
}

// channels reads the names, kinds and positions of the channels.
func (s *set) channels() error {
	locs, n := s.field("chanlocs"), len(s.info.Channels)
	if locs.Len() == 0 {
		for i := range n {
			s.info.Channels[i] = fmt.Sprintf("EEG %03d", i+1)
		}
		return nil
	}
	if locs.Class != "struct" || locs.Len() != n {
		return fmt.Errorf("EEG.chanlocs is of class %s and has %d entries for %d channels; it must be a struct with "+
			"one entry per channel", locs.Class, locs.Len(), n)
	}
	s.info.Types, s.info.Positions = make([]string, n), make([][3]float64, n)
	for i := range n {
		name, ok := locs.Field(i, "labels").Text()
		if name = strings.TrimSpace(name); !ok || name == "" {
			return fmt.Errorf("channel %d of EEG.chanlocs has no label; name the channel in EEGLAB", i+1)
		}
		s.info.Channels[i] = name
		kind, _ := locs.Field(i, "type").Text()
		s.info.Types[i] = strings.ToLower(strings.TrimSpace(kind))
		x, okX := locs.Field(i, "X").Number()
		y, okY := locs.Field(i, "Y").Number()
		z, okZ := locs.Field(i, "Z").Number()
		if okX && okY && okZ && vec.Finite(x+y+z) {
			s.info.Positions[i] = [3]float64{-y, x, z} // in EEGLAB, x points to the nose and y to the left
		}
	}
	return nil
}

func (s *set) events() error {
	ev := s.field("event")
	if ev.Len() == 0 {
		return nil
	}
	if ev.Class != "struct" {
		return fmt.Errorf("EEG.event is of class %s, not a struct; save the data set again with pop_saveset", ev.Class)
	}
	for k := range ev.Len() {
		latency, ok := ev.Field(k, "latency").Number()
		if !ok || math.IsNaN(latency) {
			continue // EEGLAB ignores it too
		}
		if math.Abs(latency) > math.MaxInt32 {
			return fmt.Errorf("EEG.event(%d).latency is %g samples, which is outside of the recording; correct or "+
				"delete the "+
				"event in EEGLAB", k+1, latency)
		}
		e := signal.Event{Sample: int(math.RoundToEven(latency - 1))}
		if text, ok := ev.Field(k, "type").Text(); ok {
			e.Label = strings.TrimSpace(text)
		} else if code, ok := ev.Field(k, "type").Number(); ok {
			e.Label = fmt.Sprintf("%g", code)
		}
		e.Code = signal.Code(e.Label)
		if d, ok := ev.Field(k, "duration").Number(); ok && d > 0 && d <= math.MaxInt32 {
			e.Duration = int(math.Round(d))
		}
		if e.Label == "boundary" {
			if at := int(math.Ceil(latency - 1)); at > 0 && at < s.info.Samples {
				s.info.Breaks = append(s.info.Breaks, at)
			}
			continue
		}
		s.info.Events = append(s.info.Events, e)
	}
	signal.Sort(&s.info)
	return nil
}

// samples returns a reader of the values, which are in the set itself or in a file next to it.
func (s *set) samples(path string) (signal.Reader, error) {
	want := s.info.Samples * len(s.info.Channels)
	data := s.field("data")
	name, isName := data.Text()
	if !isName || name == "" {
		values := data.Numbers()
		if len(values) != want {
			return nil, fmt.Errorf("EEG.data has %d values, but %d channels × %d samples × %d epochs need %d; save "+
				"the data set again",
				len(values), len(s.info.Channels), s.pnts, s.trials, want)
		}
		return signal.NewMemory(&s.info, values), nil
	}
	if !signal.IsFileName(name) {
		return nil, fmt.Errorf("EEG.data is %q, not a file name without a folder; save the data set again with "+
			"pop_saveset", name)
	}
	if strings.EqualFold(filepath.Ext(name), ".dat") {
		return nil, fmt.Errorf("its samples are in %s, a form of old EEGLAB versions; load and save the data set "+
			"again in EEGLAB", name)
	}
	f, err := regular.Open(filepath.Join(filepath.Dir(path), name))
	if errors.Is(err, fs.ErrNotExist) { // the set may have been renamed
		if g, other := regular.Open(strings.TrimSuffix(path, filepath.Ext(path)) + ".fdt"); other == nil {
			f, err = g, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the file with its samples cannot be opened: %w; keep the .set and .fdt files in the "+
			"same folder", err)
	}
	st, err := f.Stat()
	if err == nil && st.Size() != 4*int64(want) {
		err = fmt.Errorf("%s has %d bytes, but %d channels × %d samples × %d epochs need %d, so it is truncated or "+
			"its header is wrong; copy or save it again", name, st.Size(), len(s.info.Channels), s.pnts, s.trials,
			4*int64(want))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &signal.Values{R: f, Closer: f, Elem: ndarray.Elem{Kind: 'f', Size: 4}, Of: &s.info}, nil
}
