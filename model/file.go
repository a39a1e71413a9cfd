package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"rao"
	"rao/feature"
	"rao/internal/archive"
	"rao/internal/suggest"
	"rao/spd"
)

// header is the part of a model that is the same for every method.
type header struct {
	Method      string
	Options     []Option
	Classes     []string
	Input       Input
	Preprocess  *Preprocess
	Repair      *spd.Repair
	Recenter    bool
	Compression *feature.Compression
	Report      rao.Report
	Seconds     Seconds
	Notes       []string
	Rejection   Rejection
}

// part is a fitted piece with the name of its type.
type part struct {
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"`
}

// file is the metadata of a model file.
type file struct {
	Kind       string          `json:"kind"`
	Model      json.RawMessage `json:"model"`
	Feature    *part           `json:"feature,omitempty"`
	Classifier *part           `json:"classifier,omitempty"`
}

const fileKind = "model"

// Save writes the model to path, whole or not at all.
func (m *Model) Save(path string) error {
	return archive.WriteFile(path, m.Write)
}

// Write writes the model file to w.
func (m *Model) Write(w io.Writer) error {
	if err := m.Validate(); err != nil {
		return fmt.Errorf("the model is not whole: %w", err)
	}
	var enc encoder
	h := header{m.Method, m.Options, m.Classes, m.Input, m.Preprocess, m.Repair, m.Recenter, m.Compression, m.Report, m.Seconds, m.Notes, m.Rejection}
	f := file{Kind: fileKind}
	var err error
	if f.Model, err = enc.tree(&h, ""); err != nil {
		return err
	}
	if f.Feature, err = enc.part(m.Feature, "feature"); err != nil {
		return err
	}
	var cl any = m.Vector
	if m.Matrix != nil {
		cl = m.Matrix
	}
	if f.Classifier, err = enc.part(cl, "classifier"); err != nil {
		return err
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

// part encodes a fitted piece; nil for none.
func (e *encoder) part(v any, path string) (*part, error) {
	if v == nil {
		return nil, nil
	}
	name := nameOf(v)
	if name == "" {
		return nil, fmt.Errorf("a %T is not in the table of model/kinds.go and cannot be saved", v)
	}
	raw, err := e.tree(v, path)
	if err != nil {
		return nil, err
	}
	return &part{name, raw}, nil
}

// Load reads the model at path. A file that is damaged, altered, of a newer format
// or that holds something else is an error that says so.
func Load(path string) (*Model, error) {
	var f file
	arrays, err := archive.Read(path, &f)
	if err != nil {
		if errors.Is(err, archive.ErrNoManifest) {
			return nil, fmt.Errorf("%s is not a model: %w", path, err)
		}
		return nil, err
	}
	m, err := assemble(&f, arrays)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Decode reads a model file of the given size from r; name is used in messages.
func Decode(r io.ReaderAt, size int64, name string) (*Model, error) {
	var f file
	arrays, err := archive.Decode(r, size, name, &f)
	if err != nil {
		return nil, err
	}
	m, err := assemble(&f, arrays)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

func assemble(f *file, arrays []archive.Array) (*Model, error) {
	if f.Kind != fileKind {
		return nil, errors.New("the file is not a model; fit one with rao fit")
	}
	dec := newDecoder(arrays)
	var h header
	if err := dec.decode(f.Model, reflect.ValueOf(&h).Elem(), "", 0); err != nil {
		return nil, err
	}
	m := &Model{Method: h.Method, Options: h.Options, Classes: h.Classes, Input: h.Input, Preprocess: h.Preprocess,
		Repair: h.Repair, Recenter: h.Recenter, Compression: h.Compression, Report: h.Report, Seconds: h.Seconds, Notes: h.Notes, Rejection: h.Rejection}
	if f.Feature != nil {
		v, err := dec.part(f.Feature, "feature")
		if err != nil {
			return nil, err
		}
		var ok bool
		if m.Feature, ok = v.(Feature); !ok {
			return nil, fmt.Errorf("a %s is not a feature map", f.Feature.Type)
		}
	}
	if f.Classifier != nil {
		v, err := dec.part(f.Classifier, "classifier")
		if err != nil {
			return nil, err
		}
		switch cl := v.(type) {
		case VectorClassifier:
			m.Vector = cl
		case MatrixClassifier:
			m.Matrix = cl
		default:
			return nil, fmt.Errorf("a %s is not a classifier", f.Classifier.Type)
		}
	}
	return m, m.Validate()
}

// part decodes a fitted piece of the type that it names.
func (d *decoder) part(p *part, path string) (any, error) {
	for _, k := range kinds {
		if k.name == p.Type {
			v := reflect.New(k.typ)
			if err := d.decode(p.Value, v.Elem(), path, 0); err != nil {
				return nil, err
			}
			return v.Interface(), nil
		}
	}
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return nil, suggest.Unknown("type of model", p.Type, names)
}

// kind is a type that a model file can hold.
type kind struct {
	name string
	typ  reflect.Type
}

func nameOf(v any) string {
	t := reflect.TypeOf(v)
	for _, k := range kinds {
		if t == reflect.PointerTo(k.typ) {
			return k.name
		}
	}
	return ""
}
