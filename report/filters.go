package report

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
)

// Filters draws the columns of filters (pixels×m) as images. shape has the numbers of rows, columns and channels.
// Negative weights are blue, zeros white, and positive weights red. With three channels, the weights of a pixel become
// red, green and blue around gray. Small images are enlarged smoothly. Each image has its own color scale, which the
// largest 2 % of the weights may exceed; otherwise they would hide the other weights. If there are no names, the
// filters are numbered from 1. It returns nil if there are no filters or no shape. It panics with mat.ErrShape if the
// number of rows of filters is not the product of the shape.
func Filters(title string, filters *mat.Dense, shape [3]int, names ...string) *Figure {
	if filters == nil || shape[0] == 0 {
		return nil
	}
	n, m := filters.Dims()
	channels := max(shape[2], 1)
	if shape[0] < 1 || shape[1] < 1 || shape[0]*shape[1]*channels != n {
		panic(mat.ErrShape)
	}
	images, names := make([]image.Image, m), slices.Clip(names)
	for j := range images {
		images[j] = filterImage(filters, j, shape[0], shape[1], channels, robustLimit(filters, j))
		if len(names) <= j {
			names = append(names, strconv.Itoa(j+1))
		}
	}
	return twice(pageWidth, func(width float64) *Figure {
		f := tiles(title, images, names, float64(shape[1])/float64(shape[0]), 120, width)
		f.colorBar(diverging, "−", "0", "+")
		f.Alt = fmt.Sprintf("%d linear filters as images of %d by %d pixels; blue is negative, red is positive, "+
			"and each filter has its own scale.", m, shape[0], shape[1])
		return f
	})
}

// robustLimit returns the magnitude that 2 % of the weights of a filter exceed, or the largest magnitude if that is
// zero.
func robustLimit(filters mat.Matrix, j int) float64 {
	n, _ := filters.Dims()
	var v []float64
	for i := range n {
		if x := math.Abs(filters.At(i, j)); vec.Finite(x) {
			v = append(v, x)
		}
	}
	if v == nil {
		return 0
	}
	slices.Sort(v)
	if limit := v[int(math.Ceil(0.98*float64(len(v))))-1]; limit > 0 {
		return limit
	}
	return v[len(v)-1]
}

func filterImage(filters mat.Matrix, j, rows, cols, channels int, limit float64) image.Image {
	factor := smoothFactor(mat.Col(nil, j, filters), rows, cols)
	planes, outRows, outCols := make([][]float64, channels), rows*factor, cols*factor
	for c := range planes {
		plane := make([]float64, rows*cols)
		for p := range plane {
			plane[p] = filters.At(p*channels+c, j)
		}
		planes[c] = enlarged(plane, rows, cols, factor)
	}
	img := image.NewNRGBA(image.Rect(0, 0, outCols, outRows))
	for p := range outRows * outCols {
		col := signed(planes[0][p], limit)
		if channels == 3 && limit > 0 {
			level := func(v float64) uint8 { return uint8(math.Round(127.5 + 127.5*max(-1, min(1, v/limit)))) }
			col.R, col.G, col.B = level(planes[0][p]), level(planes[1][p]), level(planes[2][p])
		}
		img.SetNRGBA(p%outCols, p/outCols, col)
	}
	return img
}

// pageWidth is a width that no figure with automatic width exceeds.
const pageWidth = 900.0

// tiles draws images in a grid with their names below, and leaves room for a color bar under them. The width of the
// figure is automatic; with narrowWidth there are at most three columns.
func tiles(title string, images []image.Image, names []string, aspect, size, width float64) *Figure {
	const gap = 14.0
	columns, n := 5, max(len(images), 1)
	switch narrow := width <= narrowWidth; {
	case narrow && n == 4:
		columns = 2
	case narrow, n == 5, n == 6:
		columns = min(n, 3)
	case n <= 4:
		columns = n
	case n%4 == 0 && n%5 != 0:
		columns = 4
	}
	if width <= narrowWidth {
		size = math.Min(size, (width-2*margin+gap)/float64(columns)-gap)
	}
	w, h := size, size/aspect
	if aspect < 1 {
		w, h = size*aspect, size
	}
	rows := (len(images) + columns - 1) / columns
	if width > narrowWidth {
		width = math.Max(2*margin+float64(columns)*(w+gap)-gap,
			math.Max(300, 1.15*textWidth(title, titleSize, true)+2*margin))
	}
	f := newFigure(title, width, 0)
	y0 := top(title)
	left := (width - float64(columns)*(w+gap) + gap) / 2
	for k, img := range images {
		x, y := left+float64(k%columns)*(w+gap), y0+float64(k/columns)*(h+gap+14)
		f.picture(x, y, w, h, img, names[k])
		f.path([]point{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}, true, paint{}, grid, 1)
		f.text(x+w/2, y+h+11, fit(names[k], w+gap-4, smallSize, false), soft, smallSize, 0.5)
	}
	f.grow(y0 + float64(rows)*(h+gap+14) + 28)
	return f
}

// colorBar draws a horizontal color scale at the bottom of the figure.
func (f *Figure) colorBar(r ramp, low, middle, high string) {
	const w, h = 160.0, 8.0
	x, y := (f.w-w)/2, f.h-22
	img := image.NewNRGBA(image.Rect(0, 0, 64, 1))
	for i := range 64 {
		img.SetNRGBA(i, 0, r.at(float64(i)/63))
	}
	f.picture(x, y, w, h, img, "")
	f.text(x-6, y+h/2, low, soft, smallSize, 1)
	f.text(x+w+6, y+h/2, high, soft, smallSize, 0)
	if middle != "" {
		f.text(x+w/2, y+h+7, middle, soft, 9, 0.5)
	}
}

// matricesFigure draws square matrices (n×n values, row-major), such as prototypes, as heat maps with a common scale:
// blue negative, red positive. names are their titles; channels, if not nil, name rows and columns in the tips. It
// panics with mat.ErrShape if a matrix is not n×n.
func matricesFigure(title string, matrices [][]float64, n int, names, channels []string) *Figure {
	if len(names) != len(matrices) || channels != nil && len(channels) != n {
		panic(mat.ErrShape)
	}
	limit := 0.0
	for _, m := range matrices {
		if len(m) != n*n {
			panic(mat.ErrShape)
		}
		for _, v := range m {
			if vec.Finite(v) {
				limit = math.Max(limit, math.Abs(v))
			}
		}
	}
	images := make([]image.Image, len(matrices))
	for k, m := range matrices {
		img := image.NewNRGBA(image.Rect(0, 0, n, n))
		for i, v := range m {
			img.SetNRGBA(i%n, i/n, signed(v, limit))
		}
		images[k] = img
	}
	return twice(pageWidth, func(width float64) *Figure {
		f := tiles(title, images, names, 1, 150, width)
		f.colorBar(diverging, minus(number(-limit)), "0", number(limit))
		f.Alt = fmt.Sprintf("%d matrices of order %d as heat maps on one scale from %s to %s.",
			len(matrices), n, minus(number(-limit)), number(limit))
		return f
	})
}
