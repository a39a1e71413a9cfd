// Package bids finds the EEG recordings in a folder in the Brain Imaging Data Structure, and the tables of events,
// channels and electrodes of each recording.
package bids

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rao"
)

// Recording is a recording in a BIDS folder.
type Recording struct {
	Path                        string
	Subject, Session, Task, Run string // empty if not in the name
	root                        string
	entities                    []string // entities of the name, such as "sub-01", in order
}

// Filter selects recordings: those of any listed subject, session and run, and of the task. An empty field matches
// everything.
type Filter struct {
	Subjects, Sessions, Runs []string // such as 01
	Task                     string
}

// extensions are the file name extensions of recordings. Files that only accompany a recording have other extensions.
var extensions = []string{".set", ".edf", ".bdf", ".vhdr", ".fif"}

// Find lists the recordings that match the filter, sorted by path. It searches sub-*/eeg and sub-*/ses-*/eeg.
func Find(root string, want Filter) ([]Recording, error) {
	if st, err := os.Stat(root); err != nil || !st.IsDir() {
		if err == nil {
			err = fmt.Errorf("%s is not a folder; name the top folder of the data set", root)
		}
		return nil, err
	}
	var all []Recording
	for _, pattern := range []string{"sub-*/eeg", "sub-*/ses-*/eeg"} {
		folders, err := fs.Glob(os.DirFS(root), pattern)
		if err != nil {
			return nil, err
		}
		for _, folder := range folders {
			entries, err := os.ReadDir(filepath.Join(root, folder))
			if err != nil {
				return nil, err
			}
			for _, e := range entries {
				if r, ok := parse(root, filepath.Join(root, folder, e.Name())); ok {
					all = append(all, r)
				}
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: the folder has no recordings in the BIDS layout, "+
			"sub-*/[ses-*/]eeg/*_eeg.{edf,bdf,set,vhdr}; name the top folder of the data set",
			root)
	}
	slices.SortFunc(all, func(a, b Recording) int { return strings.Compare(a.Path, b.Path) })
	return choose(root, all, want)
}

// choose applies the filter. If nothing matches, the error lists the values that exist.
func choose(root string, all []Recording, want Filter) ([]Recording, error) {
	var task []string
	if want.Task != "" {
		task = []string{want.Task}
	}
	for _, f := range []struct {
		name string
		want []string
		of   func(r *Recording) string
	}{
		{"subject", want.Subjects, func(r *Recording) string { return r.Subject }},
		{"session", want.Sessions, func(r *Recording) string { return r.Session }},
		{"task", task, func(r *Recording) string { return r.Task }},
		{"run", want.Runs, func(r *Recording) string { return r.Run }},
	} {
		if f.want == nil {
			continue
		}
		var kept []Recording
		var there []string
		for _, r := range all {
			v := f.of(&r)
			if slices.Contains(f.want, v) {
				kept = append(kept, r)
			}
			v = cmp.Or(v, "none")
			if !slices.Contains(there, v) {
				there = append(there, v)
			}
		}
		for _, v := range f.want {
			if !slices.ContainsFunc(kept, func(r Recording) bool { return f.of(&r) == v }) {
				return nil, fmt.Errorf("%s: the folder has no recording of %s %q; choose from %s", root, f.name, v,
					strings.Join(there, ", "))
			}
		}
		all = kept
	}
	var tasks []string
	for _, r := range all {
		if !slices.Contains(tasks, r.Task) {
			tasks = append(tasks, r.Task)
		}
	}
	if len(tasks) > 1 {
		return nil, rao.Optionf("task", "%s: the folder has recordings of %d tasks; name one with {task}: %s",
			root, len(tasks), strings.Join(tasks, ", "))
	}
	return all, nil
}

// Named returns the recording at path, with only the tables in its own folder. ok is false unless path has the name of
// a BIDS recording, such as sub-01_task-rest_eeg.vhdr.
func Named(path string) (r Recording, ok bool) { return parse(filepath.Dir(path), path) }

// parse parses the file name of a recording.
func parse(root, path string) (Recording, bool) {
	base := filepath.Base(path)
	ext := filepath.Ext(base)
	stem, ok := strings.CutSuffix(strings.TrimSuffix(base, ext), "_eeg")
	if !ok || !slices.Contains(extensions, strings.ToLower(ext)) {
		return Recording{}, false
	}
	r := Recording{Path: path, root: root, entities: strings.Split(stem, "_")}
	for _, e := range r.entities {
		key, value, _ := strings.Cut(e, "-")
		switch key {
		case "sub":
			r.Subject = value
		case "ses":
			r.Session = value
		case "task":
			r.Task = value
		case "run":
			r.Run = value
		}
	}
	return r, r.Subject != ""
}

// Table returns the path of a table that belongs to the recording, or "" if there is none. kind is "events",
// "channels" or "electrodes". By the inheritance principle of BIDS, the table may be in a parent folder and its name
// may omit entities of the recording's name. Table uses the nearest folder and, within that folder, the table with
// the most entities. It returns an error if two tables are equally specific.
func (r *Recording) Table(kind string) (string, error) {
	for dir := filepath.Dir(r.Path); ; dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return "", err
		}
		var found []string
		for _, e := range entries {
			stem, ok := strings.CutSuffix(e.Name(), kind+".tsv")
			if ok && r.covers(strings.TrimSuffix(stem, "_")) {
				found = append(found, e.Name())
			}
		}
		if len(found) > 1 {
			most := slices.MaxFunc(found, func(a, b string) int {
				return strings.Count(a, "_") - strings.Count(b, "_")
			})
			if strings.Count(most, "_") == strings.Count(found[0], "_") &&
				strings.Count(most, "_") == strings.Count(found[1], "_") {
				return "", fmt.Errorf("%s: the files %s both belong to this recording; keep only one",
					r.Path, strings.Join(found[:2], " and "))
			}
			found = []string{most}
		}
		if len(found) == 1 {
			return filepath.Join(dir, found[0]), nil
		}
		if dir == r.root || dir == filepath.Dir(dir) {
			return "", nil
		}
	}
}

// covers reports whether every entity in a file name is an entity of the recording.
func (r *Recording) covers(stem string) bool {
	if stem == "" {
		return true
	}
	for _, e := range strings.Split(stem, "_") {
		if !slices.Contains(r.entities, e) {
			return false
		}
	}
	return true
}
