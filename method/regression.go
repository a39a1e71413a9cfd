package method

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"rao"
	"rao/dataset"
	"rao/internal/classifiers"
	"rao/internal/suggest"
	"rao/model"
	"rao/spd"
)

// Regressions are the names of the methods that predict a number from an SPD matrix: ridge regression and support
// vector regression on tangent vectors, and the mean over the nearest matrices.
var Regressions = []string{"ridge", "svr", "knn"}

// RegressionOptions are the options of all regressions. Each method uses only some of them. Zero values are the
// defaults.
type RegressionOptions struct {
	Metric    spd.Metric // metric; empty: riemann. ridge and svr also accept logeuclid, knn any metric
	Ridge     float64    // ridge: penalty; 0: the penalty with the smallest leave-one-out error
	C         float64    // svr: weight of an error; 0: 1
	Epsilon   float64    // svr: error that costs nothing, in units of the target; 0: 0.1
	Neighbors int        // knn: number of neighbors; 0: 5
}

// FitRegression learns to predict y, with one value per matrix of d, by the named regression, one of [Regressions].
// target is the name of the predicted variable. The model ends in a [model.Regression] and records the options used,
// including the chosen penalty of ridge. If an iteration ends early, it returns a usable model and a
// *rao.NotConvergedError.
func FitRegression(ctx context.Context, name string, d *dataset.Data, target string, y []float64,
	opt RegressionOptions) (*model.Model, error) {
	if d.Stack == nil {
		return nil,
			fmt.Errorf("%s: the data are vectors, but a regression needs SPD matrices; compute covariances first",
				d.Source)
	}
	r, used, err := fitRegressor(ctx, name, d.Stack, y, opt)
	if err != nil && (!rao.HasModel(err) || r == nil) {
		return nil, fmt.Errorf("%s: %w", d.Source, err)
	}
	m := &model.Model{Method: "regress-" + name, Classes: []string{target}, Input: model.SchemaOf(d), Options: used,
		Stages: []model.Stage{&model.Regression{Regressor: r}}}
	switch {
	case err != nil:
		m.Report.Status = rao.StatusMaxIterations
	case name == "svr":
		m.Report.Status = rao.StatusConverged
	default:
		m.Report.Status = rao.StatusClosed
	}
	m.Training = model.TrainingOnMatrices(d.Stack, make([]int, d.N()), 1)
	return m, err
}

// fitRegressor returns the regression and the options that it used.
func fitRegressor(ctx context.Context, name string, x *spd.Stack, y []float64, opt RegressionOptions) (model.Regressor,
	[]model.Option, error) {
	if opt.Metric == "" {
		opt.Metric = spd.Riemann
	}
	used := []model.Option{{Name: "metric", Value: string(opt.Metric)}}
	add := func(name string, v float64) {
		used = append(used, model.Option{Name: name, Value: strconv.FormatFloat(v, 'g', -1, 64)})
	}
	switch name {
	case "ridge":
		r, ridge, err := classifiers.FitTangentRidge(ctx, x, y, classifiers.TangentRidgeOptions{Metric: opt.Metric,
			Ridge: opt.Ridge})
		if r == nil {
			return nil, nil, err
		}
		add("ridge", ridge)
		return r, used, err
	case "svr":
		if opt.C == 0 {
			opt.C = 1
		}
		if opt.Epsilon == 0 {
			opt.Epsilon = 0.1
		}
		r, err := classifiers.FitTangentSVR(ctx, x, y, classifiers.TangentSVROptions{Metric: opt.Metric, C: opt.C,
			Epsilon: opt.Epsilon})
		if r == nil {
			return nil, nil, err
		}
		add("c", opt.C)
		add("epsilon", opt.Epsilon)
		return r, used, err
	case "knn":
		if opt.Neighbors == 0 {
			opt.Neighbors = 5
		}
		k := min(opt.Neighbors, x.Count)
		r, err := classifiers.FitMatrixKNNRegression(x, y, opt.Metric, k)
		if r == nil {
			return nil, nil, err
		}
		add("neighbors", float64(k))
		return r, used, err
	}
	return nil, nil, suggest.Unknown("regression", name, Regressions)
}

// Target returns the values of the variable that a regression learns to predict, one number per observation.
func Target(d *dataset.Data, name string) ([]float64, error) {
	y, err := numbers(d, name)
	if err != nil {
		return nil, fmt.Errorf("%s: target: %w", d.Source, err)
	}
	return y, nil
}

// numbers returns the values of a variable. It returns an error unless the variable has one number per observation.
func numbers(d *dataset.Data, name string) ([]float64, error) {
	v, ok := d.Vars[name]
	switch {
	case !ok:
		return nil, suggest.Unknown("variable", name, slices.Sorted(maps.Keys(d.Vars)))
	case v.Len() != d.N():
		return nil, fmt.Errorf("variable %s has %d values for %d observations; every observation needs one value",
			name, v.Len(), d.N())
	case !v.Numeric():
		return nil, fmt.Errorf("variable %s contains text, but the target must be numbers", name)
	}
	return v.ToFloat64()
}
