package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rao/internal/suggest"
	"rao/model"
)

// extension is that of the files that a folder's models are in.
const extension = ".rao"

// entry is one version of a model. It is never changed.
type entry struct {
	name    string
	version string // sha256: and the first 12 digits of the digest of the file
	path    string
	stat    fs.FileInfo // of the file when it was read
	model   *model.Model
	outputs []output
	before  *entry // the version that this one replaced, nil when there was none

	drift *model.DriftWatch // of the observations decided on
}

// Repository holds the models of some files and folders, by name: that of the file without
// its extension. It may be used by several goroutines.
type Repository struct {
	paths   []string
	entries atomic.Pointer[map[string]*entry]
	loading sync.Mutex // one Reload at a time
}

// Open loads the models of the files and folders; of a folder all files whose name ends in
// .rao. It fails when a file is not a whole model, when two models have one name, and when
// there is no model at all.
func Open(paths ...string) (*Repository, error) {
	r := &Repository{paths: paths}
	r.entries.Store(&map[string]*entry{})
	if err := r.Reload(); err != nil {
		return nil, err
	}
	if len(*r.entries.Load()) == 0 {
		return nil, fmt.Errorf("no model: %s holds no file that ends in %s; make one with rao fit",
			strings.Join(paths, ", "), extension)
	}
	return r, nil
}

// files lists the files of the models by name.
func (r *Repository) files() (map[string]string, error) {
	found := map[string]string{}
	add := func(path string) error {
		name := strings.TrimSuffix(filepath.Base(path), extension)
		if old, twice := found[name]; twice && old != path {
			return fmt.Errorf("two models are named %s: %s and %s; rename one", name, old, path)
		}
		found[name] = path
		return nil
	}
	for _, p := range r.paths {
		st, err := os.Stat(p)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: no such file or folder; name models that rao fit wrote, or a folder of them", p)
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
		inside, err := filepath.Glob(filepath.Join(escapeGlob(p), "*"+extension))
		if err != nil {
			return nil, err
		}
		for _, f := range inside {
			if strings.HasPrefix(filepath.Base(f), ".") {
				continue // being written
			}
			if err := add(f); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// escapeGlob quotes what filepath.Glob would read as a pattern.
func escapeGlob(p string) string {
	if filepath.Separator == '\\' {
		return p // patterns have no escape there
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(p)
}

// Reload looks at the files again. A new or changed one is read whole and verified before
// it takes the place of the old version, which stays available under its version until the
// next change. A file that is not a whole model leaves the old version in place and is an
// error; the other files are still taken. A file that is gone takes its model along.
func (r *Repository) Reload() error {
	r.loading.Lock()
	defer r.loading.Unlock()
	files, err := r.files()
	if err != nil {
		return err
	}
	old := *r.entries.Load()
	now := map[string]*entry{}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(files)) {
		e, err := load(name, files[name], old[name])
		if err != nil {
			errs = append(errs, err)
		}
		if e != nil {
			now[name] = e
		}
	}
	r.entries.Store(&now)
	return errors.Join(errs...)
}

// Watch looks at the files every so often until ctx is done, and tells of errors, each once.
func (r *Repository) Watch(ctx context.Context, every time.Duration, tell func(error)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	said := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := r.Reload()
		if err == nil {
			said = ""
		} else if err.Error() != said {
			said = err.Error()
			tell(err)
		}
	}
}

// load reads a model, unless old is of the same file; with an error it returns old.
func load(name, path string, old *entry) (*entry, error) {
	st, err := os.Stat(path)
	if err != nil {
		return old, err
	}
	if old != nil && os.SameFile(st, old.stat) && st.ModTime().Equal(old.stat.ModTime()) &&
		st.Size() == old.stat.Size() {
		return old, nil
	}
	if !st.Mode().IsRegular() {
		return old, fmt.Errorf("%s is not a regular file", path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return old, err
	}
	version := versionOf(b)
	if old != nil && old.version == version {
		same := *old
		same.stat = st
		return &same, nil
	}
	m, err := model.Read(bytes.NewReader(b), int64(len(b)), path)
	if err != nil {
		return old, err
	}
	e := &entry{name: name, version: version, path: path, stat: st, model: m, before: old.alone()}
	e.drift, _ = m.WatchDrift(driftMemory) // one that knows no values watches labels
	if e.outputs, err = outputsOf(m); err != nil {
		return old, fmt.Errorf("%s: %w", path, err)
	}
	return e, nil
}

// versionOf names the content of a file.
func versionOf(file []byte) string {
	sum := sha256.Sum256(file)
	return "sha256:" + hex.EncodeToString(sum[:6])
}

// alone is the entry without the version before it.
func (e *entry) alone() *entry {
	if e == nil {
		return nil
	}
	old := *e
	old.before = nil
	return &old
}

// Names lists the models.
func (r *Repository) Names() []string { return slices.Sorted(maps.Keys(*r.entries.Load())) }

// has reports whether there is a model of that name.
func (r *Repository) has(name string) bool { return (*r.entries.Load())[name] != nil }

// find returns a model by its name, of the given version unless that is empty.
func (r *Repository) find(name, version string) (*entry, error) {
	e := (*r.entries.Load())[name]
	if e == nil {
		return nil, &httpError{404, suggest.Unknown("model", name, r.Names()).Error()}
	}
	if version == "" || version == e.version {
		return e, nil
	}
	if e.before != nil && e.before.version == version {
		return e.before, nil
	}
	return nil, &httpError{404,
		fmt.Sprintf("model %s has no version %q; there are %s", name, version, strings.Join(e.versions(), ", "))}
}

// versions lists those that are available, the newest first.
func (e *entry) versions() []string {
	if e.before == nil {
		return []string{e.version}
	}
	return []string{e.version, e.before.version}
}

// learn replaces a model by what it becomes. Only the newest version learns, and of two
// requests at once the second starts from what the first has made.
func (r *Repository) learn(e *entry, f func(*model.Model) (*model.Model, error)) (*entry, error) {
	r.loading.Lock()
	defer r.loading.Unlock()
	now := *r.entries.Load()
	current := now[e.name]
	if current == nil || current.path != e.path {
		return nil, &httpError{404, "the model is gone"}
	}
	m, err := f(current.model)
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		return nil, err
	}
	next := &entry{name: e.name, version: versionOf(file.Bytes()), path: e.path, stat: current.stat,
		model: m, outputs: current.outputs, before: current.alone(), drift: current.drift.Of(m)}
	changed := maps.Clone(now)
	changed[e.name] = next
	r.entries.Store(&changed)
	return next, nil
}
