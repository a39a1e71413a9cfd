package model

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"rao"
	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/faults"
	"rao/internal/format/archive"
	"rao/internal/format/npy"
	"rao/internal/linalg/cpu"
)

// header is the part of a model that does not depend on the method.
type header struct {
	Version string `json:"version"` // version of rao that wrote the file
	Kernel  string `json:"kernel"`  // kernel of the fit: equal fits with the same kernel give equal bytes
	Method  string `json:"method"`  // name of the method, as in rao fit
	// Options are the options that were set for the fit, with names and values as text.
	Options []evaluate.Setting `json:"options"`
	Classes []string           `json:"classes"` // names of the classes; absent in a model that predicts numbers
	// Labels is the numpy type of the labels that the class names represent, in models fitted in Python. If it is
	// empty, the labels are integers if all names are integers, and otherwise text.
	Labels    gaussian.LabelType `json:"labels"`
	Input     Schema             `json:"input"`     // describes one observation
	Training  Training           `json:"training"`  // describes the training data
	Report    rao.Report         `json:"report"`    // describes the fit
	Notes     []string           `json:"notes"`     // notes on the fit for the user, one sentence each
	Rejection rejection          `json:"rejection"` // when a decision is rejected
	// Threshold is the smallest probability of the second class for which a model of two classes chooses it. Nil
	// means that the more probable class is chosen.
	Threshold *float64 `json:"threshold"`
}

type rejection struct {
	RejectBelow float64 `json:"reject_below"` // reject if the largest posterior is below this; 0: never
}

// part is a stage or a classifier with the name of its type.
type part struct {
	Type    string          `json:"type"`
	Package string          `json:"package,omitempty"` // package that registers the type; empty for this package
	Value   json.RawMessage `json:"value"`
}

// file is the metadata of a model file.
type file struct {
	Kind       string          `json:"kind"`
	Model      json.RawMessage `json:"model"`
	Stages     []*part         `json:"stages,omitempty"`
	Classifier *part           `json:"classifier,omitempty"`
}

const fileKind = "model"

// Save writes the model to path atomically. It returns an error if the model is invalid, has a stage or a classifier
// that is not registered, or cannot be written.
func (m *Model) Save(path string) error {
	return archive.WriteFile(path, m.Write)
}

// Write writes the model file to w. It does not record the duration of the fit, so equal fits give equal bytes. It
// returns the same errors as [Model.Save].
func (m *Model) Write(w io.Writer) error {
	if err := m.Validate(); err != nil {
		return fmt.Errorf("the model is incomplete: %w", err)
	}
	var enc encoder
	h := header{rao.Version, cmp.Or(m.Kernel, cpu.Use().String()), m.Method, m.Options, m.Classes, m.Labels, m.Input,
		m.Training, m.Report, m.Notes, rejection{m.RejectBelow}, nil}
	if m.Threshold > 0 {
		h.Threshold = &m.Threshold
	}
	f := file{Kind: fileKind}
	var err error
	if f.Model, err = enc.tree(&h, ""); err != nil {
		return err
	}
	used := map[string]int{}
	for _, s := range m.Stages {
		p, err := enc.part(s, used)
		if err != nil {
			return err
		}
		f.Stages = append(f.Stages, p)
	}
	if m.Classifier != nil {
		if f.Classifier, err = enc.part(m.Classifier, used); err != nil {
			return err
		}
	}
	return archive.Encode(w, f, enc.arrays)
}

func (e *encoder) tree(v any, path string) (json.RawMessage, error) {
	t, err := e.encode(reflect.ValueOf(v).Elem(), path)
	if err != nil {
		return nil, err
	}
	return json.Marshal(t)
}

// part encodes a stage or a classifier. The arrays of a second part of the same kind have a 2 in their names.
func (e *encoder) part(v any, used map[string]int) (*part, error) {
	k, value, ok := kindFor(v)
	if !ok {
		return nil, fmt.Errorf("the type %T cannot be saved; register it", value)
	}
	path := k.path
	if used[path]++; used[path] > 1 {
		path = fmt.Sprintf("%s%d", path, used[path])
	}
	raw, err := e.tree(value, path)
	if err != nil {
		return nil, err
	}
	return &part{k.name, k.pkg, raw}, nil
}

// Load reads the model at path. It returns an error if the file is damaged, was altered, has a newer format, is not a
// model, or contains a part that no package of the program registers; the message states which.
func Load(path string) (*Model, error) {
	var f file
	arrays, err := archive.Read(path, &f)
	return finish(&f, arrays, path, err)
}

// Read reads a model file of the given size from r, in the format of [Model.Write]. It returns the same errors as
// [Load]; the messages use name as the path.
func Read(r io.ReaderAt, size int64, name string) (*Model, error) {
	var f file
	arrays, err := archive.Decode(r, size, name, &f)
	return finish(&f, arrays, name, err)
}

// finish returns the model in a file, or err, the error of reading the file, in words for a model.
func finish(f *file, arrays []archive.Array, name string, err error) (*Model, error) {
	if errors.Is(err, archive.ErrNoManifest) {
		return nil, faults.Also(fmt.Errorf("%s is not a model: %w; name a model file", name, archive.ErrNoManifest),
			&gaussian.FileKindError{Want: fileKind})
	}
	if errors.Is(err, npy.ErrNotZip) {
		return nil, faults.Also(err, &gaussian.FileKindError{Want: fileKind})
	}
	if err != nil {
		return nil, err
	}
	m, err := assemble(f, arrays)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// Check returns an error unless the file contains a model.
func (f *file) Check() error {
	if f.Kind != fileKind {
		return fmt.Errorf("the file is not a model: %w", &gaussian.FileKindError{Want: fileKind, Got: f.Kind})
	}
	return nil
}

// Knows always returns true. The names of the arrays follow from the fields of the model, and [decoder.unused] finds
// unknown arrays.
func (f *file) Knows(string) bool { return true }

func assemble(f *file, arrays []archive.Array) (*Model, error) {
	dec := newDecoder(arrays)
	var h header
	if err := dec.decode(f.Model, reflect.ValueOf(&h).Elem(), "", 0); err != nil {
		return nil, err
	}
	m := &Model{Method: h.Method, Options: h.Options, Classes: h.Classes, Labels: h.Labels, Input: h.Input,
		Training: h.Training, Report: h.Report,
		Version: h.Version, Kernel: h.Kernel, Notes: h.Notes, RejectBelow: h.Rejection.RejectBelow}
	if h.Threshold != nil {
		m.Threshold = *h.Threshold
	}
	for _, p := range f.Stages {
		s, err := dec.stage(p)
		if err != nil {
			return nil, err
		}
		m.Stages = append(m.Stages, s)
	}
	if f.Classifier != nil {
		v, _, err := dec.part(f.Classifier)
		if err != nil {
			return nil, err
		}
		var ok bool
		if m.Classifier, ok = v.(Classifier); !ok || kindOf(m.Classifier) == "" {
			return nil, fmt.Errorf("the classifier has type %s, which is not a classifier; fit the model again",
				f.Classifier.Type)
		}
	}
	if name := dec.unused(); name != "" {
		return nil, fmt.Errorf("array %q is unknown to this version of rao (%s); use a newer version",
			name, rao.Version)
	}
	return m, m.Validate()
}

// part decodes a value of the type that p names.
func (d *decoder) part(p *part) (any, kind, error) {
	k, err := kindNamed(p.Type, p.Package)
	if err != nil {
		return nil, k, err
	}
	v := reflect.New(k.typ)
	return v.Interface(), k, d.decode(p.Value, v.Elem(), k.path, 0)
}

func (d *decoder) stage(p *part) (Stage, error) {
	if p == nil {
		return nil, errors.New("a stage is missing; fit the model again")
	}
	v, k, err := d.part(p)
	if err != nil {
		return nil, err
	}
	if k.wrap != nil {
		return k.wrap(v), nil
	}
	s, ok := v.(Stage)
	if !ok {
		return nil, fmt.Errorf("a stage has type %s, which is not a stage; fit the model again", p.Type)
	}
	return s, nil
}
