package descriptors

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
	"rao/recipe"
)

// The regions are the ones on the 27×27 places of a 6×6 patch in a 32×32 image.
func TestRegionsOfAnImage(t *testing.T) {
	got, err := regions("whole,quadrants, center", 27, 27)
	want := []rect{{0, 0, 27, 27}, {0, 0, 14, 14}, {0, 13, 14, 14}, {13, 0, 14, 14}, {13, 13, 14, 14}, {6, 6, 15, 15}}
	testkit.NoError(t, err)
	testkit.EqualSlices(t, got, want)
	covered := [70]int{}
	parts := testkit.Must(regions("grid:3x2", 10, 7))(t)
	for _, p := range parts {
		for r := p.top; r < p.top+p.rows; r++ {
			for c := p.left; c < p.left+p.cols; c++ {
				covered[r*7+c]++
			}
		}
	}
	testkit.Equal(t, slices.Min(covered[:]), 1, "a grid covers pixels", covered, "times")
	testkit.Equal(t, slices.Max(covered[:]), 1, "a grid covers pixels", covered, "times")
}

// A region gives the same descriptor as a window at its place.
func TestRegionsAreWindows(t *testing.T) {
	s := Shape{12, 8, 1}
	x := randomImages(8, 3, s)
	a := testkit.Must(Describe(context.Background(), x, s, Options{Regions: "grid:2x1"}))(t)
	b := testkit.Must(Describe(context.Background(), x, s, Options{WindowRows: 6, WindowCols: 8}))(t)
	testkit.EqualSlices(t, a.Data, b.Data, "the halves of an image differ from its windows")
}

// The angle is 0 if the image changes only along rows, and π/2 if it changes only along columns.
func TestDirectionOfTheGradient(t *testing.T) {
	s := Shape{3, 4, 1}
	w := newImageWork(s, Options{Features: []Feature{Direction}}, []rect{{0, 0, 3, 4}})
	for p := range w.gray {
		w.gray[p] = float64(p % 4)
	}
	got := make([]float64, 12)
	w.feature(got, Direction)
	testkit.Equal(t, slices.Max(got), 0, "along rows", got)
	for p := range w.gray {
		w.gray[p] = -float64(p / 4)
	}
	w.feature(got, Direction)
	testkit.Equal(t, slices.Min(got), math.Pi/2, "along columns", got)
}

// A recipe that is written to JSON and read again describes images with the same bits.
func TestDescriberComesBackFromItsRecipe(t *testing.T) {
	ctx, s := context.Background(), Shape{9, 9, 1}
	x := randomImages(9, 12, s)
	p := learnedOn(t, x, s, fewPatches)
	for _, d := range []*Describer{
		{Shape: s, Options: Options{Ridge: -1}},
		{Shape: s, Options: Options{WindowRows: 5, WindowCols: 6, StepRows: 2, Smooth: 1, Gaussian: true}},
		{Shape: s, Options: Options{Patches: p, Regions: "whole,grid:1x2", Gaussian: true}},
		{Shape: s, Options: Options{Features: []Feature{FeatureX, Direction, Intensity}, Regions: "quadrants"}},
	} {
		testkit.NoError(t, d.FitReferences(ctx, x))
		text := testkit.Must(json.Marshal(d.Recipe()))(t)
		r := testkit.Must(recipe.Parse(text))(t)
		testkit.NoError(t, recipe.Check(d.Recipe(), r))
		back := testkit.Must(DescriberOf(r))(t)
		want := testkit.Must(d.Vectors(ctx, x))(t)
		if got, err := back.Vectors(ctx, x); err != nil || !mat.Equal(got, want) {
			t.Errorf("%v: other vectors: %v", r, err)
		}
	}
}

// At the means of the images, the tangent vectors of all images sum to nearly zero, and a block of images gives the
// same vectors as all images.
func TestVectorsDoNotDependOnTheBlock(t *testing.T) {
	ctx, s := context.Background(), Shape{6, 6, 1}
	x := randomImages(10, vectorBlock+5, s)
	d := &Describer{Shape: s, Options: Options{Regions: "whole,grid:1x2"}}
	testkit.Fails(t, testkit.ErrorOf(d.Vectors(ctx, x)), "vectors without references")
	testkit.NoError(t, d.FitReferences(ctx, x))
	all := testkit.Must(d.Vectors(ctx, x))(t)
	last := testkit.Must(d.Vectors(ctx, x.Slice(vectorBlock-1, vectorBlock+5, 0, 36)))(t)
	_, cols := all.Dims()
	if cols != 3*15 || !mat.Equal(last, all.Slice(vectorBlock-1, vectorBlock+5, 0, cols)) {
		t.Errorf("%d columns, or a row that depends on its block", cols)
	}
}

// Whatever sizes of images a file states, the describer does not panic, and impossible sizes are errors.
func FuzzDescriberOf(f *testing.F) {
	s := Shape{6, 6, 1}
	x := randomImages(11, 8, s)
	p := testkit.Must(LearnPatches(context.Background(), x, s, false, PatchOptions{Count: 2, Size: 2, Rounds: 1}))(f)
	for _, d := range []*Describer{{Shape: s}, {Shape: s, Options: Options{Patches: p, Regions: "whole,center"}}} {
		text := testkit.Must(json.Marshal(d.Recipe()))(f)
		f.Add(text)
	}
	f.Add([]byte(`{"image":{"rows":6,"cols":6,"channels":1,"features":["x"],"window":[2,2],` +
		`"step":[1,1],"references":[1]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := recipe.Parse(text)
		if err != nil {
			return
		}
		d, err := DescriberOf(r)
		if err != nil || d.Shape != s {
			return
		}
		if d.References != nil {
			_, _ = d.Vectors(context.Background(), x)
		} else {
			_, _ = d.Matrices(context.Background(), x)
		}
	})
}
