package method

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"rao"
	"rao/evaluate"
	"rao/internal/faults"
	"rao/model"
)

// Spec is a method with options. As text it is the method's name followed by its options, separated by colons:
//
//	METHOD[:OPTION[=VALUE]]...
//	sqfa:noise=0.1:filters=4:refine
//
// A switch needs no value. Enclose a value in parentheses if it contains a colon or parenthesis, or, in a list of
// methods, a comma. This includes methods that are values of options:
//
//	csp:filters=6:classifier=(lda-raw:shrinkage=oas:priors=(0.2,0.8))
type Spec struct {
	Method   *Method  // the method
	Settings Settings // options that are set
	Label    string   // name in results; empty: the text of the Spec

	parsed parsed
}

// parsed caches the options parsed from the settings of a method.
type parsed struct {
	method   *Method
	settings Settings
	options  any // pointer to the options, which must not be modified
}

// With returns the method with settings. It returns the errors of [Spec.With].
func (m *Method) With(set Settings) (Spec, error) { return Spec{Method: m}.With(set...) }

// With returns the method with more settings, which replace earlier settings of the same options. It returns an error
// if a setting does not name an option of the method, has an invalid value, or does not apply given the other settings.
func (s Spec) With(set ...evaluate.Setting) (Spec, error) {
	err := s.Set(set...)
	if err == nil {
		_, err = s.options()
	}
	return s, err
}

// Set adds settings. Its errors are those of [Spec.With], except that it does not check whether an option applies given
// the others.
func (s *Spec) Set(set ...evaluate.Setting) error {
	m, settings := s.Method, s.Settings
	v := copyOf(m.options)
	if p := s.parsed; p.method == m && slices.Equal(p.settings, settings) {
		v = copyOf(reflect.ValueOf(p.options).Elem())
	} else {
		for i := range m.Options {
			if err := m.Options[i].set(v.Elem(), m.Options[i].Default); err != nil {
				return err
			}
		}
		settings, set = nil, slices.Concat(settings, set)
	}
	for _, given := range set {
		o, err := m.Option(given.Name)
		if err != nil {
			return err
		}
		if err := o.set(v.Elem(), given.Value); err != nil {
			return err
		}
		settings = settings.With(given.Name, given.Value)
	}
	s.Settings, s.parsed = settings, parsed{m, settings, v.Interface()}
	return nil
}

// options returns a pointer to a copy of the options. It returns an error if an option is invalid or does not apply
// given the others.
func (s Spec) options() (any, error) {
	if err := s.Set(); err != nil {
		return nil, err
	}
	for _, given := range s.Settings {
		if err := s.Method.applies(given.Name, s.Settings); err != nil {
			return nil, err
		}
	}
	return s.parsed.options, nil
}

// ParseSpec parses a method with its options, in the syntax of [Spec]. It returns an error for an unknown method or
// option, and for an invalid value.
func ParseSpec(text string) (Spec, error) {
	return parseSpec(text, Lookup)
}

// ParseSpecs parses a list of methods separated by commas. Each method receives the shared settings that apply to it,
// unless it sets them itself. It returns the errors of [ParseSpec] and [Share].
func ParseSpecs(text string, shared Settings) ([]Spec, error) {
	parts, err := splitOutside(text, ',')
	if err != nil {
		return nil, err
	}
	specs := make([]Spec, len(parts))
	for i, p := range parts {
		if specs[i], err = readSpec(strings.TrimSpace(p), Lookup); err != nil {
			return nil, err
		}
	}
	return Share(specs, shared)
}

// named adds the name of the method to an error, unless the error names it.
func (m *Method) named(err error) error {
	var u *rao.UnknownError
	if errors.As(err, &u) && u.Kind == m.optionKind() {
		return err
	}
	return fmt.Errorf("%s: %w", m.Name, err)
}

// ParseSettings parses OPTION[=VALUE][:OPTION[=VALUE]]... An option without a value is set to true. It returns an error
// for an option without a name, a repeated option, and unbalanced parentheses.
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
			return nil, fmt.Errorf("%q is not of the form OPTION=VALUE", p)
		}
		if _, twice := set.Get(name); twice {
			return nil, fmt.Errorf("%s is given twice in %q; leave one out", name, text)
		}
		if !given {
			value = "true"
		}
		set = set.With(name, enclosed(value))
	}
	return set, nil
}

// Share adds the shared settings to every method that they apply to, without replacing the method's own settings, and
// checks the result. It returns an error if a shared setting applies to no method, or if two methods have the same
// label.
func Share(specs []Spec, shared Settings) ([]Spec, error) {
	out := slices.Clone(specs)
	used := make([]bool, len(shared))
	labels := map[string]bool{}
	for i, s := range out {
		all := slices.Clone(shared)
		for _, o := range s.Settings {
			all = all.With(o.Name, o.Value)
		}
		var more Settings
		for k, o := range shared {
			if _, given := s.Settings.Get(o.Name); !given && s.Method.applies(o.Name, all) == nil {
				used[k] = true
				more = append(more, o)
			}
		}
		var err error
		if out[i], err = s.With(more...); err != nil {
			return nil, s.Method.named(err)
		}
		out[i].Label = s.String()
		if labels[out[i].Label] {
			return nil, fmt.Errorf("%s is listed twice; leave one out", s)
		}
		labels[out[i].Label] = true
	}
	if k := slices.Index(used, false); k >= 0 {
		name := shared[k].Name
		var known []string
		for _, m := range table {
			for i := range m.Options {
				known = append(known, m.Options[i].Name)
			}
		}
		if !slices.Contains(known, name) {
			slices.Sort(known)
			return nil, &rao.UnknownError{Kind: "option", Name: name, Known: slices.Compact(known)}
		}
		return nil, rao.Optionf(name, "no selected method uses {"+name+"} with the other options")
	}
	return out, nil
}

// String returns the label, or the text of the Spec if there is none.
func (s Spec) String() string {
	if s.Label != "" {
		return s.Label
	}
	return s.Text()
}

// Text returns the text of the Spec in the syntax of [ParseSpec], ignoring the label.
func (s Spec) Text() string {
	var b strings.Builder
	b.WriteString(s.Method.Name)
	for _, o := range s.Settings {
		value := o.Value
		if strings.ContainsAny(value, ",:()") {
			value = "(" + value + ")"
		}
		fmt.Fprintf(&b, ":%s=%s", o.Name, value)
	}
	return b.String()
}

// Fit learns from src and returns a model with preprocessing, features, classifier and class names. It returns an error
// if the method cannot learn from src or a setting is invalid. If the error is a *rao.NotConvergedError, the model is
// usable. If ctx is canceled, the error wraps the error of ctx. The model is then nil, or the best so far with the
// status Canceled; rao.HasModel distinguishes the two cases. progress may be nil.
func (s Spec) Fit(ctx context.Context, src TrainingData, progress rao.Progress) (*model.Model, error) {
	m := s.Method
	if m == nil {
		return nil, faults.Option("the specification has no method; make one with ParseSpec or Method.With")
	}
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
	mod, noted := m.fit(ctx, ready, options, progress)
	if mod == nil || noted != nil && !rao.HasModel(noted) {
		return nil, placed(ctx, src, noted)
	}
	mod.Input.Fill = fill
	src.origin().describe(mod)
	mod.Method, mod.Options = m.Name, m.changed(s.Settings)
	if err := mod.Validate(); err != nil {
		return nil, fmt.Errorf("%s: the fitted model is not valid: %w", m.Name, err)
	}
	return mod, noted
}

// placed adds the name of the data to an error of a fit, unless the error starts with it or the fit was canceled.
func placed(ctx context.Context, src TrainingData, err error) error {
	d := Observations(src)
	if d == nil || err == nil || ctx.Err() != nil || d.Source == "" || strings.HasPrefix(err.Error(), d.Source+": ") {
		return err
	}
	return fmt.Errorf("%s: %w", d.Source, err)
}

// parseSpec parses a method, which it finds with lookup, and its options.
func parseSpec(text string, lookup func(name string) (*Method, error)) (Spec, error) {
	s, err := readSpec(text, lookup)
	if err != nil {
		return s, err
	}
	if s, err = s.With(); err != nil {
		return s, s.Method.named(err)
	}
	return s, nil
}

// readSpec returns the method, which it finds with lookup, and its settings. It does not parse their values.
func readSpec(text string, lookup func(name string) (*Method, error)) (Spec, error) {
	name, options, given := strings.Cut(text, ":")
	m, err := lookup(name)
	if err != nil {
		return Spec{}, err
	}
	s := Spec{Method: m}
	if given && options == "" {
		return s, fmt.Errorf("%q is not of the form METHOD:OPTION=VALUE", text)
	}
	if s.Settings, err = ParseSettings(options); err != nil {
		return s, err
	}
	for i, o := range s.Settings {
		if declared, err := m.Option(o.Name); err == nil && o.Value == "true" && declared.Type != "switch" {
			if declared.Bare == "" {
				return s, fmt.Errorf("%s: option %s has no value; write OPTION=VALUE", name, o.Name)
			}
			s.Settings[i].Value = declared.Bare
		}
	}
	return s, nil
}

// splitOutside splits text at separators that are not inside parentheses.
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
		return nil, fmt.Errorf("%q has unbalanced parentheses; every ( needs a )", text)
	}
	return append(parts, text[from:]), nil
}

// enclosed removes the parentheses that enclose the value, if any.
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
			return value // the first parenthesis closes before the end, as in (a)(b)
		}
	}
	return value[1 : len(value)-1]
}

// classifierNames are short names that can be used for methods without filters where a classifier is expected.
var classifierNames = map[string]string{"qda": "qda-raw", "lda": "lda-raw", "knn": "knn-raw", "svm": "svm-raw",
	"mixture": "mixture-raw"}

// lookupClassifier finds a method by its name or its short name as a classifier.
func lookupClassifier(name string) (*Method, error) {
	if long, ok := classifierNames[name]; ok {
		name = long
	}
	m, err := Lookup(name)
	if err != nil {
		return nil, &rao.UnknownError{Kind: "classifier", Name: name,
			Known: append([]string{"qda", "lda", "knn", "svm", "mixture", "none"}, names()...)}
	}
	return m, nil
}
