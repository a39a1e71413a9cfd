// Package modelinfo describes models.
package modelinfo

import (
	"fmt"
	"strings"

	"rao"
	"rao/gaussian"
	"rao/internal/text"
	"rao/model"
	"rao/recipe"
)

// Description describes a model. The output of rao show --json, the model card of a server, and the Python and
// WebAssembly packages all use it. Its JSON names do not change.
type Description struct {
	Method  string             `json:"method"`               // name of the method
	Options map[string]string  `json:"options"`              // only options that were given
	Classes []string           `json:"classes"`              // class names
	Labels  gaussian.LabelType `json:"label_type,omitempty"` // type of the labels
	// Counts are the numbers of training observations per class; nil if unknown.
	Counts []int `json:"counts,omitempty"`

	Kind     model.Kind       `json:"kind"`               // kind of an observation
	Dim      int              `json:"dim"`                // length of a vector or order of a matrix
	Image    []int            `json:"image,omitempty"`    // rows, columns and channels if a vector is an image
	Columns  []string         `json:"columns,omitempty"`  // names; nil: matched by position
	Channels []string         `json:"channels,omitempty"` // names; nil: matched by position
	Recipe   *recipe.Recipe   `json:"recipe,omitempty"`   // how an observation was computed; nil if unknown
	Table    *recipe.Encoding `json:"table,omitempty"`    // how the columns of a table become an observation

	Stages     []Part `json:"stages"`               // in the order of application
	Classifier *Part  `json:"classifier,omitempty"` // nil in a model of features
	// Features is the length of the vectors that Transform returns, or the order of the matrices. It is 0 if the model
	// computes no features.
	Features int `json:"features,omitempty"`

	Training string         `json:"training_digest,omitempty"` // digest of the training data or statistics
	Privacy  *model.Privacy `json:"privacy,omitempty"`         // guarantee of private statistics, per row or unit
	Reject   float64        `json:"reject_below,omitempty"`    // rejection threshold for the largest posterior
	// Threshold is the smallest probability at which the last of two classes is chosen. 0 means that the more probable
	// class is chosen.
	Threshold float64    `json:"threshold,omitempty"`
	Report    rao.Report `json:"report"`                // how the fit ended
	Notes     []string   `json:"notes,omitempty"`       // notes on the fit for the user
	Version   string     `json:"rao_version,omitempty"` // version of rao that wrote the file, if loaded from one
}

// Part describes a stage or the classifier of a model.
type Part struct {
	Kind   string `json:"kind"`             // its name in the file
	Input  string `json:"input"`            // description of its input
	Output string `json:"output"`           // description of its output
	Detail string `json:"detail,omitempty"` // further settings in words
}

// String describes the part in one line.
func (p Part) String() string {
	s := p.Kind
	if p.Detail != "" {
		s += " (" + p.Detail + ")"
	}
	return fmt.Sprintf("%s: %s → %s", s, p.Input, p.Output)
}

// Describe returns the description of a valid model. It shares memory with the model.
func Describe(m *model.Model) Description {
	in := m.Input
	d := Description{Method: m.Method, Options: map[string]string{}, Classes: m.Classes, Labels: m.Labels,
		Counts: m.Training.Counts,
		Kind:   in.Kind, Dim: in.Dim, Columns: in.Columns, Channels: in.Channels, Recipe: in.Recipe, Table: in.Table,
		Stages: []Part{}, Features: m.Features(), Training: m.Training.Digest, Privacy: m.Training.Privacy,
		Reject: m.RejectBelow, Threshold: m.Threshold, Report: m.Report, Notes: m.Notes, Version: m.Version}
	if in.Image[0] > 0 {
		d.Image = m.Input.Image[:]
	}
	for _, o := range m.Options {
		d.Options[o.Name] = o.Value
	}
	for _, s := range m.Stages {
		out, err := s.Out(in)
		if err != nil {
			return d
		}
		d.Stages = append(d.Stages, Part{model.NameOf(s), size(in), size(out), settings(s)})
		in = out
	}
	if m.Classifier != nil {
		d.Classifier = &Part{model.NameOf(m.Classifier), size(in), fmt.Sprintf("%d classes", len(m.Classes)),
			patterns(m.Classifier)}
	}
	return d
}

// size describes the shape of an observation in words.
func size(s model.Schema) string {
	if s.Kind == model.KindMatrices {
		return fmt.Sprintf("%d×%d", s.Dim, s.Dim)
	}
	return text.Plural(s.Dim, "value", "values")
}

// settings describes the settings of a stage. A stage of another package has a method String.
func settings(s model.Stage) string {
	switch s := s.(type) {
	case *model.Scaling:
		switch {
		case len(s.Scale) > 1:
			return "each column by its own factor"
		case len(s.Scale) == 1:
			return fmt.Sprintf("all by %.4g", s.Scale[0])
		}
		return "center"
	case *model.Adaptation:
		return adaptation(s)
	case fmt.Stringer:
		return s.String()
	}
	return ""
}

// adaptation explains how the stage adapts and what it stores from the training data.
func adaptation(a *model.Adaptation) string {
	words := string(a.How)
	switch a.How {
	case "bias":
		words += ", intercepts follow the decisions"
	case "causal":
		words += ", from the mean of the training data"
	default:
		words += ", of complete recordings"
	}
	if a.Rate > 0 {
		words += fmt.Sprintf(", rate %g", a.Rate)
	}
	if a.Shares != nil {
		words += ", to the class proportions of the training data"
	}
	return words
}

// patterns describes which part of an observation a classifier uses, if it has learned that.
func patterns(c model.Classifier) string {
	e, ok := c.(interface{ Ranks() ([]int, error) })
	if !ok {
		return ""
	}
	ranks, err := e.Ranks()
	if err != nil {
		return ""
	}
	return "spatial patterns per class: " + strings.Trim(fmt.Sprint(ranks), "[]")
}
