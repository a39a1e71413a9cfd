package descriptors

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// photograph returns n random gray images of the shape.
func photograph(n int, s Shape) *mat.Dense {
	rng := rand.New(rand.NewPCG(9, 2))
	x := mat.NewDense(n, s.Rows*s.Cols, nil)
	x.Apply(func(_, j int, _ float64) float64 { return 100 + 20*rng.NormFloat64() + float64(j%s.Cols) }, x)
	return x
}

// The Gaussian descriptor contains the covariance descriptor and the means, here computed directly, for entire images
// and for overlapping windows.
func TestGaussianDescriptor(t *testing.T) {
	s := Shape{Rows: 12, Cols: 10, Channels: 1}
	x := photograph(2, s)
	for _, opt := range []Options{{}, {WindowRows: 6, WindowCols: 6, StepRows: 3, StepCols: 2},
		{Features: Features11(), Smooth: 1}} {
		plain := testkit.Must(Describe(context.Background(), x, s, opt))(t)
		opt.Gaussian = true
		with := testkit.Must(Describe(context.Background(), x, s, opt))(t)
		d := plain.Dim
		if with.Dim != d+1 || with.Count != plain.Count {
			t.Fatalf("%d matrices of order %d beside %d of order %d", with.Count, with.Dim, plain.Count, d)
		}
		for k := range plain.Count {
			a, b := plain.At(k), with.At(k)
			got := make([]float64, d*d)
			for i := range d {
				for j := range d {
					got[i*d+j] = b[i*(d+1)+j] - b[i*(d+1)+d]*b[d*(d+1)+j]
				}
			}
			testkit.Close(t, "covariance", got, a, 1e-9)
			if b[len(b)-1] != 1 {
				t.Fatalf("the corner is %g", b[len(b)-1])
			}
		}
	}
	whole := testkit.Must(Describe(context.Background(), x, s, Options{Gaussian: true}))(t)
	sum := 0.0
	for _, v := range x.RawRowView(0) {
		sum += v / float64(s.Rows*s.Cols)
	}
	m := whole.At(0)
	testkit.Close(t, "means of x, y and I", []float64{m[5], m[6+5], m[12+5]}, []float64{4.5, 5.5, sum}, 1e-12)
	testkit.ErrorContains(t, testkit.ErrorOf(Describe(context.Background(), x, s, Options{Smooth: -1})), "smoothing",
		"smoothing by -1 pixels")
}

// On a plane x + 2y the slope is √5 and all second differences are zero. Smoothing preserves a constant, and the sum of
// a mirrored line.
func TestFiltersOnPlanes(t *testing.T) {
	s := Shape{Rows: 9, Cols: 7, Channels: 1}
	plane, out := make([]float64, 63), make([]float64, 63)
	for p := range plane {
		plane[p] = float64(p%7) + 2*float64(p/7)
	}
	slope(out, plane, s)
	for _, v := range out {
		testkit.Close(t, "slope", []float64{v}, []float64{math.Sqrt(5)}, 1e-14)
	}
	mixedDifference(out, plane, s)
	for _, v := range out {
		if math.Abs(v) > 1e-14 {
			t.Fatalf("mixed difference %g of a plane", v)
		}
	}
	for p := range plane {
		plane[p] = float64(p%7) * float64(p/7)
	}
	mixedDifference(out, plane, s)
	for _, v := range out {
		testkit.Close(t, "mixed difference of xy", []float64{v}, []float64{1}, 1e-13)
	}
	smooth(out, plane, s, 2)
	before, after := 0.0, 0.0
	for p := range plane {
		before, after = before+plane[p], after+out[p]
	}
	testkit.Close(t, "sum", []float64{after}, []float64{before}, 1e-12)
	for want, i := range map[int]int{0: -1, 2: -3, 6: 7, 4: 9} {
		testkit.Equal(t, mirrored(i, 7), want, "index", i, "of 7 is mirrored to")
	}
	f := testkit.Must(ParseFeatures("11x11"))(t)
	testkit.Equal(t, len(f), 11, "11x11:", f)
}
