package compare_test

import (
	"os"
	"path/filepath"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/study"
	"rao/internal/testkit"
)

// A learning curve has a point for each halving of the training data. The point for all data has the accuracy in the
// table.
func TestLearningCurves(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	var r study.Rows
	tooltest.Decode(t, &r, "compare", "--data", "digits:train", "--test", "digits:test", "--methods", "lda,pca",
		"--options", "filters=9", "--curve", "3", "--html", page)
	for _, row := range r.Rows {
		c := row.Curve
		if len(c) != 4 || c[3].Train != 1198 || c[3].Accuracy != row.Accuracy {
			t.Fatalf("%s: %v", row.Method, c)
		}
		for k := range 3 {
			if share := float64(c[k].Train) / float64(c[k+1].Train); share < 0.47 || share > 0.53 {
				t.Errorf("%s learned from %d and then from %d", row.Method, c[k].Train, c[k+1].Train)
			}
		}
		if c[0].Accuracy >= c[3].Accuracy {
			t.Errorf("%s: an eighth of the data gives %v, all of them %v", row.Method, c[0].Accuracy, c[3].Accuracy)
		}
	}
	testkit.Contains(t, string(testkit.Must(os.ReadFile(page))(t)), "Learning curves")
	for want, args := range map[string][]string{
		"use fewer halvings": {"--test", "digits:test", "--curve", "12"},
		"leave out --curve":  {"--groups", "y", "--curve", "2"},
	} {
		tooltest.Fails(t, want, append([]string{"compare", "--data", "digits:train", "--methods", "lda"}, args...)...)
	}
}
