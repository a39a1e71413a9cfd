package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rao"
	"rao/internal/format/regular"
	"rao/model"
)

// extension is the extension of the model files in a folder.
const extension = ".rao"

// entry is one version of a model. It is immutable.
type entry struct {
	name    string
	version string // number in the file name, or the digest if the name has no number
	digest  string // "sha256:" and the first 12 hexadecimal digits of the file's digest
	number  int    // number in the file name, for example 2 in digits@2.rao; 0 if there is none
	path    string
	stat    fs.FileInfo // state of the file when it was read
	model   *model.Model
	outputs []output
	older   []*entry // other available versions, newest first; only set for the newest version

	drift *model.DriftWatch // compares the classified observations with the training data
}

// OpenOptions are the options of [Open].
type OpenOptions struct {
	// AllowNewSchema allows a file to replace a model that has a different input, such as different columns. Otherwise
	// the file is refused and the old version remains in use.
	AllowNewSchema bool
	// Backup, if not empty, is a folder for copies of the last good version of every file. If a file cannot be read at
	// startup, its copy is used.
	Backup string

	changed func(change) // is called for every change, and must not call the repository; may be nil
}

// change reports that a model was loaded, replaced, restored, refused or removed.
type change struct {
	outcome string // loaded, replaced, restored (from the backup), refused or removed
	model   string // name of the model
	version string // version in requests; empty if refused
	digest  string // digest of the file; empty if the file was not read
	path    string // path of the file
	err     error  // reason for refusing the file, or for using the copy if restored
}

// Repository contains models by name. The name of a model is the name of its file without the extension. Files named
// NAME@1.rao and NAME@2.rao are versions of one model. The version with the largest number is the newest. A Repository
// is safe for concurrent use.
type Repository struct {
	paths   []string
	opt     OpenOptions
	entries atomic.Pointer[map[string]*entry] // the newest version of each model
	loading sync.Mutex                        // allows one Reload at a time
	refused map[string]refusedFile            // by path; protected by loading
	errs    atomic.Pointer[[]error]           // errors of the last Reload
}

// refusedFile is a file that could not be loaded. It is read again when it changes.
type refusedFile struct {
	stat fs.FileInfo
	err  error
}

// Open loads the models in the files and folders. In a folder it loads all files whose names end in .rao. It skips
// files that are not complete models; GET /v2/health/ready lists them. It returns an error if a path does not exist,
// two files have the same name, or no file can be loaded. An empty folder is not an error, because models may be added
// later.
func Open(paths []string, opt OpenOptions) (*Repository, error) {
	r := &Repository{paths: paths, opt: opt, refused: map[string]refusedFile{}}
	r.entries.Store(&map[string]*entry{})
	if opt.Backup != "" {
		if err := os.MkdirAll(opt.Backup, 0o755); err != nil {
			return nil, err
		}
	}
	if _, err := r.files(); err != nil {
		return nil, err
	}
	if err := r.Reload(); err != nil && len(*r.entries.Load()) == 0 {
		return nil, err
	}
	return r, nil
}

// problems returns the errors of the last Reload, which name the files that cannot be served and the reasons.
func (r *Repository) problems() []error {
	if errs := r.errs.Load(); errs != nil {
		return *errs
	}
	return nil
}

func (r *Repository) changed(c change) {
	if r.opt.changed != nil {
		r.opt.changed(c)
	}
}

// files lists the model files by name.
func (r *Repository) files() (map[string]string, error) {
	found := map[string]string{}
	add := func(path string) error {
		name := strings.TrimSuffix(filepath.Base(path), extension)
		if old, twice := found[name]; twice && old != path {
			return fmt.Errorf("%[2]s and %[3]s are both named %[1]s; rename one", name, old, path)
		}
		found[name] = path
		return nil
	}
	for _, p := range r.paths {
		st, err := os.Stat(p)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: no such file or folder; name model files, or a folder of them", p)
		}
		if err != nil {
			return nil, err
		}
		if !st.IsDir() {
			if err := add(p); err != nil {
				return nil, err
			}
			continue
		}
		inside, err := filepath.Glob(filepath.Join(regular.EscapeGlob(p), "*"+extension))
		if err != nil {
			return nil, err
		}
		for _, f := range inside {
			if strings.HasPrefix(filepath.Base(f), ".") {
				continue // the file is being written
			}
			if err := add(f); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// nameAndNumber splits the name of a file: NAME@2 is version 2 of NAME.
func nameAndNumber(file string) (name string, number int) {
	if name, digits, found := strings.Cut(file, "@"); found && name != "" {
		if n, err := strconv.Atoi(digits); err == nil && n > 0 && digits == strconv.Itoa(n) {
			return name, n
		}
	}
	return file, 0
}

// Reload looks for changed files. It reads and verifies a new or changed file before the file replaces the old version.
// The old version remains available, under its version, until the next change. If a file is not a complete model, or
// has a different input than the model that it would replace, the old version remains in use and Reload returns an
// error, but still loads the other files. If a file was removed, Reload removes its model.
func (r *Repository) Reload() error {
	r.loading.Lock()
	defer r.loading.Unlock()
	files, err := r.files()
	if err != nil {
		r.errs.Store(&[]error{err})
		return err
	}
	old, byPath := *r.entries.Load(), map[string]*entry{}
	for _, newest := range old {
		for _, e := range newest.all() {
			if byPath[e.path] == nil { // the newest content of the file
				byPath[e.path] = e
			}
		}
	}
	now := map[string][]*entry{}
	errs := []error{}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		name, number := nameAndNumber(file)
		path := files[file]
		before := byPath[path]
		delete(byPath, path)
		e, err := r.load(name, number, path, before, old[name])
		if err != nil {
			errs = append(errs, err)
		}
		if e == nil {
			continue
		}
		now[name] = append(now[name], e)
		if previous := before.previous(e, old[name]); previous != nil {
			now[name] = append(now[name], previous)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		gone := byPath[path]
		r.forget(gone)
		r.changed(change{"removed", gone.name, gone.version, gone.digest, path, nil})
	}
	for path := range r.refused {
		if !slices.Contains(slices.Collect(maps.Values(files)), path) {
			delete(r.refused, path)
		}
	}
	entries := make(map[string]*entry, len(now))
	for name, all := range now {
		slices.SortStableFunc(all, func(a, b *entry) int { return b.number - a.number })
		newest := *all[0]
		newest.older = all[1:]
		entries[name] = &newest
	}
	r.entries.Store(&entries)
	r.errs.Store(&errs)
	return errors.Join(errs...)
}

// previous returns the previous content of the file of e. If e is new, this is the receiver. Otherwise it is the older
// content that is still available among the versions of newest, or nil if there is none.
func (before *entry) previous(e, newest *entry) *entry {
	if before == nil {
		return nil
	}
	if before.digest != e.digest {
		return before.alone()
	}
	for _, v := range newest.all() {
		if v.path == e.path && v.digest != e.digest {
			return v.alone()
		}
	}
	return nil
}

// load reads a file, unless its content is equal to before. With an error it also returns the entry to use instead:
// before, the saved copy, or nil. newest is the current version of the model.
func (r *Repository) load(name string, number int, path string, before, newest *entry) (*entry, error) {
	st, err := os.Stat(path)
	if err != nil {
		return before, err
	}
	if before != nil && sameFile(st, before.stat) {
		return before.alone(), nil
	}
	if old, again := r.refused[path]; again && sameFile(st, old.stat) {
		return before.alone(), old.err
	}
	e, file, err := readEntry(name, number, path, st)
	digest := ""
	if file != nil {
		digest = digestOf(file)
	}
	if err == nil && before != nil && before.digest == digest {
		same := *before.alone()
		same.stat = st
		delete(r.refused, path)
		return &same, nil
	}
	if err == nil && newest != nil && !r.opt.AllowNewSchema {
		err = sameInput(path, e.model.Input, newest.model.Input)
	}
	c := change{outcome: "loaded", model: name, digest: digest, path: path, err: err}
	if err != nil {
		r.refused[path] = refusedFile{st, err}
		c.outcome = "refused"
		if kept := r.kept(name, number, path); before == nil && kept != nil {
			before, c.outcome, c.version, c.digest = kept, "restored", kept.version, kept.digest
		}
		r.changed(c)
		return before.alone(), err
	}
	delete(r.refused, path)
	if before != nil {
		c.outcome = "replaced"
	}
	c.version = e.version
	r.changed(c)
	return e, r.keep(e, file)
}

func sameFile(a, b fs.FileInfo) bool {
	return b != nil && os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// sameInput returns an error if a model has a different input than the model it would replace.
func sameInput(path string, now, old model.Schema) error {
	if now.Kind == old.Kind && now.Dim == old.Dim && slices.Equal(now.Columns, old.Columns) {
		return nil
	}
	what := "different columns from the model it would replace"
	if now.Kind != old.Kind || now.Dim != old.Dim {
		what = fmt.Sprintf("%s of dimension %d; the model it would replace has %s of dimension %d", now.Kind, now.Dim,
			old.Kind, old.Dim)
	}
	return rao.Optionf("allow-new-schema", "%s has %s; give it another name, or set {allow-new-schema}", path, what)
}

// readEntry reads and verifies a model file. It also returns the bytes of the file, even if there is an error in them.
func readEntry(name string, number int, path string, st fs.FileInfo) (*entry, []byte, error) {
	if !st.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is not a regular file; name a file", path)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	m, err := model.Read(bytes.NewReader(file), int64(len(file)), path)
	if err != nil {
		return nil, file, err
	}
	digest := digestOf(file)
	e := &entry{name: name, version: digest, digest: digest, number: number, path: path, stat: st, model: m}
	if number > 0 {
		e.version = strconv.Itoa(number)
	}
	e.drift, _ = m.WatchDrift(driftMemory) // without training statistics only the labels are watched
	if e.outputs, err = outputsOf(m); err != nil {
		return nil, file, fmt.Errorf("%s: %w", path, err)
	}
	return e, file, nil
}

// Watch calls Reload at regular intervals until ctx is done. It passes the error of Reload to report, unless the
// previous call returned an equal error.
func (r *Repository) Watch(ctx context.Context, every time.Duration, report func(error)) {
	reported := ""
	for range ticks(ctx, every) {
		err := r.Reload()
		if err == nil {
			reported = ""
		} else if err.Error() != reported {
			reported = err.Error()
			report(err)
		}
	}
}

// ticks yields at regular intervals until ctx is done.
func ticks(ctx context.Context, every time.Duration) iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-tick.C:
				if !yield(now) {
					return
				}
			}
		}
	}
}

// digestOf returns a short digest of the content of a file.
func digestOf(file []byte) string {
	sum := sha256.Sum256(file)
	return "sha256:" + hex.EncodeToString(sum[:6])
}

// alone returns the entry without the other versions.
func (e *entry) alone() *entry {
	if e == nil || e.older == nil {
		return e
	}
	one := *e
	one.older = nil
	return &one
}

// all returns the available versions, newest first.
func (e *entry) all() []*entry {
	if e == nil {
		return nil
	}
	return append([]*entry{e}, e.older...)
}

func (r *Repository) names() []string { return slices.Sorted(maps.Keys(*r.entries.Load())) }

// nameOf returns the name of the model that a request names, with or without its version. It returns "" if there is no
// such model.
func (r *Repository) nameOf(requested string) string {
	requested, _, _ = strings.Cut(requested, ":") // removes the verb that version 1 of the protocol appends
	entries := *r.entries.Load()
	if entries[requested] != nil {
		return requested
	}
	if name, _ := nameAndNumber(requested); entries[name] != nil {
		return name
	}
	return ""
}

// find returns a model by name and version. If version is empty, the name may contain the version, as in digits@2. If
// there is none, find returns the newest version.
func (r *Repository) find(name, version string) (*entry, error) {
	entries := *r.entries.Load()
	e := entries[name]
	if short, number := nameAndNumber(name); e == nil && version == "" && number > 0 {
		name, version = short, strconv.Itoa(number)
		e = entries[name]
	}
	if e == nil {
		return nil, &httpError{404, (&rao.UnknownError{Kind: "model", Name: name, Known: r.names()}).Error()}
	}
	if version == "" {
		return e, nil
	}
	for _, v := range e.all() {
		if version == v.version || version == v.digest {
			return v, nil
		}
	}
	return nil, &httpError{404,
		fmt.Sprintf("model %s has no version %q; there are %s", name, version, strings.Join(e.versions(), ", "))}
}

// versions lists the available versions, newest first.
func (e *entry) versions() []string {
	var names []string
	for _, v := range e.all() {
		name := v.version
		if slices.Contains(names, name) {
			name = v.digest // this is an earlier content of a file
		}
		names = append(names, name)
	}
	return names
}

// learn replaces the model of e by the result of f. Only the newest version learns. Of two concurrent requests, the
// second one starts from the result of the first.
func (r *Repository) learn(e *entry, f func(*model.Model) (*model.Model, error)) (*entry, error) {
	r.loading.Lock()
	defer r.loading.Unlock()
	now := *r.entries.Load()
	current := now[e.name]
	if current == nil || current.path != e.path {
		return nil, &httpError{404, "the model was removed"}
	}
	m, err := f(current.model)
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		return nil, err
	}
	digest := digestOf(file.Bytes())
	next := &entry{name: e.name, version: digest, digest: digest, number: current.number, path: e.path,
		stat: current.stat, model: m, outputs: current.outputs, older: current.all(), drift: current.drift.Of(m)}
	next.older[0] = current.alone()
	for i, v := range next.older {
		if i > 0 && v.path == e.path { // keep only one earlier content of the file
			next.older = slices.Delete(next.older, i, i+1)
			break
		}
	}
	changed := maps.Clone(now)
	changed[e.name] = next
	r.entries.Store(&changed)
	return next, nil
}
