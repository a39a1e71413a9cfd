// Package matfile reads MATLAB's MAT-files of version 4 and version 5, which includes MATLAB's "version 6" and the
// compressed "version 7". It reads numeric and logical arrays of any number of axes, character arrays, and cell arrays
// of character rows. Sparse matrices are expanded to full ones. Structs and arbitrary cells are read as a tree, or by a
// path into them ([File.At]). Complex variables are listed but cannot be read. Files of version 7.3 are HDF5 files,
// which package hdf5 reads.
//
// Opening a file reads only the headers of its variables. Arrays are column-major, as in MATLAB; see
// ndarray.Array.Fortran.
package matfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"rao/internal/format/hdf5"
	"rao/internal/format/ndarray"
)

// Var describes a variable of a file.
type Var struct {
	Name  string
	Class string // MATLAB's class: "double", "char", "struct", ...
	Shape []int

	logical, complex bool
	offset, size     int64 // position and length of its bytes
	packed           bool  // zlib-compressed
	v4               v4Header
}

// Readable returns nil if Read can read the variable, and otherwise an error with the reason.
func (v *Var) Readable() error {
	switch {
	case v.complex:
		return fmt.Errorf("variable %q is complex; save its real part or absolute value", v.Name)
	case v.Class == "sparse" && v.v4 != (v4Header{}):
		return fmt.Errorf("variable %q is sparse; save full(%s)", v.Name, v.Name)
	case v.Class == "function", v.Class == "opaque", v.Class == "unknown":
		return fmt.Errorf("variable %q is of class %s, which cannot be read; save its values as a numeric array",
			v.Name,
			v.Class)
	case v.Class == "struct", v.Class == "object":
		return fmt.Errorf("variable %q is of class %s; name one of its fields, such as %s.X", v.Name, v.Class, v.Name)
	}
	return nil
}

// File is an open MAT-file.
type File struct {
	Vars []Var // variables in the order of the file

	path  string
	r     io.ReaderAt
	size  int64
	c     io.Closer
	order binary.ByteOrder // version 5 only; otherwise nil
	h5    *hdf5.File       // version 7.3 only
	top   *hdf5.Object
	links []hdf5.Link
}

// Open opens a MAT-file and lists its variables.
func Open(path string) (*File, error) {
	f, size, err := ndarray.OpenFile(path)
	if err != nil {
		return nil, err
	}
	m, err := New(f, max(size, 0), path)
	if err != nil {
		f.Close()
		return nil, err
	}
	m.c = f
	return m, nil
}

// New lists the variables of a MAT-file of the given size in r. Error messages use path as the path of the file.
func New(r io.ReaderAt, size int64, path string) (*File, error) {
	f := &File{path: path, r: r, size: size}
	head := make([]byte, min(size, 128))
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var err error
	switch kind := sniff(head); kind {
	case version73:
		if err = f.scan73(); err != nil {
			err = fmt.Errorf("the file is a MAT-file of version 7.3 (HDF5): %w, or save it in MATLAB with save(..., "+
				"'-v7')", err)
		}
	case version5:
		f.order = binary.LittleEndian
		if head[126] == 'M' {
			f.order = binary.BigEndian
		}
		err = f.scan5()
	case version4:
		err = f.scan4()
	default:
		err = errors.New("not a MAT-file of version 4 to 7, or truncated inside its header; copy or save it again")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Close closes the file.
func (f *File) Close() error {
	if f.c == nil {
		return nil
	}
	return f.c.Close()
}

type version int

const (
	notMat version = iota
	version4
	version5
	version73
)

// Sniff reports whether a file of any MAT version can start with head, which is the first 128 bytes of the file or, if
// the file is shorter, all of it.
func Sniff(head []byte) bool { return sniff(head) != notMat }

func sniff(head []byte) version {
	switch {
	case bytes.HasPrefix(head, []byte("\x89HDF\r\n\x1a\n")), bytes.HasPrefix(head, []byte("MATLAB 7.3")):
		return version73
	case len(head) >= 128 && (string(head[124:128]) == "\x00\x01IM" || string(head[124:128]) == "\x01\x00MI"):
		return version5
	case len(head) >= 20:
		if h, ok := parse4(head); ok && h.plausible() {
			return version4
		}
	}
	return notMat
}

// Names returns the names of the variables in file order.
func (f *File) Names() []string {
	names := make([]string, len(f.Vars))
	for i := range f.Vars {
		names[i] = f.Vars[i].Name
	}
	return names
}

// Lookup returns the variable with this name, or nil.
func (f *File) Lookup(name string) *Var {
	for i := range f.Vars {
		if f.Vars[i].Name == name {
			return &f.Vars[i]
		}
	}
	return nil
}

// Read reads the variable with this name, or the array at a path (see At).
func (f *File) Read(name string) (*ndarray.Array, error) {
	v := f.Lookup(name)
	if v == nil && strings.ContainsAny(name, ".{(") {
		return f.readAt(name)
	}
	if v == nil {
		return nil, fmt.Errorf("%s: the file has no variable %q; its variables are %s", f.path, name,
			strings.Join(f.Names(), ", "))
	}
	if f.h5 != nil {
		return f.readAt(name)
	}
	err := v.Readable()
	var a *ndarray.Array
	switch {
	case err != nil:
	case f.order == nil:
		a, err = f.read4(v)
	default:
		a, err = f.read5(v)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, inVariable(name, err))
	}
	a.Name = name
	return a, nil
}

func (f *File) readAt(path string) (*ndarray.Array, error) {
	v, err := f.At(path)
	if err != nil {
		return nil, err
	}
	a, err := v.array()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, inVariable(path, err))
	}
	a.Name = path
	return a, nil
}

// inVariable adds the name of the variable to an error that does not contain it.
func inVariable(name string, err error) error {
	if strings.HasPrefix(err.Error(), "variable ") {
		return err
	}
	return fmt.Errorf("variable %q: %w", name, err)
}

// emptyText returns an array of at most one empty string. An empty character array with more rows is an error, because
// the file contains no data for the rows.
func emptyText(rows int) (*ndarray.Array, error) {
	if rows > 1 {
		return nil, fmt.Errorf("an empty character array of %d rows cannot be read; save '' instead", rows)
	}
	return &ndarray.Array{Type: "U", Shape: []int{rows}, Strings: make([]string, rows)}, nil
}

// textArray converts the column-major characters of a rows×cols array to one string per row, without trailing padding.
func textArray(chars []rune, rows, cols int) *ndarray.Array {
	a := &ndarray.Array{Type: "U", Shape: []int{rows}, Strings: make([]string, rows)}
	line := make([]rune, cols)
	for i := range rows {
		for j := range cols {
			line[j] = chars[j*rows+i]
		}
		a.Strings[i] = strings.TrimRight(string(line), " \x00")
	}
	return a
}
