package descriptors

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// fewPatches are options that make learning fast.
var fewPatches = PatchOptions{Count: 5, Size: 3, Sample: 800, Rounds: 4, Seed: 2}

func learnedOn(t *testing.T, x *mat.Dense, s Shape, opt PatchOptions) *Patches {
	t.Helper()
	return testkit.Must(LearnPatches(context.Background(), x, s, false, opt))(t)
}

// The planes of features follow the formula, computed from the exported fields.
func TestResponsesAreTheFormula(t *testing.T) {
	s := Shape{9, 8, 3}
	x := randomImages(3, 20, s)
	p := learnedOn(t, x, s, fewPatches)
	got := testkit.Must(Describe(context.Background(), x, s, Options{Patches: p, Gaussian: true, Ridge: -1}))(t)
	const rows, cols, k, d = 7, 6, 5, 27
	pixel := func(r, c, ch int) float64 { return x.At(4, (r*8+c)*3+ch) }
	var f [k][]float64
	for r := range rows {
		for c := range cols {
			var patch []float64
			for ch := range 3 {
				for i := range 3 {
					for j := range 3 {
						patch = append(patch, pixel(r+i, c+j, ch))
					}
				}
			}
			mean, variance := 0.0, 0.0
			for _, v := range patch {
				mean += v / d
			}
			for _, v := range patch {
				variance += (v - mean) * (v - mean) / d
			}
			for q := range k {
				sum := -p.Offsets[q]
				for i, v := range patch {
					sum += p.Filters[i*k+q] * (v - mean) / math.Sqrt(variance+10)
				}
				f[q] = append(f[q], math.Copysign(max(math.Abs(sum)-0.5, 0), sum))
			}
		}
	}
	want := make([]float64, (k+1)*(k+1))
	mean := func(v []float64) (m float64) {
		for _, x := range v {
			m += x / float64(len(v))
		}
		return m
	}
	for a := range k {
		for b := range k {
			ma, mb, cov := mean(f[a]), mean(f[b]), 0.0
			for i := range f[a] {
				cov += (f[a][i] - ma) * (f[b][i] - mb) / (rows*cols - 1)
			}
			want[a*(k+1)+b] = cov + ma*mb
			want[a*(k+1)+k], want[k*(k+1)+a] = ma, ma
		}
	}
	want[len(want)-1] = 1
	testkit.Close(t, "descriptor", got.At(4), want, 1e-10)
}

// The mean of each patch is subtracted, so brighter images give the same filters and descriptors.
func TestBrightnessDoesNotMatter(t *testing.T) {
	s := Shape{10, 10, 1}
	x := randomImages(4, 15, s)
	bright := mat.DenseCopyOf(x)
	bright.Apply(func(_, _ int, v float64) float64 { return v + 64 }, bright)
	p, q := learnedOn(t, x, s, fewPatches), learnedOn(t, bright, s, fewPatches)
	testkit.Close(t, "filters", q.Filters, p.Filters, 1e-8)
	opt := Options{Patches: p, Regions: "whole,quadrants"}
	a := testkit.Must(Describe(context.Background(), x, s, opt))(t)
	b := testkit.Must(Describe(context.Background(), bright, s, opt))(t)
	testkit.Close(t, "descriptors", b.Data, a.Data, 1e-8)
}

func TestPatchesWorkersAndSeeds(t *testing.T) {
	s := Shape{12, 11, 1}
	x := randomImages(5, 30, s)
	want := learnedOn(t, x, s, fewPatches)
	d := &Describer{Shape: s, Options: Options{Patches: want, Gaussian: true, Regions: "center,grid:2x1"}}
	testkit.NoError(t, d.FitReferences(context.Background(), x))
	testkit.SameAtAnyProcs(t, func() []float64 {
		p := learnedOn(t, x, s, fewPatches)
		v := testkit.Must(d.Vectors(context.Background(), x))(t)
		return slices.Concat(p.Filters, p.Offsets, v.RawMatrix().Data)
	})
	other := fewPatches
	other.Seed++
	if slices.Equal(learnedOn(t, x, s, other).Filters, want.Filters) {
		t.Error("another seed learns the same filters")
	}
}

func TestPatchRefusals(t *testing.T) {
	ctx, s := context.Background(), Shape{8, 8, 1}
	x := randomImages(6, 10, s)
	p := learnedOn(t, x, s, fewPatches)
	bad := mat.DenseCopyOf(x)
	bad.Set(3, 7, math.NaN())
	learn := func(ctx context.Context, x mat.Matrix, o PatchOptions) error {
		_, err := LearnPatches(ctx, x, s, false, o)
		return err
	}
	take := func(o Options) error { _, err := Describe(ctx, x, s, o); return err }
	for want, err := range map[string]error{
		"flat":                        learn(ctx, mat.NewDense(4, 64, nil), PatchOptions{Size: 3}),
		"image 3":                     learn(ctx, bad, PatchOptions{Size: 3}),
		"do not fit images":           learn(ctx, x, PatchOptions{Size: 9}),
		"the number of filters is -1": learn(ctx, x, PatchOptions{Count: -1}),
		"floor of the patches is -1":  learn(ctx, x, PatchOptions{Floor: -1, Size: 3}),
		"canceled":                    learn(testkit.Canceled(), x, PatchOptions{Size: 3}),
		"features and smoothing":      take(Options{Patches: p, Smooth: 1}),
		"give only one":               take(Options{Regions: "whole", WindowRows: 4, WindowCols: 4}),
		"unknown region":              take(Options{Regions: "whole,quadrant"}),
		"at most one part per pixel":  take(Options{Regions: "grid:9x9"}),
		"too small":                   take(Options{Regions: "grid:4x4"}),
		"numbers for 0":               take(Options{Patches: &Patches{Size: 3, Channels: 1}}),
		"not finite": take(Options{Patches: &Patches{Size: 1, Channels: 1, Filters: []float64{math.Inf(1)},
			Offsets: []float64{0}, Floor: 1}}),
		"have 3 channels, but the ima": take(Options{Patches: &Patches{Size: 1, Channels: 3, Filters: make([]float64,
			3),
			Offsets: []float64{0}, Floor: 1}}),
	} {
		testkit.ErrorContains(t, err, want, "does not say")
	}
}
