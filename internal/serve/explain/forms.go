package explain

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/internal/classifiers"
	"rao/internal/indices"
	"rao/internal/serve/forms"
	"rao/lvq"
	"rao/model"
)

// patterned is a classifier with coefficients that are spatial patterns.
type patterned interface {
	TangentScores() classifiers.TangentScores
	Patterns(class int) (*classifiers.ClassPatterns, error)
}

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
	of(forms.GaussiansOf, func(x *Explanation, g forms.Gaussians, d decision) error {
		return x.mixture(g, d.m.Classes, d.vector(), d.top, d.next)
	}),
	of(forms.LinearOf, func(x *Explanation, l forms.Linear, d decision) error {
		x.linear(l, d.vector(), d.top, d.next)
		return nil
	}),
	of(is[patterned], func(x *Explanation, c patterned, d decision) error {
		return x.sources(d.ctx, d.m, c, d.z.Stack.Select([]int{d.i}), d.top, d.next)
	}),
	of(is[*classify.MDM], func(x *Explanation, c *classify.MDM, d decision) error {
		return x.nearest(d, c.Metric, c.Means, indices.Range(len(c.Classes)))
	}),
	of(is[*lvq.PLRSQ], func(x *Explanation, c *lvq.PLRSQ, d decision) error {
		return x.nearest(d, c.Metric, c.Prototypes, c.Labels)
	}),
}

// of returns the entry for the classifiers that have a form.
func of[F any](formOf func(cl any) (F, bool), explain func(x *Explanation, form F, d decision) error) entry {
	return entry{
		has: func(cl model.Classifier) bool { _, ok := formOf(cl); return ok },
		explain: func(x *Explanation, d decision) error {
			form, _ := formOf(d.m.Classifier)
			return explain(x, form, d)
		},
	}
}

// is is a type assertion.
func is[T any](cl any) (T, bool) {
	t, ok := cl.(T)
	return t, ok
}

// entryOf returns the entry of a classifier, or nil if its decisions cannot be explained.
func entryOf(cl model.Classifier) *entry {
	if i := slices.IndexFunc(entries, func(e entry) bool { return e.has(cl) }); i >= 0 {
		return &entries[i]
	}
	return nil
}
