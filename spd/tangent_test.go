package spd

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/testkit"
)

// The mean and the vectors computed in one pass equal those of two passes.
func TestMeanVectors(t *testing.T) {
	ctx := context.Background()
	x := randomSPD(rand.New(rand.NewPCG(5, 22)), 90, 22)
	weights := make([]float64, x.Count)
	for i := range weights {
		weights[i] = 1 + float64(i%3)
	}
	for name, opt := range map[string]MeanOptions{
		"default": {}, "loose": {Tol: 1e-3}, "at the start": {Tol: 1e9}, "too few steps": {MaxIter: 1},
	} {
		want, rep, err := Mean(ctx, x, weights, Riemann, opt)
		if err != nil && !rao.IsNotConverged(err) {
			t.Fatal(name, err)
		}
		var v, vectors mat.Dense
		got, report, errVectors := MeanVectors(ctx, &v, x, weights, opt)
		if (err == nil) != (errVectors == nil) || rao.HasModel(err) != rao.HasModel(errVectors) {
			t.Fatalf("%s: %v and %v", name, err, errVectors)
		}
		if !mat.Equal(got, want) || report.Passes != rep.Passes {
			t.Errorf("%s: the mean is another", name)
		}
		testkit.NoError(t, TangentVectors(ctx, &vectors, x, want))
		testkit.Close(t, name, v.RawMatrix().Data, vectors.RawMatrix().Data, 1e-12)
	}
	var v, w mat.Dense
	old := runtime.GOMAXPROCS(1)
	_, _, err1 := MeanVectors(ctx, &v, x, nil, MeanOptions{})
	runtime.GOMAXPROCS(8)
	_, _, err2 := MeanVectors(ctx, &w, x, nil, MeanOptions{})
	runtime.GOMAXPROCS(old)
	if err1 != nil || err2 != nil || !slices.Equal(v.RawMatrix().Data, w.RawMatrix().Data) {
		t.Errorf("the number of workers tells (%v, %v)", err1, err2)
	}
	if _, _, err := MeanVectors(testkit.Canceled(), &v, x, nil, MeanOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	bad := x.Select(indices.Range(x.Count))
	bad.At(40)[0] = -1
	if _, _, err := MeanVectors(ctx, &v, bad, nil, MeanOptions{}); err == nil {
		t.Error("an indefinite matrix went through")
	}
}

// If one matrix has no logarithm, the error names it, and a function in place leaves all matrices unchanged.
func TestFunctionInPlaceNamesTheMatrix(t *testing.T) {
	x := randomSPD(rand.New(rand.NewPCG(6, 6)), 5, 6)
	x.At(3)[0] = -50
	before := slices.Clone(x.Data)
	err := Log(x, x)
	wants(t, err, "matrix 3", "not positive definite")
	testkit.EqualSlices(t, x.Data, before, "the matrices were written")
	wants(t, LogMap(x, Riemann, x, mat.NewSymDense(6, vec.Identity(6))), "matrix 3", "not positive definite")
	testkit.EqualSlices(t, x.Data, before, "the logarithmic map wrote the matrices")
}
