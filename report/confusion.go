package report

import (
	"fmt"
	"math"
	"rao/internal/linalg/vec"

	"gonum.org/v1/gonum/mat"
)

// Confusion draws a confusion matrix of true classes (rows) and decisions (columns): counts, shaded by their fraction
// of the row. It panics with mat.ErrShape unless counts has one row and one column per class.
func Confusion(title string, counts [][]int, classes []string) *Figure {
	c := len(classes)
	if len(counts) != c {
		panic(mat.ErrShape)
	}
	return twice(pageWidth, func(width float64) *Figure { return drawConfusion(title, counts, classes, width) })
}

func drawConfusion(title string, counts [][]int, classes []string, width float64) *Figure {
	c := len(classes)
	labelW := 0.0
	for _, n := range classes {
		labelW = math.Max(labelW, textWidth(n, textSize, false))
	}
	labelW = math.Min(labelW, 110)
	room := 480.0
	if width <= narrowWidth {
		labelW = math.Min(labelW, 60)
		room = width - 2*margin - 30 - labelW
	}
	cell := math.Max(22, math.Min(46, room/float64(max(c, 1))))
	left := margin + 22 + labelW + 8
	own := left + cell*float64(c) + margin
	if width > narrowWidth {
		own = math.Max(own, textWidth(title, titleSize, true)+2*margin)
	}
	f := newFigure(title, own, 0)
	y0 := top(title) + 4
	right, total := 0, 0
	size := math.Min(textSize, cell*0.32)
	for i, row := range counts {
		if len(row) != c {
			panic(mat.ErrShape)
		}
		sum := vec.Total(row)
		right, total = right+row[i], total+sum
		y := y0 + cell*float64(i)
		f.text(left-8, y+cell/2, fit(classes[i], labelW+1, textSize, false), ink, textSize, 1)
		for j, v := range row {
			share := 0.0
			if sum > 0 {
				share = float64(v) / float64(sum)
			}
			col := rising.at(math.Sqrt(share))
			x := left + cell*float64(j)
			f.rect(x+0.5, y+0.5, cell-1, cell-1, paint{c: col},
				fmt.Sprintf("true %s, decided as %s: %d (%.1f %%)", classes[i], classes[j], v, 100*share))
			if v != 0 {
				f.text(x+cell/2, y+cell/2, countText(v, cell, size), onto(col), size, 0.5)
			}
		}
	}
	bottom := y0 + cell*float64(c)
	bottom = f.columnNames(classes, left, bottom, cell)
	f.upright(margin+6, y0+cell*float64(c)/2, "true class", soft, textSize, 0.5)
	f.text(left+cell*float64(c)/2, bottom+8, "predicted class", soft, textSize, 0.5)
	f.grow(bottom + 18 + margin/2)
	f.Alt = fmt.Sprintf("Confusion matrix of %d classes: %d of %d are right.", c, right, total)
	return f
}

// countText writes a count that fits its cell.
func countText(v int, cell, size float64) string {
	s := fmt.Sprint(v)
	if textWidth(s, size, false) > cell-2 && v >= 1000 {
		s = fmt.Sprintf("%.0fk", float64(v)/1000)
	}
	return s
}

// columnNames writes names below columns, vertically if they are too wide, and returns the y coordinate below them.
func (f *Figure) columnNames(names []string, left, y, cell float64) float64 {
	wide := 0.0
	for _, n := range names {
		wide = math.Max(wide, textWidth(n, textSize, false))
	}
	if wide <= cell-2 {
		for j, n := range names {
			f.text(left+cell*(float64(j)+0.5), y+11, n, ink, textSize, 0.5)
		}
		return y + 20
	}
	wide = math.Min(wide, 110)
	for j, n := range names {
		f.upright(left+cell*(float64(j)+0.5), y+6, fit(n, wide+1, textSize, false), ink, textSize, 1)
	}
	return y + wide + 12
}
