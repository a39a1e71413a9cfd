package method

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"rao"
	"rao/feature"
	"rao/internal/classifiers"
	"rao/internal/text"
	"rao/model"
	"rao/spd"
)

// reduceOption is the kind and number of learned spatial filters that reduce the matrices before the fit: KIND:M for
// M filters, M alone for SQFA, or none.
type reduceOption struct {
	kind string // empty: no reduction
	m    int
}

// reductions learn a number of spatial filters. The option type and its help have the same names.
var reductions = map[string]func(ctx context.Context, m *matrices, filters int) (model.Map, error){
	"sqfa": reduceBy(classifiers.FitSQFAReduction),
	"enuc": reduceBy(classifiers.FitENucReduction),
	"csp":  reduceByCSP,
}

// Syntax returns the placeholder for a value in help texts.
func (reduceOption) Syntax() string { return "none|M|sqfa:M|enuc:M|csp:M" }

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *reduceOption) UnmarshalText(text []byte) error {
	kind, number, ok := strings.Cut(string(text), ":")
	if _, err := strconv.Atoi(kind); err == nil && !ok {
		kind, number = "sqfa", kind
	}
	if kind == "none" && !ok {
		*r = reduceOption{}
		return nil
	}
	if reductions[kind] == nil {
		return &rao.UnknownError{Kind: "reduction", Name: kind,
			Known: append([]string{"none"}, slices.Sorted(maps.Keys(reductions))...)}
	}
	m, err := strconv.Atoi(number)
	if err != nil || m < 1 {
		return fmt.Errorf("the value must be %s:M for M filters, such as %s:8", kind, kind)
	}
	*r = reduceOption{kind, m}
	return nil
}

// reduce learns the filters, adds them to the model as a stage, and reduces the matrices.
func (m *matrices) reduce(ctx context.Context, r reduceOption) error {
	if r.kind == "" {
		return nil
	}
	by, err := reductions[r.kind](ctx, m, r.m)
	if err := m.note(err); err != nil || by == nil {
		return err
	}
	return m.mapBy(ctx, by)
}

func reduceBy(fit func(ctx context.Context, x *spd.Stack, labels []int, classes []string,
	filters int) (*classifiers.Reduction, error)) func(context.Context, *matrices, int) (model.Map, error) {
	return func(ctx context.Context, m *matrices, filters int) (model.Map, error) {
		r, err := fit(ctx, m.x, m.labels(), m.classes(), filters)
		if r == nil {
			return nil, err
		}
		return r, err
	}
}

func reduceByCSP(ctx context.Context, m *matrices, filters int) (model.Map, error) {
	if filters > m.x.Dim {
		return nil, fmt.Errorf("%d filters were requested for %s; there can be at most as many filters as channels",
			filters, text.Plural(m.x.Dim, "channel", "channels"))
	}
	c, err := feature.FitCSP(ctx, m.x, m.labels(), m.classes(), feature.CSPOptions{Filters: filters})
	if c == nil {
		return nil, err
	}
	return c, err
}
