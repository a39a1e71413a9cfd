package dataset

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/indices"
	"rao/internal/optionvalues"
	"rao/internal/provenance"
)

// LabeledRows returns a function that reads the labeled vectors of a source block by block. Each call of this function
// reads the source again, unless the rows fit into 128 MiB and an earlier call kept them. Columns are in the order of
// the names in columns. If columns is empty, they are in file order, and columns is set to their names. progress, which
// may be nil, receives the number of rows read so far.
//
// Before each block, the function also sets owners to the values of variable for the rows of the block, such as the
// person of each row. variable is the name of an array of a file or of a column of a table, which is then not a
// feature. If variable is empty, owners is not set.
func LabeledRows(ctx context.Context, spec string, columns *[]string, variable string, owners *[]string,
	progress func(rows int),
	opt OpenOptions) func(each func(x mat.Matrix, labels []int, classes []string) error) error {
	opt.RequireLabels = true
	switch variable {
	case "":
	case "columns":
		return func(func(mat.Matrix, []int, []string) error) error {
			return fmt.Errorf("%s: no column may be named \"columns\" here, because the variable of this name "+
				"lists the column names; rename it", spec)
		}
	default:
		opt.Table.Variables = append(slices.Clone(opt.Table.Variables), variable)
	}
	type labeledBlock struct {
		x       *Table
		labels  []int
		classes []string
		owners  []string
	}
	var kept []labeledBlock
	size, all := 0, false // all: every row is kept
	return func(each func(x mat.Matrix, labels []int, classes []string) error) error {
		done := 0
		hand := func(b labeledBlock) error {
			if variable != "" {
				*owners = b.owners
			}
			if done += b.x.rows; progress != nil {
				progress(done)
			}
			return each(b.x.Matrix(), b.labels, b.classes)
		}
		if all {
			for _, b := range kept {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := hand(b); err != nil {
					return err
				}
			}
			return nil
		}
		kept, size = nil, 0
		err := vectorBlocks(ctx, spec, opt, func(d *Data) error {
			if opt.Table.Missing == optionvalues.MissingDrop {
				if d = d.withoutMissing(); d.N() == 0 {
					return nil
				}
			}
			if *columns == nil {
				*columns = slices.Clone(d.columns())
			}
			order, err := provenance.OrderColumns(*columns, d.columns())
			if err != nil {
				return err
			}
			b := labeledBlock{x: d.X.inOrder(order), labels: d.Labels, classes: d.Classes}
			if variable != "" {
				v := d.Vars[variable]
				if v == nil || len(v.Strings) != b.x.rows {
					return fmt.Errorf("%s: the data have no column %q and no array of this name with one value for "+
						"each row; choose another name", spec, variable)
				}
				if slices.ContainsFunc(v.Strings, isMissing[string]) {
					return fmt.Errorf("%s: a row has no group in column %q; fill it in, or "+
						"leave the row out", spec, variable)
				}
				b.owners = v.Strings
			}
			if size += b.x.kind.size() * b.x.rows * b.x.cols; size <= keptBytes {
				kept = append(kept, labeledBlock{b.x.selectRows(indices.Range(b.x.rows)), slices.Clone(b.labels),
					slices.Clone(b.classes), slices.Clone(b.owners)})
			} else {
				kept = nil
			}
			return hand(b)
		})
		opt.OnReading = nil // once is enough
		all = err == nil && size <= keptBytes
		return err
	}
}

// keptBytes is the largest size of the rows that LabeledRows keeps, in the type in which they are stored.
var keptBytes = 128 << 20
