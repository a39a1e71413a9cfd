package method

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/classify"
	"rao/eeg/spatial"
	"rao/model"
	"rao/stream"
)

// ParzenOr is a Follower, or parzen: naive Bayes with Parzen windows, of each class against
// the rest by its own features.
type ParzenOr string

// Syntax implements the word that help shows.
func (ParzenOr) Syntax() string { return "parzen|" + Follower("").Syntax() }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *ParzenOr) UnmarshalText(text []byte) error {
	var f Follower
	if string(text) != "parzen" {
		if err := f.UnmarshalText(text); err != nil {
			return err
		}
		if f.ofMatrices() {
			return errors.New("want parzen, none or a method of vectors: features of a filter bank are vectors")
		}
	}
	*p = ParzenOr(text)
	return nil
}

type fbcspOptions struct {
	Bands      AutoCount `opt:"bands" default:"auto" min:"1" max:"1000" help:"number of bands, whose blocks of channels follow each other along the diagonal; auto takes that of the recipe in the file, and 1 without"`
	Pairs      AutoCount `opt:"pairs" default:"auto" min:"1" max:"1000" help:"pairs of spatial filters of each band; auto takes 2, and 1 of two or three channels"`
	Select     int       `opt:"select" default:"4" min:"1" max:"100000" help:"features to keep by their mutual information with the class, beside those that they are paired with; of more than two classes for each"`
	Shrinkage  float64   `opt:"shrinkage" default:"0" min:"0" max:"1" help:"how far class means are drawn towards a multiple of the identity; some helps when trials are few or channels many"`
	Classifier ParzenOr  `opt:"classifier" default:"parzen" help:"what learns on the features: parzen (naive Bayes with Parzen windows; of more than two classes each against the rest by its own features), a method of vectors with its options, METHOD[:OPTION=VALUE]..., or none"`
}

// bandsOf returns the number of bands that the recipe of the matrices tells, 0 when there is
// none.
func (m *matrices) bandsOf() int {
	r := m.model.Input.Recipe
	if r == nil || r.Signal == nil {
		return 0
	}
	if len(r.Signal.Bands) > 1 && r.Signal.Combine == stream.Separate.String() {
		return 0
	}
	return max(1, len(r.Signal.Bands))
}

// fitFBCSP selects features of the spatial patterns of a filter bank and fits the
// classifier of the options to them.
func fitFBCSP(ctx context.Context, m *matrices, o *fbcspOptions) (model.Classifier, rao.Report, error) {
	bands := int(o.Bands)
	if bands == 0 {
		if bands = m.bandsOf(); bands == 0 {
			bands = 1
			m.model.Notes = append(m.model.Notes,
				"the data do not say how many bands they have, so that all channels are of one; give --bands")
		}
	}
	bank, err := spatial.FitFilterBank(ctx, m.x, m.labels(), m.classes(), spatial.FilterBankOptions{Bands: bands,
		Pairs: int(o.Pairs), Select: o.Select, Shrinkage: o.Shrinkage})
	if err != nil {
		return nil, closed, err
	}
	stage := &model.FilterBank{FilterBank: bank}
	m.model.Stages = append(m.model.Stages, stage)
	if o.Classifier != "parzen" {
		return nil, closed, m.follow(ctx, Follower(o.Classifier))
	}
	var z mat.Dense
	if err := bank.Features(&z, m.x); err != nil {
		return nil, closed, err
	}
	cl, err := classify.FitParzen(&z, m.labels(), m.classes(), bank.ClassOf())
	if err != nil {
		return nil, closed, err
	}
	return cl, closed, nil
}
