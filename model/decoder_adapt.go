package model

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"rao"
	"rao/spd"
)

// checkAdaptation returns an error if the model's adaptation does not work in a stream.
func (d *Decoder) checkAdaptation() error {
	a := StageOf[*Adaptation](d.origin)
	switch {
	case d.opt.Adapt != "" && d.opt.Adapt != adaptCausal:
		return fmt.Errorf("a stream cannot replace the adaptation of the model by %q; use %s",
			d.opt.Adapt, adaptCausal)
	case d.opt.Adapt != "" && (a == nil || a.How == adaptBias):
		return errors.New("the model was not fitted to centered matrices, so causal centering would spoil its " +
			"decisions; fit the model with an adaptation")
	case d.opt.Adapt == "" && a != nil && a.How != adaptCausal && a.How != adaptBias:
		return rao.Optionf("adapt",
			"the model adapts by %s, which needs the complete recording before the first decision, but a stream "+
				"decides while it is recorded; fit with {adapt=causal} or {adapt=bias}, or decode with "+
				"{adapt=causal}, which starts at the mean of the training data", a.How)
	}
	return nil
}

// follow replaces the adaptation with a causal one.
func (d *Decoder) follow() error {
	d.model.Stages = slices.Clone(d.origin.Stages)
	for i, s := range d.model.Stages {
		a, ok := s.(*Adaptation)
		if !ok {
			continue
		}
		if a.How == adaptBias {
			var err error
			if d.bias, err = a.bias(len(d.origin.Classes)); err != nil {
				return err
			}
			continue
		}
		d.center = &centering{Adaptation: a}
		if a.Mean != nil {
			var err error
			if d.center.causal, err = a.follow(); err != nil {
				return err
			}
		}
		d.model.Stages[i] = d.center
	}
	if d.center != nil && d.center.How != adaptCausal {
		d.notes = append(d.notes,
			"a stream adapts to the mean of the matrices so far, but predict and evaluate adapt by "+
				string(d.center.How)+
				" to the complete session")
	}
	return nil
}

// centering is an adaptation that follows one stream.
type centering struct {
	*Adaptation
	causal *spd.CausalCentering
	young  bool // the mean is based on too few matrices
}

// Apply implements Stage. Without a training mean it starts at the first matrix and uses equal weights. The mean is
// inaccurate until the number of matrices reaches their order.
func (c *centering) Apply(ctx context.Context, b Batch) (Batch, error) {
	n := b.Stack.Dim
	if c.causal == nil {
		var err error
		if c.causal, err = spd.NewCausalCentering(b.Stack.Sym(0), 1e-12, 0); err != nil {
			return b, err
		}
		c.causal.Floor = 0
	}
	out := b.memory.matrices(b.Stack.Count, n)
	if err := c.causal.Adapt(ctx, out, b.Stack); err != nil {
		return b, err
	}
	c.young = c.Mean == nil && c.causal.Count < n
	b.Stack = out
	return b, nil
}
