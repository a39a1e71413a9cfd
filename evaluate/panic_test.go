package evaluate

import (
	"context"
	"testing"
)

// A panic of the caller's fit reaches the caller, who may recover, and not the process.
func TestPanicsOfFitsReachTheCaller(t *testing.T) {
	folds := make([]Fold, 6)
	boom := func(int) { panic("boom") }
	for name, run := range map[string]func(){
		"cross-validation": func() {
			_, _ = CrossValidate(context.Background(), folds, func(context.Context, Fold) (*Scores, error) {
				boom(0)
				return nil, nil
			})
		},
		"search": func() {
			candidates := []Candidate{{}, {}}
			_, _ = Search(context.Background(), candidates, folds, SearchOptions{},
				func(context.Context, Candidate, Fold) (*Scores, error) {
					boom(0)
					return nil, nil
				})
		},
	} {
		func() {
			defer func() {
				if v := recover(); v != "boom" {
					t.Errorf("%s: recovered %v", name, v)
				}
			}()
			run()
			t.Errorf("%s: no panic", name)
		}()
	}
}
