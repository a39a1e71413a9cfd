package eeg

import (
	"testing"

	"rao/eeg"
)

func TestParseSpan(t *testing.T) {
	for _, text := range []string{"", "1", "0,0", "0.2,0", "a,b", "-1,0,1", "NaN,1", "-Inf,0"} {
		if s, err := parseSpan(text); err == nil {
			t.Errorf("%q is read as %v", text, s)
		}
	}
	if s, err := parseSpan(" -0.2, 0"); err != nil || s != (eeg.Span{From: -0.2}) {
		t.Errorf("%v, %v", s, err)
	}
}
