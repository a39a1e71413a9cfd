package datafigures

import (
	"strings"
	"testing"
)

// Bands of other electrodes than the first are no rows of maps.
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
