package descriptors

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// exact are options without a ridge.
var exact = Options{Ridge: -1}

func randomImages(seed uint64, n int, s Shape) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, s.Rows*s.Cols*s.Channels, nil)
	raw := x.RawMatrix().Data
	for i := range raw {
		raw[i] = float64(rng.IntN(256))
	}
	return x
}

func TestImagesAgreeWithNumpy(t *testing.T) {
	var gold struct {
		Gray      []float64 `json:"grey"`
		Color     []float64 `json:"colour"`
		GreyCov   []float64 `json:"grey_cov"`
		ColourCov []float64 `json:"colour_cov"`
	}
	testkit.ReadJSON(t, "testdata/images.json", &gold)
	gray := testkit.Must(Describe(context.Background(), mat.NewDense(1, 42, gold.Gray), Shape{6, 7, 1}, exact))(t)
	testkit.Close(t, "5×5", gray.At(0), gold.GreyCov, 1e-13)
	color := testkit.Must(Describe(context.Background(), mat.NewDense(1, 120, gold.Color), Shape{5, 8, 3}, exact))(t)
	testkit.Close(t, "9×9", color.At(0), gold.ColourCov, 1e-13)

	planar := make([]float64, 120)
	for p := range 40 {
		for ch := range 3 {
			planar[ch*40+p] = gold.Color[3*p+ch]
		}
	}
	opt := exact
	opt.Planar = true
	again := testkit.Must(Describe(context.Background(), mat.NewDense(1, 120, planar), Shape{5, 8, 3}, opt))(t)
	testkit.Close(t, "planar", again.At(0), color.At(0), 0)
}

// Overlapping windows are computed from integral images; a window cut out as a separate image has the same covariance
// of x, y and I.
func TestOverlappingWindowsEqualCutOutImages(t *testing.T) {
	s := Shape{12, 15, 1}
	x := randomImages(5, 2, s)
	opt := Options{Features: []Feature{FeatureX, FeatureY, Intensity}, WindowRows: 6, WindowCols: 5,
		StepRows: 3, StepCols: 2, Ridge: -1}
	got := testkit.Must(Describe(context.Background(), x, s, opt))(t)
	if n, _ := opt.Windows(s); n != 3*6 || got.Count != 2*n {
		t.Fatalf("%d windows, %d descriptors, want 18 and 36", n, got.Count)
	}
	k := 0
	for i := range 2 {
		for r := range 3 {
			for c := range 6 {
				cut := mat.NewDense(1, 30, nil)
				for p := range 30 {
					cut.Set(0, p, x.At(i, (3*r+p/5)*15+2*c+p%5))
				}
				want := testkit.Must(Describe(context.Background(), cut, Shape{6, 5, 1},
					Options{Features: opt.Features, Ridge: -1}))(t)
				testkit.Close(t, "window", got.At(k), want.At(0), 1e-12)
				k++
			}
		}
	}
}

func TestImagesMetamorphic(t *testing.T) {
	s := Shape{9, 9, 1}
	x := randomImages(7, 3, s)
	base := testkit.Must(Describe(context.Background(), x, s, exact))(t)
	d := 5
	t.Run("brighter images have the same descriptor", func(t *testing.T) {
		y := mat.DenseCopyOf(x)
		y.Apply(func(_, _ int, v float64) float64 { return v + 64 }, y)
		got, _ := Describe(context.Background(), y, s, exact)
		testkit.Close(t, "shift", got.Data, base.Data, 1e-12)
	})
	t.Run("contrast is a congruence", func(t *testing.T) {
		y := mat.DenseCopyOf(x)
		y.Scale(2, y)
		got, _ := Describe(context.Background(), y, s, exact)
		scale := []float64{1, 1, 2, 2, 2}
		want := slices.Clone(base.Data)
		for i := range want {
			want[i] *= scale[i/d%d] * scale[i%d]
		}
		testkit.Close(t, "contrast", got.Data, want, 1e-12)
	})
	t.Run("transposed images exchange x and y", func(t *testing.T) {
		y := mat.NewDense(3, 81, nil)
		for i := range 3 {
			for p := range 81 {
				y.Set(i, p%9*9+p/9, x.At(i, p))
			}
		}
		got, _ := Describe(context.Background(), y, s, exact)
		perm := []int{1, 0, 2, 4, 3}
		want := make([]float64, len(base.Data))
		for k := range 3 {
			for i := range d {
				for j := range d {
					want[(k*d+i)*d+j] = base.At(k)[perm[i]*d+perm[j]]
				}
			}
		}
		testkit.Close(t, "transpose", got.Data, want, 1e-12)
	})
	t.Run("the ridge adds to the diagonal", func(t *testing.T) {
		got, _ := Describe(context.Background(), x, s, Options{Ridge: 0.1})
		want := slices.Clone(base.Data)
		for k := range 3 {
			tr := 0.0
			for i := range d {
				tr += base.At(k)[i*d+i]
			}
			for i := range d {
				want[k*d*d+i*d+i] += 0.1 * tr / 5
			}
		}
		testkit.Close(t, "ridge", got.Data, want, 1e-14)
	})
}

func TestImagesSameBitsAtAnyProcs(t *testing.T) {
	s := Shape{16, 16, 3}
	x := randomImages(9, 23, s)
	opt := Options{WindowRows: 8, WindowCols: 8, StepRows: 4, StepCols: 4}
	testkit.SameAtAnyProcs(t, func() []float64 {
		return testkit.Must(Describe(context.Background(), x, s, opt))(t).Data
	})
}

func TestImagesFloat32RowsEqualFloat64(t *testing.T) {
	s := Shape{6, 6, 1}
	x := randomImages(11, 4, s)
	want, _ := Describe(context.Background(), x, s, exact)
	// The matrix, which is read one element at a time, has other values.
	rows := testkit.StoredRows{Matrix: mat.NewDense(4, 36, nil), Narrow: testkit.Singles(x.RawMatrix().Data)}
	got := testkit.Must(Describe(context.Background(), rows, s, exact))(t)
	testkit.Close(t, "float32", got.Data, want.Data, 0)
}

func TestImagesRefuse(t *testing.T) {
	gray := Shape{4, 4, 1}
	good := randomImages(1, 2, gray)
	nan := mat.DenseCopyOf(good)
	nan.Set(1, 5, math.NaN())
	flat := mat.DenseCopyOf(good)
	flat.Apply(func(_, _ int, _ float64) float64 { return 3 }, flat)
	cases := []struct {
		name string
		x    mat.Matrix
		s    Shape
		opt  Options
		want string
	}{
		{"NaN", nan, gray, Options{}, "image 1: value 5 is NaN"},
		{"flat", flat, gray, exact, "image 0, window at row 0, column 0: the descriptor is not positive definite at " +
			"feature I"},
		{"color of gray", good, gray, Options{Features: Features9()}, "feature R needs color images"},
		{"twice", good, gray, Options{Features: []Feature{AbsIx, AbsIx}}, "|Ix| is listed twice"},
		{"none", good, gray, Options{Features: []Feature{}}, "the list of image features is empty"},
		{"shape", good, Shape{4, 2, 2}, Options{}, "channels 1 or 3"},
		{"window", good, gray, Options{WindowRows: 5, WindowCols: 2}, "do not fit"},
		{"small window", good, gray, Options{WindowRows: 2, WindowCols: 2}, "too small"},
		{"step", good, gray, Options{StepRows: -1}, "must be positive"},
		{"ridge", good, gray, Options{Ridge: math.Inf(1)}, "ridge is +Inf"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Describe(context.Background(), c.x, c.s, c.opt)
			testkit.ErrorContains(t, err, c.want)
		})
	}
	testkit.NoError(t, testkit.ErrorOf(Describe(context.Background(), flat, gray, Options{})),
		"the default ridge should repair a flat image")
	if _, err := Describe(testkit.Canceled(), good, gray, Options{}); err != context.Canceled {
		t.Errorf("canceled: %v", err)
	}
}

func TestParseFeatures(t *testing.T) {
	for spec, want := range map[string][]Feature{
		"5x5": Features5(), "9x9": Features9(),
		"x, y, I, |Ix|, |Iy|": Features5(),
		"i,ixx,|iyy|":         {Intensity, AbsIxx, AbsIyy},
	} {
		got := testkit.Must(ParseFeatures(spec))(t)
		testkit.EqualSlices(t, got, want, fmt.Sprintf("%q", spec))
	}
	for spec, want := range map[string]string{
		"x,z": `unknown image feature "z"`, "": "unknown image feature", "R,R": "listed twice"} {
		testkit.ErrorContains(t, testkit.ErrorOf(ParseFeatures(spec)), want, spec)
	}
}

func BenchmarkImages(b *testing.B) {
	s := Shape{128, 128, 1}
	x := randomImages(2, 32, s)
	b.SetBytes(32 * 128 * 128)
	for b.Loop() {
		testkit.Must(Describe(context.Background(), x, s, Options{}))(b)
	}
}
