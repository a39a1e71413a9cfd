package spatial

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/classifiers"
	"rao/internal/faults"
	"rao/internal/optionvalues"
	"rao/internal/recipes"
	"rao/method"
	"rao/recipe"
	"rao/spd"
)

// parzenOr is a [method.Follower] or parzen: naive Bayes with Parzen windows. With more than two classes, each class
// has its own features and is compared with the rest.
type parzenOr struct {
	parzen bool
	method.Follower
}

// Syntax returns the placeholder for a value in help texts.
func (p parzenOr) Syntax() string { return "parzen|" + p.Follower.Syntax() }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *parzenOr) UnmarshalText(text []byte) error {
	*p = parzenOr{parzen: string(text) == "parzen"}
	if p.parzen {
		return nil
	}
	if err := p.Follower.UnmarshalText(text); err != nil {
		return err
	}
	if p.OfMatrices() {
		return faults.Option("the classifier must be parzen, none or a method of vectors, because features of a " +
			"filter bank are vectors")
	}
	return nil
}

type fbcspOptions struct {
	Bands      optionvalues.AutoCount `opt:"band-count" default:"auto" min:"1" max:"1000" help:"number of bands, stored as consecutive blocks along the diagonal, as by combine=block-diagonal; auto reads it from the recipe in a file, and uses 1 for arrays"`
	Pairs      optionvalues.AutoCount `opt:"filter-pairs" default:"auto" min:"1" max:"1000" help:"pairs of spatial filters per band; auto uses 2, and 1 for two or three channels"`
	Select     int                    `opt:"select" default:"4" min:"1" max:"100000" help:"number of features to keep by their mutual information with the class, in addition to their paired features; with more than two classes, for each class"`
	Shrinkage  float64                `opt:"shrinkage" default:"0" min:"0" max:"1" help:"shrinkage of the class means towards a multiple of the identity; helps with few trials or many channels"`
	Classifier parzenOr               `opt:"classifier" default:"parzen" help:"classifier of the features: parzen (naive Bayes with Parzen windows; with more than two classes, each against the rest on its own features), a vector method with its options, METHOD[:OPTION=VALUE]..., or none"`
}

// bandsOf returns the number of bands according to the recipe of the matrices, or 0 if that is unknown.
func bandsOf(r *recipe.Recipe) int {
	if recipes.SignalOf(r) == nil {
		return 0
	}
	if len(r.Signal.Bands) > 1 && r.Signal.Combine == optionvalues.CombineSeparate {
		return 0
	}
	return max(1, len(r.Signal.Bands))
}

// fitFBCSP selects features from the spatial patterns of a filter bank and fits the chosen classifier to them.
func fitFBCSP(ctx context.Context, f *method.Job, x *spd.Stack, o *fbcspOptions) error {
	d, m := f.Data, f.Model
	opt := *o
	if opt.Bands == 0 {
		if opt.Bands = optionvalues.AutoCount(bandsOf(m.Input.Recipe)); opt.Bands == 0 {
			opt.Bands = 1
			note := "the data do not state the number of bands, so one band is assumed; the option band-count " +
				"changes this"
			m.Notes, m.Warnings = append(m.Notes, note), append(m.Warnings, note)
		}
	}
	bank, err := FitFilterBank(ctx, x, d.Labels, d.Classes, opt)
	if err != nil {
		return err
	}
	m.Stages = append(m.Stages, bank)
	if !o.Classifier.parzen {
		return f.Follow(ctx, o.Classifier.Follower)
	}
	var z mat.Dense
	if err := bank.Features(&z, x); err != nil {
		return err
	}
	cl, err := classifiers.FitParzen(&z, d.Labels, d.Classes, bank.classOf())
	if err == nil {
		m.Classifier = cl
	}
	return err
}

// closed is the report of a method with a closed-form solution.
var closed = rao.Report{Status: rao.StatusClosed}
