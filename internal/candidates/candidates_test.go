package candidates

import (
	"reflect"
	"testing"

	"rao/evaluate"
	"rao/internal/testkit"
)

func TestParseCandidates(t *testing.T) {
	p, err := ParseParameter("noise=0.01..10:log:int")
	if want := (evaluate.Parameter{Name: "noise", Low: 0.01, High: 10, Log: true, Integer: true}); err != nil ||
		!reflect.DeepEqual(p, want) {
		t.Errorf("%+v, %v", p, err)
	}
	for s, want := range map[string]string{"noise": "is not of the form NAME", "=1": "is not of the form NAME",
		"a=1..2:up": "not :up", "a=x..2": "must be numbers"} {
		testkit.ErrorContains(t, testkit.ErrorOf(ParseParameter(s)), want, s)
	}
	for _, c := range []struct {
		search []string
		count  int
		want   int
	}{{nil, 0, 1}, {[]string{"a=1,2", "b=x,y,z"}, 0, 6}, {[]string{"a=1..2"}, 5, 5}} {
		testkit.Equal(t, len(testkit.Must(Parse(c.search, c.count, 1))(t)), c.want, c.search, "candidates")
	}
}
