package experiment

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/dataset"
	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/indices"
	"rao/internal/naming"
	"rao/internal/optionvalues"
	"rao/internal/scoring"
	"rao/internal/subclasses"
	"rao/method"
)

const beyondFederatedProtocol = "The 60000 training digits of MNIST are divided among ten sites, five times at " +
	"random. The shares of each class are drawn from Dirichlet(0.1), so most sites have few rows of most classes. " +
	"Each site sends statistics once (twice with sub-classes) and no rows. A model is learned from the merged " +
	"statistics. SQFA is `rao fit sqfa --stats` with its defaults. A short run has every 20th digit, one deal and no " +
	"claims."

var beyondFederatedNotes = []string{
	"Naive Bayes, LDA and QDA shrink their covariances toward a multiple of the identity. The shrinkage is chosen " +
		"among seven values from 0.001 to 1 on every tenth training digit, which the sites hold out.",
	"With sub-classes, each site clusters its rows in a basis that the sites share from a first round.",
	"In the column \"at least 50 rows per class\", each site leaves out classes with fewer rows.",
	"The last column is the mean over the ten sites of the first division, on every fifth test digit, including " +
		"classes that the site does not have.",
}

const federatedSites = 10

// oneShot is a classifier that is fitted to statistics. Each site sends them once.
type oneShot struct {
	key, label string
	numbers    func(n int) string // how many numbers a site sends for a class with n columns
	learn      learnOnce
	amounts    []float64 // amounts of shrinkage to choose from; nil without a choice
	chosen     float64

	pooled              float64
	merged, least, solo []float64
}

// learnOnce fits a classifier to statistics with an amount of shrinkage.
type learnOnce func(ctx context.Context, r *Run, s *gaussian.Statistics, amount float64) (decide, error)

// decide returns the name of the class for each row.
type decide func(ctx context.Context, d *dataset.Data) ([]string, error)

var shrinkAmounts = []float64{0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1}

func oneShots() []*oneShot {
	pooled := func(n int) string { return fmt.Sprintf("%d, and %d for all classes", 1+n, n*(n+1)/2) }
	quadratic := func(s *gaussian.Statistics, amount float64) (discriminates, error) {
		return classify.FitQDA(s, classify.QDAOptions{Shrinkage: fixedShrinkage(amount)})
	}
	return []*oneShot{
		{key: "mean", label: "nearest mean", numbers: means,
			learn: learnScaled(func(s *gaussian.Statistics, _ float64) (discriminates, error) {
				equal := slices.Repeat([]float64{1}, s.NumClasses())
				return classify.FitLDA(s, classify.LDAOptions{Shrinkage: fixedShrinkage(1), Priors: equal})
			})},
		{key: "bayes", label: "naive Bayes", numbers: variances, amounts: shrinkAmounts,
			learn: learnScaled(func(s *gaussian.Statistics, amount float64) (discriminates, error) {
				return quadratic(diagonalOf(s), amount)
			})},
		{key: "lda", label: "LDA", numbers: pooled, amounts: shrinkAmounts,
			learn: learnScaled(func(s *gaussian.Statistics, amount float64) (discriminates, error) {
				return classify.FitLDA(s, classify.LDAOptions{Shrinkage: fixedShrinkage(amount)})
			})},
		{key: "qda", label: "QDA", numbers: squares, learn: learnScaled(quadratic), amounts: shrinkAmounts},
		{key: "nine", label: "SQFA, 9 filters, QDA", numbers: squares, learn: learnSQFA(9)},
		{key: "sixteen", label: "SQFA, 16 filters, QDA", numbers: squares, learn: learnSQFA(16)},
	}
}

// beyondFederated compares classifiers fitted to the statistics of ten sites.
func beyondFederated(ctx context.Context, r *Run) error {
	l, err := r.open(ctx, "mnist", 20)
	if err != nil {
		return err
	}
	all := oneShots()
	for _, o := range all {
		if r.Short && o.amounts != nil {
			o.amounts = shrinkAmounts[4:6]
		}
		if err := o.choose(ctx, r, l); err != nil {
			return err
		}
		if o.pooled, err = o.accuracy(ctx, r, l.stats, l.test); err != nil {
			return err
		}
	}
	mixed := &subclassRow{}
	var lost, apart []float64
	deals := r.Pick(5, 1)
	for deal := range deals {
		index := dealToSites(l.train, r.Seed+uint64(deal))
		share, far, err := r.federatedDeal(ctx, l, index, all, deal == 0)
		if err != nil {
			return err
		}
		lost, apart = append(lost, share), append(apart, far)
		if err := fromSites(ctx, r, l, r.Seed+uint64(deal), 16, mixed); err != nil {
			return err
		}
		r.progress("deals", deal+1, deals)
	}
	r.federatedTable(l, all, mixed)
	r.Remark("The merged covariances differ from the covariances of all rows by at most %.1e of the largest value.",
		slices.Max(apart))
	mean, sd := scoring.MeanSD(lost)
	r.Remark("A minimum of 50 rows per class leaves out %.2f ± %.2f %% of the rows.", 100*mean, 100*sd)
	var chosen []string
	for _, o := range all {
		if o.amounts != nil {
			chosen = append(chosen, fmt.Sprintf("%s %g", o.label, o.chosen))
		}
	}
	r.Remark("The chosen shrinkage is: %s.", strings.Join(chosen, ", "))
	if !r.Short {
		r.federatedMarks(all, mixed)
	}
	return nil
}

// federatedDeal learns from the statistics of sites and, if alone is true, also from the statistics of each site alone.
// It returns the fraction of the rows that a minimum count leaves out, and the largest difference between the merged
// covariances and the covariances of all rows, divided by the largest absolute value of the covariances of all rows.
func (r *Run) federatedDeal(ctx context.Context, l *labeled, index [][]int, all []*oneShot, alone bool) (lost,
	apart float64, err error) {
	var sites, large []*gaussian.Statistics
	for _, rows := range index {
		d := l.train.Subset(rows)
		acc := gaussian.NewAccumulator(l.stats.Dim, len(d.Classes)) // classes may have few rows or none
		if err := acc.Add(d.X.Matrix(), d.Labels); err != nil {
			return 0, 0, err
		}
		s, err := acc.Finish(d.Classes)
		if err != nil {
			return 0, 0, err
		}
		sites = append(sites, s)
		if kept, _ := classstats.WithoutSmall(s, r.Pick(50, 5)); kept.NumClasses() > 0 {
			large = append(large, kept)
		}
	}
	merged, err := gaussian.Merge(sites...)
	if err != nil {
		return 0, 0, err
	}
	least, err := gaussian.Merge(large...)
	if err != nil {
		return 0, 0, err
	}
	few := thin(l.test, 5)
	for _, o := range all {
		for _, c := range []struct {
			s   *gaussian.Statistics
			dst *[]float64
		}{{merged, &o.merged}, {least, &o.least}} {
			a, err := o.accuracy(ctx, r, c.s, l.test)
			if err != nil {
				return 0, 0, err
			}
			*c.dst = append(*c.dst, a)
		}
		if !alone {
			continue
		}
		for _, site := range large {
			a, err := o.alone(ctx, r, site, few)
			if err != nil {
				return 0, 0, err
			}
			o.solo = append(o.solo, a)
		}
	}
	largest := 0.0
	for k, v := range l.stats.Covariances {
		largest = max(largest, math.Abs(v))
		apart = max(apart, math.Abs(v-merged.Covariances[k]))
	}
	return 1 - float64(least.Total())/float64(merged.Total()), apart / largest, nil
}

// alone returns the accuracy of a classifier fitted by one site. A site with one class always decides for that class.
func (o *oneShot) alone(ctx context.Context, r *Run, s *gaussian.Statistics, d *dataset.Data) (float64, error) {
	if s.NumClasses() == 1 {
		return float64(d.Counts()[slices.Index(d.Classes, naming.Class(s.Classes, 0))]) / float64(d.N()), nil
	}
	return o.accuracy(ctx, r, s, d)
}

// choose sets the amount of shrinkage that is best on a held-out tenth of the rows.
func (o *oneShot) choose(ctx context.Context, r *Run, l *labeled) error {
	if o.amounts == nil {
		return nil
	}
	var index []int
	for i := 0; i < l.train.N(); i += 10 {
		index = append(index, i)
	}
	held := l.train.Subset(index)
	part, err := gaussian.Estimate(held.X, held.Labels, held.Classes)
	if err != nil {
		return err
	}
	rest, err := gaussian.Subtract(l.stats, part)
	if err != nil {
		return err
	}
	best := -1.0
	for _, amount := range o.amounts {
		o.chosen, amount = amount, o.chosen
		a, err := o.accuracy(ctx, r, rest, held)
		if err != nil {
			return err
		}
		if a > best {
			best = a
		} else {
			o.chosen = amount
		}
	}
	return nil
}

// accuracy fits statistics and scores the decisions on d.
func (o *oneShot) accuracy(ctx context.Context, r *Run, s *gaussian.Statistics, d *dataset.Data) (float64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	f, err := o.learn(ctx, r, s, o.chosen)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", o.label, err)
	}
	names, err := f(ctx, d)
	if err != nil {
		return 0, err
	}
	right := 0
	for i, name := range names {
		if name == d.Classes[d.Labels[i]] {
			right++
		}
	}
	return float64(right) / float64(len(names)), nil
}

// discriminates is implemented by the classifiers of vectors in this library.
type discriminates interface {
	LogPosterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error
}

// learnScaled returns a function that divides the values by their standard deviation, fits a classifier and decides for
// the most probable class.
func learnScaled(fit func(s *gaussian.Statistics, amount float64) (discriminates, error)) learnOnce {
	return func(_ context.Context, _ *Run, s *gaussian.Statistics, amount float64) (decide, error) {
		scale := 1 / classstats.GlobalScale(s)
		c, err := fit(s.Affine(nil, []float64{scale}), amount)
		return func(ctx context.Context, d *dataset.Data) ([]string, error) {
			x := mat.DenseCopyOf(d.X.Matrix())
			x.Scale(scale, x)
			p := mat.NewDense(d.N(), s.NumClasses(), nil)
			if err := c.LogPosterior(ctx, p, x); err != nil {
				return nil, err
			}
			return indices.Pick(s.Classes, evaluate.MostProbable(p)), nil
		}, err
	}
}

func learnSQFA(filters int) learnOnce {
	return func(ctx context.Context, r *Run, s *gaussian.Statistics, _ float64) (decide, error) {
		m, _, err := r.fitSource(ctx, method.Statistics{Stats: s}, setting{"filters", fmt.Sprint(filters)})
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, d *dataset.Data) ([]string, error) {
			p, err := method.Predict(ctx, m, d)
			if err != nil {
				return nil, err
			}
			return indices.Pick(m.Classes, p.Label), nil
		}, nil
	}
}

// dealToSites deals the rows of each class to ten sites, with fractions drawn from Dirichlet(0.1).
func dealToSites(d *dataset.Data, seed uint64) [][]int {
	rng := rand.New(rand.NewPCG(seed, 0x517e))
	index := make([][]int, federatedSites)
	share := make([][]float64, len(d.Classes))
	for i := range share {
		share[i] = dirichlet(rng, federatedSites, 0.1)
	}
	for i, class := range d.Labels {
		u, site := rng.Float64(), 0
		for ; site < federatedSites-1 && u >= share[class][site]; site++ {
			u -= share[class][site]
		}
		index[site] = append(index[site], i)
	}
	return index
}

func (r *Run) federatedTable(l *labeled, all []*oneShot, mixed *subclassRow) {
	t := r.Table("sites", "Accuracy on the test digits in percent", "learned from statistics",
		"numbers that a site sends per class",
		"of all rows", "of ten sites, merged", "at least 50 rows per class", "of one site alone")
	n := l.stats.Dim
	for _, o := range all {
		t.Add(o.label, o.numbers(n), fmt.Sprintf("%.2f", 100*o.pooled), spread(o.merged, 100, 2),
			spread(o.least, 100, 2), fmt.Sprintf("%.1f", 100*average(o.solo)))
	}
	d := subclasses.DefaultComponents
	t.Add("SQFA of sub-classes, 16 filters, mixture", fmt.Sprintf("up to %d", 16*(1+d+d*(d+1)/2)), "",
		spread(mixed.accuracy, 100, 2), "", "")
}

// federatedMarks adds claims that compare the accuracies with our targets.
func (r *Run) federatedMarks(all []*oneShot, mixed *subclassRow) {
	apart, best, bestLabel := 0.0, 0.0, ""
	for _, o := range all {
		mean := average(o.merged)
		apart = max(apart, math.Abs(mean-o.pooled))
		if o.amounts != nil && mean > best || o.key == "mean" && mean > best {
			best, bestLabel = mean, o.label
		}
	}
	r.Claim("Accuracies from the merged statistics of ten sites are within 0.05 points of accuracies from all rows",
		apart <= 0.0005,
		"%.3f points", 100*apart)
	got := average(mixed.accuracy)
	r.Claim("SQFA of sub-classes with 16 filters is more accurate than nearest mean, naive Bayes, LDA and QDA",
		got > best, "%.2f %% compared with %.2f %% (%s, the best of the four)", 100*got, 100*best, bestLabel)
}

func fixedShrinkage(amount float64) gaussian.ShrinkRule {
	return gaussian.ShrinkRule{Kind: optionvalues.ShrinkageFixed, Amount: amount}
}
