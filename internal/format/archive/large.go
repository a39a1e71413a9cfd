package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/crc32"
	"slices"
	"strings"

	"rao/internal/format/ndarray"
	"rao/internal/format/npy"
)

// Large is an open archive with one array that stays in the file.
type Large struct {
	Arrays []Array // the other arrays
	Values *npy.Elements

	path, name string
	digest     string // digest of the entry; "" if another program wrote the npz
	z          *npy.Zip
}

// OpenLarge opens the archive at path. It reads the metadata into meta, and all arrays except the one called name. If
// another program wrote the file as npz, it has no metadata, and only the arrays listed in others are read. It returns
// [npy.ErrCompressed] if the named array is compressed.
func OpenLarge(path string, meta any, name string, others []string) (*Large, error) {
	z, err := npy.OpenZip(path)
	if err != nil {
		return nil, err
	}
	l := &Large{path: path, name: name, z: z}
	if err := l.open(meta, others); err != nil {
		z.Close()
		return nil, err
	}
	return l, nil
}

func (l *Large) open(meta any, others []string) error {
	var list []entry
	if l.z.Has(Manifest) {
		m, err := readManifest(l.z)
		if err != nil {
			return fmt.Errorf("%s: %w", l.path, err)
		}
		if err := m.decode(l.path, meta); err != nil {
			return err
		}
		list = m.Arrays
	} else {
		if err := CheckPlain(l.z, l.path, append([]string{l.name}, others...)); err != nil {
			return err
		}
		for _, name := range others {
			if l.z.Has(name + ".npy") {
				list = append(list, entry{Name: name})
			}
		}
	}
	var err error
	if l.Values, err = l.z.Elements(l.name); err != nil {
		return err
	}
	for _, e := range list {
		if e.Name == l.name {
			l.digest = e.SHA256
			continue
		}
		a, err := l.read(e)
		if err != nil {
			return err
		}
		a.Name = e.Name
		l.Arrays = append(l.Arrays, *a)
	}
	return nil
}

// CheckPlain returns an error if an npz file that NumPy wrote has an array whose name is not in names. A misspelled
// array would otherwise be ignored.
func CheckPlain(z *npy.Zip, path string, names []string) error {
	for _, name := range z.Names() {
		if !slices.Contains(names, name) {
			return fmt.Errorf("%s: array %q is unknown; these statistics can contain %s; rename it or leave it out",
				path, name, strings.Join(slices.Compact(slices.Sorted(slices.Values(names))), ", "))
		}
	}
	return nil
}

func (l *Large) read(e entry) (*Array, error) {
	if e.SHA256 != "" {
		return readArray(l.z, l.path, e)
	}
	a, err := l.z.Read(e.Name)
	if err != nil {
		return nil, err
	}
	return ndarray.Contiguous(a), nil
}

// Check returns a hash and a function. The caller writes the bytes of all elements to the hash, in order, and then
// calls compare, which returns an error if the digest differs from the digest in the file.
func (l *Large) Check() (h hash.Hash, compare func() error) {
	if l.digest == "" {
		h = crc32.NewIEEE()
		compare = func() error {
			if h.(hash.Hash32).Sum32() != l.Values.CRC {
				return fmt.Errorf("%s: array %q does not match its checksum; the file is corrupt, so copy or save it "+
					"again", l.path, l.name)
			}
			return nil
		}
	} else {
		h = sha256.New()
		compare = func() error {
			if hex.EncodeToString(h.Sum(nil)) != l.digest {
				return altered(l.path, l.name)
			}
			return nil
		}
	}
	h.Write(l.Values.Head)
	return h, compare
}

// Close closes the file.
func (l *Large) Close() error { return l.z.Close() }
