package method

import (
	"context"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao/model"
	"rao/sqfa"
)

// Advice looks at so many rows and values at most: it holds less than the fit did.
const adviceRows, adviceValues = 10000, 2 << 20

// adviceLevel is the p-value below which a difference is worth a note.
const adviceLevel = 0.01

// adviseNoise notes that the noise that was given does worse on rows held out than the one that
// validation would choose. Where nobody can tell, as with very few rows a class, it is silent.
func (v *vectors) adviseNoise(ctx context.Context, m *sqfa.Model, o *sqfaOptions, opt sqfa.Options) {
	if !v.src.Advise || opt.AutoNoise || v.sub != nil || v.span != nil || v.stats() == nil || v.src.Data == nil ||
		opt.Subspace > 0 || opt.Group > 0 || v.raw.NumClasses() > manyClasses {
		return
	}
	x, labels := v.someRows()
	opt.Folds = int(o.Folds)
	a, err := sqfa.AdviseNoise(ctx, v.stats(), m.Filters, x, labels, opt)
	if err != nil || a.P >= adviceLevel || a.Accuracy >= a.Possible {
		return
	}
	v.model.Notes = append(v.model.Notes, fmt.Sprintf(
		"noise %.4g does worse than --noise auto: of %d rows held out, about %.1f %% are right with it, "+
			"and %.1f %% with %.4g",
		a.Noise, a.Rows, 100*a.Accuracy, 100*a.Possible, a.Chosen))
}

// someRows returns rows at equal distances, preprocessed, and their labels.
func (v *vectors) someRows() (*mat.Dense, []int) {
	rows, n := v.src.Data.X.Dims()
	most := min(adviceRows, max(1, adviceValues/n))
	step := (rows + most - 1) / most
	var index []int
	for i := 0; i < rows; i += step {
		index = append(index, i)
	}
	some := v.src.Data.Subset(index)
	x := mat.DenseCopyOf(some.X.Matrix())
	model.StageOf[*model.Scaling](v.model).InPlace(x)
	return x, some.Labels
}

// noteNoise tells how the noise was chosen: what was looked at, and what each scored.
func (v *vectors) noteNoise(m *sqfa.Model) {
	if len(m.NoiseGrid) == 0 {
		return
	}
	tried := make([]string, len(m.NoiseGrid))
	for i, noise := range m.NoiseGrid {
		tried[i] = fmt.Sprintf("%.4g: %.3f", noise, m.NoiseScores[i])
		if m.NoiseRows > 0 {
			tried[i] += fmt.Sprintf(" and %.1f %%", 100*m.NoiseAccuracies[i])
		}
	}
	how := fmt.Sprintf("by the bound on the error, from the statistics alone, among %d", len(tried))
	scores := "minus the logarithm of the bound"
	if m.NoiseRows > 0 {
		how = fmt.Sprintf("on %d rows held out, among %d", m.NoiseRows, len(tried))
		scores = "log-probability of a row's class and share decided right"
	}
	v.model.Notes = append(v.model.Notes, fmt.Sprintf("noise %.4g was chosen %s (%s): %s",
		m.Noise, how, scores, strings.Join(tried, "; ")))
}
