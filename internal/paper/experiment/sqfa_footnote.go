package experiment

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
)

const reducedProtocol = imageProtocol + "The seven methods of figure 4 other than LMNN learn nine filters each, once " +
	"from all training rows and once from LMNN's data. LMNN's data are the first 100 principal components of a tenth " +
	"of the rows of each class. "

var reducedNotes = []string{
	"The column \"a tenth of the rows\" has filters learned from the pixels of the same tenth.",
	"The footnote does not say which data set it refers to, or which data the classifier learns from. Our classifier " +
		"always learns from the statistics of all rows.",
	"LDA's shrinkage is chosen separately for each data set.",
}

// reducedSet is data reduced to the first principal components.
type reducedSet struct {
	*labeled            // rows in the components, for learning
	basis    *mat.Dense // columns of unit length in the original space
}

// reduced projects training rows onto their first principal components, in the scale in which filters are learned.
func (r *Run) reduced(ctx context.Context, l *labeled, components int) (*reducedSet, error) {
	mod, _, err := r.learn(ctx, l, "pca", setting{"filters", fmt.Sprint(min(components, l.stats.Dim))})
	if err != nil {
		return nil, err
	}
	p, err := l.scaled()
	if err != nil {
		return nil, err
	}
	out := &reducedSet{&labeled{}, mod.Filters()}
	z := p.features(out.basis, l.train.X)
	rows, cols := z.Dims()
	d := *l.train
	d.X, d.Image = dataset.NewTable(rows, cols, z.RawMatrix().Data), [3]int{}
	out.train = &d
	return out, out.estimate()
}

// runReduced learns the filters of a contender in the components. The classifier uses the statistics of all rows.
func (t task) runReduced(ctx context.Context, r *Run, all *plane, from *reducedSet, c contender) (*outcome, error) {
	t.common = []setting{{"scale", "none"}, {"center", "false"}}
	set, err := t.settings(ctx, r, from.labeled, c)
	if err != nil {
		return nil, err
	}
	mod, seconds, err := r.learn(ctx, from.labeled, c.method, set...)
	if err != nil {
		return nil, err
	}
	var filters mat.Dense
	filters.Mul(from.basis, mod.Filters())
	return all.decide(c.label, &filters, t.noise, seconds)
}

// reducedData runs the experiment of footnote 4 for one data set. It fits the other methods to the data used for
// LMNN.
func reducedData(ctx context.Context, r *Run, t task, l *labeled) error {
	all, err := t.planeOf(l)
	if err != nil {
		return err
	}
	few := &labeled{train: tenth(l.train)}
	if err := few.estimate(); err != nil {
		return err
	}
	from, err := r.reduced(ctx, few, 100)
	if err != nil {
		return err
	}
	table := r.Table("accuracy", "Test accuracy in percent of a quadratic classifier on nine filters, with its "+
		"95 % interval. p is for the difference between the reduced data and all "+
		"rows", "method", "all rows", "interval", "a tenth of the rows",
		"a tenth, 100 components", "interval", "difference", "p")
	most, rest := 0.0, 0.0 // largest changes of all methods, and of the methods other than FA
	fewer := 0.0           // change of FA that comes only from the smaller number of rows
	for k, c := range t.paperMethods() {
		if c.tenth {
			continue
		}
		full, err := t.run(ctx, r, l, c)
		if err != nil {
			return err
		}
		set, err := t.settings(ctx, r, few, c)
		if err != nil {
			return err
		}
		rows, err := t.runTenth(ctx, r, l, c, set)
		if err != nil {
			return err
		}
		part, err := t.runReduced(ctx, r, all, from, c)
		if err != nil {
			return err
		}
		change := 100 * (part.accuracy() - full.accuracy())
		if most = math.Max(most, math.Abs(change)); !c.common {
			rest = math.Max(rest, math.Abs(change))
		} else {
			fewer = math.Abs(100 * (rows.accuracy() - full.accuracy()))
		}
		table.Add(c.label, 100*full.accuracy(), percents(full.interval()), 100*rows.accuracy(),
			100*part.accuracy(), percents(part.interval()), fmt.Sprintf("%+.2f", change), pValue(full.mcnemar(part)))
		r.progress("methods", k+1, 8)
	}
	claim := r.Claim("Results for the other methods were similar when using the same reduced data (footnote 4; "+
		"v1: they changed only slightly).", most <= 1, "The accuracies of six methods change by at most %.2f "+
		"points, and the largest change of all seven is %.2f points.", rest, most).
		If("at most one point for every method").
		Needs(!r.Short)
	if most > 1 && rest <= 1 && fewer <= 1 {
		claim.Because("Principal components are uncorrelated, so factor analysis finds no common factors in " +
			"them. FA learned from the pixels of the same rows is as good as FA learned from all rows.")
	}
	return nil
}
