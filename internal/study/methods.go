package study

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"rao/evaluate"
	"rao/method"
)

// mostMethods is the largest size of a file of methods, in bytes.
const mostMethods = 1 << 16

// Methods parses methods separated by commas, as [method.ParseSpecs] does. If text ends in .toml, it is the name of a
// TOML file with the methods. A shared setting applies to every method with this option, unless the method sets another
// value. It replaces a setting for all methods in the file.
func Methods(text string, shared method.Settings) ([]method.Spec, error) {
	if !strings.HasSuffix(text, ".toml") {
		return method.ParseSpecs(text, shared)
	}
	f, err := os.Open(text)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	specs, err := readMethods(f, shared)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	return specs, nil
}

// readMethods reads methods with their options from TOML. Each method has a table, and another table contains options
// for all methods.
//
//	[options]
//	filters = 9
//
//	[[methods]]
//	name = "lda"
//
//	[[methods]]
//	name = "sqfa"
//	label = "SQFA, Bayes bound"
//	aggregate = "bayes"
//	classifier = { name = "knn", neighbors = 3 }
func readMethods(r io.Reader, shared method.Settings) ([]method.Spec, error) {
	b, err := io.ReadAll(io.LimitReader(r, mostMethods+1))
	if err != nil {
		return nil, err
	}
	if len(b) > mostMethods {
		return nil, fmt.Errorf("the list of methods is longer than the limit of %d bytes; list fewer methods",
			mostMethods)
	}
	var file struct {
		Options map[string]any
		Methods []map[string]any
	}
	meta, err := toml.Decode(string(b), &file)
	if err != nil {
		return nil, err
	}
	for _, key := range meta.Keys() {
		if key[0] != "options" && key[0] != "methods" {
			return nil, fmt.Errorf("%s is unknown; a list of methods has one table [[methods]] per method, and at "+
				"most one table [options] for all methods", key)
		}
	}
	if len(file.Methods) == 0 {
		return nil, errors.New("the list has no table [[methods]]; write one table for each method")
	}
	options, err := settingsOf(file.Options)
	if err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	for _, o := range shared {
		options = options.With(o.Name, o.Value)
	}
	specs := make([]method.Spec, len(file.Methods))
	for i, table := range file.Methods {
		if specs[i], err = specOf(table); err != nil {
			return nil, fmt.Errorf("method %d: %w", i+1, err)
		}
	}
	return method.Share(specs, options)
}

func specOf(table map[string]any) (s method.Spec, err error) {
	name, ok := table["name"].(string)
	if !ok {
		return s, errors.New(`the name of the method is missing or not text; write a line such as name = "sqfa"`)
	}
	if label, given := table["label"]; given {
		if s.Label, ok = label.(string); !ok {
			return s, fmt.Errorf("the label is %v; it must be text in quotes", label)
		}
	}
	if s.Method, err = method.Lookup(name); err != nil {
		return s, err
	}
	s.Settings, err = settingsOf(table, "name", "label")
	return s, err
}

// follower converts the table of a method to text. The text is the value of an option of another method, such as
// classifier.
func follower(table map[string]any) (string, error) {
	name, ok := table["name"].(string)
	if !ok {
		return "", errors.New(`the name of the method is missing or not text; write a table such as { name = "knn" }`)
	}
	set, err := settingsOf(table, "name")
	return method.Spec{Method: &method.Method{Name: name}, Settings: set}.Text(), err
}

// settingsOf parses options from a table, in the order of their names. It skips the names in others, which are not
// options.
func settingsOf(table map[string]any, others ...string) (method.Settings, error) {
	var set method.Settings
	for name, v := range table {
		if slices.Contains(others, name) {
			continue
		}
		text, err := valueText(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		set = append(set, evaluate.Setting{Name: name, Value: text})
	}
	slices.SortFunc(set, func(a, b evaluate.Setting) int { return strings.Compare(a.Name, b.Name) })
	return set, nil
}

// valueText converts a TOML value to the text of an option's value.
func valueText(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case map[string]any:
		return follower(v)
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			text, err := valueText(e)
			if err != nil {
				return "", err
			}
			parts[i] = text
		}
		return strings.Join(parts, ","), nil
	}
	return "", fmt.Errorf("%v is not text, a number, true or false, a list of these, or a table with the name of a "+
		"method", v)
}

// Seed returns the seed of a method, or 0 if it has none.
func Seed(s method.Spec) uint64 {
	text, given := s.Settings.Get("seed")
	if o, err := s.Method.Option("seed"); err == nil && !given {
		text = o.Default
	}
	seed, _ := strconv.ParseUint(text, 10, 64)
	return seed
}
