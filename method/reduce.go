package method

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"rao/classify"
	"rao/feature"
	"rao/internal/suggest"
	"rao/model"
)

// reduceOption says which learned filters make matrices smaller before anything learns on
// them: KIND:M for M filters, M alone for those of SQFA, or none.
type reduceOption struct {
	kind string // empty: none
	m    int
}

var reductions = []string{"sqfa", "enuc", "csp"}

// Syntax implements the word that help shows.
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
			return fmt.Errorf("want %s:M for M filters, such as %s:8", kind, kind)
		}
		*r = reduceOption{kind, m}
		return nil
	}
	return suggest.Unknown("reduction", kind, append([]string{"none"}, reductions...))
}

// reduce learns the filters and maps the matrices through them.
func (m *matrices) reduce(ctx context.Context, r reduceOption) error {
	var s model.Stage
	var err error
	switch r.kind {
	case "":
		return nil
	case "csp":
		if r.m > m.x.Dim {
			return fmt.Errorf("%d filters of %d channels", r.m, m.x.Dim)
		}
		c, cerr := feature.FitCSP(ctx, m.x, m.labels(), m.classes(), feature.CSPOptions{Filters: r.m})
		if c != nil {
			s = &model.Mapping{Map: c}
		}
		err = cerr
	default:
		fit := FitSQFAReduction
		if r.kind == "enuc" {
			fit = FitENucReduction
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
	m.whole = m.x
	return m.stage(ctx, s)
}

// whiten learns and applies a local whitening where the option asks for it.
func (m *matrices) whiten(ctx context.Context, how string) error {
	if how != "local" {
		return nil
	}
	w, err := classify.FitLocalWhitening(ctx, m.x, m.labels(), m.classes(), classify.LocalWhiteningOptions{})
	if err := m.note(err); err != nil {
		return err
	}
	return m.stage(ctx, &model.Mapping{Map: w})
}
