package experiment

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// An experiment that is cancelled ends soon, with the error of its context: fits that
// were cut short are not counted. Each runs in its full form, which takes minutes.
func TestCancelledExperimentsStop(t *testing.T) {
	for _, e := range List() {
		if e.Paper != "PLRSQ" {
			continue
		}
		t.Run(e.ID, func(t *testing.T) {
			if m := e.Missing(); len(m) > 0 {
				t.Skipf("needs the data set %s", m[0])
			}
			ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
			defer cancel()
			start := time.Now()
			res, err := e.Run(ctx, Run{Seed: 1})
			if err == nil && time.Since(start) < 300*time.Millisecond {
				return // it was quicker
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got result %v and error %v", res != nil, err)
			}
			if late := time.Since(start); late > 30*time.Second {
				t.Errorf("ended after %v", late)
			}
		})
	}
}

// The first error in the order of the jobs is the one returned, whatever ran first.
func TestEachReturnsTheFirstErrorInOrder(t *testing.T) {
	ran := make([]bool, 9)
	err := each(context.Background(), len(ran), func(i int) error {
		ran[i] = true
		if i == 3 || i == 7 {
			return errors.New(strings.Repeat("x", i))
		}
		return nil
	})
	if err == nil || err.Error() != "xxx" {
		t.Errorf("got %v", err)
	}
	if slices.Contains(ran, false) {
		t.Errorf("jobs that ran: %v", ran)
	}
}
