package method

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/descriptor"
	"rao/lvq"
	"rao/model"
	"rao/spd"
)

type jointOptions struct {
	plrsqOptions
	Joint int `opt:"joint" default:"0" min:"0" max:"1000000" help:"iterations in which the filters of --reduce and the prototypes are learned together; 0 keeps the filters. It fits few data too closely (docs/results.md)"`
}

// fitPLRSQ learns prototypes under the affine-invariant metric, and the filters before
// them too where the options ask for it.
func fitPLRSQ(ctx context.Context, m *matrices, o *jointOptions) (model.Classifier, rao.Report, error) {
	if o.Joint == 0 {
		return plrsqWith(spd.Riemann)(ctx, m, &o.plrsqOptions)
	}
	start, err := o.startOfJoint(m)
	if err != nil {
		return nil, closed, fmt.Errorf("--joint: %w", err)
	}
	priors, err := m.priors(&o.Priors)
	if err != nil {
		return nil, closed, err
	}
	filters, cl, err := lvq.FitJointPLRSQ(ctx, m.whole, m.labels(), m.classes(), start,
		lvq.JointOptions{Prototypes: o.Prototypes.Prototypes, Start: lvq.Start(own(o.Start, "auto")),
			Sigma2: o.Sigma2.Value,
			Priors: priors, MaxIter: o.Joint, CalibrationFolds: calibrationFolds(o.Calibration), Seed: uint64(o.Seed),
			Progress: m.progress})
	if cl == nil {
		return nil, closed, err
	}
	m.model.Stages[len(m.model.Stages)-1] = &model.Mapping{
		Map: &descriptor.Reduction{Kind: "joint", Filters: filters, Report: cl.Report}}
	if rerr := o.reject(cl); rerr != nil {
		return nil, closed, rerr
	}
	return cl, cl.Report, err
}

// startOfJoint returns the filters of --reduce, which the joint training begins with and
// needs, and refuses what it has no use for.
func (o *jointOptions) startOfJoint(m *matrices) (*mat.Dense, error) {
	if m.whole == nil {
		return nil, errors.New("it trains the filters of --reduce: give --reduce M too")
	}
	var idle []string
	for _, c := range []struct {
		name  string
		given bool
	}{{"epochs", o.Epochs != 0}, {"rate", o.Prototypes.Rate.Value != 0}, {"anneal", o.Anneal != "none"},
		{"schedule", o.Schedule != "published"}, {"batch", o.Batch != 1}, {"validation", o.Validation != 0},
		{"soft-labels", o.SoftLabels != "none"}, {"whiten", o.Whiten != "none"}} {
		if c.given {
			idle = append(idle, "--"+c.name)
		}
	}
	if len(idle) > 0 {
		return nil, fmt.Errorf("it has its own way to train, and no use for %s: leave that out",
			strings.Join(idle, ", "))
	}
	stage, ok := m.model.Stages[len(m.model.Stages)-1].(*model.Mapping)
	if !ok {
		return nil, errors.New("--reduce left no filters")
	}
	switch r := stage.Map.(type) {
	case *descriptor.Reduction:
		return r.Filters, nil
	case *descriptor.CSP:
		return r.Filters, nil
	}
	return nil, fmt.Errorf("--reduce made a %T, which has no filters", stage.Map)
}
