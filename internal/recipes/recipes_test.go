package recipes

import (
	"testing"

	"rao/internal/testkit"
	"rao/recipe"
)

func TestNames(t *testing.T) {
	s := &recipe.Signal{Channels: []string{"C3", "C4"}, Subtracted: []string{"M1", "M2"},
		SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 8, High: 12}, {Low: 12, High: 24}}}}
	testkit.EqualSlices(t, Inputs(s), []string{"C3", "C4", "M1", "M2"}, "inputs")
	testkit.EqualSlices(t, Names(s), []string{"C3 8-12", "C4 8-12", "C3 12-24", "C4 12-24"}, "names")
}
