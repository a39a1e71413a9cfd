package ndarray

import (
	"fmt"
	"io"
	"os"

	"rao/internal/faults"
	"rao/internal/format/regular"
)

// OpenFile opens a file and returns its size.
func OpenFile(path string) (f *os.File, size int64, err error) {
	if f, err = regular.Open(path); err != nil {
		return nil, 0, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, st.Size(), nil
}

// CheckSize returns an error if promised, the bytes of elements that a header claims, exceeds the size of the file. A
// negative size means that the size is unknown.
func CheckSize(promised, size int64) error {
	if size >= 0 && promised > size {
		return faults.Also(fmt.Errorf("the header declares %d bytes, but the file has %d; it is truncated, so copy, "+
			"save or download it again", promised, size), io.ErrUnexpectedEOF)
	}
	return nil
}

// ReadFile opens the file at path with open and reads its only array.
func ReadFile[F interface {
	Array() (*Array, error)
	Close() error
}](path string, open func(path string) (F, error)) (*Array, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a, err := f.Array()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return a, nil
}
