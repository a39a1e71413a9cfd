package classify

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
)

// form selects whether posteriors are written as logarithms or as probabilities.
type form bool

const (
	logarithms    form = false
	probabilities form = true
)

// normalizeRows converts the logarithms of unnormalized probabilities in rows lo to hi-1 of dst to posteriors. It
// computes the exponentials of all rows at once, with vector instructions, which takes 0.3 to 0.5 times as long as
// [vec.LogSoftmax] of each row.
func normalizeRows(dst *mat.Dense, lo, hi int, as form) {
	_, c := dst.Dims()
	s := works.Get().(*work)
	defer works.Put(s)
	exps := vec.Room(&s.Rows, (hi-lo)*c)
	for i := lo; i < hi; i++ {
		row, e := dst.RawRowView(i), exps[(i-lo)*c:(i-lo+1)*c]
		top := vec.Max(row)
		if math.IsInf(top, -1) { // no class is nearer than another
			clear(row)
			top = 0
		}
		for j, v := range row {
			row[j] = v - top
			e[j] = row[j]
		}
	}
	vec.Exp(exps, -708)
	for i := lo; i < hi; i++ {
		row, e := dst.RawRowView(i), exps[(i-lo)*c:(i-lo+1)*c]
		sum := vec.Total(e)
		if as == probabilities {
			scale := 1/sum + 0*row[0] // a NaN makes the entire row NaN, because Exp does not
			for j, v := range e {
				row[j] = v * scale
			}
			continue
		}
		shift := math.Log(sum)
		for j := range row {
			row[j] -= shift
		}
	}
}
