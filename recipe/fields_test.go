package recipe

import (
	"testing"

	"rao/internal/testkit"
)

// Fields of a recipe have one spelling, and the error about another one contains the path to the field.
func TestFieldsHaveExactNames(t *testing.T) {
	for text, want := range map[string]string{
		`{"signal":{"rate":250,"channels":["a","b"],"causal":false,"window":2,"Bands":[]}}`: `"signal.Bands"`,
		`{"Signal":{"rate":250}}`:           `unknown field "Signal"`,
		`{"signal":{"RATE":250}}`:           `unknown field "signal.RATE"`,
		`{"signal":{"rate":250,"bnads":1}}`: `unknown field "signal.bnads", perhaps of a newer version`,
		`{"image":{"patches":{"Size":6}}}`:  `unknown field "image.patches.Size"`,
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(Parse([]byte(text))), want, text)
	}
}
