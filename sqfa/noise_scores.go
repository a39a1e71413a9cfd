package sqfa

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/densities"
	"rao/internal/faults"
	"rao/internal/heldout"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
	"rao/internal/optionvalues"
	"rao/internal/par"
	blocks "rao/internal/rows"
	"rao/internal/scoring"
)

// rowScores are the scores of rows with plain and with shrunk covariances. The latter are nil if all classes have many
// rows.
type rowScores [2]*mat.Dense

// better returns the scores with the lower loss, their losses and their share of correct decisions.
func (f folds) better(parts []rowScores) (logp *mat.Dense, losses []float64, accuracy float64, err error) {
	truth := f.truth(len(parts))
	for kind := range 2 {
		part := make([]*mat.Dense, len(parts))
		for i := range parts {
			part[i] = parts[i][kind]
		}
		if kind > 0 && !slices.ContainsFunc(part, func(m *mat.Dense) bool { return m != nil }) {
			break
		}
		scores := stacked(part, f.All.NumClasses())
		l, a, err := heldout.Losses(truth, scores)
		if err != nil {
			return nil, nil, 0, err
		}
		if kind == 0 || scoring.MeanOf(l) < scoring.MeanOf(losses) {
			logp, losses, accuracy = scores, l, a
		}
	}
	return logp, losses, accuracy, nil
}

// stacked stacks matrices of k columns vertically.
func stacked(parts []*mat.Dense, k int) *mat.Dense {
	var data []float64
	for _, p := range parts {
		if p != nil {
			data = append(data, values(p)...)
		}
	}
	return mat.NewDense(len(data)/k, k, data)
}

// scoreRows returns the scores of rows under the quadratic classifier of the training statistics, with the shrinkage
// and the regularization of the classifier that will use the filters. If this shrinkage will be chosen by the rows, the
// result has scores with plain and with shrunk covariances.
func (f folds) scoreRows(p *path, filters *mat.Dense, noise float64, opt plan, rows []int) (out rowScores,
	err error) {
	if len(rows) == 0 {
		return out, nil
	}
	features := f.features(p, filters, rows)
	return f.scoreFeatures(features, p, filters, noise, opt, rows, f.rules(features.Dim, opt))
}

// rules returns how the covariances of features are shrunk: one rule or, if the rows choose, two.
func (f folds) rules(dim int, opt plan) []gaussian.ShrinkRule {
	oas := gaussian.ShrinkRule{Kind: optionvalues.ShrinkageOAS}
	switch kind := opt.Shrinkage.Kind; {
	case kind == optionvalues.ShrinkageLedoitWolf:
		return []gaussian.ShrinkRule{oas}
	case kind != optionvalues.ShrinkageAuto || opt.RegParam != 0:
	case heldout.Overfitted(f.All.Counts, dim):
		return []gaussian.ShrinkRule{oas}
	case heldout.Few(f.All.Counts, dim):
		return []gaussian.ShrinkRule{opt.Shrinkage, oas}
	}
	return []gaussian.ShrinkRule{opt.Shrinkage}
}

// scoreFeatures returns the scores of rows under the quadratic classifier of the statistics of their features, for each
// rule.
func (f folds) scoreFeatures(features *gaussian.Statistics, p *path, filters *mat.Dense, noise float64, opt plan,
	rows []int, rules []gaussian.ShrinkRule) (out rowScores, err error) {
	for i, rule := range rules {
		shrunk, _, err := classstats.Regularize(features, rule, opt.RegParam)
		if err != nil {
			return out, err
		}
		if out[i], err = f.scoreBy(shrunk, p, filters, noise, opt, rows); err != nil {
			return out, err
		}
	}
	return out, nil
}

// features returns the statistics of the features of the rows from which p learns: all rows except the held-out ones,
// which are ascending. If there are fewer rows than columns times classes, projecting the rows costs less than
// projecting the covariances.
func (f folds) features(p *path, filters *mat.Dense, held []int) *gaussian.Statistics {
	n, m := filters.Dims()
	if len(f.Labels) >= n*p.plain.NumClasses() || p.opt.space != nil {
		return p.features(filters)
	}
	out := gaussian.New(p.plain.Classes, m)
	copy(out.Counts, p.plain.Counts)
	onto := f.Rows.On(filters)
	buf, z := onto.Buffer(), make([]float64, len(f.Labels)*m)
	learned := func(use func(class int, z []float64)) {
		rest := held
		for r, class := range f.Labels {
			if len(rest) > 0 && rest[0] == r {
				rest = rest[1:]
				continue
			}
			use(class, z[r*m:(r+1)*m])
		}
	}
	for r := range f.Labels {
		onto.Row(z[r*m:(r+1)*m], buf, r)
	}
	learned(func(class int, z []float64) { vec.Axpy(out.Mean(class), 1/float64(out.Counts[class]), z) })
	learned(func(class int, z []float64) {
		vec.Axpy(z, -1, out.Mean(class))
		for j, v := range z {
			row := out.Covariances[(class*m+j)*m : (class*m+j+1)*m]
			vec.Axpy(row, v/float64(max(1, out.Counts[class]-1)), z)
		}
	})
	return out
}

// scoreBy returns the log-probabilities of rows under the quadratic classifier of the statistics of features, minus the
// largest of each row. If covariances are singular without the noise, the noise is added.
func (f folds) scoreBy(features *gaussian.Statistics, p *path, filters *mat.Dense, noise float64, opt plan,
	rows []int) (*mat.Dense, error) {
	_, m := filters.Dims()
	shares := opt.Priors
	if shares == nil {
		shares = p.stats.Priors()
	}
	c := features.NumClasses()
	means := mat.NewDense(c, m, features.Means)
	q, singular := densities.New(shares, means, features.Covariances)
	if singular >= 0 {
		features = features.Clone()
		features.AddNoise(noise)
		q, singular = densities.New(shares, means, features.Covariances)
	}
	if singular >= 0 {
		return nil, faults.Data("the features of class %s do not vary in some direction, even with noise %.3g; use "+
			"fewer filters, or a higher noise",
			naming.Class(features.Classes, singular), noise)
	}
	logp := mat.NewDense(len(rows), c, nil)
	onto := f.Rows.On(filters)
	par.For(len(rows), 256, func(_, lo, hi int) {
		buf, z := onto.Buffer(), mat.NewDense(hi-lo, m, nil)
		for i := range hi - lo {
			onto.Row(z.RawRowView(i), buf, rows[lo+i])
		}
		scores, stride := q.Scores(blocks.New(z), 0, hi-lo, new(densities.Scratch))
		for i := range hi - lo {
			row := logp.RawRowView(lo + i)
			for k := range row {
				row[k] = scores[k*stride+i]
			}
			heldout.FromTop(row)
		}
	})
	return logp, nil
}

// truth returns the labels of the rows of the first held-out folds, in order.
func (f folds) truth(folds int) []int {
	var truth []int
	for _, rows := range f.Held[:folds] {
		for _, r := range rows {
			truth = append(truth, f.Labels[r])
		}
	}
	return truth
}
