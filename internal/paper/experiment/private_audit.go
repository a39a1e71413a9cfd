package experiment

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"rao/internal/privacy"
	"rao/internal/subclasses"
)

// audit writes the table of an attacker who knows all other rows.
func (r *Run) audit(ctx context.Context) error {
	t := r.Table("audit", "How well an attacker who knows all other rows detects one row in the file, from all three "+
		"rounds", "ε", "ρ",
		"correct guesses, % of pairs", "bound, % of pairs", "detected at 1 % false alarms, %", "bound from ρ, %",
		"bound from (ε, δ), %")
	draws := r.Pick(20000, 100)
	for _, epsilon := range []float64{1, 3, 8} {
		target := newAuditTarget(epsilon)
		var scores [2][]float64
		for draw := range draws {
			for k := range scores {
				score, err := target.score(ctx, k == 0, r.Seed<<32+uint64(2*draw+k))
				if err != nil {
					return err
				}
				scores[k] = append(scores[k], score)
			}
			r.progress(fmt.Sprintf("audit at ε %g", epsilon), draw+1, draws)
		}
		rho := target.guarantee.Rho()
		auc, bound := rankAUC(scores[0], scores[1]), privacy.AttackAUC(rho)
		slices.Sort(scores[1])
		alarm, found := scores[1][draws-1-draws/100], 0
		for _, v := range scores[0] {
			if v > alarm {
				found++
			}
		}
		normal := distuv.UnitNormal
		share, most := float64(found)/float64(draws), normal.CDF(normal.Quantile(0.01)+math.Sqrt(2*rho))
		t.Add(epsilon, rho, fmt.Sprintf("%.1f", 100*auc), fmt.Sprintf("%.1f", 100*bound),
			fmt.Sprintf("%.1f", 100*share), fmt.Sprintf("%.1f", 100*most),
			fmt.Sprintf("%.1f", 100*min(1, math.Exp(epsilon)*0.01+privateDelta)))
		if !r.Short {
			deviation := errorOfAUC(auc, draws)
			r.Claim(fmt.Sprintf("At ε %g, an attacker who knows all other rows stays within three standard errors of "+
				"the bound", epsilon), auc <= bound+3*deviation, "%.1f ± %.1f %% of pairs, bound %.1f %%",
				100*auc, 100*deviation, 100*bound)
		}
	}
	return nil
}

// errorOfAUC returns the standard error of an area under the ROC curve with n scores of each kind (Hanley and McNeil
// 1982).
func errorOfAUC(area float64, n int) float64 {
	one, two := area/(2-area), 2*area*area/(1+area)
	more := float64(n - 1)
	return math.Sqrt(area*(1-area)+more*(one-area*area)+more*(two-area*area)) / float64(n)
}

// auditTarget is a small data set with one row whose presence an attacker must detect.
type auditTarget struct {
	guarantee privacy.Guarantee
	classes   []string
	domain    privacy.Domain
	// These are all rows, all rows except the row in question, and one row of a class that is not released, which
	// counts as no rows.
	with, without, none subclasses.Rows
}

func newAuditTarget(epsilon float64) *auditTarget {
	const n, columns = 200, 4
	rng := rand.New(rand.NewPCG(6, 0xa0d17))
	x, labels := mat.NewDense(n, columns, nil), make([]int, n)
	for i := range n {
		labels[i] = i % 3
		for j := range columns {
			x.Set(i, j, 0.3*rng.NormFloat64()+0.2*float64(labels[i]))
		}
	}
	x.SetRow(n-1, []float64{1, 1, 1, 1})
	classes := []string{"a", "b", "c"}
	return &auditTarget{privacy.Guarantee{Epsilon: epsilon, Delta: privateDelta}, classes,
		privacy.Domain{Low: []float64{-1}, High: []float64{1}}, subclasses.RowsOf(x, labels, classes),
		subclasses.RowsOf(x.Slice(0, n-1, 0, columns), labels[:n-1], classes),
		subclasses.RowsOf(x.Slice(0, 1, 0, columns), []int{0}, []string{"none of them"})}
}

// score returns the log-likelihood ratio of releases with and without the row. It treats the discrete Gaussian as
// continuous.
func (a *auditTarget) score(ctx context.Context, present bool, seed uint64) (float64, error) {
	truth := a.without
	if present {
		truth = a.with
	}
	opt := privateOptions(a.guarantee.Epsilon, a.classes, a.domain, seed)
	plan, err := privacy.Begin(opt)
	if err != nil {
		return 0, err
	}
	var site *privacy.Site
	total := 0.0
	for {
		r, err := privacy.Measure(ctx, truth, plan, site, opt)
		if err != nil {
			return 0, err
		}
		// The attacker computes exact sums. With equal noise, the release of no rows is the noise itself.
		var known [3]*privacy.Release
		for i, rows := range []subclasses.Rows{a.with, a.without, a.none} {
			same := privateOptions(a.guarantee.Epsilon, a.classes, a.domain, 7)
			k, err := privacy.Measure(ctx, rows, plan, site, same)
			if err != nil {
				return 0, err
			}
			known[i] = k
		}
		total += ratio(r.Counts, known[0].Counts, known[1].Counts, known[2].Counts, func(int) float64 {
			return r.CountNoise
		})
		total += ratio(r.Sums, known[0].Sums, known[1].Sums, known[2].Sums, func(int) float64 { return r.SumNoise })
		diagonal := elementsOnDiagonal(plan)
		total += ratio(r.Squares, known[0].Squares, known[1].Squares, known[2].Squares, func(i int) float64 {
			if diagonal[i%len(diagonal)] {
				return r.SquareNoise
			}
			return r.SquareNoise / 2
		})
		if r.Complete() {
			return total, nil
		}
		site = &r.Sites[0]
		if plan, err = r.Next(0); err != nil {
			return 0, err
		}
	}
}

// elementsOnDiagonal reports which of the second moments of a round are on the diagonal.
func elementsOnDiagonal(p *privacy.Plan) []bool {
	if p.Round == privacy.RoundStart {
		return []bool{true}
	}
	var diagonal []bool
	for i := range p.Dim {
		for j := i; j < p.Dim; j++ {
			diagonal = append(diagonal, i == j)
		}
	}
	return diagonal
}

// ratio returns the logarithm of the ratio of the densities of released numbers with and without a row, for Gaussian
// noise with the given variances.
func ratio(released, with, without, noise []int64, variance func(i int) float64) float64 {
	s := 0.0
	for i, v := range released {
		row := float64(with[i] - without[i])
		off := float64(v - (without[i] - noise[i]))
		s += row * (off - row/2) / variance(i)
	}
	return s
}
