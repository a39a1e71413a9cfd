package matfile

import (
	"fmt"
	"testing"

	"rao/internal/testkit"
)

func TestExpandPaths(t *testing.T) {
	for spec, want := range map[string][]string{
		"": {""}, "data{1}.X": {"data{1}.X"}, "data{4:6}": {"data{4}", "data{5}", "data{6}"},
		"a{1,2}, b(3)": {"a{1,2}", "b(3)"},
		"s(1:2).X,t":   {"s(1).X", "s(2).X", "t"}} {
		testkit.EqualSlices(t, testkit.Must(ExpandPaths(spec))(t), want, fmt.Sprintf("%q", spec))
	}
	for _, spec := range []string{"data{3:1}", "data{1:x}", "data{1:99999999}"} {
		testkit.Fails(t, testkit.ErrorOf(ExpandPaths(spec)), fmt.Sprintf("%q is accepted", spec))
	}
}
