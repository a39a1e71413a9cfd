package method

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/scoring"
	"rao/model"
	"rao/sqfa"
)

// Advice uses at most adviceRows rows and adviceValues values, so it needs less memory than the fit.
const adviceRows, adviceValues = 10000, 2 << 20

// Up to doubtRows rows are held out in turn to test filters. Of more rows, someDoubtRows are held out.
const doubtRows, someDoubtRows = 2000, 400

// fewRows is the minimum number of held-out rows for a reliable choice of the noise.
const fewRows = 30

// If a class has at most fewOfClass rows and there are more columns than that, or if there are no more rows than
// columns in total, the choice of the noise can cost many points of accuracy (docs/measurements/noise.md).
const fewOfClass = 15

// A difference is worth a warning if its p-value is below adviceLevel.
const adviceLevel = 0.01

// adviseNoise warns if the given noise is worse on held-out rows than the noise that validation would choose. It adds
// nothing if this cannot be tested, for example with very few rows per class.
func (v *vectors) adviseNoise(ctx context.Context, m *sqfa.Model, o *sqfaOptions, opt sqfa.Options) {
	if s, _ := v.Source.(InMemory); !s.Advise || opt.Noise == sqfa.AutoNoise || v.sub != nil || v.span != nil ||
		v.stats() == nil || opt.Subspace > 0 || opt.Group > 0 || v.raw.NumClasses() > manyClasses {
		return
	}
	x, labels := v.someRows(adviceRows)
	opt.Folds = int(o.Folds)
	a, err := sqfa.AdviseNoise(ctx, v.stats(), m.Filters, x, labels, opt)
	if err != nil || a.P >= adviceLevel || a.Accuracy >= a.Possible {
		return
	}
	v.warn(fmt.Sprintf(
		"with noise %.4g about %.1f %% of %d held-out rows are classified correctly, but with noise %.4g, "+
			"chosen by cross-validation, %.1f %% are; set noise to auto",
		a.Noise, 100*a.Accuracy, a.Rows, a.Chosen, 100*a.Possible))
}

// doubt warns of filters that held-out rows show to be bad. Without rows, they are drawn from the statistics.
func (v *vectors) doubt(ctx context.Context, m *sqfa.Model, opt sqfa.Options) {
	if v.sub != nil || v.stats() == nil || ctx.Err() != nil {
		return
	}
	var x mat.Matrix
	var labels []int
	switch {
	case v.span != nil:
		x, labels = v.rows, v.labels()
	case v.Data != nil:
		most := doubtRows
		if len(v.labels()) > doubtRows {
			most = someDoubtRows
		}
		x, labels = v.someRows(most)
	}
	if list, err := sqfa.Doubts(ctx, m, v.stats(), x, labels, opt); err == nil {
		v.warn(list...)
	}
}

// someRows returns rows after preprocessing, at most the given number, and their labels.
func (v *vectors) someRows(most int) (*mat.Dense, []int) {
	_, n := v.Data.X.Dims()
	some := v.Data.Subset(sample(v.labels(), min(most, max(1, adviceValues/n))))
	x := mat.DenseCopyOf(some.X.Matrix())
	model.StageOf[*model.Scaling](v.Model).InPlace(x)
	return x, some.Labels
}

// sample returns about the given number of random rows, ascending, or all if there are no more: the same fraction of
// each class. Evenly spaced rows can leave out classes that follow each other in a cycle.
func sample(labels []int, most int) (index []int) {
	parts := (len(labels) + most - 1) / most
	for r, part := range scoring.Deal(labels, parts, rand.New(rand.NewPCG(1, 0xd0b7))) {
		if part == 0 {
			index = append(index, r)
		}
	}
	return index
}

// noteNoise adds a note or warning on how the noise was chosen. The model stores every noise that was tried with its
// accuracy.
func (v *vectors) noteNoise(m *sqfa.Model) {
	if len(m.NoiseGrid) == 0 {
		return
	}
	if m.Shrinkage > 0 {
		v.Model.Notes = append(v.Model.Notes, fmt.Sprintf("the class covariances differ no more than expected by "+
			"chance from so few rows, so they were shrunk %.0f %% of the way to the pooled covariance before the "+
			"filters were learned", 100*m.Shrinkage))
	}
	if len(m.NoiseGrid) == 1 {
		v.warn(fmt.Sprintf("the classes have too few rows to compare noise levels, so the noise is %.3g, the amount "+
			"that shrinkage of the covariances would add; set the noise, or give more rows", m.Noise))
		return
	}
	note := fmt.Sprintf("noise %.3g was chosen from %d values between %.3g and %.3g", m.Noise, len(m.NoiseGrid),
		slices.Min(m.NoiseGrid), slices.Max(m.NoiseGrid))
	if i := slices.Index(m.NoiseGrid, m.Noise); m.NoiseRows > 0 && i >= 0 {
		note += fmt.Sprintf(": it classifies %.1f %% of %d held-out rows correctly",
			100*m.NoiseAccuracies[i], m.NoiseRows)
	} else if m.NoiseRows == 0 {
		note += " from the statistics alone"
	}
	rows := m.NoiseRows
	if rows == 0 {
		rows = v.raw.Total()
	}
	const remedy = " too few for a good choice, so the accuracy may be much lower than with another noise; set the " +
		"noise, or give more rows"
	least := slices.Min(v.raw.Counts)
	switch {
	case 0 < rows && rows < fewRows:
		v.warn(note + fmt.Sprintf("; %d rows are", rows) + remedy)
	case 0 < least && least <= fewOfClass && least < v.raw.Dim:
		class := v.raw.Classes[slices.Index(v.raw.Counts, least)]
		v.warn(note + fmt.Sprintf("; the %d rows of class %s are", least, class) + remedy)
	case v.raw.Total() <= v.raw.Dim:
		v.warn(note + fmt.Sprintf("; %d rows of %d columns are", v.raw.Total(), v.raw.Dim) + remedy)
	default:
		v.Model.Notes = append(v.Model.Notes, note)
	}
}
