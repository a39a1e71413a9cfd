package evaluate

import (
	"context"
	"testing"
)

// A panic of the caller's fit reaches the caller, who may recover, and not the process.
func TestPanicsOfFitsReachTheCaller(t *testing.T) {
	defer func() {
		if v := recover(); v != "boom" {
			t.Errorf("recovered %v", v)
		}
	}()
	boom := func(int) { panic("boom") }
	_, _ = Search(context.Background(), []Candidate{{}, {}}, make([]Fold, 6), SearchOptions{},
		func(context.Context, Candidate, Fold) (*Scores, error) {
			boom(0)
			return nil, nil
		})
	t.Error("no panic")
}
