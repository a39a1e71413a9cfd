package rows

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// storages returns one matrix in every storage, padded rows included.
func storages(rows, cols int, at func(i, j int) float64) []mat.Matrix {
	wide := mat.NewDense(rows, cols+3, nil)
	for i := range rows {
		for j := range cols + 3 {
			wide.Set(i, j, math.NaN())
		}
	}
	view := wide.Slice(0, rows, 0, cols).(*mat.Dense)
	tight := mat.NewDense(rows, cols, nil)
	for i := range rows {
		for j := range cols {
			view.Set(i, j, at(i, j))
			tight.Set(i, j, at(i, j))
		}
	}
	return []mat.Matrix{tight, view, mat.DenseCopyOf(tight.T()).T(),
		testkit.StoredRows{Matrix: tight},
		testkit.StoredRows{Matrix: tight, Narrow: testkit.Singles(tight.RawMatrix().Data)},
		testkit.StoredRows{Matrix: tight, Wide: tight.RawMatrix().Data}}
}

func TestEveryStorageReadsAlike(t *testing.T) {
	at := func(i, j int) float64 { return float64(i*10 + j) }
	shift := []float64{1, 2, 3}
	for k, x := range storages(1200, 3, at) {
		r := New(x)
		all := r.All(shift)
		for i := range 1200 {
			for j := range 3 {
				if all[i*3+j] != at(i, j)-shift[j] {
					t.Fatalf("storage %d: value (%d,%d) is %g", k, i, j, all[i*3+j])
				}
			}
		}
		testkit.EqualSlices(t, r.Select([]int{7, 1199, 7}, nil), []float64{70, 71, 72, 11990, 11991, 11992, 70, 71, 72},
			"storage", k, "selected rows")
		testkit.Equal(t, r.All(nil)[5*3+1], 51, "storage", k, "value without shift")
	}
}

func TestCheckFiniteNamesThePlace(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
		for k, x := range storages(1100, 2, func(i, j int) float64 {
			if i >= 700 && j == 1 {
				return bad
			}
			return 1
		}) {
			err := New(x).CheckFinite()
			want := "row 700, column 1 is -Inf"
			if math.IsNaN(bad) {
				want = "row 700, column 1 is NaN"
			}
			testkit.ErrorContains(t, err, want, "storage", k)
		}
	}
	for _, x := range storages(4, 2, func(i, j int) float64 { return 0 }) {
		testkit.NoError(t, New(x).CheckFinite())
	}
}

func TestRowsOfBytes(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 255})
	all := New(testkit.StoredRows{Matrix: x, Bytes: []byte{1, 2, 3, 4, 5, 255}}).All([]float64{1, 1, 1})
	testkit.EqualSlices(t, all, []float64{0, 1, 2, 3, 4, 254})
}
