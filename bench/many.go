package bench

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/classify"
	"rao/gaussian"
	"rao/sqfa"
	"rao/synth"
)

// many returns the cases on many classes, from statistics. They run once, and say
// beside their time how well QDA does with the filters on rows drawn from the classes.
func many(ctx context.Context) []*spec {
	var all []*spec
	for _, c := range []manyCase{
		{classes: 100, columns: 256, filters: 16, subspace: 128},
		{classes: 100, columns: 512, filters: 16, subspace: 128},
		{classes: 200, columns: 512, filters: 16, subspace: 128},
		{classes: 400, columns: 512, filters: 16, subspace: 128},
		{classes: 100, columns: 1024, filters: 16, subspace: 128},
		{classes: 100, columns: 512, filters: 32, subspace: 128},
		{classes: 1000, columns: 512, filters: 32, subspace: 128},
		{classes: 1000, columns: 2048, filters: 32, basis: 256, subspace: 128},
	} {
		all = append(all, c.spec(ctx))
	}
	return all
}

// manyCase is a fit on the statistics of synth.Classes, in a basis of so many dimensions
// where basis is not 0.
type manyCase struct{ classes, columns, filters, basis, subspace int }

const manyNoise = 0.1

func (c manyCase) name() string {
	s := fmt.Sprintf("SQFA of many classes: %d classes, %d columns, %d filters", c.classes, c.columns, c.filters)
	if c.basis > 0 {
		s += fmt.Sprintf(", statistics in %d dimensions", c.basis)
	}
	return s
}

func (c manyCase) spec(ctx context.Context) *spec {
	return &spec{name: c.name(), threads: 2, once: func() (run func() error, remarks func() ([]string, error)) {
		made := synth.NewClasses(c.classes, c.columns, 0)
		v, q := c.coordinates(made)
		stats := made.Statistics(v, q, 100)
		var model *sqfa.Model
		run = func() error {
			var err error
			model, err = sqfa.Fit(ctx, stats, sqfa.Options{Filters: c.filters, Noise: manyNoise,
				Aggregate: sqfa.Bayes, Start: sqfa.LDA, Pooled: true, Subspace: c.subspace})
			if rao.IsNotConverged(err) {
				err = nil
			}
			return err
		}
		remarks = func() ([]string, error) {
			lda, err := sqfa.Discriminants(stats, c.filters, manyNoise)
			if err != nil {
				return nil, err
			}
			learned, err := c.accuracy(made, stats, v, q, model.Filters)
			if err != nil {
				return nil, err
			}
			start, err := c.accuracy(made, stats, v, q, lda)
			if err != nil {
				return nil, err
			}
			return []string{
				fmt.Sprintf("objective %.4f over all pairs, %.4f as learned; %d iterations, %d passes",
					model.Report.Objective, model.Learned, model.Report.Iterations, model.Report.Passes),
				fmt.Sprintf("QDA on rows drawn from the classes: %.2f %%; on as many discriminants: %.2f %%",
					learned, start),
				fmt.Sprintf("statistics %.2f GB", float64(len(stats.Covariances))*8/1e9),
			}, nil
		}
		return run, remarks
	}}
}

// coordinates returns the basis, n×q, that a first pass over pooled statistics finds; nil
// for all columns.
func (c manyCase) coordinates(made *synth.Classes) (v []float64, q int) {
	if c.basis == 0 {
		return nil, 0
	}
	const each = 100
	counts := make([]int, c.classes)
	for i := range counts {
		counts[i] = each
	}
	b, err := gaussian.Subspace(made.All(each), counts, made.Means, c.basis)
	must(err)
	return b.Components.RawMatrix().Data, c.basis
}

// accuracy returns the share of rows drawn from the classes that QDA on the filters puts
// into their class, in percent.
func (c manyCase) accuracy(made *synth.Classes, stats *gaussian.Statistics, v []float64, q int,
	filters *mat.Dense) (float64, error) {
	each := max(5, 6000/c.classes)
	x, labels := made.Rows(each, 1)
	rows := mat.NewDense(len(labels), c.columns, x)
	var z mat.Dense
	if v != nil {
		var in mat.Dense
		in.Mul(mat.NewDense(c.columns, q, v), filters)
		z.Mul(rows, &in)
	} else {
		z.Mul(rows, filters)
	}
	qda, err := classify.FitQDA(stats.Project(filters), classify.QDAOptions{})
	if err != nil {
		return 0, err
	}
	var logp mat.Dense
	qda.LogPosterior(&logp, &z)
	right := 0
	for i, l := range labels {
		row := logp.RawRowView(i)
		best := 0
		for j, p := range row {
			if p > row[best] {
				best = j
			}
		}
		if best == l {
			right++
		}
	}
	return 100 * float64(right) / float64(len(labels)), nil
}
