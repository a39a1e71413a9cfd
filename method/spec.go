package method

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"rao"
	"rao/gaussian"
	"rao/internal/suggest"
	"rao/model"
)

// Spec is a method with options. As text it is the method's name with its options after colons:
//
//	METHOD[:OPTION[=VALUE]]...
//	sqfa:noise=0.1:filters=4:refine
//
// A switch needs no value. Enclose a value in parentheses if it contains a colon or parenthesis, or, in a list of
// methods, a comma. Methods within methods are also enclosed in parentheses:
//
//	csp:filters=6:classifier=(lda-raw:shrinkage=oas:priors=(0.2,0.8))
type Spec struct {
	Method   *Method
	Settings Settings
	Label    string // name in results; empty: its text

	parsed parsed
}

// parsed are settings of a method with the options that they give.
type parsed struct {
	method   *Method
	settings Settings
	options  any
}

// With returns the method with settings. It is an error if a setting does not name an option of the method, has a
// value out of range, or does not apply with the other settings.
func (m *Method) With(set Settings) (Spec, error) {
	options, err := m.parse(set)
	return Spec{Method: m, Settings: set, parsed: parsed{m, set, options}}, err
}

// options returns a pointer to the options that the settings give, which With has parsed unless they
// changed since. Nobody may write them.
func (s Spec) options() (any, error) {
	if p := s.parsed; p.options != nil && p.method == s.Method && slices.Equal(p.settings, s.Settings) {
		return p.options, nil
	}
	return s.Method.parse(s.Settings)
}

// ParseSpec reads a method with its options.
func ParseSpec(text string) (Spec, error) {
	s, err := parseSpec(text, Lookup)
	if err != nil {
		return s, err
	}
	return s.Method.With(s.Settings)
}

// ParseSpecs reads methods separated by commas. Each receives the shared settings for which it has an option, unless
// it sets the option itself; see [Share].
func ParseSpecs(text string, shared Settings) ([]Spec, error) {
	parts, err := splitOutside(text, ',')
	if err != nil {
		return nil, err
	}
	specs := make([]Spec, len(parts))
	for i, p := range parts {
		if specs[i], err = parseSpec(strings.TrimSpace(p), Lookup); err != nil {
			return nil, err
		}
	}
	return Share(specs, shared)
}

// ParseSettings reads OPTION[=VALUE][:OPTION[=VALUE]]...; an option without a value is true.
func ParseSettings(text string) (Settings, error) {
	if text == "" {
		return nil, nil
	}
	parts, err := splitOutside(text, ':')
	if err != nil {
		return nil, err
	}
	var set Settings
	for _, p := range parts {
		name, value, given := strings.Cut(p, "=")
		if name == "" {
			return nil, fmt.Errorf("%q: want OPTION=VALUE", p)
		}
		if _, twice := set.Get(name); twice {
			return nil, fmt.Errorf("%s is given twice in %q", name, text)
		}
		if !given {
			value = "true"
		}
		set.Set(name, enclosed(value))
	}
	return set, nil
}

// Share adds shared settings to the methods that use them, without replacing their own settings, and checks all. It is
// an error if no method uses a shared setting, or if two methods have the same label.
func Share(specs []Spec, shared Settings) ([]Spec, error) {
	out := slices.Clone(specs)
	used := make([]bool, len(shared))
	labels := map[string]bool{}
	for i, s := range out {
		all := slices.Clone(shared)
		for _, o := range s.Settings {
			all.Set(o.Name, o.Value)
		}
		own := s.Settings
		for k, o := range shared {
			if _, given := own.Get(o.Name); !given && slices.Contains(s.Method.Only(all), o) {
				used[k] = true
				out[i].Settings = append(slices.Clone(out[i].Settings), o)
			}
		}
		var err error
		if out[i], err = s.Method.With(out[i].Settings); err != nil {
			return nil, fmt.Errorf("%s: %w", s, err)
		}
		out[i].Label = s.String()
		if labels[out[i].Label] {
			return nil, fmt.Errorf("%s is listed twice", s)
		}
		labels[out[i].Label] = true
	}
	if k := slices.Index(used, false); k >= 0 {
		name := shared[k].Name
		if !slices.ContainsFunc(table, func(m *Method) bool { _, err := m.Option(name); return err == nil }) {
			return nil, fmt.Errorf("no method has an option %q", name)
		}
		return nil, rao.Optionf(name, "no method here uses {"+name+"} with the other options")
	}
	return out, nil
}

// String returns the label, or the text that ParseSpec reads.
func (s Spec) String() string {
	if s.Label != "" {
		return s.Label
	}
	return s.Text()
}

// Text returns what ParseSpec reads, without the label.
func (s Spec) Text() string { return Text(s.Method.Name, s.Settings) }

// Text returns the name of a method and its settings as ParseSpec reads them.
func Text(name string, set Settings) string {
	var b strings.Builder
	b.WriteString(name)
	for _, o := range set {
		value := o.Value
		if strings.ContainsAny(value, ",:()") {
			value = "(" + value + ")"
		}
		fmt.Fprintf(&b, ":%s=%s", o.Name, value)
	}
	return b.String()
}

// Fit learns from src and returns a model: preprocessing, fitted parts and the names of the classes. With a
// *rao.NotConvergedError the model is usable. If ctx ends, the error wraps the error of ctx, and the model, if there
// is one (rao.HasModel), is the best so far, with status Canceled.
func (s Spec) Fit(ctx context.Context, src Source, progress rao.Progress) (*model.Model, error) {
	m := s.Method
	if src == nil {
		return nil, errNothing(m)
	}
	if err := src.accepted(m); err != nil {
		return nil, err
	}
	options, err := s.options()
	if err != nil {
		return nil, err
	}
	ready, fill, err := s.withWeights(ctx, src, options)
	if err != nil {
		return nil, err
	}
	own := reflect.New(m.options) // a fit may change its options
	own.Elem().Set(reflect.ValueOf(options).Elem())
	mod, noted := m.fit(ctx, ready, own.Interface(), progress)
	if mod == nil || noted != nil && !rao.HasModel(noted) {
		return nil, noted
	}
	if file, ok := src.(Stored); ok && file.Source.Kind != gaussian.KindFull {
		mod.Notes = append(mod.Notes, file.Source.Kind.Meaning())
	}
	mod.Input.Fill = fill
	src.describe(mod)
	mod.Method, mod.Options = m.Name, m.changed(s.Settings)
	if err := mod.Validate(); err != nil {
		return nil, fmt.Errorf("%s: the fit is not valid: %w", m.Name, err)
	}
	return mod, noted
}

// parseSpec reads a method that lookup finds, and checks the values of its options one by one.
func parseSpec(text string, lookup func(name string) (*Method, error)) (Spec, error) {
	name, options, given := strings.Cut(text, ":")
	m, err := lookup(name)
	if err != nil {
		return Spec{}, err
	}
	s := Spec{Method: m}
	if given && options == "" {
		return s, fmt.Errorf("%q: want METHOD:OPTION=VALUE", text)
	}
	if s.Settings, err = ParseSettings(options); err != nil {
		return s, err
	}
	for i, o := range s.Settings {
		if declared, err := m.Option(o.Name); err == nil && o.Value == "true" && declared.Type != "switch" {
			if declared.Bare == "" {
				return s, fmt.Errorf("%s: option %s has no value; want OPTION=VALUE", name, o.Name)
			}
			s.Settings[i].Value = declared.Bare
		}
		if err := m.CheckValue(o.Name, s.Settings[i].Value); err != nil {
			return s, fmt.Errorf("%s: %w", name, err)
		}
	}
	return s, nil
}

// splitOutside splits text at separators outside of parentheses.
func splitOutside(text string, separator byte) (parts []string, err error) {
	depth, from := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == separator && depth == 0:
			parts, from = append(parts, text[from:i]), i+1
		}
		if depth < 0 {
			break
		}
	}
	if depth != 0 {
		return nil, fmt.Errorf("%q: unbalanced parenthesis", text)
	}
	return append(parts, text[from:]), nil
}

// enclosed returns a value without the parentheses around all of it.
func enclosed(value string) string {
	if !strings.HasPrefix(value, "(") || !strings.HasSuffix(value, ")") {
		return value
	}
	depth := 0
	for i := range len(value) - 1 {
		switch value[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return value // the first closes before the end, as in (a)(b)
		}
	}
	return value[1 : len(value)-1]
}

// classifierNames are short names of methods without filters, where a classifier is expected.
var classifierNames = map[string]string{"qda": "qda-raw", "lda": "lda-raw", "knn": "knn-raw", "svm": "svm-raw",
	"mixture": "mixture-raw"}

// lookupClassifier finds a method by its name or by that of a classifier.
func lookupClassifier(name string) (*Method, error) {
	if long, ok := classifierNames[name]; ok {
		name = long
	}
	m, err := Lookup(name)
	if err != nil {
		return nil, suggest.Unknown("classifier", name,
			append([]string{"qda", "lda", "knn", "svm", "mixture", "none"}, Names()...))
	}
	return m, nil
}
