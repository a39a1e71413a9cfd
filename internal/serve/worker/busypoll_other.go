//go:build !linux

package worker

// BusyPoll returns nil: on this system a worker sleeps between requests.
func BusyPoll(uintptr) func() { return nil }
