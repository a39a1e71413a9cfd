package evaluate

import (
	"context"
	"testing"

	"rao/internal/testkit"
)

// A panic of the caller's fit occurs on the goroutine of the caller, who can recover it, and does not end the process.
func TestPanicsOfFitsReachTheCaller(t *testing.T) {
	boom := func(int) { panic("boom") }
	testkit.Equal(t, testkit.Panic(func() {
		_, _ = Search(context.Background(), []Candidate{{}, {}}, make([]Fold, 6), SearchOptions{},
			func(context.Context, Candidate, Fold) (*Scores, error) {
				boom(0)
				return nil, nil
			})
	}), any("boom"))
}
