package report

import (
	"fmt"
	"image"

	"gonum.org/v1/gonum/mat"
)

// Segments draws images of rows×cols pixels with the given titles. The value of a pixel is the number of its group from
// 0, or negative for no group. Each group has the same color in all images. It panics with mat.ErrShape if an image has
// the wrong size, or the numbers of images and names differ.
func Segments(title string, images [][]int, rows, cols int, names []string) *Figure {
	if len(names) != len(images) {
		panic(mat.ErrShape)
	}
	groups := 0
	pictures := make([]image.Image, len(images))
	for k, pixels := range images {
		if len(pixels) != rows*cols {
			panic(mat.ErrShape)
		}
		img := image.NewNRGBA(image.Rect(0, 0, cols, rows))
		for p, g := range pixels {
			col := grid.c
			if g >= 0 {
				col, groups = seriesPaint(g).c, max(groups, g+1)
			}
			img.SetNRGBA(p%cols, p/cols, col)
		}
		pictures[k] = img
	}
	return twice(pageWidth, func(width float64) *Figure {
		f := tiles(title, pictures, names, float64(cols)/float64(rows), 190, width)
		f.grow(f.h - 24)
		f.Alt = fmt.Sprintf("%d images of %d by %d pixels, divided into %d groups.", len(images), rows, cols, groups)
		return f
	})
}
