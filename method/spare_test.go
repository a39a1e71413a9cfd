package method

import (
	"bytes"
	"context"
	"testing"

	"rao/gaussian"
	"rao/internal/testkit"
)

// Statistics that are marked as spare are scaled in place. The model file is identical, and statistics that are not
// spare do not change.
func TestSpareStatistics(t *testing.T) {
	d := toyVectors(t)
	stats := func() *gaussian.Statistics {
		s := testkit.Must(gaussian.Estimate(d.X, d.Labels, d.Classes))(t)
		return s
	}
	m := testkit.Must(Lookup("sqfa"))(t)
	kept, spare := stats(), stats()
	var files [2]bytes.Buffer
	for i, src := range []TrainingData{Statistics{Stats: kept}, Statistics{Stats: spare, Spare: true}} {
		mod := testkit.Must(m.Fit(context.Background(), src, Settings{}.With("noise", "0.1"), nil))(t)
		testkit.NoError(t, mod.Write(&files[i]))
	}
	testkit.EqualSlices(t, files[0].Bytes(), files[1].Bytes(), "the models differ")
	before := stats()
	for i, x := range before.Covariances {
		testkit.Equal(t, kept.Covariances[i], x, "statistics that were not spare have changed")
	}
}
