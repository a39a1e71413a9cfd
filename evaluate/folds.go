package evaluate

import (
	"math"
	"math/rand/v2"
	"slices"

	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/scoring"
	"rao/internal/text"
)

// Fold divides the rows 0..N-1 into a training and a test set. Both are in ascending order.
type Fold struct {
	Train, Test []int
}

// StratifiedSplit divides rows at random. About testFraction of the rows of each class go to the test set (0 <
// testFraction < 1), and both sets get at least one row of each class. The same seed gives the same split.
//
// It returns an error if the fraction is outside (0,1), a label is negative, or a class has only one row.
func StratifiedSplit(labels []int, testFraction float64, seed uint64) (Fold, error) {
	var f Fold
	if !(testFraction > 0 && testFraction < 1) {
		return f, faults.Option("the test fraction is %g; it must be above 0 and below 1", testFraction)
	}
	classes, err := scoring.ByClass(labels)
	if err != nil {
		return f, err
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	for l, rows := range classes {
		if len(rows) == 0 {
			continue
		}
		if len(rows) == 1 {
			return f, faults.Count(1, 2,
				"class %d has only one row, row %d (both counted from 0), but a stratified split "+
					"needs at least two; add data or leave the class out", l, rows[0])
		}
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		k := min(max(int(math.Round(testFraction*float64(len(rows)))), 1), len(rows)-1)
		f.Test = append(f.Test, rows[:k]...)
		f.Train = append(f.Train, rows[k:]...)
	}
	slices.Sort(f.Test)
	slices.Sort(f.Train)
	return f, nil
}

// KFold divides n rows at random into k folds. Every row is in the test set of one fold, and the sizes of the test
// sets differ by at most one. It returns an error unless 2 <= k <= n.
func KFold(n, k int, seed uint64) ([]Fold, error) {
	if k < 2 || k > n {
		return nil, faults.Option("%d folds were requested for %s; the number of folds must be between 2 and the "+
			"number of rows", k, text.Plural(n, "row", "rows"))
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	fold := make([]int, n)
	for i, p := range rng.Perm(n) {
		fold[p] = i % k
	}
	return foldsOf(fold, k), nil
}

// StratifiedKFold divides the rows of each class at random into k folds, so each test set has nearly the class
// proportions of the data. It returns an error if k < 2, there are no rows, a label is negative, or a class that occurs
// has fewer than k rows.
func StratifiedKFold(labels []int, k int, seed uint64) ([]Fold, error) {
	if k < 2 {
		return nil, faults.Option("cross-validation needs at least 2 folds, not %d", k)
	}
	if len(labels) == 0 {
		return nil, faults.Count(0, k,
			"there are no rows to divide into %d folds; give at least as many rows as folds", k)
	}
	classes, err := scoring.ByClass(labels)
	if err != nil {
		return nil, err
	}
	for l, rows := range classes {
		if len(rows) > 0 && len(rows) < k {
			return nil, faults.Count(len(rows), k,
				"class %d (counted from 0) has %s, but there are %d folds; use at most as many "+
					"folds as the smallest class has rows", l, text.Plural(len(rows), "row", "rows"), k)
		}
	}
	return foldsOf(scoring.Deal(labels, k, rand.New(rand.NewPCG(seed, 3))), k), nil
}

// LeaveOneGroupOut returns one fold per group (subject, session, image), in ascending order of the group numbers. The
// test set of a fold is all rows of its group. It returns an error for fewer than two groups.
func LeaveOneGroupOut(groups []int) ([]Fold, error) {
	distinct := slices.Clone(groups)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	if len(distinct) < 2 {
		return nil, faults.Count(len(distinct), 2,
			"leaving one group out needs at least two groups, not %d", len(distinct))
	}
	fold := make([]int, len(groups))
	for i, g := range groups {
		fold[i], _ = slices.BinarySearch(distinct, g)
	}
	return foldsOf(fold, len(distinct)), nil
}

// foldsOf returns k folds; fold[i] is the fold that has row i in its test set.
func foldsOf(fold []int, k int) []Fold {
	count := indices.Tally(fold, k)
	out := make([]Fold, k)
	for f := range out {
		out[f].Test = make([]int, 0, count[f])
		out[f].Train = make([]int, 0, len(fold)-count[f])
	}
	for i, own := range fold {
		for f := range out {
			if f == own {
				out[f].Test = append(out[f].Test, i)
			} else {
				out[f].Train = append(out[f].Train, i)
			}
		}
	}
	return out
}
