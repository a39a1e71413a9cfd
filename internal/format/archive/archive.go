package archive

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"rao"
	"rao/internal/format/ndarray"
	"rao/internal/format/npy"
	"rao/internal/text"
)

// Array is a named array with a shape. The values are in exactly one of Float64, Int64, Float32 and Strings, in
// row-major order.
type Array = ndarray.Array

// Format is the version of the container that Write writes. It is the newest version that Read accepts.
const Format = 1

// Manifest is the name of the entry with the metadata.
const Manifest = "rao.json"

// maxManifest limits the size of the metadata, in bytes.
const maxManifest = 64 << 20

// manifest is the content of the entry rao.json.
type manifest struct {
	Format int             `json:"rao_format"`
	Meta   json.RawMessage `json:"meta"`
	Digest string          `json:"meta_sha256"` // of Meta without whitespace
	Arrays []entry         `json:"arrays"`
}

type entry struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"` // of the npy entry
}

// Write writes an archive to path atomically: see [WriteFile]. meta is encoded with encoding/json. Array names must be
// distinct and not empty.
func Write(path string, meta any, arrays []Array) error {
	return WriteFile(path, func(w io.Writer) error { return Encode(w, meta, arrays) })
}

// WriteLarge writes an archive like [Write], with one more array at the end unless large is nil.
func WriteLarge(path string, meta any, arrays []Array, large *Values) error {
	return WriteFile(path, func(w io.Writer) error { return EncodeLarge(w, meta, arrays, large) })
}

// Encode writes an archive to w.
func Encode(w io.Writer, meta any, arrays []Array) error { return EncodeLarge(w, meta, arrays, nil) }

// Values is an array that is too large to hold in memory.
type Values struct {
	Name   string
	Shape  []int
	Single bool // stored as float32
	// Write calls write with all values, in blocks of any length.
	Write func(write func(values []float64) error) error
}

// EncodeLarge writes an archive like [Encode], with one more array at the end unless large is nil.
func EncodeLarge(w io.Writer, meta any, arrays []Array, large *Values) error {
	m := manifest{Format: Format}
	var err error
	if m.Meta, err = json.Marshal(meta); err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	m.Digest = metaDigest(m.Meta)
	e := &encoder{z: zip.NewWriter(w), manifest: &m}
	for i := range arrays {
		a := &arrays[i]
		if err := e.add(a.Name, func(w io.Writer) error { return npy.Write(w, a) }); err != nil {
			return err
		}
	}
	if large != nil {
		if err := e.add(large.Name, large.encode); err != nil {
			return err
		}
	}
	return e.end()
}

// encode writes the values as an npy stream.
func (v *Values) encode(w io.Writer) error {
	header := npy.NewFloats
	if v.Single {
		header = npy.NewFloats32
	}
	f, err := header(w, v.Shape...)
	if err != nil {
		return err
	}
	if err := v.Write(f.Write); err != nil {
		return err
	}
	return f.Close()
}

type encoder struct {
	z        *zip.Writer
	manifest *manifest
}

// add writes an array and records its digest.
func (e *encoder) add(name string, write func(w io.Writer) error) error {
	list := e.manifest.Arrays
	if name == "" || slices.ContainsFunc(list, func(x entry) bool { return x.Name == name }) {
		return fmt.Errorf("array %d has the name %q, which is empty or used twice; rename the array", len(list), name)
	}
	w, err := e.z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
	if err != nil {
		return err
	}
	h := sha256.New()
	if err := write(io.MultiWriter(w, h)); err != nil {
		return err
	}
	e.manifest.Arrays = append(list, entry{name, hex.EncodeToString(h.Sum(nil))})
	return nil
}

func (e *encoder) end() error {
	text, err := json.MarshalIndent(e.manifest, "", "  ")
	if err != nil {
		return err
	}
	w, err := e.z.CreateHeader(&zip.FileHeader{Name: Manifest, Method: zip.Deflate})
	if err != nil {
		return err
	}
	if _, err := w.Write(append(text, '\n')); err != nil {
		return err
	}
	return e.z.Close()
}

// metaDigest hashes JSON text without its whitespace.
func metaDigest(text []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return ""
	}
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:])
}

// ErrNoManifest means that a zip file has no entry rao.json. It may be an ordinary npz file.
var ErrNoManifest = errors.New("it has no " + Manifest)

// Read reads the archive at path. It decodes the metadata into meta, a pointer, unless meta is nil. It returns the
// arrays in the order in which they were written.
func Read(path string, meta any) ([]Array, error) {
	z, err := npy.OpenZip(path)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return read(z, path, meta)
}

// Decode reads an archive of the given size in r, like [Read]. Error messages use name as the path.
func Decode(r io.ReaderAt, size int64, name string, meta any) ([]Array, error) {
	z, err := npy.NewZip(r, size, name)
	if err != nil {
		return nil, err
	}
	return read(z, name, meta)
}

func read(z *npy.Zip, path string, meta any) ([]Array, error) {
	m, err := readManifest(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	arrays := make([]Array, 0, len(m.Arrays))
	for _, e := range m.Arrays {
		a, err := readArray(z, path, e)
		if err != nil {
			return nil, err
		}
		arrays = append(arrays, *a)
	}
	return arrays, m.decode(path, meta)
}

// readArray reads an array and verifies its digest.
func readArray(z *npy.Zip, path string, e entry) (*Array, error) {
	var h hash.Hash
	a, err := z.ReadThrough(e.Name, func(r io.Reader) io.Reader {
		h = sha256.New()
		return io.TeeReader(r, h)
	})
	if err != nil {
		return nil, err
	}
	if hex.EncodeToString(h.Sum(nil)) != e.SHA256 {
		return nil, altered(path, e.Name)
	}
	return ndarray.Contiguous(a), nil
}

func altered(path, name string) error {
	return fmt.Errorf("%s: array %q does not match its SHA-256; the file was altered or damaged, so use a good copy",
		path, name)
}

// Checker is implemented by metadata that can check whether a file has the kind of content that the caller expects. An
// error of Check takes precedence over errors about unknown fields and arrays.
type Checker interface {
	Check() error
	Knows(array string) bool
}

// decode decodes the metadata into meta, a pointer, unless meta is nil.
func (m *manifest) decode(path string, meta any) error {
	if meta == nil {
		return nil
	}
	err := json.Unmarshal(m.Meta, meta) // a value of the wrong type does not affect other fields
	c, checked := meta.(Checker)
	if checked {
		if err := c.Check(); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if err = text.JSONError(err); err == nil {
		err = RefuseUnknown(m.Meta, reflect.TypeOf(meta), "")
	}
	if err != nil {
		return fmt.Errorf("%s: metadata: %w", path, err)
	}
	for _, a := range m.Arrays {
		if checked && !c.Knows(a.Name) {
			return fmt.Errorf("%s: array %q is unknown to this version of rao (%s); use a newer "+
				"version", path, a.Name, rao.Version)
		}
	}
	return nil
}

// RefuseUnknown returns an error for a field of a JSON value that a type does not have, because a later version wrote
// the file and the field would be lost. Unlike package json, it distinguishes upper and lower case. path is the path of
// the value.
func RefuseUnknown(text json.RawMessage, t reflect.Type, path string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		var list []json.RawMessage
		if json.Unmarshal(text, &list) != nil {
			return nil // a string of bytes
		}
		for i, v := range list {
			if err := RefuseUnknown(v, t.Elem(), fmt.Sprintf("%s%d.", path, i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		var tree map[string]json.RawMessage
		if err := json.Unmarshal(text, &tree); err != nil {
			return err
		}
		known := make(map[string]reflect.Type)
		for _, f := range reflect.VisibleFields(t) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" && f.IsExported() && !f.Anonymous {
				known[cmp.Or(name, f.Name)] = f.Type
			}
		}
		for _, name := range slices.Sorted(maps.Keys(tree)) {
			field, ok := known[name]
			if !ok {
				return fmt.Errorf("field %s is unknown to this version of rao (%s); use a newer version", path+name,
					rao.Version)
			}
			if err := RefuseUnknown(tree[name], field, path+name+"."); err != nil {
				return err
			}
		}
	}
	return nil
}

func readManifest(z *npy.Zip) (*manifest, error) {
	if !z.Has(Manifest) {
		return nil, ErrNoManifest
	}
	r, err := z.Entry(Manifest)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, maxManifest+1))
	if err != nil {
		return nil, fmt.Errorf("%s is damaged (%w); use a good copy", Manifest, err)
	}
	if len(b) > maxManifest {
		return nil, fmt.Errorf("%s is larger than the limit of %d MiB; use a good copy", Manifest, maxManifest>>20)
	}
	m := new(manifest)
	if err := json.Unmarshal(b, m); err != nil {
		return nil, fmt.Errorf("%s is damaged (%w); use a good copy", Manifest, text.JSONError(err))
	}
	switch {
	case m.Format < 1:
		return nil, fmt.Errorf("%s has no format version; use a file that rao wrote", Manifest)
	case m.Format > Format:
		return nil, fmt.Errorf("the file has format %d, but this version of rao reads formats up to %d; use a newer "+
			"version",
			m.Format, Format)
	case metaDigest(m.Meta) != m.Digest:
		return nil, fmt.Errorf("the metadata do not match their SHA-256; the file was altered or damaged, so use a " +
			"good copy")
	}
	if err := RefuseUnknown(b, reflect.TypeFor[manifest](), ""); err != nil {
		return nil, fmt.Errorf("%s: %w", Manifest, err)
	}
	for _, name := range z.Names() {
		if !slices.ContainsFunc(m.Arrays, func(e entry) bool { return e.Name == name }) {
			return nil, fmt.Errorf("array %q is not listed in %s, so it was added later; use a good copy", name,
				Manifest)
		}
	}
	return m, nil
}

// Kind returns the text field "kind" of an archive's metadata, which names the content of the archive. It does not
// read the arrays.
func Kind(path string) (string, error) { return Field(path, "kind") }

// Marked reports whether the file at path is a zip with the entry rao.json, which may be damaged or of a later version.
func Marked(path string) bool {
	z, err := npy.OpenZip(path)
	if err != nil {
		return false
	}
	defer z.Close()
	return z.Has(Manifest)
}

// Field returns a text field of an archive's metadata, or "" if there is none with this name.
func Field(path, name string) (string, error) {
	z, err := npy.OpenZip(path)
	if err != nil {
		return "", err
	}
	defer z.Close()
	m, err := readManifest(z)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	var meta map[string]json.RawMessage
	if err := json.Unmarshal(m.Meta, &meta); err != nil {
		return "", fmt.Errorf("%s: metadata: %w", path, err)
	}
	var text string
	if raw, ok := meta[name]; ok {
		if err := json.Unmarshal(raw, &text); err != nil {
			return "", fmt.Errorf("%s: metadata: %w", path, err)
		}
	}
	return text, nil
}
