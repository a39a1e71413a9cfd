// Package parquet reads Parquet files as data of package dataset. Import it for its side effect, like an image format:
//
//	import _ "rao/dataset/parquet"
//
// Columns of booleans, integers, floats and decimals are numeric. Lists of numbers with the same length in all rows are
// vectors. So are binary columns of little-endian float32 or float64 values; select such a column with its type, as in
// OpenOptions.X = "embedding:f32". Labels may be text, enumerations or numbers, plain or dictionary-encoded. A missing
// number is NaN. Fields of structures have names such as person.age. Dates and times are text in ISO 8601. Maps and
// lists of lists are skipped and reported.
//
// Row groups are decoded in parallel and returned in file order. The reader needs memory for a few blocks of rows of
// each group that is being read, regardless of the size of the file.
package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"rao/dataset"
	"rao/internal/text"
)

func init() {
	dataset.RegisterFormat(dataset.Format{Name: "Parquet", Extensions: []string{".parquet"},
		Magic:   func(head []byte) bool { return strings.HasPrefix(string(head), "PAR1") },
		Columns: func(path string) (dataset.Columns, error) { return open(path) }})
}

type file struct {
	path   string
	source io.ReaderAt
	closer io.Closer
	size   int64
	meta   format.FileMetaData
	leaves []*leaf          // leaves from which the columns are read
	list   []dataset.Column // one for each of leaves

	from, to int // row groups to read
}

// open opens a Parquet file and determines its columns.
func open(path string) (*file, error) {
	r, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := r.Stat()
	if err != nil {
		r.Close()
		return nil, err
	}
	f, err := openReader(r, st.Size(), path)
	if err != nil {
		r.Close()
		return nil, err
	}
	f.closer = r
	return f, nil
}

func openReader(r io.ReaderAt, size int64, path string) (f *file, err error) {
	defer func() {
		if p := recover(); p != nil {
			f, err = nil, fmt.Errorf("%s: %w", path, broken(p))
		}
	}()
	f = &file{path: path, source: r, size: size}
	if err := f.readFooter(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f.to = len(f.meta.RowGroups)
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := f.describe(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// readFooter reads the metadata of the file, which are at its end.
func (f *file) readFooter() error {
	var head [4]byte
	var tail [8]byte
	if f.size < 12 {
		return damaged(fmt.Errorf("the file has only %d bytes, too few for a Parquet file", f.size))
	}
	if _, err := f.source.ReadAt(head[:], 0); err != nil {
		return err
	}
	if _, err := f.source.ReadAt(tail[:], f.size-8); err != nil && err != io.EOF {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if string(head[:]) != "PAR1" || string(tail[4:]) != "PAR1" || n > f.size-12 {
		return damaged(errors.New("it does not begin and end like a Parquet file"))
	}
	footer := make([]byte, n)
	if _, err := f.source.ReadAt(footer, f.size-8-n); err != nil {
		return err
	}
	var proto thrift.CompactProtocol
	r := proto.NewReaderFromBytes(footer)
	if err := thrift.NewDecoder(r).Decode(&f.meta); err != nil {
		return damaged(err)
	}
	if rest := len(footer) - r.BytesRead(); rest > 0 {
		return damaged(fmt.Errorf("%d unexpected bytes follow its metadata", rest))
	}
	return nil
}

// damaged adds the remedy for an inconsistent file to err.
func damaged(err error) error {
	if strings.Contains(err.Error(), "; ") {
		return err // a remedy for this problem
	}
	return fmt.Errorf("%w; the file is damaged or truncated, so copy or write it again", err)
}

// broken returns the error for a panic of the decoder.
func broken(p any) error { return damaged(fmt.Errorf("%v", p)) }

// check compares the row groups with the metadata of the file.
func (f *file) check() error {
	leaves := 0
	for i := range f.meta.Schema {
		if isLeaf(&f.meta.Schema[i]) {
			leaves++
		}
	}
	rows := int64(0)
	for i := range f.meta.RowGroups {
		g := &f.meta.RowGroups[i]
		if g.NumRows < 0 || g.NumRows > 1<<40 {
			return damaged(fmt.Errorf("the number of rows of row group %d is %d", i, g.NumRows))
		}
		if rows += g.NumRows; len(g.Columns) != leaves {
			return damaged(fmt.Errorf("row group %d has %s, but the schema has %d", i,
				text.Plural(len(g.Columns), "column", "columns"), leaves))
		}
	}
	if rows != f.meta.NumRows {
		return damaged(fmt.Errorf("its row groups have %s, but the file declares %d",
			text.Plural(int(rows), "row", "rows"), f.meta.NumRows))
	}
	return nil
}

// Columns implements dataset.Columns.
func (f *file) Columns() []dataset.Column { return f.list }

// Rows implements dataset.Columns.
func (f *file) Rows() int {
	n := int64(0)
	for _, g := range f.meta.RowGroups[f.from:f.to] {
		n += g.NumRows
	}
	return int(n)
}

// Parts returns the sizes of the row groups in bytes. Package dataset reads row groups separately.
func (f *file) Parts() []int64 {
	groups := f.meta.RowGroups
	sizes := make([]int64, len(groups))
	for i := range groups {
		for k := range groups[i].Columns {
			sizes[i] += max(0, groups[i].Columns[k].MetaData.TotalCompressedSize)
		}
	}
	return sizes
}

// Restrict limits Rows and Read to the row groups from to to-1.
func (f *file) Restrict(from, to int) { f.from, f.to = from, to }

// Close implements dataset.Columns.
func (f *file) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}
