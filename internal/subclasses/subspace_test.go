package subclasses

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/testkit"
)

// Classes that differ in a direction of little variance are separated in a subspace; principal components miss this
// direction.
func TestSubspaceHoldsDiscriminants(t *testing.T) {
	const n, each, classes = 12, 80, 4
	r := rand.New(rand.NewPCG(7, 7))
	x, labels := mat.NewDense(classes*each, n, nil), make([]int, classes*each)
	for i := range labels {
		labels[i] = i % classes
		for j := range n - 1 {
			x.Set(i, j, 10*r.NormFloat64())
		}
		x.Set(i, n-1, float64(labels[i])+0.1*r.NormFloat64())
	}
	names := []string{"a", "b", "c", "d"}
	s := testkit.Must(Estimate(context.Background(), RowsOf(x, labels, names), Options{Most: 1, Subspace: 4}))(t)
	if _, d := s.Basis.Dims(); d != 4 || len(s.Of) != classes {
		t.Fatalf("%d dimensions and %d Gaussians", d, len(s.Of))
	}
	norm := 0.0
	for j := range 4 {
		v := s.Basis.Components.At(n-1, j)
		norm += v * v
	}
	if norm < 0.999 {
		t.Errorf("the subspace holds %.3f of the direction that tells the classes apart", norm)
	}
	want := testkit.Must(gaussian.Estimate(x, labels, names))(t)
	want = want.Affine(s.Basis.Center, []float64{1}).Project(s.Basis.Components)
	for i, v := range want.Covariances {
		testkit.Near(t, s.Components.Covariances[i], v, 1e-9*(1+math.Abs(v)), "covariance value", i)
	}
}
