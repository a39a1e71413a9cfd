package method

import (
	"testing"

	"rao/internal/testkit"
)

// A number without a kind means SQFA; a value that is not a number of filters is an error.
func TestReduceSpelledShort(t *testing.T) {
	for text, want := range map[string]reduceOption{"8": {"sqfa", 8}, "enuc:3": {"enuc", 3}, "none": {}} {
		var r reduceOption
		if err := r.UnmarshalText([]byte(text)); err != nil || r != want {
			t.Errorf("%s is %+v, %v", text, r, err)
		}
	}
	for _, text := range []string{"0", "-2", "8:2", "sqfa", "sqfa:x", "pca:3"} {
		testkit.Fails(t, new(reduceOption).UnmarshalText([]byte(text)), text, "is taken")
	}
}
