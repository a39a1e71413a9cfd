package spd

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// One matrix goes in as any mat.Symmetric and comes out as a *mat.SymDense with both triangles stored.
func TestSingleMatricesAreSymmetric(t *testing.T) {
	x := StackOf(2, 2, []float64{4, 1, 1, 9, 16, 2, 2, 1})
	a, b := x.Sym(0), mat.NewDiagDense(2, []float64{16, 1})
	want := testkit.Must(pairDistance(Riemann, x.At(0), []float64{16, 0, 0, 1}, 2))(t)
	testkit.Equal(t, testkit.Must(Distance(Riemann, a, b))(t), want, "distance")
	mean, _ := testkit.Must2(Mean(context.Background(), x, nil, Riemann, MeanOptions{Start: a}))(t)
	raw := mean.RawSymmetric().Data
	if raw[1] != raw[2] || raw[1] == 0 {
		t.Errorf("mean %v: both triangles are to be stored", raw)
	}
	var mid mat.SymDense
	testkit.NoError(t, Geodesic(&mid, Riemann, a, x.Sym(1), 0.5))
	testkit.Close(t, "mean of two", mid.RawSymmetric().Data, raw, 1e-8)
	var log, exp, moved, there, back Stack
	testkit.NoError(t, LogMap(&log, Riemann, x, mean))
	testkit.NoError(t, ExpMap(&exp, Riemann, &log, mean))
	testkit.Close(t, "exp of log", exp.Data, x.Data, 1e-12)
	var v mat.Dense
	testkit.NoError(t, TangentVectors(context.Background(), &v, x, mean))
	testkit.NoError(t, UntangentVectors(&back, &v, mean))
	testkit.Close(t, "back from the tangent space", back.Data, x.Data, 1e-12)
	testkit.NoError(t, Recenter(&moved, x, mean, a))
	testkit.NoError(t, Recenter(&there, x, mean, nil))
	testkit.NoError(t, Recenter(&back, &there, mat.NewDiagDense(2, []float64{1, 1}), a))
	testkit.Close(t, "by way of the identity", back.Data, moved.Data, 1e-12)
	spread, err := Dispersion(x, mean)
	if err != nil || !(spread > 0) {
		t.Errorf("dispersion %v, %v", spread, err)
	}
	var none *mat.SymDense
	testkit.NoError(t, Recenter(&back, x, mean, none), "no matrix, in the guise of a *mat.SymDense")
	testkit.Close(t, "no matrix", back.Data, there.Data, 0)
}

func TestSinglePanicsOnWrongOrder(t *testing.T) {
	two, three := mat.NewDiagDense(2, []float64{1, 1}), mat.NewDiagDense(3, []float64{1, 1, 1})
	x := StackOf(1, 2, []float64{1, 0, 0, 1})
	for name, f := range map[string]func(){
		"distance":   func() { _, _ = Distance(Euclid, two, three) },
		"geodesic":   func() { _ = Geodesic(new(mat.SymDense), Euclid, two, three, 0.5) },
		"dst":        func() { _ = Geodesic(mat.NewSymDense(3, nil), Euclid, two, two, 0.5) },
		"reference":  func() { _ = LogMap(new(Stack), Euclid, x, three) },
		"start":      func() { _, _, _ = Mean(context.Background(), x, nil, Riemann, MeanOptions{Start: three}) },
		"dispersion": func() { _, _ = Dispersion(x, three) },
		"recenter":   func() { _ = Recenter(new(Stack), x, three, nil) },
	} {
		testkit.Equal(t, testkit.Panic(f), any(mat.ErrShape), name)
	}
}
