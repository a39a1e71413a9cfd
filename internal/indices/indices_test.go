package indices_test

import (
	"reflect"
	"strings"
	"testing"

	"rao/internal/indices"
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
