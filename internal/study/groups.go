package study

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rao"
	"rao/dataset"
	"rao/evaluate"
	"rao/internal/suggest"
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
			return nil, suggest.Unknown("variable", name, slices.Sorted(maps.Keys(d.Vars)))
		}
		if v.Len() != d.N() {
			return nil, fmt.Errorf("variable %s has %d values for %d observations; groups need one value per "+
				"observation", name, v.Len(), d.N())
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

// Folds returns folds that leave out one group of the variables at a time. Without variables it returns k random folds,
// which are stratified if labels are given; without labels, k is limited to the number of observations.
func Folds(d *dataset.Data, labels []int, variables []string, k int, seed uint64) ([]evaluate.Fold, error) {
	switch {
	case len(variables) > 0:
		by, err := GroupsBy(d, variables...)
		if err != nil {
			return nil, rao.Optionf("groups", "{groups}: %w", err)
		}
		return evaluate.LeaveOneGroupOut(by.Of)
	case labels != nil:
		return evaluate.StratifiedKFold(labels, k, seed)
	}
	return evaluate.KFold(d.N(), min(k, d.N()), seed)
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
