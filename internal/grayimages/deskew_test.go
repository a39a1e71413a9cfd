package grayimages

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/internal/testkit"
	_ "rao/sets"
)

// images64 wraps images of rows×cols pixels, one after the other.
func images64(rows, cols int, pixels ...float64) *dataset.Data {
	return &dataset.Data{Source: "images", X: dataset.NewTable(len(pixels)/(rows*cols), rows*cols, pixels),
		Image: [3]int{rows, cols, 1}}
}

func values(d *dataset.Data) []float64 {
	_, _, x, _ := d.X.RawRows()
	return x
}

func singles(d *dataset.Data) []float32 {
	_, x, _, _ := d.X.RawRows()
	return x
}

func deskewed(t *testing.T, d *dataset.Data) []float64 {
	t.Helper()
	out := testkit.Must(Deskew(context.Background(), d, DeskewOptions{}))(t)
	return values(out)
}

// stroke draws a soft stroke, 255 exp(-(r/6)²-(c/3)²), that leans by slope columns per row.
func stroke(row, col, slope float64) []float64 {
	x := make([]float64, 28*28)
	for r := range 28 {
		for c := range 28 {
			a, b := (float64(r)-row)/6, (float64(c)-col-slope*(float64(r)-row))/3
			if v := 255 * math.Exp(-a*a-b*b); v > 1 {
				x[r*28+c] = math.Round(v)
			}
		}
	}
	return x
}

// blot draws random gray values in the middle half of the frame.
func blot(rng *rand.Rand, rows, cols int) []float64 {
	x := make([]float64, rows*cols)
	for r := rows / 4; r < rows-rows/4; r++ {
		for c := cols / 4; c < cols-cols/4; c++ {
			x[r*cols+c] = float64(rng.IntN(256))
		}
	}
	return x
}

func momentsOf(rows, cols int, x []float64) (row, col, varRow, cov, mass float64) {
	w := newDeskewer(rows, cols)
	for i, v := range x {
		w.image[i] = v
		mass += v
	}
	row, col, varRow, cov, _ = w.moments()
	return row, col, varRow, cov, mass
}

func largestDifference(a, b []float64) float64 {
	most := 0.0
	for i := range a {
		most = max(most, math.Abs(a[i]-b[i]))
	}
	return most
}

// Upright, centered images do not change, to the last bit: a bar, a frame, a constant image and an empty image.
func TestDeskewLeavesUprightImages(t *testing.T) {
	for name, d := range map[string]*dataset.Data{
		"bar":      images64(4, 4, 0, 7, 7, 0, 0, 7, 7, 0, 0, 7, 7, 0, 0, 7, 7, 0),
		"level":    images64(3, 3, 0, 0, 0, 5, 5, 5, 0, 0, 0),
		"frame":    images64(3, 4, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1),
		"constant": images64(5, 2, slices.Repeat([]float64{0.25}, 10)...),
		"nothing":  images64(2, 3, make([]float64, 6)...),
		"point":    images64(1, 1, 9),
		"huge":     images64(1, 3, 1e308, 1.7e308, 1e308),
		"tiny":     images64(3, 1, 0, 5e-324, 0),
	} {
		testkit.EqualSlices(t, deskewed(t, d), values(d), name)
	}
}

// A single pixel moves to the center, and is distributed over four pixels if the center is between them.
func TestDeskewOfAPoint(t *testing.T) {
	x := make([]float64, 12)
	x[0] = 8
	testkit.EqualSlices(t, deskewed(t, images64(3, 4, x...)), []float64{0, 0, 0, 0, 0, 4, 4, 0, 0, 0, 0, 0})
	x = make([]float64, 16)
	x[15] = 8
	if got, want := deskewed(t, images64(4, 4, x...)), []float64{0, 0, 0, 0, 0, 2, 2, 0, 0, 2, 2, 0, 0, 0, 0,
		0}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// A slanted line of three points becomes upright. The expected values were computed by hand.
func TestDeskewOfALine(t *testing.T) {
	got := deskewed(t, images64(3, 3,
		0, 0, 1,
		0, 1, 0,
		1, 0, 0))
	testkit.EqualSlices(t, got, []float64{0, 1, 0, 0, 1, 0, 0, 1, 0})
}

// Slanted strokes that are off center become the upright stroke in the center, up to the error of linear interpolation,
// an eighth of the second derivative.
func TestDeskewUndoesAShear(t *testing.T) {
	want := stroke(13.5, 13.5, 0)
	for _, slope := range []float64{-0.8, -0.3, 0, 0.5, 1} {
		leaning := stroke(12, 15, slope)
		got := deskewed(t, images64(28, 28, leaning...))
		before, after := largestDifference(leaning, want), largestDifference(got, want)
		t.Logf("slope %g: largest difference from the upright stroke %.1f, deskewed %.1f", slope, before, after)
		most := 2 * 255 / 8. * (1/9. + 1/36. + slope*slope/9)
		if after > most+1 { // values are integers
			t.Errorf("slope %g: differs from the upright stroke by %.1f, more than %.1f", slope, after, most)
		}
	}
}

// After deskewing, the mean is in the center, rows and columns are uncorrelated, the mass is unchanged, and deskewing
// again changes nothing. This holds up to rounding, for images of any kind and size that stay within the frame.
func TestDeskewedMoments(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][2]int{{28, 28}, {28, 28}, {17, 40}, {40, 17}, {9, 8}} {
		rows, cols := size[0], size[1]
		x := blot(rng, rows, cols)
		if rows == 28 {
			x = stroke(12+3*rng.Float64(), 12+3*rng.Float64(), 2*rng.Float64()-1)
			clear(x[:5*28]) // room to move
			clear(x[23*28:])
		}
		_, _, varRow, _, mass := momentsOf(rows, cols, x)
		got := deskewed(t, images64(rows, cols, x...))
		row, col, _, cov, after := momentsOf(rows, cols, got)
		if math.Abs(row-float64(rows-1)/2) > 1e-12 || math.Abs(col-float64(cols-1)/2) > 1e-12 ||
			math.Abs(cov) > 1e-12*varRow {
			t.Errorf("%v: mean (%.15g, %.15g), covariance %g", size, row, col, cov)
		}
		testkit.Near(t, after, mass, 1e-12*mass, size, "mass")
		again := deskewed(t, images64(rows, cols, slices.Clone(got)...))
		if d := largestDifference(again, got); d > 1e-9 {
			t.Errorf("%v: a second time changes values by %g", size, d)
		}
	}
}

// A row can be shifted by any number of pixels, as in the definition, and zeros enter at its end.
func TestSlide(t *testing.T) {
	src := []float64{3, 1, 4, 1, 5}
	at := func(i int) float64 {
		if i < 0 || i >= len(src) {
			return 0
		}
		return src[i]
	}
	dst := make([]float64, len(src))
	for _, by := range []float64{0, 0.25, 0.5, 1, 1.75, 3, 4.5, 4.99, 5, 6, 1e300, -0.25, -1, -1.5, -2.75, -4, -4.75,
		-5, -7, -1e300, math.NaN()} {
		slide(dst, src, by)
		for c, v := range dst {
			k, want := int(math.Floor(by)), 0.0
			if math.Abs(by) < 1e9 {
				want = at(c+k) + (by-math.Floor(by))*(at(c+k+1)-at(c+k))
			}
			testkit.Equal(t, v, want, "by", by, "place", c)
		}
	}
}

// The values of every image stay between 0 and its largest value. Multiplying the input by a power of two multiplies
// the output by the same factor.
func TestDeskewKeepsTheRange(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		rows, cols := 1+rng.IntN(12), 1+rng.IntN(12)
		x := make([]float64, rows*cols)
		for i := range x {
			if rng.IntN(3) == 0 {
				x[i] = math.Exp(20 * rng.NormFloat64())
			}
		}
		most := slices.Max(x)
		got := deskewed(t, images64(rows, cols, x...))
		for i, v := range got {
			if !(v >= 0 && v <= most*(1+1e-15)) {
				t.Fatalf("%d×%d: pixel %d is %g, the largest was %g", rows, cols, i, v, most)
			}
		}
		for i := range x {
			x[i] *= 1024
		}
		for i, v := range deskewed(t, images64(rows, cols, x...)) {
			if v != 1024*got[i] {
				t.Fatalf("pixel %d is %g at 1024 times the values, was %g", i, v, got[i])
			}
		}
	}
}

// Deskewed real digits keep single precision, labels and classes, and lean less. The input does not change, and the
// bits are the same with any number of processors.
func TestDeskewDigits(t *testing.T) {
	d := testkit.Must(dataset.Open(t.Context(), "digits", dataset.OpenOptions{}))(t)
	before := slices.Clone(singles(d))
	var first *dataset.Data
	testkit.SameAtAnyProcs(t, func() []float64 {
		first = testkit.Must(Deskew(context.Background(), d, DeskewOptions{Rows: 8, Cols: 8}))(t)
		return mat.DenseCopyOf(first.X).RawMatrix().Data
	})
	testkit.EqualSlices(t, before, singles(d), "the data were written")
	if singles(first) == nil || first.Image != d.Image || !slices.Equal(first.Labels, d.Labels) ||
		!slices.Equal(first.Classes, d.Classes) {
		t.Errorf("float32 %v, image %v, %d labels, classes %v",
			singles(first) != nil, first.Image, len(first.Labels), first.Classes)
	}
	var leaning, upright float64 // mean squares of the slope
	x := make([]float64, 64)
	lean := func(d *dataset.Data, i int) float64 {
		d.X.Row(x, i)
		_, _, varRow, cov, _ := momentsOf(8, 8, x)
		return (cov / varRow) * (cov / varRow) / float64(d.N())
	}
	for i := range d.N() {
		leaning += lean(d, i)
		upright += lean(first, i)
	}
	t.Logf("mean square of the slope: %.4f, deskewed %.5f", leaning, upright)
	if upright > leaning/10 { // not nothing: these digits fill their frame, and parts leave it
		t.Errorf("mean square of the slope %g, was %g", upright, leaning)
	}
}

func TestDeskewRefuses(t *testing.T) {
	plain := &dataset.Data{Source: "rows.csv", X: dataset.NewTable(1, 6, make([]float64, 6))}
	for _, c := range []struct {
		d    *dataset.Data
		opt  DeskewOptions
		want string
	}{
		{&dataset.Data{Source: "m.npz"}, DeskewOptions{}, "m.npz: the data are matrices"},
		{plain, DeskewOptions{}, "rows.csv: the size of the images in the 6 columns is unknown"},
		{plain, DeskewOptions{Rows: 2, Cols: 2}, "6 columns, which do not match images of 2×2"},
		{plain, DeskewOptions{Rows: 4, Cols: 1}, "6 columns, which do not match images of 4×1"},
		{plain, DeskewOptions{Rows: math.MaxInt, Cols: math.MaxInt}, "do not match images of"},
		{plain, DeskewOptions{Rows: 2}, "give positive numbers"},
		{plain, DeskewOptions{Rows: -2, Cols: -3}, "give positive numbers"},
		{images64(2, 3, make([]float64, 6)...), DeskewOptions{Rows: 3, Cols: 2},
			"have 2×3 pixels, but the given size is 3×2"},
		{&dataset.Data{Source: "c", X: plain.X, Image: [3]int{1, 2, 3}}, DeskewOptions{}, "3 channels"},
		{&dataset.Data{Source: "wrong", X: plain.X, Image: [3]int{2, 2, 1}}, DeskewOptions{},
			"6 columns, which do not match images of 2×2"},
		{images64(2, 2, 0, 0, 0, 0, 1, 2, -3, 4), DeskewOptions{}, "image 1 has the value -3 in row 1, column 0"},
	} {
		if out, err := Deskew(context.Background(), c.d, c.opt); out != nil || err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.opt, err, c.want)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		x := make([]float64, 4*300)
		x[4*200+2] = v
		var e *rao.ValueError
		if _, err := Deskew(context.Background(), images64(2, 2, x...), DeskewOptions{}); !errors.As(err, &e) ||
			e.Row != 200 || e.Col != 2 {
			t.Errorf("%g: %v", v, err)
		}
	}
	ctx := testkit.Canceled()
	if _, err := Deskew(ctx, images64(2, 2, 1, 2, 3, 4), DeskewOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func BenchmarkDeskew(b *testing.B) {
	const n = 1000
	one := stroke(12, 15, 0.5)
	x := make([]float32, 0, n*len(one))
	for range n {
		for _, v := range one {
			x = append(x, float32(v))
		}
	}
	d := &dataset.Data{Source: "strokes", X: dataset.NewTable(n, len(one), x), Image: [3]int{28, 28, 1}}
	for b.Loop() {
		testkit.Must(Deskew(context.Background(), d, DeskewOptions{}))(b)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/image")
}
