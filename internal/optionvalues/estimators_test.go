package optionvalues

import (
	"strings"
	"testing"

	"rao/internal/testkit"
)

func TestAnEstimatorHasOneName(t *testing.T) {
	for _, name := range estimators {
		testkit.Equal(t, testkit.Must(ParseEstimator(name))(t), name)
	}
	for name, want := range map[string]string{"scm": "mean sample?", "lwf": "mean ledoit_wolf?", "hub": "huber?"} {
		if err := testkit.ErrorOf(ParseEstimator(name)); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, want := range map[string]string{"zzzzzz": "choose from sample, oas, ledoit_wolf", "OAS": "mean oas?",
		"ledoit-wolf": "mean ledoit_wolf?"} {
		testkit.ErrorContains(t, testkit.ErrorOf(ParseEstimator(name)), want, name)
	}
}
