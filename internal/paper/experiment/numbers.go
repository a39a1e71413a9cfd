package experiment

import (
	"cmp"
	"fmt"
	"slices"

	"rao/internal/indices"
	"rao/internal/scoring"
)

func zeros(n, m int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, m)
	}
	return out
}

// thousandths formats numbers as cells with three decimals.
func thousandths(v []float64) []any {
	cells := make([]any, len(v))
	for i, x := range v {
		cells[i] = fmt.Sprintf("%.3f", x)
	}
	return cells
}

// quantile returns the q-quantile of the n values v without interpolation: the value with index ⌊qn⌋ (from 0) in
// ascending order, or the largest value.
func quantile(v []float64, q float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return s[min(len(s)-1, int(q*float64(len(s))))]
}

func average(v []float64) float64 {
	mean, _ := scoring.MeanSD(v)
	return mean
}

// ranks returns the ranks of v, starting at 1. Equal values get their mean rank.
func ranks(v []float64) []float64 {
	order := indices.Sorted(len(v), func(a, b int) int { return cmp.Compare(v[a], v[b]) })
	r := make([]float64, len(v))
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && v[order[hi]] == v[order[lo]] {
			hi++
		}
		for _, i := range order[lo:hi] {
			r[i] = float64(lo+hi+1) / 2
		}
		lo = hi
	}
	return r
}

// spearman returns the rank correlation of a and b.
func spearman(a, b []float64) float64 {
	x, y := ranks(a), ranks(b)
	mx, sx := scoring.MeanSD(x)
	my, sy := scoring.MeanSD(y)
	sum := 0.0
	for i := range x {
		sum += (x[i] - mx) * (y[i] - my)
	}
	return sum / (sx * sy * float64(len(x)-1))
}
