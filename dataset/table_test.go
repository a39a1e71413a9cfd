package dataset

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

func TestTableIsTheSameInEveryStorage(t *testing.T) {
	t32 := NewTable(3, 2, []float32{1, 2, 3, 4, 5, 6})
	t64 := NewTable(3, 2, []float64{1, 2, 3, 4, 5, 6})
	want := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	t8 := NewTable(3, 2, []byte{1, 2, 3, 4, 5, 6})
	for _, x := range []*Table{t32, t64, t8} {
		for what, m := range map[string]mat.Matrix{"table": x, "matrix": x.Matrix(), "dense": x.Dense(),
			"double transpose": x.T().T()} {
			if !mat.Equal(m, want) {
				t.Errorf("%s, storage %v: %v", what, x.kind, mat.Formatted(m))
			}
		}
		if !mat.Equal(x.T(), want.T()) {
			t.Error("transpose differs")
		}
		if !mat.Equal(x.Rows(1, 3), want.Slice(1, 3, 0, 2)) ||
			!mat.Equal(x.selectRows([]int{2, 0, 0}), mat.NewDense(3, 2, []float64{5, 6, 1, 2, 1, 2})) ||
			!mat.Equal(x.selectRows([]int{0, 0, 2}), mat.NewDense(3, 2, []float64{1, 2, 1, 2, 5, 6})) {
			t.Error("rows or selection differ")
		}
		d8, d32, d64, stride := x.RawRows()
		if (d8 != nil) != (x == t8) || (d32 != nil) != (x == t32) || (d64 != nil) != (x == t64) || stride != 2 {
			t.Errorf("raw rows of storage %v: %v %v %v", x.kind, d8, d32, d64)
		}
	}
	if _, ok := t64.Matrix().(mat.RawMatrixer); !ok {
		t.Error("a float64 table has no raw matrix")
	}
	testkit.Equal(t, &t64.Matrix().(*mat.Dense).RawMatrix().Data[0], &t64.f64[0], "Matrix copied")
}

func TestTablePanicsOnWrongShapes(t *testing.T) {
	x := NewTable(2, 2, make([]float64, 4))
	for what, f := range map[string]func(){
		"length":  func() { NewTable(2, 2, make([]float64, 3)) },
		"length2": func() { NewTable(2, 2, make([]float32, 5)) },
		"length3": func() { NewTable(2, 2, make([]byte, 5)) },
		"row":     func() { x.At(2, 0) },
		"column":  func() { x.At(0, -1) },
		"rows":    func() { x.Rows(1, 3) },
		"dst":     func() { x.Row(make([]float64, 3), 0) },
	} {
		testkit.Panics(t, f, what)
	}
}

// A table of bytes supports the same operations as a table of float32.
func TestTableOfBytes(t *testing.T) {
	bytes := []byte{9, 200, 7, 4, 0, 255, 30, 8}
	narrow := NewTable(4, 2, bytes)
	wide := NewTable(4, 2, []float32{9, 200, 7, 4, 0, 255, 30, 8})
	both := func(what string, change func(*Table) *Table) {
		t.Helper()
		if got, want := change(narrow), change(wide); !mat.Equal(got, want) || got.kind == float64s {
			t.Errorf("%s: %v, want %v", what, mat.Formatted(got), mat.Formatted(want))
		}
	}
	clone := func(x *Table) *Table { return x.Filled(make([]float64, 2), false) }
	both("clone", clone)
	both("other order", func(x *Table) *Table { return x.inOrder([]int{1, 0}) })
	both("with more", func(x *Table) *Table {
		more := &Data{X: NewTable(1, 2, []float32{0.5, 1})}
		return joinTables([]*Data{{X: x}, more}, make([][]int, 2))
	})
	both("rows", func(x *Table) *Table { return x.Rows(1, 3) })
	both("moved", func(x *Table) *Table {
		x = clone(x)
		x.setRow(0, x, 3, 1)
		return x
	})
	if got := narrow.present(nil, 1); len(got) != 4 || got[2] != 255 {
		t.Errorf("column 1 is %v", got)
	}
	if data, _, _, _ := narrow.RawRows(); &data[0] != &bytes[0] {
		t.Error("the bytes were copied")
	}
	if err := narrow.check(); err != nil || bytes[0] != 9 {
		t.Errorf("%v, %v", err, bytes)
	}
}
