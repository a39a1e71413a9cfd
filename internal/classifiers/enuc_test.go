package classifiers

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/evaluate"
	"rao/internal/linalg/vec"
	"rao/internal/testkit"
	"rao/spd"
)

// enucGolden is testdata/enuc.json.
type enucGolden struct {
	Dim          int         `json:"dim"`
	Classes      int         `json:"classes"`
	X            []float64   `json:"x"`
	Y            []int       `json:"y"`
	Coefficients []float64   `json:"coefficients"`
	Intercepts   []float64   `json:"intercepts"`
	Objective    float64     `json:"objective"`
	Ranks        []int       `json:"ranks"`
	Scores       []float64   `json:"scores"`
	Causal       [][]float64 `json:"causal"`
	Drift        []float64   `json:"drift"`
}

func readENucGolden(t *testing.T) *enucGolden {
	t.Helper()
	var g enucGolden
	testkit.ReadJSON(t, "testdata/enuc.json", &g)
	return &g
}

func TestENucAgainstGoldenMinimum(t *testing.T) {
	g := readENucGolden(t)
	x := spd.StackOf(len(g.Y), g.Dim, g.X)
	opt := ENucOptions{Folds: -1, Tol: 1e-12, MaxIter: 20000, Mean: spd.MeanOptions{Tol: 1e-13}}
	m := testkit.Must(FitENuc(context.Background(), x, g.Y, threeClasses, opt))(t)
	testkit.Close(t, "coefficients", m.Coefficients.RawMatrix().Data, g.Coefficients, 1e-8)
	testkit.Close(t, "intercepts", m.Intercepts, g.Intercepts, 1e-7)
	testkit.Close(t, "objective", []float64{m.Report.Objective}, []float64{g.Objective}, 1e-12)
	ranks := testkit.Must(m.Ranks())(t)
	testkit.EqualSlices(t, ranks, g.Ranks, "ranks")
	// The default tolerance is enough for the probabilities.
	quick := testkit.Must(FitENuc(context.Background(), x, g.Y, threeClasses, ENucOptions{Folds: -1}))(t)
	testkit.Close(t, "posteriors at the default tolerance", posteriors(t, quick, x).RawMatrix().Data,
		posteriors(t, m, x).RawMatrix().Data, 2e-3)
	// The folds next to it do not move the main fit.
	beside := testkit.Must(FitENuc(context.Background(), x, g.Y, threeClasses, ENucOptions{Tol: 1e-10,
		MaxIter: 20000}))(t)
	testkit.Close(t, "coefficients beside folds", beside.Coefficients.RawMatrix().Data, g.Coefficients, 1e-6)
}

// The gradient of the smooth part and the fixed point of the proximal step agree with a direct implementation of the
// objective.
func TestENucGradientAndOptimality(t *testing.T) {
	x, y := clusters(31, 12, 4, 3, 0.4)
	m := testkit.Must(FitENuc(context.Background(), x, y, threeClasses, ENucOptions{Folds: -1, Tol: 1e-12,
		MaxIter: 50000}))(t)
	var v mat.Dense
	testkit.NoError(t, m.Tangent.Vectors(context.Background(), &v, x))
	c, p := m.Coefficients.Dims()
	smooth := func(w []float64) float64 {
		loss := m.Ridge / 2 * vec.Dot(w, w)
		for i, l := range y {
			row := make([]float64, c)
			for k := range row {
				row[k] = vec.Dot(w[k*p:(k+1)*p], v.RawRowView(i)) + m.Intercepts[k]
			}
			vec.LogSoftmax(row)
			loss -= row[l] / float64(len(y))
		}
		return loss
	}
	w := slices.Clone(m.Coefficients.RawMatrix().Data)
	numeric := make([]float64, len(w))
	const h = 1e-5
	for i, at := range w {
		w[i] = at + h
		up := smooth(w)
		w[i] = at - h
		numeric[i] = (up - smooth(w)) / (2 * h)
		w[i] = at
	}
	data := testkit.Must(newNuclearRows(&v, y, c, 4))(t)
	s := newNuclearSolver(data, []evaluate.Fold{data.all()}, ENucOptions{Nuclear: m.Nuclear, Ridge: m.Ridge})
	copy(s.ahead.w, w)
	copy(s.ahead.b, m.Intercepts)
	for i := range s.rows {
		for k := range c {
			s.now.scores[i*c+k] = vec.Dot(w[k*p:(k+1)*p], v.RawRowView(i))
		}
	}
	testkit.NoError(t, s.step())
	gradient := make([]float64, len(w))
	vec.Transpose(gradient, s.gradient, len(gradient)/c, c)
	vec.Axpy(gradient, m.Ridge, w)
	testkit.Close(t, "gradient", gradient, numeric, 1e-7)
	testkit.Close(t, "a step from the minimum", s.now.w, w, 1e-9)
	// −∇ is λ times a subgradient: its spectral norm is λ, and ⟨−∇, W⟩ = λ‖W‖_*.
	for k := range c {
		wk, g := spd.NewStack(1, 4), spd.NewStack(1, 4)
		vec.Unpack(wk.Data, w[k*p:(k+1)*p], 4)
		vec.Unpack(g.Data, gradient[k*p:(k+1)*p], 4)
		var ew, eg mat.EigenSym
		ew.Factorize(wk.Sym(0), false)
		eg.Factorize(g.Sym(0), false)
		nuclear, spectral := 0.0, 0.0
		for _, e := range ew.Values(nil) {
			nuclear += math.Abs(e)
		}
		for _, e := range eg.Values(nil) {
			spectral = max(spectral, math.Abs(e))
		}
		testkit.Close(t, "norms of the subgradient",
			[]float64{spectral, -vec.Dot(gradient[k*p:(k+1)*p], w[k*p:(k+1)*p])},
			[]float64{m.Nuclear, m.Nuclear * nuclear}, 1e-7)
	}
}

// The fits of the folds, computed together with the fit to all rows, equal separate fits to their rows.
func TestENucFoldsAreFitsOfTheirRows(t *testing.T) {
	x, y := clusters(32, 14, 4, 3, 0.5)
	var v mat.Dense
	tangent := testkit.Must(FitTangentSpace(context.Background(), x, spd.Riemann, spd.MeanOptions{}))(t)
	testkit.NoError(t, tangent.Vectors(context.Background(), &v, x))
	opt := testkit.Must(ENucOptions{Tol: 1e-10, MaxIter: 20000, Folds: 3}.filled())(t)
	folds, err := temperatureFolds(y, 3, opt)
	if err != nil || len(folds) != 3 {
		t.Fatal(len(folds), err)
	}
	data := testkit.Must(newNuclearRows(&v, y, 3, 4))(t)
	together := newNuclearSolver(data, append([]evaluate.Fold{data.all()}, folds...), opt)
	if rep, err := together.run(context.Background(), opt, nil); err != nil || !rep.Status.Good() {
		t.Fatal(rep.Status, err)
	}
	for _, fold := range folds {
		rows := mat.NewDense(len(fold.Train), tangent.dim(), nil)
		labels := make([]int, len(fold.Train))
		for i, k := range fold.Train {
			rows.SetRow(i, v.RawRowView(k))
			labels[i] = y[k]
		}
		seen := testkit.Must(newNuclearRows(rows, labels, 3, 4))(t)
		alone := newNuclearSolver(seen, []evaluate.Fold{seen.all()}, opt)
		testkit.Must(alone.run(context.Background(), opt, nil))(t)
		w, b := alone.solution()
		for _, i := range fold.Test {
			want := make([]float64, 3)
			for k := range want {
				want[k] = vec.Dot(w.RawRowView(k), v.RawRowView(i)) + b[k]
			}
			vec.LogSoftmax(want)
			testkit.Close(t, "log-probabilities by the fit blind to the row", together.held.RawRowView(i), want, 1e-6)
		}
	}
}

func TestENucTemperatureIsFittedAndUsed(t *testing.T) {
	x, y := clusters(33, 30, 4, 3, 0.4)
	m, err := FitENuc(context.Background(), x, y, threeClasses, ENucOptions{})
	testkit.NoError(t, err)
	if !(m.Temperature > 0.05 && m.Temperature < 1) {
		t.Errorf("temperature %g: the penalized fit should be less sure than it ought to be", m.Temperature)
	}
	plain := *m
	plain.Temperature = 1
	want := evaluate.Temper(posteriors(t, &plain, x), m.Temperature)
	testkit.Close(t, "tempered posteriors", posteriors(t, m, x).RawMatrix().Data, want.RawMatrix().Data, 1e-9)
	// A class with one matrix leaves no folds.
	y[0], y[1], y[2] = 1, 1, 1
	few := append([]int(nil), y...)
	for i := range few {
		few[i] = cmp.Or(few[i], 1)
	}
	few[0] = 0
	if m, err = FitENuc(context.Background(), x, few, threeClasses, ENucOptions{}); err != nil || m.Temperature != 1 {
		t.Errorf("temperature %v with a class of one matrix: %v", m.Temperature, err)
	}
}

func TestENucPatterns(t *testing.T) {
	x, y := clusters(34, 20, 5, 3, 0.5)
	m := testkit.Must(FitENuc(context.Background(), x, y, threeClasses, ENucOptions{Folds: -1}))(t)
	for k := range threeClasses {
		p := testkit.Must(m.Patterns(k))(t)
		ref := mat.DenseCopyOf(m.Tangent.Reference)
		for j, w := range p.Weights {
			if j > 0 && math.Abs(w) > math.Abs(p.Weights[j-1]) {
				t.Errorf("class %d: weights %v do not fall", k, p.Weights)
			}
			// A pattern is the mean's product with its filter, up to length and sign.
			var a mat.VecDense
			a.MulVec(ref, p.Filters.ColView(j))
			cos := mat.Dot(&a, p.Patterns.ColView(j)) / mat.Norm(&a, 2)
			testkit.Close(t, "pattern against M f", []float64{math.Abs(cos)}, []float64{1}, 1e-12)
		}
	}
	strong := ENucOptions{Folds: -1, Nuclear: 100}
	m = testkit.Must(FitENuc(context.Background(), x, y, threeClasses, strong))(t)
	if ranks, err := m.Ranks(); err != nil || !slices.Equal(ranks, []int{0, 0, 0}) {
		t.Errorf("ranks %v under a penalty that leaves nothing (%v)", ranks, err)
	}
}

func TestENucOptionsOutOfRange(t *testing.T) {
	x, y := clusters(35, 6, 4, 3, 0.4)
	for want, opt := range map[string]ENucOptions{
		"must be finite":   {Nuclear: math.NaN()},
		"tolerance is -1":  {Tol: -1},
		"one fold":         {Folds: 1},
		"does not support": {Metric: spd.Chol},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(FitENuc(context.Background(), x, y, threeClasses, opt)), want)
	}
	m, err := FitENuc(context.Background(), x, y, threeClasses, ENucOptions{MaxIter: 3})
	if !rao.HasModel(err) || m.Validate() != nil {
		t.Errorf("three steps: %v", err)
	}
}

func TestCausalBiasAgainstGolden(t *testing.T) {
	g := readENucGolden(t)
	b := testkit.Must(NewCausalBias(g.Classes, 0, nil))(t)
	for round := range 2 { // after Reset a session starts anew
		for i, want := range g.Causal {
			row := slices.Clone(g.Scores[i*g.Classes : (i+1)*g.Classes])
			b.Push(row)
			testkit.Close(t, "log-probabilities", row, want, 1e-11)
		}
		testkit.Close(t, "bias", b.Bias, g.Drift, 1e-11)
		if round == 0 {
			b.Reset()
		}
	}
	for want, bad := range map[string]*CausalBias{
		"there are biases for 0 classes": {}, "rate is 2": {Rate: 2, Bias: make([]float64, 2)},
		"the number of shares is 1": {Bias: make([]float64, 2), Shares: []float64{1}},
	} {
		testkit.ErrorContains(t, bad.Validate(), want)
	}
}

var hands = []string{"left hand", "right hand", "feet", "tongue"}

// The fit of 288 trials of 22 channels: complete, and starting from the tangent vectors, with and without the folds for
// the temperature.
func BenchmarkENucFit(b *testing.B) {
	x, _, y, _ := bci(b, "A01")
	ctx := context.Background()
	b.Run("whole", func(b *testing.B) {
		for b.Loop() {
			testkit.Must(FitENuc(ctx, x, y, hands, ENucOptions{}))(b)
		}
	})
	m := testkit.Must(FitENuc(ctx, x, y, hands, ENucOptions{}))(b)
	var v mat.Dense
	testkit.NoError(b, m.Tangent.Vectors(context.Background(), &v, x))
	for name, folds := range map[string]int{"solver": -1, "folds": 5} {
		opt := testkit.Must(ENucOptions{Folds: folds}.filled())(b)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				testkit.NoError(b, m.fit(ctx, &v, y, opt))
			}
			b.ReportMetric(float64(m.Report.Iterations), "steps")
		})
	}
	b.Run("predict", func(b *testing.B) {
		one := v.Slice(0, 1, 0, m.Tangent.dim()).(*mat.Dense)
		var dst mat.Dense
		dst.ReuseAs(1, 4)
		for b.Loop() {
			m.TangentScores().posterior(&dst, one)
		}
	})
}
