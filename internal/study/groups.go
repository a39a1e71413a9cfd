package study

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"rao"
	"rao/dataset"
	"rao/evaluate"
	"rao/internal/indices"
)

// Groups divides observations into groups. Each observation is in one group.
type Groups struct {
	Names []string
	Of    []int // group of each observation
}

// GroupsBy groups the data by the values of the variables, or by the combinations of values of several variables.
// Groups are in the order of their first observation.
func GroupsBy(d *dataset.Data, variables ...string) (*Groups, error) {
	values := make([]*dataset.Array, len(variables))
	for i, name := range variables {
		v, ok := d.Vars[name]
		if !ok {
			return nil, &rao.UnknownError{Kind: "variable", Name: name, Known: slices.Sorted(maps.Keys(d.Vars))}
		}
		if v.Len() != d.N() {
			return nil, fmt.Errorf("variable %s: the number of values is %d, but the number of observations is %d; "+
				"choose a variable with one value per observation", name, v.Len(), d.N())
		}
		values[i] = v
	}
	g := &Groups{Of: make([]int, d.N())}
	number := map[string]int{}
	for i := range g.Of {
		name := values[0].Text(i)
		if len(variables) > 1 {
			parts := make([]string, len(variables))
			for k, v := range values {
				parts[k] = variables[k] + " " + v.Text(i)
			}
			name = strings.Join(parts, ", ")
		}
		k, ok := number[name]
		if !ok {
			k = len(g.Names)
			number[name], g.Names = k, append(g.Names, name)
		}
		g.Of[i] = k
	}
	return g, nil
}

// Folds returns k random folds. With variables, the folds keep groups together, and each fold is one group if k is 0.
// Without variables, the folds are stratified if labels are given; without labels, k is limited to the number of
// observations.
func Folds(d *dataset.Data, labels []int, variables []string, k int, seed uint64) ([]evaluate.Fold, error) {
	switch {
	case len(variables) > 0:
		by, err := GroupsBy(d, variables...)
		if err != nil {
			return nil, rao.Optionf("groups", "{groups}: %w", err)
		}
		return by.Folds(labels, len(d.Classes), k, seed)
	case labels != nil:
		counts := indices.Tally(labels, len(d.Classes))
		for l, n := range counts {
			switch {
			case n == 1 && k > 1:
				return nil, fmt.Errorf("class %s has one row, but cross-validation needs at least two; leave the "+
					"class out or add rows", d.Classes[l])
			case n > 0 && n < k:
				return nil, rao.Optionf("cv", "class %s has %d rows, but there are %d folds; set {cv=%d}, or add rows",
					d.Classes[l], n, k, n)
			}
		}
		return evaluate.StratifiedKFold(labels, k, seed)
	}
	return evaluate.KFold(d.N(), min(k, d.N()), seed)
}

// Folds returns k random folds of groups; each fold is one group if k is 0. It returns an error if the groups are the
// classes.
func (g *Groups) Folds(labels []int, classes, k int, seed uint64) ([]evaluate.Fold, error) {
	if err := g.check(k); err != nil {
		return nil, err
	}
	if err := g.checkClasses(labels, classes); err != nil {
		return nil, err
	}
	fold := make([]int, len(g.Names))
	for f, groups := range g.folds(k, seed) {
		for _, of := range groups {
			fold[of] = f
		}
	}
	return evaluate.LeaveOneGroupOut(indices.Pick(fold, g.Of))
}

// areClasses reports whether each group contains exactly the observations of one class.
func (g *Groups) areClasses(labels []int, classes int) bool {
	class := make([]int, len(g.Names))
	for i, of := range g.Of {
		switch {
		case class[of] == 0:
			class[of] = labels[i] + 1
		case class[of] != labels[i]+1:
			return false
		}
	}
	return len(slices.Compact(slices.Sorted(slices.Values(class)))) == len(g.Names) && len(g.Names) == classes
}

// check returns an error unless there are at least two groups and at most as many folds as groups.
func (g *Groups) check(folds int) error {
	if len(g.Names) < 2 {
		return rao.Optionf("groups", "{groups}: all observations are in one group; choose a variable with at least "+
			"two values")
	}
	if folds > len(g.Names) {
		return rao.Optionf("cv", "{cv=%d} exceeds the number of groups, %d; use at most %d folds", folds, len(g.Names),
			len(g.Names))
	}
	return nil
}

// checkClasses returns an error if the groups are the classes. Folds that are given as groups are not checked.
func (g *Groups) checkClasses(labels []int, classes int) error {
	if labels != nil && !strings.HasPrefix(g.Names[0], "fold ") && g.areClasses(labels, classes) {
		return rao.Optionf("groups", "{groups}: each group contains all observations of one class, so a class that is "+
			"left out would be missing from the training data; choose other groups")
	}
	return nil
}

// folds returns the groups that are left out in each of n random folds, or one group per fold if n is 0.
func (g *Groups) folds(n int, seed uint64) [][]int {
	order := indices.Range(len(g.Names))
	if n == 0 {
		n = len(order)
	} else {
		rng := rand.New(rand.NewPCG(seed, 7))
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	out := make([][]int, n)
	for i, k := range order {
		out[i%n] = append(out[i%n], k)
	}
	for _, groups := range out {
		slices.Sort(groups)
	}
	return out
}

// OneGroup puts all n observations into one group.
func OneGroup(n int) *Groups { return &Groups{Names: []string{"1"}, Of: make([]int, n)} }

func where(n int, holds func(i int) bool) (rows []int) {
	for i := range n {
		if holds(i) {
			rows = append(rows, i)
		}
	}
	return rows
}
