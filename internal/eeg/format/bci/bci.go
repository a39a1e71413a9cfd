// Package bci reads recordings in MAT-files of the BNCI database and of the BCI competitions.
package bci

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rao"
	"rao/internal/eeg/format/signal"
	"rao/internal/format/matfile"
	"rao/internal/format/ndarray"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/text"
)

// Options describe what a file does not contain, and select a part of it.
type Options struct {
	Channels []string // names of all columns, for a file without channel names; nil: ch1, ch2, ...
	Rate     float64  // samples per second, for a file without a rate
	Path     string   // location of the recording in MATLAB notation; may be empty if there is only one
}

// Recording is a recording in memory.
type Recording struct {
	signal.Info
	Data    []float64 // samples×channels
	Unnamed bool      // the file has no channel names
}

// matRecording reads the two layouts of recordings:
//
//	a struct of X (samples×channels), trial (first samples, from 1), y, fs, channels and classes,
//	in a cell array with one struct per run (the BNCI database);
//	variables cnt (samples×channels), mrk (pos, y, className) and nfo (fs, clab, classes)
//	(the Berlin sets of BCI competitions III and IV).
type matRecording struct {
	f   *matfile.File
	opt Options
}

// run contains the parts of a recording in either layout. Missing parts are nil.
type run struct {
	x, rate, names, at, labels, classes *matfile.Value
}

// Open reads a recording. Errors do not name the file.
func Open(f *matfile.File, opt Options) (*Recording, error) {
	m := &matRecording{f: f, opt: opt}
	r, err := m.find()
	if err != nil {
		return nil, err
	}
	return m.recording(r)
}

func (m *matRecording) recording(r *run) (*Recording, error) {
	data, channels, err := r.samples()
	if err != nil {
		return nil, err
	}
	names := r.names.Texts()
	unnamed := names == nil
	if unnamed {
		if names, err = signal.NameChannels(m.opt.Channels, channels); err != nil {
			return nil, err
		}
	}
	if len(names) != channels {
		return nil, fmt.Errorf("the number of names is %d, but the number of channels is %d; every channel needs one "+
			"name", len(names), channels)
	}
	rate, ok := r.rate.Number()
	if !ok {
		rate = m.opt.Rate
	}
	if rate == 0 {
		return nil, rao.Optionf("rate", "the signals have no sampling rate (fs); give it with {rate}")
	}
	events, err := r.events()
	if err != nil {
		return nil, err
	}
	if !vec.Positive(rate) {
		return nil, fmt.Errorf("the sampling rate is %g Hz; it must be positive and finite", rate)
	}
	return &Recording{Data: data, Unnamed: unnamed, Info: signal.Info{Format: "MAT", Channels: signal.Unique(names),
		Rate: rate, Samples: len(data) / channels, Events: events}}, nil
}

// Runs reads all runs of a MAT-file of the BNCI database. The file has a cell array of structs, or a single struct,
// named data. Each struct has the signals X, the first samples of trials, their labels y, the rate fs and the classes.
// If there are no first samples, y has a label for every sample, 0 outside trials. Runs returns one recording per run,
// in the order of the file. opt.Path is ignored. It returns an error if the file is damaged or has another layout, or
// the options do not fit a run.
func Runs(path string, opt Options) ([]*Recording, error) {
	f, err := matfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := f.Lookup("data")
	if data == nil || data.Class != "cell" && data.Class != "struct" {
		return nil, fmt.Errorf("%s: the file has no cell array of runs, so it is not from the BNCI database; give a "+
			"file of this database", path)
	}
	cells, err := f.At("data")
	if err != nil {
		return nil, err
	}
	items := cells.Items
	if cells.Class == "struct" {
		items = []*matfile.Value{cells}
	}
	m := &matRecording{f: f, opt: opt}
	var runs []*Recording
	for k, cell := range items {
		name := fmt.Sprintf("data{%d}", k+1)
		r, err := m.cell(name, cell)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, name, err)
		}
		runs = append(runs, r)
	}
	return runs, nil
}

func (m *matRecording) cell(name string, v *matfile.Value) (*Recording, error) {
	if v == nil || v.Class != "struct" {
		return nil, fmt.Errorf("the run is not a struct of signals and trials; download the file again")
	}
	r, err := inStruct(name, v, "X")
	if err != nil {
		return nil, err
	}
	return m.recording(r)
}

// find reads the part of the file that contains the recording.
func (m *matRecording) find() (*run, error) {
	if m.opt.Path != "" {
		return m.at(m.opt.Path)
	}
	switch {
	case m.f.Lookup("cnt") != nil && m.f.Lookup("mrk") != nil:
		return m.berlin()
	case m.f.Lookup("data") != nil && m.f.Lookup("data").Class == "cell":
		return m.only("data", m.f.Lookup("data").Shape)
	case m.f.Lookup("X") != nil:
		return m.at("X")
	}
	return nil, rao.Optionf("path", "the file has no recording in a known layout; name the part that contains the "+
		"signals with {path}, such as %s or EEG.X; the file has %s", "data{1}", strings.Join(m.f.Names(), ", "))
}

// only reads the only cell of a cell array. If there are several, the error explains how to choose one.
func (m *matRecording) only(name string, shape []int) (*run, error) {
	n := 1
	for _, d := range shape {
		n *= d
	}
	if n != 1 {
		return nil, rao.Optionf("path",
			"%s contains %d recordings; name one with {path}, such as %s, or several, such as %s",
			name, n, name+"{1}", fmt.Sprintf("%s{1:%d}", name, n))
	}
	return m.at(name + "{1}")
}

// at reads the struct at a path, or the signals at a path with the fields or variables next to them.
func (m *matRecording) at(path string) (*run, error) {
	v, err := m.f.At(path)
	if err != nil {
		return nil, err
	}
	signals := "X"
	if v.Class != "struct" {
		dot := strings.LastIndexByte(path, '.')
		if dot < 0 || strings.ContainsAny(path[dot:], "{(") {
			return m.runWithVariables(v)
		}
		signals = path[dot+1:]
		if v, err = m.f.At(path[:dot]); err != nil {
			return nil, err
		}
	}
	return inStruct(path, v, signals)
}

// inStruct reads a struct that contains a recording. signals is the name of the field with its signals.
func inStruct(path string, v *matfile.Value, signals string) (*run, error) {
	switch {
	case v.Len() == 0 || len(v.Fields) == 0:
		return nil, fmt.Errorf("%s is an empty struct; name a struct that contains a recording", path)
	case v.Len() > 1:
		return nil, fmt.Errorf("%s is a struct array of shape %s; name one element, such as %s(1)", path,
			text.Shape(v.Shape), path)
	}
	get := func(name string) *matfile.Value { return v.Field(0, name) }
	if get(signals) == nil {
		return nil,
			fmt.Errorf("%s has no field X of signals, only the fields %s; name the field that contains the signals, "+
				"such as %s.%s", path, strings.Join(v.Fields, ", "), path, v.Fields[min(1, len(v.Fields)-1)])
	}
	return &run{x: get(signals), rate: get("fs"), names: get("channels"), at: get("trial"), labels: get("y"),
		classes: get("classes")}, nil
}

// runWithVariables returns a run with the signals x. The other fields are read from variables of the file.
func (m *matRecording) runWithVariables(x *matfile.Value) (*run, error) {
	r := &run{x: x}
	for _, part := range []struct {
		name string
		to   **matfile.Value
	}{{"fs", &r.rate}, {"channels", &r.names}, {"trial", &r.at}, {"y", &r.labels}, {"classes", &r.classes}} {
		if m.f.Lookup(part.name) == nil {
			continue
		}
		v, err := m.f.At(part.name)
		if err != nil {
			return nil, err
		}
		*part.to = v
	}
	return r, nil
}

func (m *matRecording) berlin() (*run, error) {
	r := new(run)
	var err error
	if r.x, err = m.f.At("cnt"); err != nil {
		return nil, err
	}
	mrk, err := m.f.At("mrk")
	if err != nil {
		return nil, err
	}
	r.at, r.labels, r.classes = mrk.Field(0, "pos"), mrk.Field(0, "y"), mrk.Field(0, "className")
	if m.f.Lookup("nfo") == nil {
		return r, nil
	}
	nfo, err := m.f.At("nfo")
	if err != nil {
		return nil, err
	}
	r.rate, r.names = nfo.Field(0, "fs"), nfo.Field(0, "clab")
	if r.classes == nil {
		r.classes = nfo.Field(0, "classes")
	}
	return r, nil
}

// samples returns the signals as samples×channels, and the number of channels.
func (r *run) samples() ([]float64, int, error) {
	if r.x.Array == nil || r.x.Array.Strings != nil || len(r.x.Shape) != 2 || r.x.Array.Len() == 0 {
		return nil, 0, fmt.Errorf("the signals are of class %s and shape %s; they must have two axes, samples and "+
			"channels",
			r.x.Class, text.Shape(r.x.Shape))
	}
	samples, channels := r.x.Shape[0], r.x.Shape[1]
	if samples <= channels {
		return nil, 0, fmt.Errorf("the signals have %d samples of %d channels, which looks transposed; the first axis "+
			"must be time", samples, channels)
	}
	data, err := ndarray.Contiguous(r.x.Array).ToFloat64()
	return data, channels, err
}

// events returns the trials as events, labeled with their classes. Labels are numbers from 1, or -1 and 1 for the
// first and second class. A label that is not finite, as in the test sets of competitions, makes an event
// "unlabeled".
func (r *run) events() ([]signal.Event, error) {
	at := r.at.Numbers()
	y, classes := r.labels.Numbers(), r.classes.Texts()
	if samples := r.x.Shape[0]; at == nil || len(y) == samples && len(at) != samples {
		// one label per sample; positions, if there are any, mark longer pieces, such as the characters of a speller
		if at, y = onsets(y, samples); at == nil {
			return nil, nil
		}
	}
	if len(y) != 0 {
		if err := indices.CheckOnePer("label", len(y), "trial", len(at)); err != nil {
			return nil, err
		}
	}
	signs := slices.Contains(y, -1)
	events := make([]signal.Event, len(at))
	for k, v := range at {
		if !(v >= 1 && v <= math.MaxInt32) {
			return nil, fmt.Errorf("trial %d begins at sample %g, but samples are numbered from 1; correct the file",
				k+1, v)
		}
		events[k] = signal.Event{Sample: int(v) - 1, Label: "trial"}
		if len(y) == 0 {
			continue
		}
		if !vec.Finite(y[k]) {
			events[k].Label = "unlabeled"
			continue
		}
		if y[k] != math.Trunc(y[k]) || math.Abs(y[k]) > math.MaxInt32 {
			return nil, fmt.Errorf("trial %d has the label %g; labels must be whole numbers", k+1, y[k])
		}
		code := int(y[k])
		events[k].Code, events[k].Label = code, strconv.Itoa(code)
		if signs && (code == -1 || code == 1) {
			code = (code + 3) / 2
		}
		if code >= 1 && code <= len(classes) {
			events[k].Label = classes[code-1]
		}
	}
	slices.SortStableFunc(events, func(a, b signal.Event) int { return a.Sample - b.Sample })
	return events, nil
}

// onsets returns the sample numbers, from 1, at which nonzero labels begin, and these labels. y has one label per
// sample, 0 where nothing happens. If y has another length, both are nil.
func onsets(y []float64, samples int) (at, labels []float64) {
	if len(y) != samples {
		return nil, nil
	}
	before := 0.0
	for k, v := range y {
		if v != before && v != 0 {
			at, labels = append(at, float64(k+1)), append(labels, v)
		}
		before = v
	}
	return at, labels
}
