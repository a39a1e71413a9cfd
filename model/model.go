package model

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/evaluate"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
)

// Model is a trained pipeline with everything needed to predict: the description of an observation, the stages, the
// classifier of the last stage's output, and the names of the classes.
//
// A model is safe for concurrent use once fitted or loaded.
type Model struct {
	Method  string             // name of the method
	Options []evaluate.Setting // the options of the fit, sorted by name
	Classes []string           // class names, in the order of the labels
	Labels  gaussian.LabelType // type of the labels behind the class names
	Input   Schema             // description of an observation before the stages

	Stages     []Stage    // in the order of application
	Classifier Classifier // classifier of the last stage's output; nil in a model of features

	Training Training   // description of the training data
	Report   rao.Report // how the fit ended
	Seconds  Seconds    // duration of the parts of the fit; not stored in a file
	Version  string     // version of rao that wrote the file
	Kernel   string     // kernels used in the fit, if loaded from a file: portable, avx2 or avx512
	Notes    []string   // notes on the fit for the user
	Warnings []string   // notes that require action; not stored in a file
	// RejectBelow rejects a decision if the largest posterior is below it. 0 means never.
	RejectBelow float64
	// Threshold is the smallest probability at which the last of two classes is chosen. 0 means that the more probable
	// class is chosen.
	Threshold float64
}

// New returns a model assembled from fitted parts: a description of the input, the stages, and the classifier, which is
// nil in a model of features. classes are the names of the classes in the order of their labels. It returns an error if
// the parts do not fit together. Method is set to "custom". You may set Method and the other fields before you use the
// model.
func New(input Schema, classes []string, cl Classifier, stages ...Stage) (*Model, error) {
	m := &Model{Method: "custom", Input: input, Classes: classes, Stages: stages, Classifier: cl}
	return m, m.Validate()
}

// Seconds is the wall-clock time of the parts of a fit.
type Seconds struct {
	Load       float64 `json:"load"`       // reading the data
	Statistics float64 `json:"statistics"` // computing statistics
	Fit        float64 `json:"fit"`        // the fit
}

// Validate returns an error if the parts do not fit together or one of them is invalid.
func (m *Model) Validate() error {
	switch {
	case m.Method == "":
		return errors.New("the model does not name its method; fit it again")
	case len(m.Classes) < 1:
		return errors.New("the model does not name its classes; fit it again")
	case !(m.RejectBelow >= 0 && m.RejectBelow <= 1):
		return fmt.Errorf("the rejection threshold is %v; it must be between 0 and 1", m.RejectBelow)
	}
	if err := naming.CheckLabelType(string(m.Labels)); err != nil {
		return err
	}
	if err := m.checkThreshold(); err != nil {
		return err
	}
	if err := m.Input.validate(); err != nil {
		return err
	}
	for i, names := range [][]string{m.Classes, m.Input.Columns, m.Input.Channels} {
		named := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "" })
		if name, ok := naming.Twice(named); ok {
			what := [...]string{"classes", "columns", "channels"}[i]
			return fmt.Errorf("two %s have the name %q; rename one", what, name)
		}
	}
	if err := m.Training.validate(len(m.Classes)); err != nil {
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
	} else if !m.hasFeatures() {
		return errors.New("the model has neither features nor a classifier; fit it again")
	}
	return nil
}

// Output returns the schema of the last stage's output, or an error if a stage is invalid or does not accept its input.
func (m *Model) Output() (Schema, error) {
	s := m.Input
	for _, stage := range m.Stages {
		var err error
		if v, ok := stage.(interface{ Validate() error }); ok {
			err = v.Validate()
		}
		if err == nil {
			s, err = stage.Out(s)
		}
		if err != nil {
			return s, fmt.Errorf("%s: %w", NameOf(stage), err)
		}
	}
	return s, nil
}

// Features returns the length of the vectors from Transform, or the order of its matrices. It returns 0 if neither a
// stage nor the classifier computes features, or if a stage is invalid.
func (m *Model) Features() int {
	out, err := m.Output()
	switch {
	case err != nil || !m.hasFeatures():
		return 0
	case m.stagesMakeFeatures():
		return out.Dim
	}
	return vec.PackedLen(out.Dim)
}

// hasFeatures reports whether Transform works.
func (m *Model) hasFeatures() bool { return m.stagesMakeFeatures() || looksInside(m.Classifier) }

func (m *Model) stagesMakeFeatures() bool {
	return slices.ContainsFunc(m.Stages, func(s Stage) bool {
		_, prepares := s.(preparing)
		return !prepares
	})
}

// StageOf returns the first stage of type T of the model or the value of type T in a stage (see [Wrap]), or nil.
func StageOf[T any](m *Model) (stage T) {
	for _, s := range m.Stages {
		if s, ok := Unwrap(s).(T); ok {
			return s
		}
	}
	return stage
}

// Filters returns the linear filters of the model (dimensions × filters), or nil.
func (m *Model) Filters() *mat.Dense {
	if f := StageOf[*feature.Model](m); f != nil {
		return f.Filters
	}
	return nil
}
