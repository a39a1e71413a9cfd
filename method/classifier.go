package method

import (
	"context"
	"fmt"

	"rao"
	"rao/classify"
	"rao/dataset"
	"rao/gaussian"
	"rao/model"
)

// Discriminant are the options of a discriminant of vectors.
type Discriminant struct {
	Priors    priorsOption    `opt:"priors" default:"auto" help:"class priors: empirical (the shares of the data), uniform, numbers separated by commas, or auto: empirical, but equal weights of the pairs in the SQFA family unless --aggregate bayes"`
	Shrinkage shrinkageOption `opt:"shrinkage" default:"auto" help:"shrinkage of covariances, those that the filters of lda are learned from, or else those of the classifier: none, oas, ledoit_wolf, an amount from 0 to 1, or auto: none, but oas where a class has no spread in some direction of the features"`
}

// Classifying are the options of the classifier on features.
type Classifying struct {
	Classifier Follower `opt:"classifier" default:"qda" help:"classifier on the features: qda, lda, knn, mixture, none, or any method of vectors with its options, METHOD[:OPTION=VALUE]..."`
	Discriminant
	RegParam  float64 `opt:"reg-param" with:"classifier=qda" default:"0" min:"0" max:"1" help:"regularization of QDA"`
	Neighbors int     `opt:"neighbors" with:"classifier=knn" default:"5" min:"1" max:"1000000000" help:"neighbors that a nearest-neighbor classifier looks at"`
}

// classifyFeatures fits the classifier of the options on the features of the model. QDA
// and LDA need only the statistics, which the filters project.
func (v *vectors) classifyFeatures(ctx context.Context, o *Classifying) error {
	switch o.Classifier {
	case "none":
		return nil
	case "knn":
		if v.Data() == nil {
			return rao.Optionf("classifier", "{classifier=knn} keeps the observations; statistics alone are not "+
				"enough, give {data} or use qda")
		}
		knn, err := OnFeatures(ctx, v.model, v.Data(), o.Neighbors)
		if err != nil {
			return err
		}
		v.model.Classifier = knn.Classifier
		return nil
	case "mixture":
		if v.sub != nil && v.sub.parts != nil {
			return v.classifyMixture(ctx, o)
		}
	case "qda", "lda":
		s, err := v.featureStatistics(ctx, o.Shrinkage.Kind)
		if err != nil {
			return err
		}
		cl, err := discriminant(string(o.Classifier), s, &o.Discriminant, o.RegParam)
		if noise := v.featureNoise(); err != nil && noise > 0 {
			return v.noisyDiscriminant(o, s, noise, err)
		}
		if err != nil {
			return v.shrunkDiscriminant(string(o.Classifier), s, o.Discriminant, o.RegParam, err)
		}
		v.model.Classifier = cl
		return nil
	}
	if v.Data() != nil {
		return v.Follow(ctx, o.Classifier)
	}
	s, err := v.featureStatistics(ctx, gaussian.None)
	if err != nil {
		return err
	}
	return v.followOn(ctx, o.Classifier, Statistics{Stats: s})
}

// featureNoise returns the noise that the filters were learned with, 0 when there was
// none or it is not known.
func (v *vectors) featureNoise() float64 {
	if f := model.StageOf[*model.Filters](v.model); f != nil && f.Noise > 0 {
		return f.Noise
	}
	switch o := v.options.(type) {
	case *sqfaOptions: // refined
		return o.Noise.Value
	case *amaOptions:
		return o.Noise.Value
	}
	return 0
}

// noisyDiscriminant fits the classifier after the failure of a plain fit with the
// filters' noise added to the classes' covariances, and says so in the model. The plain
// fit comes first because a quadratic classifier does not depend on how the features
// are mixed: as long as a covariance has an inverse, noise only takes information away.
func (v *vectors) noisyDiscriminant(o *Classifying, s *gaussian.Statistics, noise float64, plain error) error {
	s = s.Clone()
	s.AddNoise(noise)
	cl, err := discriminant(string(o.Classifier), s, &o.Discriminant, o.RegParam)
	if err != nil {
		return plain
	}
	v.model.Classifier = cl
	v.warn(fmt.Sprintf(
		"a class has no spread in some direction of the features, so the filters' noise, %.4g, "+
			"was added to the covariances of the classifier; fewer filters, or a shrinkage (oas), do without", noise))
	return nil
}

// shrunkDiscriminant fits a classifier after the failure of a plain fit with covariances
// shrunk by OAS, where the options leave that open, and says so in the model.
func (v *vectors) shrunkDiscriminant(kind string, s *gaussian.Statistics, d Discriminant, regParam float64,
	plain error) error {
	if d.Shrinkage.Kind != gaussian.Auto || regParam != 0 {
		return plain
	}
	d.Shrinkage.Kind = gaussian.OAS
	cl, err := discriminant(kind, s, &d, 0)
	if err != nil {
		return plain
	}
	v.model.Classifier = cl
	v.warn("a class has no spread in some direction, so the covariances of the classifier were shrunk (oas); fewer " +
		"dimensions do without")
	return nil
}

// featureStatistics returns the statistics of the features: projected, or estimated
// from the rows where there are none of the classes to project, or the shrinkage needs
// moments that a projection does not keep.
func (v *vectors) featureStatistics(ctx context.Context, kind gaussian.Shrinkage) (*gaussian.Statistics, error) {
	held := v.stats()
	projects := held != nil && v.span == nil && held.NumClasses() == v.raw.NumClasses()
	if v.Data() != nil && (!projects || kind == gaussian.LedoitWolf) {
		z, err := v.model.Transform(ctx, model.BatchOf(v.Data()))
		if err != nil {
			return nil, err
		}
		return gaussian.EstimateMoments(z.X, v.labels(), v.classes())
	}
	f := model.StageOf[*model.Filters](v.model).Model
	if v.Data() == nil && v.sub != nil && v.sub.inner != nil {
		f = v.sub.inner
	}
	s, err := v.train.features(ctx, f)
	if err != nil {
		return nil, err
	}
	for i := range s.NumClasses() { // rounding leaves an empty direction a little below zero
		cov := s.Covariance(i)
		for j := range s.Dim {
			cov.SetSym(j, j, max(cov.At(j, j), 0))
		}
	}
	return s, nil
}

// discriminant fits QDA or LDA to statistics.
func discriminant(kind string, s *gaussian.Statistics, o *Discriminant, regParam float64) (model.Classifier, error) {
	priors, err := o.Priors.of(s.NumClasses(), s.Priors)
	if err != nil {
		return nil, err
	}
	if kind == "lda" {
		return nilOnError(classify.FitLDA(s, classify.LDAOptions{Shrinkage: o.Shrinkage.Kind,
			Amount: o.Shrinkage.Amount, Priors: priors}))
	}
	return nilOnError(classify.FitQDA(s, classify.QDAOptions{Shrinkage: o.Shrinkage.Kind, Amount: o.Shrinkage.Amount,
		Priors: priors, RegParam: regParam}))
}

// nilOnError keeps a nil pointer from becoming an interface that is not nil.
func nilOnError[T model.Classifier](cl T, err error) (model.Classifier, error) {
	if err != nil {
		return nil, err
	}
	return cl, nil
}

// OnFeatures returns the model with its classifier replaced by k nearest neighbors
// on the features of the given data.
func OnFeatures(ctx context.Context, m *model.Model, d *dataset.Data, k int) (*model.Model, error) {
	z, err := m.Transform(ctx, model.BatchOf(d))
	if err != nil {
		return nil, err
	}
	knn, err := classify.FitKNN(z.X, d.Labels, m.Classes, classify.KNNOptions{K: k})
	if err != nil {
		return nil, err
	}
	out := *m
	out.Classifier = knn
	return &out, nil
}
