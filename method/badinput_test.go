package method

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/internal/testkit"
)

// spoiled returns the toy data after a change of the rows and labels.
func spoiled(t *testing.T, change func(x *mat.Dense, labels []int)) *dataset.Data {
	t.Helper()
	d := *toyVectors(t)
	x := mat.DenseCopyOf(d.X.Matrix())
	d.Labels = append([]int(nil), d.Labels...)
	change(x, d.Labels)
	rows, cols := x.Dims()
	d.X = dataset.NewTable64(rows, cols, x.RawMatrix().Data)
	return &d
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
			set := quick()
			set = set.With("filters", strconv.Itoa(filters))
			_, err := m.Fit(background, InMemory{Data: d}, m.only(set), nil)
			return err
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
	var few []int // two rows of each class
	seen := map[int]int{}
	for i, l := range all.Labels {
		if seen[l]++; seen[l] <= 2 {
			few = append(few, i)
		}
	}
	for _, m := range Methods() {
		if m.Matrices {
			continue
		}
		for name, d := range map[string]*dataset.Data{"constant column": constant, "few rows": all.Subset(few)} {
			set := quick()
			set = set.With("filters", "4").With("shrinkage", "0.1").With("blend", "0.5")
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
