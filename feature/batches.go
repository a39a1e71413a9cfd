package feature

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// Batches hands out the rows of an epoch in random batches of size rows, with their labels, to
// fn, whose error it returns. A rest that is no whole batch is left out. The order is that of
// the epoch, 0 for the first, and does not change from run to run. x and labels are overwritten
// after fn.
type Batches func(ctx context.Context, epoch, size int, fn func(x mat.Matrix, labels []int) error) error

// batchedRows is how many rows all epochs together have, and mostEpochs the limit on them.
const (
	batchedRows = 24 << 20
	mostEpochs  = 24
)

// Epochs returns how many passes over so many rows are made in batches by default: as many as
// make 25 million rows, 1 to 24.
func Epochs(rows int) int { return max(1, min(mostEpochs, batchedRows/max(rows, 1))) }
