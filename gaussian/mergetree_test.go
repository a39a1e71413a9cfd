package gaussian

import (
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/statsarrays"
	"rao/internal/testkit"
)

func TestMergeInOrderIsATree(t *testing.T) {
	parts := make([]*Statistics, 150)
	for i := range parts {
		a := NewAccumulator(2, 2)
		rows := []float64{float64(i), 1 / float64(i+1), float64(i * i), 2, 3, float64(-i), 0.1 * float64(i), 7}
		testkit.NoError(t, a.addRows64(rows, 2, []int{0, 0, 1, 1}))
		parts[i] = testkit.Must(a.Statistics([]string{"a", "b"}))(t)
	}
	at := func(i int) (*Statistics, error) { return parts[i], nil }
	few, err := MergeInOrder(statsarrays.MergeWidth, at)
	want, err2 := Merge(parts[:statsarrays.MergeWidth]...)
	if err != nil || err2 != nil || !reflect.DeepEqual(few, want) {
		t.Errorf("64 parts: %v %v", err, err2)
	}
	many := testkit.Must(MergeInOrder(len(parts), at))(t)
	var groups []*Statistics
	for lo := 0; lo < len(parts); lo += statsarrays.MergeWidth {
		g := testkit.Must(Merge(parts[lo:min(lo+statsarrays.MergeWidth, len(parts))]...))(t)
		groups = append(groups, g)
	}
	if want, err = Merge(groups...); err != nil || !reflect.DeepEqual(many, want) {
		t.Errorf("150 parts differ from the tree, %v", err)
	}
}

func TestSmallClassesAreLeftOut(t *testing.T) {
	a := NewAccumulator(1, 3)
	testkit.NoError(t, a.addRows64([]float64{1, 2, 3, 5, 4, 9}, 1, []int{0, 1, 1, 2, 2, 2}))
	s := testkit.Must(a.Statistics([]string{"one", "two", "three"}))(t)
	kept, left := s.WithoutSmall(3)
	if !reflect.DeepEqual(left, []string{"one", "two"}) || !reflect.DeepEqual(kept.Classes, []string{"three"}) ||
		kept.Counts[0] != 3 ||
		kept.Means[0] != s.Means[2] || kept.Covariances[0] != s.Covariances[2] {
		t.Errorf("%v %+v", left, kept)
	}
	if same, left := s.WithoutSmall(1); same != s || left != nil {
		t.Errorf("%v", left)
	}
}

// The classes that remain keep the weights of their rows.
func TestSmallWeightedClassesAreLeftOut(t *testing.T) {
	a := NewAccumulator(1, 2)
	x := mat.NewDense(4, 1, []float64{1, 2, 3, 5})
	testkit.NoError(t, a.AddWeighted(x, []int{0, 1, 1, 1}, []float64{2, 2, 3, 4}))
	s := testkit.Must(a.Finish([]string{"one", "two"}))(t)
	if kept, _ := s.WithoutSmall(2); !reflect.DeepEqual(kept.Weights, []float64{9}) {
		t.Errorf("weights %v, want 9", kept.Weights)
	}
}
