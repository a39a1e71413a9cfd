package sets

import (
	"fmt"
	"slices"

	"rao"
	"rao/dataset"
	"rao/internal/text"
)

// File describes one file of a set that has separate files per subject.
type File struct {
	Name         string   // path relative to the folder of the set, with slashes
	URL          []string // tried in order
	SHA256       string   // SHA-256 of the published file; empty if none is published
	Subject, Run int      // numbers from 1; Run is 0 for a file with all runs of a session
}

// BySubject is a set of recordings with separate files for each subject. Subjects can be selected. [Register] adds the
// set.
type BySubject struct {
	Info     dataset.Set
	Files    func() []File // called when the files are needed, because a set can have a thousand
	Subjects int
	Runs     []int // runs in separate files; nil if a file holds all runs
	Usual    []int // runs selected by default
	// Check examines a file without a published digest before it is stored.
	Check func(path string, f File) error
	// Find computes the observations of one subject, or of all downloaded subjects.
	Find func(part string, opt dataset.OpenOptions) (*dataset.SetPart, error)
}

var bySubject []*BySubject

// Register adds a set to the known sets. Call it in an init function.
func Register(b *BySubject) {
	bySubject = append(bySubject, b)
	info := b.Info
	info.Here = func() bool { return b.known().here() }
	info.Find = func(part string, opt dataset.OpenOptions) (*dataset.SetPart, error) {
		return b.known().source(part, opt)
	}
	dataset.Register(info)
}

func (b *BySubject) known() *knownSet {
	s := &knownSet{info: b.Info, subjects: b,
		find: func(_, part string, opt dataset.OpenOptions) (*dataset.SetPart, error) { return b.Find(part, opt) }}
	for _, f := range b.Files() {
		s.files = append(s.files,
			remoteFile{name: f.Name, url: f.URL, sha256: f.SHA256, subject: f.Subject, run: f.Run})
	}
	return s
}

func (b *BySubject) check(path string, f *remoteFile) error {
	return b.Check(path, File{f.name, f.url, f.sha256, f.subject, f.run})
}

// Found is a file of a set in the cache folder.
type Found struct {
	File
	Path string
}

// Here returns the selected files in the cache folder, which is [CacheDir] if cache is empty. Nil subjects select all
// subjects with files; nil runs select the usual runs. If a requested file is missing, the error explains how to get
// it.
func (b *BySubject) Here(cache string, subjects, runs []int) ([]Found, error) {
	s := b.known()
	dir, err := s.dir(cache)
	if err != nil {
		return nil, err
	}
	files, err := s.chosen(subjects, runs)
	if err != nil {
		return nil, err
	}
	var here []Found
	first := "" // first missing file
	for _, f := range files {
		path := f.completePath(dir)
		switch {
		case path != "":
			here = append(here, Found{File{f.name, f.url, f.sha256, f.subject, f.run}, path})
		case first == "":
			first = f.name
		}
		if path == "" && (subjects != nil || slices.ContainsFunc(here,
			func(h Found) bool { return h.Subject == f.subject })) {
			return nil, rao.Optionf("subjects", "%w; or choose by {subjects} and {runs} among the files that are here",
				s.absent(f.name))
		}
	}
	if len(here) == 0 {
		return nil, s.absent(first)
	}
	return here, nil
}

// chosen returns the files of the given subjects and runs.
func (s *knownSet) chosen(subjects, runs []int) ([]*remoteFile, error) {
	if s.subjects == nil {
		if subjects != nil || runs != nil {
			return nil, fmt.Errorf("%s has no subjects or runs to choose from; leave the choice out", s.info.Name)
		}
	} else if err := s.checkChoice(subjects, runs); err != nil {
		return nil, err
	}
	if s.subjects != nil && runs == nil {
		runs = s.subjects.Usual
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
		if n < 1 || n > s.subjects.Subjects {
			return fmt.Errorf("%s has no subject %d; its subjects are 1 to %d", s.info.Name, n, s.subjects.Subjects)
		}
	}
	if runs != nil && s.subjects.Runs == nil {
		return fmt.Errorf("a file of %s contains all runs of a session, so runs cannot be chosen; leave the runs out",
			s.info.Name)
	}
	for _, n := range runs {
		if !slices.Contains(s.subjects.Runs, n) {
			return fmt.Errorf("%s has no run %d; its runs are %s", s.info.Name, n, text.Join(s.subjects.Runs))
		}
	}
	return nil
}
