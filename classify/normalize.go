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
// computes the exponentials of all rows at once, with vector instructions.
func normalizeRows(dst *mat.Dense, lo, hi int, as form) {
	_, c := dst.Dims()
	s := works.Get().(*work)
	defer works.Put(s)
	exps := vec.Room(&s.Rows, (hi-lo)*c)
	for i := lo; i < hi; i++ {
		row, e := dst.RawRowView(i), exps[(i-lo)*c:(i-lo+1)*c]
		top := largest(row)
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
		sum := 0.0
		for _, v := range e {
			sum += v
		}
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

// normalizeColumns converts transposed scores, with a row of stride values per class, to posteriors like
// [normalizeRows]. It writes rows lo to hi-1 of dst and overwrites the scores.
func normalizeColumns(dst *mat.Dense, lo, hi int, scores []float64, stride int, s *work, as form) {
	_, c := dst.Dims()
	space := vec.Room(&s.X, 3*stride)
	top, sum, check := space[:stride], space[stride:2*stride], space[2*stride:3*stride]
	copy(top, scores[:stride])
	for i := 1; i < c; i++ {
		vec.Larger(top, scores[i*stride:(i+1)*stride])
	}
	for r, v := range top[:hi-lo] {
		if !math.IsInf(v, -1) {
			continue
		}
		for i := range c { // no class is nearer than another
			if math.IsInf(scores[i*stride+r], -1) {
				scores[i*stride+r] = 0
			}
		}
		top[r] = 0
	}
	clear(space[stride:])
	for i := range c {
		row := scores[i*stride : (i+1)*stride]
		vec.Axpy(row, -1, top)
		vec.Axpy(check, 1, row)
	}
	exps := scores
	if as == logarithms {
		exps = vec.Room(&s.Rows, len(scores))
		copy(exps, scores)
	}
	vec.Exp(exps, -708)
	for i := range c {
		vec.Axpy(sum, 1, exps[i*stride:(i+1)*stride])
	}
	for r, total := range sum[:hi-lo] {
		row, at := dst.RawRowView(lo+r), r
		if math.IsNaN(check[r]) { // one NaN makes the row NaN
			total = check[r]
		}
		if as == probabilities {
			scale := 1 / total
			for i := range row {
				row[i] = scores[at] * scale
				at += stride
			}
			continue
		}
		shift := math.Log(total)
		for i := range row {
			row[i] = scores[at] - shift
			at += stride
		}
	}
}

// largest returns the largest value of a row, or NaN if the row contains one.
func largest(row []float64) float64 {
	top := math.Inf(-1)
	for _, v := range row {
		top = max(top, v)
	}
	return top
}
