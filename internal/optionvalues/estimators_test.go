package optionvalues

import (
	"strings"
	"testing"

	"rao/internal/testkit"
)

func TestAnEstimatorHasOneName(t *testing.T) {
	for _, name := range estimators {
		if e := testkit.Must(ParseEstimator(name))(t); e != name {
			t.Errorf("%s: %s", name, e)
		}
	}
	for name, want := range map[string]string{"scm": "use sample", "lwf": "use ledoit_wolf", "hub": "use huber"} {
		if err := testkit.ErrorOf(ParseEstimator(name)); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"basc", "OAS", "ledoit-wolf"} {
		testkit.ErrorContains(t, testkit.ErrorOf(ParseEstimator(name)), "use one of sample, oas, ledoit_wolf", name)
	}
}
