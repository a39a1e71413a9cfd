package method

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/dataset"
	"rao/gaussian"
	"rao/internal/suggest"
	"rao/model"
	"rao/sqfa"
)

var classifiers = []string{"qda", "lda", "knn", "none"}

// classifyFeatures fits the classifier of the settings on the features of the
// model. QDA and LDA need only the statistics, which the filters project.
func (v *vectors) classifyFeatures(ctx context.Context) error {
	kind := v.set.Classifier
	if !slices.Contains(classifiers, kind) {
		return suggest.Unknown("classifier", kind, classifiers)
	}
	if kind == "none" {
		return nil
	}
	if kind == "knn" {
		if v.src.Data == nil {
			return fmt.Errorf("--classifier knn keeps the observations; statistics alone do not do, give --data or use qda")
		}
		knn, err := OnFeatures(ctx, v.model, v.src.Data, v.set.Neighbours)
		if err != nil {
			return err
		}
		v.model.Classifier = knn.Classifier
		return nil
	}
	s, err := v.featureStatistics(ctx)
	if err != nil {
		return err
	}
	cl, err := v.discriminant(kind, s)
	if noise := v.featureNoise(); err != nil && noise > 0 {
		return v.noisyDiscriminant(kind, s, noise, err)
	}
	v.model.Classifier = cl
	return err
}

// featureNoise returns the noise that the filters were learned with, 0 when there was
// none or it is not known.
func (v *vectors) featureNoise() float64 {
	if f := model.StageOf[*model.Filters](v.model); f != nil {
		if m, ok := f.Linear.(*sqfa.Model); ok {
			return m.Noise
		}
	}
	if v.set.Refine || v.model.Method == "ama" {
		if noise, auto, err := parseNoise(v.set.Noise); err == nil && !auto {
			return noise
		}
	}
	return 0
}

// noisyDiscriminant fits the classifier after the failure of a plain fit with the
// filters' noise added to the classes' covariances, and says so in the model. The plain
// fit comes first because a quadratic classifier does not depend on how the features
// are mixed: as long as a covariance has an inverse, noise only takes information away.
func (v *vectors) noisyDiscriminant(kind string, s *gaussian.Statistics, noise float64, plain error) error {
	s = s.Clone()
	for i := range s.NumClasses() {
		cov := s.Covariance(i)
		for j := range s.Dim {
			cov[j*s.Dim+j] += noise
		}
	}
	cl, err := v.discriminant(kind, s)
	if err != nil {
		return plain
	}
	v.model.Classifier = cl
	v.model.Notes = append(v.model.Notes, fmt.Sprintf("a class has no spread in some direction of the features, so the filters' noise, %.4g, "+
		"was added to the covariances of the classifier; fewer filters, or a shrinkage (oas), do without", noise))
	return nil
}

// featureStatistics returns the statistics of the features: projected, or estimated
// anew when the shrinkage needs moments that a projection does not keep.
func (v *vectors) featureStatistics(ctx context.Context) (*gaussian.Statistics, error) {
	kind, _, err := parseShrinkage(v.set.Shrinkage)
	if err != nil {
		return nil, err
	}
	if v.src.Data != nil && kind == gaussian.LedoitWolf {
		z, err := v.model.Transform(ctx, model.BatchOf(v.src.Data))
		if err != nil {
			return nil, err
		}
		return gaussian.Estimate(z.X, v.src.Data.Labels, v.raw.Names)
	}
	filters, centre := model.StageOf[*model.Filters](v.model).Affine()
	_, m := filters.Dims()
	s := v.stats.Project(mat.DenseCopyOf(filters).RawMatrix().Data, m)
	for i := range s.NumClasses() { // rounding leaves an empty direction a little below zero
		cov := s.Covariance(i)
		for j := range m {
			cov[j*m+j] = max(cov[j*m+j], 0)
		}
	}
	if centre == nil {
		return s, nil
	}
	var shift mat.VecDense
	shift.MulVec(filters.T(), mat.NewVecDense(len(centre), centre))
	return s.Affine(shift.RawVector().Data, []float64{1}), nil
}

// discriminant fits QDA or LDA to statistics.
func (j *job) discriminant(kind string, s *gaussian.Statistics) (model.Classifier, error) {
	shrink, amount, err := parseShrinkage(j.set.Shrinkage)
	if err != nil {
		return nil, err
	}
	priors, err := parsePriors(j.set.Priors, s.NumClasses(), s.Priors)
	if err != nil {
		return nil, err
	}
	if kind == "lda" {
		return nilOnError(classify.FitLDA(s, classify.LDAOptions{Shrinkage: shrink, Amount: amount, Priors: priors}))
	}
	return nilOnError(classify.FitQDA(s, classify.QDAOptions{Shrinkage: shrink, Amount: amount, Priors: priors, RegParam: j.set.RegParam}))
}

// nilOnError keeps a nil pointer from becoming an interface that is not nil.
func nilOnError[T model.Classifier](cl T, err error) (model.Classifier, error) {
	if err != nil {
		return nil, err
	}
	return cl, nil
}

// OnFeatures returns the model with its classifier replaced by k nearest neighbours
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

// parseShrinkage returns the shrinkage of the settings; auto is none for vectors.
func parseShrinkage(s string) (gaussian.Shrinkage, float64, error) {
	if s == "auto" || s == "" {
		return gaussian.None, 0, nil
	}
	if amount, err := strconv.ParseFloat(s, 64); err == nil {
		if !(amount >= 0 && amount <= 1) {
			return 0, 0, fmt.Errorf("shrinkage %s is outside 0 to 1", s)
		}
		return gaussian.Fixed, amount, nil
	}
	kind, err := gaussian.ParseShrinkage(s)
	if err != nil || kind == gaussian.Fixed {
		return 0, 0, fmt.Errorf("unknown shrinkage %q; want auto, none, oas, ledoit_wolf or an amount from 0 to 1", s)
	}
	return kind, 0, nil
}

// parsePriors returns the priors of the settings, nil for auto; shares are those of
// the data.
func parsePriors(s string, classes int, shares func() []float64) ([]float64, error) {
	switch s {
	case "auto", "":
		return nil, nil
	case "empirical":
		return shares(), nil
	case "uniform":
		p := make([]float64, classes)
		for i := range p {
			p[i] = 1 / float64(classes)
		}
		return p, nil
	}
	parts := strings.Split(s, ",")
	if len(parts) != classes {
		return nil, fmt.Errorf("priors %q: %d numbers for %d classes; want auto, empirical, uniform or one number a class", s, len(parts), classes)
	}
	p := make([]float64, classes)
	sum := 0.0
	for i, t := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(t), 64)
		if err != nil || !(v > 0) {
			return nil, fmt.Errorf("priors %q: %q is not a positive number", s, t)
		}
		p[i] = v
		sum += v
	}
	for i := range p {
		p[i] /= sum
	}
	return p, nil
}
