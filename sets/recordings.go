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
	"rao/internal/suggest"
)

// recordings says what the files of a set of recordings hold.
type recordings struct {
	subjects int
	runs     []int // runs that are files of their own; nil where a file holds all
	usual    []int // of them, those that are taken unless told otherwise
	rate     float64
	classes  []string // in the order of MOABB
	// start and stop bound a trial in seconds after its event: MOABB's interval.
	start, stop float64
	open        func(path string, f *remoteFile) ([]Run, error)
	// name tells MOABB's names of the runs when these are taken; nil where open tells them.
	name func(runs []int) map[int]string
}

// Run is a recording of a set. Its events have the names of the classes as labels; subject,
// session and run are as MOABB names them.
type Run struct {
	*eeg.Recording
	Subject, Session, Run string
}

// Selection chooses of a set of recordings.
type Selection struct {
	Subjects              []int    // from 1; nil means those that are here
	Runs                  []int    // of a set whose runs are files; nil means the usual ones
	Channels, Drop, Kinds []string // see eeg.RecordingOptions; nil Kinds means eeg
	Cache                 string   // cache folder; empty means CacheDir
}

// IsRecordings reports whether a set of recordings has the name.
func IsRecordings(name string) bool {
	s := findSet(name)
	return s != nil && s.recordings != nil
}

// RecordingSets returns the names of the sets of recordings.
func RecordingSets() []string {
	var names []string
	for _, s := range recordingSets() {
		names = append(names, s.info.Name)
	}
	return names
}

// UsualTrials returns the classes of a set of recordings and where its trials lie: MOABB's
// events and its interval, which is in seconds after the event.
func UsualTrials(name string) (eeg.TrialOptions, error) {
	s := findSet(name)
	if s == nil || s.recordings == nil {
		return eeg.TrialOptions{}, suggest.Unknown("set of recordings", name, RecordingSets())
	}
	opt := eeg.TrialOptions{Start: s.recordings.start, Stop: s.recordings.stop, SkipInvalid: true}
	for _, c := range s.recordings.classes {
		opt.Classes = append(opt.Classes, eeg.Class{Name: c, Label: c})
	}
	return opt, nil
}

// EachRecording opens the files of a set of recordings one after the other and hands over the
// runs of each, which are closed afterwards. Subjects that were asked for and are not in the
// cache folder are an error that says how to get them.
func EachRecording(ctx context.Context, name string, sel Selection, do func(runs []Run) error) error {
	s := findSet(name)
	if s == nil || s.recordings == nil {
		return suggest.Unknown("set of recordings", name, RecordingSets())
	}
	dir, err := s.dir(sel.Cache)
	if err != nil {
		return err
	}
	files, err := s.present(dir, sel)
	if err != nil {
		return err
	}
	names := s.recordings.names(files)
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		runs, err := s.recordings.open(f.whole(dir), f)
		if err != nil {
			return err
		}
		err = useRuns(runs, sel, names[f.run], do)
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
func (r *recordings) names(files []*remoteFile) map[int]string {
	if r.name == nil {
		return nil
	}
	var runs []int
	for _, f := range files {
		runs = append(runs, f.run)
	}
	return r.name(runs)
}

// chosen returns the files of subjects and runs.
func (s *knownSet) chosen(subjects, runs []int) ([]*remoteFile, error) {
	if s.recordings == nil {
		if subjects != nil || runs != nil {
			return nil, fmt.Errorf("%s has no subjects and runs to choose from", s.info.Name)
		}
	} else if err := s.checkChoice(subjects, runs); err != nil {
		return nil, err
	}
	if s.recordings != nil && runs == nil {
		runs = s.recordings.usual
	}
	var out []*remoteFile
	for i := range s.files {
		f := &s.files[i]
		if (subjects == nil || slices.Contains(subjects, f.subject)) && (runs == nil || slices.Contains(runs, f.run)) {
			out = append(out, f)
		}
	}
	return out, nil
}

func (s *knownSet) checkChoice(subjects, runs []int) error {
	for _, n := range subjects {
		if n < 1 || n > s.recordings.subjects {
			return fmt.Errorf("%s has no subject %d: it has 1 to %d", s.info.Name, n, s.recordings.subjects)
		}
	}
	if runs != nil && s.recordings.runs == nil {
		return fmt.Errorf("a file of %s holds all runs of a session: none can be chosen", s.info.Name)
	}
	for _, n := range runs {
		if !slices.Contains(s.recordings.runs, n) {
			return fmt.Errorf("%s has no run %d: it has %v", s.info.Name, n, s.recordings.runs)
		}
	}
	return nil
}

// present returns the chosen files that are here; what was asked for and is not, is an error.
func (s *knownSet) present(dir string, sel Selection) ([]*remoteFile, error) {
	files, err := s.chosen(sel.Subjects, sel.Runs)
	if err != nil {
		return nil, err
	}
	var here []*remoteFile
	first := "" // that is missing
	for _, f := range files {
		switch {
		case f.whole(dir) != "":
			here = append(here, f)
		case first == "":
			first = f.name
		}
		if f.whole(dir) == "" && (sel.Subjects != nil || slices.ContainsFunc(here,
			func(h *remoteFile) bool { return h.subject == f.subject })) {
			return nil, fmt.Errorf("%w; or choose among those that are here (--subjects, --runs)", s.absent(f.name))
		}
	}
	if len(here) == 0 {
		return nil, s.absent(first)
	}
	return here, nil
}

// findTrials makes the covariances of the usual trials, of all subjects that are here or of
// one, as MOABB does for motor imagery: 8-32 Hz by a Butterworth filter of order 4, forward
// and back, at the rate of the set.
func (s *knownSet) findTrials(_, part string, opt dataset.OpenOptions) (*dataset.Source, error) {
	var sel Selection
	if part != "" {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, err
		}
		sel.Subjects = []int{n}
	}
	if dir, err := s.dir(""); err != nil {
		return nil, err
	} else if _, err = s.present(dir, sel); err != nil {
		return nil, err
	}
	return &dataset.Source{Options: opt, Make: func(ctx context.Context) (*dataset.Data, error) {
		opt, err := UsualTrials(s.info.Name)
		if err != nil {
			return nil, err
		}
		opt.Bands, opt.Order = []eeg.Band{{Low: 8, High: 32}}, 4
		d, _, err := Trials(ctx, s.info.Name, sel, nil, func(recs []*eeg.Recording, here []eeg.Class) (*eeg.Trials,
			error) {
			opt := opt
			opt.Classes = here
			for i, r := range recs {
				if recs[i], err = r.Prepared(eeg.Preparation{Rate: s.recordings.rate}); err != nil {
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
// classes is nil and means the usual ones. What was left out is told beside the data.
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
	d := TrialData(t)
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
	j.parts, j.names = append(j.parts, d), append(j.names, d.Source)
	return nil
}

// join puts the files together.
func (j *joining) join() (*dataset.Data, error) {
	for _, c := range j.classes {
		if !j.usual && !slices.ContainsFunc(j.events, c.Matches) {
			return nil, fmt.Errorf("no event matches class %s in the recordings chosen; they have %v", c.Name,
				eeg.CountEvents(j.events))
		}
	}
	if len(j.parts) == 0 {
		return nil, errors.New("no trial in the recordings chosen")
	}
	d, err := dataset.Together(j.parts, j.names)
	if err == nil {
		delete(d.Vars, "source")
	}
	return d, err
}
