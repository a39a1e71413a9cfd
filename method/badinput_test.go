package method

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/gaussian"
	"rao/internal/testkit"
	"rao/spd"
)

// spoiled returns the toy data after a change of the rows and labels.
func spoiled(t *testing.T, change func(x *mat.Dense, labels []int)) *dataset.Data {
	t.Helper()
	d := *toyVectors(t)
	x := mat.DenseCopyOf(d.X.Matrix())
	d.Labels = append([]int(nil), d.Labels...)
	change(x, d.Labels)
	rows, cols := x.Dims()
	d.X = dataset.NewTable(rows, cols, x.RawMatrix().Data)
	return &d
}

// firstOf returns the first rows of class 0 and of each other class.
func firstOf(d *dataset.Data, zero, others int) *dataset.Data {
	var index []int
	seen := map[int]int{}
	for i, l := range d.Labels {
		if seen[l]++; l == 0 && seen[l] <= zero || l > 0 && seen[l] <= others {
			index = append(index, i)
		}
	}
	return d.Subset(index)
}

// The errors of every method on vectors name the problem with the data.
func TestMethodsOfVectorsExplainBadData(t *testing.T) {
	nan := spoiled(t, func(x *mat.Dense, _ []int) { x.Set(7, 3, math.NaN()) })
	inf := spoiled(t, func(x *mat.Dense, _ []int) { x.Set(7, 3, math.Inf(-1)) })
	lone := spoiled(t, func(_ *mat.Dense, labels []int) { clear(labels) })
	equal := spoiled(t, func(x *mat.Dense, _ []int) { x.Zero() })
	for _, m := range Methods() {
		if m.Matrices {
			continue
		}
		fit := func(d *dataset.Data, filters int) error {
			set := m.only(quick().With("filters", strconv.Itoa(filters)))
			return testkit.ErrorOf(m.Fit(background, InMemory{Data: d}, set, nil))
		}
		for _, c := range []struct {
			name string
			err  error
			want string
		}{
			{"NaN", fit(nan, 1), "row 7, column 3"},
			{"infinity", fit(inf, 1), "row 7, column 3"},
			{"one class", fit(lone, 1), "has no observations"},
			{"equal rows", fit(equal, 1), "all values of the data are equal"},
		} {
			testkit.ErrorContains(t, c.err, c.want, m.Name, c.name, "error")
		}
		_, without := m.Option("filters")
		limited := m.Name == "lda" || m.Name == "spca" // take as many as there are
		if err := fit(toyVectors(t), 99); err == nil && without == nil && !limited || err != nil &&
			!strings.Contains(err.Error(), "99") {
			t.Errorf("%s, more filters than dimensions: error %v", m.Name, err)
		}
	}
}

// thinFailures are the methods that cannot be fitted to thin data, with their error messages.
var thinFailures = map[string]string{
	"lmnn, few rows": "covariance of class a is not positive definite",
}

// With a constant column, or with fewer rows than filters, every method returns finite filters or an error, and never
// panics or returns NaN.
func TestMethodsOfVectorsTakeThinData(t *testing.T) {
	constant := spoiled(t, func(x *mat.Dense, _ []int) {
		rows, _ := x.Dims()
		for i := range rows {
			x.Set(i, 1, 3)
		}
	})
	all := toyVectors(t)
	for _, m := range Methods() {
		if m.Matrices {
			continue
		}
		for name, d := range map[string]*dataset.Data{"constant column": constant, "few rows": firstOf(all, 2, 2)} {
			set := quick().With("filters", "4").With("shrinkage", "0.1").With("blend", "0.5")
			if m.Name == "lda" {
				set = set.With("filters", "2")
			}
			if m.Name == "ica" && name == "few rows" {
				set = set.With("filters", "5") // no more directions than rows less one
			}
			mod, err := m.Fit(background, InMemory{Data: d}, m.only(set), nil)
			if err != nil && !rao.IsNotConverged(err) {
				if want := thinFailures[m.Name+", "+name]; want == "" || !strings.Contains(err.Error(), want) {
					t.Errorf("%s, %s: error %v, want %q", m.Name, name, err, want)
				}
				continue
			}
			p := testkit.Must(Predict(background, mod, all))(t, m.Name, name)
			for i := range all.N() {
				if v := p.LogPosterior.At(i, p.Label[i]); math.IsNaN(v) {
					t.Errorf("%s, %s: row %d has no posterior", m.Name, name, i)
					break
				}
			}
		}
	}
}

// Every error of a fit to data that cannot be used has a type that the documentation of package rao lists.
func TestErrorsOfFitsHaveTypes(t *testing.T) {
	rows := func(value func(i, j, class int, v float64) float64) *dataset.Data {
		return spoiled(t, func(x *mat.Dense, labels []int) {
			x.Apply(func(i, j int, v float64) float64 { return value(i, j, labels[i], v) }, x)
		})
	}
	stacks := func(value func(row, col, class int, v float64) float64) *dataset.Data {
		d := *toyMatrices(t)
		d.Stack = d.Stack.Clone()
		for i, l := range d.Labels {
			for k, v := range d.Stack.At(i) {
				d.Stack.At(i)[k] = value(k/d.Stack.Dim, k%d.Stack.Dim, l, v)
			}
		}
		return &d
	}
	diagonal := func(value func(row, class int) float64) *dataset.Data {
		return stacks(func(row, col, class int, _ float64) float64 {
			if row != col {
				return 0
			}
			return value(row, class)
		})
	}
	vectors, matrices := toyVectors(t), toyMatrices(t)
	of := map[bool]map[string]*dataset.Data{false: {
		"equal rows":      rows(func(_, j, _ int, _ float64) float64 { return float64(j + 1) }),
		"zeros":           rows(func(_, _, _ int, _ float64) float64 { return 0 }),
		"equal per class": rows(func(_, j, class int, _ float64) float64 { return float64(j + class*class) }),
		"equal means":     rows(func(i, j, _ int, _ float64) float64 { return float64((i % 2) * (j + 1)) }),
		"rank 1":          rows(func(i, j, _ int, _ float64) float64 { return float64((i + 1) * (j + 1)) }),
		"large":           rows(func(_, _, _ int, v float64) float64 { return v * 1e160 }),
		"small":           rows(func(_, _, _ int, v float64) float64 { return v * 1e-170 }),
		"wrong label":     spoiled(t, func(_ *mat.Dense, labels []int) { labels[3] = 9 }),
		"one row":         firstOf(vectors, 1, 1),
		"no row":          firstOf(vectors, 0, 0),
		"one of class 0":  firstOf(vectors, 1, math.MaxInt),
		"none of class 0": firstOf(vectors, 0, math.MaxInt),
		"matrices":        matrices,
	}, true: {
		"equal matrices":  diagonal(func(_, _ int) float64 { return 1 }),
		"zeros":           diagonal(func(_, _ int) float64 { return 0 }),
		"equal per class": diagonal(func(_, class int) float64 { return float64(class + 1) }),
		"singular":        diagonal(func(row, _ int) float64 { return float64(row) }),
		"indefinite":      diagonal(func(row, _ int) float64 { return float64(row) - 0.5 }),
		"NaN":             diagonal(func(_, _ int) float64 { return math.NaN() }),
		"large":           stacks(func(_, _, _ int, v float64) float64 { return v * 1e300 }),
		"small":           stacks(func(_, _, _ int, v float64) float64 { return v * 1e-300 }),
		"one matrix":      firstOf(matrices, 1, 1),
		"no matrix":       firstOf(matrices, 0, 0),
		"one of class 0":  firstOf(matrices, 1, math.MaxInt),
		"none of class 0": firstOf(matrices, 0, math.MaxInt),
		"vectors":         vectors,
	}}
	typed := func(err error) bool {
		var value *rao.ValueError
		var shape *rao.ShapeError
		var option *rao.OptionError
		var matrix *spd.MatrixError
		var singular *gaussian.SingularError
		return errors.As(err, &value) || errors.As(err, &shape) || errors.As(err, &option) ||
			errors.As(err, &matrix) || errors.As(err, &singular)
	}
	failed := 0
	for _, m := range Methods() {
		for name, d := range of[m.Matrices] {
			_, err := m.Fit(background, InMemory{Data: d}, m.only(quick().With("filters", "2")), nil)
			if err != nil && !rao.HasModel(err) {
				failed++
				if !typed(err) || strings.Contains(err.Error(), "%!") {
					t.Errorf("%s, %s: %v has no type", m.Name, name, err)
				}
			}
		}
	}
	if failed < 300 {
		t.Errorf("only %d fits fail", failed)
	}
}
