package evaluate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Fold is a division of the rows 0..N-1 into a training and a test part, both ascending.
type Fold struct {
	Train, Test []int
}

// byClass lists the rows of each label, in the order of the rows. It returns an
// error for a negative label.
func byClass(labels []int) ([][]int, error) {
	var out [][]int
	for i, l := range labels {
		if l < 0 {
			return nil, fmt.Errorf("row %d has the negative label %d", i, l)
		}
		for len(out) <= l {
			out = append(out, nil)
		}
		out[l] = append(out[l], i)
	}
	return out, nil
}

// StratifiedSplit divides rows at random. The test part gets about the fraction testFraction (0 < testFraction < 1) of
// each class, and each part gets at least one row of each class. The same seed gives the same split.
//
// It returns an error if the fraction is outside (0,1) or a class that occurs has
// a single row.
func StratifiedSplit(labels []int, testFraction float64, seed uint64) (Fold, error) {
	var f Fold
	if !(testFraction > 0 && testFraction < 1) {
		return f, fmt.Errorf("test fraction %g is not between 0 and 1", testFraction)
	}
	classes, err := byClass(labels)
	if err != nil {
		return f, err
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	for l, rows := range classes {
		if len(rows) == 0 {
			continue
		}
		if len(rows) == 1 {
			return f, fmt.Errorf("class %d has one row (row %d); a stratified split needs at least two, so add data "+
				"or drop the class", l, rows[0])
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

// KFold divides n rows at random into k folds whose sizes differ by at most one; each is the test part once. It
// returns an error unless 2 <= k <= n.
func KFold(n, k int, seed uint64) ([]Fold, error) {
	if k < 2 || k > n {
		return nil, fmt.Errorf("%d folds of %d rows: the number of folds must be between 2 and the number of rows",
			k, n)
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	fold := make([]int, n)
	for i, p := range rng.Perm(n) {
		fold[p] = i % k
	}
	return foldsOf(fold, k), nil
}

// StratifiedKFold divides the rows of each class at random into k folds. Each fold has the class proportions of all
// rows, as nearly as possible. It returns an error unless k >= 2 and every class that occurs has at least k rows.
func StratifiedKFold(labels []int, k int, seed uint64) ([]Fold, error) {
	if k < 2 {
		return nil, fmt.Errorf("%d folds: cross-validation needs at least 2", k)
	}
	if len(labels) == 0 {
		return nil, fmt.Errorf("%d folds of no rows", k)
	}
	classes, err := byClass(labels)
	if err != nil {
		return nil, err
	}
	for l, rows := range classes {
		if len(rows) > 0 && len(rows) < k {
			return nil, fmt.Errorf("class %d has %d rows, fewer than the %d folds; use fewer folds", l, len(rows), k)
		}
	}
	return Deal(labels, k, rand.New(rand.NewPCG(seed, 3))), nil
}

// Deal shuffles the rows of each class and deals them into k folds. Each class continues where the previous one ended,
// so small classes do not all miss the same fold. Empty folds are left out. It panics if k < 1 or a label is negative.
func Deal(labels []int, k int, rng *rand.Rand) []Fold {
	classes, err := byClass(labels)
	if err != nil || k < 1 {
		panic(fmt.Sprintf("evaluate: %d folds, %v", k, err))
	}
	fold := make([]int, len(labels))
	next := 0
	for _, rows := range classes {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		for _, r := range rows {
			fold[r] = next % k
			next++
		}
	}
	return foldsOf(fold, min(k, next))
}

// LeaveOneGroupOut returns one fold per group (subject, session, image), in ascending order of group number, with all
// rows of the group as the test part. It returns an error for fewer than two groups.
func LeaveOneGroupOut(groups []int) ([]Fold, error) {
	distinct := slices.Clone(groups)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	if len(distinct) < 2 {
		return nil, fmt.Errorf("leaving one group out needs at least two groups, there are %d", len(distinct))
	}
	fold := make([]int, len(groups))
	for i, g := range groups {
		fold[i], _ = slices.BinarySearch(distinct, g)
	}
	return foldsOf(fold, len(distinct)), nil
}

// foldsOf turns each row's fold number into the k folds.
func foldsOf(fold []int, k int) []Fold {
	count := make([]int, k)
	for _, f := range fold {
		count[f]++
	}
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
