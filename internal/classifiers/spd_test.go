package classifiers

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/internal/format/matfile"
	"rao/internal/scoring"
	"rao/internal/testkit"
	"rao/spd"
)

// matrixClassifier is what every classifier of SPD matrices offers.
type matrixClassifier interface {
	LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error
	Dims() (in, classes int)
	Validate() error
}

var (
	_ matrixClassifier = (*classify.MDM)(nil)
	_ matrixClassifier = (*TangentLDA)(nil)
)

var bciClasses = []string{"left hand", "right hand", "feet", "tongue"}

// bci returns the trials of session T (train) and E (test) of one subject of BCI
// Competition IV 2a; the test is skipped when the external data are absent.
func bci(t testing.TB, subject string) (train, test *spd.Stack, trainLabels, testLabels []int) {
	t.Helper()
	f := testkit.Must(matfile.Open(testkit.External(t, "data", "bci-iv-2a", subject+".mat")))(t)
	defer f.Close()
	p := testkit.Must(f.Read("P"))(t)
	label := testkit.Must(f.Read("Label"))(t)
	isTest := testkit.Must(f.Read("testIdx"))(t)
	x := spd.StackOf(p.Shape[2], p.Shape[0], p.Float64)
	var a, b []int
	for k := range x.Count {
		l := int(label.Value(k)) - 1
		if isTest.Value(k) != 0 {
			b, testLabels = append(b, k), append(testLabels, l)
		} else {
			a, trainLabels = append(a, k), append(trainLabels, l)
		}
	}
	return x.Select(a), x.Select(b), trainLabels, testLabels
}

// decide returns the most probable class of every row.
func decide(t testing.TB, m matrixClassifier, x *spd.Stack) []int {
	t.Helper()
	var lp mat.Dense
	testkit.NoError(t, m.LogPosterior(t.Context(), &lp, x))
	out := make([]int, x.Count)
	for k := range out {
		row := lp.RawRowView(k)
		sum := 0.0
		for i, v := range row {
			sum += math.Exp(v)
			if v > row[out[k]] {
				out[k] = i
			}
		}
		if !(math.Abs(sum-1) < 1e-9) {
			t.Fatalf("probabilities of matrix %d sum to %g", k, sum)
		}
	}
	return out
}

// recentered moves a session to the identity by its Riemannian mean.
func recentered(t testing.TB, x *spd.Stack) *spd.Stack {
	t.Helper()
	m, _ := testkit.Must2(spd.Mean(context.Background(), x, nil, spd.Riemann, spd.MeanOptions{}))(t)
	var out spd.Stack
	testkit.NoError(t, spd.Recenter(&out, x, m, nil))
	return &out
}

// The kappas agree with pyRiemann 0.9 on the same covariances, from session T to session E: MDM, and TangentSpace +
// LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"), both without centering and with each session centered at
// its own mean.
func TestMotorImageryAgreesWithPyRiemann(t *testing.T) {
	want := map[string][4]float64{
		"A01": {0.745, 0.750, 0.77, 0.78},
		"A02": {0.315, 0.292, 0.34, 0.31},
		"A03": {0.625, 0.759, 0.80, 0.84},
		"A04": {0.528, 0.514, 0.49, 0.49},
		"A05": {0.338, 0.333, 0.34, 0.34},
	}
	for _, subject := range []string{"A01", "A02", "A03", "A04", "A05"} {
		train, test, y, truth := bci(t, subject)
		var got [4]float64
		for i := range 2 {
			if i == 1 {
				train, test = recentered(t, train), recentered(t, test)
			}
			mdm := testkit.Must(classify.FitMDM(context.Background(), train, y, bciClasses, classify.MDMOptions{}))(t)
			lda := testkit.Must(FitTangentLDA(context.Background(), train, y, bciClasses, TangentLDAOptions{}))(t)
			got[2*i] = scoring.Kappa(truth, decide(t, mdm, test), 4)
			got[2*i+1] = scoring.Kappa(truth, decide(t, lda, test), 4)
		}
		t.Logf("%s kappa: MDM %.3f, TSLDA %.3f, re-centered MDM %.3f, TSLDA %.3f",
			subject, got[0], got[1], got[2], got[3])
		for i, w := range want[subject] {
			testkit.Near(t, got[i], w, 0.015, subject, "kappa", i)
		}
	}
}

// The kappas agree with FgMDM() of pyRiemann 0.12 (with scikit-learn 1.9.1) on the same covariances, from session T to
// session E.
func TestGeodesicFilterAgreesWithPyRiemann(t *testing.T) {
	for subject, want := range map[string]float64{"A01": .7361, "A02": .2824, "A03": .7546, "A04": .5046,
		"A05": .3241} {
		train, test, y, truth := bci(t, subject)
		m := testkit.Must(fitFgMDM(context.Background(), train, y, bciClasses))(t)
		if _, r := m.(behind).by.(*GeodesicFilter).Basis.Dims(); r != 3 {
			t.Errorf("%s: %d directions for 4 classes, want 3", subject, r)
		}
		testkit.Near(t, scoring.Kappa(truth, decide(t, m, test), 4), want, 5e-5, subject, "kappa")
	}
}

// pyRiemann 0.9 takes 0.031 s for the 288 test trials, with one BLAS thread.
func BenchmarkMDMPredict(b *testing.B) {
	train, test, y, _ := bci(b, "A01")
	m := testkit.Must(classify.FitMDM(context.Background(), train, y, bciClasses, classify.MDMOptions{}))(b)
	var lp mat.Dense
	b.ReportAllocs()
	for b.Loop() {
		testkit.NoError(b, m.LogPosterior(b.Context(), &lp, test))
	}
}

// One trial at a time, as an online decoder sees them.
func BenchmarkMDMDecision(b *testing.B) {
	train, test, y, _ := bci(b, "A01")
	m := testkit.Must(classify.FitMDM(context.Background(), train, y, bciClasses, classify.MDMOptions{}))(b)
	one := test.Select([]int{0})
	var lp mat.Dense
	b.ReportAllocs()
	for b.Loop() {
		testkit.NoError(b, m.LogPosterior(b.Context(), &lp, one))
	}
}
