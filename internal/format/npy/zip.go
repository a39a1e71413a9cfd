package npy

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/klauspost/compress/flate"

	"rao/internal/faults"
	"rao/internal/format/ndarray"
)

// FileComment is the zip comment that identifies npz files with data that rao wrote. numpy ignores it.
const FileComment = "written by rao"

// Zip is an open npz archive.
type Zip struct {
	path string
	size int64 // size of the file in bytes
	z    *zip.Reader
	r    io.ReaderAt
	f    io.Closer
}

// OpenZip opens an npz file.
func OpenZip(path string) (*Zip, error) {
	f, size, err := ndarray.OpenFile(path)
	if err != nil {
		return nil, err
	}
	if size == 0 {
		f.Close()
		return nil, faults.Also(fmt.Errorf("%s: the file is empty; copy or save it again", path), ErrNotZip)
	}
	z, err := NewZip(f, max(size, 0), path)
	if err != nil {
		f.Close()
		return nil, err
	}
	z.f = f
	return z, nil
}

// ErrNotZip means that a file is not a zip archive.
var ErrNotZip = errors.New("the file is not a zip archive, the format of npz, model and statistics files")

// NewZip reads an npz archive of the given size from r. Error messages use path as the path of the file.
func NewZip(r io.ReaderAt, size int64, path string) (*Zip, error) {
	z, err := zip.NewReader(r, size)
	if errors.Is(err, zip.ErrFormat) {
		var first [2]byte
		if _, err := r.ReadAt(first[:], 0); err != nil || string(first[:]) == "PK" {
			return nil, faults.Also(fmt.Errorf("%s: the file is truncated; copy or save it again", path),
				io.ErrUnexpectedEOF)
		}
		return nil, fmt.Errorf("%s: %w; name another file", path, ErrNotZip)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	z.RegisterDecompressor(zip.Deflate, func(r io.Reader) io.ReadCloser { return flate.NewReader(r) })
	return &Zip{path: path, size: size, z: z, r: r}, nil
}

// Close closes the file.
func (z *Zip) Close() error {
	if z.f == nil {
		return nil
	}
	return z.f.Close()
}

// Names returns the names of the arrays, sorted, without the extension .npy.
func (z *Zip) Names() []string {
	var names []string
	for _, e := range z.z.File {
		if name, ok := strings.CutSuffix(e.Name, ".npy"); ok {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

// OnlyArrays reports whether the names of all entries end in .npy, as in the files of numpy.
func (z *Zip) OnlyArrays() bool { return len(z.Names()) == len(z.z.File) }

// Has reports whether the archive has an entry with this full name.
func (z *Zip) Has(entry string) bool { return z.entry(entry) != nil }

func (z *Zip) entry(name string) *zip.File {
	for _, e := range z.z.File {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// Entry opens the entry with this full name as plain bytes. The reader checks the CRC at the end of the entry.
func (z *Zip) Entry(name string) (io.ReadCloser, error) {
	e := z.entry(name)
	if e == nil {
		return nil, fmt.Errorf("%s: the file has no entry %s; copy or save it again", z.path, name)
	}
	r, err := e.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: entry %s: %w", z.path, name, err)
	}
	return r, nil
}

// Member is an open array of an archive.
type Member struct {
	*Reader
	c io.Closer
}

// Close closes the member.
func (m *Member) Close() error { return m.c.Close() }

// Float32 calls Reader.Float32, and adds a remedy to errors of the zip layer.
func (m *Member) Float32(dst []float32) error { return corrupt(m.Reader.Float32(dst)) }

// Float64 calls Reader.Float64, and adds a remedy to errors of the zip layer.
func (m *Member) Float64(dst []float64) error { return corrupt(m.Reader.Float64(dst)) }

// Drain reads to the end of the entry, where the CRC is checked.
func (m *Member) Drain() error { return corrupt(m.Reader.Drain()) }

// Open opens the array with this name (without .npy) and reads its header.
func (z *Zip) Open(name string) (*Member, error) { return z.open(name, nil) }

// open does the work of Open. Unless see is nil, the bytes of the entry are read through see.
func (z *Zip) open(name string, see func(io.Reader) io.Reader) (*Member, error) {
	e := z.entry(name + ".npy")
	if e == nil {
		return nil, z.missing(name)
	}
	rc, err := e.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: array %q: %w", z.path, name, err)
	}
	var r io.Reader = rc
	if see != nil {
		r = see(rc)
	}
	m, err := NewReader(r, z.budget(e))
	if err == nil && m.Bytes() > int64(min(e.UncompressedSize64, 1<<62)) {
		err = fmt.Errorf("the header declares %d bytes, but the entry has %d; the file is truncated or corrupt, so "+
			"copy or save it again", m.Bytes(), e.UncompressedSize64)
	}
	if err != nil {
		rc.Close()
		return nil, fmt.Errorf("%s: array %q: %w", z.path, name, corrupt(err))
	}
	return &Member{Reader: m, c: rc}, nil
}

func (z *Zip) missing(name string) error {
	return fmt.Errorf("%s: the file has no array %q; its arrays are %s", z.path, name, strings.Join(z.Names(), ", "))
}

// Read reads the array with this name and checks the CRC of its entry.
func (z *Zip) Read(name string) (*ndarray.Array, error) { return z.ReadThrough(name, nil) }

// ReadThrough reads an array like Read. Unless see is nil, the bytes of the entry are read through see, for example to
// hash them.
func (z *Zip) ReadThrough(name string, see func(io.Reader) io.Reader) (*ndarray.Array, error) {
	m, err := z.open(name, see)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	a, err := m.Array()
	if err == nil {
		err = m.Drain()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: array %q: %w", z.path, name, corrupt(err))
	}
	a.Name = name
	return a, nil
}

// corrupt adds a remedy to errors of the zip layer.
func corrupt(err error) error {
	var damage flate.CorruptInputError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, zip.ErrChecksum):
		return errors.New("its bytes do not match their checksum; the file is corrupt, so copy or save it again")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ndarray.ErrTruncated
	case errors.As(err, &damage):
		return fmt.Errorf("its compressed bytes are corrupt (%w); copy or save the file again", err)
	}
	return err
}

// budget returns the number of bytes of an entry that may be allocated before reading. For uncompressed entries, this
// is the exact size, unless it exceeds the size of the file.
func (z *Zip) budget(e *zip.File) int64 {
	n := int64(min(e.CompressedSize64, uint64(max(0, z.size))))
	if e.Method == zip.Store {
		return n
	}
	return ndarray.Budget(n)
}
