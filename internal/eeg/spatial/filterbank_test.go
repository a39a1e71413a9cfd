package spatial

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/classifiers"
	"rao/internal/testkit"
	"rao/spd"
)

type bankGolden struct {
	Stack, Features, Information, Posterior []float64
	Selected                                []int
}

func loadBank(t testing.TB) (*bankGolden, *spd.Stack) {
	g := new(bankGolden)
	testkit.ReadJSON(t, "testdata/filterbank.json", g)
	return g, spd.StackOf(45, 10, g.Stack)
}

var threeNames = []string{"a", "b", "c"}

func fitBank(t testing.TB, x *spd.Stack, labels []int, classes []string) *FilterBank {
	f := testkit.Must(FitFilterBank(context.Background(), x, labels, classes, fbcspOptions{Bands: 2,
		Select: 3}))(t)
	testkit.NoError(t, f.Validate())
	return f
}

// Features, their information, the selection and the classifier equal a direct implementation of the equations in
// scipy.
func TestFilterBankAgreesWithScipy(t *testing.T) {
	g, x := loadBank(t)
	labels := testkit.Alternate(45, 3)
	f := fitBank(t, x, labels, threeNames)
	testkit.Close(t, "information", f.Information, g.Information, 1e-9)
	if !slices.Equal(f.Selected, g.Selected) {
		t.Fatalf("selected %v, scipy %v", f.Selected, g.Selected)
	}
	var z mat.Dense
	testkit.NoError(t, f.Features(&z, x))
	testkit.Close(t, "features", z.RawMatrix().Data, g.Features, 1e-10)
	cl := testkit.Must(classifiers.FitParzen(&z, labels, threeNames, f.classOf()))(t)
	var logp mat.Dense
	testkit.NoError(t, cl.LogPosterior(t.Context(), &logp, &z))
	testkit.Close(t, "log-posterior", logp.RawMatrix().Data, g.Posterior, 1e-8)
}

// Covariances between bands, and mixing the channels of each band, do not change the features.
func TestFilterBankLooksAtBlocks(t *testing.T) {
	_, x := loadBank(t)
	labels := testkit.Alternate(45, 2)
	var want, got mat.Dense
	testkit.NoError(t, fitBank(t, x, labels, threeNames[:2]).Features(&want, x))
	blocks := spd.NewStack(45, 10)
	for k := range 45 {
		for i := range 10 {
			for j := range 10 {
				if i/5 == j/5 {
					blocks.At(k)[i*10+j] = x.At(k)[i*10+j]
				}
			}
		}
	}
	testkit.NoError(t, fitBank(t, blocks, labels, threeNames[:2]).Features(&got, blocks))
	if !mat.Equal(&got, &want) {
		t.Error("the features depend on what lies between the bands")
	}
}

// hasType checks the text of an error, and that it has a type of package rao or spd.
func hasType(t *testing.T, err error, want string) {
	t.Helper()
	testkit.ErrorContains(t, err, want)
	var value *rao.ValueError
	var shape *rao.ShapeError
	var matrix *spd.MatrixError
	if !errors.As(err, &value) && !errors.As(err, &shape) && !errors.As(err, &matrix) {
		t.Errorf("%v has no type", err)
	}
}

func TestFilterBankRefuses(t *testing.T) {
	_, x := loadBank(t)
	labels := testkit.Alternate(45, 3)
	flat := spd.NewStack(45, 10)
	missing := make([]int, 45)
	for _, c := range []struct {
		x      *spd.Stack
		labels []int
		opt    fbcspOptions
		want   string
	}{
		{x, labels, fbcspOptions{}, "bands is 0, but the matrices have order 10"},
		{x, labels, fbcspOptions{Bands: 3}, "bands is 3, but the matrices have order 10"},
		{x, labels, fbcspOptions{Bands: 2, Pairs: 3}, "filters is 3, but the number of channels is 5"},
		{x, labels, fbcspOptions{Bands: 10}, "but the number of channels is 1"},
		{x, labels, fbcspOptions{Bands: 2, Select: -1}, "it must be 0 or more"},
		{x, missing, fbcspOptions{Bands: 2}, "no trials"},
		{flat, labels, fbcspOptions{Bands: 2}, "has the trace 0; it must be positive"},
	} {
		_, err := FitFilterBank(context.Background(), c.x, c.labels, threeNames, c.opt)
		hasType(t, err, c.want)
	}
	f := fitBank(t, x, labels, threeNames)
	var z mat.Dense
	testkit.ErrorContains(t, f.Features(&z, flat), "must be positive", "matrices without power")
	testkit.ErrorContains(t, f.Features(&z, spd.NewStack(1, 4)), "fitted to matrices of order 10", "another order")
	f.Filters.Set(0, 0, math.NaN())
	if f.Validate() == nil {
		t.Error("a filter of NaN is valid")
	}
	f.Selected = []int{3, 1}
	if f.Validate() == nil {
		t.Error("selected filters out of order are valid")
	}
}
