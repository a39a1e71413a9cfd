package datapart_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/datapart"
	"rao/internal/provenance"
	"rao/internal/testkit"
	"rao/spd"
)

// The part of a stack equals that of its matrices one by one, at any stride.
func TestPartsOfStacks(t *testing.T) {
	for count := range 60 {
		stack := &spd.Stack{Count: count, Dim: 3, Stride: 11, Data: make([]float64, 11*count)}
		for i := range stack.Data {
			stack.Data[i] = math.Sqrt(float64(i))
		}
		var got, want provenance.Builder
		datapart.Add(&got, &dataset.Data{Stack: stack})
		for k := range count {
			want.AddAll(mat.NewDense(1, 9, stack.At(k)))
		}
		testkit.Equal(t, got.Part(), want.Part(), count, "matrices")
	}
}

// The order of named columns, or of named channels, does not change the part. Without names it does.
func TestPartsDoNotDependOnTheOrderOfNames(t *testing.T) {
	part := func(names []string, order []int, matrices bool) provenance.Part {
		const rows = 40
		n := len(order)
		d := &dataset.Data{Vars: map[string]*dataset.Array{}}
		var own []string
		for _, j := range order {
			own = append(own, names[j])
		}
		value := func(i, j, k int) float64 { return math.Sqrt(float64(100*i + 10*min(j, k) + max(j, k))) }
		var values []float64
		for i := range rows {
			for _, j := range order {
				if !matrices {
					values = append(values, value(i, j, j))
					continue
				}
				for _, k := range order {
					values = append(values, value(i, j, k))
				}
			}
		}
		what := "columns"
		if matrices {
			what, d.Stack = "channels", &spd.Stack{Count: rows, Dim: n, Stride: n * n, Data: values}
		} else {
			d.X = dataset.NewTable(rows, n, values)
		}
		if names[0] != "" {
			d.Vars[what] = &dataset.Array{Strings: own}
		}
		return datapart.Of(d, provenance.Hashing{})
	}
	for _, matrices := range []bool{false, true} {
		for _, names := range [][]string{{"b", "ä", "a", "c"}, {"", "", "", ""}} {
			one, other := part(names, []int{0, 1, 2, 3}, matrices), part(names, []int{3, 1, 0, 2}, matrices)
			if (one == other) != (names[0] != "") {
				t.Errorf("names %q, matrices %v: %v and %v", names, matrices, one, other)
			}
		}
	}
}
