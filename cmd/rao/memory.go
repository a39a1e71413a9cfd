package main

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// memoryWatch samples the memory that the program holds and keeps the largest.
type memoryWatch struct {
	quit, done chan struct{}
	peak       uint64
}

// watchMemory starts sampling from a clean heap.
func watchMemory() *memoryWatch {
	runtime.GC()
	w := &memoryWatch{quit: make(chan struct{}), done: make(chan struct{})}
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

func (w *memoryWatch) sample() {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	w.peak = max(w.peak, s[0].Value.Uint64())
}

// stop ends the sampling and returns the peak in bytes.
func (w *memoryWatch) stop() uint64 {
	close(w.quit)
	<-w.done
	return w.peak
}
