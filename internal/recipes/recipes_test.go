package recipes

import (
	"slices"
	"testing"

	"rao/recipe"
)

func TestNames(t *testing.T) {
	s := &recipe.Signal{Channels: []string{"C3", "C4"}, Subtracted: []string{"M1", "M2"},
		SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 8, High: 12}, {Low: 12, High: 24}}}}
	if got := Inputs(s); !slices.Equal(got, []string{"C3", "C4", "M1", "M2"}) {
		t.Errorf("inputs %v", got)
	}
	if got := Names(s); !slices.Equal(got, []string{"C3 8-12", "C4 8-12", "C3 12-24", "C4 12-24"}) {
		t.Errorf("names %v", got)
	}
}
