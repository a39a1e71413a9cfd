package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// OpenOptions say which variables and rows of a source to take. The zero value
// takes everything by the usual names. Matrices is for those who examine faults:
// without it, an array of which most matrices are symmetric is a stack, and one
// that is not symmetric an error.
type OpenOptions struct {
	Labels string // file of labels: IDX, npy, or text with one label a line; replaces labels of the data
	// variables of the observations and the labels in npz and MAT files ("X" and "y" by default); columns in Parquet
	// files
	X, Y        string
	Where       []string // NAME=VALUE: keep the rows where the variable, or the column of a table, has the value
	Header      *bool    // whether a table's first line names its columns; nil finds out
	LabelColumn string   // label column of a table: a name, a number from 0 (negative from the end) or "none"
	// columns of a table that are observations, as a model names them: none of them is taken for the labels
	Features []string
	// of [Stream] and [Blocks]: names of the columns, in the order in which they are handed out; files with others
	// are refused
	Columns []string
	// of [Stream] and [Blocks]: the part of one file to read, as [Spans] cuts it
	Span Span
	// variable (npz, mat) or column of the weights of the rows, finite and not negative: a row of weight w counts as
	// w equal rows. "" weighs all rows alike
	Weights       string
	RequireLabels bool // make data without labels an error
	Matrices      bool // take arrays of square matrices for a stack, symmetric or not, and change no value

	Form *Form // of the tables that a model learned from: others are read like them

	Table     TableOptions   // what a table does not say itself
	OnReading func(*Reading) // is told what was decided and left out; nil keeps it quiet

	rows    int                // of a table that was looked through before; 0 when not known
	fill    []float64          // what stands for missing values, which was found in a pass over them
	noIDs   bool               // the names of the rows are not wanted
	seen    map[string]*survey // what a pass over files of columns found, by path
	leftOut map[string]Reason  // columns that the form leaves out for what they hold
	decided bool               // the columns were settled by a pass over this table, or one that is read like it
}

// Open reads a data set whole. spec is a path, several of them (see [Files]), or the name
// of a known set; see the package documentation for the kinds and [Sets] for the names. Errors name
// the file, the place in it and what to do.
func Open(ctx context.Context, spec string, opt OpenOptions) (*Data, error) {
	if !opt.Table.Learn || opt.Form != nil {
		d, err := openAll(ctx, spec, opt)
		if err == nil {
			err = d.weigh(opt.Weights)
		}
		return d, err
	}
	if err := learnForm(ctx, spec, &opt); err != nil {
		return nil, err
	}
	d, err := openAll(ctx, spec, opt)
	if err == nil {
		err = d.weigh(opt.Weights)
	}
	if err != nil {
		return nil, err
	}
	missing := opt.Table.Missing
	if missing.Fills() {
		if d.X == nil {
			return nil, fmt.Errorf("%s: %w", d.Source, ErrMatricesLackValues)
		}
		d.Missing = missing
	}
	if d.Form == nil && missing != "" && missing != MissingError {
		d.Form = &Form{Missing: missing}
		if missing == MissingDrop {
			return d.dropMissing()
		}
	}
	return d, nil
}

func openAll(ctx context.Context, spec string, opt OpenOptions) (*Data, error) {
	known, err := lookup(spec)
	if err != nil {
		return nil, err
	}
	if known != nil {
		return known.open(ctx, spec, opt)
	}
	if !opt.Span.whole() {
		return nil, fmt.Errorf("%s: a part (%v) can only be read as a stream: see Stream", spec, opt.Span)
	}
	files, err := Files(spec)
	switch {
	case err != nil:
		return nil, err
	case len(files) == 1:
		return openPath(ctx, files[0], opt)
	case files != nil:
		return openMany(ctx, spec, files, opt)
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
	f, err := formatOf(path)
	if err != nil {
		return nil, opt, err
	}
	if f.load != nil {
		r, err := f.load(ctx, path, opt)
		return r, opt, err
	}
	s, err := f.rows(ctx, path, &opt)
	if err != nil {
		return nil, opt, err
	}
	defer s.close()
	if a, ok := s.(*arrayRows); ok {
		a.collected()
	} else {
		opt.Where, opt.Labels = nil, "" // which were heeded row by row
	}
	r, err := readAll(ctx, s)
	return r, opt, err
}

// missing words the error for a path that cannot be opened.
func missing(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", path, ErrNotFound)
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
