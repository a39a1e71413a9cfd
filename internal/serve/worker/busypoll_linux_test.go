package worker

import (
	"os"
	"runtime"
	"testing"
	"time"
)

// A lookout ends with input, or after a moment.
func TestLookout(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	look := BusyPoll(in.Fd())
	if look == nil {
		if runtime.NumCPU() > 1 {
			t.Fatal("no lookout on several processors")
		}
		t.Skip("one processor")
	}
	least := time.Hour
	for range 20 {
		time.Sleep(time.Millisecond)
		start := time.Now()
		look()
		least = min(least, time.Since(start))
	}
	if least > 20*time.Millisecond {
		t.Errorf("it looks for %v", least)
	}
	if _, err := out.Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	look() // and does not read
	if n, err := in.Read(make([]byte, 2)); n != 1 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}
