package method

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/classify"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/heldout"
	"rao/internal/naming"
	"rao/internal/optionvalues"
	"rao/model"
)

// discriminantOptions are the options shared by linear and quadratic discriminants of vectors.
type discriminantOptions struct {
	Priors    priorsOption    `opt:"priors" default:"auto" help:"class priors: empirical (the class proportions), uniform, numbers separated by commas, or auto; auto is empirical, but the SQFA family weights all pairs of classes equally unless aggregate=bayes"`
	Shrinkage shrinkageOption `opt:"shrinkage" default:"auto" help:"shrinkage of the classifier's covariances, or those behind the filters for lda: none, oas, ledoit_wolf, an amount from 0 to 1, or auto; auto is none, but oas if a class has no spread in some direction, or for qda if a class has few rows and oas classifies left-out rows better"`
}

// classifying are the options for the classifier on learned features.
type classifying struct {
	Classifier Follower `opt:"classifier" default:"qda" help:"classifier on the features: qda, lda, knn, mixture, none, or any method of vectors with its options"`
	discriminantOptions
	RegParam  float64 `opt:"reg-param" with:"classifier=qda" default:"0" min:"0" max:"1" help:"weight of the identity matrix in the covariances of qda"`
	Neighbors int     `opt:"neighbors" with:"classifier=knn" default:"5" min:"1" max:"1000000000" help:"neighbors of knn"`
}

// featureClassifiers are the classifiers that use the options in [classifying]. All other classifiers are methods.
var featureClassifiers map[string]featureClassifier

type featureClassifier struct {
	onStatistics func(options any) bool // whether the classifier needs only statistics, given the options of the method
	fit          func(v *vectors, ctx context.Context, o *classifying) error
	joint        bool // refine learns the filters and the classifier together, from sub-classes
}

func init() {
	featureClassifiers = map[string]featureClassifier{
		"none":    {onStatistics: always, fit: func(*vectors, context.Context, *classifying) error { return nil }},
		"qda":     {onStatistics: always, fit: quadratic.onFeatures},
		"lda":     {onStatistics: always, fit: linear.onFeatures},
		"knn":     {onStatistics: func(any) bool { return false }, fit: (*vectors).classifyNeighbors},
		"mixture": {onStatistics: ofComponents, fit: (*vectors).classifyMixture, joint: true},
	}
}

func always(any) bool { return true }

func ofComponents(options any) bool { return componentsOf(options) != nil }

// classifyFeatures fits the chosen classifier to the features of the model.
func (v *vectors) classifyFeatures(ctx context.Context, o *classifying) error {
	if c, ok := featureClassifiers[o.Classifier.text]; ok {
		return c.fit(v, ctx, o)
	}
	return v.followFeatures(ctx, o)
}

// followFeatures fits a method to the features, or to their statistics if there are no rows.
func (v *vectors) followFeatures(ctx context.Context, o *classifying) error {
	if v.Data != nil {
		return v.Follow(ctx, o.Classifier)
	}
	s, err := v.featureStatistics(ctx, optionvalues.ShrinkageNone)
	if err != nil {
		return err
	}
	return v.followOn(ctx, o.Classifier, Statistics{Stats: s})
}

func (v *vectors) classifyNeighbors(ctx context.Context, o *classifying) error {
	if v.Data == nil {
		return rao.Optionf("classifier", "{classifier=knn} stores the observations, so statistics alone are not "+
			"enough; give {data} or use qda")
	}
	z, err := v.Model.Transform(ctx, model.BatchOf(v.Data))
	if err != nil {
		return err
	}
	v.Model.Classifier, err = nilOnError(classify.FitKNN(z.X, v.Data.Labels, v.Model.Classes,
		classify.KNNOptions{K: o.Neighbors}))
	return err
}

// discriminant is a classifier of class statistics.
type discriminant struct {
	fit     func(s *gaussian.Statistics, opt classify.QDAOptions) (model.Classifier, error)
	shrinks bool // if the options leave it open, covariances of classes with few rows are shrunk if that is better
}

// linear has one covariance for all classes, and ignores RegParam.
var linear = discriminant{fit: func(s *gaussian.Statistics, opt classify.QDAOptions) (model.Classifier, error) {
	return nilOnError(classify.FitLDA(s, classify.LDAOptions{Shrinkage: opt.Shrinkage, Priors: opt.Priors}))
}}

// quadratic has one covariance per class.
var quadratic = discriminant{shrinks: true, fit: func(s *gaussian.Statistics,
	opt classify.QDAOptions) (model.Classifier, error) {
	return nilOnError(classify.FitQDA(s, opt))
}}

// chooseShrinkage sets the shrinkage of the classifier to OAS and adds a note to the model if the options do not set a
// shrinkage, a class has few rows, and OAS improves the decisions on left-out rows. If the rows are not available or
// have different weights, it tests rows drawn with the statistics instead.
func (d discriminant) chooseShrinkage(ctx context.Context, v *vectors, s *gaussian.Statistics,
	opt *classify.QDAOptions) error {
	if !d.shrinks || opt.Shrinkage.Kind != optionvalues.ShrinkageAuto || opt.RegParam != 0 ||
		!heldout.Few(s.Counts, s.Dim) {
		return nil
	}
	var x mat.Matrix
	var labels []int
	if data := v.Data; data != nil && s.Weights == nil && s.Total() == len(data.Labels) {
		data = data.Subset(heldout.Some(len(data.Labels)))
		z, err := v.Model.AtClassifier(ctx, model.BatchOf(data))
		if err != nil {
			return err
		}
		x, labels = z.X, data.Labels
	}
	learned := model.StageOf[*feature.Model](v.Model) != nil
	if !(learned && heldout.Overfitted(s.Counts, s.Dim)) && !heldout.PrefersOAS(s, opt.Priors, x, labels) {
		return nil
	}
	opt.Shrinkage.Kind = optionvalues.ShrinkageOAS
	least := slices.Min(s.Counts)
	v.Model.Notes = append(v.Model.Notes, fmt.Sprintf("class %s has few rows (%d) for the dimensions of the "+
		"classifier (%d), so the covariances were shrunk (oas)", naming.Class(s.Classes, slices.Index(s.Counts, least)),
		least, s.Dim))
	return nil
}

// onFeatures fits to the statistics of the features.
func (d discriminant) onFeatures(v *vectors, ctx context.Context, o *classifying) error {
	s, err := v.featureStatistics(ctx, o.Shrinkage.Kind)
	if err != nil {
		return err
	}
	return d.onStatistics(ctx, v, s, &o.discriminantOptions, o.RegParam)
}

// onStatistics fits to the statistics. If a covariance has no inverse, it adds the filters' noise or, if there is no
// noise and the options leave the shrinkage open, shrinks the covariances by OAS, and adds a warning to the model. It
// first fits without noise, because a quadratic classifier does not depend on a linear transformation of the features:
// if all covariances have an inverse, noise only removes information.
func (d discriminant) onStatistics(ctx context.Context, v *vectors, s *gaussian.Statistics, o *discriminantOptions,
	regParam float64) error {
	priors, err := o.Priors.of(s.NumClasses(), s.Priors)
	if err != nil {
		return err
	}
	opt := classify.QDAOptions{Shrinkage: o.Shrinkage.ShrinkRule, Priors: priors, RegParam: regParam}
	if err := d.chooseShrinkage(ctx, v, s, &opt); err != nil {
		return err
	}
	cl, singular := d.fit(s, opt)
	if singular != nil {
		var warning string
		switch {
		case v.noise > 0:
			s = s.Clone()
			s.AddNoise(v.noise)
			warning = fmt.Sprintf("a class does not vary in some direction of the features, so the noise of the "+
				"filters, %.4g, was added to the covariances of the classifier; fewer filters or a shrinkage (oas) "+
				"avoid this", v.noise)
		case opt.Shrinkage.Kind == optionvalues.ShrinkageAuto && regParam == 0:
			opt.Shrinkage.Kind = optionvalues.ShrinkageOAS
			warning = "a class does not vary in some direction, so the covariances of the classifier were shrunk " +
				"(oas); " + v.fewerDimensions()
		default:
			return singular
		}
		if cl, err = d.fit(s, opt); err != nil {
			return singular
		}
		v.warn(warning)
	}
	v.Model.Classifier = cl
	return nil
}

// fewerDimensions returns the remedy for a class that does not vary in some direction.
func (v *vectors) fewerDimensions() string {
	switch _, constant := columnFactors(v.raw); len(constant) {
	case 0:
		return "fewer dimensions avoid this"
	case 1:
		return fmt.Sprintf("drop column %s, which is constant", columnName(constant[0], v.Model.Input.Columns))
	default:
		return fmt.Sprintf("drop the %d constant columns, or use fewer dimensions", len(constant))
	}
}

// featureStatistics returns the statistics of the features. It projects the class statistics if possible. Otherwise,
// or if the shrinkage needs moments that a projection does not keep, it estimates them from the rows.
func (v *vectors) featureStatistics(ctx context.Context, kind gaussian.Shrinkage) (*gaussian.Statistics, error) {
	held := v.stats()
	projects := held != nil && v.span == nil && held.NumClasses() == v.raw.NumClasses()
	if v.Data != nil && (!projects || kind == optionvalues.ShrinkageLedoitWolf) {
		z, err := v.Model.Transform(ctx, model.BatchOf(v.Data))
		if err != nil {
			return nil, err
		}
		return gaussian.EstimateMoments(z.X, v.labels(), v.classes())
	}
	f := model.StageOf[*feature.Model](v.Model)
	if v.Data == nil && v.sub != nil && v.sub.inner != nil {
		f = v.sub.inner
	}
	s, err := v.filtered(ctx, f)
	if err != nil {
		return nil, err
	}
	for i := range s.NumClasses() { // rounding can make a zero variance slightly negative
		cov := s.Covariance(i)
		for j := range s.Dim {
			cov.SetSym(j, j, max(cov.At(j, j), 0))
		}
	}
	return s, nil
}

// nilOnError returns a nil interface on error, instead of an interface with a nil pointer.
func nilOnError[T model.Classifier](cl T, err error) (model.Classifier, error) {
	if err != nil {
		return nil, err
	}
	return cl, nil
}
