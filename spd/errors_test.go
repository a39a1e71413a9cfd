package spd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/testkit"
)

// wants fails the test unless err is not nil and its text contains every part.
func wants(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, p := range parts {
		testkit.Contains(t, err.Error(), p, fmt.Sprintf("error %q does not say", err))
	}
}

// operations returns all operations on a stack of SPD matrices.
func operations(x *Stack, ref []float64) map[string]func() error {
	var d mat.Dense
	ctx := context.Background()
	ops := map[string]func() error{
		"Log":            func() error { return Log(new(Stack), x) },
		"Sqrt":           func() error { return Sqrt(new(Stack), x) },
		"TangentVectors": func() error { return tangentVectors(context.Background(), new(mat.Dense), x, ref) },
		"LogVectors":     func() error { return LogEuclid.Flat().Rows(context.Background(), new(mat.Dense), x) },
		"KernelAt":       func() error { return Kernel(new(mat.Dense), Riemann, x, nil, symmetric(x.Dim, ref)) },
	}
	for _, m := range Metrics() {
		if m == "euclid" {
			continue // takes any symmetric matrix
		}
		ops["Distances "+m] = func() error { d.Reset(); return Distances(ctx, &d, Metric(m), x, nil) }
		if m != "wasserstein" { // singular matrices are fine on one side
			ops["Distances to one "+m] = func() error {
				d.Reset()
				return Distances(ctx, &d, Metric(m), x, StackOf(1, x.Dim, ref))
			}
			ops["Mean "+m] = func() error {
				_, _, err := weightedMean(ctx, x, nil, Metric(m), MeanOptions{})
				return err
			}
		}
	}
	for _, m := range []Metric{Riemann, LogEuclid, LogChol} {
		ops["LogMap "+string(m)] = func() error { return LogMap(new(Stack), m, x, symmetric(x.Dim, ref)) }
	}
	return ops
}

func TestErrorsNameTheMatrixAndTheRemedy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	n := 4
	ref := randomSPD(rng, 1, n).Data
	spoil := func(f func(a []float64)) *Stack {
		x := randomSPD(rng, 40, n)
		f(x.At(17))
		return x
	}
	cases := []struct {
		name string
		x    *Stack
		want []string
	}{
		{"indefinite", spoil(func(a []float64) { a[5] -= 1000 }),
			[]string{"matrix 17 is not positive definite: its smallest eigenvalue is -", "the cause may be",
				"fewer samples than channels"}},
		{"singular", spoil(func(a []float64) {
			for i := range n { // channel 3 becomes a copy of channel 0
				a[3*n+i] = a[i]
			}
			for i := range n {
				a[i*n+3] = a[i*n]
			}
		}), []string{"matrix 17 is not positive definite", "repair"}},
		{"not finite", spoil(func(a []float64) { a[9], a[6] = math.NaN(), math.NaN() }),
			[]string{"matrix 17 is NaN at row 1, column 2"}},
		{"infinite", spoil(func(a []float64) { a[10] = math.Inf(1) }),
			[]string{"matrix 17 is +Inf at row 2, column 2"}},
		{"not symmetric", spoil(func(a []float64) { a[4] += 0.5 }),
			[]string{"matrix 17 is not symmetric", "row 1, column 0", "(A+A')/2"}},
	}
	for _, c := range cases {
		for name, op := range operations(c.x, ref) {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				err := op()
				wants(t, err, c.want...)
				var e *MatrixError
				if !errors.As(err, &e) || e.Index != 17 {
					t.Errorf("error %v is not a MatrixError for matrix 17", err)
				}
			})
		}
	}
}

func TestErrorsOfOtherInput(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	x, y := randomSPD(rng, 3, 4), randomSPD(rng, 3, 5)
	ctx := context.Background()
	var d mat.Dense
	wants(t, Distances(ctx, &d, Riemann, x, y), "order 4 and matrices of", "order 5")
	wants(t, Distances(ctx, &d, Riemann, nil, nil), "matrix: the stack of matrices is nil")
	wants(t, Distances(ctx, &d, Riemann, &Stack{Dim: 3, Stride: 9}, nil), "matrix: the stack of matrices is empty")
	wants(t, Distances(ctx, &d, Riemann, &Stack{Count: 2, Dim: 3, Stride: 9, Data: make([]float64, 9)}, nil),
		"has 9 values, too few for 2 matrices of order 3")
	wants(t, Distances(ctx, &d, "rieman", x, nil), `unknown metric "rieman"`, "riemann")
	_, err := ParseMetric("logeuclidean")
	wants(t, err, "did you mean logeuclid")
	_, err = geodesicOf(LogDet, x.At(0), x.At(1), 0.5, 4)
	wants(t, err, `metric "logdet" has no geodesic`, "riemann, logeuclid")
	wants(t, GaussianKernel(ctx, &d, Riemann, x, nil, 1), "positive definite", "logeuclid")
	wants(t, GaussianKernel(ctx, &d, LogEuclid, x, nil, -1), "gamma of the Gaussian kernel is -1")
	_, _, err = weightedMean(ctx, x, []float64{1, 2}, Riemann, MeanOptions{})
	wants(t, err, "the number of weights is 2, but the number of matrices is 3")
	_, _, err = weightedMean(ctx, x, []float64{1, -2, 1}, Riemann, MeanOptions{})
	wants(t, err, "weight 1 is -2")
	_, _, err = weightedMean(ctx, x, []float64{0, 0, 0}, Riemann, MeanOptions{})
	wants(t, err, "sum to 0")
	_, _, err = weightedMean(ctx, x, nil, Riemann, MeanOptions{Tol: -1})
	wants(t, err, "tolerance of the mean is -1")
	_, _, err = weightedMean(ctx, x, nil, Riemann, MeanOptions{MaxIter: -1})
	wants(t, err, "iteration limit of the mean is -1")
	_, err = pairDistance(LogEuclid, x.At(0), make([]float64, 16), 4)
	wants(t, err, "second matrix is not positive definite: its smallest eigenvalue is 0")
	bad := mat.NewDense(1, 3, []float64{1, math.NaN(), 0})
	wants(t, UntangentVectors(new(Stack), bad, symmetric(2, []float64{1, 0, 0, 1})), "tangent vector 0", "column 1")
}

func TestHostileSizesAreRefused(t *testing.T) {
	for _, s := range []Stack{
		{Count: math.MaxInt, Dim: 3, Stride: 9, Data: make([]float64, 9)},
		{Count: 1, Dim: 1 << 16, Stride: 1 << 30, Data: make([]float64, 9)},
		{Count: 3, Dim: 2, Stride: math.MaxInt, Data: make([]float64, 12)},
		{Count: 2, Dim: 2, Stride: 3, Data: make([]float64, 12)},
		{Count: -1, Dim: 2, Stride: 4}, {Count: 1, Dim: 0, Stride: 4},
		{Count: 1, Dim: -2, Stride: 4, Data: make([]float64, 12)},
	} {
		if s.Validate() == nil {
			t.Errorf("a stack of %d matrices of order %d, stride %d, %d values passes",
				s.Count, s.Dim, s.Stride, len(s.Data))
		}
	}
	good := Stack{Count: 2, Dim: 2, Stride: 5, Data: make([]float64, 9)}
	testkit.NoError(t, good.Validate())
}

func TestMeanThatDoesNotConvergeIsUsable(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	x := randomSPD(rng, 20, 5)
	for _, m := range []Metric{Riemann, Wasserstein, LogDet} {
		mean, rep, err := weightedMean(context.Background(), x, nil, m, MeanOptions{MaxIter: 2})
		if !rao.IsNotConverged(err) || rep.Status != rao.StatusMaxIterations || rep.Iterations != 2 {
			t.Fatalf("%s: error %v, report %+v", m, err, rep)
		}
		testkit.NoError(t, testkit.ErrorOf(pairDistance(Riemann, mean, x.At(0), 5)), m,
			"the matrix returned with the error is not SPD")
		mean, rep, err = weightedMean(testkit.Canceled(), x, nil, m, MeanOptions{})
		if !rao.HasModel(err) || rep.Status != rao.StatusCanceled || len(mean) != 25 {
			t.Errorf("%s canceled: error %v, report %+v", m, err, rep)
		}
	}
}

// Widely spread matrices need the safe step. The mean of these diagonal matrices has a closed form.
func TestMeanOfWidelySpreadMatrices(t *testing.T) {
	n := 3
	x := NewStack(6, n)
	want := 0.0
	for k := range x.Count {
		e := float64(7*k - 20)
		want += e / 6
		for i := range n {
			x.At(k)[i*n+i] = math.Exp(e * float64(i) / 2)
		}
	}
	m, rep := testkit.Must2(weightedMean(context.Background(), x, nil, Riemann, MeanOptions{}))(t)
	for i := range n {
		testkit.Near(t, math.Log(m[i*n+i]), want*float64(i)/2, 1e-8, "diagonal", i, "log", rep.Iterations, "iterations")
	}
}

func TestShapesPanic(t *testing.T) {
	x := randomSPD(rand.New(rand.NewPCG(4, 2)), 3, 4)
	for name, f := range map[string]func(){
		"dst of Distances": func() { _ = Distances(t.Context(), mat.NewDense(2, 2, nil), Riemann, x, nil) },
		"dst of Log":       func() { _ = Log(NewStack(1, 4), x) },
		"reference":        func() { _ = tangentVectors(context.Background(), new(mat.Dense), x, make([]float64, 9)) },
		"Distance":         func() { _, _ = pairDistance(Riemann, x.At(0), make([]float64, 3), 4) },
		"StackOf":          func() { StackOf(2, 3, make([]float64, 17)) },
		"At":               func() { x.At(3) },
		"tangent length": func() {
			_ = UntangentVectors(new(Stack), mat.NewDense(1, 4, nil), symmetric(2, make([]float64, 4)))
		},
	} {
		testkit.Panics(t, f, name)
	}
}
