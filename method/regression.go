package method

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"rao"
	"rao/dataset"
	"rao/evaluate"
	"rao/internal/classifiers"
	"rao/internal/suggest"
	"rao/model"
	"rao/spd"
)

// regression is a method that predicts a number from an SPD matrix.
type regression struct {
	name    string
	options []string        // the options that no other regression has
	metrics func() []string // the metrics that it accepts
	fit     func(ctx context.Context, x *spd.Stack, y []float64, opt RegressionOptions) (*fittedRegression, error)
}

// fittedRegression is a regression with the values of the options that it used.
type fittedRegression struct {
	model.Regressor
	used   []evaluate.Setting
	status rao.Status
}

// regressions are ridge regression and support vector regression on tangent vectors, and the mean over the nearest
// matrices.
var regressions = []regression{
	{"ridge", []string{"ridge"}, spd.TangentMetrics, fitRidge},
	{"svr", []string{"c", "epsilon"}, spd.TangentMetrics, fitSVR},
	{"knn", []string{"neighbors"}, spd.Metrics, fitNearest},
}

// Regressions returns the names of the methods that predict a number from an SPD matrix.
func Regressions() []string {
	names := make([]string, len(regressions))
	for i, r := range regressions {
		names[i] = r.name
	}
	return names
}

// RegressionWith returns the name of the only regression that has the option, or "" if there is no such regression.
func RegressionWith(option string) string {
	for _, r := range regressions {
		if slices.Contains(r.options, option) {
			return r.name
		}
	}
	return ""
}

// RegressionOptions are the options of all regressions. Each method uses only some of them. Zero values are the
// defaults.
type RegressionOptions struct {
	Metric    spd.Metric // default riemann; ridge and svr also accept logeuclid, knn any metric
	Ridge     float64    // ridge: penalty; default: the penalty with the smallest leave-one-out error
	C         float64    // svr: weight of an error; default 1
	Epsilon   float64    // svr: error that costs nothing, in units of the target; default 0.1
	Neighbors int        // knn: number of neighbors; default 5
}

// FitRegression learns to predict y, with one value per matrix of d, by the named regression, one of [Regressions].
// target is the name of the predicted variable. The model ends in a [model.Regressor] and records the options used,
// including the chosen penalty of ridge. FitRegression returns an error for vectors, an unknown name, or a metric that
// the regression does not accept. If an iteration ends early, it returns a usable model and a *rao.NotConvergedError.
func FitRegression(ctx context.Context, name string, d *dataset.Data, target string, y []float64,
	opt RegressionOptions) (*model.Model, error) {
	if d.Stack == nil {
		return nil,
			fmt.Errorf("%s: the data are vectors, but a regression needs SPD matrices; compute covariances first",
				d.Source)
	}
	how, opt, err := opt.resolve(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Source, err)
	}
	r, err := how.fit(ctx, d.Stack, y, opt)
	if err != nil && (!rao.HasModel(err) || r == nil) {
		return nil, fmt.Errorf("%s: %w", d.Source, err)
	}
	m := &model.Model{Method: "regress-" + name, Classes: []string{target}, Input: model.SchemaOf(d),
		Options: slices.Insert(r.used, 0, evaluate.Setting{Name: "metric", Value: string(opt.Metric)}),
		Stages:  []model.Stage{model.Wrap(r.Regressor)}}
	m.Report.Status = r.status
	if err != nil {
		m.Report.Status = rao.StatusMaxIterations
	}
	m.Training = model.TrainingOnMatrices(d.Stack, make([]int, d.N()), 1)
	return m, err
}

// Check returns an error for an unknown name, or if the named regression does not accept the metric.
func (o RegressionOptions) Check(name string) error {
	_, _, err := o.resolve(name)
	return err
}

// resolve returns the named regression, and the options with their defaults.
func (o RegressionOptions) resolve(name string) (regression, RegressionOptions, error) {
	i := slices.Index(Regressions(), name)
	if i < 0 {
		return regression{}, o, &rao.UnknownError{Kind: "regression", Name: name, Known: Regressions()}
	}
	how := regressions[i]
	metric, err := spd.ParseMetric(cmp.Or(string(o.Metric), string(spd.Riemann)))
	if err != nil {
		return how, o, &rao.UnknownError{Kind: "metric", Name: string(o.Metric), Known: how.metrics()}
	}
	if metrics := how.metrics(); !slices.Contains(metrics, string(metric)) {
		return how, o, rao.Optionf("metric", "{metric=%s} has no tangent space for this method; %s accepts %s", metric,
			name, suggest.Or(metrics))
	}
	o.Metric, o.C = metric, cmp.Or(o.C, classifiers.DefaultCost)
	o.Epsilon = cmp.Or(o.Epsilon, classifiers.DefaultEpsilon)
	o.Neighbors = cmp.Or(o.Neighbors, classifiers.DefaultNeighbors)
	return how, o, nil
}

func fitRidge(ctx context.Context, x *spd.Stack, y []float64, opt RegressionOptions) (*fittedRegression, error) {
	r, ridge, err := classifiers.FitTangentRidge(ctx, x, y, classifiers.TangentRidgeOptions{Metric: opt.Metric,
		Ridge: opt.Ridge})
	if r == nil {
		return nil, err
	}
	return &fittedRegression{r, []evaluate.Setting{numberSetting("ridge", ridge)}, rao.StatusClosed}, err
}

func fitSVR(ctx context.Context, x *spd.Stack, y []float64, opt RegressionOptions) (*fittedRegression, error) {
	r, err := classifiers.FitTangentSVR(ctx, x, y, classifiers.TangentSVROptions{Metric: opt.Metric, C: opt.C,
		Epsilon: opt.Epsilon})
	if r == nil {
		return nil, err
	}
	used := []evaluate.Setting{numberSetting("c", opt.C), numberSetting("epsilon", opt.Epsilon)}
	return &fittedRegression{r, used, rao.StatusConverged}, err
}

func fitNearest(_ context.Context, x *spd.Stack, y []float64, opt RegressionOptions) (*fittedRegression, error) {
	k := min(opt.Neighbors, x.Count)
	r, err := classifiers.FitMatrixKNNRegression(x, y, opt.Metric, k)
	if r == nil {
		return nil, err
	}
	return &fittedRegression{r, []evaluate.Setting{numberSetting("neighbors", float64(k))}, rao.StatusClosed}, err
}

func numberSetting(name string, v float64) evaluate.Setting {
	return evaluate.Setting{Name: name, Value: strconv.FormatFloat(v, 'g', -1, 64)}
}

// Target returns the values of the variable that a regression learns to predict. It returns an error unless the
// variable has one number per observation.
func Target(d *dataset.Data, name string) ([]float64, error) {
	y, err := numbers(d, name)
	if err != nil {
		return nil, rao.Optionf("y", "%s: {y}: %w", d.Source, err)
	}
	return y, nil
}

// numbers returns the values of a variable. It returns an error unless the variable has one number per observation.
func numbers(d *dataset.Data, name string) ([]float64, error) {
	v, ok := d.Vars[name]
	switch {
	case !ok:
		return nil, &rao.UnknownError{Kind: "variable", Name: name, Known: slices.Sorted(maps.Keys(d.Vars))}
	case v.Len() != d.N():
		return nil, fmt.Errorf("variable %s: the number of values is %d, but the number of observations is %d; every "+
			"observation needs one value",
			name, v.Len(), d.N())
	case v.Strings != nil:
		return nil, fmt.Errorf("variable %s contains text, but the target must be numbers; choose another variable",
			name)
	}
	return v.ToFloat64()
}
