package explain

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/internal/classifiers"
	"rao/model"
	"rao/spd"
)

// These are the interfaces of classifiers with decisions that are sums of terms.
type (
	gaussians interface{ Gaussians() classify.Gaussians }
	linear    interface{ LinearScores() classify.LinearScores }
	patterned interface {
		TangentScores() classifiers.TangentScores
		Patterns(class int) (*classifiers.ClassPatterns, error)
	}
	nearest interface {
		NearestTo() (metric spd.Metric, points *spd.Stack, classes []int)
	}
)

// decision is one decision of a model: observation i of z, the output of the stages, with its two most probable
// classes.
type decision struct {
	ctx       context.Context
	m         *model.Model
	z         model.Batch
	i         int
	top, next int
}

// vector returns the input of a classifier of vectors.
func (d decision) vector() []float64 { return mat.Row(nil, d.i, d.z.X) }

// entry is a form of classifiers: has recognizes the form, and explain explains a decision.
type entry struct {
	has     func(cl model.Classifier) bool
	explain func(x *Explanation, d decision) error
}

var entries = []entry{
	of(func(x *Explanation, c gaussians, d decision) error {
		return x.mixture(c.Gaussians(), d.m.Classes, d.vector(), d.top, d.next)
	}),
	of(func(x *Explanation, c linear, d decision) error {
		x.linear(c.LinearScores(), d.vector(), d.top, d.next)
		return nil
	}),
	of(func(x *Explanation, c patterned, d decision) error {
		return x.sources(d.ctx, d.m, c, d.z.Stack.Select([]int{d.i}), d.top, d.next)
	}),
	of(func(x *Explanation, c nearest, d decision) error {
		return x.prototypes(d.m, c, d.z.Stack.Sym(d.i), d.top, d.next)
	}),
}

// of returns the entry for the classifiers that implement the interface T.
func of[T any](explain func(x *Explanation, c T, d decision) error) entry {
	return entry{
		has:     func(cl model.Classifier) bool { _, ok := cl.(T); return ok },
		explain: func(x *Explanation, d decision) error { return explain(x, d.m.Classifier.(T), d) },
	}
}

// entryOf returns the entry of a classifier, or nil if its decisions cannot be explained.
func entryOf(cl model.Classifier) *entry {
	if i := slices.IndexFunc(entries, func(e entry) bool { return e.has(cl) }); i >= 0 {
		return &entries[i]
	}
	return nil
}
