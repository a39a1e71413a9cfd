package rows

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// single stores rows as float32; it has no values when none is true.
type single struct {
	mat.Matrix
	data []float32
	none bool
}

func (s single) RawRows32() ([]float32, int, int, int) {
	if s.none {
		return nil, 0, 0, 0
	}
	r, c := s.Dims()
	return s.data, r, c, c
}

// pixels stores rows as bytes.
type pixels struct {
	mat.Matrix
	data []byte
}

func (p pixels) RawRows8() ([]byte, int, int, int) {
	r, c := p.Dims()
	return p.data, r, c, c
}

// double stores rows as float64 and implements its own interface.
type double struct {
	mat.Matrix
	data []float64
}

func (d double) RawRows64() ([]float64, int, int, int) {
	r, c := d.Dims()
	return d.data, r, c, c
}

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
	f32 := make([]float32, rows*cols)
	for i := range rows {
		for j := range cols {
			view.Set(i, j, at(i, j))
			tight.Set(i, j, at(i, j))
			f32[i*cols+j] = float32(at(i, j))
		}
	}
	return []mat.Matrix{tight, view, mat.DenseCopyOf(tight.T()).T(), single{tight, f32, false},
		single{tight, f32, true}, double{tight, tight.RawMatrix().Data}}
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
		if plain := r.All(nil); plain[5*3+1] != 51 {
			t.Errorf("storage %d: value %g without shift", k, plain[5*3+1])
		}
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
	all := New(pixels{x, []byte{1, 2, 3, 4, 5, 255}}).All([]float64{1, 1, 1})
	testkit.EqualSlices(t, all, []float64{0, 1, 2, 3, 4, 254})
}
