package evaluate

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"rao"
	"rao/internal/testkit"
)

// partition fails unless train and test are ascending and together 0..n-1.
func partition(t *testing.T, f Fold, n int) {
	t.Helper()
	if !slices.IsSorted(f.Train) || !slices.IsSorted(f.Test) {
		t.Error("rows are not ascending")
	}
	all := append(slices.Clone(f.Train), f.Test...)
	slices.Sort(all)
	for i, v := range all {
		if i != v {
			t.Fatalf("row %d occurs twice or never", i)
		}
	}
	if len(all) != n {
		t.Fatalf("%d rows of %d", len(all), n)
	}
}

func someLabels() []int {
	var y []int
	for i := range 103 {
		y = append(y, []int{0, 0, 0, 3, 1, 0, 3}[i%7])
	}
	return y
}

func count(labels, rows []int) []int {
	c := make([]int, 4)
	for _, r := range rows {
		c[labels[r]]++
	}
	return c
}

func TestStratifiedSplitKeepsProportions(t *testing.T) {
	y := someLabels()
	f := testkit.Must(StratifiedSplit(y, 0.25, 1))(t)
	partition(t, f, len(y))
	all, test := count(y, append(slices.Clone(f.Train), f.Test...)), count(y, f.Test)
	for c := range all {
		if d := float64(test[c]) - 0.25*float64(all[c]); d > 0.5 || d < -0.5 {
			t.Errorf("class %d: %d of %d", c, test[c], all[c])
		}
	}
	again, _ := StratifiedSplit(y, 0.25, 1)
	other, _ := StratifiedSplit(y, 0.25, 2)
	if !reflect.DeepEqual(f, again) || reflect.DeepEqual(f, other) {
		t.Error("the seed must decide the split")
	}
}

func TestFoldsPartition(t *testing.T) {
	y := someLabels()
	plain := testkit.Must(KFold(len(y), 5, 3))(t)
	stratified := testkit.Must(StratifiedKFold(y, 5, 3))(t)
	all := count(y, append(slices.Clone(plain[0].Train), plain[0].Test...))
	for _, folds := range [][]Fold{plain, stratified} {
		var tests []int
		for _, f := range folds {
			partition(t, f, len(y))
			if len(f.Test) < 20 || len(f.Test) > 21 {
				t.Errorf("fold of %d rows", len(f.Test))
			}
			tests = append(tests, f.Test...)
		}
		slices.Sort(tests)
		testkit.Equal(t, len(slices.Compact(tests)), len(y), "test parts overlap or leave rows out")
	}
	for _, f := range stratified {
		for c, k := range count(y, f.Test) {
			if d := float64(k) - float64(all[c])/5; d >= 1 || d <= -1 {
				t.Errorf("class %d: %d rows in a fold, %d in all", c, k, all[c])
			}
		}
	}
}

func TestLeaveOneGroupOut(t *testing.T) {
	folds := testkit.Must(LeaveOneGroupOut([]int{7, 2, 7, -1, 2}))(t)
	want := []Fold{{Train: []int{0, 1, 2, 4}, Test: []int{3}}, {Train: []int{0, 2, 3}, Test: []int{1, 4}},
		{Train: []int{1, 3, 4}, Test: []int{0, 2}}}
	if !reflect.DeepEqual(folds, want) {
		t.Errorf("got %v", folds)
	}
}

func TestSplitsSayWhatIsWrong(t *testing.T) {
	check := func(err error, want string) {
		t.Helper()
		testkit.ErrorContains(t, err, want)
	}
	_, err := StratifiedSplit([]int{0, 0, 1}, 0.5, 0)
	check(err, "class 1 has only one row, row 2 (both counted from 0)")
	_, err = StratifiedSplit([]int{0, 0}, 1, 0)
	check(err, "above 0 and below 1")
	_, err = StratifiedSplit([]int{0, -2}, 0.5, 0)
	check(err, "row 1 has label -2; labels must be 0 or more")
	_, err = KFold(3, 4, 0)
	check(err, "between 2 and the number of rows")
	_, err = StratifiedKFold([]int{0, 0, 0, 1, 1}, 3, 0)
	check(err, "class 1 (counted from 0) has 2 rows, but there are 3 folds")
	_, err = StratifiedKFold([]int{0, 0, 0}, 1, 0)
	check(err, "at least 2")
	_, err = StratifiedKFold(nil, 2, 0)
	check(err, "no rows")
	_, err = LeaveOneGroupOut([]int{4, 4})
	check(err, "leaving one group out needs at least two groups, not 1")
}

// scoreOf returns the scores of a fake fit with the given accuracy.
func scoreOf(accuracy float64) *Scores {
	return &Scores{Accuracy: accuracy, LogLoss: accuracy, Confusion: [][]int{{1, 0}, {2, 3}}}
}

func TestGridIsEveryCombination(t *testing.T) {
	g := testkit.Must(Grid([]Parameter{{Name: "a", Values: []string{"1", "2"}}, {Name: "b", Values: []string{"x", "y",
		"z"}}}))(t)
	var got []string
	for _, c := range g {
		got = append(got, c.String())
	}
	want := []string{"a=1 b=x", "a=1 b=y", "a=1 b=z", "a=2 b=x", "a=2 b=y", "a=2 b=z"}
	testkit.EqualSlices(t, got, want, "got")
	if v, ok := g[4].Get("b"); v != "y" || !ok {
		t.Errorf("b is %q", v)
	}
	if _, ok := g[4].Get("c"); ok {
		t.Error("found an option that is not there")
	}
}

func TestRandomStaysInRange(t *testing.T) {
	params := []Parameter{{Name: "log", Low: 1e-3, High: 10, Log: true}, {Name: "int", Low: 2, High: 4, Integer: true},
		{Name: "set", Values: []string{"u", "v"}}}
	cs := testkit.Must(Random(params, 300, 5))(t)
	small, ints := 0, map[string]int{}
	for _, c := range cs {
		var v float64
		s, _ := c.Get("log")
		if _, err := fmt.Sscan(s, &v); err != nil || v < 1e-3*(1-1e-6) || v > 10*(1+1e-6) {
			t.Fatalf("log parameter %q", s)
		}
		if v < 0.1 {
			small++
		}
		i, _ := c.Get("int")
		ints[i]++
	}
	if small < 110 || small > 190 {
		t.Errorf("%d of 300 in the lower half of the decades", small)
	}
	if len(ints) != 3 || ints["2"]+ints["3"]+ints["4"] != 300 {
		t.Errorf("whole numbers %v", ints)
	}
	again, _ := Random(params, 300, 5)
	if !reflect.DeepEqual(cs, again) {
		t.Error("same seed, other candidates")
	}
}

func TestParametersThatCannotBeSearched(t *testing.T) {
	list := []string{"1"}
	for _, c := range []struct {
		params []Parameter
		grid   bool
		want   string
	}{
		{nil, true, "at least one parameter"},
		{[]Parameter{{Name: "a"}}, true, `"a" has no list of values`},
		{[]Parameter{{Name: "a", Values: list}, {Name: "a", Values: list}}, true, `"a" is given twice`},
		{[]Parameter{{Values: list}}, true, "no name"},
		{[]Parameter{{Name: "a", Low: 2, High: 1}}, false, "range from 2 to 1 is empty"},
		{[]Parameter{{Name: "a", Low: 0, High: 1, Log: true}}, false, "must start above 0"},
	} {
		_, err := Random(c.params, 3, 0)
		if c.grid {
			_, err = Grid(c.params)
		}
		testkit.ErrorContains(t, err, c.want)
	}
	big := make([]string, 1001)
	for i := range big {
		big[i] = fmt.Sprint(i)
	}
	testkit.ErrorContains(t, testkit.ErrorOf(Grid([]Parameter{{Name: "a", Values: big}, {Name: "b", Values: big}})),
		"draw some of them", "for a huge grid")
}

func TestSearchPicksTheBestAtAnyParallelism(t *testing.T) {
	folds, _ := KFold(12, 3, 0)
	grid, _ := Grid([]Parameter{{Name: "a", Values: []string{"0.2", "0.8", "0.5", "0.8", "bad"}}})
	fit := func(_ context.Context, c Candidate, f Fold) (*Scores, error) {
		v, _ := c.Get("a")
		var a float64
		if _, err := fmt.Sscan(v, &a); err != nil {
			return nil, errors.New("not a number")
		}
		return scoreOf(a + float64(f.Test[0])*1e-3), nil
	}
	var first *SearchResult
	for _, procs := range []int{1, 2, 8} {
		old := runtime.GOMAXPROCS(procs)
		r, err := Search(context.Background(), grid, folds, SearchOptions{}, fit)
		runtime.GOMAXPROCS(old)
		testkit.NoError(t, err)
		testkit.Equal(t, r.Best, 1, "best candidate, the first of two at 0.8")
		if e := r.Trials[4].Err; e == nil || e.Error() != "a=bad, fold 1 of 3: not a number" ||
			r.Trials[4].Mean != nil {
			t.Errorf("failed candidate: %v", e)
		}
		testkit.Equal(t, r.Trials[0].Mean.Confusion[1][0], 6, "confusion matrices add up to", r.Trials[0].Mean)
		if first == nil {
			first = r
		} else if !reflect.DeepEqual(first.Trials[:4], r.Trials[:4]) {
			t.Error("results depend on the number of processors")
		}
	}
	low := testkit.Must(Search(context.Background(), grid, folds, SearchOptions{Score: "log_loss"}, fit))(t)
	testkit.Equal(t, low.Best, 0, "least log loss: candidate")
}

// A canceled search keeps finished candidates and drops unfinished ones.
func TestCanceledSearchKeepsWhatFinished(t *testing.T) {
	folds, _ := KFold(4, 2, 0)
	grid, _ := Grid([]Parameter{{Name: "a", Values: []string{"1", "2", "3"}}})
	ctx, cancel := context.WithCancel(context.Background())
	fits := 0
	fit := func(context.Context, Candidate, Fold) (*Scores, error) {
		if fits++; fits == 4 { // the second fold of the second candidate
			cancel()
		}
		return &Scores{Accuracy: float64(fits)}, nil
	}
	defer rao.SetParallelism(rao.SetParallelism(1))
	r, err := Search(ctx, grid, folds, SearchOptions{}, fit)
	if !errors.Is(err, context.Canceled) || r == nil {
		t.Fatalf("result %v, error %v", r, err)
	}
	if r.Best != 0 || r.Trials[0].Err != nil {
		t.Errorf("best %d, error of the finished candidate %v", r.Best, r.Trials[0].Err)
	}
	for k, trial := range r.Trials[1:] {
		if trial.Mean != nil || !errors.Is(trial.Err, context.Canceled) {
			t.Errorf("candidate %d: %+v, want the context's error alone", k+1, trial)
		}
	}
}

func TestSearchErrors(t *testing.T) {
	folds, _ := KFold(4, 2, 0)
	grid, _ := Grid([]Parameter{{Name: "a", Values: []string{"1"}}})
	fail := func(context.Context, Candidate, Fold) (*Scores, error) { return nil, errors.New("boom") }
	testkit.ErrorContains(t, testkit.ErrorOf(Search(context.Background(), grid, folds, SearchOptions{}, fail)),
		"every candidate failed, the first one with: a=1, fold 1 of 2: boom")
	testkit.ErrorContains(t, testkit.ErrorOf(Search(context.Background(), grid, folds, SearchOptions{Score: "beauty"},
		fail)), "balanced_accuracy")
	if _, err := Search(testkit.Canceled(), grid, folds, SearchOptions{}, fail); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after canceling", err)
	}
}

func TestScoresAreMeansOverTheFolds(t *testing.T) {
	folds, _ := KFold(9, 3, 0)
	k := 0
	order := map[int]float64{}
	for _, f := range folds {
		order[f.Test[0]] = []float64{0.5, 0.6, 0.7}[k]
		k++
	}
	r := testkit.Must(Search(context.Background(), []Candidate{nil}, folds, SearchOptions{},
		func(_ context.Context, _ Candidate, f Fold) (*Scores, error) { return scoreOf(order[f.Test[0]]), nil }))(t)
	cv := r.Trials[0]
	testkit.Equal(t, cv.Folds[2].Accuracy, 0.7, "accuracy of the third fold")
	testkit.Near(t, cv.Mean.Accuracy, 0.6, 1e-15, "mean accuracy")
	testkit.Near(t, cv.AccuracySD, 0.1, 1e-12, "standard deviation of the accuracy")
}
