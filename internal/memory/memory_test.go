package memory

import (
	"runtime"
	"testing"

	"rao/internal/testkit"
)

// A job that fits in memory passes. The error for another job names its largest part and the remedy.
func TestCheck(t *testing.T) {
	t.Setenv("RAO_MEMORY", "100")
	testkit.Equal(t, Free(), 100<<20, "bytes are free")
	testkit.NoError(t, Check("job", Distances(8, 60)))
	for want, f := range map[string]Footprint{
		"job would need about 126 MiB, most of it for the covariances of 10 classes in 1200 columns, but only 100 " +
			"MiB is free; use fewer columns": Statistics(10, 1200),
		"the pairs of 10 classes in 1200 columns":                ClassDistances(10, 1200),
		"the distances of 5000 matrices":                         Distances(5000, 4),
		"4000 matrices of order 60":                              Distances(4000, 60),
		"1.2 GiB, most of it for the covariances of 100 classes": Statistics(100, 1250),
	} {
		testkit.ErrorContains(t, Check("job", f), want, "does not contain")
	}
}

// Two simultaneous jobs need the sum of their memory, and the error names the larger part of the two.
func TestFootprintsAddUp(t *testing.T) {
	var a, b Footprint
	a.Add(10, "ten", "")
	a.Add(20, "twenty", "fewer")
	b.Add(15, "fifteen", "")
	if both := b.Plus(a); both.Bytes != 8*45 || both.What != "twenty" || both.Remedy != "fewer" || both.Largest != 160 {
		t.Errorf("%+v", both)
	}
	testkit.Equal(t, Summation(2, 10).Bytes-Statistics(2, 10).Bytes, 4*1024*20, "bytes of a summation",
		"beyond its statistics")
}

func TestPeak(t *testing.T) {
	p := WatchPeak()
	block := make([]byte, 64<<20)
	peak := p.Stop() // which samples once more
	runtime.KeepAlive(block)
	if peak < 64<<20 || peak > 1<<30 {
		t.Errorf("peak %d bytes with 64 MiB held", peak)
	}
}

// The system reports how much memory is free, or nothing.
func TestFreeOfThisMachine(t *testing.T) {
	t.Setenv("RAO_MEMORY", "")
	if free := Free(); free < 1<<20 && free != 0 {
		t.Errorf("%g bytes are free", free)
	}
}
