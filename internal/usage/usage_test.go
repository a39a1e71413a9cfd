package usage

import (
	"os"
	"testing"
)

func TestUsageGrows(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc on this system")
	}
	ResetPeak()
	before, began := Peak(), Processor()
	held := make([]byte, 64<<20)
	for round := 0; Processor() < began+0.05; round++ {
		for i := range held {
			held[i] += byte(round)
		}
	}
	if grown := Peak() - before; grown < 50<<20 {
		t.Errorf("64 MiB raised the peak by %.0f bytes", grown)
	}
	if held[0] == 0 && held[1] != 0 {
		t.Error("not reached")
	}
}
