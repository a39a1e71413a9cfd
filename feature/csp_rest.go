package feature

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"rao/internal/faults"
	"rao/internal/rows"
	"rao/spd"
)

// oneVersusRest learns filters for each class against all others. It selects the best filter of every class, then the
// second best of every class, and so on, up to the requested number.
func (c *CSP) oneVersusRest(ctx context.Context, x *spd.Stack, labels []int, opt CSPOptions) error {
	classes, n := len(c.Classes), x.Dim
	if classes < 3 {
		return faults.Count(classes, 3,
			"one class versus the rest needs at least three classes; use the plain filters for two "+
				"classes")
	}
	filters := mat.NewDense(n, opt.Filters, nil)
	c.Scores = make([]float64, opt.Filters)
	total := make([]float64, n*n)
	one := opt
	one.OneVersusRest = false
	one.Filters = (opt.Filters + classes - 1) / classes
	against := make([]int, len(labels))
	var unsettled error
	for k, name := range c.Classes {
		for i, l := range labels {
			against[i] = 1
			if l == k {
				against[i] = 0
			}
		}
		part, err := FitCSP(ctx, x, against, []string{name, "rest"}, one)
		if part == nil {
			return err
		}
		unsettled = errors.Join(unsettled, err)
		for r := range one.Filters {
			if j := r*classes + k; j < opt.Filters {
				filters.SetCol(j, mat.Col(nil, r, part.Filters))
				c.Scores[j] = part.Scores[r]
			}
		}
		means, _, _ := classMeans(ctx, x, against, part.Classes, one)
		for i, v := range averageOf(means) {
			total[i] += v / float64(classes)
		}
	}
	patterns, err := patternsOf(filters, total)
	if err != nil {
		return err
	}
	c.Filters, c.Patterns = filters, patterns
	return unsettled
}

// patternsOf returns the patterns of filters W in signals with covariance C, that is, how the sources appear at the
// electrodes: C·W·(W'CW)⁻¹ (Haufe et al., 2014, equation 6).
func patternsOf(w *mat.Dense, c []float64) (*mat.Dense, error) {
	n, m := w.Dims()
	var cw, power, inverse mat.Dense
	cw.Mul(mat.NewDense(n, n, c), w)
	power.Mul(w.T(), &cw)
	if rows.Singular(inverse.Inverse(&power)) != nil {
		return nil, faults.Data("the %d spatial filters are linearly dependent; use fewer filters", m)
	}
	patterns := mat.NewDense(n, m, nil)
	patterns.Mul(&cw, &inverse)
	return patterns, nil
}
