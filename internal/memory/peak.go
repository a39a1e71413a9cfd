package memory

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// Peak measures the memory of the program's objects at intervals and records the maximum.
type Peak struct {
	quit, done chan struct{}
	peak       uint64
}

// WatchPeak runs the garbage collector and then starts measuring.
func WatchPeak() *Peak {
	runtime.GC()
	w := &Peak{quit: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(w.done)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			w.sample()
			select {
			case <-tick.C:
			case <-w.quit:
				w.sample()
				return
			}
		}
	}()
	return w
}

func (w *Peak) sample() {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	w.peak = max(w.peak, s[0].Value.Uint64())
}

// Stop stops measuring and returns the peak in bytes.
func (w *Peak) Stop() uint64 {
	close(w.quit)
	<-w.done
	return w.peak
}
