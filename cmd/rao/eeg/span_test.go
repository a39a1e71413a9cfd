package eeg

import (
	"testing"

	"rao/internal/testkit"
)

func TestParseSpan(t *testing.T) {
	for _, text := range []string{"", "1", "0,0", "0.2,0", "a,b", "-1,0,1", "NaN,1", "-Inf,0"} {
		if s, err := parseSpan(text); err == nil {
			t.Errorf("%q is read as %v", text, s)
		}
	}
	testkit.Equal(t, testkit.Must(parseSpan(" -0.2, 0"))(t), [2]float64{-0.2, 0})
}
