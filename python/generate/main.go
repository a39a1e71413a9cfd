// Command generate writes the estimators of the Python package: the methods, options, defaults and help of package
// method, as classes in the style of scikit-learn.
//
// go generate runs it with the folder of the package as its argument.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"rao"
	"rao/dataset"
	"rao/internal/suggest"
	"rao/method"
	"rao/model"
	"rao/spd"
)

//go:generate go run rao/python/generate ../rao

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate FOLDER")
		os.Exit(2)
	}
	for name, text := range files() {
		if err := os.WriteFile(filepath.Join(os.Args[1], name), text, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// wings lists the methods that each wing, an optional package outside the core, registers. Their classes are in
// separate files, which can be deleted with the wing.
var wings = map[string][]string{}

// wingOf returns the wing that registers a method, or "" for a method of the core.
func wingOf(name string) string {
	for wing, methods := range wings {
		if slices.Contains(methods, name) {
			return wing
		}
	}
	return ""
}

// files returns the contents of the generated files, by file name.
func files() map[string][]byte {
	modules := map[string]*module{}
	for _, m := range method.Methods() {
		wing := wingOf(m.Name)
		if modules[wing] == nil {
			modules[wing] = &module{Wing: wing}
		}
		modules[wing].Classes = append(modules[wing].Classes, classOf(m))
	}
	out := map[string][]byte{"_version.py": fmt.Appendf(nil, version, rao.Version)}
	for wing, m := range modules {
		slices.SortFunc(m.Classes, func(a, b class) int { return strings.Compare(a.Name, b.Name) })
		if wing != "" {
			wing = "_" + wing
		}
		for name, text := range map[string]string{"estimators": estimators, "_names": names} {
			var b bytes.Buffer
			if err := template.Must(template.New(name).Parse(text)).Execute(&b, m); err != nil {
				panic(err) // a bug in the template
			}
			out[name+wing+".py"] = b.Bytes()
		}
	}
	return out
}

// module is a file of classes, for the methods of the core or of a wing.
type module struct {
	Wing    string
	Classes []class
}

// Owner returns the owner of the methods in the module, for its docstring: "rao", or the name of the wing.
func (m module) Owner() string {
	if m.Wing == "" {
		return "rao"
	}
	return "the wing " + m.Wing
}

// Bases returns the names of the classes that the module imports from _base.
func (m module) Bases() string {
	var all []string
	for _, c := range m.Classes {
		for _, base := range strings.Split(c.Bases, ", ") {
			if base != c.Mixin.Class {
				all = append(all, base)
			}
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}

// Mixins returns the names of the classes that the module imports from _mixins.
func (m module) Mixins() string {
	var all []string
	for _, c := range m.Classes {
		if c.Mixin.Class != "" {
			all = append(all, c.Mixin.Class)
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}

// Table returns the names of the classes and of their methods, in two columns.
func (m module) Table() string {
	width := len("Python")
	for _, c := range m.Classes {
		width = max(width, len(c.Name))
	}
	rule := strings.Repeat("=", width) + "  ============"
	lines := []string{rule, fmt.Sprintf("%-*s  tool", width, "Python"), rule}
	for _, c := range m.Classes {
		lines = append(lines, fmt.Sprintf("%-*s  %s", width, c.Name, c.Method))
	}
	return strings.Join(append(lines, rule), "\n")
}

// Dashed returns the names of options that contain a hyphen.
func (m module) Dashed() []string {
	var all []string
	for _, c := range m.Classes {
		for _, p := range c.Parameters {
			if strings.Contains(p.Option, "-") {
				all = append(all, p.Option)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Needs reports whether the type of a parameter contains a word.
func (m module) Needs(word string) bool {
	return slices.ContainsFunc(m.Classes, func(c class) bool {
		return slices.ContainsFunc(c.Parameters, func(p parameter) bool { return strings.Contains(p.Type, word) })
	})
}

// pythonNames are the class names that differ from the result of className.
var pythonNames = map[string]string{
	"smsqfa":       "SecondMomentsSQFA",
	"fa":           "FactorAnalysis",
	"spca":         "SupervisedPCA",
	"ica":          "FastICA",
	"lda":          "LDAFilters",
	"qda-raw":      "QDA",
	"lda-raw":      "LDA",
	"logistic-raw": "Logistic",
	"plrsq-le":     "LogEuclideanPLRSQ",
	"rslvq":        "MatrixRSLVQ",
	"gmlvq-spd":    "MatrixGMLVQ",
	"knn-spd":      "MatrixKNN",
	"svm-spd":      "MatrixSVM",
	"fgmdm":        "FgMDM",
	"enuc":         "ENuc",
	"tssm-fisher":  "FisherTSSM",
	"tangent":      "TangentSpace",
	"gapca":        "GAPCA",
	"mixture-raw":  "Mixture",
}

// settings matches the value of another option in a help text.
var settings = regexp.MustCompile(`\b([a-z]+)=([a-z0-9]+)`)

// plainer replaces terms of the command line in help texts.
var plainer = strings.NewReplacer(
	"steps joined by + (see rao spd check)", "steps joined by +: drop:CHANNELS (numbers from 0, or names), project, "+
		"shrink:AMOUNT, floor:AMOUNT",
	"The variable recording shows", "The argument recordings of fit shows",
	"as NAME=VALUE of a variable of the data", "as in the argument recordings of fit",
	"numbers separated by commas", "a sequence of numbers",
	"calvo_oller for sqfa, riemann for smsqfa and bhattacharyya for bdm",
	"calvo_oller for SQFA, riemann for SecondMomentsSQFA and bhattacharyya for BDM",
	"for knn-spd and enuc", "for MatrixKNN and ENuc", "the patterns of enuc", "the patterns of ENuc",
	"20000 with em;", "20000 with em=True;",
)

// className returns the name of the class of a method. By default it is the name of the method in capitals, because
// most names are abbreviations.
func className(name string) string {
	if n, ok := pythonNames[name]; ok {
		return n
	}
	return strings.ToUpper(strings.ReplaceAll(strings.TrimSuffix(name, "-raw"), "-", ""))
}

// fitted returns a model of the method, fitted to a few observations of two classes.
func fitted(m *method.Method) (*model.Model, *dataset.Data) {
	d := &dataset.Data{Source: m.Name, Labels: make([]int, 12), Classes: []string{"1", "2"}}
	var values []float64
	for i := range d.Labels {
		d.Labels[i] = i % 2
		a, b, c := float64(1+i%2+i/4), float64(2+i%3), float64(i%4)/4
		values = append(values, a, c, c, b)
	}
	if d.Stack = spd.StackOf(12, 2, values); !m.Matrices {
		d.X, d.Stack = dataset.NewTable(12, 4, values), nil
	}
	fit, err := m.Fit(context.Background(), method.InMemory{Data: d}, nil, nil)
	if fit == nil {
		panic(err)
	}
	return fit, d
}

// mixins are what the estimators of some methods have in addition to their options.
var mixins = map[string]mixin{
	"mdm": {Class: "NearestMeans", Attributes: []attribute{
		{"covmeans_", "ndarray of shape (n_classes, order, order)", "The class means."}}},
	"tangent": {Class: "TangentPoint", Attributes: []attribute{
		{"reference_", "ndarray of shape (order, order)",
			"Reference point of the tangent space; None with the metric logeuclid."}}},
	"csp": spatial, "fgmdm": spatial, "enuc": spatial,
	"fa": {PoorScore: true}, // two columns have one factor, which does not separate three classes
}

var spatial = mixin{Class: "Spatial", Attributes: []attribute{
	{"filters_", "ndarray of shape (n_channels, n_filters)", "Spatial filters, one per column."},
	{"patterns_", "ndarray of shape (n_channels, n_filters)",
		"Pattern of the source of each filter at the channels, one per column."}}}

type mixin struct {
	Class      string      // the first base class, from module _mixins; empty: none
	Attributes []attribute // of this class
	PoorScore  bool        // in the sense of scikit-learn's tag
}

type attribute struct{ Name, Type, Help string }

// class describes a generated estimator for the templates.
type class struct {
	Name, Method, Summary string
	Bases                 string
	Parameters            []parameter
	HasClassifier         bool // the method has the option classifier
	Matrices, Features    bool
	Trials                bool
	Width                 string // what n_features_in_ counts
	HasFilters            bool
	Mixin                 mixin
}

func classOf(m *method.Method) class {
	c := class{Name: className(m.Name), Method: m.Name, Summary: sentence(m.Summary), Matrices: m.Matrices,
		Trials: m.Trials}
	for i := range m.Options {
		// fit accepts both as arrays
		if c.Trials && m.Options[i].Name == "channel-count" || m.Options[i].Name == "weights" {
			continue
		}
		p := parameterOf(m, &m.Options[i])
		c.Parameters = append(c.Parameters, p)
		c.HasClassifier = c.HasClassifier || p.Option == "classifier"
	}
	c.HasFilters = c.HasClassifier && !m.Matrices && !c.Trials
	c.Features = c.HasClassifier
	online := false
	if !c.HasClassifier && !m.Trials {
		fit, d := fitted(m)
		_, err := fit.Update(context.Background(), model.BatchOf(d), d.Labels)
		online, c.Features = err == nil, m.Matrices && fit.Features() > 0
	}
	var bases []string
	if c.Mixin = mixins[m.Name]; c.Mixin.Class != "" {
		bases = append(bases, c.Mixin.Class)
	}
	if online {
		bases = append(bases, "Online")
	}
	if !m.Matrices && !m.Rows {
		bases = append(bases, "Accumulating")
	}
	if c.Features {
		bases = append(bases, "Transforming")
	}
	kind := "Vectors"
	c.Width = "Number of features of the training data."
	switch {
	case c.Trials:
		kind, c.Width = "Trials", "Channels times samples."
	case m.Matrices:
		kind, c.Width = "Matrices", "Order of the matrices."
	}
	c.Bases = strings.Join(append(bases, kind), ", ")
	return c
}

// parameter is an argument of a generated class, made from an option of its method.
type parameter struct {
	Name, Option, Type, Doc, Default, Help string
}

func parameterOf(m *method.Method, o *method.Option) parameter {
	help := o.Usage()
	if o.Choices() != nil { // the type lists them
		help = o.Help
	}
	p := parameter{Name: strings.ReplaceAll(o.Name, "-", "_"), Option: o.Name, Help: sentence(help)}
	switch p.Name {
	case "lambda":
		p.Name += "_"
	case "decide": // the name of a method of estimators
		p.Name = "decision"
	}
	p.Help = plainer.Replace(settings.ReplaceAllString(p.Help, `$1="$2"`))
	for _, other := range m.Options { // names of options in Python
		p.Help = strings.ReplaceAll(p.Help, other.Name, strings.ReplaceAll(other.Name, "-", "_"))
	}
	if p.Name == "classifier" {
		example := "knn:neighbors=3"
		if strings.Contains(p.Help, "atrix method") {
			example = "knn-spd:neighbors=3"
		}
		p.Help = strings.ReplaceAll(p.Help, ", METHOD[:OPTION=VALUE]...", "") +
			fmt.Sprintf(" Methods and options have the names of the tool, such as %q.", example)
	}
	if o.With != "" {
		var all []string
		for one := range strings.SplitSeq(o.With, ",") {
			all = append(all, condition(one))
		}
		p.Help += fmt.Sprintf(" Used only with %s.", strings.Join(all, " and "))
	}
	var words []string // literal values
	var types []string
	switch o.Type {
	case "choice":
		words = o.Choices()
	case "switch":
		types = []string{"bool"}
	case "auto|pca|random|FILE":
		words, types = []string{"auto", "pca", "random"}, []string{"np.ndarray"}
	case "none|balanced|CLASS=NUMBER,...":
		words, types = []string{none, "balanced"}, []string{"dict[Any, float]"}
	case "auto|empirical|uniform|number,...":
		words, types = []string{"auto", "empirical", "uniform"}, []string{"Sequence[float]"}
	default:
		for _, w := range strings.Split(o.Type, "|") {
			switch {
			case w == "count":
				types = append(types, "int")
			case w == "number":
				types = append(types, "float")
			case strings.ToLower(w) == w && w != "text":
				words = append(words, w)
			default:
				types = []string{"str"}
			}
		}
		if slices.Contains(types, "str") {
			words, types = nil, []string{"str"}
		}
	}
	// Python turns an option off with None
	optional := slices.Contains(words, none) || o.Default == none || p.Name == "classifier"
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == none })
	if len(words) > 0 {
		quoted := make([]string, len(words))
		for i, w := range words {
			quoted[i] = strconv.Quote(w)
		}
		all := strings.Join(quoted, ", ")
		p.Doc = strings.Join(append(slices.Clone(types), "{"+all+"}"), " or ")
		types = append(types, "Literal["+all+"]")
	} else {
		p.Doc = strings.Join(types, " or ")
	}
	if optional {
		types, p.Doc = append(types, "None"), p.Doc+" or None"
		p.Help = noneInList.ReplaceAllString(p.Help, "${1}None${2}")
	}
	p.Doc = strings.NewReplacer("np.ndarray", "array of shape (n_features, filters)", "Sequence[float]",
		"sequence of float").Replace(p.Doc)
	if o.Name == "distance" { // of two Gaussians
		types, p.Doc = append(types, "Callable[..., Any]"), p.Doc+" or callable"
		p.Help += " A callable takes mean_a, cov_a, mean_b and cov_b of two classes, and returns the distance and " +
			"its derivatives, value, (d_mean_a, d_cov_a, d_mean_b, d_cov_b); it is called for each pair and step, " +
			"which is slow. See rao.torch_distance."
	}
	p.Type, p.Default = strings.Join(types, " | "), pythonValue(o.Default, types)
	return p
}

// noneInList matches none in a list of values, such as "auto, none, or steps".
var noneInList = regexp.MustCompile(`(: |, |; |is |or )none([,.; ])`)

// none is the value of the tool that turns an option off.
const none = "none"

// condition converts a condition, such as metric=riemann|logdet, to Python: metric="riemann" or "logdet".
func condition(with string) string {
	option, values, _ := strings.Cut(with, "=")
	all := strings.Split(values, "|")
	for i, v := range all {
		if _, err := strconv.ParseFloat(v, 64); err != nil {
			all[i] = strconv.Quote(v)
		}
	}
	return strings.ReplaceAll(option, "-", "_") + "=" + suggest.Or(all)
}

// pythonValue converts the text of a default to a Python literal of one of the types.
func pythonValue(text string, types []string) string {
	switch {
	case text == none:
		return "None"
	case types[0] == "bool":
		return strings.ToUpper(text[:1]) + text[1:]
	case types[0] == "float":
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			s := strconv.FormatFloat(v, 'g', -1, 64)
			if !strings.ContainsAny(s, ".e") {
				s += ".0"
			}
			return s
		}
	case types[0] == "int":
		if _, err := strconv.Atoi(text); err == nil {
			return text
		}
	}
	return strconv.Quote(text)
}

// sentence capitalizes a text and adds a period.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + strings.TrimSuffix(s[1:], ".") + "."
}
