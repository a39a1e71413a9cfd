package dataset

import (
	"context"
	"os"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
)

// OnDisk is labeled vectors that stay in their files: what is known of them after a first
// pass, and how they are read again. [OpenOnDisk] makes one.
//
// For random batches the files are cut into blocks of a mebibyte (see [Spans]), which are
// taken in a random order. Their rows go through a buffer of 128 MiB: a row that comes takes
// the place of a random one, which goes to the batch. Neither the number of rows that a
// reader hands out at a time nor the number of processors plays a part. What is read from its
// start alone, such as npz and compressed files, is one block, whose rows are mixed by the
// buffer alone.
type OnDisk struct {
	Data *Data // but for the values, which it has not, and the labels: of X the size is known alone

	spec   string
	open   OpenOptions // as it was asked for
	opt    OpenOptions // with what the first pass decided, for parts of the files
	blocks []fileBlock
	reader int // rows that a reader hands out at a time; see Batches
}

// OpenOnDisk passes over the labels of a source and returns what is known of it but for the values.
// It returns nil for a source that cannot be read as it goes, and an error for one without
// labels. Rows that lack a value are dropped, or filled in with means, where the options say so; medians are an error.
func OpenOnDisk(ctx context.Context, spec string, opt OpenOptions) (*OnDisk, error) {
	opt.RequireLabels = true
	if opt.Table.Learn = opt.Table.Learn || opt.Table.Missing.Fills(); opt.Table.Learn && opt.Form == nil {
		in, err := learnInputs(ctx, spec, &opt)
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
	d := &OnDisk{spec: spec, open: opt, opt: opt,
		Data: &Data{Source: spec, X: &Table{rows: max(rows, 0), cols: info.cols, single: info.kind != float64s},
			Classes: classes, Form: opt.Form, Vars: info.columnVars()}}
	if a, ok := src.(*arrayRows); ok {
		d.Data.Image = a.images()
	}
	src.fix(&d.opt)
	d.opt.Columns = info.columns
	d.open.OnReading, d.opt.OnReading = nil, nil
	return d, d.cut(ctx, known)
}

// Fill returns what stands for a missing value of each column, nil where none is filled in.
func (d *OnDisk) Fill() []float64 { return d.open.fill }

// Bytes is about what the values take when they are held.
func (d *OnDisk) Bytes() float64 {
	size := 8.0
	if d.Data.X.single {
		size = 4
	}
	return size * float64(d.Data.X.rows) * float64(d.Data.X.cols)
}

// FileBytes returns the size of the files of a source, 0 for sets that are known by name and
// for folders, whose size says little of that of their values.
func FileBytes(spec string) (float64, error) {
	if known, err := lookup(spec); known != nil || err != nil {
		return 0, err
	}
	files, err := filesOf(spec)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, file := range files {
		st, err := os.Stat(file)
		if err != nil {
			return 0, missing(file, err)
		}
		if st.IsDir() {
			return 0, nil
		}
		sum += float64(st.Size())
	}
	return sum, nil
}

// filesOf returns the files of a path, or of several.
func filesOf(spec string) ([]string, error) {
	files, err := Files(spec)
	if files == nil && err == nil {
		files = []string{spec}
	}
	return files, err
}

// Statistics is [Statistics] of the rows; rows is told how many were read, and may be nil.
func (d *OnDisk) Statistics(ctx context.Context, moments bool, rows func(done int)) (*gaussian.Statistics, error) {
	return Statistics(ctx, d.spec, StatisticsOptions{Open: d.open, Moments: moments, Rows: rows})
}

// Subclasses is [Subclasses] of the rows.
func (d *OnDisk) Subclasses(ctx context.Context, opt gaussian.SubclassOptions,
	rows func(done int)) (*gaussian.Subclasses, error) {
	return Subclasses(ctx, d.spec, SubclassesOptions{Open: d.open, Of: opt, Rows: rows})
}

// Batches hands out the rows of an epoch in random batches of size rows, with their labels;
// a rest that is no whole batch is left out. The order is that of the seed and the epoch
// alone: see [OnDisk]. x and labels are overwritten afterwards.
func (d *OnDisk) Batches(ctx context.Context, seed uint64, epoch, size int,
	fn func(x mat.Matrix, labels []int) error) error {
	return d.shuffle(ctx, seed, epoch, size, func(b *rowBlock) error {
		x, labels := b.rows()
		return fn(x.Matrix(), labels)
	})
}
