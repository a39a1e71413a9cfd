package lvq

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"rao"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/evaluate"
	"rao/internal/indices"
	"rao/internal/testkit"
	"rao/spd"
)

// blobs draws rows around class centers, which differ in the first two columns. The other columns are noise of the
// given width.
func blobs(seed uint64, n, classes, count int, noise float64) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 5))
	x := mat.NewDense(classes*count, n, nil)
	var y []int
	for c := range classes {
		for k := range count {
			i := c*count + k
			for j := range n {
				x.Set(i, j, noise*rng.NormFloat64())
			}
			angle := 2 * math.Pi * float64(c) / float64(classes)
			x.Set(i, 0, 3*math.Cos(angle)+rng.NormFloat64())
			x.Set(i, 1, 3*math.Sin(angle)+rng.NormFloat64())
			y = append(y, c)
		}
	}
	return x, y
}

func TestRSLVQLearnsVectors(t *testing.T) {
	x, y := blobs(1, 4, 3, 60, 1)
	xe, ye := blobs(2, 4, 3, 100, 1)
	for _, o := range []RSLVQOptions{{}, {Prototypes: 2, Start: startKMeans}, {Batch: 8}, {Anneal: annealingMonotone}} {
		o.Epochs = 20
		m := testkit.Must(FitRSLVQ(context.Background(), x, y, nil, o))(t)
		var logp mat.Dense
		testkit.NoError(t, m.LogPosterior(t.Context(), &logp, xe))
		if a := accuracy(evaluate.MostProbable(&logp), ye); a < 0.93 {
			t.Errorf("%+v: accuracy %.3f", o, a)
		}
	}
}

// RSLVQ and GLVQ are equivariant under rotation and scaling of the data, as Euclidean distances are.
func TestVectorPrototypesFollowRotationAndScale(t *testing.T) {
	x, y := blobs(3, 3, 2, 40, 1)
	q := testkit.Rotation(rand.New(rand.NewPCG(4, 4)), 3)
	for name, prototypes := range map[string]func(x *mat.Dense) *mat.Dense{
		"rslvq": func(x *mat.Dense) *mat.Dense {
			o := plain(PLRSQOptions{Epochs: 5, Noise: -1})
			return testkit.Must(FitRSLVQ(t.Context(), x, y, nil, RSLVQOptions(o)))(t).Prototypes
		},
		"glvq": func(x *mat.Dense) *mat.Dense {
			return testkit.Must(FitGMLVQ(t.Context(), x, y, nil,
				GMLVQOptions{Relevance: relevanceNone, Epochs: 5, Noise: -1, CalibrationFolds: -1}))(t).Prototypes
		},
	} {
		var moved, want mat.Dense
		moved.Mul(x, q)
		moved.Scale(5, &moved)
		want.Mul(prototypes(x), q)
		want.Scale(5, &want)
		testkit.Close(t, name+" prototypes", prototypes(&moved).RawMatrix().Data, want.RawMatrix().Data, 1e-9)
	}
}

// PLRSQ in a flat metric is RSLVQ of its vectors: of the entries while none needs the projection, and of the entries of
// the logarithms.
func TestFlatPLRSQIsRSLVQ(t *testing.T) {
	for metric, rates := range map[spd.Metric][2]float64{spd.Euclid: {0.02, 0.02}, spd.LogEuclid: {0, 0.03}} {
		x, y := clouds(50, 3, 2, 25, 0.3, 0.3)
		rows := testkit.Must(metric.Flat().Vectors(t.Context(), x, "matrix"))(t)
		o := plain(PLRSQOptions{Epochs: 5, Noise: -1, Metric: metric, Rate: rates[0]})
		a := fitOrFail(t, x, y, o)
		o.Metric, o.Rate = "", rates[1]
		b := testkit.Must(FitRSLVQ(t.Context(), mat.NewDense(x.Count, 6, rows), y, nil, RSLVQOptions(o)))(t)
		w := testkit.Must(metric.Flat().Vectors(t.Context(), a.Prototypes, "prototype"))(t)
		testkit.Close(t, string(metric), w, b.Prototypes.RawMatrix().Data, 1e-9)
	}
}

func TestProjectionKeepsPrototypesPositiveDefinite(t *testing.T) {
	flat := spd.Euclid.Flat()
	project := flat.Projection([]float64{1, 0, 1}, 2, projectionFloor)
	w := []float64{1, 2 * math.Sqrt2, 1} // eigenvalues 3 and −1
	testkit.NoError(t, project(w))
	projected := testkit.Must(flat.Matrices(w, 2))(t)
	a := projected.Data
	testkit.Close(t, "projection", a, []float64{1.50005, 1.49995, 1.49995, 1.50005}, 1e-12)
	x, y := clouds(52, 4, 2, 25, 0.5, 0.6)
	m := fitOrFail(t, x, y, plain(PLRSQOptions{Epochs: 10, Metric: spd.Euclid, Rate: 5, Prototypes: 2}))
	for l := range m.Prototypes.Count {
		function(mat.NewDense(4, 4, m.Prototypes.At(l)), func(v float64) float64 {
			if v < projectionFloor*(1-1e-6) {
				t.Errorf("prototype %d has eigenvalue %g", l, v)
			}
			return v
		})
	}
}

// The first two columns separate the classes, and the other six are strong noise. GMLVQ must find the two columns;
// plain distances are dominated by the noise.
func TestGMLVQFindsTheRelevantColumns(t *testing.T) {
	x, y := blobs(5, 8, 3, 80, 6)
	xe, ye := blobs(6, 8, 3, 100, 6)
	m := testkit.Must(FitGMLVQ(context.Background(), x, y, nil, GMLVQOptions{Epochs: 40}))(t)
	r := m.relevance(0)
	if share := r.At(0, 0) + r.At(1, 1); share < 0.8 {
		t.Errorf("relevance of the two columns that matter %.3f of 1", share)
	}
	var logp mat.Dense
	testkit.NoError(t, m.LogPosterior(t.Context(), &logp, xe))
	if a := accuracy(evaluate.MostProbable(&logp), ye); a < 0.9 {
		t.Errorf("accuracy %.3f", a)
	}
}

// gmlvqCost returns (d⁺−d⁻)/(d⁺+d⁻) of sample 0 as a trainer sees it.
func gmlvqCost(tr *gmlvqTrainer) float64 {
	tr.measure(0)
	return (tr.distance[0] - tr.distance[1]) / (tr.distance[0] + tr.distance[1])
}

// A step is −rate times the gradient of the cost with respect to the prototypes and Ω, for every kind of relevance.
// After the step Ω is scaled to length one.
func TestGMLVQStepIsTheGradient(t *testing.T) {
	x, y := blobs(7, 4, 2, 10, 1)
	src := testkit.Must(newRows(x))(t)
	for _, opt := range []GMLVQOptions{{}, {Rank: 2}, {Relevance: relevanceLocal}, {Relevance: relevanceLocal, Rank: 3},
		{Relevance: relevanceNone}} {
		opt.CalibrationFolds = -1
		o := testkit.Must(opt.resolve(4, []int{10, 10}, nil))(t)
		fresh := func() *gmlvqTrainer {
			s := testkit.Must(src.start(context.Background(), o, y, indices.Range(20)))(t)
			return newGMLVQTrainer(src, s.snapshot(nil), o, opt.Relevance, opt.Rank, indices.Range(20))
		}
		tr := fresh()
		slopes := func(values []float64) []float64 {
			const h = 1e-6
			grad := make([]float64, len(values))
			for k, old := range values {
				values[k] = old + h
				up := gmlvqCost(tr)
				values[k] = old - h
				grad[k] = (up - gmlvqCost(tr)) / (2 * h)
				values[k] = old
			}
			return grad
		}
		forPrototypes, forOmega := slopes(tr.w), slopes(tr.omega)
		const rate = 1e-4
		before, omega := slices.Clone(tr.w), slices.Clone(tr.omega)
		testkit.Must(tr.step(0, y[0], rate, rate))(t)
		// in units of the data's scale, squared by the chain rule
		for k, g := range forPrototypes {
			testkit.Near(t, tr.w[k]-before[k], -rate*g*tr.scale*tr.scale, 1e-6*rate, opt, "change of prototype", k)
		}
		size := opt.Rank * 4
		for at := 0; at < len(omega); at += size {
			length := 0.0
			for k := at; k < at+size; k++ {
				omega[k] -= rate * forOmega[k]
				length += omega[k] * omega[k]
			}
			for k := at; k < at+size; k++ {
				testkit.Near(t, tr.omega[k], omega[k]/math.Sqrt(length), 1e-6*rate, opt, "entry", k, "of Ω")
			}
		}
	}
}

// Two classes with the same mean, one elongated along the first column and one along the second: only separate matrices
// distinguish them.
func TestLocalizedGMLVQLearnsShapes(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	draw := func() (*mat.Dense, []int) {
		x, y := mat.NewDense(400, 2, nil), make([]int, 400)
		for i := range y {
			y[i] = i % 2
			x.Set(i, y[i], 3*rng.NormFloat64())
			x.Set(i, 1-y[i], 0.3*rng.NormFloat64())
		}
		return x, y
	}
	x, y := draw()
	xe, ye := draw()
	score := func(r Relevance) float64 {
		m := testkit.Must(FitGMLVQ(context.Background(), x, y, nil, GMLVQOptions{Relevance: r, Epochs: 30,
			CalibrationFolds: 2}))(t)
		var logp mat.Dense
		testkit.NoError(t, m.LogPosterior(t.Context(), &logp, xe))
		return accuracy(evaluate.MostProbable(&logp), ye)
	}
	if local, shared, none := score(relevanceLocal), score(relevanceShared), score(relevanceNone); local < 0.85 ||
		shared > 0.7 || none > 0.7 {
		t.Errorf("accuracy %.3f with local, %.3f with shared, %.3f without relevance", local, shared, none)
	}
}

func TestMatrixGMLVQ(t *testing.T) {
	x, y := cloudsFrom(53, 54, 4, 3, 40, 0.4, 0.25)
	xe, ye := cloudsFrom(53, 55, 4, 3, 60, 0.4, 0.25)
	for _, metric := range spd.FlatMetrics() {
		m := testkit.Must(FitMatrixGMLVQ(context.Background(), x, y, nil,
			MatrixGMLVQOptions{spd.Metric(metric), GMLVQOptions{Epochs: 20, CalibrationFolds: 2}}))(t)
		var logp mat.Dense
		testkit.NoError(t, m.LogPosterior(t.Context(), &logp, xe))
		if a := accuracy(evaluate.MostProbable(&logp), ye); a < 0.85 {
			t.Errorf("%s: accuracy %.3f", metric, a)
		}
		w := testkit.Must(m.prototypes())(t)
		testkit.NoError(t, w.VerifyDefinite("prototype"), metric)
		err := m.LogPosterior(t.Context(), &logp, spd.NewStack(1, 2))
		testkit.ErrorContains(t, err, "order 2")
	}
	_, err := FitMatrixGMLVQ(context.Background(), x, y, nil, MatrixGMLVQOptions{Metric: spd.Riemann})
	testkit.ErrorContains(t, err, "logchol", "a metric that is not flat")
}

// For every metric in the table, prototypes learn, distances agree with package spd, online updates work, and decisions
// on single matrices equal decisions on all matrices together.
func TestPrototypesInEveryMetric(t *testing.T) {
	x, y := cloudsFrom(53, 54, 4, 3, 40, 0.4, 0.25)
	xe, ye := cloudsFrom(53, 55, 4, 3, 60, 0.4, 0.25)
	for _, metric := range spd.SpaceMetrics() {
		for _, o := range []PLRSQOptions{{}, {Epochs: 5, Prototypes: 2}, {Epochs: 5, Batch: 8}} {
			o.Metric = spd.Metric(metric)
			m := fitOrFail(t, x, y, o)
			all := make([]Decision, xe.Count)
			testkit.NoError(t, m.Decide(t.Context(), all, new(mat.Dense), xe))
			labels, d := make([]int, len(all)), new(mat.Dense)
			for i, v := range all {
				labels[i] = v.Label
			}
			if a := accuracy(labels, ye); a < 0.85 {
				t.Errorf("%s: accuracy %.3f", metric, a)
			}
			testkit.NoError(t, spd.Distances(t.Context(), d, o.Metric, xe, m.Prototypes))
			for i, want := range all {
				var got [1]Decision
				err := m.Decide(t.Context(), got[:], new(mat.Dense), xe.Slice(i, i+1))
				if err != nil || got[0] != want {
					t.Fatalf("%s: matrix %d alone %+v, %v; with others %+v", metric, i, got, err, want)
				}
				if least := slices.Min(d.RawRowView(i)); math.Abs(want.Distance-least) > 1e-6*least {
					t.Fatalf("%s: matrix %d is %g from the nearest prototype, %g by package spd", metric, i,
						want.Distance, least)
				}
			}
			mine := m.Clone()
			testkit.NoError(t, mine.Update(xe.Sym(0), ye[0], UpdateOptions{Rate: 1, MaxMove: 0.5}))
			if slices.Equal(mine.Prototypes.Data, m.Prototypes.Data) {
				t.Errorf("%s: an update moved nothing", metric)
			}
			testkit.NoError(t, mine.Validate(), metric, "after an update")
		}
	}
}

func TestVectorModelsSayWhatIsWrong(t *testing.T) {
	x, y := blobs(8, 3, 2, 10, 1)
	bad := mat.DenseCopyOf(x)
	bad.Set(3, 1, math.NaN())
	testkit.ErrorContains(t, testkit.ErrorOf(FitRSLVQ(context.Background(), bad, y, nil, RSLVQOptions{})),
		"row 3, column 1")
	err := testkit.ErrorOf(FitGMLVQ(context.Background(), bad, y, nil, GMLVQOptions{}))
	if e := (*rao.ValueError)(nil); !errors.As(err, &e) || e.Row != 3 || e.Col != 1 {
		t.Errorf("NaN: error %v", err)
	}
	testkit.ErrorContains(t, testkit.ErrorOf(FitGMLVQ(context.Background(), x, y, nil, GMLVQOptions{Rank: 9})),
		"rank of the relevance matrix is 9")
	testkit.ErrorContains(t, testkit.ErrorOf(FitGMLVQ(context.Background(), x, y, nil,
		GMLVQOptions{Relevance: relevanceNone, Rank: 2})), "learns no matrix")
	testkit.ErrorContains(t, testkit.ErrorOf(FitGMLVQ(context.Background(), x, y, nil,
		GMLVQOptions{Relevance: "some"})), `unknown relevance "some"`)
	testkit.ErrorContains(t, testkit.ErrorOf(FitRSLVQ(context.Background(), x, y[1:], nil, RSLVQOptions{})),
		"the number of labels is 19")
	m := testkit.Must(FitRSLVQ(context.Background(), x, y, nil, RSLVQOptions(plain(PLRSQOptions{Epochs: 1}))))(t)
	m.Labels[0] = 7
	if m.Validate() == nil {
		t.Error("label 7 of 2 accepted")
	}
}

// Models of EEG in volts and in microvolts decide the same, because the projection depends on the scale of the
// matrices.
func TestEuclideanPrototypesHaveNoUnit(t *testing.T) {
	x, y := clouds(52, 4, 2, 25, 0.5, 0.6)
	for i := range x.Data {
		x.Data[i] *= 16 // the mean diagonal entry is above 1
	}
	small := spd.StackOf(x.Count, x.Dim, slices.Clone(x.Data))
	for i := range small.Data {
		small.Data[i] *= 0x1p-40
	}
	opt := plain(PLRSQOptions{Epochs: 10, Metric: spd.Euclid, Prototypes: 2})
	a, b := fitOrFail(t, x, y, opt), fitOrFail(t, small, y, opt)
	for i := range b.Prototypes.Data {
		b.Prototypes.Data[i] *= 0x1p40
	}
	testkit.Close(t, "prototypes", b.Prototypes.Data, a.Prototypes.Data, 1e-4)
}

// relevance returns Λ = Ω'Ω of prototype l. Its diagonal is the weight of each column. All prototypes share the matrix
// unless the model is Local.
func (m *GMLVQ) relevance(l int) *mat.SymDense {
	n, _ := m.Dims()
	out := mat.NewSymDense(n, nil)
	if m.Omega == nil {
		for i := range n {
			out.SetSym(i, i, 1/float64(n))
		}
		return out
	}
	out.SymOuterK(1, m.omegaOf(l).T())
	return out
}

// prototypes returns the prototypes as matrices.
func (m *MatrixGMLVQ) prototypes() (*spd.Stack, error) {
	return prototypesOf(m.Metric.Flat(), m.Vector.Prototypes.RawMatrix().Data, m.Order)
}

// Options that apply only to matrices are errors in fits to vectors, and are not ignored.
func TestVectorFitsRefuseOptionsForMatrices(t *testing.T) {
	x, labels := mat.NewDense(4, 1, []float64{0, 1, 10, 11}), []int{0, 0, 1, 1}
	given := spd.NewStack(2, 1)
	for want, opt := range map[string]RSLVQOptions{
		"metric is riemann":             {Metric: spd.Riemann},
		"given prototypes are matrices": {Given: given},
		"give labels":                   {Soft: x},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(FitRSLVQ(t.Context(), x, labels, nil, opt)), want, "FitRSLVQ",
			"want an error with")
	}
}

// No vector can be compared with a prototype whose squares overflow.
func TestPrototypesWhoseSquaresOverflowAreNotValid(t *testing.T) {
	m := &RSLVQ{Prototypes: mat.NewDense(2, 1, []float64{0, 1e200}), Labels: []int{0, 1}, Classes: []string{"a", "b"},
		Sigma2: 1}
	testkit.ErrorContains(t, m.Validate(), "column 0 of prototype 1 is 1e+200, so large")
}
