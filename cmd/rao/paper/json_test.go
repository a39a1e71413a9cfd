package paper

import (
	"testing"

	"rao/cmd/rao/internal/tooltest"
)

// In the JSON output of the rao paper commands, numbers are JSON numbers, not strings.
func TestJSONHasTypes(t *testing.T) {
	tooltest.JSON(t, t.TempDir(), []string{"paper list", "paper run sqfa-fig2 --short --out @results",
		"paper bench --python none --repeats 1 --cases 5×5"})
}
