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
	// Next reads n rows or fewer and returns how many; io.EOF comes with none. x, which
	// has room for n rows, receives the columns of numbers side by side, NaN where a
	// value is missing; it is nil when there are none. texts[k] receives column k of the
	// texts: numbers in decimal, and nothing where a value is missing.
	Next(n int, x *Table, texts [][]string) (int, error)
	Close()
}
