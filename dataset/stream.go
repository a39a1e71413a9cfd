package dataset

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// defaultBlock is the number of rows that Stream hands out when none is asked for.
const defaultBlock = 8192

// Stream reads a data set in blocks of at most block rows (8192 if block is 0) and
// calls fn with each: the rows, the class of each row and the class names, which are
// the same in every call. x and labels are overwritten afterwards. labels is nil
// without labels. An error of fn ends the reading and is returned.
//
// Tables, IDX and CIFAR files, folders of images, and npy and npz arrays in C order
// are read as they go: memory holds one block and the labels, also inside compressed
// files. MAT-files and Fortran-order arrays are read whole first. Stacks of matrices
// are not vectors and are an error: use [Open].
func Stream(ctx context.Context, spec string, opt OpenOptions, block int, fn func(x *Table, labels []int, classes []string) error) error {
	if block <= 0 {
		block = defaultBlock
	}
	known, err := lookup(spec)
	if err != nil {
		return err
	}
	var src *rowSource
	if known != nil {
		src, err = known.rows(ctx, spec, opt)
	} else {
		src, err = openRows(ctx, spec, opt)
	}
	if err != nil {
		return err
	}
	if src == nil { // cannot be read as it goes
		d, err := Open(ctx, spec, opt)
		if err != nil {
			return err
		}
		return streamData(ctx, d, block, fn)
	}
	defer src.close()
	return src.run(ctx, opt, block, fn)
}

// streamData hands out data that are in memory.
func streamData(ctx context.Context, d *Data, block int, fn func(x *Table, labels []int, classes []string) error) error {
	if d.X == nil {
		return fmt.Errorf("%s: matrices, where vectors are needed; the methods for matrices read the data whole", d.Source)
	}
	n := d.N()
	for lo := 0; lo < n; lo += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+block, n)
		var labels []int
		if d.Labels != nil {
			labels = d.Labels[lo:hi]
		}
		if err := fn(d.X.Rows(lo, hi), labels, d.Classes); err != nil {
			return err
		}
	}
	return nil
}

// rowSource reads rows one block after the other.
type rowSource struct {
	source  string
	n, cols int  // n is -1 when it is not known beforehand
	single  bool // read32 works; otherwise read64
	// read32 and read64 fill whole rows and return how many; io.EOF comes with 0 rows.
	read32 func(dst []float32) (int, error)
	read64 func(dst []float64) (int, error)
	close  func()

	y     []string // label of each row that is read, before keep
	names []string // fixed class names
	keep  []bool   // rows to hand out; nil means all
	why   string   // why there are no labels

	reading *Reading // what was decided, nil where nothing was
}

// run hands out the blocks.
func (s *rowSource) run(ctx context.Context, opt OpenOptions, block int, fn func(x *Table, labels []int, classes []string) error) error {
	if s.cols < 1 {
		return fmt.Errorf("%s: observations without a single value", s.source)
	}
	labels, classes, err := s.classes(opt)
	if err != nil {
		return err
	}
	opt.tell(s.reading, s.kept(labels), len(classes))
	buf := &Table{cols: s.cols, single: s.single}
	if s.single {
		buf.f32 = make([]float32, block*s.cols)
	} else {
		buf.f64 = make([]float64, block*s.cols)
	}
	at, out, filled, any := 0, 0, 0, false // rows read, rows handed out, rows in buf
	emit := func() error {
		x := *buf
		x.rows = filled
		if x.single {
			x.f32 = x.f32[:filled*s.cols]
		} else {
			x.f64 = x.f64[:filled*s.cols]
		}
		var l []int
		if labels != nil {
			l = labels[out : out+filled]
		}
		out += filled
		filled = 0
		any = true
		return fn(&x, l, classes)
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := s.fill(buf, filled, block)
		if err == io.EOF {
			break
		}
		if err != nil {
			if strings.HasPrefix(err.Error(), s.source) { // it names a line
				return err
			}
			return fmt.Errorf("%s: after row %d: %w", s.source, at, err)
		}
		filled = s.compact(buf, filled, n, at)
		at += n
		if filled == block {
			if err := emit(); err != nil {
				return err
			}
		}
	}
	if filled > 0 {
		if err := emit(); err != nil {
			return err
		}
	}
	if !any {
		return fmt.Errorf("%s: no observations in it", s.source)
	}
	return nil
}

// kept returns the number of rows that will be handed out, 0 when it is not known.
func (s *rowSource) kept(labels []int) int {
	n := max(s.n, len(labels))
	if s.keep != nil {
		n = 0
		for _, k := range s.keep {
			if k {
				n++
			}
		}
	}
	return n
}

// fill reads rows to the rows [from,block) of buf.
func (s *rowSource) fill(buf *Table, from, block int) (int, error) {
	if s.single {
		return s.read32(buf.f32[from*s.cols : block*s.cols])
	}
	return s.read64(buf.f64[from*s.cols : block*s.cols])
}

// compact closes the gaps that rows not kept leave among the n rows after from, of
// which the first has number at, and returns the number of rows then in buf.
func (s *rowSource) compact(buf *Table, from, n, at int) int {
	if s.keep == nil {
		return from + n
	}
	to := from
	for i := range n {
		if !s.keep[at+i] {
			continue
		}
		if s.single {
			copy(buf.f32[to*s.cols:(to+1)*s.cols], buf.f32[(from+i)*s.cols:(from+i+1)*s.cols])
		} else {
			copy(buf.f64[to*s.cols:(to+1)*s.cols], buf.f64[(from+i)*s.cols:(from+i+1)*s.cols])
		}
		to++
	}
	return to
}

// classes indexes the labels of the rows that are kept.
func (s *rowSource) classes(opt OpenOptions) (labels []int, classes []string, err error) {
	if s.y == nil {
		if opt.RequireLabels {
			return nil, nil, finish(&Data{Source: s.source}, opt, s.why)
		}
		return nil, nil, nil
	}
	var index []int
	if s.keep != nil {
		index = make([]int, 0, len(s.keep))
		for i, k := range s.keep {
			if k {
				index = append(index, i)
			}
		}
	}
	labels, classes = indexLabels(s.y, s.names, index)
	return labels, classes, opt.checkClasses(s.source, labels, classes)
}

// setLabels reads a file of labels in place of those of the source.
func (s *rowSource) setLabels(opt OpenOptions) error {
	if opt.Labels == "" {
		return nil
	}
	y, err := readLabels(opt.Labels)
	if err != nil {
		return err
	}
	if s.n >= 0 && len(y) != s.n {
		return fmt.Errorf("%s: %d rows and %d labels in %s; every row needs one label", s.source, s.n, len(y), opt.Labels)
	}
	s.y, s.names = y, nil
	return nil
}

// elements reads rows of an array element by element.
type elements interface {
	Float32(dst []float32) error
	Float64(dst []float64) error
	Drain() error // reads to the end, where compressed files keep a checksum
}

// ofElements makes a row source of an open array in C order.
func (s *rowSource) ofElements(e elements) *rowSource {
	left := s.n
	rows := func(have int) (int, error) {
		if left == 0 {
			if err := e.Drain(); err != nil {
				return 0, err
			}
			return 0, io.EOF
		}
		m := min(left, have/max(s.cols, 1))
		left -= m
		return m, nil
	}
	s.read32 = func(dst []float32) (int, error) {
		m, err := rows(len(dst))
		if err != nil {
			return 0, err
		}
		return m, e.Float32(dst[:m*s.cols])
	}
	s.read64 = func(dst []float64) (int, error) {
		m, err := rows(len(dst))
		if err != nil {
			return 0, err
		}
		return m, e.Float64(dst[:m*s.cols])
	}
	return s
}
