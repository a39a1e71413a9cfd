package naming

import (
	"testing"

	"rao/internal/testkit"
)

// Twice returns the name whose second occurrence is first. An empty name counts like any other.
func TestTwice(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
		ok    bool
	}{{nil, "", false}, {[]string{"a", "b"}, "", false}, {[]string{"b", "a", "a", "b"}, "a", true},
		{[]string{"", "a", ""}, "", true}} {
		name, ok := Twice(c.names)
		testkit.Equal(t, name, c.want, c.names)
		testkit.Equal(t, ok, c.ok, c.names)
	}
}
