package grayimages

import (
	"context"
	"fmt"
	"math"

	"rao"
	"rao/dataset"
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// DeskewOptions describe the layout of the images in the rows of the data. If the fields are zero, the Image of the
// data is used.
type DeskewOptions struct {
	Rows, Cols int // size of an image in pixels; required if the data have no Image
}

// deskewGrain is the number of images that one goroutine processes at a time.
const deskewGrain = 64

// Deskew returns a copy of gray images, centered in the frame and made upright by a shear, as is common for handwritten
// digits (LeCun, Bottou, Bengio and Haffner 1998, section III). The value of a pixel is its mass, so the background
// must be 0: invert images that are dark on light first.
//
// With the mean (m_r, m_c) of the mass over rows and columns, its second moments μ_rr = mean (r-m_r)² and μ_rc = mean
// (r-m_r)(c-m_c), and the middle (q_r, q_c) of the frame, a point is mapped to
//
//	r' = q_r + (r - m_r)
//	c' = q_c + (c - m_c) - a (r' - q_r),   a = μ_rc / (μ_rr + t(1-t))
//
// where t is the fraction of a pixel by which rows move; t(1-t) is the amount that interpolation between rows adds to
// μ_rr. Values are interpolated linearly between rows and then within rows, and are 0 outside. This preserves mass and
// moments exactly: the mean of the result is in the middle, μ_rc = 0, and deskewing again changes nothing beyond
// rounding, unless a part leaves the frame and is lost. Values keep their type, and stay within the range of the image,
// extended to 0. An image without mass does not change.
//
// Labels, classes and variables are as in d. It returns an error if the data are matrices or color images, if the size
// does not match the columns, or if a pixel is negative or not finite (with image, row and column). It costs about ten
// operations per pixel, in parallel over images, and the memory of the copy. The bits are the same on any number of
// processors.
func Deskew(ctx context.Context, d *dataset.Data, opt DeskewOptions) (*dataset.Data, error) {
	size, err := sizeOf(d, opt)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Source, err)
	}
	out := *d
	out.Image = [3]int{size[0], size[1], 1}
	n, cols := d.X.Dims()
	u8, f32, f64, _ := d.X.RawRows()
	if f64 != nil {
		upright := make([]float64, n*cols)
		out.X = dataset.NewTable(n, cols, upright)
		err = deskewRows(ctx, upright, f64, n, size)
	} else {
		if u8 != nil {
			f32 = make([]float32, len(u8))
			vec.WidenBytes(f32, u8)
		}
		upright := make([]float32, n*cols)
		out.X = dataset.NewTable(n, cols, upright)
		err = deskewRows(ctx, upright, f32, n, size)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w", d.Source, err)
	}
	return &out, nil
}

// sizeOf returns the rows and columns of the images, or an error if d has no gray images.
func sizeOf(d *dataset.Data, opt DeskewOptions) (size [2]int, err error) {
	if d.X == nil {
		return size, fmt.Errorf("the data are matrices, but only gray images can be deskewed; give images")
	}
	known := d.Image[0] > 0
	if known && d.Image[2] > 1 {
		return size, fmt.Errorf("the images have %d channels, but only gray images can be deskewed; convert them to "+
			"gray", d.Image[2])
	}
	size = [2]int{opt.Rows, opt.Cols}
	_, cols := d.X.Dims()
	switch given := size != [2]int{}; {
	case given && (opt.Rows < 1 || opt.Cols < 1):
		return size, fmt.Errorf("the image size is %d×%d pixels; give positive numbers of rows and columns",
			opt.Rows, opt.Cols)
	case known && given && size != [2]int{d.Image[0], d.Image[1]}:
		return size, fmt.Errorf("the images have %d×%d pixels, but the given size is %d×%d; leave the size out",
			d.Image[0], d.Image[1], opt.Rows, opt.Cols)
	case known && d.Image[0]*d.Image[1] != cols:
		return size, fmt.Errorf("the data have %d columns, which do not match images of %d×%d pixels; give images "+
			"with one column per pixel",
			cols, d.Image[0], d.Image[1])
	case known:
		return [2]int{d.Image[0], d.Image[1]}, nil
	case !given:
		return size, rao.Optionf("size", "the size of the images in the %d columns is unknown; give it, such as "+
			"{size=28x28}",
			cols)
	case opt.Rows > cols || opt.Cols != cols/opt.Rows || cols%opt.Rows != 0:
		return size, fmt.Errorf("the data have %d columns, which do not match images of %d×%d pixels; give another "+
			"size",
			cols, opt.Rows, opt.Cols)
	}
	return size, nil
}

// deskewRows fills dst with the deskewed images of src.
func deskewRows[T float32 | float64](ctx context.Context, dst, src []T, n int, size [2]int) error {
	pixels := size[0] * size[1]
	work := make([]*deskewer, par.Workers(n, deskewGrain))
	return par.Try(n, deskewGrain, func(worker, lo, hi int) error {
		if work[worker] == nil {
			work[worker] = newDeskewer(size[0], size[1])
		}
		err := ctx.Err()
		for i := lo; i < hi && err == nil; i++ {
			err = deskewImage(work[worker], dst[i*pixels:(i+1)*pixels], src[i*pixels:(i+1)*pixels], i)
		}
		return err
	})
}

// deskewImage writes the deskewed image of src, image i of the data, to dst. It returns an error if a pixel is negative
// or not finite.
func deskewImage[T float32 | float64](w *deskewer, dst, src []T, i int) error {
	for j, v := range src {
		x := float64(v)
		if !(x >= 0) || !vec.Finite(x) {
			if !vec.Finite(x) {
				return &rao.ValueError{Row: i, Col: j, Value: x}
			}
			return fmt.Errorf("image %d has the value %g in row %d, column %d (counted from 0); deskewing needs a "+
				"background of 0 and no negative values; shift or invert the images first", i, x, j/w.cols, j%w.cols)
		}
		w.image[j] = x
	}
	w.deskew()
	for j, v := range w.image {
		dst[j] = T(v)
	}
	return nil
}

// deskewer is scratch memory for one image at a time.
type deskewer struct {
	rows, cols int
	image      []float64 // rows×cols
	moved      []float64 // the image with its rows moved
	nothing    []float64 // a row outside the frame
	mass       []float64 // by row
	first      []float64 // by row: first moment over the columns
}

func newDeskewer(rows, cols int) *deskewer {
	return &deskewer{rows: rows, cols: cols, image: make([]float64, rows*cols), moved: make([]float64, rows*cols),
		nothing: make([]float64, cols),
		mass:    make([]float64, rows), first: make([]float64, rows)}
}

func (w *deskewer) deskew() {
	row, col, varRow, cov, ok := w.moments()
	if !ok {
		return
	}
	middleRow, middleCol := float64(w.rows-1)/2, float64(w.cols-1)/2
	up := row - middleRow
	t := up - math.Floor(up)
	slope := 0.0
	if v := varRow + t*(1-t); v > 0 {
		slope = cov / v
	}
	w.moveRows(up)
	for r := range w.rows {
		slide(w.row(w.image, r), w.row(w.moved, r), col-middleCol+slope*(float64(r)-middleRow))
	}
}

// moments returns the mean position of the mass, the variance of its row and the covariance of row and column. ok is
// false if there is no mass.
func (w *deskewer) moments() (row, col, varRow, cov float64, ok bool) {
	most := 0.0
	for _, v := range w.image {
		most = max(most, v)
	}
	if most == 0 {
		return 0, 0, 0, 0, false
	}
	_, exponent := math.Frexp(most)
	scale, total := math.Ldexp(1, -max(exponent, -1000)), 0.0 // scaled to keep sums finite
	for r := range w.rows {
		w.mass[r], w.first[r] = 0, 0
		for c, v := range w.row(w.image, r) {
			v *= scale
			w.mass[r] += v
			w.first[r] += float64(c) * v
		}
		total += w.mass[r]
		row += float64(r) * w.mass[r]
		col += w.first[r]
	}
	row, col = row/total, col/total
	for r, m := range w.mass {
		a := float64(r) - row
		varRow += a * a * m
		cov += a * (w.first[r] - col*m)
	}
	return row, col, varRow / total, cov / total, true
}

// row returns row r of an image, or a row of zeros outside the image.
func (w *deskewer) row(image []float64, r int) []float64 {
	if r < 0 || r >= w.rows {
		return w.nothing
	}
	return image[r*w.cols : (r+1)*w.cols]
}

// moveRows writes the image to moved with its rows moved up by the given number of pixels.
func (w *deskewer) moveRows(up float64) {
	whole := math.Floor(up)
	t := up - whole
	for r := range w.rows {
		a, b := w.row(w.image, r+int(whole)), w.row(w.image, r+int(whole)+1)
		dst := w.row(w.moved, r)
		for c := range dst {
			dst[c] = a[c] + t*(b[c]-a[c])
		}
	}
}

// slide writes the values of src to dst, shifted by the given number of positions.
func slide(dst, src []float64, by float64) {
	n := len(src)
	clear(dst)
	if !(math.Abs(by) < float64(n)) {
		return
	}
	whole := math.Floor(by)
	t, k := by-whole, int(whole)
	if k < 0 {
		dst[-k-1] = t * src[0]
	}
	if k >= 0 {
		dst[n-1-k] = src[n-1] - t*src[n-1]
	}
	for c := max(0, -k); c < min(n, n-1-k); c++ {
		a := src[c+k]
		dst[c] = a + t*(src[c+k+1]-a)
	}
}
