package main

import (
	"context"
	"fmt"
	"slices"

	"rao"
	"rao/classify"
	"rao/dataset"
	"rao/method"
	"rao/model"
)

// checkTradeoff refuses --few and --tradeoff where they would do nothing.
func (f *groupFlags) checkTradeoff(list []*method.Method) error {
	switch {
	case f.calibrate == "" && (f.few > 0 || f.tradeoff > 0):
		return usagef("--few and --tradeoff are for --calibrate NAME=VALUE, the rows whose labels are known")
	case f.folds > 0 && f.tradeoff > 0:
		return usagef("--tradeoff moves the means to one group at a time; leave --cv out")
	case f.few > 0 && f.tradeoff == 0 && !slices.Contains(splitList(f.align), "rotate"):
		return usagef("--few is for --tradeoff and --align rotate: nothing else uses the labels")
	case f.tradeoff == 0:
		return nil
	}
	for _, m := range list {
		if m.Name != "mdm" {
			return usagef("--tradeoff is for mdm, whose class means it moves, not for %s", m.Name)
		}
	}
	return nil
}

// knowFew keeps the labels of the first so many calibrating rows of each class and group.
func (g *grouped) knowFew(few int) {
	g.known = slices.Clone(g.calibrates)
	if few == 0 {
		return
	}
	seen := map[[2]int]int{}
	for i, used := range g.calibrates {
		if !used {
			continue
		}
		at := [2]int{g.of[i], g.data.Labels[i]}
		g.known[i] = seen[at] < few
		seen[at]++
	}
}

// approach moves the class means of an MDM towards those of the known rows of a group.
func (g *grouped) approach(ctx context.Context, mod *model.Model, d *dataset.Data, held []int) error {
	others, ok := mod.Classifier.(*classify.MDM)
	if !ok {
		return fmt.Errorf("--tradeoff moves the class means of mdm; this model ends in a %T", mod.Classifier)
	}
	var rows []int
	for i, of := range g.of {
		if g.known[i] && slices.Contains(held, of) {
			rows = append(rows, i)
		}
	}
	few := d.Subset(rows)
	b, err := mod.AtClassifier(ctx, model.BatchOf(few))
	if err != nil {
		return err
	}
	own, err := classify.FitMDM(ctx, b.Stack, few.Labels, others.Classes, classify.MDMOptions{Metric: others.Metric})
	if own == nil || err != nil && !rao.IsNotConverged(err) {
		return fmt.Errorf("the rows of --calibrate: %w", err)
	}
	return others.Approach(own, g.tradeoff)
}
