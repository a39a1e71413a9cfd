package classifiers

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/indices"
	"rao/internal/testkit"
	"rao/spd"
)

// After the map, the differences between neighbors of one class have the same variance in all directions, up to the
// effect of the shrinkage.
func TestLocalWhiteningWhitensNeighbors(t *testing.T) {
	x, y := clusters(41, 40, 3, 3, 0.3)
	ctx := context.Background()
	w := testkit.Must(FitLocalWhitening(ctx, x, y, threeClasses, LocalWhiteningOptions{Shrinkage: 1e-9}))(t)
	testkit.NoError(t, w.Validate())
	var v, z mat.Dense
	testkit.NoError(t, w.Tangent.Vectors(context.Background(), &v, x))
	// the pairs from before the map
	d := testkit.Must(nearestDifferences(ctx, &v, indices.Groups(y, 3), 5))(t)
	z.Mul(d, w.Transform)
	n, p := z.Dims()
	c := mat.NewSymDense(p, nil)
	c.SymOuterK(1/float64(n), z.T())
	got, want := spd.StackFrom(c).Data, make([]float64, p*p)
	for i := range p {
		want[i*p+i] = c.At(0, 0)
	}
	testkit.Close(t, "covariance of neighbors", got, want, 1e-6)
	out := new(spd.Stack)
	testkit.NoError(t, w.Map(out, x))
	var logs, mapped mat.Dense
	testkit.NoError(t, spd.LogEuclid.Flat().Rows(context.Background(), &logs, out))
	mapped.Mul(&v, w.Transform)
	testkit.Close(t, "logarithms", logs.RawMatrix().Data, mapped.RawMatrix().Data, 1e-9)
	testkit.Close(t, "mean squared length", []float64{mat.Norm(&logs, 2)}, []float64{mat.Norm(&v, 2)}, 1e-9)
}

func TestLocalWhiteningWorkersAndRefusals(t *testing.T) {
	x, y := clusters(42, 40, 4, 3, 0.4)
	ctx := context.Background()
	var w *LocalWhitening
	testkit.SameAtAnyProcs(t, func() []float64 {
		w = testkit.Must(FitLocalWhitening(ctx, x, y, threeClasses, LocalWhiteningOptions{}))(t)
		return w.Transform.RawMatrix().Data
	})
	same := spd.NewStack(6, 2)
	for k := range same.Count {
		same.Set(k, mat.NewSymDense(2, []float64{2, 0, 0, 1}))
	}
	other, _ := clusters(43, 2, 5, 3, 0.4)
	for want, f := range map[string]func() error{
		"shrinkage 2": func() error {
			_, err := FitLocalWhitening(ctx, x, y, threeClasses, LocalWhiteningOptions{Shrinkage: 2})
			return err
		},
		"of each class are equal": func() error {
			_, err := FitLocalWhitening(ctx, same, []int{0, 1, 0, 1, 0, 1}, threeClasses[:2], LocalWhiteningOptions{})
			return err
		},
		"order 5": func() error { return w.Map(new(spd.Stack), other) },
		"missing": func() error { return (&LocalWhitening{}).Validate() },
		"transform": func() error {
			return (&LocalWhitening{Tangent: w.Tangent, Transform: mat.NewDense(2, 2, nil)}).Validate()
		},
	} {
		testkit.ErrorContains(t, f(), want)
	}
}
