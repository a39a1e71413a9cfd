package indices_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"rao/internal/indices"
	"rao/internal/testkit"
)

func TestCountsAndGroups(t *testing.T) {
	labels := []int{2, 0, 2}
	counts, err := indices.Counts("row", labels, 3)
	if err != nil || !reflect.DeepEqual(counts, []int{1, 0, 2}) {
		t.Errorf("%v, %v", counts, err)
	}
	if groups := indices.Groups(labels, 3); !reflect.DeepEqual(groups, [][]int{{1}, nil, {0, 2}}) {
		t.Errorf("%v", groups)
	}
	for _, bad := range [][]int{{0, 3}, {0, -1}} {
		if _, err := indices.Counts("row", bad, 3); err == nil || !strings.HasPrefix(err.Error(), "row 1 has label") {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func TestNumClasses(t *testing.T) {
	names := []string{"a", "b", "c"}
	for _, c := range []struct {
		labels []int
		names  []string
		want   int
		err    string
	}{
		{[]int{0, 1, 0}, nil, 2, ""},
		{nil, nil, 0, ""},
		{[]int{0, 1, 0}, names, 3, ""},
		{[]int{0, 3}, names, 0, "row 1 has label 3; labels must be from 0 to 2"},
		{[]int{0, 2}, nil, 0, "row 1 has label 2; labels must be from 0 to 1"},
		{[]int{-1, 0}, nil, 0, "row 0 has label -1"},
	} {
		got, err := indices.NumClasses("row", c.labels, c.names)
		if c.err != "" {
			testkit.ErrorContains(t, err, c.err)
			continue
		}
		testkit.NoError(t, err)
		testkit.Equal(t, got, c.want, c.labels)
	}
}

func TestCheckOnePer(t *testing.T) {
	testkit.NoError(t, indices.CheckOnePer("label", 3, "row", 3))
	testkit.ErrorContains(t, indices.CheckOnePer("label", 2, "matrix", 3),
		"the number of labels is 2, but the number of matrices is 3; every matrix needs one label")
	testkit.ErrorContains(t, indices.CheckLabels("row", []int{0, -1}, math.MaxInt),
		"row 1 has label -1; labels must be 0 or more")
}

func TestSpreadIsEvenAndAscending(t *testing.T) {
	testkit.EqualSlices(t, indices.Spread(10, 4), []int{0, 2, 5, 7}, "four of ten")
	testkit.EqualSlices(t, indices.Spread(3, 500), []int{0, 1, 2}, "all of three")
	testkit.EqualSlices(t, indices.Spread(0, 5), []int{}, "none of none")
}
