package dataset

import "context"

// Column is a column of a file of [Columns].
type Column struct {
	Name string
	// Width is the number of values of a row that the column gives to an observation: 1,
	// or more for vectors; 0 when its values are no numbers.
	Width  int
	Single bool   // the values are exactly float32
	Text   bool   // the values are text
	Date   bool   // the values are dates or times, which are read as texts in the form of ISO 8601
	Whole  bool   // the values are integers
	Asked  bool   // it is taken only when it is named
	Why    string // why it cannot be read; empty when it can
}

// Columns is an open file of named columns, as Parquet is. [Open] and [Stream] decide
// which column is for what.
type Columns interface {
	Columns() []Column
	Rows() int // -1 when it is not known
	// Read begins to read, from the first row on, the columns of the given numbers: those of
	// numbers in float32 or float64, and those of texts.
	Read(ctx context.Context, numbers, texts []int, single bool) (ColumnReader, error)
	Close() error
}

// ColumnReader reads rows of columns one block after the other.
type ColumnReader interface {
	// Next returns the next rows, n or fewer; io.EOF comes with none. The next call overwrites them.
	Next(n int) (*ColumnRows, error)
	Close()
}

// ColumnRows are rows of the columns that [Columns.Read] was asked for.
type ColumnRows struct {
	Rows    int
	Numbers *Table // the columns of numbers side by side, NaN for missing values; nil if there are none
	Texts   []Texts
}

// Texts are the texts of a column: row i has Values[Index[i]]. Numbers are in decimal, and a missing value is empty.
// The values may hold texts that no row has. What they hold is never overwritten.
type Texts struct {
	Values []string
	Index  []int32
}

// at is the text of row i.
func (t *Texts) at(i int) string { return t.Values[t.Index[i]] }

// perText remembers what the texts of a column are for a reader of blocks, most of which share their values.
type perText[T any] struct {
	values []string
	found  []T
}

// of returns what each of the values is.
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
