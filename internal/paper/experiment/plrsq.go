package experiment

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/dataset"
	"rao/evaluate"
	"rao/internal/classifiers"
	"rao/internal/scoring"
	"rao/lvq"
	"rao/spd"
)

// matrixClassifier is the common interface of the classifiers of SPD matrices.
type matrixClassifier interface {
	LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error
}

// learner fits a classifier of SPD matrices. paper is 0 if the paper prints no value.
type learner struct {
	label string
	paper float64
	fit   fitter
}

// accuracy fits one set and returns the fraction of correct decisions on another.
func (l learner) accuracy(ctx context.Context, train, test *dataset.Data, seed uint64) (float64, error) {
	m, err := l.fit.on(ctx, train, seed)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", l.label, err)
	}
	accuracy, err := accuracyOn(m, test)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", l.label, err)
	}
	return accuracy, nil
}

// fitter fits a classifier of SPD matrices.
type fitter func(ctx context.Context, train *dataset.Data, seed uint64) (matrixClassifier, error)

// on is the fit, but a canceled fit is an error.
func (f fitter) on(ctx context.Context, train *dataset.Data, seed uint64) (matrixClassifier, error) {
	m, err := f(ctx, train, seed)
	if err := canceledOr(ctx, err); err != nil {
		return nil, err
	}
	return m, nil
}

// accuracyOn returns the fraction of correct decisions on labeled matrices.
func accuracyOn(m matrixClassifier, d *dataset.Data) (float64, error) {
	logp, err := posterior(context.Background(), m, d)
	if err != nil {
		return 0, err
	}
	s, err := evaluate.Score(d.Labels, logp)
	if err != nil {
		return 0, err
	}
	return s.Accuracy, nil
}

// posterior returns the log-probabilities of the classes of matrices.
func posterior(ctx context.Context, m matrixClassifier, d *dataset.Data) (*mat.Dense, error) {
	logp := new(mat.Dense)
	return logp, m.LogPosterior(ctx, logp, d.Stack)
}

// fitMDM fits a classifier by the minimum distance to the class means. Like the other methods without prototypes, it
// uses the default options.
func fitMDM(ctx context.Context, d *dataset.Data, _ uint64) (matrixClassifier, error) {
	return classify.FitMDM(ctx, d.Stack, d.Labels, d.Classes, classify.MDMOptions{})
}

func fitENuc(ctx context.Context, d *dataset.Data, _ uint64) (matrixClassifier, error) {
	return classifiers.FitENuc(ctx, d.Stack, d.Labels, d.Classes, classifiers.ENucOptions{})
}

func fitTSLDA(ctx context.Context, d *dataset.Data, _ uint64) (matrixClassifier, error) {
	return classifiers.FitTangentLDA(ctx, d.Stack, d.Labels, d.Classes, classifiers.TangentLDAOptions{})
}

func fitMatrixKNN(ctx context.Context, d *dataset.Data, _ uint64) (matrixClassifier, error) {
	return classifiers.FitMatrixKNN(ctx, d.Stack, d.Labels, d.Classes, classifiers.MatrixKNNOptions{})
}

func fitMatrixSVM(ctx context.Context, d *dataset.Data, _ uint64) (matrixClassifier, error) {
	return classifiers.FitMatrixSVM(ctx, d.Stack, d.Labels, d.Classes, classifiers.MatrixSVMOptions{})
}

// fitPLRSQ returns a function that fits prototypes with the given options, but with the seed of its call.
func fitPLRSQ(o lvq.PLRSQOptions) fitter {
	return func(ctx context.Context, d *dataset.Data, seed uint64) (matrixClassifier, error) {
		o := o
		o.Seed = seed
		return learnPLRSQ(ctx, d, o)
	}
}

// seeded returns the fitter with a fixed seed.
func seeded(fit fitter, seed uint64) fitter {
	return func(ctx context.Context, d *dataset.Data, _ uint64) (matrixClassifier, error) {
		return fit(ctx, d, seed)
	}
}

// learnPLRSQ fits prototypes. A canceled fit is an error.
func learnPLRSQ(ctx context.Context, d *dataset.Data, o lvq.PLRSQOptions) (*lvq.PLRSQ, error) {
	m, err := lvq.FitPLRSQ(ctx, d.Stack, d.Labels, nil, o)
	if err := canceledOr(ctx, err); err != nil {
		return nil, err
	}
	return m, nil
}

// automaticSigma2 returns the σ² that a fit uses by default: half the median squared distance of the matrices to the
// starting prototypes.
func automaticSigma2(ctx context.Context, d *dataset.Data, o lvq.PLRSQOptions) (float64, error) {
	o.Sigma2, o.Anneal, o.Epochs, o.Rate, o.CalibrationFolds = 0, "", 1, 1e-300, -1
	m, err := learnPLRSQ(ctx, d, o)
	if err != nil {
		return 0, err
	}
	return m.Sigma2, nil
}

// bestSigma2 fits the options with each value of σ² times unit and returns the fit with the highest accuracy on the
// validation part. In a tie, the first one wins.
func bestSigma2(ctx context.Context, train, valid *dataset.Data, o lvq.PLRSQOptions, unit float64,
	values ...float64) (*lvq.PLRSQ, error) {
	tried := make([]lvq.PLRSQOptions, len(values))
	for i, s2 := range values {
		tried[i] = o
		tried[i].Sigma2 = s2 * unit
	}
	best, _, err := bestOptions(ctx, train, valid, tried)
	return best, err
}

// bestOptions fits with each set of options. It returns the fit with the highest accuracy on the validation part, and
// the index of its options. In a tie, the first one wins.
func bestOptions(ctx context.Context, train, valid *dataset.Data, tried []lvq.PLRSQOptions) (*lvq.PLRSQ, int, error) {
	models, accuracy := make([]*lvq.PLRSQ, len(tried)), make([]float64, len(tried))
	err := each(ctx, len(tried), func(i int) error {
		o := tried[i]
		o.CalibrationFolds = -1
		m, err := learnPLRSQ(ctx, train, o)
		if err != nil {
			return err
		}
		models[i] = m
		accuracy[i], err = accuracyOn(m, valid)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	best := floats.MaxIdx(accuracy)
	return models[best], best, nil
}

// holdOut holds out a fraction of every class, for choices that must not use the test set.
func holdOut(d *dataset.Data, share float64, seed uint64) (train, valid *dataset.Data, err error) {
	f, err := evaluate.StratifiedSplit(d.Labels, share, seed)
	if err != nil {
		return nil, nil, err
	}
	return d.Subset(f.Train), d.Subset(f.Test), nil
}

// joined concatenates two sets of matrices of the same kind.
func joined(a, b *dataset.Data) *dataset.Data {
	out := *a
	out.Stack = spd.StackOf(a.N()+b.N(), a.Stack.Dim, slices.Concat(a.Stack.Contiguous(), b.Stack.Contiguous()))
	out.Labels = slices.Concat(a.Labels, b.Labels)
	return &out
}

// spread formats repetitions times a factor as mean ± standard deviation, or as a single value if there is only one.
func spread(v []float64, factor float64, digits int) string {
	mean, sd := scoring.MeanSD(v)
	if len(v) < 2 {
		return fmt.Sprintf("%.*f", digits, factor*mean)
	}
	return fmt.Sprintf("%.*f ± %.*f", digits, factor*mean, digits, factor*sd)
}

// printed formats a number of the paper, or returns a dash if the paper prints none.
func printed(v float64, digits int) string {
	if v == 0 {
		return "–"
	}
	return fmt.Sprintf("%.*f", digits, v)
}

// signedRank returns the p-value of the paired signed-rank test, or 1 if no pair differs or the test is not possible.
func signedRank(a, b []float64) float64 {
	if slices.Equal(a, b) {
		return 1
	}
	t, err := evaluate.Wilcoxon(a, b)
	if err != nil {
		return 1
	}
	return t.P
}

// againstFirst returns the signed-rank p-value of every method against the first method. The first entry is a dash.
func againstFirst(scores [][]float64) []string {
	out := []string{"–"}
	for _, s := range scores[1:] {
		out = append(out, Cell(signedRank(s, scores[0])))
	}
	return out
}
