package app

import (
	"fmt"
	"slices"

	"rao/method"
)

// MethodsHelp explains the syntax of methods on the command line.
const MethodsHelp = `--methods, --classifier and --method have the same syntax: the name of a
method, with its options after colons, METHOD[:OPTION=VALUE]..., such as
sqfa:filters=4:noise=0.1. A switch needs no value: sqfa:refine. Separate the methods of a
list by commas. Enclose a value in parentheses if it contains a colon, or a comma within a
list: csp:classifier=(lda-raw:shrinkage=oas). As classifiers of features, qda, lda, knn,
svm and mixture are short for qda-raw, lda-raw and so on.

A name that ends in .toml is a file with a table [[methods]] for each method, and
optionally a table [options] for all:

  [options]
  filters = 9

  [[methods]]
  name = "lda"

  [[methods]]
  name = "sqfa"
  label = "neighbors"
  classifier = { name = "knn", neighbors = 3 }`

// LearnsFrom returns what a method learns from, as one word.
func LearnsFrom(m *method.Method) string {
	switch {
	case m.Matrices:
		return "matrices"
	case m.Rows:
		return "rows"
	}
	return "statistics"
}

// WithMethods returns a usage error that also lists the names of all methods, with one line per kind of input.
func WithMethods(format string, args ...any) error {
	err := &UsageError{Msg: fmt.Sprintf(format, args...)}
	for _, m := range method.Methods() {
		from := LearnsFrom(m)
		i := slices.IndexFunc(err.Names, func(g NameGroup) bool { return g.Title == from })
		if i < 0 {
			i = len(err.Names)
			err.Names = append(err.Names, NameGroup{Title: from})
		}
		err.Names[i].Names = append(err.Names[i].Names, m.Name)
	}
	return err
}
