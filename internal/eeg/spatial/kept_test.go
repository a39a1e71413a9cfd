package spatial

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"rao/dataset"
	"rao/internal/testkit"
	"rao/internal/testkit/fileform"
	"rao/model"
)

// Models of format 1 with a stage of this package are valid, and predict what rao predict printed when they
// were saved. The files of testdata/kept are never written again.
func TestKeptModelsPredictTheSame(t *testing.T) {
	const dir = "testdata/kept"
	for name, source := range map[string]string{"fbcsp": "P.npz", "erp": "trials.npz"} {
		fileform.ValidateFile(t, "model", filepath.Join(dir, name+".rao"))
		m := testkit.Must(model.Load(filepath.Join(dir, name+".rao")))(t)
		d := testkit.Must(dataset.Open(t.Context(), filepath.Join(dir, source), dataset.OpenOptions{}))(t)
		p := testkit.Must(m.Predict(t.Context(), model.BatchOf(d)))(t, name)
		f := testkit.Must(os.Open(filepath.Join(dir, name+".csv")))(t)
		lines, err := csv.NewReader(f).ReadAll()
		f.Close()
		if err != nil || len(lines) != d.N()+1 {
			t.Fatalf("%s: %d lines for %d predictions: %v", name, len(lines), d.N(), err)
		}
		for i, line := range lines[1:] {
			for c, text := range line[3:] {
				want, err := strconv.ParseFloat(text, 64)
				if got := math.Exp(p.LogPosterior.At(i, c)); err != nil || math.Abs(got-want) > 1e-7 {
					t.Errorf("%s: observation %d has probability %v of class %d, had %s", name, i, got, c, text)
				}
			}
		}
	}
}
