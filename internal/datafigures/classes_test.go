package datafigures

import (
	"strings"
	"testing"
)

// byBand accepts only bands that have the same electrodes in the same order.
func TestByBand(t *testing.T) {
	for _, c := range []struct {
		channels string
		bands    int
	}{{"C3,Cz,C4", 1}, {"C3 8-12,C4 8-12,C3 18-26,C4 18-26", 2}, {"C3 8-12,C4 8-12,C4 18-26,C3 18-26", 0},
		{"C3 8-12,C4 8-12,C3 18-26", 0}} {
		_, bands, ok := byBand(strings.Split(c.channels, ","))
		if ok != (c.bands > 0) || ok && len(bands) != c.bands {
			t.Errorf("%s: %q, %v", c.channels, bands, ok)
		}
	}
}
