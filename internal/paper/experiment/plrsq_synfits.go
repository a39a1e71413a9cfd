package experiment

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/evaluate"
	"rao/internal/scoring"
	"rao/lvq"
	"rao/spd"
)

// paperSigma2 returns the values of σ²opt to try. The paper searches from 0.45 to 50.
func (r *Run) paperSigma2(full []float64) []float64 {
	switch {
	case r.Short:
		return []float64{0.5, 8}
	case r.Whole:
		return []float64{0.45, 0.5, 0.75, 1, 1.5, 2, 3, 4, 5.5, 8, 12, 16, 20, 30, 50}
	}
	return full
}

// paperPLRSQ returns the options of the paper (sections 5 and 6). The prototypes of a class start at its mean with a
// small perturbation, the rate falls from nξ/100 to a hundredth of this value, priors are equal, and all epochs are
// run. n is the rank.
func paperPLRSQ(n, prototypes int, sigma2 float64, epochs int, anneal lvq.Annealing) lvq.PLRSQOptions {
	return lvq.PLRSQOptions{Prototypes: prototypes, Sigma2: sigma2, Epochs: epochs, Anneal: anneal,
		Rate: float64(n*prototypes) / 100, Start: "means", CalibrationFolds: -1}
}

// paperGrid returns the options of [paperPLRSQ] for all combinations of the values, with annealed σ².
func paperGrid(n int, prototypes, epochs []int, sigmas []float64) []lvq.PLRSQOptions {
	var grid []lvq.PLRSQOptions
	for _, p := range prototypes {
		for _, e := range epochs {
			for _, s2 := range sigmas {
				grid = append(grid, paperPLRSQ(n, p, s2, e, "published"))
			}
		}
	}
	return grid
}

// chosenSettings returns the prototypes per class and σ² of options, for a table of the selected values.
func chosenSettings(options []lvq.PLRSQOptions) (prototypes, sigma2 []float64) {
	for _, o := range options {
		prototypes, sigma2 = append(prototypes, float64(o.Prototypes)), append(sigma2, o.Sigma2)
	}
	return prototypes, sigma2
}

// synScores are accuracies by set, fit and repetition.
type synScores [2][][]float64

// ruled fits a classifier and returns two accuracies on each test set, with two decision rules of prototypes: the
// nearest prototype, as in the authors' code, and the largest posterior (equation 16). For other classifiers the two
// are equal.
func (f fitter) ruled(ctx context.Context, train *dataset.Data, seed uint64,
	tests ...*dataset.Data) ([]float64, error) {
	return f.scored(ctx, train, seed, func(d *dataset.Data, decided []int) float64 {
		return evaluate.Accuracy(d.Labels, decided)
	}, tests...)
}

// scored is ruled with another score of decisions than the accuracy.
func (f fitter) scored(ctx context.Context, train *dataset.Data, seed uint64,
	score func(d *dataset.Data, decided []int) float64, tests ...*dataset.Data) ([]float64, error) {
	m, err := f.on(ctx, train, seed)
	if err != nil {
		return nil, err
	}
	var found []float64
	for _, d := range tests {
		logp, err := posterior(ctx, m, d)
		if err != nil {
			return nil, err
		}
		byPosterior := evaluate.MostProbable(logp)
		nearest := byPosterior
		if p, ok := m.(*lvq.PLRSQ); ok {
			var distances mat.Dense
			if err := spd.Distances(ctx, &distances, p.Metric, d.Stack, p.Prototypes); err != nil {
				return nil, err
			}
			nearest = make([]int, d.N())
			for i := range nearest {
				nearest[i] = p.Labels[floats.MinIdx(distances.RawRowView(i))]
			}
		}
		found = append(found, score(d, nearest), score(d, byPosterior))
	}
	return found, nil
}

// synRepetitions draws the parts of all repetitions of a set.
func (r *Run) synRepetitions(set, repetitions int) ([][3]*dataset.Data, error) {
	parts := make([][3]*dataset.Data, repetitions)
	for k := range parts {
		var err error
		if parts[k], err = r.synParts(set, k); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// synFits runs every fit on the training part of each repetition and returns the accuracies on the validation part and
// the test part. If nearest is true, prototypes decide by the nearest prototype, and otherwise by the posterior.
// Repetition k has seed k.
func (r *Run) synFits(ctx context.Context, repetitions int, fits [2][]fitter,
	nearest bool) (valid, test synScores, err error) {
	for set, name := range synNames {
		parts, err := r.synRepetitions(set, repetitions)
		if err != nil {
			return valid, test, err
		}
		count := len(fits[set])
		found, err := r.Numbers(ctx, name, count*repetitions, func(job int) ([]float64, error) {
			i, k := job/repetitions, job%repetitions
			return fits[set][i].ruled(ctx, parts[k][0], uint64(k), parts[k][1:]...)
		})
		if err != nil {
			return valid, test, err
		}
		rule := 1
		if nearest {
			rule = 0
		}
		for p, s := range []*synScores{&valid, &test} {
			s[set] = make([][]float64, count)
			for job, values := range found {
				s[set][job/repetitions] = append(s[set][job/repetitions], values[2*p+rule])
			}
		}
	}
	return valid, test, nil
}

// synPrototypes is synFits for prototypes that decide by the nearest prototype, with the same options for both sets.
func (r *Run) synPrototypes(ctx context.Context, repetitions int,
	options []lvq.PLRSQOptions) (valid, test synScores, err error) {
	var fits [2][]fitter
	for set := range fits {
		for _, o := range options {
			fits[set] = append(fits[set], fitPLRSQ(o))
		}
	}
	return r.synFits(ctx, repetitions, fits, true)
}

// synMDRM returns the test accuracy of MDRM by set and repetition. MDRM is fitted to the training and validation parts
// together.
func (r *Run) synMDRM(ctx context.Context, repetitions int) (scores [2][]float64, err error) {
	for set := range synNames {
		if scores[set], err = collect(ctx, repetitions, func(k int) (float64, error) {
			part, err := r.synParts(set, k)
			if err != nil {
				return 0, err
			}
			return learner{label: "MDRM", fit: fitMDM}.accuracy(ctx, joined(part[0], part[1]), part[2], 0)
		}); err != nil {
			return scores, err
		}
	}
	return scores, nil
}

// selected returns for every repetition the fit with the highest accuracy on the validation part. In a tie, the first
// one wins.
func selected(valid [][]float64) []int {
	out := make([]int, len(valid[0]))
	for k := range out {
		for i := range valid {
			if valid[i][k] > valid[out[k]][k] {
				out[k] = i
			}
		}
	}
	return out
}

// ofSelected returns the test accuracies of the selected fits.
func ofSelected(test [][]float64, chosen []int) []float64 {
	out := make([]float64, len(chosen))
	for k, i := range chosen {
		out[k] = test[i][k]
	}
	return out
}

// withInterval formats repetitions times a factor as mean ± standard deviation and the 95 % interval of the mean by
// Student's t.
func withInterval(v []float64, factor float64, digits int) string {
	if len(v) < 2 {
		return spread(v, factor, digits)
	}
	mean, sd := scoring.MeanSD(v)
	half := studentHalf(sd, len(v))
	return fmt.Sprintf("%s [%.*f, %.*f]", spread(v, factor, digits), digits, factor*(mean-half), digits,
		factor*(mean+half))
}
