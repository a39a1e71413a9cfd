package sqfa

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/heldout"
)

// Deal deals rows to folds.
func (r Rows) Deal(opt Options) (*heldout.Folds, error) {
	f, err := r.folds(opt)
	return f.Folds, err
}

// HeldRows returns the rows of each fold that validation holds out.
func HeldRows(labels []int, opt Options) [][]int {
	f, err := heldout.NewFolds(labels, nil, 1, opt.Folds, opt.Seed)
	if err != nil {
		panic(err)
	}
	return f.Held
}

// CheckTraining returns an error unless the training part of every fold consists of the rows of x that the fold does
// not hold out.
func CheckTraining(f *heldout.Folds, x *mat.Dense) error {
	rows, n := x.Dims()
	for k, train := range f.Trains {
		rest, labels := mat.NewDense(rows-len(f.Held[k]), n, nil), []int(nil)
		for i := range rows {
			if _, held := slices.BinarySearch(f.Held[k], i); !held {
				rest.SetRow(len(labels), x.RawRowView(i))
				labels = append(labels, f.Labels[i])
			}
		}
		want, err := gaussian.Estimate(rest, labels, nil)
		if err != nil {
			return err
		}
		for i, v := range want.Covariances {
			if math.Abs(train.Covariances[i]-v) > 1e-10 {
				return fmt.Errorf("fold %d: covariance value %d is %v, want %v", k, i, train.Covariances[i], v)
			}
		}
		if !slices.Equal(train.Counts, want.Counts) {
			return fmt.Errorf("fold %d: counts %v, want %v", k, train.Counts, want.Counts)
		}
	}
	return nil
}

var (
	Surrogate  = surrogate
	TurnedRows = turnedRows
)
