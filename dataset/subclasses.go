package dataset

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
)

// Subclasses returns the sub-classes of labeled vectors, which are read twice as they go; see
// [gaussian.EstimateSubclasses]. They know the rows behind them by hashes. rows is told how
// many were read in a pass, and may be nil.
func Subclasses(ctx context.Context, spec string, open OpenOptions, opt gaussian.SubclassOptions,
	rows func(done int)) (*gaussian.Subclasses, error) {
	open.RequireLabels = true
	var part gaussian.PartBuilder
	passes := 0
	read := func(each func(x mat.Matrix, labels []int, classes []string) error) error {
		passes++
		done := 0
		err := Stream(ctx, spec, open, statisticsBlock, func(x *Table, labels []int, classes []string) error {
			n, _ := x.Dims()
			err := beside(func() {
				if passes == 1 {
					part.AddAll(x)
				}
			}, func() error { return each(x.Matrix(), labels, classes) })
			if done += n; rows != nil {
				rows(done)
			}
			return err
		})
		open.Told = nil // once is enough
		return err
	}
	s, err := gaussian.EstimateSubclasses(ctx, read, opt)
	if err != nil {
		return nil, err
	}
	s.Parts = []gaussian.Part{part.Part()}
	return s, nil
}
