package optionvalues

import (
	"testing"

	"rao/internal/testkit"
)

func TestEstimatorsHaveTheNamesOfPyRiemann(t *testing.T) {
	for name, want := range map[string]string{"cov": "sample", "OAS": "oas", "lwf": "ledoit_wolf",
		"ledoit-wolf": "ledoit_wolf", "schaefer_strimmer": "schaefer_strimmer", "rbf": "rbf"} {
		if e, err := ParseEstimator(name); err != nil || e != want {
			t.Errorf("%s: %v %v", name, e, err)
		}
	}
	testkit.ErrorContains(t, testkit.ErrorOf(ParseEstimator("basc")), "use one of sample, oas, ledoit_wolf", "basc")
}
