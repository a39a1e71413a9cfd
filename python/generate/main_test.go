package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rao/internal/testkit"
	"rao/method"
)

// The estimators in the repository match the current declarations of the methods.
func TestEstimatorsAreCurrent(t *testing.T) {
	for name, want := range files() {
		got := testkit.Must(os.ReadFile(filepath.Join("..", "rao", name)))(t)
		testkit.EqualSlices(t, got, want, name, "is not what the methods declare: run go generate ./python/...")
	}
}

func TestNamesOfClasses(t *testing.T) {
	var names []string
	for _, m := range method.Methods() {
		name := className(m.Name)
		if slices.Contains(names, name) {
			t.Errorf("two methods are the class %s", name)
		}
		names = append(names, name)
	}
	for name := range pythonNames {
		if _, err := method.Lookup(name); err != nil {
			t.Errorf("%s has a Python name but is not a method", name)
		}
	}
}

// Docstrings contain no words of the command line: flags, commands, or other options without an equals sign.
func TestDocstringsArePython(t *testing.T) {
	words := regexp.MustCompile(`--|rao [a-z]|\b(adapt|aggregate|metric|noise|classifier) (center|bayes|softmin|` +
		`riemann|auto|tslda)\b|numbers separated by commas|alone it means`)
	for _, m := range method.Methods() {
		for _, p := range classOf(m).Parameters {
			testkit.Equal(t, words.FindString(strings.ReplaceAll(p.Help, "rao.torch", "")), "", className(m.Name),
				p.Name, "in", p.Help)
			for _, o := range m.Options {
				if strings.Contains(o.Name, "-") && strings.Contains(p.Help, o.Name) {
					t.Errorf("%s %s: the option is named %s in %s", className(m.Name), p.Name, o.Name, p.Help)
				}
			}
		}
	}
}
