package worker

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

const (
	patience = 100 * time.Microsecond // how long a worker looks for the next request
	// how long it does not look once that has kept others from their work: twice as long each time
	// until a hundred looks have not
	shortest, longest = 5 * time.Millisecond, 500 * time.Millisecond
	peace             = 100
)

// BusyPoll returns a function that looks for input of a descriptor for a moment; see [Options]. It is
// nil where there is one processor, which the program that asks needs.
//
// On a busy machine a process that looks is made to wait when it has something to do. So it leaves
// it for a while when others had to take the processor from it.
func BusyPoll(descriptor uintptr) func() {
	if runtime.NumCPU() < 2 {
		return nil
	}
	var before time.Time
	leave, looks := shortest, 0
	return func() {
		start := time.Now()
		if start.Before(before) {
			return
		}
		runtime.LockOSThread() // two threads' counts say nothing
		defer runtime.UnlockOSThread()
		taken := timesTaken()
		p := [1]unix.PollFd{{Fd: int32(descriptor), Events: unix.POLLIN}}
		for time.Since(start) < patience {
			if n, _ := unix.Poll(p[:], 0); n > 0 {
				break
			}
		}
		if timesTaken() != taken {
			before = time.Now().Add(leave)
			leave, looks = min(2*leave, longest), 0
		} else if looks++; looks == peace {
			leave = shortest
		}
	}
}

// timesTaken is how often the processor was taken from this thread.
func timesTaken() int64 {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_THREAD, &u)
	return int64(u.Nivcsw)
}
