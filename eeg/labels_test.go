package eeg

import (
	"strings"
	"testing"

	"rao/internal/testkit"
)

// A comma in a label is written with a backslash, and the error for a missing backslash explains this.
func TestLabelsWithCommas(t *testing.T) {
	r := testkit.Must(NewRecording([]string{"Cz"}, 100, make([]float64, 1000), []Event{{Sample: 100, Label: "go, now"},
		{Sample: 500, Label: "go, now"}}))(t)
	for spec, want := range map[string]string{`go=go\, now`: "", `go\, now`: "",
		"go": `write a comma in a label as \,`} {
		classes := testkit.Must(ParseClasses(spec))(t, spec)
		opt := TrialOptions{Classes: classes, Stop: 1}
		opt.Estimator = "none"
		trials, err := CutTrials(t.Context(), []*Recording{r}, opt)
		if want == "" && (err != nil || len(trials.Labels) != 2) ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", spec, err, want)
		}
	}
}
