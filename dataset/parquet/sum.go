package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"

	"rao/internal/par"
	"rao/internal/text"
)

// Sum adds the numbers of each column to its element of sum, in the order of the rows, and their count to its element
// of n. It skips missing values and NaN. The columns must have single values. They are summed in parallel without
// building rows, which takes half the processor time of a pass over the rows.
func (f *file) Sum(ctx context.Context, numbers []int, n, sum []float64) error {
	return par.Try(len(numbers), 1, func(_, lo, hi int) error {
		for k, i := range numbers[lo:hi] {
			if err := f.sumColumn(ctx, f.leaves[i], &n[lo+k], &sum[lo+k]); err != nil {
				return fmt.Errorf("%s: %w", f.path, err)
			}
		}
		return nil
	})
}

func (f *file) sumColumn(ctx context.Context, l *leaf, n, sum *float64) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = broken(p)
		}
	}()
	m := reusedMemory(1)
	defer memories.Put(m)
	for g := f.from; g < f.to; g++ {
		c, err := f.cursor(g, l, &m.page, m.cursors[0])
		if err != nil {
			return err
		}
		m.cursors[0], c.presentOnly = c, true
		for {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := c.more(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return err
			}
			count, total := *n, *sum
			for _, v := range c.f64 {
				if v == v {
					count++
					total += v
				}
			}
			*n, *sum, c.at = count, total, len(c.f64)
		}
		if rows := f.meta.RowGroups[g].NumRows; int64(c.row) != rows {
			return damaged(fmt.Errorf("column %s has %s, but its group has %d", l.name,
				text.Plural(c.row, "row", "rows"), rows))
		}
	}
	return nil
}
