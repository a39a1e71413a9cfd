package serve

import (
	"testing"

	"rao/cmd/rao/internal/tooltest"
)

// Numbers in the JSON of the commands for serving are numbers.
func TestJSONHasTypes(t *testing.T) {
	tooltest.JSON(t, t.TempDir(), []string{
		"data make toy1 --per-class 20 --out @t.npz", "fit qda-raw --data @t.npz --out @m.rao",
		"export onnx --model @m.rao --out @m.onnx",
	})
}
