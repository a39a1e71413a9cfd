package dataset

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
)

// StatisticsOptions are the options of [Statistics] and [CompactStatistics]. The zero value
// collects counts, means and covariances.
type StatisticsOptions struct {
	Open    OpenOptions      // of the data; labels are required
	Moments bool             // also the third and fourth moments
	Hashing gaussian.Hashing // of the rows behind them
	// MinCount leaves out classes of fewer rows, without a trace: neither their rows nor their
	// number are recorded. Left is told their names, and may be nil.
	MinCount int
	Left     func(names []string)
	Begin    func(dim, classes int) error // is told the size before memory is taken, and may refuse; may be nil
	Rows     func(done int)               // is told how many rows were read; may be nil
}

// statisticsBlock is how many rows are read at a time.
const statisticsBlock = 4096

// Statistics returns the statistics of each class of labeled vectors, which are read as
// they go; see [Stream]. They know the rows behind them as Hashing says. The same rows in the
// same order give the same bits, however they are spread over files.
func Statistics(ctx context.Context, spec string, opt StatisticsOptions) (*gaussian.Statistics, error) {
	var acc *gaussian.Accumulator
	read, err := accumulate(ctx, spec, opt, func(dim, classes int) (adder, error) {
		if err := gaussian.CheckSize(dim, classes); err != nil {
			return nil, err
		}
		acc = gaussian.NewAccumulator(dim, classes)
		if opt.Moments {
			acc.CollectMoments()
		}
		return acc, nil
	})
	if err != nil {
		return nil, err
	}
	s, err := acc.Take(read.classes)
	if err != nil {
		return nil, err
	}
	s.Columns = read.columns
	counts := s.Counts
	s, left := s.WithoutSmall(opt.MinCount)
	if left != nil && opt.Left != nil {
		opt.Left(left)
	}
	s.Parts = []gaussian.Part{read.parts.Part(func(class int) bool { return counts[class] >= opt.MinCount })}
	return s, nil
}

// CompactStatistics is [Statistics] of a kind without a covariance for each class. Moments
// and MinCount have no meaning for it.
func CompactStatistics(ctx context.Context, spec string, kind gaussian.Kind,
	opt StatisticsOptions) (*gaussian.Compact, error) {
	var acc *gaussian.CompactAccumulator
	read, err := accumulate(ctx, spec, opt, func(dim, classes int) (adder, error) {
		if err := gaussian.CheckSize(dim, 1); err != nil {
			return nil, err
		}
		acc = gaussian.NewCompactAccumulator(kind, dim, classes)
		return acc, nil
	})
	if err != nil {
		return nil, err
	}
	s, err := acc.Take(read.classes)
	if err != nil {
		return nil, err
	}
	s.Columns, s.Parts = read.columns, []gaussian.Part{read.parts.Part(nil)}
	return s, nil
}

// adder takes labeled rows in blocks.
type adder interface {
	Add(x mat.Matrix, labels []int) error
}

// rowsRead is what was found out about rows beside their sums.
type rowsRead struct {
	classes, columns []string
	parts            gaussian.ClassParts
}

// accumulate adds all rows to what begin makes at the first of them.
func accumulate(ctx context.Context, spec string, opt StatisticsOptions,
	begin func(dim, classes int) (adder, error)) (read *rowsRead, err error) {
	opt.Open.RequireLabels = true
	read = &rowsRead{parts: gaussian.ClassParts{Hashing: opt.Hashing}}
	var to adder
	done := 0
	err = vectorBlocks(ctx, spec, opt.Open, func(d *Data) error {
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
		}
		err := beside(func() { read.parts.AddAll(x, labels) }, func() error { return to.Add(x.Matrix(), labels) })
		if err != nil {
			return err
		}
		if done += n; opt.Rows != nil {
			opt.Rows(done)
		}
		return nil
	})
	return read, err
}

// vectorBlocks is [Blocks] of vectors in blocks of statisticsBlock rows.
func vectorBlocks(ctx context.Context, spec string, opt OpenOptions, fn func(d *Data) error) error {
	return Blocks(ctx, spec, opt, statisticsBlock, func(d *Data, _ int) error {
		if d.X == nil {
			return noVectors(d)
		}
		return fn(d)
	})
}

// columns returns the names of the columns, nil where they have none.
func (d *Data) columns() []string {
	_, n := d.X.Dims()
	if v := d.Vars["columns"]; v != nil && len(v.Strings) == n {
		return v.Strings
	}
	return nil
}
