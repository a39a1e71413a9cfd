package dataset

import (
	"context"
	"fmt"
	"rao/internal/par"
)

// arriving is the number of rows that are passed on at a time.
const arriving = 2048

// OpenWith is like [Open], for callers that process rows while others are still being read. This works for image files
// in IDX and CIFAR-10 format. It calls begin when everything except the values of the rows is known. If begin returns a
// function, OpenWith calls it with ranges [lo,hi) of rows as they are read, in order. It does not call begin for other
// sources.
func OpenWith(ctx context.Context, spec string, opt OpenOptions,
	begin func(d *Data) (arrived func(lo, hi int) error, err error)) (*Data, error) {
	s, err := imagesOf(ctx, spec, &opt)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return Open(ctx, spec, opt)
	}
	defer s.close()
	d, err := s.allButValues(ctx, opt)
	if err != nil {
		return nil, err
	}
	arrived, err := begin(d)
	if err != nil {
		return nil, err
	}
	if arrived == nil {
		arrived = func(int, int) error { return nil }
	}
	return d, s.readInto(ctx, d.X, arrived)
}

// imagesOf opens a file of images, or a set that is one, as a stream. It returns nil for anything else.
func imagesOf(ctx context.Context, spec string, opt *OpenOptions) (*arrayRows, error) {
	known, err := lookup(spec)
	if err != nil || opt.Weights != "" {
		return nil, err
	}
	var s source
	if known != nil {
		s, err = known.rows(ctx, spec, *opt)
	} else {
		var files []string
		if files, err = Files(spec); err != nil || len(files) > 0 {
			return nil, err
		}
		s, err = openRows(ctx, spec, opt)
	}
	if s == nil || err != nil {
		return nil, err
	}
	a, ok := s.(*arrayRows)
	if !ok || !a.early || a.n < 1 || a.cols < 1 {
		s.close()
		return nil, nil
	}
	return a, nil
}

// allButValues returns the data of a file of images without their values, for which it allocates memory.
func (a *arrayRows) allButValues(ctx context.Context, opt OpenOptions) (*Data, error) {
	seen, classes, err := prepare(ctx, a, opt)
	if err != nil {
		return nil, err
	}
	d := &Data{Source: a.source, Image: a.size, Classes: classes, X: newTable(a.kind, seen, a.cols)}
	if classes == nil {
		return d, nil
	}
	if a.open, err = a.labels(); err != nil {
		return nil, err
	}
	labels := &rowBlock{names: make([]string, seen)}
	for i := range labels.names {
		if labels.names[i], err = a.label(); err != nil {
			return nil, err
		}
	}
	a.open.close()
	a.open, a.labels = nil, nil // the rows are read without labels
	labels.classify(indexOf(classes))
	d.Labels = labels.labels
	return d, nil
}

func (a *arrayRows) readInto(ctx context.Context, x *Table, arrived func(lo, hi int) error) error {
	next, seen := 0, 0
	fill := func(b *rowBlock) error {
		lo := next
		next = min(lo+arriving, x.rows)
		*b = rowBlock{x: x.Rows(lo, next), size: next - lo}
		if err := a.read(ctx, b); err != nil || next < x.rows {
			return err
		}
		// read to the end, where compressed files have a checksum
		return a.read(ctx, &rowBlock{x: newTable(a.kind, 1, a.cols), size: 1})
	}
	return par.Ahead([2]*rowBlock{{}, {}}, fill, func(b *rowBlock) error {
		lo := seen
		seen += b.filled
		if err := arrived(lo, seen); err != nil {
			return fmt.Errorf("%s: %w", a.source, err)
		}
		return nil
	})
}
