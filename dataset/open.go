package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"rao/gaussian"
	"rao/internal/optionvalues"
	"rao/internal/recipes"
	"rao/recipe"
)

// OpenOptions select variables and rows of a source. The zero value reads everything, under the usual names.
type OpenOptions struct {
	Labels string // file of labels: IDX, npy, or text with one label per line; replaces labels of the data
	// X is the variable of the observations in npz and MAT-files ("X" by default), or the column of vectors in a
	// Parquet file.
	X string
	// Y is the variable of the labels in npz and MAT-files ("y" by default), or the label column of a table: a name, or
	// a number from 0 (negative from the end). "none" leaves labels out.
	Y      string
	Where  []string // NAME=VALUE: keep the rows with this value of the variable, or of the column of a table
	Header *bool    // whether the first line of a table names its columns; nil: detect it
	// Features are the feature columns of a table, as named in a model. None of them is used as the labels.
	Features []string
	// Columns are the names of the columns in the required order, for [Stream] and [Blocks]. A file with other columns
	// is an error.
	Columns []string
	// Span is the part of one file to read, for [Stream] and [Blocks]; see [Spans]. It is from its first number up to
	// but not including the second: rows of an npy array, row groups of a Parquet file, or the rows of a table that
	// start in this range of bytes. The zero value is the complete file.
	Span [2]int64
	// Weights is the variable (npz, mat) or column with the weights of the rows, which must be finite and not negative.
	// A row of weight w counts as w equal rows. If it is empty, the weights are equal.
	Weights       string
	RequireLabels bool // return an error for data without labels
	Matrices      bool // read arrays of square matrices as a stack, even if not symmetric, without changes

	Form *recipe.Encoding // form of the tables on which a model was trained; other tables are read in the same way

	Table     TableOptions   // properties of a table that the file does not state
	OnReading func(*Reading) // receives what was decided and left out; may be nil

	rows     int                // number of rows of a table, from an earlier scan; 0 if unknown
	fill     []float64          // replacements of missing values, from an earlier pass
	inputs   *gaussian.Inputs   // inputs of all shards, from an earlier pass
	noIDs    bool               // row names are not needed
	seen     map[string]*survey // results of a pass over columnar files, by path
	remarks  []error            // remarks on columns, from the pass that found the form
	labelWhy error              // why the label column was chosen in an earlier pass; zero if the form is from a model
	leftOut  map[string]error   // columns that the form leaves out because of their content
	decided  bool               // the columns were determined in a pass over this table or a table with the same form
}

// Open reads a data set into memory. spec is a path, several paths (see [Files]), or the name of a known set; see the
// package documentation for the formats and [Sets] for the names. Errors name the file, the place in it and the
// remedy.
func Open(ctx context.Context, spec string, opt OpenOptions) (*Data, error) {
	learns := opt.Table.Learn && opt.Form == nil
	if learns {
		if _, err := learnFormAndMeans(ctx, spec, &opt, noMeans); err != nil {
			return nil, err
		}
	}
	d, err := openAll(ctx, spec, opt)
	if err == nil {
		err = d.weigh(opt.Weights)
	}
	if err != nil {
		return nil, err
	}
	if !learns {
		return d, nil
	}
	missing := opt.Table.Missing
	if recipes.Fills(missing) {
		if d.X == nil {
			return nil, fmt.Errorf("%s: %w", d.Source, ErrMatricesLackValues)
		}
		d.Missing = missing
	}
	if d.Form == nil && missing != "" && missing != optionvalues.MissingError {
		d.Form = &recipe.Encoding{Missing: missing}
		if missing == optionvalues.MissingDrop {
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
	if opt.partial() {
		return nil, fmt.Errorf("%s: part %s of the data can only be read in blocks; read the data as a stream", spec,
			opt.part())
	}
	files, err := filesOf(spec)
	if err != nil {
		return nil, err
	}
	if len(files) == 1 {
		return openPath(ctx, files[0], opt)
	}
	return openMany(ctx, spec, files, opt)
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

// load reads a complete file and returns the options that remain to be applied.
func load(ctx context.Context, path string, opt OpenOptions) (*raw, OpenOptions, error) {
	f, err := formatOf(path)
	if err == nil {
		err = f.checkOptions(path, &opt)
	}
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
		opt.Where, opt.Labels = nil, "" // already applied row by row
	}
	r, err := readAll(ctx, s)
	return r, opt, err
}

// missing returns the error for a path that cannot be opened.
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
