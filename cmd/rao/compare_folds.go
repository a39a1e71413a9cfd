package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/evaluate"
	"rao/method"
)

// combinations numbers the combinations of the values of variables in the order in which
// they come.
func combinations(d *dataset.Data, variables []string) (of []int, names []string, err error) {
	if len(variables) == 1 {
		return groupsOf(d, variables[0])
	}
	parts := make([][]string, d.N())
	for _, v := range variables {
		one, values, err := groupsOf(d, v)
		if err != nil {
			return nil, nil, err
		}
		for i, k := range one {
			parts[i] = append(parts[i], v+" "+values[k])
		}
	}
	number := map[string]int{}
	for _, p := range parts {
		name := strings.Join(p, ", ")
		k, ok := number[name]
		if !ok {
			k = len(names)
			number[name], names = k, append(names, name)
		}
		of = append(of, k)
	}
	return of, names, nil
}

// heldOut returns the groups that each fold of a repeat leaves out: one at a time, or dealt
// to folds.
func (g *grouped) heldOut(repeat int, seed uint64) [][]int {
	order := make([]int, len(g.names))
	for k := range order {
		order[k] = k
	}
	if g.folds == 0 {
		out := make([][]int, len(order))
		for k := range out {
			out[k] = order[k : k+1]
		}
		return out
	}
	rng := rand.New(rand.NewPCG(seed+uint64(repeat), 7))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	out := make([][]int, g.folds)
	for i, k := range order {
		out[i%g.folds] = append(out[i%g.folds], k)
	}
	for _, held := range out {
		slices.Sort(held)
	}
	return out
}

// compareGroup leaves out every fold of groups for one method and way.
func (a *app) compareGroup(ctx context.Context, g *grouped, m *method.Method, way string,
	set method.Settings) *groupRow {
	row := &groupRow{Method: m.Name, Align: way}
	if g.tradeoff > 0 {
		row.Align += fmt.Sprintf(", tradeoff %g", g.tradeoff)
	}
	start := time.Now()
	show, done := a.progress(fmt.Sprintf("%s, %s", m.Name, way))
	defer done()
	seed := uint64(m.Count(set, "seed"))
	for repeat := range g.repeats {
		own := set
		if _, err := m.Option("seed"); err == nil && g.repeats > 1 {
			own = set.With("seed", strconv.FormatUint(seed+uint64(repeat), 10))
		}
		folds := g.heldOut(repeat, seed)
		for i, held := range folds {
			if err := g.score(ctx, row, repeat, held, m, way, own); err != nil {
				row.Error = fmt.Sprintf("group %s: %v", g.names[held[0]], err)
				return row
			}
			show.Send(rao.Event{Stage: "groups", Done: repeat*len(folds) + i + 1, Total: g.repeats * len(folds)})
		}
	}
	accuracy, kappa := make([]float64, len(row.Groups)), make([]float64, len(row.Groups))
	for i, s := range row.Groups {
		accuracy[i], kappa[i] = float64(s.Accuracy), float64(s.Kappa)
	}
	row.Accuracy, row.AccuracySD = meanSD(accuracy)
	row.Kappa, row.KappaSD = meanSD(kappa)
	row.Seconds = time.Since(start).Seconds()
	return row
}

// score learns from the other groups, decides on those held, and adds their scores to row.
func (g *grouped) score(ctx context.Context, row *groupRow, repeat int, held []int, m *method.Method, way string,
	set method.Settings) error {
	d, err := g.aligned(ctx, held[0], way)
	if err != nil {
		return err
	}
	var train, test []int
	for i, of := range g.of {
		switch {
		case !slices.Contains(held, of):
			train = append(train, i)
		case !g.calibrates[i]:
			test = append(test, i)
		}
	}
	if len(test) == 0 {
		return fmt.Errorf("all its observations calibrate, none is left to decide on")
	}
	mod, err := m.Fit(ctx, method.Source{Data: d.Subset(train), SpareData: true}, m.Only(set), nil)
	if err != nil && (!rao.IsNotConverged(err) || ctx.Err() != nil) {
		return err
	}
	if g.tradeoff > 0 {
		if err := g.approach(ctx, mod, d, held); err != nil {
			return err
		}
	}
	truth, p, err := method.Decide(ctx, mod, d.Subset(test))
	if err != nil {
		return err
	}
	for _, k := range held {
		var at []int
		for i, t := range test {
			if g.of[t] == k {
				at = append(at, i)
			}
		}
		if len(at) == 0 {
			continue // all of it calibrates
		}
		s, err := evaluate.Score(picked(truth, at), rowsAt(p.LogPosterior, at))
		if err != nil {
			return err
		}
		row.Groups = append(row.Groups, groupScore{g.names[k], repeat, len(at), number(s.Accuracy), number(s.Kappa)})
	}
	row.folds = append(row.folds, evaluate.Accuracy(truth, p.Label))
	if g.keep {
		for i, t := range test {
			g.decisions = append(g.decisions, decision{m.Name, way, repeat, t, p.Label[i], mat.Row(nil, i,
				p.LogPosterior)})
		}
	}
	return nil
}

func picked(v, at []int) []int {
	out := make([]int, len(at))
	for i, k := range at {
		out[i] = v[k]
	}
	return out
}

func rowsAt(x *mat.Dense, at []int) *mat.Dense {
	_, cols := x.Dims()
	out := mat.NewDense(len(at), cols, nil)
	for i, k := range at {
		out.SetRow(i, x.RawRowView(k))
	}
	return out
}
