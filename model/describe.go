package model

import (
	"rao"
	"rao/gaussian"
	"rao/internal/linalg/vec"
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

	Kind     Kind             `json:"kind"`               // kind of an observation
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

	Training string   `json:"training_digest,omitempty"` // digest of the training data or statistics
	Privacy  *Privacy `json:"privacy,omitempty"`         // guarantee of private statistics, per row or unit
	Reject   float64  `json:"reject_below,omitempty"`    // rejection threshold for the largest posterior
	// Threshold is the smallest probability at which the last of two classes is chosen. 0 means that the more probable
	// class is chosen.
	Threshold float64    `json:"threshold,omitempty"`
	Report    rao.Report `json:"report"`                // how the fit ended
	Notes     []string   `json:"notes,omitempty"`       // notes on the fit for the user
	Version   string     `json:"rao_version,omitempty"` // version of rao that wrote the file, if loaded from one
}

// Describe returns the description of a valid model. It shares memory with the model.
func Describe(m *Model) Description {
	in := m.Input
	d := Description{Method: m.Method, Options: map[string]string{}, Classes: m.Classes, Labels: m.Labels,
		Counts: m.Training.Counts,
		Kind:   in.Kind, Dim: in.Dim, Columns: in.Columns, Channels: in.Channels, Recipe: in.Recipe, Table: in.Table,
		Features: m.features(), Training: m.Training.Digest, Privacy: m.Training.Privacy,
		Reject: m.RejectBelow, Threshold: m.Threshold, Report: m.Report,
		Notes: m.Notes, Version: m.Version}
	if in.Image[0] > 0 {
		d.Image = in.Image[:]
	}
	for _, o := range m.Options {
		d.Options[o.Name] = o.Value
	}
	d.Stages, d.Classifier = m.parts()
	return d
}

// features returns the length of the vectors from Transform, or the order of its matrices, or 0 if there are none.
func (m *Model) features() int {
	out, err := m.Output()
	switch {
	case err != nil || !m.HasFeatures():
		return 0
	case m.stagesMakeFeatures():
		return out.Dim
	}
	return vec.PackedLen(out.Dim)
}
