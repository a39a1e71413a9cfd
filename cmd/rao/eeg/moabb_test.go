package eeg_test

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/dataset"
	"rao/internal/study"
	"rao/internal/testkit"
)

// On MOABB's simulated set the scores equal those of MOABB 1.7.2 with the same filter and covariances: the area under
// the ROC curve for two classes, the accuracy for three. MOABB stores them in single precision. The trials have the
// same number of samples.
func TestScoresAgreeWithMOABB(t *testing.T) {
	var golden []struct {
		Evaluation string   `json:"evaluation"`
		Events     []string `json:"events"`
		Measure    string   `json:"measure"`
		Shape      [3]int   `json:"shape"`
		Scores     [][3]any `json:"scores"`
	}
	testkit.ReadJSON(t, filepath.Join("testdata", "moabb", "scores.json"), &golden)
	dir := t.TempDir()
	for k, g := range golden {
		var files []string
		for _, subject := range []string{"1", "2"} {
			for _, session := range []string{"0", "1"} {
				out := filepath.Join(dir, fmt.Sprintf("%d-%s-%s.npz", k, subject, session))
				file := filepath.Join("testdata", "moabb", "s"+subject+"_"+session+"_raw.fif")
				tooltest.Succeeds(t, "eeg", "cov", file, "--classes", strings.Join(g.Events, ","), "--stop", "3",
					"--both-ends", "--bands", "8-32",
					"--order", "4", "--estimator", "oas", "--meta", "subject="+subject+",session="+session,
					"--out", out)
				files = append(files, out)
			}
		}
		d := testkit.Must(dataset.Open(t.Context(), files[0], dataset.OpenOptions{}))(t)
		samples := d.Recipe.Signal.Window * 96
		if 4*d.N() != g.Shape[0] || math.Abs(samples-float64(g.Shape[2])) > 1e-9 {
			t.Errorf("%d trials of %g samples, MOABB has %v", 4*d.N(), samples, g.Shape)
		}
		measure := map[string]string{"roc_auc": "auc", "accuracy": "accuracy"}[g.Measure]
		var r study.Result
		tooltest.Decode(t, &r, "study", "--set", "fake="+strings.Join(files, ","), "--subject-variable", "subject",
			"--methods", "mdm", "--evaluations", g.Evaluation, "--score", measure, "--out",
			filepath.Join(dir, fmt.Sprint(k)))
		if len(r.Scores) != len(g.Scores) {
			t.Fatalf("%d scores, want %d", len(r.Scores), len(g.Scores))
		}
		for i, s := range r.Scores {
			w := g.Scores[i]
			if s.Subject != w[0] || s.Session != w[1] || float32(s.Value) != float32(w[2].(float64)) {
				t.Errorf("%s, %s: %s, session %s: %v, MOABB has %v", g.Evaluation, measure, s.Subject, s.Session,
					s.Value, w)
			}
		}
	}
}
