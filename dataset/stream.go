package dataset

import (
	"context"
	"fmt"
	"maps"
)

// defaultBlock is the default number of rows per block of Stream.
const defaultBlock = 8192

// Stream reads a data set in blocks of at most block rows (8192 if block is 0) and calls fn with each: the rows, the
// class of each row and the class names, which are the same in every call. The next block overwrites x and labels.
// labels is nil for unlabeled data. The next block is read on another goroutine while fn runs. If fn returns an error,
// Stream stops and returns it.
//
// Tables, Parquet, IDX and CIFAR files, folders of images, npy and npz arrays in C order, and images in MAT-files up to
// version 7 are streamed together with their labels, after a first pass that finds the classes. Stream needs memory for
// two blocks, even for compressed files, plus the names of images and, for npz and MAT-files, the variables used in
// Where. Other column-major arrays, and MAT-files of version 7.3, are first read in full. With OpenOptions.Span, it
// reads only a part of one file. It returns an error for stacks of matrices; use [Open] instead.
func Stream(ctx context.Context, spec string, opt OpenOptions, block int,
	fn func(x *Table, labels []int, classes []string) error) error {
	return Blocks(ctx, spec, opt, block, func(d *Data, _ int) error {
		if d.X == nil {
			return noVectors(d)
		}
		return fn(d.X, d.Labels, d.Classes)
	})
}

func noVectors(d *Data) error {
	return fmt.Errorf("%s: the data are matrices, but only vectors can be read in blocks; fit a method of matrices "+
		"to the data in memory",
		d.Source)
}

// Blocks is like [Stream], with blocks of type Data. Each block has its source, the index of its first row and the
// names of its columns. fn also receives the total number of rows. Matrices are passed as a single block, with their
// variables. Blocks of vectors have the variables of TableOptions.Variables, which the next block also overwrites.
// Arrays with these variables are first read in full.
func Blocks(ctx context.Context, spec string, opt OpenOptions, block int, fn func(d *Data, total int) error) error {
	if block <= 0 {
		block = defaultBlock
	}
	if opt.Weights != "" {
		opt.Table.Variables, fn = opt.variables(), weighing(opt.Weights, fn)
	}
	known, err := lookup(spec)
	if err == nil && known != nil {
		err = opt.oneFile(spec)
	}
	if err != nil {
		return err
	}
	src, err := openSource(ctx, known, spec, opt)
	if err != nil {
		return err
	}
	variables := len(opt.Table.Variables) > 0
	if _, ok := src.(*arrayRows); ok && variables { // arrayRows read only the observations
		src.close()
		src = nil
	}
	if src == nil { // cannot be streamed
		if err := opt.oneFile(spec); err != nil {
			return err
		}
		d, err := Open(ctx, spec, opt)
		if err != nil {
			return err
		}
		return blocksOf(ctx, d, opt.Table.Variables, block, fn)
	}
	defer src.close()
	rows, classes, err := prepare(ctx, src, opt)
	if err != nil {
		return err
	}
	order, err := orderFor(opt.Columns, src.known())
	if err != nil {
		return err
	}
	info := *src.known()
	if opt.Columns != nil {
		info.columns = opt.Columns
	}
	vars := info.columnVars()
	first := 0
	blocks := [2]*rowBlock{{size: block}, {size: block}}
	if variables {
		for _, b := range blocks {
			b.vars = make([][]string, len(info.kept))
		}
	}
	return handOutBlocks(ctx, src, classes, blocks, func(b *rowBlock) error {
		x, labels := b.rows()
		d := &Data{Source: spec, First: first, X: x.inOrder(order), Labels: labels, Classes: classes, Vars: vars,
			overwritten: true}
		first += x.rows
		d.Lacks = b.lacks
		if b.ids != nil {
			d.Vars = withTexts(vars, opt.Form.ID, b.ids)
		}
		for k, texts := range b.vars {
			d.Vars = withTexts(d.Vars, info.kept[k], texts)
		}
		return fn(d, rows)
	})
}

// withTexts returns the variables and one more, with a text for each row.
func withTexts(vars map[string]*Array, name string, texts []string) map[string]*Array {
	out := maps.Clone(vars)
	if out == nil {
		out = map[string]*Array{}
	}
	out[name] = &Array{Name: name, Type: "U", Shape: []int{len(texts)}, Strings: texts}
	return out
}

// openSource opens a known set, a path, or several paths as a stream. It returns nil if the data cannot be streamed.
func openSource(ctx context.Context, known *named, spec string, opt OpenOptions) (source, error) {
	if known != nil {
		return known.rows(ctx, spec, opt)
	}
	files, err := filesOf(spec)
	switch {
	case err != nil:
		return nil, err
	case len(files) == 1:
		return openRows(ctx, files[0], &opt)
	case opt.partial():
		return nil, opt.oneFile(spec)
	}
	return manyRows(ctx, spec, files, opt)
}

// blocksOf calls fn for data in memory, with the variables of these names as texts.
func blocksOf(ctx context.Context, d *Data, variables []string, block int, fn func(d *Data, total int) error) error {
	n := d.N()
	if d.X == nil {
		return fn(d, n)
	}
	for lo := 0; lo < n; lo += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+block, n)
		part := *d
		part.First, part.X = lo, d.X.Rows(lo, hi)
		if d.Labels != nil {
			part.Labels = d.Labels[lo:hi]
		}
		part.Vars = nil
		if v := d.Vars["columns"]; v != nil {
			part.Vars = map[string]*Array{"columns": v}
		}
		for _, name := range variables {
			if v := d.Vars[name]; v != nil && v.Len() == n {
				texts := make([]string, hi-lo)
				for i := range texts {
					texts[i] = v.Text(lo + i)
				}
				part.Vars = withTexts(part.Vars, name, texts)
			}
		}
		if err := fn(&part, n); err != nil {
			return err
		}
	}
	return nil
}
