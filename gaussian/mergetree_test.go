package gaussian

import (
	"reflect"
	"testing"

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
