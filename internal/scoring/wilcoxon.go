package scoring

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// maxExactWilcoxon is the largest number of pairs for which the exact distribution is used.
const maxExactWilcoxon = 50

// SignedRank runs the two-sided signed-rank test on nonzero differences, which it sorts by magnitude. continuity is the
// continuity correction of the normal approximation.
func SignedRank(d []float64, continuity float64) (statistic, p float64, exact bool, method string) {
	n := len(d)
	slices.SortFunc(d, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	positive, ties := signedRanks(d)
	total := float64(n) * float64(n+1) / 2
	statistic = math.Min(positive, total-positive)
	if ties == 0 && n <= maxExactWilcoxon {
		return statistic, math.Min(1, 2*signedRankCDF(n, int(statistic))), true, "signed-rank, exact"
	}
	method = "signed-rank, normal approximation with tie and continuity correction"
	if continuity == 0 {
		method = "signed-rank, normal approximation with tie correction"
	}
	mean := total / 2
	variance := float64(n)*float64(n+1)*float64(2*n+1)/24 - ties/48
	z := math.Max(0, math.Abs(statistic-mean)-continuity) / math.Sqrt(variance)
	return statistic, math.Min(1, 2*distuv.UnitNormal.Survival(z)), false, method
}

// signedRanks returns the rank sum of the positive differences, and Σ(t³-t) over groups of t ties. The differences
// must be sorted by magnitude; ties share their mean rank.
func signedRanks(d []float64) (positive, ties float64) {
	for lo := 0; lo < len(d); {
		hi := lo
		for hi < len(d) && math.Abs(d[hi]) == math.Abs(d[lo]) {
			hi++
		}
		rank, t := float64(lo+hi+1)/2, float64(hi-lo)
		for _, v := range d[lo:hi] {
			if v > 0 {
				positive += rank
			}
		}
		ties += t*t*t - t
		lo = hi
	}
	return positive, ties
}

// signedRankCDF returns P(T <= t), computed by convolution. T is a sum over the ranks 1..n, each included with
// probability one half.
func signedRankCDF(n, t int) float64 {
	p := make([]float64, n*(n+1)/2+1)
	p[0] = 1
	top := 0
	for rank := 1; rank <= n; rank++ {
		top += rank
		for s := top; s >= rank; s-- {
			p[s] = (p[s] + p[s-rank]) / 2
		}
		for s := range rank {
			p[s] /= 2
		}
	}
	sum := 0.0
	for _, v := range p[:t+1] {
		sum += v
	}
	return sum
}
