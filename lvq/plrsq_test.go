package lvq

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/indices"
	"rao/internal/testkit"
	"rao/spd"
)

// plain returns the options without calibration, for tests of the training.
func plain(o PLRSQOptions) PLRSQOptions { o.CalibrationFolds = -1; return o }

func fitOrFail(t *testing.T, x *spd.Stack, y []int, o PLRSQOptions) *PLRSQ {
	t.Helper()
	m := testkit.Must(FitPLRSQ(context.Background(), x, y, nil, o))(t)
	return m
}

func TestLearnsSeparateClouds(t *testing.T) {
	x, y := cloudsFrom(1, 2, 5, 3, 40, 0.4, 0.3)
	xe, ye := cloudsFrom(1, 3, 5, 3, 60, 0.4, 0.3)
	for _, o := range []PLRSQOptions{
		{}, {Prototypes: 2}, {Prototypes: 3, Start: startKMeans}, {PerClass: []int{1, 2, 3}},
		{Anneal: annealingPublished}, {Anneal: annealingFixed}, {Anneal: annealingMonotone},
		{Anneal: annealingLearned, Validation: 0.2},
		{Schedule: scheduleAdaptive}, {Batch: 8}, {Validation: 0.25, Patience: 3}, {Priors: []float64{0.2, 0.3, 0.5}},
		{Metric: spd.LogEuclid}, {Metric: spd.LogEuclid, Start: startKMeans, Prototypes: 2, Batch: 4},
		{Metric: spd.Euclid}, {Metric: spd.Chol}, {Metric: spd.LogChol, Batch: 4}, {Metric: spd.Harmonic},
	} {
		o.Epochs = 20
		m := fitOrFail(t, x, y, plain(o))
		got := testkit.Must(m.Predict(t.Context(), xe))(t)
		if a := accuracy(got, ye); a < 0.9 {
			t.Errorf("%+v: accuracy %.3f on new data", o, a)
		}
		if h := m.Report.History; len(h) == 0 || !(h[len(h)-1] <= h[0]) {
			t.Errorf("%+v: mean cost went from %g to %g", o, h[0], h[len(h)-1])
		}
	}
}

// Several prototypes of a class start at different points by default, and at the same point on request.
func TestDefaultStartSetsPrototypesApart(t *testing.T) {
	x, y := cloudsFrom(1, 2, 5, 3, 40, 0.4, 0.3)
	apart := func(o PLRSQOptions) float64 {
		o.Prototypes, o.Epochs, o.Rate = 2, 1, 1e-300
		m := fitOrFail(t, x, y, plain(o))
		d := testkit.Must(spd.Distance(spd.Riemann, m.Prototypes.Sym(0), m.Prototypes.Sym(1)))(t)
		return d
	}
	together := apart(PLRSQOptions{Start: startMeans})
	if auto, kmeans := apart(PLRSQOptions{}), apart(PLRSQOptions{
		Start: startKMeans}); auto != kmeans || auto < 20*together {
		t.Errorf("apart by default %g, with k-means %g, at the class mean %g", auto, kmeans, together)
	}
}

func TestPruningChangesNothing(t *testing.T) {
	for _, c := range []struct {
		name string
		o    PLRSQOptions
	}{
		{"one prototype a class", PLRSQOptions{Sigma2: 0.05, Rate: 0.02}},
		{"many prototypes, seeded bounds", PLRSQOptions{Prototypes: 5, Start: startKMeans, Sigma2: 0.02, Rate: 0.005}},
		{"priors and annealing",
			PLRSQOptions{Prototypes: 4, Sigma2: 0.1, Anneal: annealingMonotone, Priors: []float64{0.1, 0.6, 0.3},
				Rate: 0.01}},
		{"learned sigma", PLRSQOptions{Prototypes: 3, Sigma2: 0.05, Anneal: annealingLearned, Rate: 0.01}},
	} {
		x, y := clouds(4, 5, 3, 30, 0.6, 0.15)
		c.o.Epochs = 6
		counts := testkit.Must(countLabels(y, x.Count, nil))(t)
		run := func(off bool) (*trainer, []float64, rao.Report) {
			c.o.NoPruning = off
			o := testkit.Must(c.o.resolve(x.Dim, counts, nil))(t)
			m := testkit.Must(prepare(spd.Riemann, x))(t)
			s := testkit.Must(m.start(context.Background(), o, y, indices.Range(x.Count)))(t)
			tr := newTrainer(o, s, certainTargets(y, 3), indices.Range(x.Count), o.Sigma2)
			if tr.bounds != nil {
				testkit.NoError(t, m.seedBounds(tr.bounds, s, o.Sigma2))
			}
			report := testkit.Must(tr.run(context.Background()))(t)
			return tr, s.snapshot(nil), report
		}
		on, a, ra := run(false)
		off, b, rb := run(true)
		testkit.EqualBits(t, a, b, c.name+": prototypes")
		testkit.EqualBits(t, ra.History, rb.History, c.name+": costs")
		if on.skipped == 0 || on.measured >= off.measured {
			t.Errorf("%s: nothing was pruned (%d distances of %d)", c.name, on.measured, off.measured)
		}
		t.Logf("%s: %d of %d distances computed", c.name, on.measured, off.measured)
	}
}

func TestLogEuclideanBoundIsBelowTheDistance(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	for range 200 {
		n := 2 + rng.IntN(8)
		s := stackOf(randomSPD(rng, n, 1e4), randomSPD(rng, n, 1e4))
		d := testkit.Must(spd.Distance(spd.Riemann, s.Sym(0), s.Sym(1)))(t)
		low := testkit.Must(spd.Distance(spd.LogEuclid, s.Sym(0), s.Sym(1)))(t)
		if low > d*(1+1e-9) {
			t.Fatalf("log-Euclidean distance %g above the affine-invariant %g", low, d)
		}
	}
}

func TestSameBitsForAnyNumberOfProcessors(t *testing.T) {
	x, y := clouds(5, 6, 2, 40, 0.4, 0.3)
	for _, o := range []PLRSQOptions{
		{Epochs: 4, CalibrationFolds: 3},
		{Epochs: 4, Batch: 16, Prototypes: 2, Start: startKMeans, CalibrationFolds: 2, PerClassDispersion: true},
		{Epochs: 3, Metric: spd.LogEuclid, Batch: 7, Validation: 0.2, CalibrationFolds: -1},
		{Epochs: 3, Metric: spd.Chol}, {Epochs: 3, Metric: spd.LogChol}, {Epochs: 3, Metric: spd.Harmonic},
	} {
		testkit.SameAtAnyProcs(t, func() []float64 {
			m := fitOrFail(t, x, y, o)
			var logp mat.Dense
			testkit.NoError(t, m.LogPosterior(t.Context(), &logp, x))
			return append(append([]float64{m.Sigma2, m.Temperature}, m.Prototypes.Data...), logp.RawMatrix().Data...)
		})
	}
}

func TestSeedDecidesEverything(t *testing.T) {
	x, y := clouds(6, 4, 2, 20, 0.3, 0.4)
	a := fitOrFail(t, x, y, plain(PLRSQOptions{Epochs: 3, Seed: 1}))
	b := fitOrFail(t, x, y, plain(PLRSQOptions{Epochs: 3, Seed: 1}))
	c := fitOrFail(t, x, y, plain(PLRSQOptions{Epochs: 3, Seed: 2}))
	testkit.EqualBits(t, a.Prototypes.Data, b.Prototypes.Data, "same seed")
	if relative(a.Prototypes.Data, c.Prototypes.Data) == 0 {
		t.Error("another seed gave the same prototypes")
	}
}

// Congruence and inversion are isometries: the prototypes of moved matrices are the moved prototypes.
func TestIsometriesMovePrototypes(t *testing.T) {
	g := mat.NewDense(5, 5, testkit.Normals(rand.New(rand.NewPCG(14, 14)), 25))
	for name, move := range map[string]func(a mat.Matrix) *mat.Dense{
		"congruence": func(a mat.Matrix) *mat.Dense { return congruence(g, a) },
		"inversion":  func(a mat.Matrix) *mat.Dense { return function(a, func(v float64) float64 { return 1 / v }) },
	} {
		x, y := clouds(7, 5, 2, 25, 0.3, 0.4)
		var moved []*mat.Dense
		for k := range x.Count {
			moved = append(moved, move(mat.NewDense(5, 5, x.At(k))))
		}
		o := plain(PLRSQOptions{Epochs: 5, Noise: -1})
		a, b := fitOrFail(t, x, y, o), fitOrFail(t, stackOf(moved...), y, o)
		for l := range a.Prototypes.Count {
			want := move(mat.NewDense(5, 5, a.Prototypes.At(l))).RawMatrix().Data
			testkit.Close(t, name+" of prototypes", b.Prototypes.At(l), want, 1e-6)
		}
		testkit.Near(t, a.Sigma2, b.Sigma2, 1e-6*a.Sigma2, name, "sigma2")
	}
}

func TestNamesOfClassesDoNotMatter(t *testing.T) {
	x, y := clouds(9, 4, 3, 20, 0.3, 0.4)
	rename := []int{2, 0, 1}
	z := make([]int, len(y))
	for i, c := range y {
		z[i] = rename[c]
	}
	o := plain(PLRSQOptions{Epochs: 5, Noise: -1})
	a, b := fitOrFail(t, x, y, o), fitOrFail(t, x, z, o)
	var pa, pb mat.Dense
	testkit.NoError(t, errors.Join(a.LogPosterior(t.Context(), &pa, x), b.LogPosterior(t.Context(), &pb, x)))
	for i := range y {
		for c := range 3 {
			if math.Abs(pa.At(i, c)-pb.At(i, rename[c])) > 1e-8 {
				t.Fatalf("matrix %d, class %d: %g and %g", i, c, pa.At(i, c), pb.At(i, rename[c]))
			}
		}
	}
}

func TestCertainTargetsAreLabels(t *testing.T) {
	x, y := clouds(10, 4, 2, 20, 0.3, 0.4)
	q := mat.NewDense(len(y), 2, nil)
	for i, c := range y {
		q.Set(i, c, 1)
	}
	soft := testkit.Must(FitPLRSQ(context.Background(), x, nil, nil, plain(PLRSQOptions{Epochs: 4, Soft: q})))(t)
	testkit.EqualBits(t, soft.Prototypes.Data, fitOrFail(t, x, y, plain(PLRSQOptions{Epochs: 4})).Prototypes.Data)
}

// With targets smoothed to 0.8, the posteriors of a model approach 0.8 instead of 1.
func TestSoftTargetsSoftenPosteriors(t *testing.T) {
	x, y := clouds(11, 3, 2, 30, 0.6, 0.1)
	q := mat.NewDense(len(y), 2, nil)
	for i, c := range y {
		q.Set(i, c, 0.8)
		q.Set(i, 1-c, 0.2)
	}
	m := testkit.Must(FitPLRSQ(context.Background(), x, nil, nil, plain(PLRSQOptions{Epochs: 60, Sigma2: 1,
		Rate: 0.2, Soft: q})))(t)
	var logp mat.Dense
	testkit.NoError(t, m.LogPosterior(t.Context(), &logp, x))
	sum := 0.0
	for i, c := range y {
		sum += math.Exp(logp.At(i, c)) / float64(len(y))
	}
	testkit.Near(t, sum, 0.8, 0.05, "mean probability of the given class")
}

func TestGivenStartWithoutEpochsOfRateIsKept(t *testing.T) {
	x, y := clouds(12, 3, 2, 10, 0.4, 0.2)
	given := x.Select([]int{0, 10})
	m := fitOrFail(t, x, y, plain(PLRSQOptions{Start: startGiven, Given: given, Epochs: 1, Rate: 1e-300}))
	testkit.Close(t, "prototypes", m.Prototypes.Data, given.Data, 1e-12)
}

func TestCancelReturnsTheModelSoFar(t *testing.T) {
	x, y := clouds(13, 4, 2, 20, 0.4, 0.2)
	m := canceledWhen(t, x, y, PLRSQOptions{Epochs: 100}, func(e rao.Event) bool { return e.Done == 3 })
	testkit.Equal(t, m.Report.Iterations, 3, "epochs")
}

// Calibration takes most of the time of a fit, so it must report progress.
func TestProgressNamesTheCalibration(t *testing.T) {
	x, y := clouds(13, 3, 2, 12, 0.4, 0.2)
	var stages []string
	testkit.Must(FitPLRSQ(context.Background(), x, y, nil,
		PLRSQOptions{Epochs: 2, CalibrationFolds: 3, Progress: func(e rao.Event) {
			stages = append(stages, fmt.Sprintf("%s %d/%d", e.Stage, e.Done, e.Total))
		}}))(t)
	want := []string{"fit 1/2", "fit 2/2"}
	for _, epochs := range []int{0, 1, 2, 2, 3, 4, 4, 5, 6} { // of the folds, whose starts are shown too
		want = append(want, fmt.Sprintf("calibrate on held-out folds %d/6", epochs))
	}
	testkit.EqualSlices(t, stages, want, "progress")
}

// Interrupting the calibration keeps the fitted prototypes.
func TestCancelDuringCalibrationKeepsThePrototypes(t *testing.T) {
	x, y := clouds(13, 3, 2, 12, 0.4, 0.2)
	m := canceledWhen(t, x, y, PLRSQOptions{Epochs: 2, CalibrationFolds: 3}, func(e rao.Event) bool {
		return e.Total == 6 && e.Done == 2
	})
	testkit.Equal(t, m.Report.Iterations, 2, "epochs")
	testkit.Equal(t, m.Calibration.Temperature, 1, "temperature")
}

func TestPublishedSchedules(t *testing.T) {
	o := &resolved{PLRSQOptions: PLRSQOptions{Epochs: 100, Rate: 0.22, Anneal: annealingPublished}}
	s := newSchedule(o, 9.5)
	var sigma []float64
	for epoch := 1; epoch <= 100; epoch++ {
		s.begin(epoch)
		sigma = append(sigma, s.sigma2)
	}
	// σ²(1) = 9.5 · 0.99^1.1, then β ← β^1.1, until below 9.5 − 0.4
	want := []float64{9.5 * math.Pow(0.99, 1.1), 9.5 * math.Pow(0.99, 1.1+1.21), 9.5 * math.Pow(0.99, 1.1+1.21+1.331)}
	for i, w := range want {
		testkit.Near(t, sigma[i], w, 1e-12, "sigma2 of epoch", i+1)
	}
	if last := sigma[99]; !(last < 9.1 && last > 8.8) {
		t.Errorf("annealing ended at %g", last)
	}
	testkit.Near(t, s.alpha, 0.0022, 1e-12, "last rate, a hundredth of 0.22")
}

// With a fixed β, σ² decreases by one percent per epoch, starting with the first epoch, until it is more than 0.4 below
// its initial value, as in the published annealing.
func TestFixedAnnealing(t *testing.T) {
	for _, c := range []struct {
		sigma0 float64
		epoch  int
		want   float64
	}{
		{0.5, 1, 0.495}, {0.5, 2, 0.5 * 0.99 * 0.99}, {0.5, 100, 0.5 * math.Pow(0.99, 100)},
		{9.5, 4, 9.5 * math.Pow(0.99, 4)}, {9.5, 5, 9.5 * math.Pow(0.99, 5)}, {9.5, 100, 9.5 * math.Pow(0.99, 5)},
	} {
		s := newSchedule(&resolved{PLRSQOptions: PLRSQOptions{Epochs: 100, Rate: 0.22, Anneal: annealingFixed}},
			c.sigma0)
		for epoch := 1; epoch <= c.epoch; epoch++ {
			s.begin(epoch)
		}
		testkit.Near(t, s.sigma2, c.want, 1e-12, "from", c.sigma0, "sigma2 of epoch", c.epoch)
	}
}

func TestBadInput(t *testing.T) {
	good, y := clouds(14, 3, 2, 6, 0.4, 0.2)
	spoil := func(f func(*spd.Stack)) *spd.Stack {
		s := good.Select(indices.Range(good.Count))
		f(s)
		return s
	}
	for _, c := range []struct {
		name string
		x    *spd.Stack
		y    []int
		o    PLRSQOptions
		want string
	}{
		{"NaN", spoil(func(s *spd.Stack) { s.At(4)[5] = math.NaN() }), y, PLRSQOptions{},
			"matrix 4 is NaN at row 1, column 2"},
		{"asymmetric", spoil(func(s *spd.Stack) { s.At(2)[1] += 1 }), y, PLRSQOptions{},
			"matrix 2 is not symmetric: row 1, column 0"},
		{"indefinite", spoil(func(s *spd.Stack) { copy(s.At(7), []float64{1, 0, 0, 0, -2, 0, 0, 0, 1}) }), y,
			PLRSQOptions{},
			"matrix 7 is not positive definite: its smallest eigenvalue is -2"},
		{"singular", spoil(func(s *spd.Stack) { copy(s.At(1), []float64{1, 1, 0, 1, 1, 0, 0, 0, 1}) }), y,
			PLRSQOptions{},
			"matrix 1 is not positive definite"},
		{"labels", good, y[:5], PLRSQOptions{}, "the number of labels is 5, but the number of samples is 12"},
		{"negative label", good, append([]int{-1}, y[1:]...), PLRSQOptions{}, "sample 0 has label -1"},
		{"one class", good, make([]int, 12), PLRSQOptions{}, "at least two"},
		{"gap", good, []int{0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2}, PLRSQOptions{}, "class 1 has no samples"},
		{"no samples", spd.NewStack(0, 3), nil, PLRSQOptions{}, "no matrices"},
		{"metric", good, y, PLRSQOptions{Metric: "wasserstein"}, `unknown metric of prototypes "wasserstein"`},
		{"sigma", good, y, PLRSQOptions{Sigma2: -1}, "sigma2 is -1"},
		{"rate", good, y, PLRSQOptions{Rate: math.NaN()}, "rate is NaN"},
		{"annealing", good, y, PLRSQOptions{Anneal: "slow"}, `unknown annealing "slow"`},
		{"schedule", good, y, PLRSQOptions{Schedule: "slow"}, `unknown rate schedule "slow"`},
		{"start", good, y, PLRSQOptions{Start: "here"}, `unknown start "here"`},
		{"given", good, y, PLRSQOptions{Start: startGiven}, "needs 2 matrices of order 3"},
		{"priors", good, y, PLRSQOptions{Priors: []float64{1}}, "priors is 1, but the number of classes is 2"},
		{"prior", good, y, PLRSQOptions{Priors: []float64{1, 0}}, "prior of class 1 (counted from 0) is 0"},
		{"per class", good, y, PLRSQOptions{PerClass: []int{1}}, "numbers of prototypes are given for 1 classes"},
		{"validation", good, y, PLRSQOptions{Validation: 0.9}, "validation part is 0.9"},
		{"many prototypes", good, y, PLRSQOptions{Prototypes: 8, Start: startKMeans}, "too few for 8 prototypes"},
		{"prototypes beyond memory", good, y, PLRSQOptions{Prototypes: 1 << 30}, "more than the 12 samples"},
		{"folds beyond memory", good, y, PLRSQOptions{CalibrationFolds: 1 << 30}, "folds are more than the 12 samples"},
		{"groups", good, y, PLRSQOptions{Groups: []int{1}}, "the number of groups is 1"},
		{"one group", good, y, PLRSQOptions{Groups: make([]int, 12), Epochs: 1}, "at least two"},
		{"tiny class", good, []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, PLRSQOptions{}, "class 1 has 1 sample"},
	} {
		_, err := FitPLRSQ(context.Background(), c.x, c.y, nil, c.o)
		testkit.ErrorContains(t, err, c.want, c.name)
	}
}

func TestPredictionSaysWhatIsWrong(t *testing.T) {
	x, y := clouds(15, 3, 2, 8, 0.4, 0.2)
	m := fitOrFail(t, x, y, plain(PLRSQOptions{Epochs: 2}))
	var logp mat.Dense
	testkit.ErrorContains(t, m.LogPosterior(t.Context(), &logp, spd.NewStack(1, 4)),
		"order 4, but the model was fitted to matrices of order 3")
	bad := x.Select([]int{0, 1, 2})
	copy(bad.At(2), []float64{1, 0, 0, 0, -2, 0, 0, 0, 1})
	testkit.ErrorContains(t, m.LogPosterior(t.Context(), &logp, bad), "matrix 2")
	bad.At(1)[4] = math.Inf(1)
	testkit.ErrorContains(t, m.LogPosterior(t.Context(), &logp, bad),
		"matrix 1 is +Inf at row 1, column 1")
}

// A model file is hostile input: every contradiction is an error, not a panic.
func TestValidateRefusesContradictions(t *testing.T) {
	x, y := clouds(16, 3, 2, 8, 0.4, 0.2)
	for name, spoil := range map[string]func(*PLRSQ){
		"no prototypes":   func(m *PLRSQ) { m.Prototypes = nil },
		"lying stack":     func(m *PLRSQ) { m.Prototypes.Data = m.Prototypes.Data[:5] },
		"not SPD":         func(m *PLRSQ) { m.Prototypes.Data[0] = -1 },
		"labels":          func(m *PLRSQ) { m.Labels = m.Labels[:1] },
		"label range":     func(m *PLRSQ) { m.Labels[0] = 9 },
		"class without":   func(m *PLRSQ) { m.Labels = []int{0, 0} },
		"sigma":           func(m *PLRSQ) { m.Sigma2 = math.NaN() },
		"metric":          func(m *PLRSQ) { m.Metric = "x" },
		"temperature":     func(m *PLRSQ) { m.Temperature = 0 },
		"scale":           func(m *PLRSQ) { m.Scale = []float64{1} },
		"offset":          func(m *PLRSQ) { m.Offset = []float64{1, math.Inf(1)} },
		"held":            func(m *PLRSQ) { m.HeldLabels = []int{0} },
		"threshold":       func(m *PLRSQ) { m.MinProbability = 2 },
		"distance":        func(m *PLRSQ) { m.MaxDistance = math.NaN() },
		"reference":       func(m *PLRSQ) { m.Reference = mat.NewSymDense(1, []float64{1}) },
		"reference value": func(m *PLRSQ) { m.Reference.SetSym(0, 0, math.NaN()) },
		"shares":          func(m *PLRSQ) { m.ClassShare = []float64{1} },
		"priors":          func(m *PLRSQ) { m.Priors = []float64{1, 2, 3} },
	} {
		m := fitOrFail(t, x, y, plain(PLRSQOptions{Epochs: 1}))
		testkit.NoError(t, m.Validate())
		spoil(m)
		if m.Validate() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
