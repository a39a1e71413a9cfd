package show

import (
	"slices"
	"strings"
	"testing"

	"rao/model"
)

// The shape of images is the given one, or the shape in the data, or a square.
func TestImageSize(t *testing.T) {
	for _, c := range []struct {
		in    model.Schema
		size  string
		shape [3]int
		said  string
	}{
		{model.Schema{Dim: 12, Image: [3]int{3, 4, 1}}, "", [3]int{3, 4, 1}, ""},
		{model.Schema{Dim: 784}, "", [3]int{28, 28, 1}, "28×28"},
		{model.Schema{Dim: 12}, "", [3]int{}, "12 is not a square number"},
		{model.Schema{Dim: 4, Columns: []string{"a", "b", "c", "d"}}, "", [3]int{}, "have names"},
		{model.Schema{Dim: 12}, "2x2x3", [3]int{2, 2, 3}, ""},
	} {
		shape, said, err := imageSize(&c.in, c.size)
		if err != nil || !slices.Equal(shape[:], c.shape[:]) || !strings.Contains(said, c.said) ||
			(c.said == "") != (said == "") {
			t.Errorf("%+v: %v, %q, %v", c, shape, said, err)
		}
	}
}
