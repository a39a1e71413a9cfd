package dataset

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao/internal/recipes"
)

// OnDisk reads labeled vectors from their files on demand. It contains the results of a first pass over the files.
// Create it with [OpenOnDisk].
//
// For random batches the files are cut into blocks of a mebibyte (see [Spans]), which are read in a random order. Their
// rows pass through a buffer of 128 MiB: each new row replaces a random row of the buffer, and the replaced row goes to
// the batch. The order does not depend on the block size of the reader or the number of processors. Files that can only
// be read from the start, such as npz and compressed files, are a single block, so only the buffer shuffles their rows.
type OnDisk struct {
	Data *Data       // description of the data without values and labels; only the size of X is set
	Open OpenOptions // the options with which functions such as [Statistics] read the same rows of Data.Source

	opt    OpenOptions // options with the decisions of the first pass, for parts of the files
	blocks []fileBlock
	reader int // rows per block of a reader; see Batches
}

// OpenOnDisk reads the labels of a source, and describes the source without its values. It returns nil for a source
// that cannot be streamed, and an error for a source without labels. The options select whether rows with missing
// values are dropped, or missing values are replaced by means; OpenOnDisk returns an error for medians.
func OpenOnDisk(ctx context.Context, spec string, opt OpenOptions) (*OnDisk, error) {
	opt.RequireLabels = true
	if opt.Table.Learn = opt.Table.Learn || recipes.Fills(opt.Table.Missing); opt.Table.Learn && opt.Form == nil {
		in, err := learnInputs(ctx, spec, &opt, allMeans)
		if err != nil {
			return nil, err
		}
		opt.fill = in.Fill
	}
	known, err := lookup(spec)
	if err != nil {
		return nil, err
	}
	src, err := openSource(ctx, known, spec, opt)
	if src == nil || err != nil {
		return nil, err
	}
	defer src.close()
	rows, classes, err := prepare(ctx, src, opt)
	if err != nil {
		return nil, err
	}
	info := src.known()
	d := &OnDisk{Open: opt, opt: opt,
		Data: &Data{Source: spec, X: &Table{rows: max(rows, 0), cols: info.cols, kind: max(info.kind, float32s)},
			Classes: classes, Form: opt.Form, Vars: info.columnVars()}}
	if a, ok := src.(*arrayRows); ok {
		d.Data.Image = a.images()
	}
	src.fix(&d.opt)
	d.opt.Columns = info.columns
	d.Open.OnReading, d.opt.OnReading = nil, nil
	return d, d.cut(ctx, known)
}

// Fill returns the replacement for missing values of each column, or nil if none are filled in.
func (d *OnDisk) Fill() []float64 { return d.Open.fill }

// Bytes returns the approximate size that all values would have in memory, in bytes.
func (d *OnDisk) Bytes() float64 {
	return float64(d.Data.X.kind.size()) * float64(d.Data.X.rows) * float64(d.Data.X.cols)
}

// Batches calls fn with the rows of an epoch, in random batches of size rows, and their labels. It drops an incomplete
// last batch. The order depends only on the seed and the epoch: see [OnDisk]. The next batch overwrites x and labels.
// Batches stops at the first error of fn, of a file or of ctx, and returns it.
func (d *OnDisk) Batches(ctx context.Context, seed uint64, epoch, size int,
	fn func(x mat.Matrix, labels []int) error) error {
	return d.shuffle(ctx, seed, epoch, size, func(b *rowBlock) error {
		x, labels := b.rows()
		return fn(x.Matrix(), labels)
	})
}
