package study

import (
	"fmt"
	"strings"
	"testing"

	"rao/internal/testkit"
	"rao/method"
)

func TestMethodsFromTOML(t *testing.T) {
	specs := testkit.Must(readMethods(strings.NewReader(`
[options]
filters = 9

[[methods]]
name = "lda"
shrinkage = "oas"
priors = [0.25, 0.75]

[[methods]]
name = "sqfa"
label = "with neighbors"
noise = 0.1
filters = 4
refine = true
classifier = { name = "knn", neighbors = 3 }
`), method.Settings{{Name: "filters", Value: "2"}}))(t)
	want := []string{"lda:priors=(0.25,0.75):shrinkage=oas:filters=2",
		"sqfa:classifier=(knn:neighbors=3):filters=4:noise=0.1:refine=true"}
	for i, s := range specs {
		testkit.Equal(t, s.Text(), want[i])
	}
	testkit.Equal(t, specs[1].String(), "with neighbors", "label", specs[1])
	for text, want := range map[string]string{
		"":                                                             "no table [[methods]]",
		"[[methods]]\nfilters = 3":                                     "the name of the method is missing",
		"[[methods]]\nname = 3":                                        "the name of the method is missing",
		"[[methods]]\nname = \"sqva\"":                                 "did you mean sqfa",
		"[[method]]\nname = \"sqfa\"":                                  "method is unknown",
		"[[methods]]\nname = \"sqfa\"\nx = 1":                          "unknown sqfa option",
		"[[methods]]\nname = \"sqfa\"\nlabel = 1":                      "must be text in quotes",
		"[[methods]]\nname = \"sqfa\"\nnoise = 2020-01-01":             "is not text, a number",
		"[[methods]]\nname = \"sqfa\"\nclassifier = \"a):b=(c\"":       "classifier",
		"[[methods]]\nname = \"sqfa\"\n[[methods]]\nname = \"sqfa\"":   "sqfa is listed twice",
		"[[methods]]\nname = \"sqfa\"\nclassifier = { neighbors = 3 }": "the name of the method is missing",
		"[options]\nlabel = \"x\"\n[[methods]]\nname = \"sqfa\"":       `unknown option "label"`,
		"[[methods]":               "expected",
		strings.Repeat("#", 70000): "longer than the limit",
		"[[methods]]\nname = \"sqfa\"\n[methods.classifier]\nname = \"knn\"\nlabel = 1": `option "label"`,
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(readMethods(strings.NewReader(text), nil)), want,
			fmt.Sprintf("%.40q", text))
	}
}

func FuzzReadMethods(f *testing.F) {
	f.Add("[options]\nfilters = 2\n[[methods]]\nname = \"sqfa\"\nclassifier = { name = \"knn\" }")
	f.Fuzz(func(t *testing.T, text string) {
		specs, err := readMethods(strings.NewReader(text), nil)
		if err != nil {
			return
		}
		for _, s := range specs {
			if _, err := method.ParseSpec(s.Text()); err != nil {
				t.Fatalf("%q: %v", s.Text(), err)
			}
		}
	})
}
