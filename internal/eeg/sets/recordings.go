// Package sets registers public EEG data sets with [dataset.Open].
//
// Importing it registers them with rao/internal/sets, which fetches and imports their files:
//
//	import _ "rao/eeg/sets"
//
// [EachRecording] opens the recordings of a set, [Trials] cuts them, and its name opened as
// data gives the covariances of its usual trials. [SSVEP] are three embedded recordings.
package sets

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"rao/dataset"
	"rao/eeg"
	"rao/internal/sets"
	"rao/internal/suggest"
	"rao/stream"
)

// known is a public set of recordings.
type known struct {
	sets.BySubject
	rate    float64
	classes []string // in the order of MOABB
	// start and stop bound a trial in seconds after its event: MOABB's interval.
	start, stop float64
	paradigm    paradigm
	open        func(path string, f sets.File) ([]Run, error)
	// name makes MOABB's names of the runs when these are chosen; nil where open knows them.
	name func(runs []int) map[int]string
}

// all are the known sets of recordings, in the order in which they are listed.
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

// lookup returns the set of the name, nil if there is none.
func lookup(name string) *known {
	for _, s := range all {
		if s.Info.Name == name {
			return s
		}
	}
	return nil
}

// Run is a recording of a set. Its events have the names of the classes as labels; subject,
// session and run are as MOABB names them.
type Run struct {
	*eeg.Recording
	Subject, Session, Run string
}

// Selection selects recordings of a set.
type Selection struct {
	Subjects              []int    // subjects from 1; nil: all that are downloaded
	Runs                  []int    // runs, if they are separate files; nil: the usual ones
	Channels, Drop, Kinds []string // see eeg.RecordingOptions; nil Kinds means eeg
	Cache                 string   // cache folder; empty means sets.CacheDir
}

// IsRecordings reports whether a set of recordings has the name.
func IsRecordings(name string) bool { return lookup(name) != nil }

// RecordingSets returns the names of the sets of recordings.
func RecordingSets() []string {
	var names []string
	for _, s := range all {
		names = append(names, s.Info.Name)
	}
	return names
}

// UsualTrials returns the classes of a set of recordings and where its trials lie: MOABB's
// events and its interval, which is in seconds after the event and contains both ends.
func UsualTrials(name string) (eeg.TrialOptions, error) {
	s := lookup(name)
	if s == nil {
		return eeg.TrialOptions{}, suggest.Unknown("set of recordings", name, RecordingSets())
	}
	opt := eeg.TrialOptions{Start: s.start, Stop: s.stop, BothEnds: true, SkipInvalid: true}
	for _, c := range s.classes {
		opt.Classes = append(opt.Classes, eeg.Class{Name: c, Label: c})
	}
	return opt, nil
}

// EachRecording opens the files of a set one by one and calls the function with the runs of each, which it closes
// afterwards. If a requested subject is not in the cache folder, the error explains how to get it.
func EachRecording(ctx context.Context, name string, sel Selection, do func(runs []Run) error) error {
	s := lookup(name)
	if s == nil {
		return suggest.Unknown("set of recordings", name, RecordingSets())
	}
	files, err := s.Here(sel.Cache, sel.Subjects, sel.Runs)
	if err != nil {
		return err
	}
	names := s.names(files)
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		runs, err := s.open(f.Path, f.File)
		if err != nil {
			return err
		}
		err = useRuns(runs, sel, names[f.Run], do)
		for _, r := range runs {
			r.Close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// useRuns hands over the chosen channels of runs.
func useRuns(runs []Run, sel Selection, name string, do func(runs []Run) error) error {
	kinds := sel.Kinds
	if kinds == nil && sel.Channels == nil {
		kinds = []string{"eeg"}
	}
	for i := range runs {
		if err := runs[i].Choose(sel.Channels, sel.Drop, kinds); err != nil {
			return err
		}
		if name != "" {
			runs[i].Run = name
		}
	}
	return do(runs)
}

// names are the names of the runs that files are.
func (s *known) names(files []sets.Found) map[int]string {
	if s.name == nil {
		return nil
	}
	var runs []int
	for _, f := range files {
		runs = append(runs, f.Run)
	}
	return s.name(runs)
}

// findTrials makes the covariances of the usual trials, or the trials themselves, of all subjects that are here or of
// one, as MOABB does for the paradigm of the set: filtered forward and back, at the rate of the set.
func (s *known) findTrials(part string, opt dataset.OpenOptions) (*dataset.Source, error) {
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
	return &dataset.Source{Options: opt, Make: func(ctx context.Context) (*dataset.Data, error) {
		opt, err := UsualTrials(s.Info.Name)
		if err != nil {
			return nil, err
		}
		s.paradigm.prepare(&opt)
		d, _, err := Trials(ctx, s.Info.Name, sel, nil, func(recs []*eeg.Recording, here []eeg.Class) (*eeg.Trials,
			error) {
			opt := opt
			opt.Classes = here
			for i, r := range recs {
				if recs[i], err = r.Prepared(stream.Preparation{Rate: s.rate}); err != nil {
					return nil, err
				}
			}
			return eeg.CutTrials(ctx, recs, opt)
		})
		return d, err
	}}, nil
}

// Trials cuts trials of the classes from the recordings of a set, a file at a time, and joins
// their observations with the variables subject, session, run, recording and sample. A file
// is cut by those of the classes that it has; a class that none has is an error, unless
// classes is nil and means the usual ones. What was left out is returned with the data.
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

// joining gathers the trials of one file after the other.
type joining struct {
	classes []eeg.Class
	usual   bool // classes are the usual ones, and some may be lacking
	cut     func(recs []*eeg.Recording, here []eeg.Class) (*eeg.Trials, error)
	parts   []*dataset.Data
	names   []string
	skipped []string
	runs    int // so far
	trials  int // of those that are cut into windows, so far
	events  []eeg.Event
}

// file cuts the trials of the runs of a file.
func (j *joining) file(runs []Run) error {
	var recs []*eeg.Recording
	var events []eeg.Event
	for _, r := range runs {
		recs, events = append(recs, r.Recording), append(events, r.Events...)
	}
	here := slices.DeleteFunc(slices.Clone(j.classes), func(c eeg.Class) bool {
		return !slices.ContainsFunc(events, c.Matches)
	})
	first := j.runs
	j.runs, j.events = j.runs+len(runs), append(j.events, events...)
	if len(here) == 0 {
		return nil
	}
	t, err := j.cut(recs, here)
	if err != nil {
		return err
	}
	j.skipped = append(j.skipped, t.Skipped...)
	d := t.Data()
	d.Source = filepath.Base(runs[0].Source)
	for name, value := range map[string]func(r Run) string{
		"subject": func(r Run) string { return r.Subject },
		"session": func(r Run) string { return r.Session },
		"run":     func(r Run) string { return r.Run },
	} {
		v := &dataset.Array{Name: name, Shape: []int{d.N()}}
		for _, r := range t.Recording {
			v.Strings = append(v.Strings, value(runs[r]))
		}
		d.Vars[name] = v
	}
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

// join puts the files together.
func (j *joining) join() (*dataset.Data, error) {
	for _, c := range j.classes {
		if !j.usual && !slices.ContainsFunc(j.events, c.Matches) {
			return nil, fmt.Errorf("no event matches class %s in the selected recordings; they have %v", c.Name,
				eeg.CountEvents(j.events))
		}
	}
	if len(j.parts) == 0 {
		return nil, errors.New("the selected recordings have no trial")
	}
	d, err := dataset.Concat(j.parts, j.names)
	if err == nil {
		delete(d.Vars, "source")
	}
	return d, err
}
