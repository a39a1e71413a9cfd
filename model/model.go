package model

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
)

// Model is a trained pipeline, everything needed to predict: what an observation is,
// the stages that map it, the classifier of what the last stage gives, and the names
// of the classes.
//
// A model is safe for concurrent use once fitted or loaded.
type Model struct {
	Method  string
	Options []Option // the options that were given, in the order of their names
	Classes []string
	Labels  gaussian.LabelType // of the labels whose names the classes are
	Input   Schema             // what an observation is, before the stages

	Stages     []Stage
	Classifier Classifier // of what the last stage gives; nil in a model of features

	Training Training // what it was fitted to
	Report   rao.Report
	Seconds  Seconds  // not kept in a file
	Version  string   // of rao that wrote the file it is from
	Kernel   string   // of the fit, where the model is from a file: portable, avx2 or avx512
	Notes    []string // what a user should know of the fit, a sentence each
	Warnings []string // those of the notes that a user should act on; not kept in a file
	Rejection
	// Threshold decides for the last of two classes from this probability on; 0 decides for the more probable.
	Threshold float64
}

// New returns a model of parts that were fitted: observations of the input pass the stages and reach the
// classifier, which is nil in a model of features. classes are the names of the classes in the order of
// their labels. It returns an error when the parts do not fit together. Set Method and the other fields
// before the model is used.
func New(input Schema, classes []string, cl Classifier, stages ...Stage) (*Model, error) {
	m := &Model{Method: "custom", Input: input, Classes: classes, Stages: stages, Classifier: cl}
	return m, m.Validate()
}

// Option is one option of the fit, as text.
type Option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Seconds is the wall time of the parts of a fit.
type Seconds struct {
	Load       float64 `json:"load"`
	Statistics float64 `json:"statistics"`
	Fit        float64 `json:"fit"`
}

// Rejection says when a prediction is withheld.
type Rejection struct {
	RejectBelow float64 `json:"reject_below"` // reject when the largest posterior is below; 0 never rejects
}

// Validate returns an error if the parts do not fit together or one of them is
// not valid in itself.
func (m *Model) Validate() error {
	switch {
	case m.Method == "":
		return errors.New("the model names no method")
	case len(m.Classes) < 1:
		return errors.New("the model names no classes")
	case m.Labels.Validate() != nil:
		return m.Labels.Validate()
	case !(m.RejectBelow >= 0 && m.RejectBelow <= 1):
		return fmt.Errorf("the rejection threshold is %v, want 0 to 1", m.RejectBelow)
	}
	if err := m.checkThreshold(); err != nil {
		return err
	}
	if err := m.Input.Validate(); err != nil {
		return err
	}
	for i, names := range [][]string{m.Classes, m.Input.Columns, m.Input.Channels} {
		if name, ok := twice(names); ok {
			what := [...]string{"classes", "columns", "channels"}[i]
			return fmt.Errorf("two %s have the name %q; rename one", what, name)
		}
	}
	if err := m.Training.Validate(len(m.Classes)); err != nil {
		return err
	}
	out, err := m.Output()
	if err != nil {
		return err
	}
	if m.Classifier != nil {
		if err := validateClassifier(m.Classifier, out, len(m.Classes)); err != nil {
			return fmt.Errorf("classifier: %w", err)
		}
	} else if !m.HasFeatures() {
		return errors.New("the model has neither features nor a classifier")
	}
	return nil
}

// Output describes what the last stage gives, after every stage was found valid and
// to fit the one before it.
func (m *Model) Output() (Schema, error) {
	s := m.Input
	for _, stage := range m.Stages {
		err := stage.Validate()
		if err == nil {
			s, err = stage.Out(s)
		}
		if err != nil {
			return s, fmt.Errorf("%s: %w", NameOf(stage), err)
		}
	}
	return s, nil
}

// HasFeatures reports whether Transform works: whether a stage makes features, or the
// classifier does inside.
func (m *Model) HasFeatures() bool { return m.stagesMakeFeatures() || looksInside(m.Classifier) }

func (m *Model) stagesMakeFeatures() bool {
	return slices.ContainsFunc(m.Stages, func(s Stage) bool {
		_, prepares := s.(preparing)
		return !prepares
	})
}

// StageOf returns the first stage of type T of the model, nil when it has none.
func StageOf[T Stage](m *Model) (stage T) {
	for _, s := range m.Stages {
		if s, ok := s.(T); ok {
			return s
		}
	}
	return stage
}

// Filters returns the linear filters of the model, dimensions × filters, nil when it
// has none.
func (m *Model) Filters() *mat.Dense {
	if f := StageOf[*Filters](m); f != nil {
		filters, _ := f.Affine()
		return filters
	}
	return nil
}

// twice returns a name that occurs more than once, if one does. Empty names do not count.
func twice(names []string) (string, bool) {
	seen := make(map[string]bool, len(names))
	for _, n := range names {
		if seen[n] && n != "" {
			return n, true
		}
		seen[n] = true
	}
	return "", false
}
