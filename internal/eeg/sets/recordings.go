// Package sets registers public EEG data sets with [dataset.Open].
//
// Importing the package also registers the sets with rao/internal/sets, which downloads and imports their files:
//
//	import _ "rao/eeg/sets"
//
// [EachRecording] opens the recordings of a set, and [Trials] cuts trials from them. [dataset.Open] with the name of a
// set returns the covariances of its standard trials. [SSVEP] returns three embedded recordings.
package sets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"rao"
	"rao/dataset"
	"rao/eeg"
	"rao/internal/eeg/trialevents"
	"rao/internal/sets"
	"rao/internal/text"
)

type known struct {
	sets.BySubject
	rate    float64
	classes []string // in MOABB's order
	// start and stop are the limits of a trial in MOABB, in seconds after the event.
	start, stop float64
	paradigm    paradigm
	// open returns the recordings in a file, with MOABB's names of the subject, session and run. The labels of the
	// events are the names of the classes.
	open func(path string, f sets.File) ([]*eeg.Recording, error)
	// name returns MOABB's names of the selected runs. It is nil if open sets the names.
	name func(runs []int) map[int]string
}

// all contains the known sets of recordings, in the order of [RecordingSets].
var all []*known

func init() {
	all = append(all, eegbci())
	for _, b := range bnciSets() {
		all = append(all, b.known())
	}
	all = append(all, kalunga())
	for _, s := range all {
		for n := 1; n <= s.Subjects; n++ {
			s.Info.MoreParts = append(s.Info.MoreParts, strconv.Itoa(n))
		}
		s.Find = s.findTrials
		s.Check = func(path string, f sets.File) error {
			_, err := s.open(path, f)
			return err
		}
		sets.Register(&s.BySubject)
	}
}

// lookup returns the set with a name, or nil.
func lookup(name string) *known {
	for _, s := range all {
		if s.Info.Name == name {
			return s
		}
	}
	return nil
}

// Selection selects recordings of a set.
type Selection struct {
	Subjects              []int    // subjects, from 1; nil: all that have been downloaded
	Runs                  []int    // runs, if runs are separate files; nil: the standard runs
	Channels, Drop, Kinds []string // see [eeg.RecordingOptions]; nil Kinds means eeg
	Cache                 string   // cache folder; empty: sets.CacheDir
}

// IsRecordings reports whether name is the name of a set of recordings.
func IsRecordings(name string) bool { return lookup(name) != nil }

// RecordingSets returns the names of the sets of recordings.
func RecordingSets() []string {
	var names []string
	for _, s := range all {
		names = append(names, s.Info.Name)
	}
	return names
}

// UsualTrials returns the options for the standard trials of a set of recordings: MOABB's events and interval,
// including both ends.
func UsualTrials(name string) (eeg.TrialOptions, error) {
	s := lookup(name)
	if s == nil {
		return eeg.TrialOptions{}, &rao.UnknownError{Kind: "set of recordings", Name: name, Known: RecordingSets()}
	}
	opt := eeg.TrialOptions{Start: s.start, Stop: s.stop, BothEnds: true, SkipInvalid: true}
	for _, c := range s.classes {
		opt.Classes = append(opt.Classes, eeg.Class{Name: c, Label: c})
	}
	return opt, nil
}

// EachRecording opens the files of a set one by one, calls do with the runs of each file and closes the file. If a
// requested subject is not in the cache folder, the error explains how to download it.
func EachRecording(ctx context.Context, name string, sel Selection, do func(runs []*eeg.Recording) error) error {
	s := lookup(name)
	if s == nil {
		return &rao.UnknownError{Kind: "set of recordings", Name: name, Known: RecordingSets()}
	}
	files, err := s.Here(sel.Cache, sel.Subjects, sel.Runs)
	if err != nil {
		return err
	}
	names := map[int]string{}
	if s.name != nil {
		var runs []int
		for _, f := range files {
			runs = append(runs, f.Run)
		}
		names = s.name(runs)
	}
	selected := eeg.RecordingOptions{Channels: sel.Channels, Drop: sel.Drop, Kinds: sel.Kinds, AsStored: true}
	if sel.Kinds == nil && sel.Channels == nil {
		selected.Kinds = []string{"eeg"}
	}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		runs, err := s.open(f.Path, f.File)
		if err != nil {
			return err
		}
		for _, r := range runs {
			r.Run = cmp.Or(names[f.Run], r.Run)
			err = cmp.Or(err, r.Select(selected))
		}
		if err == nil {
			err = do(runs)
		}
		for _, r := range runs {
			r.Close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// findTrials returns a source of the standard trials of one subject, or of all subjects that have been downloaded.
// They are prepared as MOABB does for the paradigm of the set: with zero-phase filters and at the rate of the set.
func (s *known) findTrials(part string, opt dataset.OpenOptions) (*dataset.SetPart, error) {
	var sel Selection
	if part != "" {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, err
		}
		sel.Subjects = []int{n}
	}
	if _, err := s.Here("", sel.Subjects, nil); err != nil {
		return nil, err
	}
	return &dataset.SetPart{Options: opt, Make: func(ctx context.Context) (*dataset.Data, error) {
		opt, err := UsualTrials(s.Info.Name)
		if err != nil {
			return nil, err
		}
		s.paradigm.prepare(&opt)
		d, _, err := Trials(ctx, s.Info.Name, sel, nil, func(recs []*eeg.Recording, here []eeg.Class) (*eeg.Trials,
			error) {
			opt := opt
			opt.Classes, opt.Resample = here, s.rate
			return eeg.CutTrials(ctx, recs, opt)
		})
		return d, err
	}}, nil
}

// Trials cuts trials from the recordings of a set, one file at a time. It concatenates their observations and adds the
// variables subject, session, run, recording and sample. A class may be missing from some files. A class that is
// missing from all files is an error, unless classes is nil, which selects the standard classes. Trials also returns
// descriptions of the trials that were left out.
func Trials(ctx context.Context, name string, sel Selection, classes []eeg.Class,
	cut func(recs []*eeg.Recording, here []eeg.Class) (*eeg.Trials, error)) (*dataset.Data, []string, error) {
	j := &joining{classes: classes, cut: cut}
	if classes == nil {
		usual, err := UsualTrials(name)
		if err != nil {
			return nil, nil, err
		}
		j.classes, j.usual = usual.Classes, true
	}
	if err := EachRecording(ctx, name, sel, j.file); err != nil {
		return nil, nil, err
	}
	d, err := j.join()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	d.Source = name
	return d, j.skipped, nil
}

// joining collects the trials of one file after another.
type joining struct {
	classes []eeg.Class
	usual   bool // classes are the standard ones, and some may be missing
	cut     func(recs []*eeg.Recording, here []eeg.Class) (*eeg.Trials, error)
	parts   []*dataset.Data
	names   []string
	skipped []string
	runs    int // number of runs so far
	trials  int // number of trials so far, if trials are cut into windows
	events  []eeg.Event
}

func (j *joining) file(runs []*eeg.Recording) error {
	var events []eeg.Event
	for _, r := range runs {
		events = append(events, r.Events...)
	}
	here := slices.DeleteFunc(slices.Clone(j.classes), func(c eeg.Class) bool {
		return !trialevents.Occurs(events, c)
	})
	first := j.runs
	j.runs, j.events = j.runs+len(runs), append(j.events, events...)
	if len(here) == 0 {
		return nil
	}
	t, err := j.cut(runs, here)
	if err != nil {
		return err
	}
	j.skipped = append(j.skipped, t.Skipped...)
	d := t.Data()
	d.Source = filepath.Base(runs[0].Source)
	AddNames(d, runs, t.Recording)
	for i := range d.Vars["recording"].Int64 {
		d.Vars["recording"].Int64[i] += int64(first)
	}
	if v := d.Vars["trial"]; v != nil {
		for i := range v.Int64 {
			v.Int64[i] += int64(j.trials)
		}
		j.trials = int(v.Int64[d.N()-1]) + 1
	}
	j.parts, j.names = append(j.parts, d), append(j.names, d.Source)
	return nil
}

func (j *joining) join() (*dataset.Data, error) {
	for _, c := range j.classes {
		if !j.usual && !trialevents.Occurs(j.events, c) {
			return nil, fmt.Errorf("no event matches class %s in the selected recordings; their events are %s", c.Name,
				text.Join(trialevents.Count(j.events)))
		}
	}
	if len(j.parts) == 0 {
		return nil, errors.New("the selected recordings contain no trials of these classes; select other recordings " +
			"or other classes")
	}
	d, err := dataset.Concat(j.parts, j.names)
	if err == nil {
		delete(d.Vars, "source")
	}
	return d, err
}

// AddNames adds the names of the subject, session and run of each trial as variables, unless all recordings are without
// the name. of contains the recording of each trial.
func AddNames(d *dataset.Data, recs []*eeg.Recording, of []int) {
	for name, value := range map[string]func(r *eeg.Recording) string{
		"subject": func(r *eeg.Recording) string { return r.Subject },
		"session": func(r *eeg.Recording) string { return r.Session },
		"run":     func(r *eeg.Recording) string { return r.Run },
	} {
		if !slices.ContainsFunc(recs, func(r *eeg.Recording) bool { return value(r) != "" }) {
			continue
		}
		v := &dataset.Array{Name: name, Shape: []int{d.N()}}
		for _, r := range of {
			v.Strings = append(v.Strings, value(recs[r]))
		}
		d.Vars[name] = v
	}
}
