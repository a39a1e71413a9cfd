package gaussian

import (
	"slices"
	"testing"

	"rao/internal/provenance"
	"rao/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

func partOf(rows [][]float64) provenance.Part {
	var b provenance.Builder
	for _, r := range rows {
		b.Add(r)
	}
	return b.Part()
}

// Statistics from which classes are removed lose their hashes, because the hashes include the removed rows.
func TestWithoutSmallLeavesNoTrace(t *testing.T) {
	x := mat.NewDense(5, 1, []float64{1, 2, 3, 4, 99})
	s := testkit.Must(Estimate(x, []int{0, 0, 1, 1, 1}, []string{"a", "b"}))(t)
	s.Parts = []provenance.Part{partOf([][]float64{{1}, {2}, {3}, {4}, {99}})}
	kept, left := s.WithoutSmall(3)
	if !slices.Equal(left, []string{"a"}) || !slices.Equal(kept.Parts, []provenance.Part{{Rows: 3}}) {
		t.Errorf("left out %v, and the parts are %v", left, kept.Parts)
	}
	if same, left := s.WithoutSmall(2); left != nil || !slices.Equal(same.Parts, s.Parts) {
		t.Errorf("nothing is left out, and the parts are %v", same.Parts)
	}
}
