package dataset

import (
	"math"
	"strings"
	"testing"

	"rao/internal/format/ndarray"
	"rao/internal/testkit"
)

func TestStacks(t *testing.T) {
	check := func(what string, d *Data) {
		t.Helper()
		if d.Stack == nil || d.X != nil || d.Stack.Count != 5 || d.Stack.Dim != 3 || d.Image != [3]int{} {
			t.Fatalf("%s: %+v", what, d)
		}
		testkit.NoError(t, d.Stack.Validate())
		if a := d.Stack.At(4); a[2*3+1] != 421 || a[1*3+2] != 421 {
			t.Errorf("%s: matrix 4 is %v", what, a)
		}
	}
	a := stackOf(5, 3)
	check("count first", open(t, npz(t, a), OpenOptions{}))
	last := Array{Name: "X", Shape: []int{3, 3, 5}, Fortran: true, Float64: a.Float64} // symmetric: the same bytes
	check("count last, column-major", open(t, npz(t, last), OpenOptions{}))
	check("count last, row-major", open(t, npz(t, *ndarray.Contiguous(&last)), OpenOptions{}))
	single := Array{Name: "X", Shape: []int{5, 3, 3}, Float32: make([]float32, 45)}
	for i, v := range a.Float64 {
		single.Float32[i] = float32(v)
	}
	check("float32", open(t, npz(t, single), OpenOptions{}))

	rounded := stackOf(5, 3)
	rounded.Float64[4*9+2*3+1] += 1e-9
	d := open(t, npz(t, rounded), OpenOptions{})
	if m := d.Stack.At(4); m[2*3+1] != m[1*3+2] {
		t.Error("a rounding difference was not evened out")
	}
	lopsided := stackOf(5, 3)
	lopsided.Float64[2*9+1*3] = -7
	refused(t, "asymmetric", npz(t, lopsided), OpenOptions{}, "4 of 5 matrices are symmetric, but matrix 2 is not "+
		"symmetric: row 1, column 0 differs from its mirror by 217")
	lopsided.Float64[2*9+1*3] = math.NaN()
	refused(t, "half NaN", npz(t, lopsided), OpenOptions{}, "matrix 2 is NaN at row 1, column 0")
	lopsided.Float64[2*9+3*0+1] = math.NaN() // both: for the diagnosis to report
	if d := open(t, npz(t, lopsided), OpenOptions{}); d.Stack == nil ||
		!strings.Contains(d.Check().Error(), "matrix 2 is NaN at row 0, column 1") {
		t.Errorf("NaN channel: %v", d.Check())
	}
}

// A command that examines matrices reads them unchanged: one or many, symmetric or not.
func TestMatricesAsTheyAre(t *testing.T) {
	a := stackOf(3, 2)
	a.Float64[1], a.Float64[5], a.Float64[9] = -3, math.NaN(), math.Inf(1)
	for what, src := range map[string]Array{
		"a stack":    a,
		"one matrix": {Name: "X", Shape: []int{2, 2}, Float64: []float64{1, 2, 3, 4}},
	} {
		d := open(t, npz(t, src), OpenOptions{Matrices: true})
		if d.Stack == nil || d.Stack.Dim != 2 {
			t.Fatalf("%s: %+v", what, d)
		}
		for i, v := range d.Stack.Contiguous() {
			if w := src.Float64[i]; v != w && !math.IsNaN(w) {
				t.Errorf("%s: value %d is %g, was %g", what, i, v, w)
			}
		}
	}
	if d := open(t, npz(t, a), OpenOptions{}); d.Stack != nil {
		t.Error("mostly asymmetric matrices were taken for a stack")
	}
	if d := open(t, npz(t, xArray), OpenOptions{Matrices: true}); d.Stack != nil {
		t.Error("a table was taken for a stack")
	}
}

func TestImagesAreNotStacks(t *testing.T) {
	a := stackOf(6, 4)
	for i := range a.Float64 {
		a.Float64[i] = float64(i)
	}
	d := open(t, npz(t, a), OpenOptions{})
	if d.X == nil || d.Image != [3]int{4, 4, 1} || d.X.At(1, 1) != 17 {
		t.Errorf("square images: %+v", d)
	}
	// rows×columns×N, column-major as MATLAB has it: pixel (i,j) of image k.
	m := Array{Name: "X", Shape: []int{2, 3, 7}, Fortran: true, Float64: make([]float64, 42)}
	for k := range 7 {
		for j := range 3 {
			for i := range 2 {
				m.Float64[(k*3+j)*2+i] = float64(100*k + 10*i + j)
			}
		}
	}
	y := Array{Name: "y", Shape: []int{7}, Int64: make([]int64, 7)}
	d = open(t, npz(t, m, y), OpenOptions{})
	for k := range 7 {
		for p := range 6 {
			if want := float64(100*k + 10*(p/3) + p%3); d.X.At(k, p) != want {
				t.Fatalf("image %d, pixel %d is %g, want %g", k, p, d.X.At(k, p), want)
			}
		}
	}
	testkit.Equal(t, d.Image, [3]int{2, 3, 1}, "image")
	color := Array{Name: "X", Shape: []int{3, 2, 2, 3}, Float32: make([]float32, 36)}
	if d = open(t, npz(t, color), OpenOptions{}); d.Image != [3]int{2, 2, 3} || d.N() != 3 {
		t.Errorf("color: %+v", d)
	}
}

// Images and rows that are not images have the same numbers of columns, but cannot be joined.
func TestConcatNamesImages(t *testing.T) {
	images, rows := &Data{X: NewTable(1, 4, make([]float64, 4)), Image: [3]int{2, 2, 1}},
		&Data{X: NewTable(1, 4, make([]float64, 4))}
	testkit.ErrorContains(t, testkit.ErrorOf(Concat([]*Data{images, rows}, []string{"a", "b"})),
		"only one of them has images; give images in both, or in neither")
	wide := &Data{X: NewTable(1, 4, make([]float64, 4)), Image: [3]int{1, 4, 1}}
	testkit.ErrorContains(t, testkit.ErrorOf(Concat([]*Data{images, wide}, []string{"a", "b"})),
		"images of shape 2×2×1, but the second has images of shape 1×4×1")
}
