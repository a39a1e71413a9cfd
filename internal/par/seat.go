package par

import (
	"runtime"
	"sync/atomic"
	"time"
)

// linger is how long a goroutine that has nothing to do stays awake: small loops
// follow each other closely, and to wake a sleeping thread takes tens of
// microseconds, as long as many of them run.
const linger = 200 * time.Microsecond

// seats is how many helpers may linger: small loops have no use for more.
const seats = 3

// seat is where a lingering helper finds its next loop.
type seat struct{ state atomic.Pointer[offer] }

// offer is a loop with the number of the worker who is to help.
type offer struct {
	loop   *loop
	worker int
}

// The states of a seat beside an offer; a vacant one has none.
var (
	waiting = new(offer) // somebody waits for an offer
	taken   = new(offer) // somebody works
)

var row [seats]seat

// recruit finds a helper for the loop: one who is awake, or a new goroutine, which
// lingers afterwards if there is a seat.
func recruit(l *loop, worker int) {
	for i := range row {
		if s := &row[i]; s.state.Load() == waiting && s.state.CompareAndSwap(waiting, &offer{l, worker}) {
			return
		}
	}
	go func() {
		l.help(worker)
		for i := range row {
			if s := &row[i]; s.state.Load() == nil && s.state.CompareAndSwap(nil, taken) {
				s.sit()
				return
			}
		}
	}()
}

// sit helps one loop after another for as long as they come. Between them it does chores.
func (s *seat) sit() {
	for {
		s.state.Store(waiting)
		for s.state.Load() == waiting && (doChore() || spin(s.called)) {
		}
		if s.state.CompareAndSwap(waiting, nil) {
			return // nobody came
		}
		o := s.state.Swap(taken)
		o.loop.help(o.worker)
	}
}

// called reports whether there is an offer or a chore.
func (s *seat) called() bool { return s.state.Load() != waiting || chore.Load() != nil }

// spin waits for ready, no longer than linger, and reports whether it came. Every
// now and then it lets other goroutines run.
func spin(ready func() bool) bool {
	const look, yield = 32, 256 // pauses between looks at the clock, and between turns of others
	var begin time.Time
	for i := 1; !ready(); i++ {
		pause()
		if i%look != 0 {
			continue
		}
		if begin.IsZero() {
			begin = time.Now()
		} else if time.Since(begin) > linger {
			return ready()
		}
		if i%yield == 0 {
			runtime.Gosched()
		}
	}
	return true
}
