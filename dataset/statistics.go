package dataset

import (
	"context"

	"rao/gaussian"
)

// StatisticsOptions are the options of [Statistics]. The zero value collects counts, means
// and covariances.
type StatisticsOptions struct {
	Open    OpenOptions                  // of the data; labels are required
	Moments bool                         // also the third and fourth moments
	Begin   func(dim, classes int) error // is told the size before memory is taken, and may refuse; may be nil
	Rows    func(done int)               // is told how many rows were read; may be nil
}

// statisticsBlock is how many rows are read at a time.
const statisticsBlock = 4096

// Statistics returns the statistics of each class of labeled vectors, which are read as
// they go; see [Stream]. They know the rows behind them by hashes. The same rows in the
// same order give the same bits, however they are spread over files.
func Statistics(ctx context.Context, spec string, opt StatisticsOptions) (*gaussian.Statistics, error) {
	opt.Open.RequireLabels = true
	var part gaussian.PartBuilder
	var acc *gaussian.Accumulator
	var names []string
	var row []float64
	err := Stream(ctx, spec, opt.Open, statisticsBlock, func(x *Table, labels []int, classes []string) error {
		n, dim := x.Dims()
		if acc == nil {
			if err := gaussian.CheckSize(dim, len(classes)); err != nil {
				return err
			}
			if opt.Begin != nil {
				if err := opt.Begin(dim, len(classes)); err != nil {
					return err
				}
			}
			acc, names, row = gaussian.NewAccumulator(dim, len(classes)), classes, make([]float64, dim)
			if opt.Moments {
				acc.CollectMoments()
			}
		}
		if err := acc.Add(x.Matrix(), labels); err != nil {
			return err
		}
		for i := range n {
			x.Row(row, i)
			part.Add(row)
		}
		if opt.Rows != nil {
			opt.Rows(acc.Rows())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s, err := acc.Take(names)
	if err != nil {
		return nil, err
	}
	s.Parts = []gaussian.Part{part.Part()}
	return s, nil
}
