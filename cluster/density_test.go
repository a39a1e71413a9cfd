package cluster

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/testkit"
	"rao/spd"
)

// Both methods find separate clusters; mean shift also finds their number.
func TestDensitiesFindClusters(t *testing.T) {
	ctx := context.Background()
	x, labels := samples(1, 30, 3, 3, 0.15)
	for _, metric := range []spd.Metric{"", spd.LogEuclid, spd.LogChol} {
		for _, kernel := range []Kernel{kernelUniform, kernelNormal} {
			m := testkit.Must(FitMeanShift(ctx, x, MeanShiftOptions{Metric: metric, Kernel: kernel}))(t, metric, kernel)
			if a, _ := Accuracy(m.Assignments, labels); m.Modes.Count != 3 || a != 1 {
				t.Errorf("mean shift %s %s: %d modes, accuracy %.2f", metric, kernel, m.Modes.Count, a)
			}
			got := testkit.Must(m.Predict(ctx, x))(t)
			testkit.EqualSlices(t, got, m.Assignments, "mean shift", metric, "Predict differs from the assignments")
		}
		m := testkit.Must(FitMixture(ctx, x, 3, MixtureOptions{Metric: metric}))(t, metric)
		if a, _ := Accuracy(m.Assignments, labels); a != 1 {
			t.Errorf("mixture %s: accuracy %.2f", metric, a)
		}
		testkit.EqualSlices(t, testkit.Must(m.Predict(ctx, x))(t), m.Assignments, "mixture with", metric)
	}
}

// At a mode of the normal kernel the weighted tangent vectors add up to zero.
func TestModesAreStationary(t *testing.T) {
	ctx := context.Background()
	x, _ := samples(2, 15, 3, 3, 0.5)
	m := testkit.Must(FitMeanShift(ctx, x, MeanShiftOptions{Kernel: "normal", Tol: 1e-10, MaxIter: 5000}))(t)
	for k := range m.Modes.Count {
		var v mat.Dense
		testkit.NoError(t, spd.TangentVectors(ctx, &v, x, m.Modes.Sym(k)))
		n, d := v.Dims()
		sum := make([]float64, d)
		for i := range n {
			d2 := 0.0
			for _, a := range v.RawRowView(i) {
				d2 += a * a
			}
			for j, a := range v.RawRowView(i) {
				sum[j] += math.Exp(-d2/m.Bandwidth/m.Bandwidth) * a
			}
		}
		testkit.Close(t, "gradient", sum, make([]float64, d), 1e-7)
	}
}

// A mixture does not depend on a common mixing of the channels. The Riemannian density is a density of tangent vectors
// at the means, which are rotated.
func TestDensitiesUnderCongruence(t *testing.T) {
	ctx := context.Background()
	x, _ := samples(3, 30, 3, 2, 0.4)
	one := mat.NewSymDense(3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
	var y spd.Stack
	testkit.NoError(t, spd.Recenter(&y, x, one, x.Sym(0)))
	a := testkit.Must(FitMixture(ctx, x, 2, MixtureOptions{}))(t)
	b := testkit.Must(FitMixture(ctx, &y, 2, MixtureOptions{}))(t)
	testkit.Close(t, "log-likelihood", []float64{b.Report.Objective}, []float64{a.Report.Objective}, 1e-6)
	testkit.Close(t, "weights", b.Weights, a.Weights, 1e-6)
	c := testkit.Must(FitMeanShift(ctx, x, MeanShiftOptions{}))(t)
	d := testkit.Must(FitMeanShift(ctx, &y, MeanShiftOptions{}))(t)
	testkit.EqualSlices(t, c.Assignments, d.Assignments, "modes change under congruence")
}

// For a flat metric the mixture equals a mixture of vectors, whose likelihood never decreases, and one component has
// the moments of the logarithms.
func TestMixtureOfLogarithms(t *testing.T) {
	ctx := context.Background()
	x, _ := samples(4, 40, 3, 3, 0.6)
	m := testkit.Must(FitMixture(ctx, x, 3, MixtureOptions{Metric: spd.LogEuclid}))(t)
	h := m.Report.History
	if len(h) < 5 {
		t.Errorf("only %d iterations: the test sees nothing", len(h))
	}
	for i := 1; i < len(h); i++ {
		if h[i] < h[i-1]-1e-9 {
			t.Errorf("log-likelihood falls from %g to %g", h[i-1], h[i])
		}
	}
	one := testkit.Must(FitMixture(ctx, x, 1, MixtureOptions{Metric: spd.LogEuclid}))(t)
	var v mat.Dense
	testkit.NoError(t, spd.LogEuclid.Flat().Rows(ctx, &v, x))
	n, d := v.Dims()
	want := mat.NewSymDense(d, nil)
	for j := range d {
		c := mat.Col(nil, j, &v)
		mean := 0.0
		for _, a := range c {
			mean += a / float64(n)
		}
		for i := range c {
			v.Set(i, j, c[i]-mean)
		}
	}
	want.SymOuterK(1/float64(n), v.T())
	testkit.Close(t, "covariance", one.Covariances[0].RawSymmetric().Data, want.RawSymmetric().Data, 1e-9)
}

// If the matrices of a component span fewer directions than a tangent vector has, the component keeps a small variance
// in the other directions, and the model names the component.
func TestSingularComponents(t *testing.T) {
	ctx := context.Background()
	x, _ := samples(5, 10, 3, 1, 0.4)
	for i := range x.Count {
		a := x.Sym(i)
		a.SetSym(0, 1, 0)
		a.SetSym(0, 2, 0)
		x.Set(i, a)
	}
	m := testkit.Must(FitMixture(ctx, x, 1, MixtureOptions{}))(t)
	testkit.EqualSlices(t, m.Floored, []int{0}, "floored", m)
	if !(m.Report.Objective < 100) {
		t.Errorf("log-likelihood %g", m.Report.Objective)
	}
	var p mat.Dense
	if logs, err := m.Posterior(ctx, &p, x); err != nil || math.IsNaN(logs[3]) || p.At(3, 0) != 1 {
		t.Errorf("posterior %v, %v", logs, err)
	}
}

func TestDensitiesOnAnyProcessors(t *testing.T) {
	ctx := context.Background()
	x, _ := samples(6, 25, 4, 3, 0.8)
	testkit.SameAtAnyProcs(t, func() []float64 {
		a := testkit.Fitted(FitMeanShift(ctx, x, MeanShiftOptions{Kernel: "normal", MaxIter: 20}))(t)
		b := testkit.Must(FitMixture(ctx, x, 3, MixtureOptions{}))(t)
		return append(append(slices.Clone(a.Modes.Contiguous()), b.Means.Data...), b.Report.Objective)
	})
}

func TestBadInputOfDensities(t *testing.T) {
	ctx := context.Background()
	x, _ := samples(7, 5, 3, 2, 0.3)
	nan, _ := samples(7, 5, 3, 2, 0.3)
	nan.At(4)[8] = math.NaN()
	negative, _ := samples(7, 5, 3, 2, 0.3)
	negative.At(6)[0] = -50
	huge, _ := samples(7, 5, 3, 2, 0.3)
	for i := range huge.Data {
		huge.Data[i] *= 1e200
	}
	same := x.Select(make([]int, 10))
	shift := func(x *spd.Stack, o MeanShiftOptions) error { _, err := FitMeanShift(ctx, x, o); return err }
	mix := func(x *spd.Stack, k int, o MixtureOptions) error { _, err := FitMixture(ctx, x, k, o); return err }
	for _, c := range []struct {
		want string
		err  error
	}{
		{"matrix 4", shift(nan, MeanShiftOptions{})},
		{"matrix 6 is not positive definite", shift(negative, MeanShiftOptions{})},
		{"no matrices", shift(nil, MeanShiftOptions{})},
		{"unknown metric", shift(x, MeanShiftOptions{Metric: "rieman"})},
		{"this method does not support the metric", shift(x, MeanShiftOptions{Metric: spd.Wasserstein})},
		{`did you mean normal`, shift(x, MeanShiftOptions{Kernel: "norml"})},
		{"bandwidth is -1", shift(x, MeanShiftOptions{Bandwidth: -1})},
		{"bandwidth is NaN", shift(x, MeanShiftOptions{Bandwidth: math.NaN()})},
		{"all matrices are identical", shift(same, MeanShiftOptions{Metric: spd.Euclid})},
		{"matrix 4", mix(nan, 2, MixtureOptions{})},
		{"matrix 6 is not positive definite", mix(negative, 2, MixtureOptions{})},
		{"11 clusters were requested for 10 matrices", mix(x, 11, MixtureOptions{})},
		{"tolerance is -1", mix(x, 2, MixtureOptions{Tol: -1})},
		{"this method does not support the metric", mix(x, 2, MixtureOptions{Metric: spd.KullbackSym})},
		{"6 tangent coordinates", mix(x.Slice(0, 5), 2, MixtureOptions{})},
		{"of each cluster are identical", mix(same, 2, MixtureOptions{Metric: spd.Euclid})},
		{"rescale the data", mix(huge, 2, MixtureOptions{Metric: spd.Euclid})},
		{"rescale the data", shift(huge, MeanShiftOptions{Metric: spd.Euclid, Kernel: "normal"})},
	} {
		if c.err == nil || !strings.Contains(strings.ReplaceAll(c.err.Error(), "=", " "), c.want) {
			t.Errorf("error %v does not say %q", c.err, c.want)
		}
	}
	s := testkit.Must(FitMeanShift(ctx, same, MeanShiftOptions{Bandwidth: 0.1}))(t)
	testkit.Equal(t, s.Modes.Count, 1, "equal matrices with a bandwidth")
	m := testkit.Must(FitMixture(ctx, x, 1, MixtureOptions{}))(t)
	other := spd.NewStack(1, 4)
	for _, err := range []error{second(m.Predict(ctx, other)), second(s.Predict(ctx, other))} {
		testkit.ErrorContains(t, err, "order 4", "another order")
	}
	testkit.ErrorContains(t, second(m.Predict(ctx, nan)), "matrix 4", "prediction of NaN")
}

func TestDensitiesEndWhenAsked(t *testing.T) {
	x, _ := samples(8, 20, 4, 3, 0.8)
	short, err := FitMeanShift(context.Background(), x, MeanShiftOptions{MaxIter: 1, Kernel: "normal"})
	if !rao.IsNotConverged(err) || short.Report.Status != rao.StatusMaxIterations || len(short.Assignments) != 60 {
		t.Errorf("one step: %v", err)
	}
	m, err := FitMixture(context.Background(), x, 2, MixtureOptions{MaxIter: 1})
	if !rao.IsNotConverged(err) || m.Report.Status != rao.StatusMaxIterations {
		t.Errorf("one iteration: %v", err)
	}
	for after := range 60 {
		ctx := testkit.CancelAt(int64(3*after + 1))
		if m, err := FitMixture(ctx, x, 2, MixtureOptions{Tol: 1e-300, Starts: 1}); rao.HasModel(err) {
			if got, err := m.Predict(t.Context(), x); err != nil || !slices.Equal(got, m.Assignments) {
				t.Errorf("after %d questions: the assignments are not those of the model: %v", 3*after, err)
			}
		} else if err == nil {
			t.Errorf("after %d questions: no error", 3*after)
		}
	}
	ctx := testkit.Canceled()
	testkit.Fails(t, testkit.ErrorOf(FitMeanShift(ctx, x, MeanShiftOptions{})), "a canceled mean shift gives no error")
}
