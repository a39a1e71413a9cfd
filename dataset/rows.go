package dataset

import (
	"context"
	"fmt"
	"io"

	"rao/internal/format/cifar"
	"rao/internal/format/gunzip"
	"rao/internal/format/idx"
	"rao/internal/format/ndarray"
	"rao/internal/format/npy"
)

// openRows opens a file as a stream; nil without error means that it cannot be.
func openRows(ctx context.Context, path string, opt OpenOptions) (*rowSource, error) {
	f, err := formatOf(path)
	if err == nil {
		err = f.checkSpan(path, &opt)
	}
	if err != nil || f.rows == nil {
		return nil, err
	}
	return f.rows(ctx, path, opt)
}

// with gives the source the labels of the options; it passes on err and a nil source.
func (s *rowSource) with(opt OpenOptions, err error) (*rowSource, error) {
	if s == nil || err != nil {
		return nil, err
	}
	if len(opt.Where) > 0 && s.keep == nil {
		err = fmt.Errorf("%s: --where: the data have no variables to pick rows by", s.source)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	s.setLabels(opt)
	return s, nil
}

// streamable returns rows and columns of an array that is read row by row: in C
// order, numeric, and not of a shape that may be a stack of matrices or have its
// observations along another axis. Three axes of small integers are images.
func streamable(e ndarray.Elem, shape []int, fortran bool) (n, cols int, ok bool) {
	if e.Text() || fortran {
		return 0, 0, false
	}
	switch len(shape) {
	case 2, 4:
	case 3:
		if e.Kind == 'f' || !e.Narrow() || shape[0] == shape[1] && shape[1] != shape[2] {
			return 0, 0, false
		}
	default:
		return 0, 0, false
	}
	cols = 1
	for _, d := range shape[1:] {
		cols *= d
	}
	return shape[0], cols, true
}

// imageAxes returns rows, columns and channels of the images in an array that is read as it
// goes, and zeros where it holds none.
func imageAxes(shape []int) [3]int {
	switch len(shape) {
	case 3:
		return [3]int{shape[1], shape[2], 1}
	case 4:
		return [3]int(shape[1:])
	}
	return [3]int{}
}

func npyRows(path string, part Span) (*rowSource, error) {
	f, err := npy.Open(path)
	if err != nil {
		return nil, err
	}
	n, cols, ok := streamable(f.Type, f.Shape, f.Fortran)
	if !ok {
		f.Close()
		return nil, nil
	}
	if !part.whole() {
		if err = part.within(path, int64(n), "rows"); err == nil {
			err = f.Rows(part.From, part.To)
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		n = f.Shape[0]
	}
	s := &rowSource{source: path, n: n, cols: cols, single: f.Type.Narrow(), axes: imageAxes(f.Shape),
		close: func() { f.Close() }}
	return s.ofElements(f, f.Type), nil
}

// npzRows streams the observations of an npz file and the labels beside them; the
// variables of conditions are read whole.
func npzRows(path string, opt OpenOptions) (*rowSource, error) {
	f, err := openNpz(path, opt)
	if err != nil {
		return nil, err
	}
	if f.z.Has(recipeVar + ".npy") { // which goes with the data whole
		f.z.Close()
		return nil, nil
	}
	xName, err := pickX(path, f.infos, opt)
	if err != nil {
		f.z.Close()
		return nil, err
	}
	m, err := f.z.Open(xName)
	if err != nil {
		f.z.Close()
		return nil, err
	}
	s := &rowSource{source: path, single: m.Type.Narrow(), axes: imageAxes(m.Shape), close: func() {
		m.Close()
		f.z.Close()
	}}
	var ok bool
	if s.n, s.cols, ok = streamable(m.Type, m.Shape, m.Fortran); !ok {
		s.close()
		return nil, nil
	}
	if err := s.npzLabels(f, m, xName, opt); err != nil {
		s.close()
		return nil, err
	}
	return s.ofElements(m, m.Type), nil
}

// npzLabels reads what goes with the observations of an npz file.
func (s *rowSource) npzLabels(f *npzVariables, m *npy.Member, xName string, opt OpenOptions) error {
	r := &raw{source: s.source, x: &Array{Name: xName, Shape: m.Shape}, vars: make(map[string]*Array)}
	yName, err := pickY(s.source, f.infos, opt, xName)
	if err != nil {
		return err
	}
	if yName != "" {
		y, err := f.z.Open(yName)
		if err != nil {
			return err
		}
		y.Close()
		if err := oneAxis(yName, y.Shape); err != nil {
			return fmt.Errorf("%s: %w", s.source, err)
		}
		if err := miscounted(s.source, m.Shape, s.n, y.Len, ""); err != nil {
			return err
		}
		s.labels = func() (labelRows, error) {
			y, err := f.z.Open(yName)
			if err != nil {
				return nil, err
			}
			return fileLabels(s.source, y, yName, y.Shape)
		}
	}
	conditions, err := parseWhere(opt.Where)
	if err != nil {
		return err
	}
	for _, c := range conditions {
		if f.z.Has(c.name+".npy") && r.vars[c.name] == nil {
			if r.vars[c.name], err = f.z.Read(c.name); err != nil {
				return err
			}
		}
	}
	index, err := pickRows(r, s.n, opt.Where)
	if err != nil {
		return err
	}
	if index != nil {
		s.keep = make([]bool, s.n)
		for _, i := range index {
			s.keep[i] = true
		}
	}
	return nil
}

func idxRows(path string, opt *OpenOptions) (*rowSource, error) {
	pairLabels(path, opt)
	f, err := idx.Open(path)
	if err != nil {
		return nil, err
	}
	s := &rowSource{source: path, n: f.Shape[0], cols: 1, single: f.Elem.Narrow(), close: func() { f.Close() }}
	for _, d := range f.Shape[1:] {
		s.cols *= d
	}
	if len(f.Shape) == 3 && f.Affordable() {
		s.image = [3]int{f.Shape[1], f.Shape[2], 1}
	}
	return s.ofElements(f, f.Elem), nil
}

// cifarRows reads the labels in a first pass.
func cifarRows(path string) (*rowSource, error) {
	labels, err := cifarLabels(path)
	if err != nil {
		return nil, err
	}
	f, err := gunzip.Open(path)
	if err != nil {
		return nil, err
	}
	records := cifar.NewReader(f)
	s := &rowSource{source: path, n: len(labels), cols: cifar.Pixels, single: true, names: cifar.Names[:],
		image: [3]int{cifar.Side, cifar.Side, 3}, close: func() { f.Close() }}
	y := make([]string, len(labels))
	for i, l := range labels {
		y[i] = cifar.Names[l]
	}
	s.labels = heldLabels(y)
	s.read32 = func(dst []float32) (int, error) {
		n := 0
		for ; len(dst) >= cifar.Pixels; dst = dst[cifar.Pixels:] {
			if _, err := records.Next(dst); err == io.EOF && n > 0 {
				return n, nil
			} else if err != nil {
				return 0, err
			}
			n++
		}
		return n, nil
	}
	return s, nil
}

func cifarLabels(path string) ([]int, error) {
	f, err := gunzip.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var labels []int
	records := cifar.NewReader(f)
	for {
		label, err := records.Next(nil)
		if err == io.EOF {
			return labels, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		labels = append(labels, label)
	}
}

func folderRows(path string) (*rowSource, error) {
	files, left, err := listImages(path)
	if err != nil {
		return nil, err
	}
	shape, err := commonShape(files)
	if err != nil {
		return nil, err
	}
	s := &rowSource{source: path, n: len(files), cols: shape[0] * shape[1] * shape[2], single: true,
		close: func() {}, reading: folderReading(path, left)}
	y := make([]string, len(files))
	for i, f := range files {
		y[i] = f.class
	}
	s.labels = heldLabels(y)
	s.read32 = func(dst []float32) (int, error) {
		n := min(len(dst)/s.cols, len(files))
		if n == 0 {
			return 0, io.EOF
		}
		err := readImages(dst, files[:n], shape)
		files = files[n:]
		return n, err
	}
	return s, nil
}
