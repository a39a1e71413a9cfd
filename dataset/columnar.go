package dataset

import "context"

// Column describes a column of a columnar file; see [Columns].
type Column struct {
	Name string // name in the file
	// Width is the number of values per row: 1, or more for vectors; 0 if the values are not numbers.
	Width     int
	Single    bool   // float32 represents all values exactly
	Text      bool   // the values are text
	Date      bool   // the values are dates or times, read as text in ISO 8601
	Integer   bool   // the values are integers
	OnRequest bool   // the column is read only if an option names it
	Complete  bool   // the file declares that no value is missing; numbers may still be NaN
	Why       string // why the column cannot be read; empty if it can
}

// Columns is an open file of named columns, such as Parquet. [Open] and [Stream] decide the role of each column.
type Columns interface {
	// Columns returns the columns, in the order of their numbers.
	Columns() []Column
	// Rows returns the number of rows, or -1 if it is unknown.
	Rows() int
	// Read starts reading the given columns, by number, from the first row. Numeric columns are read as float32 if
	// single is true, and otherwise as float64. next returns the next rows, at most n, or io.EOF if no rows are left;
	// its next call overwrites the rows. stop ends the reading.
	Read(ctx context.Context, numbers, texts []int, single bool) (next func(n int) (*ColumnRows, error), stop func(),
		err error)
	// Close closes the file.
	Close() error
}

// ColumnRows contains rows of the columns requested from [Columns.Read].
type ColumnRows struct {
	Rows    int     // number of rows
	Numbers *Table  // the numeric columns side by side, NaN for missing values; nil if there are none
	Texts   []Texts // one for each text column
}

// Texts are the texts of a column: row i has Values[Index[i]]. Numbers are in decimal notation, and a missing value is
// empty. Values may contain texts that no row has. Existing values are never overwritten.
type Texts struct {
	Values []string // distinct texts
	Index  []int32  // one per row
}

func (t *Texts) at(i int) string { return t.Values[t.Index[i]] }

// perText caches results for the texts of a column, because most blocks have the same texts.
type perText[T any] struct {
	values []string
	found  []T
}

// of returns find(text) for each of the values. It calls find once for each new text.
func (p *perText[T]) of(values []string, find func(text string) T) []T {
	if len(p.values) == 0 || len(values) == 0 || &p.values[0] != &values[0] {
		p.found = p.found[:0]
	}
	p.values = values
	for k := len(p.found); k < len(values); k++ {
		p.found = append(p.found, find(values[k]))
	}
	return p.found
}
