package experiment

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/dataset"
	"rao/evaluate"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/classifiers"
	"rao/internal/linalg/vec"
	"rao/internal/optionvalues"
	"rao/internal/scoring"
	"rao/lvq"
	"rao/spd"
)

const beyondReduceProtocol = "The data are subjects A01 to A09 of BCI competition IV, set 2a, with session T for " +
	"training and session E for testing. Each session is centered by its own mean. Scores are Cohen's kappa. Three " +
	"kinds of filters are learned on session T: common spatial patterns, SQFA on the Riemannian class means, and the " +
	"leading patterns of ENuc. ENuc and PLRSQ learn from the reduced matrices. A short run has subject A01 and 8 " +
	"filters."

var beyondReduceNotes = []string{
	"PLRSQ uses one prototype per class, σ² 4.5, 30 epochs and three seeds. ENuc and PLRSQ use the same settings at " +
		"every size.",
	"A linear discriminant with Ledoit-Wolf shrinkage learns from the log-variances of single filters, which is the " +
		"usual form of common spatial patterns.",
	"The filters of SQFA are defined only up to a rotation, so the log-variances of single filters depend on the " +
		"start of the search.",
}

// reducer learns spatial filters, which are the columns of a matrix.
type reducer struct {
	label string
	fit   func(ctx context.Context, s *dataset.Data, m int) (*mat.Dense, error)
}

var reducers = []reducer{
	{"CSP", func(ctx context.Context, s *dataset.Data, m int) (*mat.Dense, error) {
		c, err := feature.FitCSP(ctx, s.Stack, s.Labels, s.Classes, feature.CSPOptions{Filters: m})
		if c == nil {
			return nil, err
		}
		return c.Filters, nil // accept a sweep that has not reached its tolerance
	}},
	{"SQFA", func(ctx context.Context, s *dataset.Data, m int) (*mat.Dense, error) {
		return filtersOf(classifiers.FitSQFAReduction(ctx, s.Stack, s.Labels, s.Classes, m))
	}},
	{"ENuc", func(ctx context.Context, s *dataset.Data, m int) (*mat.Dense, error) {
		return filtersOf(classifiers.FitENucReduction(ctx, s.Stack, s.Labels, s.Classes, m))
	}},
}

func filtersOf(r *classifiers.Reduction, err error) (*mat.Dense, error) {
	if r == nil {
		return nil, err
	}
	return r.Filters, nil
}

func reducedBy(s *dataset.Data, w *mat.Dense) *dataset.Data {
	out := *s
	out.Stack = new(spd.Stack)
	spd.Congruence(out.Stack, s.Stack, w)
	return &out
}

// center moves the mean of each session to the identity.
func (s *bciSession) center(ctx context.Context) error {
	for _, d := range []**dataset.Data{&s.train, &s.test} {
		out := **d
		out.Stack = new(spd.Stack)
		if _, err := spd.Center(ctx, out.Stack, (*d).Stack); err != nil {
			return err
		}
		*d = &out
	}
	return nil
}

// kappaBy fits one session and returns kappa on the other.
func kappaBy(ctx context.Context, fit fitter, train, test *dataset.Data) (float64, error) {
	v, err := fit.scored(ctx, train, 0, kappa, test)
	if err != nil {
		return 0, err
	}
	return v[1], nil
}

// kappa returns Cohen's kappa of decisions.
func kappa(d *dataset.Data, decided []int) float64 {
	return scoring.Kappa(d.Labels, decided, len(d.Classes))
}

// kappaOn returns kappa for the most probable classes.
func kappaOn(d *dataset.Data, logp *mat.Dense) float64 { return kappa(d, evaluate.MostProbable(logp)) }

// plrsqKappa returns the mean kappa of PLRSQ over seeds.
func (r *Run) plrsqKappa(ctx context.Context, train, test *dataset.Data) (float64, error) {
	seeds, mean := r.Pick(3, 1), 0.0
	for seed := range seeds {
		o := lvq.PLRSQOptions{Sigma2: 4.5, Epochs: r.Pick(30, 2), CalibrationFolds: -1}
		k, err := kappaBy(ctx, seeded(fitPLRSQ(o), r.Seed+uint64(seed)), train, test)
		if err != nil {
			return 0, err
		}
		mean += k / float64(seeds)
	}
	return mean, nil
}

// varianceKappa returns the kappa of a linear discriminant on the log-variances of the channels.
func varianceKappa(train, test *dataset.Data) (float64, error) {
	fit := func(s *dataset.Data) *mat.Dense {
		var z mat.Dense
		n := s.Stack.Dim
		(&feature.CSP{Filters: mat.NewDense(n, n, vec.Identity(n))}).Transform(&z, s.Stack)
		return &z
	}
	stats, err := gaussian.EstimateMoments(fit(train), train.Labels, train.Classes)
	if err != nil {
		return 0, err
	}
	if stats, _, err = stats.Shrink(gaussian.ShrinkRule{Kind: optionvalues.ShrinkageLedoitWolf}); err != nil {
		return 0, err
	}
	lda, err := classify.FitLDA(stats, classify.LDAOptions{})
	if err != nil {
		return 0, err
	}
	var logp mat.Dense
	if err := lda.LogPosterior(context.Background(), &logp, fit(test)); err != nil {
		return 0, err
	}
	return kappaOn(test, &logp), nil
}

// beyondReduce compares spatial filters.
func beyondReduce(ctx context.Context, r *Run) error {
	subjects, err := r.openSubjects(ctx, 1)
	if err != nil {
		return err
	}
	t := r.Table("reduction", "Mean kappa on session E after spatial filters", "filters from", "filters",
		"ENuc on matrices", "PLRSQ on matrices", "LDA on log-variances")
	for _, s := range subjects {
		if err := s.center(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	sizes := []int{4, 8, 12}
	if r.Short {
		sizes = []int{8}
	}
	got := map[string]float64{}
	for _, f := range reducers {
		for _, m := range sizes {
			row := [3]float64{}
			for _, s := range subjects {
				w, err := f.fit(ctx, s.train, m)
				if err := canceledOr(ctx, err); err != nil {
					return fmt.Errorf("%s, %s: %w", s.name, f.label, err)
				}
				k, err := r.reducedKappas(ctx, reducedBy(s.train, w), reducedBy(s.test, w))
				if err != nil {
					return fmt.Errorf("%s, %s: %w", s.name, f.label, err)
				}
				for j, v := range k {
					row[j] += v / float64(len(subjects))
				}
			}
			got[fmt.Sprint(f.label, m)] = row[0]
			t.Add(append([]any{f.label, m}, thousandths(row[:])...)...)
			r.progress("filters", len(t.Rows), len(reducers)*len(sizes))
		}
	}
	all := [3]float64{}
	for _, s := range subjects {
		k, err := r.reducedKappas(ctx, s.train, s.test)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		for j, v := range k {
			all[j] += v / float64(len(subjects))
		}
	}
	t.Add(append([]any{"none", subjects[0].train.Stack.Dim}, thousandths(all[:])...)...)
	for _, m := range sizes {
		csp, sqfa := got[fmt.Sprint("CSP", m)], got[fmt.Sprint("SQFA", m)]
		r.Claim(fmt.Sprintf("On the reduced matrices, ENuc has a higher kappa with %d filters of SQFA than with %d "+
			"filters of CSP", m, m),
			sqfa > csp, "%.3f compared with %.3f", sqfa, csp)
	}
	r.Remark("The differences between the means were not tested for significance. Of the three kinds of filters, the " +
		"patterns of ENuc reduce the kappas of ENuc and PLRSQ least.")
	return nil
}

func (r *Run) reducedKappas(ctx context.Context, train, test *dataset.Data) (k [3]float64, err error) {
	if k[0], err = kappaBy(ctx, fitENuc, train, test); err != nil {
		return k, err
	}
	if k[1], err = r.plrsqKappa(ctx, train, test); err != nil {
		return k, err
	}
	k[2], err = varianceKappa(train, test)
	return k, err
}
