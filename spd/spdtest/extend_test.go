package spdtest_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
	"rao/method"
	"rao/spd"
	"rao/spd/spdtest"
)

// This registers three metrics as another module would: the Euclidean metric of the square roots (Dryden, Koloydenko
// and Zhou 2009), the affine-invariant metric defined by its maps, and a divergence with its mean, half the squared
// Frobenius distance.
func init() {
	function := func(f func(float64) float64) func(dst, x *mat.SymDense) error {
		return func(dst, x *mat.SymDense) error { return ofEigenvalues(dst, x, f) }
	}
	spd.RegisterMetric(spd.Geometry{Name: "rooteuclid", Scaled: true, Embed: function(math.Sqrt),
		Restore: function(func(v float64) float64 { return v * v })})
	spd.RegisterMetric(spd.Geometry{Name: "invariant", Distance: invariant,
		Log: func(dst, x, ref *mat.SymDense) error { return atReference(dst, x, ref, math.Log) },
		Exp: func(dst, x, ref *mat.SymDense) error { return atReference(dst, x, ref, math.Exp) }})
	spd.RegisterMetric(spd.Geometry{Name: "two_means", Divergence: true, Distance: half, Mean: arithmetic})
}

// Methods accept a tolerance for the means of a registered metric exactly if these are iterated.
func TestMeanToleranceOfRegisteredMetrics(t *testing.T) {
	mdm := testkit.Must(method.Lookup("mdm"))(t)
	for metric, iterates := range map[string]bool{"rooteuclid": false, "invariant": true, "two_means": false} {
		_, err := mdm.With(method.Settings{{Name: "metric", Value: metric}, {Name: "mean-tol", Value: "1e-6"}})
		testkit.Equal(t, err == nil, iterates, metric, "error", err)
	}
}

// ofEigenvalues writes V diag(f(λ)) V'.
func ofEigenvalues(dst, x *mat.SymDense, f func(float64) float64) error {
	var e mat.EigenSym
	if !e.Factorize(x, true) {
		return fmt.Errorf("no eigenvalues")
	}
	var v, scaled mat.Dense
	e.VectorsTo(&v)
	scaled.Apply(func(_, j int, a float64) float64 { return a * f(e.RawValues()[j]) }, &v)
	var out mat.Dense
	out.Mul(&scaled, v.T())
	dst.CopySym(mat.NewSymDense(x.SymmetricDim(), out.RawMatrix().Data))
	return nil
}

// atReference writes C½ f(C⁻½ X C⁻½) C½.
func atReference(dst, x, ref *mat.SymDense, f func(float64) float64) error {
	n := ref.SymmetricDim()
	root, inverse, inner := mat.NewSymDense(n, nil), mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
	if err := ofEigenvalues(root, ref, math.Sqrt); err != nil {
		return err
	}
	if err := ofEigenvalues(inverse, ref, func(v float64) float64 { return 1 / math.Sqrt(v) }); err != nil {
		return err
	}
	var p mat.Dense
	p.Product(inverse, x, inverse)
	if err := ofEigenvalues(inner, mat.NewSymDense(n, p.RawMatrix().Data), f); err != nil {
		return err
	}
	p.Product(root, inner, root)
	dst.CopySym(mat.NewSymDense(n, p.RawMatrix().Data))
	return nil
}

func invariant(a, b *mat.SymDense) (float64, error) {
	v := mat.NewSymDense(a.SymmetricDim(), nil)
	if err := atReference(v, b, a, math.Log); err != nil {
		return 0, err
	}
	var w mat.Dense
	if err := w.Solve(a, v); err != nil { // tr((A⁻¹V)²) is the squared length of V at A
		return 0, err
	}
	w.Mul(&w, &w)
	return math.Sqrt(max(0, mat.Trace(&w))), nil
}

// half returns half the squared Frobenius distance.
func half(a, b *mat.SymDense) (float64, error) {
	var d mat.Dense
	d.Sub(a, b)
	n := mat.Norm(&d, 2)
	return n * n / 2, nil
}

func arithmetic(dst *mat.SymDense, x []*mat.SymDense, weights []float64) error {
	for i, a := range x {
		var s mat.SymDense
		s.ScaleSym(weights[i], a)
		dst.AddSym(dst, &s)
	}
	return nil
}

func TestRegisteredMetrics(t *testing.T) {
	for _, m := range []spd.Metric{"rooteuclid", "invariant", "two_means"} {
		spdtest.Check(t, m)
	}
}

// The affine-invariant metric defined by its maps equals the metric of the package.
func TestRegisteredMetricAgrees(t *testing.T) {
	x := spd.StackOf(3, 2, []float64{4, 1, 1, 9, 16, 2, 2, 1, 2, 0.5, 0.5, 3})
	var want, got *mat.SymDense
	want, _ = testkit.Must2(spd.Mean(context.Background(), x, nil, spd.Riemann, spd.MeanOptions{}))(t)
	got, _ = testkit.Must2(spd.Mean(context.Background(), x, nil, "invariant", spd.MeanOptions{}))(t)
	if !mat.EqualApprox(got, want, 1e-7) {
		t.Errorf("mean %v, want %v", mat.Formatted(got), mat.Formatted(want))
	}
}

func ExampleCheck() {
	x := spd.StackOf(2, 2, []float64{4, 0, 0, 9, 16, 0, 0, 1})
	d, err := spd.Distance("rooteuclid", x.Sym(0), x.Sym(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	mean, _, err := spd.Mean(context.Background(), x, nil, "rooteuclid", spd.MeanOptions{})
	fmt.Printf("%.4f %.0f %v\n", d, mat.Formatted(mean, mat.FormatMATLAB()), err)
	// Output: 2.8284 [9 0; 0 4] <nil>
}

func TestMetricsThatCannotBeRegistered(t *testing.T) {
	for _, g := range []spd.Geometry{{}, {Name: "x"}, {Name: "x", Distance: half}, {Name: "A", Distance: half,
		Mean: arithmetic}, {Name: spd.Euclid, Distance: half, Mean: arithmetic}} {
		testkit.Panics(t, func() { spd.RegisterMetric(g) }, "registration of", g.Name)
	}
}

func TestMetricsHaveWhatLearnersNeed(t *testing.T) {
	for _, name := range spd.Metrics() {
		spdtest.Check(t, spd.Metric(name))
	}
}
