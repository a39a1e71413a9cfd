package method_test

import (
	"errors"
	"strings"
	"testing"

	"rao"
	"rao/internal/testkit"
	"rao/method"
)

func TestSpecs(t *testing.T) {
	for text, want := range map[string]string{
		"sqfa":                         "sqfa",
		"sqfa:noise=0.1:refine":        "sqfa:noise=0.1:refine=true",
		"qda-raw:priors=0.2,0.8":       "qda-raw:priors=(0.2,0.8)",
		"qda-raw:priors=(0.2,0.8)":     "qda-raw:priors=(0.2,0.8)",
		"tangent:classifier=(lda-raw)": "tangent:classifier=lda-raw",
		"csp:classifier=(lda-raw:priors=(0.2,0.8)):filters=6": "csp:classifier=(lda-raw:priors=(0.2,0.8)):filters=6",
	} {
		s, err := method.ParseSpec(text)
		if err != nil || s.Text() != want {
			t.Errorf("%s: %s, %v; want %s", text, s.Text(), err, want)
			continue
		}
		if again, err := method.ParseSpec(s.Text()); err != nil || again.Text() != want {
			t.Errorf("%s read again: %s, %v", want, again.Text(), err)
		}
	}
	for text, want := range map[string]string{
		"":                                   "unknown method",
		"sqva":                               "did you mean sqfa",
		"sqfa:":                              "is not of the form METHOD:OPTION=VALUE",
		"sqfa:noize=1":                       "did you mean noise",
		"sqfa:noise=1:noise=2":               "given twice",
		"sqfa:noise=-1":                      "must be a number",
		"sqfa:noise":                         "write OPTION=VALUE",
		"sqfa:beta=2":                        "aggregate",
		"csp:classifier=(lda-raw":            "unbalanced parentheses",
		"csp:classifier=lda-raw)":            "unbalanced parentheses",
		"csp:classifier=(lda-raw:shrinkag=)": "did you mean shrinkage",
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(method.ParseSpec(text)), want, text)
	}
}

func TestSharedSettings(t *testing.T) {
	shared := method.Settings{{Name: "filters", Value: "3"}, {Name: "neighbors", Value: "7"}}
	list := testkit.Must(method.ParseSpecs("pca, lda:filters=2,sqfa:classifier=knn,qda-raw", shared))(t)
	want := []string{"pca:filters=3", "lda:filters=2", "sqfa:classifier=knn:filters=3:neighbors=7", "qda-raw"}
	for i, s := range list {
		testkit.Equal(t, s.Text(), want[i])
	}
	testkit.Equal(t, list[1].String(), "lda:filters=2", "labels", list[0], "and", list[1])
	testkit.Equal(t, list[0].String(), "pca", "labels", list[0], "and", list[1])
	_, err := method.ParseSpecs("pca,lda", shared)
	if e := (*rao.OptionError)(nil); !errors.As(err, &e) || e.Option != "neighbors" {
		t.Errorf("a shared option that no method uses: %v", err)
	}
	for text, want := range map[string]string{"pca,pca": "pca is listed twice", "pca,": "unknown method",
		"sqfa:beta=3,pca": "aggregate"} {
		testkit.ErrorContains(t, testkit.ErrorOf(method.ParseSpecs(text, nil)), want, text)
	}
}

func FuzzParseSpecs(f *testing.F) {
	f.Add("sqfa:noise=0.1,pca", "filters=3:seed=2")
	f.Add("csp:classifier=(lda-raw:priors=(0.2,0.8))", "")
	f.Fuzz(func(t *testing.T, text, options string) {
		shared, err := method.ParseSettings(options)
		if err != nil {
			return
		}
		list, err := method.ParseSpecs(text, shared)
		if err != nil {
			return
		}
		for _, s := range list {
			again, err := method.ParseSpec(s.Text())
			if err != nil || again.Text() != s.Text() {
				t.Fatalf("%q is read as %q, %v", s.Text(), again.Text(), err)
			}
		}
	})
}

func TestTheZeroSpecIsAnError(t *testing.T) {
	_, err := method.Spec{}.Fit(t.Context(), nil, nil)
	if err == nil || !strings.Contains(err.Error(), "has no method") {
		t.Error(err)
	}
}
