package par

import (
	"sync/atomic"
	"time"
)

// watchers counts the calls of [Watch] that have not ended, and outermost is the loop that they see.
var (
	watchers  atomic.Int64
	outermost atomic.Pointer[meter]
)

// meter counts the chunks of a loop.
type meter struct {
	done  atomic.Int64
	total int
	began time.Time
}

// Watch makes loops count their chunks for [Running], until end is called.
func Watch() (end func()) {
	watchers.Add(1)
	return func() { watchers.Add(-1) }
}

// Running returns how many chunks of the running loop are done, their total, and when the loop began. Of loops within
// loops, it is the outermost with more than one chunk. The total is 0 if no loop is running.
func Running() (done, total int, began time.Time) {
	m := outermost.Load()
	if m == nil {
		return 0, 0, time.Time{}
	}
	return int(m.done.Load()), m.total, m.began
}

// watch returns a body that counts its chunks, and the meter, which the caller stops after the loop. The meter is nil
// if nobody watches, or within another loop.
func watch(chunks int, body func(worker, lo, hi int)) (func(worker, lo, hi int), *meter) {
	m := &meter{total: chunks, began: time.Now()}
	if chunks < 2 || !outermost.CompareAndSwap(nil, m) {
		return body, nil
	}
	return func(worker, lo, hi int) {
		body(worker, lo, hi)
		m.done.Add(1)
	}, m
}

// Steps calls step(0) ... step(n−1) in order on the calling goroutine, until one fails, and returns its error. Use it
// for long loops that are not parallel, because [Running] counts their steps.
func Steps(n int, step func(i int) error) error {
	body := func(int, int, int) {}
	if watchers.Load() > 0 {
		var m *meter
		body, m = watch(n, body)
		defer m.stop()
	}
	for i := range n {
		if err := step(i); err != nil {
			return err
		}
		body(0, i, i+1)
	}
	return nil
}

func (m *meter) stop() {
	if m != nil {
		outermost.Store(nil)
	}
}
