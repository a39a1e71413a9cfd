package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"rao/internal/format/gunzip"
	"rao/internal/format/idx"
	"rao/internal/format/matfile"
)

// OpenOptions say which variables and rows of a source to take. The zero value
// takes everything by the usual names. Matrices is for those who examine faults:
// without it, an array of which most matrices are symmetric is a stack, and one
// that is not symmetric an error.
type OpenOptions struct {
	Labels        string   // file of labels: IDX, npy, or text with one label a line; replaces labels of the data
	X, Y          string   // variables of the observations and the labels in npz and MAT files; "X" and "y" by default
	Where         []string // NAME=VALUE: keep the rows where the variable, or the column of a table, has the value
	Header        *bool    // whether a table's first line names its columns; nil finds out
	LabelColumn   string   // label column of a table: a name, a number from 0 (negative from the end) or "none"
	RequireLabels bool     // make data without labels an error
	Matrices      bool     // take arrays of square matrices for a stack, symmetric or not, and change no value
}

// kind is a kind of source.
type kind int

const (
	kindNpz kind = iota
	kindNpy
	kindMat
	kindIdx
	kindCifar
	kindTable
	kindFolder
)

var kindNames = [...]string{"npz", "npy", "MAT", "IDX", "CIFAR-10", "table", "folder"}

// Kind names the kind of the file or folder that Open would read: "npz", "npy", "MAT",
// "IDX", "CIFAR-10", "table" or "folder". A file of none of them is an error.
func Kind(path string) (string, error) {
	k, err := kindOf(path)
	if err != nil {
		return "", err
	}
	return kindNames[k], nil
}

// Open reads a data set whole. spec is a path or the name of a known set; see
// the package documentation for the kinds and [Sets] for the names. Errors name
// the file, the place in it and what to do.
func Open(ctx context.Context, spec string, opt OpenOptions) (*Data, error) {
	known, err := lookup(spec)
	if err != nil {
		return nil, err
	}
	if known != nil {
		return known.open(ctx, spec, opt)
	}
	return openPath(ctx, spec, opt)
}

func openPath(ctx context.Context, path string, opt OpenOptions) (*Data, error) {
	r, opt, err := load(ctx, path, opt)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return assemble(r, opt)
}

// load reads a file whole and returns the options that are left to apply.
func load(ctx context.Context, path string, opt OpenOptions) (*raw, OpenOptions, error) {
	k, err := kindOf(path)
	if err != nil {
		return nil, opt, err
	}
	var r *raw
	switch k {
	case kindNpz:
		r, err = loadNpz(path, opt)
	case kindNpy:
		r, err = loadNpy(path)
	case kindMat:
		r, err = loadMat(path, opt)
	case kindIdx:
		r, err = loadIdx(path, &opt)
	case kindCifar:
		r, err = loadCifar(path)
	case kindTable:
		return loadTable(ctx, path, opt)
	case kindFolder:
		r, err = loadFolder(ctx, path)
	}
	return r, opt, err
}

// kindOf finds the kind of a file by its first bytes, and by its name where those
// say nothing.
func kindOf(path string) (kind, error) {
	st, err := os.Stat(path)
	if err != nil {
		return 0, missing(path, err)
	}
	if st.IsDir() {
		return kindFolder, nil
	}
	f, err := gunzip.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	head = head[:n]
	name := strings.TrimSuffix(strings.ToLower(path), ".gz")
	switch ext := filepath.Ext(name); {
	case n == 0:
		return 0, fmt.Errorf("%s: the file is empty", path)
	case strings.HasPrefix(string(head), "\x93NUMPY"), ext == ".npy":
		return kindNpy, uncompressed(f)
	case strings.HasPrefix(string(head), "PK\x03\x04"), strings.HasPrefix(string(head), "PK\x05\x06"), ext == ".npz":
		return kindNpz, uncompressed(f)
	case ext == ".mat":
		return kindMat, uncompressed(f)
	case ext == ".csv", ext == ".tsv", ext == ".txt":
		return kindTable, nil
	case ext == ".bin":
		return kindCifar, nil
	case idx.Sniff(head):
		return kindIdx, nil
	case matfile.Sniff(head[:min(n, 128)]):
		return kindMat, uncompressed(f)
	case isText(head):
		return kindTable, nil
	}
	return 0, fmt.Errorf("%s: not a kind of file that can be read: npz, npy, csv, tsv, MAT (version 4 to 7), IDX, CIFAR-10 .bin, or a folder of class folders with images", path)
}

// uncompressed refuses a compressed file of a kind that is read in place.
func uncompressed(f *gunzip.File) error {
	if f.Compressed {
		return fmt.Errorf("%s: this kind of file cannot be read while gzip-compressed; run gunzip on it first", f.Path)
	}
	return nil
}

// missing words the error for a path that cannot be opened.
func missing(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no such file or folder, and no data set of this name; rao dataset list shows the sets", path)
	}
	return err
}

func isText(head []byte) bool {
	for _, b := range head {
		if b < 32 && b != '\n' && b != '\r' && b != '\t' {
			return false
		}
	}
	return true
}
