package experiment

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/gaussian"
	"rao/report"
)

// gaussianProtocol is that of figure 13.
const gaussianProtocol = "Filters as in figures 3 to 5. For each class vectors are drawn from a Gaussian with the mean and the covariance of its training data (a ten-thousandth of the mean variance is mixed into the diagonal, because constant pixels leave it singular), 20000 of a digit and 5000 of a speed; to the outputs of the filters, at unit length, independent noise is added of the variance that the filters were learned with, none for learners without noise. The quadratic classifier has the means and covariances of the outputs, noise included. " +
	"All methods see the same draws. " + comparisonProtocol + " A short run has every eighth speed or every other digit, draws 200 a class and has three methods."

// gaussianTest is figure 13 on one set.
func gaussianTest(name string) func(context.Context, *Run) error {
	return func(ctx context.Context, r *Run) error {
		t := taskOf(name)
		p, err := t.plane(ctx, r)
		if err != nil {
			return err
		}
		contenders := t.paperMethods()
		if t.groups > 0 {
			contenders = append(contenders, t.amaGauss())
		}
		if r.Short {
			contenders = []contender{contenders[0], contenders[1], contenders[5]}
		}
		var learned []*outcome
		for k, c := range contenders {
			o, err := t.run(ctx, r, p.labeled, c)
			if err != nil {
				return err
			}
			learned = append(learned, o)
			r.progress("methods", k+1, len(contenders))
		}
		drawn, err := r.drawnOutcomes(ctx, p, t, contenders, learned)
		if err != nil {
			return err
		}
		return r.gaussianResult(t, learned, drawn)
	}
}

// drawnOutcomes scores the filters of each method on the same Gaussian draws.
func (r *Run) drawnOutcomes(ctx context.Context, p *plane, t task, contenders []contender, learned []*outcome) ([]*outcome, error) {
	full, _, err := p.stats.Shrink(gaussian.Fixed, 1e-4)
	if err != nil {
		return nil, err
	}
	perClass := r.Pick(t.drawn, 200)
	deciders := make([]*classify.QDA, len(learned))
	filters, noise := make([]*mat.Dense, len(learned)), make([]float64, len(learned))
	drawn := make([]*outcome, len(learned))
	source := *p
	source.stats = full
	for k, o := range learned {
		filters[k] = unitColumns(o.model.Filters())
		noise[k] = contenders[k].noise(t)
		s := noisy(source.project(filters[k]), noise[k])
		for i := range s.Counts {
			s.Counts[i] = perClass
		}
		if deciders[k], err = classify.FitQDA(s, classify.QDAOptions{}); err != nil {
			return nil, fmt.Errorf("%s: %w", o.label, err)
		}
		drawn[k] = &outcome{label: o.label, fit: o.fit}
	}
	x := mat.NewDense(perClass, full.Dim, nil)
	truth := make([]int, perClass)
	for class := range full.NumClasses() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := drawClass(x, full, class, rand.New(rand.NewPCG(r.Seed, uint64(class)))); err != nil {
			return nil, err
		}
		for i := range truth {
			truth[i] = class
		}
		for k := range learned {
			var z mat.Dense
			z.Mul(x, filters[k])
			addNoise(&z, noise[k], rand.New(rand.NewPCG(r.Seed+1, uint64(class))))
			o := decideBy(deciders[k], "", &z, truth, 0)
			drawn[k].truth, drawn[k].decided = append(drawn[k].truth, truth...), append(drawn[k].decided, o.decided...)
		}
		r.progress("classes drawn", class+1, full.NumClasses())
	}
	for _, o := range drawn {
		o.count()
	}
	return drawn, nil
}

// noise is the variance of the feature noise that a method learns with.
func (c contender) noise(t task) float64 {
	for _, s := range c.changes {
		if s.name == "noise" {
			return t.noise
		}
	}
	return 0
}

// unitColumns returns the filters at unit length, in which the noise is measured.
func unitColumns(f *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(f)
	_, m := f.Dims()
	for j := range m {
		c := out.ColView(j).(*mat.VecDense)
		c.ScaleVec(1/mat.Norm(c, 2), c)
	}
	return out
}

// addNoise adds independent normal values of a variance.
func addNoise(z *mat.Dense, variance float64, rng *rand.Rand) {
	rows, cols := z.Dims()
	sd := math.Sqrt(variance)
	for i := range rows {
		for j := range cols {
			z.Set(i, j, z.At(i, j)+sd*rng.NormFloat64())
		}
	}
}

// gaussianResult writes table, figure and claim of figure 13.
func (r *Run) gaussianResult(t task, learned, drawn []*outcome) error {
	c, err := r.compare("gaussian", "Accuracy of a quadratic classifier on Gaussian data", drawn, 0, report.Axis{Label: "accuracy", Percent: true})
	if err != nil {
		return err
	}
	table := r.Table("both", "Accuracy on the test set and on Gaussian data, per cent", "method", "test set", "Gaussian data")
	real, gauss := make([]float64, len(learned)), make([]float64, len(learned))
	for i, o := range learned {
		real[i], gauss[i] = o.accuracy(), drawn[i].accuracy()
		table.Add(o.label, 100*real[i], 100*gauss[i])
	}
	if t.name == "digits" || r.Short {
		return nil
	}
	rho := spearman(real, gauss)
	r.Claim("The relative performance of the methods on Gaussian data is similar to that on the original data (figure 13).", rho > 0.8,
		"Spearman's ρ of the accuracies of the methods is %.2f; similar is read as above 0.8.", rho).
		Because("The methods whose accuracies lie closest change places; LDA has %.2f %% there.", c.percent("LDA"))
	if t.name == "svhn" {
		sq, err := c.above("SQFA", "BDM")
		if err != nil {
			return err
		}
		r.Claim("SQFA outperforms BDM on Gaussian data too (footnote 5, of SVHN).", sq, "SQFA %.2f %%, BDM %.2f %%.", c.percent("SQFA"), c.percent("BDM"))
	}
	return nil
}
