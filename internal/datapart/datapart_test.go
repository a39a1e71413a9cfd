package datapart_test

import (
	"math"
	"testing"

	"rao/dataset"
	"rao/internal/datapart"
	"rao/internal/provenance"
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
			want.Add(stack.At(k))
		}
		if got.Part() != want.Part() {
			t.Errorf("%d matrices: %v, one by one %v", count, got.Part(), want.Part())
		}
	}
}
