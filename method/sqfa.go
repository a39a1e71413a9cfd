package method

import (
	"context"
	"errors"
	"reflect"

	"rao"
	"rao/dataset"
	"rao/gaussian"
	"rao/internal/heldout"
	"rao/internal/memory"
	"rao/internal/subclasses"
	"rao/sqfa"
)

type sqfaOptions struct {
	filters
	Noise      autoNumber      `opt:"noise" default:"auto" help:"feature noise: a variance in squared units of the scaled data; auto chooses it by validation, and uses 0.5 of the scaled variance for sub-classes"`
	Distance   distanceOption  `opt:"distance" default:"auto" help:"dissimilarity between classes; auto uses calvo_oller for sqfa, riemann for smsqfa and bhattacharyya for bdm and aggregate=bayes"`
	Aggregate  aggregateOption `opt:"aggregate" default:"auto" help:"how pairs of classes are combined; auto uses mean, and bayes for sub-classes and for more than 30 classes"`
	Subclasses autoCount       `opt:"subclasses" default:"1" help:"maximum number of Gaussians per class; auto uses one for every 50 rows, up to 16"`
	Beta       float64         `opt:"beta" with:"aggregate=softmin" default:"3" above:"0" help:"sharpness of softmin"`
	Init       startOption     `opt:"init" default:"auto" help:"initial filters; auto uses the best of principal components, discriminants, directions in which the classes differ most, and random filters"`
	Starts     int             `opt:"starts" default:"1" min:"1" max:"100000" help:"number of fits; the best is kept, and all but the first start at random"`
	Constraint sqfa.Constraint `opt:"constraint" default:"sphere" choices:"sphere,orthogonal,none" help:"constraint on the filters"`
	Pairwise   int             `opt:"pairwise" default:"0" min:"0" max:"100000" help:"learn the filters in groups of this size; 0 learns all together"`
	Refine     bool            `opt:"refine" default:"false" help:"refine the filters, and a mixture classifier, on the rows by the posterior of the right class"`
	Tol        autoNumber      `opt:"tol" default:"auto" help:"stop when the objective changes by less than this; auto uses 1e-7, or 1e-5 for sub-classes"`
	MaxIter    int             `opt:"max-iter" default:"500" min:"1" max:"100000000" help:"maximum number of iterations of each fit"`
	Folds      autoCount       `opt:"folds" with:"noise=auto,subclasses=1" default:"auto" min:"2" max:"10000" help:"folds of the validation that chooses the noise; auto makes 5 folds and tests on enough of them for 400 rows"`
	pairing
	seedOption
	scaling
	classWeighting
	classifying

	own   family // of the method
	stage stage  // whether to refine the filters; set by fits that test whether this helps
}

// components implements planner.
func (o *sqfaOptions) components() *subclasses.Options {
	if o.Subclasses == 1 && !o.withMixture() {
		return nil
	}
	return &subclasses.Options{Most: int(o.Subclasses), Seed: o.Seed}
}

// withMixture reports whether the filters and a mixture are refined together.
func (o *sqfaOptions) withMixture() bool {
	return o.Refine && featureClassifiers[o.Classifier.text].joint
}

// subspace implements planner.
func (o *sqfaOptions) subspace(classes, columns int) (int, error) {
	to, err := o.objective(classes, 0, columns)
	return to.subspace, err
}

// folds implements planner. One pass computes the statistics of the fit and of the folds that validate the noise. With
// more than manyClasses classes the folds would need too much memory, so validation is done in a subspace instead.
func (o *sqfaOptions) folds(labels []int, classes []string, columns int) (*heldout.Folds, error) {
	subspace, err := o.subspace(len(classes), columns)
	if err != nil || subspace > 0 || !o.validates() || o.components() != nil || wantsMoments(o) ||
		len(classes) > manyClasses {
		return nil, nil // the fit returns the error
	}
	return heldout.NewFolds(labels, classes, columns, int(o.Folds), o.Seed)
}

// rowCopies implements planner. Validation needs the statistics of each fold and of all rows.
func (o *sqfaOptions) rowCopies(rows int) (k Copies) {
	if o.Refine {
		k.Rows++
	}
	if o.validates() {
		_, held := heldout.DealtFolds(int(o.Folds), rows)
		k.Classes = float64(held + 1)
		k.Rows++
	}
	return k
}

// validates implements planner.
func (o *sqfaOptions) validates() bool { return o.Noise.Auto }

func (o *sqfaOptions) addRows(f *memory.Footprint, d *dataset.Data, dim int) {
	if o.components() != nil {
		addSubclasses(f, d, dim, int(o.Subclasses), 0)
	}
}

// aggregateOption selects how pairs of classes are combined; auto leaves the choice to the method.
type aggregateOption struct {
	auto bool
	sqfa.Aggregation
}

// Choices returns the accepted values, for help texts.
func (aggregateOption) Choices() []string { return []string{"auto", "mean", "softmin", "bayes"} }

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *aggregateOption) UnmarshalText(text []byte) error {
	if *a = (aggregateOption{auto: string(text) == "auto"}); a.auto {
		return nil
	}
	a.Aggregation = sqfa.Aggregation(text)
	return nil
}

// distanceOption is a dissimilarity between Gaussians; auto leaves the choice to the method.
type distanceOption string

// Choices returns the accepted values, for help texts.
func (distanceOption) Choices() []string {
	return append([]string{"auto"}, gaussian.Dissimilarities()...)
}

// family are the automatic choices of a method of the SQFA family.
type family struct {
	distance    gaussian.Dissimilarity
	bayesOfMany bool // with more than manyClasses classes, use the bound on the Bayes error instead of the distance
}

func sqfaMethod(name, summary string, own family) *Method {
	traits := Traits{Span: true, Mixtures: true, Streams: true, Memory: Copies{Classes: 1, Square: 4}}
	m := onVectors(name, summary, traits, fitFamily)
	m.options = reflect.ValueOf(sqfaOptions{own: own})
	return m
}

func fitFamily(ctx context.Context, v *vectors, o *sqfaOptions) error {
	if o.Refine && v.Data == nil && v.disk() == nil {
		return rao.Optionf("refine", "{refine} needs the observations, so statistics alone are not enough; give "+
			"{data}")
	}
	if err := v.clusterSubclasses(ctx, o); err != nil {
		return err
	}
	opt, err := v.sqfaOptions(o)
	if err != nil {
		return err
	}
	var m *sqfa.Model
	if v.sub != nil {
		m, err = v.fitComponents(ctx, opt)
	} else {
		m, err = sqfa.Fit(ctx, v.source(opt), opt)
	}
	var limit *rao.NotConvergedError
	if errors.As(err, &limit) {
		limit.Method = v.Model.Method
	}
	if m == nil {
		return err
	}
	v.filtersAre(m)
	v.noise = m.Noise
	v.noteNoise(m)
	v.warn(m.Warnings...)
	if !o.Refine {
		v.doubt(ctx, m, opt)
		v.adviseNoise(ctx, m, o, opt)
		return err
	}
	if err := v.note(err); err != nil {
		return err
	}
	return v.refineIfBetter(ctx, m, o)
}

// sqfaOptions converts the options of the family to options of package sqfa.
func (v *vectors) sqfaOptions(o *sqfaOptions) (sqfa.Options, error) {
	components := 0
	if v.sub != nil {
		components = len(v.sub.Of)
	}
	to, err := o.objective(len(v.classes()), components, v.dim())
	if err != nil {
		return sqfa.Options{}, err
	}
	noise, tol := float64(sqfa.AutoNoise), 0.0 // 0: the default of package sqfa
	if v.sub != nil {
		noise = subclassNoise * v.unit()
		if !to.pooled {
			tol = 1e-5 // the bound is only accurate to about this
		}
	}
	opt := sqfa.Options{Filters: int(o.filters.Filters), Noise: o.Noise.or(noise), Tol: o.Tol.or(tol),
		Starts: o.Starts, Seed: o.Seed, Constraint: o.Constraint, Group: o.Pairwise, Folds: int(o.Folds),
		MaxIter: o.MaxIter, Sharpness: o.Beta, Progress: v.Progress,
		Shrinkage: o.Shrinkage.ShrinkRule, RegParam: o.RegParam, Aggregate: to.aggregate,
		Distance: to.distance, Near: to.near, Pooled: to.pooled, Subspace: to.subspace}
	if opt.Priors, err = v.pairPriors(o, opt.Aggregate); err != nil {
		return opt, err
	}
	return opt, v.sqfaStart(o, &opt)
}

// pairPriors returns the priors that weight the pairs. By default they are equal, as in the SQFA paper. The bound on
// the Bayes error uses the class proportions, because the bound is valid only for the priors of the data.
func (v *vectors) pairPriors(o *sqfaOptions, aggregate sqfa.Aggregation) ([]float64, error) {
	p, err := o.Priors.of(v.raw.NumClasses(), v.raw.Priors)
	if p == nil && err == nil && aggregate == "bayes" {
		p = v.raw.Priors()
	}
	return p, err
}

func (v *vectors) sqfaStart(o *sqfaOptions, opt *sqfa.Options) error {
	switch o.Init {
	case "auto":
		opt.Start = "several"
		if opt.Pooled {
			opt.Start = "lda"
		}
	case "pca", "random":
		opt.Start = sqfa.Start(o.Init)
	default:
		f, err := v.start(o.Init, opt.Filters, o.Seed)
		if err != nil {
			return err
		}
		opt.Start, opt.Initial = "given", f
	}
	return nil
}
