package dataset

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/naming"
)

// LabeledRows returns the labeled vectors of a source, which are read again a block at a time by every call.
// Columns come in the order of the names in columns; where that is empty they come in their own, and columns is
// set to their names. progress, which may be nil, receives the number of rows read so far.
func LabeledRows(ctx context.Context, spec string, columns *[]string, progress func(rows int),
	opt OpenOptions) gaussian.Rows {
	opt.RequireLabels = true
	return func(each func(x mat.Matrix, labels []int, classes []string) error) error {
		done := 0
		err := vectorBlocks(ctx, spec, opt, func(d *Data) error {
			if *columns == nil {
				*columns = slices.Clone(d.columns())
			}
			order, bad := naming.Order(*columns, d.columns())
			if bad != nil {
				return &gaussian.ColumnsError{Missing: bad.Missing, Unknown: bad.Unknown, Twice: bad.Twice}
			}
			x := d.X.inOrder(order)
			n, _ := x.Dims()
			if done += n; progress != nil {
				progress(done)
			}
			return each(x.Matrix(), d.Labels, d.Classes)
		})
		opt.OnReading = nil // once is enough
		return err
	}
}
