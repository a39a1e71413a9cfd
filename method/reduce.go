package method

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"rao/feature"
	"rao/internal/classifiers"
	"rao/internal/suggest"
	"rao/model"
)

// reduceOption is the kind and number of learned spatial filters that reduce the matrices before the fit: KIND:M for
// M filters, M alone for SQFA, or none.
type reduceOption struct {
	kind string // empty: no reduction
	m    int
}

var reductions = []string{"sqfa", "enuc", "csp"}

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
	for _, k := range reductions {
		if k != kind {
			continue
		}
		m, err := strconv.Atoi(number)
		if err != nil || m < 1 {
			return fmt.Errorf("the value must be %s:M for M filters, such as %s:8", kind, kind)
		}
		*r = reduceOption{kind, m}
		return nil
	}
	return suggest.Unknown("reduction", kind, append([]string{"none"}, reductions...))
}

// reduce learns the filters, adds them to the model as a stage, and reduces the matrices.
func (m *matrices) reduce(ctx context.Context, r reduceOption) error {
	var s model.Stage
	var err error
	switch r.kind {
	case "":
		return nil
	case "csp":
		if r.m > m.x.Dim {
			return fmt.Errorf("%d filters were requested for %d channels; there can be at most as many filters as "+
				"channels", r.m, m.x.Dim)
		}
		c, cerr := feature.FitCSP(ctx, m.x, m.labels(), m.classes(), feature.CSPOptions{Filters: r.m})
		if c != nil {
			s = &model.Mapping{Map: c}
		}
		err = cerr
	default:
		fit := classifiers.FitSQFAReduction
		if r.kind == "enuc" {
			fit = classifiers.FitENucReduction
		}
		c, cerr := fit(ctx, m.x, m.labels(), m.classes(), r.m)
		if c != nil {
			s = &model.Mapping{Map: c}
		}
		err = cerr
	}
	if err := m.note(err); err != nil || s == nil {
		return err
	}
	return m.stage(ctx, s)
}
