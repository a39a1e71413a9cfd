package model

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/digest"
	"rao/internal/indices"
	"rao/internal/text"
)

// Extension describes new classes for a model by labeled observations, or by statistics of vectors. Both describe
// inputs of the model, before any stage.
type Extension struct {
	Batch   Batch                // the observations
	Labels  []int                // labels of the observations, indices of the new classes
	Classes []string             // names of the new classes
	Stats   *gaussian.Statistics // statistics of the new classes, in place of the other fields
}

// AddClasses returns a model with additional classes; m does not change. The stages (scaling, filters) and the existing
// classes do not change. The filters may therefore separate the new classes less well than the filters of a new fit. A
// QDA classifier gets a Gaussian for each new class, from observations or statistics. A classifier of nearest neighbors
// stores the observations. AddClasses returns an error for any other classifier, because it needs a new fit, and for a
// class that the model already has. If the priors are class frequencies, they are updated.
func (m *Model) AddClasses(ctx context.Context, e Extension) (*Model, error) {
	if err := m.checkClassifier(); err != nil {
		return nil, err
	}
	if e.Stats != nil {
		e.Classes = e.Stats.Classes
	}
	for _, name := range e.Classes {
		if slices.Contains(m.Classes, name) {
			return nil, fmt.Errorf("the model already has class %q; leave the rows of this class out", name)
		}
	}
	counts, err := e.counts()
	if err != nil {
		return nil, err
	}
	out := *m
	out.Threshold = 0 // a threshold is only for two classes
	if out.Classifier, err = m.extended(ctx, e); err != nil {
		return nil, err
	}
	out.Classes = slices.Concat(m.Classes, e.Classes)
	if m.Training.Counts != nil {
		out.Training.Counts = slices.Concat(m.Training.Counts, counts)
	}
	out.Training.Digest = e.grown(m.Training.Digest)
	out.Training.Privacy = nil // the new observations have no noise
	out.Training.Range.learn(e.Batch)
	out.Report.History = nil
	out.Notes = append(slices.Clone(m.Notes),
		text.Plural(len(e.Classes), "class was", "classes were")+
			" added after the fit, so the filters were learned without them")
	return &out, out.Validate()
}

// counts returns the number of observations of each new class.
func (e *Extension) counts() ([]int, error) {
	if e.Stats != nil {
		return e.Stats.Counts, e.Stats.Validate()
	}
	if err := indices.CheckOnePer("label", len(e.Labels), "observation", e.Batch.Len()); err != nil {
		return nil, err
	}
	return indices.Counts("observation", e.Labels, len(e.Classes))
}

// grown returns a digest of the data from which the model has learned.
func (e *Extension) grown(before string) string {
	if e.Stats == nil {
		return grown(before, e.Batch, e.Labels)
	}
	d := digest.New()
	d.Text(before)
	d.Text(classstats.Marginals(e.Stats).Digest())
	return d.String()
}

func (m *Model) extended(ctx context.Context, e Extension) (Classifier, error) {
	k, _, _ := kindFor(m.Classifier)
	if k.extend == nil {
		return nil, fmt.Errorf("the classifier of the %s model cannot add classes (only %s can); fit a new model to "+
			"all the data", m.Method, whichCan(func(a *abilities) bool { return a.extend != nil }))
	}
	return k.extend(ctx, m, m.Classifier, e)
}

func extendGaussians(ctx context.Context, m *Model, cl *classify.QDA, e Extension) (Classifier, error) {
	s, err := m.featureStatistics(ctx, e)
	if err != nil {
		return nil, err
	}
	return qdaWithClasses(cl, s, m.Training.Counts)
}

func extendNeighbors(ctx context.Context, m *Model, cl *classify.KNN, e Extension) (Classifier, error) {
	if e.Stats != nil {
		return nil, errors.New("a classifier of nearest neighbors stores the observations, so statistics are not " +
			"enough; give the data")
	}
	x, err := m.throughStages(ctx, e.Batch)
	if err != nil {
		return nil, err
	}
	return knnWithClasses(cl, x, e.Labels, e.Classes)
}

// throughStages returns the rows of b after all stages of the model.
func (m *Model) throughStages(ctx context.Context, b Batch) (mat.Matrix, error) {
	b, err := m.Input.match(b)
	if err != nil {
		return nil, err
	}
	b, err = m.applyStages(ctx, b)
	return b.X, err
}

// featureStatistics returns the statistics of the new classes after all stages.
func (m *Model) featureStatistics(ctx context.Context, e Extension) (*gaussian.Statistics, error) {
	if e.Stats == nil {
		x, err := m.throughStages(ctx, e.Batch)
		if err != nil {
			return nil, err
		}
		return gaussian.EstimateMoments(x, e.Labels, e.Classes)
	}
	s, err := e.Stats.MatchColumns(m.Input.Columns)
	if err != nil {
		return nil, fmt.Errorf("the statistics do not have the columns of the model: %w", err)
	}
	if m.Input.Kind != KindVectors || s.Dim != m.Input.Dim {
		return nil, fmt.Errorf("the statistics are of vectors of %s, but the model needs %s of dimension %d",
			text.Plural(s.Dim, "column", "columns"), m.Input.Kind, m.Input.Dim)
	}
	for _, stage := range m.Stages {
		p, ok := stage.(passesStatistics)
		if !ok {
			return nil, fmt.Errorf("the model has a stage, %s, that cannot be applied to statistics; give the data",
				NameOf(stage))
		}
		s = p.statistics(s)
	}
	return s, nil
}
