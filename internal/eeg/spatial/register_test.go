package spatial

import (
	"slices"
	"testing"

	"rao/method"
)

var own = []string{"erp", "xdawn", "trca", "fbcsp"}

// Lists of methods show the methods of this package next to their neighbors.
func TestMethodsHaveTheirPlace(t *testing.T) {
	var names []string
	for _, m := range method.Methods() {
		names = append(names, m.Name)
	}
	for _, part := range [][]string{{"ama", "erp", "xdawn", "trca", "qda-raw"}, {"csp", "fbcsp", "tangent"}} {
		at := slices.Index(names, part[0])
		if at < 0 || !slices.Equal(names[at:at+len(part)], part) {
			t.Errorf("%v is not a part of %v", part, names)
		}
	}
}
