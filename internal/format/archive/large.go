package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/crc32"

	"rao/internal/format/npy"
)

// Large is an open archive of which one array stays in the file.
type Large struct {
	Arrays []Array // the others
	Values *npy.Elements

	path, name string
	digest     string // of the entry; "" in an npz of another program
	z          *npy.Zip
}

// OpenLarge opens the archive at path: its metadata are read into meta, and all arrays but
// the named one. An npz of another program has no metadata, and only those of its arrays
// that others names are read. It returns [npy.ErrCompressed] when the named array is
// compressed.
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

func (l *Large) read(e entry) (*Array, error) {
	if e.SHA256 != "" {
		return readArray(l.z, l.path, e)
	}
	a, err := l.z.Read(e.Name)
	if err != nil {
		return nil, err
	}
	return a.Contiguous(), nil
}

// Check returns a hash that is to be given the bytes of all elements in their order, and
// what compares it with that of the file in the end.
func (l *Large) Check() (h hash.Hash, compare func() error) {
	if l.digest == "" {
		h = crc32.NewIEEE()
		compare = func() error {
			if h.(hash.Hash32).Sum32() != l.Values.CRC {
				return fmt.Errorf("%s: array %q does not match its checksum; the file is corrupt, copy or save it "+
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
