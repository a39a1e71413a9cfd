package study

import (
	"context"
	"errors"
	"strings"
	"testing"

	"rao"
	"rao/dataset"
	"rao/evaluate"
	"rao/internal/candidates"
	"rao/internal/testkit"
	"rao/method"
)

// tuning searches over the neighbors of knn-raw on small data.
func tuning(t *testing.T) *Tuning {
	t.Helper()
	m := testkit.Must(method.ParseSpec("knn-raw"))(t)
	list := testkit.Must(candidates.Parse([]string{"neighbors=1,3,5"}, 0, 1))(t)
	d := visits(2)
	folds := testkit.Must(Folds(d, d.Labels, nil, 3, 1))(t)
	return &Tuning{Data: d, Method: m, Candidates: list, Folds: folds, Score: "log_loss", Threshold: "f1"}
}

// A search reports every candidate, the best one with its options and, if a rule requests it, a threshold.
func TestTuning(t *testing.T) {
	s := tuning(t)
	r := testkit.Must(s.Run(t.Context()))(t)
	if value, _ := r.Chosen.Settings.Get("neighbors"); r.Best.String() != "neighbors="+value || len(r.Rows) != 3 ||
		r.Rows[r.At].Options.String() != r.Best.String() || !(r.Threshold > 0) {
		t.Errorf("best %s, chosen %s, %d rows, threshold %g", r.Best, r.Chosen, len(r.Rows), r.Threshold)
	}
	header, rows := r.Table()
	if len(header) != 5 || rows[r.At][4] != "best" {
		t.Errorf("%v, %v", header, rows)
	}
	s.Score = "auc"
	r = testkit.Must(s.Run(t.Context()))(t)
	if header, rows = r.Table(); len(header) != 6 || len(rows[0]) != 6 {
		t.Errorf("%v, %v", header, rows)
	}
	s.Candidates[2] = evaluate.Candidate{{Name: "neighbors", Value: "100000"}}
	r = testkit.Must(s.Run(t.Context()))(t)
	if _, rows = r.Table(); r.Rows[2].Error == "" || rows[2][1] != "failed" {
		t.Errorf("%v, %v", r.Rows[2], rows)
	}
}

// An interrupted search has failed, and its result has what was tried.
func TestInterruptedTuning(t *testing.T) {
	defer rao.SetParallelism(rao.SetParallelism(1))
	s := tuning(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.Monitor.Progress = func(string) (rao.Progress, func()) {
		return func(e rao.Event) {
			if e.Done == 4 { // the first fold of the second candidate
				cancel()
			}
		}, func() {}
	}
	r, err := s.Run(ctx)
	if r == nil || err == nil || !strings.Contains(err.Error(), "interrupted after 1 of 3 "+
		"candidates") || len(r.Rows) != 1 ||
		r.Best.String() != "neighbors=1" {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := s.Run(ctx); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("nothing tried: %v, %v", r, err)
	}
}

// A fit that does not end after an interruption does not delay the finished candidates.
func TestInterruptedTuningAbandonsFits(t *testing.T) {
	defer rao.SetParallelism(rao.SetParallelism(1))
	release := make(chan struct{})
	defer close(release)
	ctx, cancel := context.WithCancel(t.Context())
	folds := tuning(t).Folds
	candidates := tuning(t).Candidates
	r, err := evaluate.Search(ctx, candidates, folds, evaluate.SearchOptions{Abandon: true},
		func(_ context.Context, c evaluate.Candidate, _ evaluate.Fold) (*evaluate.Scores, error) {
			if c.String() == candidates[1].String() {
				cancel()
				<-release
			}
			return &evaluate.Scores{Accuracy: 1}, nil
		})
	if !errors.Is(err, context.Canceled) || r == nil || r.Trials[0].Mean == nil || r.Trials[1].Mean != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// The error of too many folds names the class and the number of folds that is possible.
func TestFoldsNameSmallClasses(t *testing.T) {
	d := visits(2)
	d.Classes = []string{"ant", "bee"}
	_, err := Folds(d, []int{0, 0, 0, 0, 0, 1, 1, 1}, nil, 5, 1)
	testkit.ErrorContains(t, err, "class bee has 3 rows, but there are 5 folds; set cv=3, or add rows")
	_, err = Folds(d, []int{0, 0, 0, 0, 0, 1}, nil, 5, 1)
	testkit.ErrorContains(t, err, "class bee has one row")
}

// The label cannot define the groups: each fold would have only a class that was not in the training data.
func TestLabelsAreNoGroups(t *testing.T) {
	d := visits(2)
	y := &dataset.Array{Shape: []int{d.N()}}
	for _, l := range d.Labels {
		y.Strings = append(y.Strings, d.Classes[l])
	}
	d.Vars["y"] = y
	_, err := Folds(d, d.Labels, []string{"y"}, 0, 0)
	testkit.ErrorContains(t, err, "option groups: each group contains all observations of one class", "label")
}
