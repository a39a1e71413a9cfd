package par

import (
	"testing"

	"rao/internal/testkit"
)

// A watched loop counts its chunks, and not those of loops within it. A loop of one chunk leaves this to them.
func TestWatchedLoopsCountTheirChunks(t *testing.T) {
	counted := func() (done, total int) {
		done, total, _ = Running()
		return done, total
	}
	loops := func(n int) (done, total int) {
		For(1, 1, func(_, _, _ int) {
			For(n, 1, func(_, k, _ int) {
				For(9, 1, func(_, _, _ int) {})
				if k == n-1 {
					done, total = counted()
				}
			})
		})
		return done, total
	}
	_, total := loops(4)
	testkit.Equal(t, total, 0, "without Watch")
	end := Watch()
	defer end()
	done, total := loops(4)
	if total != 4 || done > 3 {
		t.Errorf("%d of %d chunks", done, total)
	}
	_, total = counted()
	testkit.Equal(t, total, 0, "after the loop")
	func() {
		defer func() { recover() }()
		For(3, 1, func(_, _, _ int) { panic("body") })
	}()
	_, total = counted()
	testkit.Equal(t, total, 0, "after a panic")
	testkit.NoError(t, Steps(5, func(i int) error {
		done, total = counted()
		testkit.Equal(t, [2]int{done, total}, [2]int{i, 5}, "step")
		return nil
	}))
	_, total = counted()
	testkit.Equal(t, total, 0, "after steps")
}
