package classstats_test

import (
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/provenance"
	"rao/internal/testkit"
)

func TestSmallClassesAreLeftOut(t *testing.T) {
	a := gaussian.NewAccumulator(1, 3)
	testkit.NoError(t, a.Add(mat.NewDense(6, 1, []float64{1, 2, 3, 5, 4, 9}), []int{0, 1, 1, 2, 2, 2}))
	s := testkit.Must(a.Statistics([]string{"one", "two", "three"}))(t)
	kept, left := classstats.WithoutSmall(s, 3)
	if !reflect.DeepEqual(left, []string{"one", "two"}) || !reflect.DeepEqual(kept.Classes, []string{"three"}) ||
		kept.Counts[0] != 3 ||
		kept.Means[0] != s.Means[2] || kept.Covariances[0] != s.Covariances[2] {
		t.Errorf("%v %+v", left, kept)
	}
	if same, left := classstats.WithoutSmall(s, 1); same != s || left != nil {
		t.Errorf("%v", left)
	}
	s.Single = true
	if kept, _ := classstats.WithoutSmall(s, 3); !kept.Single {
		t.Error("not marked as single precision")
	}
}

// The classes that remain keep the weights of their rows.
func TestSmallWeightedClassesAreLeftOut(t *testing.T) {
	a := gaussian.NewAccumulator(1, 2)
	x := mat.NewDense(4, 1, []float64{1, 2, 3, 5})
	testkit.NoError(t, a.AddWeighted(x, []int{0, 1, 1, 1}, []float64{2, 2, 3, 4}))
	s := testkit.Must(a.Finish([]string{"one", "two"}))(t)
	if kept, _ := classstats.WithoutSmall(s, 2); !reflect.DeepEqual(kept.Weights, []float64{9}) {
		t.Errorf("weights %v, want 9", kept.Weights)
	}
}

// Statistics from which classes are removed lose their hashes, because the hashes include the removed rows.
func TestWithoutSmallLeavesNoTrace(t *testing.T) {
	x := mat.NewDense(5, 1, []float64{1, 2, 3, 4, 99})
	s := testkit.Must(gaussian.Estimate(x, []int{0, 0, 1, 1, 1}, []string{"a", "b"}))(t)
	var rows provenance.Builder
	rows.AddAll(x)
	s.Parts = []provenance.Part{rows.Part()}
	kept, left := classstats.WithoutSmall(s, 3)
	if !slices.Equal(left, []string{"a"}) || !slices.Equal(kept.Parts, []provenance.Part{{Rows: 3}}) {
		t.Errorf("left out %v, and the parts are %v", left, kept.Parts)
	}
	if same, left := classstats.WithoutSmall(s, 2); left != nil || !slices.Equal(same.Parts, s.Parts) {
		t.Errorf("nothing is left out, and the parts are %v", same.Parts)
	}
}
