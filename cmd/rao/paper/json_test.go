package paper

import (
	"testing"

	"rao/cmd/rao/internal/tooltest"
)

// Numbers in the JSON of the commands for the papers are numbers.
func TestJSONHasTypes(t *testing.T) {
	tooltest.JSON(t, t.TempDir(), []string{"paper list", "paper run sqfa-fig2 --short --out @results",
		"paper bench --python none --rounds 1 --filter 5×5"})
}
