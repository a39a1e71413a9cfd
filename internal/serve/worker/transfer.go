package worker

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
	"rao/internal/potato"
	"rao/spd"
)

// onePotato contains the parameters of a fitted Riemannian potato, as sent in requests and replies.
type onePotato struct {
	Channels []int     `json:"channels"`
	Center   []float64 `json:"center"` // row by row
	Mean     float64   `json:"mean"`
	Spread   float64   `json:"spread"`
	Clean    int       `json:"clean"`
}

type potatoRequest struct {
	Threshold float64     `json:"threshold"`
	Level     float64     `json:"level"`
	MaxIter   int         `json:"max_iter"`
	Channels  [][]int     `json:"channels"`
	Rate      float64     `json:"rate"`   // learning rate for following clean matrices, in their order
	Fitted    []onePotato `json:"fitted"` // empty: fit to X
}

// field returns the fitted potato field of a request for matrices of the given order, or nil if the field must be
// fitted.
func (p *potatoRequest) field(metric spd.Metric, order int) (*potato.Field, error) {
	f := &potato.Field{Options: potato.Options{Metric: metric, Threshold: p.Threshold, Level: p.Level,
		MaxIter: p.MaxIter, Channels: p.Channels}}
	for k, one := range p.Fitted {
		n := order
		if one.Channels != nil {
			n = len(one.Channels)
		}
		for _, c := range one.Channels {
			if c < 0 || c >= order {
				return nil, fmt.Errorf("potato %d uses channel %d, but the channels are numbered from 0 to %d", k, c,
					order-1)
			}
		}
		if n == 0 || len(one.Center) != n*n {
			return nil, fmt.Errorf("potato %d has a center of length %d for %d channels; at least one channel is "+
				"needed, and the length must be the square of the number of channels", k, len(one.Center), n)
		}
		if !(one.Spread > 0) || slices.ContainsFunc(append(one.Center, one.Mean, one.Spread),
			func(v float64) bool { return !vec.Finite(v) }) {
			return nil, fmt.Errorf("potato %d contains values that are not finite, or its spread is not above 0; fit "+
				"it again", k)
		}
		f.Potatoes = append(f.Potatoes, potato.Potato{Channels: one.Channels, Center: mat.NewSymDense(n, one.Center),
			Mean: one.Mean, Spread: one.Spread, Clean: one.Clean})
	}
	return f, nil
}

// findArtifacts finds artifacts among the matrices "X" with a Riemannian potato, or with one potato per field of
// channels. The arrays of the reply are the z-scores "Z", matrices × potatoes, their combined probabilities "P", and
// "artifact". With calls set, the caller computes the distances from the centers.
func findArtifacts(ctx context.Context, s *server, q *Request) (reply *Reply, err error) {
	metric, x, err := q.metricAndMatrices()
	if err != nil {
		return nil, err
	}
	field, err := q.Potato.field(metric, x.Dim)
	if err == nil && q.Calls {
		c, done := s.conversation(ctx)
		defer func() {
			if e := done(); e != nil {
				reply, err = nil, e
			}
		}()
		ctx, field.Options.Distance = c.ctx, c.distances
	}
	if err == nil && len(field.Potatoes) == 0 {
		field, err = potato.Fit(ctx, x, field.Options)
	}
	if err != nil {
		return nil, err
	}
	var z mat.Dense
	if err := field.Scores(ctx, &z, x); err != nil {
		return nil, err
	}
	if q.Potato.Rate != 0 {
		if err := field.Follow(ctx, &z, x, q.Potato.Rate); err != nil {
			return nil, err
		}
	}
	p, artifact := make([]float64, x.Count), make([]bool, x.Count)
	for k := range p {
		p[k], artifact[k] = field.Probability(z.RawRowView(k)), field.Artifact(z.RawRowView(k))
	}
	var fitted []onePotato
	for _, one := range field.Potatoes {
		fitted = append(fitted, onePotato{one.Channels, full(one.Center), one.Mean, one.Spread, one.Clean})
	}
	return &Reply{Info: fitted, Arrays: []Array{denseArray("Z", &z), float64Array("P", p, len(p)),
		boolArray("artifact", artifact)}}, nil
}

// full returns all values of a symmetric matrix, row by row.
func full(s mat.Symmetric) []float64 { return spd.StackFrom(s).Data }

type alignRequest struct {
	Target int  `json:"target"`
	Scale  bool `json:"scale"`
	Rotate bool `json:"rotate"`
}

// align aligns the "groups" of the matrices "X". It uses the labels "y", where -1 means unknown. The arrays of the
// reply are the aligned matrices "Z", and the transformation of the target group: the mean "M" and the rotation "Q".
// The info is the power.
func align(ctx context.Context, _ *server, q *Request) (*Reply, error) {
	x, err := q.matrices("X")
	if err != nil {
		return nil, err
	}
	o := spd.AlignOptions{Target: q.Align.Target, Scale: q.Align.Scale, Rotate: q.Align.Rotate}
	if o.Groups, _, err = q.numbers("groups", x.Count, 0); err != nil {
		return nil, err
	}
	if o.Labels, o.Classes, err = q.numbers("y", x.Count, -1); err != nil {
		return nil, err
	}
	z := new(spd.Stack)
	target, err := spd.AlignGroups(ctx, z, x, o)
	why, err := partial(err)
	if err != nil {
		return nil, err
	}
	n := x.Dim
	r := &Reply{Partial: why, Info: target.Power, Arrays: []Array{stackArray("Z", z),
		float64Array("M", full(target.Mean), n, n)}}
	if target.Rotation != nil {
		r.Arrays = append(r.Arrays, denseArray("Q", target.Rotation))
	}
	return r, nil
}
