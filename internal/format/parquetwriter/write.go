// Package parquetwriter writes tables as Parquet files. Package dataset/parquet reads them.
package parquetwriter

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// creator is the name of the program in the footer of files written by [Writer].
const creator = "rao"

// Kind is the type of a column of a [Writer].
type Kind uint8

// These are the kinds of columns.
const (
	Text Kind = iota
	Flag
	Number
)

// Writer writes a table as a Parquet file, row by row. Columns are uncompressed and have no missing values. Row groups
// have up to 65,536 rows; one row group is in memory at a time.
type Writer struct {
	w       io.Writer
	at      int64
	names   []string
	kinds   []Kind
	pages   [][]byte // pages of the columns in the current row group
	rows    int      // number of rows in the current row group
	meta    format.FileMetaData
	largest int // bytes in the largest page of the current row group
}

// groupRows and groupBytes limit the size of a row group.
const (
	groupRows  = 1 << 16
	groupBytes = 1 << 28
)

// NewWriter returns a writer of columns with the given names and kinds.
func NewWriter(w io.Writer, names []string, kinds []Kind) (*Writer, error) {
	if len(names) != len(kinds) || len(names) == 0 {
		return nil, fmt.Errorf("the number of names is %d, but the number of columns is %d", len(names), len(kinds))
	}
	t := &Writer{w: w, names: names, kinds: kinds, pages: make([][]byte, len(names))}
	t.meta = format.FileMetaData{Version: 1, CreatedBy: creator}
	root := format.SchemaElement{Name: "schema"}
	root.NumChildren.V, root.NumChildren.Valid = int32(len(names)), true
	t.meta.Schema = append(t.meta.Schema, root)
	for i, name := range names {
		e := format.SchemaElement{Name: name}
		e.Type.V, e.Type.Valid = kinds[i].physical(), true
		e.RepetitionType.V, e.RepetitionType.Valid = format.Required, true
		if kinds[i] == Text {
			e.LogicalType.Value = &format.StringType{}
			e.ConvertedType.V, e.ConvertedType.Valid = deprecated.UTF8, true
		}
		t.meta.Schema = append(t.meta.Schema, e)
	}
	return t, t.write([]byte("PAR1"))
}

func (k Kind) physical() format.Type {
	return [...]format.Type{Text: format.ByteArray, Flag: format.Boolean, Number: format.Double}[k]
}

func (t *Writer) write(b []byte) error {
	n, err := t.w.Write(b)
	t.at += int64(n)
	return err
}

// Text sets the value of a text column in the current row. [Writer.End] completes the row.
func (t *Writer) Text(column int, v string) {
	p := binary.LittleEndian.AppendUint32(t.pages[column], uint32(len(v)))
	t.pages[column] = append(p, v...)
	t.largest = max(t.largest, len(t.pages[column]))
}

// Flag sets the value of a column of booleans in the current row.
func (t *Writer) Flag(column int, v bool) {
	if t.rows%8 == 0 {
		t.pages[column] = append(t.pages[column], 0)
	}
	if v {
		t.pages[column][t.rows/8] |= 1 << (t.rows % 8)
	}
}

// Number sets the value of a column of numbers in the current row.
func (t *Writer) Number(column int, v float64) {
	t.pages[column] = binary.LittleEndian.AppendUint64(t.pages[column], math.Float64bits(v))
}

// End completes a row. Every column must have a value.
func (t *Writer) End() error {
	if t.rows++; t.rows < groupRows && t.largest < groupBytes {
		return nil
	}
	return t.flush()
}

func (t *Writer) flush() error {
	if t.rows == 0 {
		return nil
	}
	group := format.RowGroup{NumRows: int64(t.rows), Ordinal: int16(min(len(t.meta.RowGroups), math.MaxInt16))}
	var proto thrift.CompactProtocol
	for i, page := range t.pages {
		if len(page) > math.MaxInt32 {
			return fmt.Errorf("the texts of column %s have %d bytes in %d rows, too many for a page", t.names[i],
				len(page), t.rows)
		}
		h := format.PageHeader{Type: format.DataPage, UncompressedPageSize: int32(len(page)),
			CompressedPageSize: int32(len(page))}
		d := format.DataPageHeader{NumValues: int32(t.rows), Encoding: format.Plain,
			DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE}
		h.DataPageHeader.V, h.DataPageHeader.Valid = d, true
		head, err := thrift.Marshal(&proto, &h)
		if err != nil {
			return err
		}
		start := t.at
		if err := t.write(head); err != nil {
			return err
		}
		if err := t.write(page); err != nil {
			return err
		}
		size := t.at - start
		group.Columns = append(group.Columns, format.ColumnChunk{FileOffset: start, MetaData: format.ColumnMetaData{
			Type: t.kinds[i].physical(), Encoding: []format.Encoding{format.Plain, format.RLE},
			PathInSchema: []string{t.names[i]}, Codec: format.Uncompressed, NumValues: int64(t.rows),
			TotalUncompressedSize: size, TotalCompressedSize: size, DataPageOffset: start}})
		group.TotalByteSize += size
		t.pages[i] = page[:0]
	}
	group.TotalCompressedSize = group.TotalByteSize
	t.meta.RowGroups = append(t.meta.RowGroups, group)
	t.meta.NumRows += int64(t.rows)
	t.rows, t.largest = 0, 0
	return nil
}

// Close writes the remaining rows and the footer. It does not close the underlying writer.
func (t *Writer) Close() error {
	if err := t.flush(); err != nil {
		return err
	}
	var proto thrift.CompactProtocol
	footer, err := thrift.Marshal(&proto, &t.meta)
	if err != nil {
		return err
	}
	if err := t.write(footer); err != nil {
		return err
	}
	return t.write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))), "PAR1"...))
}

// Ours reports whether a [Writer] wrote the file.
func Ours(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() || st.Size() < 12 {
		return false
	}
	var tail [8]byte
	if _, err := f.ReadAt(tail[:], st.Size()-8); err != nil || string(tail[4:]) != "PAR1" {
		return false
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > min(st.Size()-12, mostFooter) {
		return false
	}
	footer := make([]byte, n)
	if _, err := f.ReadAt(footer, st.Size()-8-n); err != nil {
		return false
	}
	return createdByUs(footer)
}

// mostFooter limits the footers that [Ours] reads. Footers of a [Writer] are small.
const mostFooter = 1 << 24

// createdByUs reports whether a footer names rao as the creator. It recovers from panics, because the decoder panics on
// some damaged footers.
func createdByUs(footer []byte) (ours bool) {
	defer func() {
		if recover() != nil {
			ours = false
		}
	}()
	var meta format.FileMetaData
	var proto thrift.CompactProtocol
	err := thrift.NewDecoder(proto.NewReaderFromBytes(footer)).Decode(&meta)
	return err == nil && meta.CreatedBy == creator
}
