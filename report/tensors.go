package report

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
)

// Tensors draws a grid of 2×2 matrices as ellipses on a common scale, as in diffusion tensor imaging. The axes of an
// ellipse are the square roots of the eigenvalues, and its color is the determinant, from light (small) to dark
// (large). rows[0] is at the bottom. Cells of matrices that are not finite stay empty. It panics with mat.ErrShape if
// rows differ in length or a matrix is not 2×2.
func Tensors(title string, rows [][]mat.Symmetric) *Figure {
	columns := 0
	size, dets := newSpan(), newSpan()
	for _, row := range rows {
		if columns = len(rows[0]); len(row) != columns {
			panic(mat.ErrShape)
		}
		for _, m := range row {
			if m.SymmetricDim() != 2 {
				panic(mat.ErrShape)
			}
			size.add(m.At(0, 0), m.At(1, 1))
			dets.add(determinant(m))
		}
	}
	cell := (narrowWidth - 2*margin) / math.Max(float64(columns), 1)
	f := newFigure(title, narrowWidth, 0)
	y := top(title) + 4
	scale := 0.46 * cell / math.Sqrt(math.Max(size.hi, 1e-300))
	for i, row := range rows {
		for j, m := range row {
			d := determinant(m)
			if !vec.Finite(d) {
				continue
			}
			cx, cy := margin+cell*(float64(j)+0.5), y+cell*(float64(len(rows)-i)-0.5)
			var pts []point
			for k, q := range ellipse([]float64{0, 0}, m, [2]int{0, 1}, scale) {
				if k%2 == 0 { // every second point is enough for a small ellipse
					pts = append(pts, point{cx + q.x, cy - q.y})
				}
			}
			share := 0.5
			if dets.hi > dets.lo {
				share = 0.25 + 0.75*(d-dets.lo)/(dets.hi-dets.lo)
			}
			f.path(pts, true, paint{c: rising.at(share)}, soft, 0.8)
		}
	}
	f.grow(y + cell*float64(len(rows)) + 34)
	f.colorBar(rising[1:], "det "+number(dets.lo), "", number(dets.hi))
	f.Alt = fmt.Sprintf("%d by %d ellipses of 2 by 2 matrices, with determinants from %s to %s.", len(rows), columns,
		number(dets.lo), number(dets.hi))
	return f
}

func determinant(m mat.Symmetric) float64 { return m.At(0, 0)*m.At(1, 1) - m.At(0, 1)*m.At(0, 1) }
