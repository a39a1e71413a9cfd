package method

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"rao"
	"rao/classify"
	"rao/dataset"
	"rao/internal/classifiers"
	"rao/internal/indices"
	"rao/model"
	"rao/spd"
)

type mdmOptions struct {
	Metric   metricOption `opt:"metric" default:"riemann" help:"metric of the means and distances"`
	Target   string       `opt:"target" default:"none" help:"person with few labeled trials, as NAME=VALUE of a variable of the data: the means of all other rows move towards the means of these rows (MDWM)"`
	Tradeoff autoNumber   `opt:"tradeoff" default:"auto" above:"0" max:"1" help:"how far the means move from those of the other people (0) towards those of target (1), the tradeoff of MDWM; auto uses 0.5"`
	Weights  string       `opt:"weights" default:"none" help:"variable with the weight of each matrix in its class mean, 0 or more"`
	iteratedMean
	OnManifold
}

// iteratedMean contains the options of methods that compute means of matrices, which need an iteration in some
// metrics.
type iteratedMean struct {
	MeanTol meanTol `opt:"mean-tol" default:"1e-9" above:"0" max:"1" help:"stop the iteration of a mean of matrices at this norm of the mean tangent vector, or with the metrics wasserstein and logdet at this relative change; pyRiemann uses 1e-8"`
}

func (o *iteratedMean) options(j *Job) spd.MeanOptions {
	return spd.MeanOptions{Tol: float64(o.MeanTol), Progress: j.Progress}
}

// meanTol is a tolerance that applies only to metrics whose means need an iteration.
type meanTol float64

// With returns the condition for the option to apply.
func (meanTol) With() string {
	return "metric=" + strings.Join(slices.DeleteFunc(spd.Metrics(), func(name string) bool {
		return !spd.Metric(name).Iterates()
	}), "|")
}

func fitMDM(ctx context.Context, m *matrices, o *mdmOptions) error {
	opt := classify.MDMOptions{Metric: spd.Metric(o.Metric), Mean: o.iteratedMean.options(m.Job)}
	if o.Weights != "none" {
		if o.Target != "none" {
			return rao.Optionf("weights", "{weights} and {target} cannot be used together, because the "+
				"means of the target weight all its matrices equally; leave one out")
		}
		weights, err := numbers(m.Data, o.Weights)
		if err != nil {
			return rao.Optionf("weights", "{weights=%s}: %w", o.Weights, err)
		}
		opt.Weights = weights
	}
	if o.Target != "none" {
		return m.towards(ctx, o, opt)
	}
	if !o.Tradeoff.Auto {
		return rao.Optionf("target", "{tradeoff} needs {target=NAME=VALUE}")
	}
	return m.nearestMean(ctx, opt)
}

func (m *matrices) nearestMean(ctx context.Context, opt classify.MDMOptions) error {
	cl, err := classify.FitMDM(ctx, m.x, m.labels(), m.classes(), opt)
	if cl != nil {
		m.Model.Classifier, m.Model.Report = cl, worst(cl.Reports)
	}
	return err
}

// towards fits the means of all rows except the target's, moved towards the means of the target's rows.
func (m *matrices) towards(ctx context.Context, o *mdmOptions, opt classify.MDMOptions) error {
	name, value, ok := strings.Cut(o.Target, "=")
	if !ok {
		return rao.Optionf("target", "{target=%s}: the target must be NAME=VALUE, such as subject=7",
			o.Target)
	}
	d := m.Data
	v := d.Vars[name]
	if v == nil || v.Len() != d.N() {
		return rao.Optionf("target", "{target}: %w", &rao.UnknownError{Kind: "variable", Name: name,
			Known: variables(d)})
	}
	var rows [2][]int // [0]: rows of all others, [1]: rows of the target
	for i := range d.N() {
		k := 0
		if v.Text(i) == value {
			k = 1
		}
		rows[k] = append(rows[k], i)
	}
	for k, who := range []string{"other people", "the target"} {
		if len(rows[k]) == 0 {
			return rao.Optionf("target", "{target=%s}: no observation belongs to %s; choose another "+
				"target", o.Target, who)
		}
	}
	var means [2]*classify.MDM
	var late [2]error
	for k, who := range []string{"source", "target"} {
		x, labels := m.x.Select(rows[k]), indices.Pick(m.labels(), rows[k])
		means[k], late[k] = classify.FitMDM(ctx, x, labels, m.classes(), opt)
		if means[k] == nil || late[k] != nil && !rao.HasModel(late[k]) {
			return fmt.Errorf("%s: %w", who, late[k])
		}
	}
	if err := means[0].Approach(means[1], o.Tradeoff.or(0.5)); err != nil {
		return err
	}
	m.Model.Classifier, m.Model.Report = means[0], worst(means[0].Reports)
	return errors.Join(late[:]...)
}

// variables returns the names of the variables that have one value per observation, in alphabetical order.
func variables(d *dataset.Data) []string {
	var names []string
	for name, v := range d.Vars {
		if v.Len() == d.N() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// tangentShrinkage is the option of the covariance of tangent vectors.
type tangentShrinkage struct {
	Shrinkage shrinkageOption `opt:"shrinkage" default:"ledoit_wolf" help:"shrinkage of the covariance of the tangent vectors: none, oas, ledoit_wolf, or an amount from 0 to 1"`
}

// tangentDiscriminant are the options of a linear discriminant on tangent vectors.
type tangentDiscriminant struct {
	tangentShrinkage `with:"classifier=tslda"`
	Priors           priorsOption `opt:"priors" with:"classifier=tslda" default:"empirical" help:"class priors: empirical (the class proportions), uniform, or numbers separated by commas"`
}

type fgmdmOptions struct {
	tangentShrinkage
	onMap
	iteratedMean
	OnManifold
}

// onMap is the option of methods that map the matrices and then fit a classifier to the result.
type onMap struct {
	Classifier Follower `opt:"classifier" default:"mdm" help:"classifier of the mapped matrices: any matrix method with its options, METHOD[:OPTION=VALUE]..., or none"`
}

// mapBy adds a map to the stages of the model and maps the matrices by it.
func (m *matrices) mapBy(ctx context.Context, by model.Map) error {
	return m.stage(ctx, model.Wrap(by))
}

// joined joins unsettled, the error of a map that did not converge, with the error of the fit that follows. If that
// fit returned no model, only its error is returned.
func joined(unsettled, err error) error {
	if err != nil && !rao.HasModel(err) {
		return err
	}
	return errors.Join(unsettled, err)
}

func fitFgMDM(ctx context.Context, m *matrices, o *fgmdmOptions) error {
	filter, unsettled := classifiers.FitGeodesicFilter(ctx, m.x, m.labels(), m.classes(),
		classifiers.GeodesicFilterOptions{Shrinkage: o.Shrinkage.ShrinkRule, Mean: o.iteratedMean.options(m.Job)})
	if filter == nil {
		return unsettled
	}
	if err := m.mapBy(ctx, filter); err != nil {
		return err
	}
	return classifyMapped(ctx, m, o.Classifier, geodesicClassifiers, o, unsettled)
}

var geodesicClassifiers = ownClassifiers[fgmdmOptions]{"mdm": (*matrices).classifyFiltered}

// classifyFiltered fits the minimum distance to mean with the tolerance of the filters' mean.
func (m *matrices) classifyFiltered(ctx context.Context, o *fgmdmOptions) error {
	return m.nearestMean(ctx, classify.MDMOptions{Mean: o.iteratedMean.options(m.Job)})
}
