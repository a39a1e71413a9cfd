package spd

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/format/matfile"
	"rao/internal/testkit"
)

// bciTrials returns the 576 covariance matrices of one subject of BCI Competition
// IV 2a; the test is skipped when the external data are absent.
func bciTrials(t testing.TB, subject string) *Stack {
	t.Helper()
	f := testkit.Must(matfile.Open(testkit.External(t, "data", "bci-iv-2a", subject+".mat")))(t)
	defer f.Close()
	p := testkit.Must(f.Read("P"))(t)
	// Matrices run fastest in a column-major d×d×N array, and they are symmetric.
	return StackOf(p.Shape[2], p.Shape[0], p.Float64)
}

// pyRiemann 0.9 takes 2.3 s for all pairs of the same trials, and 0.18 s for the mean, with one BLAS thread.
func BenchmarkDistancesRiemann(b *testing.B) {
	x := bciTrials(b, "A01")
	var d mat.Dense
	b.ReportAllocs()
	for b.Loop() {
		testkit.NoError(b, Distances(b.Context(), &d, Riemann, x, nil))
	}
}

func BenchmarkMeanRiemann(b *testing.B) {
	x := bciTrials(b, "A01")
	var passes int
	b.ReportAllocs()
	for b.Loop() {
		_, rep := testkit.Must2(weightedMean(context.Background(), x, nil, Riemann, MeanOptions{Tol: 1e-9}))(b)
		passes = rep.Passes
	}
	b.ReportMetric(float64(passes), "passes")
}
