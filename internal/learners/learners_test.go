package learners

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/feature"
	"rao/internal/linalg/vec"
	"rao/internal/linearfilters"
	"rao/internal/optim"
	"rao/internal/optionvalues"
	"rao/internal/testkit"
)

// learner is a learner of filters from rows and labels. Only the numbers of filters and iterations are not the
// defaults.
type learner struct {
	name string
	fit  func(ctx context.Context, x mat.Matrix, y []int, names []string, filters, iterations int) (*feature.Model,
		error)
}

var learners = []learner{
	{"ama", func(ctx context.Context, x mat.Matrix, y []int, names []string, m, iterations int) (*feature.Model,
		error) {
		return FitAMA(ctx, x, y, names, AMAOptions{Filters: m, MaxIter: iterations})
	}},
	{"lmnn", func(ctx context.Context, x mat.Matrix, y []int, names []string, m, iterations int) (*feature.Model,
		error) {
		return FitLMNN(ctx, x, y, names, LMNNOptions{Filters: m, Rounds: 2, Inner: iterations})
	}},
	{"wda", func(ctx context.Context, x mat.Matrix, y []int, names []string, m, iterations int) (*feature.Model,
		error) {
		return FitWDA(ctx, x, y, names, WDAOptions{Filters: m, MaxIter: optionvalues.AutoCount(iterations)})
	}},
	{"nca", func(ctx context.Context, x mat.Matrix, y []int, names []string, m, iterations int) (*feature.Model,
		error) {
		return FitNCA(ctx, x, y, names, NCAOptions{Filters: m, MaxIter: optionvalues.AutoCount(iterations)})
	}},
	{"lfda", func(ctx context.Context, x mat.Matrix, y []int, names []string, m, _ int) (*feature.Model, error) {
		return FitLFDA(ctx, x, y, names, LFDAOptions{Filters: m})
	}},
}

// twoShapes returns rows of two classes with the same mean. The classes differ in the variances of two hidden
// directions; the other directions are noise with a larger variance.
func twoShapes(rows int, seed uint64) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 2))
	x, y := mat.NewDense(rows, 6, nil), make([]int, rows)
	for i := range rows {
		y[i] = i % 2
		x.Set(i, 0, rng.NormFloat64()*[2]float64{0.3, 1.5}[y[i]])
		x.Set(i, 1, rng.NormFloat64()*[2]float64{1.5, 0.3}[y[i]])
		for j := 2; j < 6; j++ {
			x.Set(i, j, rng.NormFloat64()*2)
		}
	}
	return x, y
}

// checkGradient compares the derivative of a cost with central differences.
func checkGradient(t *testing.T, what string, c cost, z []float64, tol float64) {
	t.Helper()
	dz, other := make([]float64, len(z)), make([]float64, len(z))
	if v := c(z, dz); math.IsNaN(v) || math.IsInf(v, 0) {
		t.Fatalf("%s: cost %g", what, v)
	}
	want := make([]float64, len(z))
	const h = 1e-6
	for i := range z {
		keep := z[i]
		z[i] = keep + h
		up := c(z, other)
		z[i] = keep - h
		down := c(z, other)
		z[i] = keep
		want[i] = (up - down) / (2 * h)
	}
	testkit.Close(t, what, dz, want, tol)
}

// smallTraining returns checked training data and random projections of them.
func smallTraining(t *testing.T, rows, c, m int, seed uint64) (*training, []float64) {
	t.Helper()
	x, y := sample(rows, 4, c, seed)
	tr := testkit.Must(newTraining(x, y, nil))(t)
	rng := rand.New(rand.NewPCG(seed, 3))
	z := make([]float64, rows*m)
	for i := range z {
		z[i] = rng.NormFloat64() * 1.5
	}
	return tr, z
}

func TestAMAGradient(t *testing.T) {
	tr, z := smallTraining(t, 24, 3, 2, 1)
	g := newGaussianPosterior(tr, 2, 0.3, []float64{-1, -2, -0.5})
	checkGradient(t, "ama", g.cost, z, 1e-7)
	exact := g.cost(z, make([]float64, len(z)))
	g.sample = (&AMAOptions{Filters: 2, Noise: 0.3, NoisyResponses: true, Seed: 4}).responseNoise(24)
	checkGradient(t, "ama with noisy responses", g.cost, z, 1e-7)
	if g.cost(z, make([]float64, len(z))) == exact {
		t.Error("noise of the responses changes nothing")
	}
	g.sample = nil
	first, second := linearfilters.Columns(z, 2, 0, 1), linearfilters.Columns(z, 2, 1, 2)
	checkGradient(t, "ama with a fixed feature", withFixed(g.cost, first, 1, 1), second,
		1e-7)
}

// In groups, the first filters equal those learned separately, and later groups do not change them.
func TestAMAInGroupsFixesEarlierFilters(t *testing.T) {
	x, y := sample(200, 6, 3, 9)
	for _, noisy := range []bool{false, true} {
		opt := AMAOptions{Filters: 4, Noise: 0.05, Group: 2, NoisyResponses: noisy, Tol: 1e-9}
		all := testkit.Must(FitAMA(background, x, y, nil, opt))(t)
		if r, c := all.Filters.Dims(); r != 6 || c != 4 {
			t.Fatalf("filters %d×%d", r, c)
		}
		if noisy {
			continue // the sample of two filters alone is another
		}
		opt.Filters = 2
		first := testkit.Must(FitAMA(background, x, y, nil, opt))(t)
		if !mat.EqualApprox(all.Filters.Slice(0, 6, 0, 2), first.Filters, 1e-12) {
			t.Error("the first two of four filters are not those of two")
		}
		if !(all.Report.Objective > first.Report.Objective) {
			t.Errorf("objective %g with four filters, %g with two", all.Report.Objective, first.Report.Objective)
		}
	}
}

func TestLMNNGradient(t *testing.T) {
	tr, z := smallTraining(t, 30, 3, 2, 2)
	opt := LMNNOptions{Filters: 2}
	testkit.NoError(t, opt.fill())
	l := &lmnn{t: tr, opt: opt, k: opt.Neighbors}
	_ = l.targetsAmong(background, z)
	_ = l.findImpostors(background, z)
	checkGradient(t, "lmnn", l.cost, z, 1e-6)
}

func TestWDAGradient(t *testing.T) {
	for _, eps := range []float64{20, 4, 2} {
		tr, z := smallTraining(t, 21, 3, 2, 3)
		w := newWDA(tr, 2, eps)
		w.work.tolerance = 1e-14
		checkGradient(t, fmt.Sprint("wda, epsilon ", eps), w.cost, z, 1e-5)
	}
}

// The derivative along a curve of filters, and the gradient at its end, agree with
// differences for every constraint.
func TestProjectionFollowsTheCurve(t *testing.T) {
	x, y := sample(40, 5, 2, 2)
	tr := testkit.Must(newTraining(x, y, nil))(t)
	mean := estimate(t, x, make([]int, 40)).Mean(0)
	for _, kind := range []optim.Constraint{optim.Sphere, optim.Orthogonal, optim.None} {
		manifold := optim.NewManifold(kind, 5, 2)
		p := newProjection(tr.in, mean, manifold, newGaussianPosterior(tr, 2, 0.5, []float64{-1, -1}).cost)
		rng := rand.New(rand.NewPCG(4, 4))
		f, d, grad := make([]float64, 10), make([]float64, 10), make([]float64, 10)
		for i := range f {
			f[i], d[i] = rng.NormFloat64(), rng.NormFloat64()
		}
		testkit.NoError(t, manifold.Normalize(f))
		manifold.Project(f, d)
		start := testkit.Must(p.Start(f, grad))(t)
		testkit.NoError(t, p.Search(f, d))
		v0, s0 := p.Along(0)
		testkit.Close(t, "start", []float64{v0, s0}, []float64{start, vec.Dot(grad, d)}, 1e-12)
		const step, h = 0.3, 1e-6
		_, slope := p.Along(step)
		up, _ := p.Along(step + h)
		down, _ := p.Along(step - h)
		testkit.Close(t, fmt.Sprint(kind, " slope"), []float64{slope}, []float64{(up - down) / (2 * h)}, 1e-7)
		end, before := make([]float64, 10), make([]float64, 10)
		testkit.NoError(t, p.Take(step, end, before))
		testkit.Must(p.Start(end, grad))(t)
		testkit.Close(t, fmt.Sprint(kind, " gradient"), before, grad, 1e-11)
	}
}

func TestAMAFindsTheShapesThatDiffer(t *testing.T) {
	x, y := twoShapes(600, 1)
	m := testkit.Must(FitAMA(background, x, y, nil, AMAOptions{Filters: 2, Noise: 0.01}))(t)
	inside := 0.0
	for j := range 2 {
		inside += m.Filters.At(0, j)*m.Filters.At(0, j) + m.Filters.At(1, j)*m.Filters.At(1, j)
	}
	if inside < 1.98 {
		t.Errorf("share of the filters in the first two dimensions: %g of 2", inside)
	}
	h := m.Report.History
	if !slices.IsSorted(h) {
		t.Errorf("the mean log-posterior fell: %v", h)
	}
}

func TestAMAStartsFromGivenFiltersAndOnASubset(t *testing.T) {
	x, y := twoShapes(600, 2)
	full := testkit.Must(FitAMA(background, x, y, nil, AMAOptions{Filters: 2, Noise: 0.01, Tol: 1e-9}))(t)
	again := testkit.Must(FitAMA(background, x, y, nil, AMAOptions{Filters: 2, Noise: 0.01, Start: full.Filters}))(t)
	testkit.Close(t, "objective from its own end", []float64{again.Report.Objective}, []float64{full.Report.Objective},
		1e-6)
	if again.Report.Iterations > 6 {
		t.Errorf("%d iterations from the optimum", again.Report.Iterations)
	}
	part := testkit.Must(FitAMA(background, x, y, nil, AMAOptions{Filters: 2, Noise: 0.01, StartRows: 100,
		Tol: 1e-9}))(t)
	testkit.Close(t, "objective after a subset", []float64{part.Report.Objective}, []float64{full.Report.Objective},
		1e-4)
}

func TestAMAIsFiniteForAnyNoise(t *testing.T) {
	x, y := sample(80, 5, 3, 3)
	for _, noise := range []float64{1e-12, 1e-4, 1, 1e4, 1e12} {
		m := testkit.Fitted(FitAMA(background, x, y, nil, AMAOptions{Filters: 3, Noise: noise}))(t, "noise", noise)
		if err := m.Validate(); err != nil || math.IsNaN(m.Report.Objective) {
			t.Errorf("noise %g: objective %g, %v", noise, m.Report.Objective, err)
		}
	}
}

func TestLearnersGiveTheSameBitsAnywhere(t *testing.T) {
	x, y := sample(600, 8, 3, 4)
	single := testkit.Singles(x.RawMatrix().Data)
	wide := mat.NewDense(600, 8, nil)
	for i, v := range single {
		wide.RawMatrix().Data[i] = float64(v)
	}
	for _, l := range learners {
		filters := func(x mat.Matrix) []float64 {
			m := testkit.Fitted(l.fit(background, x, y, nil, 2, 3))(t, l.name)
			return m.Filters.RawMatrix().Data
		}
		want := testkit.SameAtAnyProcs(t, func() []float64 { return filters(wide) }, l.name)
		// The start comes from statistics that are summed in float32, and the steps enlarge that.
		f32 := testkit.StoredRows{Matrix: wide, Narrow: single}
		testkit.Close(t, l.name+" from float32 rows", filters(f32), want, 1e-3)
	}
}

func TestLearnersExplainBadInput(t *testing.T) {
	x, y := sample(40, 4, 2, 5)
	names := []string{"left", "right"}
	nan := mat.DenseCopyOf(x)
	nan.Set(9, 3, math.NaN())
	lone := slices.Clone(y)
	for i := range lone {
		lone[i] = 0
	}
	single := slices.Clone(lone)
	single[5] = 1
	for _, l := range learners {
		fit := func(x mat.Matrix, y []int, names []string, m int) error {
			_, err := l.fit(background, x, y, names, m, 5)
			return err
		}
		for _, c := range []struct {
			err  error
			want string
		}{
			{fit(nan, y, names, 2), "row 9, column 3 is NaN"},
			{fit(x, lone, nil, 2), "all 40 rows belong to one class"},
			{fit(x, lone, names, 2), "class right has no rows"},
			{fit(x, single, names, 2), "class right has only one row (row 5)"},
			{fit(x, y[:39], names, 2), "the number of labels is 39, but the number of rows is 40"},
			{fit(x, y, names[:1], 2), "row 1 has label 1; labels must be from 0 to 0"},
			{fit(x, y, names, 5), "number of filters is 5; it must be between 1 and 4, the number of dimensions"},
			{fit(x, y, names, 0), "number of filters is 0"},
		} {
			testkit.ErrorContains(t, c.err, c.want, l.name)
		}
	}
}

func TestLearnersStopWhenCanceled(t *testing.T) {
	x, y := sample(60, 4, 2, 6)
	for _, l := range learners {
		m, err := l.fit(testkit.Canceled(), x, y, nil, 2, 50)
		if !rao.HasModel(err) || m == nil || m.Report.Status != rao.StatusCanceled || m.Validate() != nil {
			t.Errorf("%s: model %v, error %v", l.name, m, err)
		}
	}
}

// A run canceled during a fit to a subset returns the filters so far.
func TestLearnersStopOnASubset(t *testing.T) {
	x, y := sample(400, 4, 2, 21)
	for name, fit := range map[string]func(context.Context, rao.Progress) (*feature.Model, error){
		"lmnn": func(ctx context.Context, p rao.Progress) (*feature.Model, error) {
			return FitLMNN(ctx, x, y, nil, LMNNOptions{Filters: 2, StartRows: 100, Progress: p})
		},
		"nca": func(ctx context.Context, p rao.Progress) (*feature.Model, error) {
			return FitNCA(ctx, x, y, nil, NCAOptions{Filters: 2, StartRows: 100, Progress: p})
		},
		"wda": func(ctx context.Context, p rao.Progress) (*feature.Model, error) {
			return FitWDA(ctx, x, y, nil, WDAOptions{Filters: 2, Tol: 1e-9, Progress: p})
		},
	} {
		ctx, cancel := context.WithCancel(background)
		m, err := fit(ctx, func(e rao.Event) {
			if e.Stage == "start" || name == "wda" {
				cancel()
			} else {
				t.Errorf("%s: went on to all rows", name)
			}
		})
		if !rao.HasModel(err) || m == nil || m.Report.Status != rao.StatusCanceled || m.Validate() != nil {
			t.Errorf("%s: error %v", name, err)
		}
		cancel()
	}
}

// Adding a constant to all rows changes no filters, and constant columns cause no error.
func TestLearnersIgnoreTheOrigin(t *testing.T) {
	x, y := sample(90, 4, 3, 7)
	moved := mat.NewDense(90, 5, nil)
	plain := mat.NewDense(90, 5, nil)
	for i := range 90 {
		for j := range 4 {
			plain.Set(i, j, x.At(i, j))
			moved.Set(i, j, x.At(i, j)+float64(j)*10)
		}
		moved.Set(i, 4, 7)
	}
	for _, l := range learners {
		a := testkit.Fitted(l.fit(background, plain, y, nil, 2, 3))(t, l.name)
		b := testkit.Fitted(l.fit(background, moved, y, nil, 2, 3))(t, l.name)
		testkit.Close(t, l.name, b.Filters.RawMatrix().Data, a.Filters.RawMatrix().Data, 1e-5)
	}
}

func TestAMAExplainsItsOptions(t *testing.T) {
	x, y := sample(40, 4, 2, 8)
	for want, opt := range map[string]AMAOptions{
		"the noise is -1": {Filters: 2, Noise: -1},
		"the number of priors is 1, but the number of classes is 2":    {Filters: 2, Priors: []float64{1}},
		"the prior of class 1 is 0":                                    {Filters: 2, Priors: []float64{1, 0}},
		"the starting filters have shape 2×2, but must have shape 4×2": {Filters: 2, Start: mat.NewDense(2, 2, nil)},
		"start: column 1 is zero":                                      {Filters: 2, Start: mat.NewDense(4, 2, nil)},
		"the iteration limit is -1 and the tolerance 1e-06":            {Filters: 2, MaxIter: -1},
		"the size of a group of filters is -2":                         {Filters: 2, Group: -2},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(FitAMA(background, x, y, nil, opt)), want)
	}
	flat := mat.NewDense(40, 4, nil)
	testkit.ErrorContains(t, testkit.ErrorOf(FitAMA(background, flat, y, nil, AMAOptions{Filters: 1})),
		"all rows are equal", "for equal rows")
}

func TestIterativeLearnersExplainTheirOptions(t *testing.T) {
	x, y := sample(40, 4, 2, 13)
	lmnn := func(o LMNNOptions) error { o.Filters = 2; _, err := FitLMNN(background, x, y, nil, o); return err }
	wda := func(o WDAOptions) error { o.Filters = 2; _, err := FitWDA(background, x, y, nil, o); return err }
	for _, c := range []struct {
		err  error
		want string
	}{
		{lmnn(LMNNOptions{Push: 1}), "the weight push is 1"},
		{lmnn(LMNNOptions{Neighbors: -1}), "the numbers of neighbors (-1)"},
		{lmnn(LMNNOptions{Tol: -1}), "the tolerance is -1"},
		{lmnn(LMNNOptions{Start: mat.NewDense(1, 1, nil)}),
			"the starting filters have shape 1×1, but must have shape 4×2"},
		{wda(WDAOptions{Regularization: -1}), "the regularization is -1"},
		{wda(WDAOptions{Rows: 1}), "the number of rows per class is 1"},
		{wda(WDAOptions{Tol: -1}), "and the tolerance -1"},
		{wda(WDAOptions{Start: mat.NewDense(4, 2, nil)}), "start: column 1 is zero"},
	} {
		testkit.ErrorContains(t, c.err, c.want)
	}
}

func ExampleFitAMA() {
	x, y := mat.NewDense(200, 2, nil), make([]int, 200)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 200 { // the classes differ in the spread along the first column
		y[i] = i % 2
		x.SetRow(i, []float64{rng.NormFloat64() * float64(1+9*y[i]), 20 * rng.NormFloat64()})
	}
	ama, err := FitAMA(context.Background(), x, y, []string{"narrow", "wide"}, AMAOptions{Filters: 1, Noise: 0.1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.1f\n", math.Abs(ama.Filters.At(0, 0)))
	// Output: 1.0
}
