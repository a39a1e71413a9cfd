package lvq

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
	"rao/internal/testkit"
	"rao/spd"
)

func logLoss(logp *mat.Dense, y []int) float64 {
	sum := 0.0
	for i, c := range y {
		sum -= logp.At(i, c) / float64(len(y))
	}
	return sum
}

// An overfitted model is overconfident; the held-out temperature must correct this on new data.
func TestTemperatureImprovesProbabilitiesOfNewData(t *testing.T) {
	x, y := cloudsFrom(20, 21, 6, 3, 30, 0.06, 0.4)
	xe, ye := cloudsFrom(20, 22, 6, 3, 150, 0.06, 0.4)
	o := PLRSQOptions{Epochs: 15, Sigma2: 0.3, Prototypes: 2}
	loss := func(o PLRSQOptions) (float64, *PLRSQ) {
		m := fitOrFail(t, x, y, o)
		var logp mat.Dense
		testkit.NoError(t, m.LogPosterior(t.Context(), &logp, xe))
		return logLoss(&logp, ye), m
	}
	raw, _ := loss(plain(o))
	warm, m := loss(o)
	o.PerClassDispersion = true
	each, _ := loss(o)
	t.Logf("log loss %.3f uncalibrated, %.3f at temperature %.2f, %.3f with dispersion per class",
		raw, warm, m.Temperature, each)
	if !(m.Temperature > 1) || !(warm < raw) || !(each < raw) {
		t.Errorf("calibration did not help")
	}
	testkit.Equal(t, len(m.HeldLabels), len(y), "held-out labels")
}

// If groups differ from one another, the temperature must be higher than with random folds.
func TestGroupsAreHeldOutTogether(t *testing.T) {
	a, ya := cloudsFrom(44, 45, 4, 2, 30, 0.2, 0.25)
	b := shifted(a, vec.Identity(4), 46)
	x := spd.StackOf(120, 4, append(append([]float64(nil), a.Data...), b.Data...))
	y, groups := append(append([]int(nil), ya...), ya...), make([]int, 120)
	for i := range 60 {
		groups[i], groups[60+i] = 7, 3
	}
	mixed := fitOrFail(t, x, y, PLRSQOptions{Epochs: 10})
	apart := fitOrFail(t, x, y, PLRSQOptions{Epochs: 10, Groups: groups})
	if !(apart.Temperature > mixed.Temperature) {
		t.Errorf("temperature %.3f with groups held out, %.3f with random folds", apart.Temperature, mixed.Temperature)
	}
}

func TestPosteriorsAreProbabilities(t *testing.T) {
	x, y := clouds(23, 4, 3, 20, 0.4, 0.3)
	m := fitOrFail(t, x, y, PLRSQOptions{Epochs: 5, CalibrationFolds: 2, PerClassDispersion: true, Prototypes: 2})
	var logp mat.Dense
	testkit.NoError(t, m.LogPosterior(t.Context(), &logp, x))
	one := mat.NewDense(1, 3, nil)
	for i := range x.Count {
		sum := 0.0
		for c := range 3 {
			sum += math.Exp(logp.At(i, c))
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("probabilities of matrix %d sum to %.15g", i, sum)
		}
		testkit.NoError(t, m.LogPosterior(t.Context(), one, x.Slice(i, i+1)))
		testkit.EqualBits(t, one.RawRowView(0), logp.RawRowView(i), "one at a time")
	}
}

func TestThresholdsKeepTheirPromise(t *testing.T) {
	x, y := cloudsFrom(25, 26, 5, 3, 60, 0.15, 0.4)
	m := fitOrFail(t, x, y, PLRSQOptions{Epochs: 10})
	held := func() (wrong, share float64) {
		n, bad := 0, 0
		for i, label := range m.HeldLabels {
			row := m.HeldLogPosterior[i*3 : (i+1)*3]
			best := floats.MaxIdx(row)
			if math.Exp(row[best]) < m.MinProbability {
				continue
			}
			n++
			if best != label {
				bad++
			}
		}
		return float64(bad) / float64(n), float64(n) / float64(len(m.HeldLabels))
	}
	all, _ := held()
	coverage := testkit.Must(m.RejectForError(all / 3))(t)
	if wrong, share := held(); wrong > all/3 || math.Abs(share-coverage) > 1e-12 || coverage == 1 {
		t.Errorf("error %.3f of %.3f accepted at coverage %.3f, said %.3f", wrong, all, share, coverage)
	}
	said := testkit.Must(m.RejectForCoverage(0.8))(t)
	if wrong, share := held(); math.Abs(share-0.8) > 0.02 || math.Abs(wrong-said) > 1e-12 || !(wrong < all) {
		t.Errorf("coverage %.3f with error %.3f, said %.3f; all %.3f", share, wrong, said, all)
	}
	testkit.Fails(t, testkit.ErrorOf(m.RejectForError(-1)), "negative error accepted")
	testkit.Fails(t, testkit.ErrorOf(m.RejectForCoverage(0)), "no coverage accepted")
	testkit.NoError(t, m.RejectOutliers(0.99))
	far := stackOf(mat.NewDense(5, 5, append([]float64(nil), x.At(0)...)))
	for i := range far.Data {
		far.Data[i] *= 1e4
	}
	d := make([]Decision, far.Count)
	testkit.NoError(t, m.Decide(t.Context(), d, new(mat.Dense), far))
	if !d[0].Outlier || !d[0].Rejected {
		t.Errorf("a matrix 10000 times larger is no outlier: %+v", d[0])
	}
	m.Calibration = uncalibrated()
	testkit.ErrorContains(t, testkit.ErrorOf(m.RejectForError(0.1)), "held-out")
}

func TestImpossibleErrorIsSaid(t *testing.T) {
	m := &PLRSQ{Classes: naming.Classes(nil, 2),
		Calibration: Calibration{HeldLabels: []int{1, 1}, HeldLogPosterior: []float64{-0.1, -2.35, -0.1, -2.35},
			HeldDistance: []float64{1, 1}}}
	testkit.ErrorContains(t, testkit.ErrorOf(m.RejectForError(0.1)), "no threshold")
}

func TestUpdateIsBoundedAndUndone(t *testing.T) {
	x, y := clouds(27, 4, 2, 15, 0.3, 0.4)
	for _, metric := range []spd.Metric{spd.Riemann, spd.LogEuclid, spd.Euclid} {
		m := fitOrFail(t, x, y, plain(PLRSQOptions{Epochs: 3, Metric: metric, Prototypes: 2}))
		before := append([]float64(nil), m.Prototypes.Data...)
		var logp, after mat.Dense
		testkit.NoError(t, m.LogPosterior(t.Context(), &logp, x))
		for k := range 10 {
			old := m.Prototypes.Select(indices.Range(4))
			testkit.NoError(t, m.Update(x.View(k), y[k], UpdateOptions{Rate: 1e6, MaxMove: 0.1}))
			for l := range 4 {
				from := testkit.Must(spd.Distance(metric, old.Sym(l), x.Sym(k)))(t)
				moved := testkit.Must(spd.Distance(metric, old.Sym(l), m.Prototypes.Sym(l)))(t)
				if moved > 0.1*from*(1+1e-6) {
					t.Errorf("%s: update moved a prototype by %.3g of %.3g", metric, moved, from)
				}
			}
		}
		for range 10 {
			if !m.Undo() {
				t.Fatal("nothing to undo")
			}
		}
		if m.Undo() {
			t.Error("undid more than was done")
		}
		testkit.EqualBits(t, before, m.Prototypes.Data, "prototypes after undo")
		testkit.NoError(t, m.LogPosterior(t.Context(), &after, x))
		testkit.EqualBits(t, logp.RawMatrix().Data, after.RawMatrix().Data, "posterior after undo")
	}
}

func TestUpdateLearnsADrift(t *testing.T) {
	x, y := cloudsFrom(28, 29, 4, 2, 30, 0.3, 0.3)
	drifted, z := cloudsFrom(30, 31, 4, 2, 60, 0.3, 0.3)
	m := fitOrFail(t, x, y, plain(PLRSQOptions{Epochs: 10}))
	var logp mat.Dense
	testkit.NoError(t, m.LogPosterior(t.Context(), &logp, drifted))
	before := logLoss(&logp, z)
	order := rand.New(rand.NewPCG(1, 1)).Perm(drifted.Count)
	for _, i := range order {
		testkit.NoError(t, m.Update(drifted.View(i), z[i], UpdateOptions{Rate: 0.1, MaxMove: 0.2}))
	}
	testkit.NoError(t, m.LogPosterior(t.Context(), &logp, drifted))
	if after := logLoss(&logp, z); !(after < before) {
		t.Errorf("log loss of the drifted data went from %.3f to %.3f", before, after)
	}
	testkit.NoError(t, m.Validate(), "exported prototypes after updates")
}

func TestBadUpdateLeavesTheModel(t *testing.T) {
	x, y := clouds(32, 3, 2, 8, 0.3, 0.3)
	m := fitOrFail(t, x, y, plain(PLRSQOptions{Epochs: 2}))
	before := append([]float64(nil), m.Prototypes.Data...)
	for name, c := range map[string]struct {
		x     mat.Symmetric
		label int
		o     UpdateOptions
		want  string
	}{
		"short":      {mat.NewSymDense(2, nil), 0, UpdateOptions{}, "needs order 3"},
		"label":      {x.View(0), 5, UpdateOptions{}, "matrix 0 has label 5"},
		"indefinite": {mat.NewDiagDense(3, []float64{1, -1, 1}), 0, UpdateOptions{}, "not positive definite"},
		"NaN":        {mat.NewDiagDense(3, []float64{1, math.NaN(), 1}), 0, UpdateOptions{}, "is NaN at row"},
		"move":       {x.View(0), 0, UpdateOptions{MaxMove: 3}, "largest move 3"},
	} {
		testkit.ErrorContains(t, m.Update(c.x, c.label, c.o), c.want, name)
	}
	testkit.EqualBits(t, before, m.Prototypes.Data, "prototypes")
}

// shifted applies one congruence to every matrix, like another day or other electrodes. The congruence is R½ S R-½ with
// S SPD and R the reference: a shift along geodesics from R. Re-centering can undo such a shift without labels, but
// cannot undo a rotation.
func shifted(x *spd.Stack, reference []float64, seed uint64) *spd.Stack {
	rng := rand.New(rand.NewPCG(seed, 3))
	r := mat.NewDense(x.Dim, x.Dim, reference)
	var g mat.Dense
	g.Product(function(r, math.Sqrt), randomSPD(rng, x.Dim, 30),
		function(r, func(v float64) float64 { return 1 / math.Sqrt(v) }))
	var out []*mat.Dense
	for k := range x.Count {
		out = append(out, congruence(&g, mat.NewDense(x.Dim, x.Dim, x.At(k))))
	}
	return stackOf(out...)
}
