package study

import (
	"context"
	"strings"
	"testing"
	"time"

	"rao"
	"rao/evaluate"
	"rao/internal/testkit"
)

// A comparison has a row for each method, with nearest neighbors on the features, and the reason if a method failed.
// Its page shows all rows.
func TestComparison(t *testing.T) {
	all := visits(2)
	train := all.Subset(where(all.N(), func(i int) bool { return i < 160 }))
	test := all.Subset(where(all.N(), func(i int) bool { return i >= 160 }))
	var notes []string
	c := &Comparison{Train: train, Test: test, Monitor: Monitor{Note: func(m string) { notes = append(notes, m) }}}
	list := methods(t, "lda", "mdm", "knn-raw")
	testkit.NoError(t, list[0].Set(evaluate.Setting{Name: "filters", Value: "1"}))
	c.Neighbors = 5
	if err := c.Estimate(list); err != nil || c.Stats == nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	r := c.Run(ctx, list)
	if len(r.Rows) != 3 || r.Rows[0].KNNAccuracy == nil || r.Rows[2].KNNAccuracy != nil || r.Rows[0].Accuracy < 0.75 ||
		r.Rows[0].PeakBytes == 0 {
		t.Fatalf("%+v", r.Rows[0])
	}
	if err := r.Err(ctx); err == nil || !strings.HasPrefix(err.Error(), "1 of 3 methods failed: mdm") {
		t.Errorf("error %v", err)
	}
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "mdm learns from SPD matrices") {
		t.Errorf("notes %q", notes)
	}
	testkit.NoError(t, c.Curve(ctx, r, list, 2))
	for k, row := range r.Rows {
		if points := len(row.Curve); points != 3 && k != 1 || k != 1 && row.Curve[2].Accuracy != row.Accuracy {
			t.Errorf("%s: %v", row.Method, row.Curve)
		}
	}
	testkit.ErrorContains(t, c.Curve(ctx, r, list, 12), "use fewer halvings")
	page := testkit.Must(c.Page(ctx, r, "footer"))(t)
	var headings []string
	for _, s := range page.Sections {
		headings = append(headings, s.Heading)
	}
	testkit.Equal(t, strings.Join(headings, ","), "Accuracy,Learning curves,lda:filters=1,knn-raw", "sections")
	if cells := page.Sections[0].Table.Rows[1]; !strings.HasPrefix(cells[1], "failed: mdm learns") {
		t.Errorf("%q", cells)
	}
}

// An interrupted comparison fails, even if most of it is printed.
func TestInterruptedComparisonFails(t *testing.T) {
	r := &Rows{Rows: []*Row{{Method: "pca"}, {Method: "lmnn"}}, notRun: 2}
	testkit.ErrorContains(t, r.Err(testkit.Canceled()), "interrupted during lmnn, with 2 methods still to run")
	testkit.NoError(t, r.Err(context.Background()), "without an interruption")
}

// After an interruption a comparison has the rows of the completed methods, even if the running method does not end.
func TestInterruptedComparisonKeepsRows(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	release := make(chan struct{})
	defer close(release)
	var notes []string
	monitor := Monitor{
		Abandon: true,
		Note:    func(m string) { notes = append(notes, m) },
		Progress: func(task string) (rao.Progress, func()) {
			return func(rao.Event) {
				if strings.HasPrefix(task, "sqfa") {
					cancel()
					select {
					case <-release:
					case <-time.After(10 * time.Second):
					}
				}
			}, func() {}
		}}
	c := &Comparison{Train: visits(2), Test: visits(2), Monitor: monitor}
	r := c.Run(ctx, methods(t, "lda", "sqfa"))
	_, rows := r.Table()
	if len(rows) != 2 || len(rows[0]) < 3 || rows[1][1] != "interrupted" || len(notes) > 0 {
		t.Errorf("rows %q, notes %q", rows, notes)
	}
	testkit.Equal(t, r.Err(ctx).Error(), "interrupted during sqfa; the table contains the completed methods", "error")

	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	d := visits(2)
	l := &LeaveOut{Data: d, Groups: groups(t, d, "subject"), Monitor: monitor}
	start := time.Now()
	left := testkit.Must(l.Run(ctx, methods(t, "lda", "sqfa")))(t)
	if len(left.Rows) != 1 || left.Rows[0].Method != "lda" || time.Since(start) > 5*time.Second {
		t.Errorf("%d rows after %v", len(left.Rows), time.Since(start))
	}
}

// A panic of a method reaches the caller, which may recover it, unless the program exits after an interruption.
func TestPanicsOfMethodsReachTheCaller(t *testing.T) {
	c := &Comparison{Train: visits(2), Test: visits(2), Monitor: Monitor{
		Progress: func(string) (rao.Progress, func()) { return func(rao.Event) { panic("progress") }, func() {} }}}
	defer func() { testkit.Equal(t, recover(), any("progress"), "panic") }()
	c.Run(context.Background(), methods(t, "sqfa"))
}
