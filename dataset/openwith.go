package dataset

import (
	"context"
	"fmt"
	"io"
)

// arriving is how many rows arrive at a time.
const arriving = 2048

// OpenWith is [Open] for a user who works on rows while others are still being read, which
// files of images, IDX and CIFAR-10, allow. begin is called with the data when all is known of
// them but the values of the rows; the function that it returns, unless that is nil, is called
// with the rows [lo,hi) that have come, in their order. begin is not called for other sources.
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
	d, err := s.shell(ctx, opt)
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

// imagesOf opens a file of images, or a set that is one, as a stream; nil means that it is
// something else.
func imagesOf(ctx context.Context, spec string, opt *OpenOptions) (*rowSource, error) {
	known, err := lookup(spec)
	if err != nil {
		return nil, err
	}
	var s *rowSource
	if known != nil {
		s, err = known.rows(ctx, spec, *opt)
	} else {
		var files []string
		if files, err = Files(spec); err != nil || len(files) > 0 {
			return nil, err
		}
		s, err = openRows(ctx, spec, *opt)
	}
	if s == nil || err != nil {
		return nil, err
	}
	if s.image == [3]int{} || s.n < 1 || s.cols < 1 || s.keep != nil {
		s.close()
		return nil, nil
	}
	return s, nil
}

// shell returns the data of a file of images but for the values.
func (s *rowSource) shell(ctx context.Context, opt OpenOptions) (*Data, error) {
	seen, classes, err := s.prepare(ctx, opt)
	if err != nil {
		return nil, err
	}
	d := &Data{Source: s.source, Image: s.image, Classes: classes,
		X: s.table(seen)}
	if classes == nil {
		return d, nil
	}
	in, err := s.labels()
	if err != nil {
		return nil, err
	}
	defer in.close()
	r := &rowReader{src: s, in: in, index: indexOf(classes)}
	d.Labels = make([]int, seen)
	for i := range d.Labels {
		if d.Labels[i], err = r.label(); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// readInto reads all rows to their places in x.
func (s *rowSource) readInto(ctx context.Context, x *Table, arrived func(lo, hi int) error) error {
	r := &rowReader{src: s}
	next, seen := 0, 0
	fill := func(b *rowBlock) error {
		lo := next
		next = min(lo+arriving, x.rows)
		b.x, b.size = x.Rows(lo, next), next-lo
		if err := r.fill(ctx, b); err != nil {
			if err == io.EOF {
				err = fmt.Errorf("%s: the file ends after row %d of %d", s.source, r.row, x.rows)
			}
			return err
		}
		if next < x.rows {
			return nil
		}
		if err := r.end(); err != nil {
			return err
		}
		return io.EOF
	}
	return ahead([2]*rowBlock{{}, {}}, fill, func(b *rowBlock) error {
		lo := seen
		seen += b.filled
		if err := arrived(lo, seen); err != nil {
			return fmt.Errorf("%s: %w", s.source, err)
		}
		return nil
	})
}

// end reads to the end of the source, where compressed files keep a checksum.
func (r *rowReader) end() error {
	over := &rowBlock{size: 1}
	switch err := r.fill(context.Background(), over); {
	case err == io.EOF:
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%s: there are more than %d rows", r.src.source, r.row-1)
}
