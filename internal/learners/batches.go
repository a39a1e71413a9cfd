package learners

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// Batches calls fn with the rows of an epoch, in random batches of size rows, and their labels. It drops an
// incomplete last batch and returns the error of fn, if any. The order depends only on the epoch, counted from 0. x
// and labels are overwritten after fn returns.
type Batches func(ctx context.Context, epoch, size int, fn func(x mat.Matrix, labels []int) error) error

// batchedRows is the default total number of rows over all epochs; mostEpochs limits the number of epochs.
const (
	batchedRows = 24 << 20
	mostEpochs  = 24
)

// Epochs returns the default number of passes over the given number of rows: as many as process at most 25 million rows
// in total, but at least 1 and at most 24.
func Epochs(rows int) int { return max(1, min(mostEpochs, batchedRows/max(rows, 1))) }
