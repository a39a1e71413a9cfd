package eeg

import (
	"testing"

	"rao/eeg"
	"rao/internal/testkit"
)

func TestParseSpan(t *testing.T) {
	for _, text := range []string{"", "1", "0,0", "0.2,0", "a,b", "-1,0,1", "NaN,1", "-Inf,0"} {
		if s, err := parseSpan(text); err == nil {
			t.Errorf("%q is read as %v", text, s)
		}
	}
	testkit.Equal(t, testkit.Must(parseSpan(" -0.2, 0"))(t), eeg.Span{From: -0.2})
}
