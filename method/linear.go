package method

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
	"rao/internal/format/npy"
	"rao/model"
	"rao/sqfa"
)

// linear wraps a learner of filters from statistics into a whole fit: preprocessing
// before it, a classifier after it.
func linear(learn func(ctx context.Context, v *vectors) error) func(context.Context, *job) error {
	return func(ctx context.Context, j *job) error {
		v, err := j.prepare(ctx)
		if err != nil {
			return err
		}
		if err := v.note(learn(ctx, v)); err != nil {
			return err
		}
		return v.classifyFeatures(ctx)
	}
}

// sqfaWith learns SQFA's filters with another dissimilarity by default.
func sqfaWith(distance string) func(context.Context, *job) error {
	return linear(func(ctx context.Context, v *vectors) error {
		if v.set.Refine && v.src.Data == nil {
			return errors.New("--refine polishes on the observations; statistics alone do not do, give --data")
		}
		opt, err := v.sqfaOptions(distance)
		if err != nil {
			return err
		}
		m, err := v.fitSQFA(ctx, opt)
		if m == nil {
			return err
		}
		v.filtersAre(m, m.Report)
		if r := rank(m.Filters); r < v.set.Filters {
			v.model.Notes = append(v.model.Notes, fmt.Sprintf("the %d filters span %d dimensions only, so some are the same: with noise %.4g more are of no use; "+
				"take a lower noise, fewer filters, or --constraint orthogonal", v.set.Filters, r, m.Noise))
		}
		if v.set.Refine {
			if err := v.note(err); err != nil {
				return err
			}
			return v.refine(ctx, m)
		}
		return err
	})
}

// distinct is the part of the largest singular value of the filters that counts as a
// dimension of their span: an optimum where filters coincide is met to some 1e-5.
const distinct = 1e-3

// rank returns the number of dimensions that unit filters, the columns of f, span.
func rank(f *mat.Dense) int {
	var svd mat.SVD
	if !svd.Factorize(f, mat.SVDNone) {
		return 0
	}
	return svd.Rank(distinct)
}

// fitSQFA fits from statistics, or from the rows too when the noise is to be chosen
// by validation.
func (v *vectors) fitSQFA(ctx context.Context, opt sqfa.Options) (*sqfa.Model, error) {
	if opt.AutoNoise && v.src.Data != nil {
		return sqfa.FitData(ctx, v.x(), v.src.Data.Labels, v.raw.Names, opt)
	}
	return sqfa.Fit(ctx, v.stats, opt)
}

// sqfaOptions reads the settings of the family; distance is the method's own.
func (v *vectors) sqfaOptions(distance string) (sqfa.Options, error) {
	s := &v.set
	opt := sqfa.Options{Filters: s.Filters, Starts: s.Starts, Seed: uint64(s.Seed), Group: s.Pairwise, Folds: s.Folds,
		Tolerance: s.Tol, MaxIterations: s.MaxIter, Sharpness: s.Beta, Progress: v.progress}
	var err error
	if opt.Aggregate, err = sqfa.ParseAggregation(s.Aggregate); err != nil {
		return opt, err
	}
	if s.Distance != "" {
		distance = s.Distance
	} else if opt.Aggregate == sqfa.Bayes {
		distance = "bhattacharyya"
	}
	if opt.Distance, err = gaussian.ParseDissimilarity(distance); err != nil {
		return opt, err
	}
	if opt.Constraint, err = sqfa.ParseConstraint(s.Constraint); err != nil {
		return opt, err
	}
	if opt.Noise, opt.AutoNoise, err = parseNoise(s.Noise); err != nil {
		return opt, err
	}
	if opt.Priors, err = v.classPriors(); err != nil {
		return opt, err
	}
	return opt, v.sqfaStart(&opt)
}

// classPriors returns the priors of the pairs. By default they are equal, as the papers
// weigh all pairs alike, but for the bound on the Bayes error, which holds for the
// priors of the data.
func (v *vectors) classPriors() ([]float64, error) {
	p, err := parsePriors(v.set.Priors, v.raw.NumClasses(), v.raw.Priors)
	if p == nil && err == nil && v.set.Aggregate == "bayes" {
		p = v.raw.Priors()
	}
	return p, err
}

func (v *vectors) sqfaStart(opt *sqfa.Options) error {
	switch v.set.Init {
	case "pca", "":
		opt.Start = sqfa.PCA
	case "random":
		opt.Start = sqfa.Random
	default:
		f, err := readFilters(v.set.Init)
		if err != nil {
			return err
		}
		opt.Start, opt.Initial = sqfa.Given, f
	}
	return nil
}

// readFilters reads starting filters, dimensions × filters, from an npy file.
func readFilters(path string) (*mat.Dense, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("init %s: want pca, random or an npy file of filters: %w", path, err)
	}
	a, err := npy.ReadFile(path)
	if err != nil {
		return nil, err
	}
	values, err := a.Contiguous().ToFloat64()
	if err != nil || len(a.Shape) != 2 || len(values) == 0 {
		return nil, fmt.Errorf("%s: shape %v, want a numeric array of dimensions × filters", path, a.Shape)
	}
	return mat.NewDense(a.Shape[0], a.Shape[1], values), nil
}

func parseNoise(s string) (noise float64, auto bool, err error) {
	if s == "auto" {
		return 0, true, nil
	}
	noise, err = strconv.ParseFloat(s, 64)
	if err != nil || !(noise >= 0) {
		return 0, false, fmt.Errorf("noise %q: want a variance of 0 or more, or auto", s)
	}
	return noise, false, nil
}

// direct fits a classifier on the preprocessed vectors themselves.
func direct(kind string) func(context.Context, *job) error {
	return func(ctx context.Context, j *job) error {
		v, err := j.prepare(ctx)
		if err != nil {
			return err
		}
		v.model.Classifier, err = v.discriminant(kind, v.stats)
		v.model.Report = closed
		return err
	}
}

// filtersAre makes learned filters the stage after the scaling, in place of earlier ones.
func (v *vectors) filtersAre(f model.Linear, report rao.Report) {
	if old := model.StageOf[*model.Filters](v.model); old != nil {
		old.Linear = f
	} else {
		v.model.Stages = append(v.model.Stages, &model.Filters{Linear: f})
	}
	v.model.Report = report
}
