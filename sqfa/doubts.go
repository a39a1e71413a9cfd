package sqfa

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/faults"
	"rao/internal/heldout"
	"rao/internal/indices"
	"rao/internal/linalg/tri"
	"rao/internal/linalg/vec"
	"rao/internal/optionvalues"
)

// evidence is the smallest gain that shows that features distinguish the classes: the total log-probability of the
// held-out labels, in nats, minus the same total if every row has the class shares as probabilities.
const evidence = 3

// Filters are clearly worse than a simple classifier if it decides clearly more of the held-out rows correctly: by at
// least clearly, and with a p-value below clearlyP in McNemar's test.
const clearly, clearlyP = 0.05, 0.005

// Only as many folds are held out as have doubtRows rows. At most mostDoubtRows rows of each are classified, and only
// if the number of classes times the third power of the number of columns is at most doubtProducts. For MNIST, such a
// classifier takes longer than the fit.
const doubtRows, mostDoubtRows, doubtProducts = 200, 500, 1 << 27

// atChance returns a warning if the filters of a candidate, which were learned without the held-out rows, are not
// better than always choosing the largest class.
func (f folds) atChance(c *candidate) []string {
	rows, shares := float64(len(f.truth(len(c.filters)))), f.All.Priors()
	chance, information := slices.Max(shares), c.score
	for _, p := range shares {
		information -= p * math.Log(p)
	}
	if c.accuracy > chance+2*math.Sqrt(chance*(1-chance)/rows) || rows*information >= evidence {
		return nil
	}
	return []string{fmt.Sprintf("the filters classify %.1f %% of %.0f %s correctly, which is not clearly above chance "+
		"(%.3g %%)", 100*c.accuracy, rows, f.what(), 100*chance)}
}

// what returns the name of the held-out rows for messages.
func (f folds) what() string {
	if f.Drawn {
		return "rows drawn from the statistics"
	}
	return "held-out rows"
}

// worse returns a warning if the decisions of the held-out rows are clearly worse than those of a linear or quadratic
// classifier of the columns. The filters of the candidate were learned without these rows, but with few iterations. The
// final filters were learned from all rows. The warning is about the worse of the two.
func (f folds) worse(paths []*path, c *candidate, final *mat.Dense, opt plan) []string {
	if c.accuracy > 1-clearly/2 {
		return nil
	}
	f = f.thinned()
	truth := f.truth(len(paths))
	decisions := func(score func(i int, p *path) (rowScores, error)) []int {
		parts := make([]rowScores, len(paths))
		for i, p := range paths {
			var err error
			if parts[i], err = score(i, p); err != nil {
				return nil
			}
		}
		logp, _, _, err := f.better(parts)
		if err != nil {
			return nil
		}
		return slices.Clone(evaluate.MostProbable(logp))
	}
	right := func(decisions []int) float64 { return evaluate.Accuracy(truth, decisions) }
	worst := decisions(func(i int, p *path) (rowScores, error) {
		return f.scoreRows(p, c.filters[i], c.noise, opt, f.Held[i])
	})
	if d := decisions(func(i int, p *path) (rowScores, error) {
		return f.scoreRows(p, final, c.noise, opt, f.Held[i])
	}); worst == nil || d != nil && right(d) < right(worst) {
		worst = d
	}
	if worst == nil {
		return nil
	}
	var best []int
	name := ""
	for _, s := range f.simple(opt) {
		d := decisions(func(i int, p *path) (rowScores, error) { return s.score(p, f.Held[i]) })
		if d != nil && (best == nil || right(d) > right(best)) {
			best, name = d, s.name
		}
	}
	if best == nil || right(best)-right(worst) < clearly ||
		f.Drawn && name == quadratic && 1-right(best) > (1-right(worst))/2 {
		return nil
	}
	if test, err := evaluate.McNemar(truth, worst, best, false); err != nil || test.P >= clearlyP {
		return nil
	}
	return []string{fmt.Sprintf("with the filters %.1f %% of %d %s are classified correctly, but with %s %.1f %% "+
		"are; use more filters, another noise, or that classifier", 100*right(worst), len(truth), f.what(), name,
		100*right(best))}
}

// enoughDrawn is the number of held-out rows that are enough for [Doubts], and mostDealt the number of rows up to which
// all rows are split into folds.
const enoughDrawn, mostDealt = 400, 2000

// Doubts returns the reasons, one sentence each, to doubt filters that were learned from stats: decisions from their
// features are not better than chance, or clearly worse than those of a linear or quadratic classifier of the columns.
// It returns none if held-out rows show no such reason. If a validation on rows chose the noise, the fit has already
// compared the filters with chance, and Doubts does not.
//
// x are either all rows from which stats were computed, which are then split into folds, or a part of these rows, which
// is then held out. If x is nil, Doubts draws rows with the given statistics, so its reasons then hold for Gaussian
// classes. It learns filters without the held-out rows, with m.Noise and few iterations. It returns nothing for
// components (opt.Of), for a fit in a subspace, for weighted statistics, or if there are so many columns that it would
// take long.
//
// It returns an error if a label is not a class, an option is out of range, or a fit fails. If ctx is canceled, it
// returns the error of ctx.
func Doubts(ctx context.Context, m *Model, stats *gaussian.Statistics, x mat.Matrix, labels []int,
	opt Options) ([]string, error) {
	opt.Noise = m.Noise
	list, err := doubtsOf(ctx, m, stats, x, labels, opt)
	if err != nil {
		return nil, fmt.Errorf("doubts: %w", err)
	}
	return list, nil
}

func doubtsOf(ctx context.Context, m *Model, stats *gaussian.Statistics, x mat.Matrix, labels []int,
	opt Options) ([]string, error) {
	n := stats.Dim
	to, err := opt.plan(stats.NumClasses(), n)
	if err != nil || to.Of != nil || to.inSubspace(n) || stats.Weights != nil ||
		float64(stats.NumClasses())*math.Pow(float64(n), 3) > doubtProducts { // beyond the integers of 32 bits
		return nil, err
	}
	f, err := heldRows(stats, x, labels, opt)
	if err != nil || f.Folds == nil {
		return nil, err
	}
	known, err := newStartBasis(stats, to.Filters)
	if err != nil {
		return nil, err
	}
	paths, err := f.paths(to, known)
	if err != nil {
		return nil, err
	}
	k, rows := 0, 0
	for k < len(paths) && rows < doubtRows {
		rows += len(f.Held[k])
		k++
	}
	paths, f.Held = paths[:k], f.Held[:k]
	c := &candidate{noise: m.Noise, pooled: m.Shrinkage > 0}
	if c.pooled && !f.pool(paths, to) {
		return nil, nil
	}
	for range 2 { // a growing search continues
		if f.validate(ctx, paths, to, c); c.err != nil {
			return nil, c.err
		}
	}
	if m.NoiseRows == 0 {
		if list := f.atChance(c); list != nil {
			return list, ctx.Err()
		}
	}
	return f.worse(paths, c, m.Filters, to), ctx.Err()
}

// heldRows splits the rows into folds, or holds out some of many rows. Without rows, it draws them.
func heldRows(stats *gaussian.Statistics, x mat.Matrix, labels []int, opt Options) (f folds, err error) {
	opt.Folds = 0
	drawn := x == nil
	if drawn {
		total := stats.Total()
		if total > mostDealt {
			total = enoughDrawn
		}
		rows := surrogate(stats, total, opt.Seed)
		if rows == nil {
			return f, nil
		}
		x, labels = rows.X, rows.Labels
	}
	if len(labels) == stats.Total() {
		f, err = Rows{x, labels, stats.Classes}.folds(opt)
	} else {
		f, err = heldApart(stats, nil, mat.DenseCopyOf(x), labels, opt)
	}
	if err == nil {
		f.Drawn = drawn
	}
	return f, err
}

// thinned returns folds with at most mostDoubtRows rows in each.
func (f folds) thinned() folds {
	g := *f.Folds
	g.Held = nil
	for _, rows := range f.Held {
		g.Held = append(g.Held, indices.Pick(rows, indices.Spread(len(rows), mostDoubtRows)))
	}
	return folds{&g}
}

const (
	linear    = "a linear classifier of the columns (LDA)"
	quadratic = "a quadratic classifier of the columns (QDA)"
)

// shrunkRows is the number of rows per column of a class below which QDA of the columns shrinks covariances. To compare
// both kinds would take as long as the rest.
const shrunkRows = 3

// simple is a classifier without learned filters.
type simple struct {
	name  string
	score func(p *path, rows []int) (rowScores, error)
}

// simple returns the classifiers with which filters are compared: linear and quadratic discriminants of the columns or,
// if there are fewer filters than discriminants, a quadratic classifier of as many discriminants.
func (f folds) simple(opt plan) (list []simple) {
	c, n := f.All.NumClasses(), f.All.Dim
	opt.Shrinkage, opt.RegParam = gaussian.ShrinkRule{Kind: optionvalues.ShrinkageAuto}, 0
	if opt.Filters < min(c-1, n) {
		return []simple{{fmt.Sprintf("a classifier of %d linear discriminants", opt.Filters),
			func(p *path, rows []int) (rowScores, error) {
				filters, err := classstats.Discriminants(p.plain, opt.Filters, 0)
				if err != nil {
					return rowScores{}, err
				}
				return f.scoreRows(p, filters, 0, opt, rows)
			}}}
	}
	columns := mat.NewDense(n, n, vec.Identity(n))
	list = append(list, simple{linear, func(p *path, rows []int) (out rowScores, err error) {
		out[0], err = f.scoreLinear(p, opt, rows)
		return out, err
	}})
	rule := opt.Shrinkage
	if slices.Min(f.All.Counts) < shrunkRows*n {
		rule.Kind = optionvalues.ShrinkageOAS
	}
	return append(list, simple{quadratic, func(p *path, rows []int) (rowScores, error) {
		return f.scoreFeatures(p.plain, p, columns, 0, opt, rows, []gaussian.ShrinkRule{rule})
	}})
}

// scoreLinear returns the log-probabilities of rows under linear discriminants of the columns, with a pooled covariance
// that is shrunk by OAS, minus the largest of each row.
func (f folds) scoreLinear(p *path, opt plan, rows []int) (*mat.Dense, error) {
	c, n := p.plain.NumClasses(), p.plain.Dim
	one := gaussian.New([]string{"all"}, n)
	one.Counts[0] = p.plain.Total()
	copy(one.Covariances, classstats.Pooled(p.plain))
	pooled, _, err := one.Shrink(gaussian.ShrinkRule{Kind: optionvalues.ShrinkageOAS})
	if err != nil {
		return nil, err
	}
	if _, _, ok := tri.Cholesky(n, pooled.Covariances, 0); !ok {
		return nil, faults.Data("the columns do not vary")
	}
	axes := mat.DenseCopyOf(mat.NewDense(c, n, p.plain.Means).T()) // n×c: means, then the gradients of the scores
	for _, transposed := range []bool{false, true} {
		tri.SolveLower(n, c, pooled.Covariances, n, axes.RawMatrix().Data, c, transposed)
	}
	shares := opt.Priors
	if shares == nil {
		shares = p.stats.Priors()
	}
	offsets := make([]float64, c)
	for k := range offsets {
		offsets[k] = math.Log(shares[k])
		for j, v := range p.plain.Mean(k) {
			offsets[k] -= v * axes.At(j, k) / 2
		}
	}
	logp, onto := mat.NewDense(len(rows), c, nil), f.Rows.On(axes)
	buf := onto.Buffer()
	for i, r := range rows {
		row := logp.RawRowView(i)
		onto.Row(row, buf, r)
		vec.Axpy(row, 1, offsets)
		heldout.FromTop(row)
	}
	return logp, nil
}
