package dataset

import (
	"context"
	"fmt"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/linalg/vec"
	"rao/internal/optionvalues"
	"rao/internal/par"
	"rao/internal/provenance"
	"rao/internal/statsarrays"
	"rao/recipe"
)

// StatisticsOptions are the options of [Statistics] and [CompactStatistics]. The zero value computes counts, means and
// covariances.
type StatisticsOptions struct {
	Open    OpenOptions // options of the data; labels are required
	Moments bool        // also compute third and fourth moments
	// The statistics record hashes of their rows, so a merge finds rows in common. Anyone who has a row can compute
	// its hash. With HashKey, 16 or more secret bytes, only holders of the key can. With NoHashes, only the number of
	// rows is recorded.
	HashKey  []byte
	NoHashes bool
	// MinCount leaves out classes with fewer rows. Neither their rows nor the number of such classes is recorded.
	// Left, which may be nil, receives their names.
	MinCount int
	Left     func(names []string)
	Begin    func(dim, classes int) error // called before memory is allocated; its error ends the reading; may be nil
	Rows     func(done int)               // receives the number of rows read; may be nil
}

// statisticsBlock is the number of rows that are read at a time.
const statisticsBlock = 4096

// Statistics streams labeled vectors and returns the statistics of each class; see [Stream]. The same rows in the same
// order give the same bits, regardless of how they are divided into files. Statistics returns an error for data without
// labels, for matrices, and if medians are requested to replace missing values.
func Statistics(ctx context.Context, spec string, opt StatisticsOptions) (*gaussian.Statistics, error) {
	if opt.Open.Weights != "" && opt.Moments {
		return nil, noWeights("third and fourth moments")
	}
	var acc *gaussian.Accumulator
	read, err := accumulate(ctx, spec, opt, func(dim, classes int) (adder, error) {
		if err := statsarrays.CheckSize(dim, classes); err != nil {
			return nil, err
		}
		acc = gaussian.NewAccumulator(dim, classes)
		if opt.Moments {
			acc.CollectMoments()
		}
		return acc.AddWeighted, nil
	})
	if err != nil {
		return nil, err
	}
	s, err := acc.Finish(read.classes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", spec, err)
	}
	return read.finish(s, opt), nil
}

// finish adds the other information to the statistics and leaves out small classes.
func (read *rowsRead) finish(s *gaussian.Statistics, opt StatisticsOptions) *gaussian.Statistics {
	s.Columns, s.Inputs = read.columns, read.inputs
	counts := s.Counts
	s, left := classstats.WithoutSmall(s, opt.MinCount)
	if left != nil && opt.Left != nil {
		opt.Left(left)
	}
	s.Parts = []provenance.Part{read.parts.Part(func(class int) bool {
		return counts[class] >= opt.MinCount
	})}
	return s
}

// CompactStatistics is like [Statistics], but for compact kinds, which do not have a covariance for each class. It
// ignores Moments and MinCount, and returns an error if the rows have weights.
func CompactStatistics(ctx context.Context, spec string, kind gaussian.Structure,
	opt StatisticsOptions) (*gaussian.Source, error) {
	if opt.Open.Weights != "" {
		return nil, noWeights(string(kind) + " statistics")
	}
	var acc *gaussian.CompactAccumulator
	read, err := accumulate(ctx, spec, opt, func(dim, classes int) (adder, error) {
		if err := statsarrays.CheckSize(dim, 1); err != nil {
			return nil, err
		}
		acc = gaussian.NewCompactAccumulator(kind, dim, classes)
		return func(x mat.Matrix, labels []int, _ []float64) error { return acc.Add(x, labels) }, nil
	})
	if err != nil {
		return nil, err
	}
	s, err := acc.Finish(read.classes)
	if err != nil {
		return nil, err
	}
	s.Columns, s.Inputs, s.Parts = read.columns, read.inputs, []provenance.Part{read.parts.Part(nil)}
	return s, nil
}

// adder accepts labeled rows in blocks, with optional weights.
type adder func(x mat.Matrix, labels []int, weights []float64) error

// rowsRead is what is known about rows in addition to their sums.
type rowsRead struct {
	classes, columns []string
	inputs           *gaussian.Inputs
	parts            provenance.Classes
}

// accumulate adds all rows to the adder that begin creates at the first row.
func accumulate(ctx context.Context, spec string, opt StatisticsOptions,
	begin func(dim, classes int) (adder, error)) (*rowsRead, error) {
	read, err := accumulateRows(ctx, spec, opt, meansToFill, begin)
	if err == errIncomplete { // begin again, with the means of all columns
		opt.Open.OnReading = nil
		read, err = accumulateRows(ctx, spec, opt, allMeans, begin)
	}
	return read, err
}

func accumulateRows(ctx context.Context, spec string, opt StatisticsOptions, rule meansRule,
	begin func(dim, classes int) (adder, error)) (read *rowsRead, err error) {
	opt.Open.RequireLabels = true
	hashing, err := provenance.HashesOf(opt.NoHashes, opt.HashKey)
	if err != nil {
		return nil, err
	}
	read = &rowsRead{parts: provenance.Classes{Hashing: hashing}}
	if read.inputs, err = learnInputs(ctx, spec, &opt.Open, rule); err != nil {
		return nil, err
	}
	var to adder
	fill := newFiller(read.inputs)
	done := 0
	drops := opt.Open.Table.Missing == optionvalues.MissingDrop
	err = vectorBlocks(ctx, spec, opt.Open, func(d *Data) error {
		if drops {
			if d = d.withoutMissing(); d.N() == 0 {
				return nil
			}
		}
		x, labels := d.X, d.Labels
		n, dim := x.Dims()
		if to == nil {
			if opt.Begin != nil {
				if err := opt.Begin(dim, len(d.Classes)); err != nil {
					return err
				}
			}
			if to, err = begin(dim, len(d.Classes)); err != nil {
				return err
			}
			read.classes, read.columns = d.Classes, d.columns()
			read.parts.Hashing = hashing.ByName(read.columns)
		}
		if fill == nil {
			adding := par.Begin(func() { read.parts.AddAll(x, labels) })
			defer adding.Finish()
		} else { // rows are identified before missing values are replaced
			read.parts.AddAll(x, labels)
			if x, err = fill.filled(x, d.overwritten); err != nil {
				return err
			}
		}
		if err := to(x.Matrix(), labels, d.Weights); err != nil {
			return read.placed(spec, x, d.First, err)
		}
		if done += n; opt.Rows != nil {
			opt.Rows(done)
		}
		return nil
	})
	if err == nil && to == nil && drops {
		err = everyRowLacks(spec)
	}
	if err == nil && fill != nil {
		read.inputs.Fill, err = fill.means(read.columns)
	}
	return read, err
}

// filler replaces missing values, and computes the means of the columns whose replacement is still unknown.
type filler struct {
	values  []float64 // replacements; NaN for complete columns
	columns []int     // columns that may have missing values
	unknown []int     // complete columns
	sums    means     // of all columns, after the replacement
}

// newFiller returns a filler for the inputs, or nil if missing values are not replaced.
func newFiller(in *gaussian.Inputs) *filler {
	if in == nil || in.Fill == nil {
		return nil
	}
	f := &filler{values: in.Fill}
	for j, v := range in.Fill {
		if v == v {
			f.columns = append(f.columns, j)
		} else {
			f.unknown = append(f.unknown, j)
		}
	}
	return f
}

// filled replaces every missing value of x, in a copy unless inPlace is set. It returns errIncomplete if a complete
// column has a missing value.
func (f *filler) filled(x *Table, inPlace bool) (*Table, error) {
	if inPlace && x.f64 != nil {
		x.fillColumns(f.values, f.columns)
	} else {
		x = x.Filled(f.values, false)
	}
	if f.unknown == nil {
		return x, nil
	}
	f.sums.add(x, nil)
	for _, j := range f.unknown {
		if f.sums.n[j] < float64(f.sums.rows) {
			return nil, errIncomplete
		}
	}
	return x, nil
}

// means returns the replacements of all columns. columns are their names, or nil.
func (f *filler) means(columns []string) ([]float64, error) {
	if f.unknown == nil {
		return f.values, nil
	}
	f.sums.names = columns
	found, err := f.sums.values()
	if err != nil {
		return nil, err
	}
	for _, j := range f.unknown {
		f.values[j] = found[j]
	}
	return f.values, nil
}

// placed adds the position of the value that is not finite to an error about a block of rows. first is the index of
// the block's first row.
func (read *rowsRead) placed(spec string, x *Table, first int, err error) error {
	row := make([]float64, x.cols)
	for i := range x.rows {
		x.Row(row, i)
		if j := vec.NotFinite(row); j >= 0 {
			name := strconv.Itoa(j)
			if read.columns != nil {
				name = strconv.Quote(read.columns[j])
			}
			return rao.Optionf("drop", "%s: row %d, column %s is %v; remove the row, or leave the column out with "+
				"{drop}", spec, first+i, name, row[j])
		}
	}
	return fmt.Errorf("%s: %w", spec, err)
}

// learnInputs determines how tables are read, if the options request it. It sets their form, and computes the means
// that replace missing values. The rule selects the means for columnar files. It returns nil if nothing is requested.
func learnInputs(ctx context.Context, spec string, opt *OpenOptions, rule meansRule) (*gaussian.Inputs, error) {
	switch {
	case opt.inputs != nil:
		return opt.inputs, nil
	case opt.Form != nil && opt.fill != nil:
		return &gaussian.Inputs{Table: opt.Form, Fill: opt.fill}, nil
	case !opt.Table.Learn || opt.Form != nil:
		return nil, nil
	}
	if opt.Table.Missing == optionvalues.MissingMedian {
		return nil, noMedian(spec)
	}
	if opt.Table.Missing != optionvalues.MissingMean || opt.Weights != "" {
		rule = noMeans
	}
	fill, err := learnFormAndMeans(ctx, spec, opt, rule)
	if err != nil {
		return nil, err
	}
	in := &gaussian.Inputs{Table: opt.Form, Fill: fill}
	if in.Table == nil {
		in.Table = &recipe.Encoding{Missing: opt.Table.Missing}
	}
	if opt.Table.Missing != optionvalues.MissingMean || fill != nil {
		return in, nil
	}
	quiet := *opt
	quiet.OnReading = nil
	var sums means
	err = vectorBlocks(ctx, spec, quiet, func(d *Data) error {
		sums.add(d.X, d.Weights)
		sums.names = d.columns()
		return nil
	})
	if err == nil {
		in.Fill, err = sums.values()
	}
	return in, err
}

// noMedian returns an error for medians of data that are read in blocks.
func noMedian(spec string) error {
	return rao.Optionf("missing", "%s: a median needs all values of a column in memory, but the data are read in "+
		"blocks; use {missing=mean} or {missing=drop}", spec)
}

// means accumulates the means of column values that are not NaN.
type means struct {
	names []string
	rows  int
	n     []float64 // counts, or sums of weights
	sum   []float64
}

// add adds rows. The means do not depend on how rows are divided between calls.
func (m *means) add(x *Table, weights []float64) {
	m.begin(x.cols)
	m.rows += x.rows
	row := make([]float64, x.cols)
	for i := range x.rows {
		x.Row(row, i)
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		for j, v := range row {
			if v == v {
				m.n[j] += w
				m.sum[j] += w * v
			}
		}
	}
}

func (m *means) begin(cols int) {
	if m.n == nil {
		m.n, m.sum = make([]float64, cols), make([]float64, cols)
	}
}

// addRows adds some rows of a table of float64.
func (m *means) addRows(x *Table, rows []int) {
	m.begin(x.cols)
	m.rows += len(rows)
	n, sum := m.n[:x.cols], m.sum[:x.cols]
	for _, i := range rows {
		for j, v := range x.f64[i*x.cols : (i+1)*x.cols] {
			if v == v {
				n[j]++
				sum[j] += v
			}
		}
	}
}

// values returns the means. It returns an error for a column without a value.
func (m *means) values() ([]float64, error) {
	for j, n := range m.n {
		if n == 0 {
			return nil, noValues(m.names, j, m.rows)
		}
		if m.sum[j] /= n; !vec.Finite(m.sum[j]) {
			return nil, tooLarge(m.names, j)
		}
	}
	return m.sum, nil
}

// vectorBlocks is [Blocks] of vectors in blocks of statisticsBlock rows.
func vectorBlocks(ctx context.Context, spec string, opt OpenOptions, fn func(d *Data) error) error {
	opt.noIDs = true
	return Blocks(ctx, spec, opt, statisticsBlock, func(d *Data, _ int) error {
		if d.X == nil {
			return noVectors(d)
		}
		return fn(d)
	})
}

// columns returns the names of the columns, or nil if they have none.
func (d *Data) columns() []string {
	_, n := d.X.Dims()
	if v := d.Vars["columns"]; v != nil && len(v.Strings) == n {
		return v.Strings
	}
	return nil
}
