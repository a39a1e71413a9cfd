package model

import (
	"rao"
	"rao/dataset"
	"rao/gaussian"
	"rao/internal/privacy"
	"rao/recipe"
	"rao/spd"
)

// Description is what a model says of itself, the same wherever it is shown: rao show
// --json, the card of a server, the Python and the WebAssembly package. Its JSON names do
// not change.
type Description struct {
	Method  string             `json:"method"`
	Options map[string]string  `json:"options"` // those that were given
	Classes []string           `json:"classes"`
	Labels  gaussian.LabelType `json:"label_type,omitempty"`
	// Counts are the observations of each class in the training, nil when not known.
	Counts []int `json:"counts,omitempty"`

	Kind     Kind           `json:"kind"`              // what an observation is
	Dim      int            `json:"dim"`               // length of a vector, or order of a matrix
	Image    []int          `json:"image,omitempty"`   // rows, columns and channels when a vector is an image
	Columns  []string       `json:"columns,omitempty"` // names, nil when they go by position
	Channels []string       `json:"channels,omitempty"`
	Recipe   *recipe.Recipe `json:"recipe,omitempty"` // how an observation was made, nil when not known
	Table    *dataset.Form  `json:"table,omitempty"`  // how the columns of a table become an observation

	Stages     []Part `json:"stages"`
	Classifier *Part  `json:"classifier,omitempty"` // nil in a model of features
	// Features is the length of what Transform gives, or the order of its smaller matrices;
	// 0 when the model makes no features.
	Features int `json:"features,omitempty"`

	Training string             `json:"training_digest,omitempty"` // digest of the data or their statistics
	Privacy  *privacy.Guarantee `json:"privacy,omitempty"`         // of private statistics, for each row or unit
	Reject   float64            `json:"reject_below,omitempty"`    // threshold of the largest posterior
	// Threshold is the probability from which the last of two classes is decided for; 0: the more probable is.
	Threshold float64    `json:"threshold,omitempty"`
	Report    rao.Report `json:"report"`
	Notes     []string   `json:"notes,omitempty"`       // what a user should know of the fit
	Version   string     `json:"rao_version,omitempty"` // of rao that wrote the file, where it is from one
}

// Describe returns what a valid model says of itself. It shares memory with the model.
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
	d.Stages, d.Classifier = m.Parts()
	return d
}

// features is the length of what Transform gives, or the order of its matrices, 0 for none.
func (m *Model) features() int {
	out, err := m.Output()
	switch {
	case err != nil || !m.HasFeatures():
		return 0
	case m.stagesMakeFeatures():
		return out.Dim
	}
	return spd.TangentDim(out.Dim)
}
