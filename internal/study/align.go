package study

import (
	"context"
	"fmt"
	"slices"

	"rao"
	"rao/classify"
	"rao/dataset"
	"rao/model"
	"rao/spd"
)

// The ways to move SPD matrices before learning, which make those of a group that is left out
// like those of the others. All but Rotate use no labels of that group.
const (
	AsRecorded = "none"
	Euclidean  = "euclid" // each recording by its own arithmetic mean (Euclidean alignment)
	Center     = "center" // each recording by its own Riemannian mean
	Scale      = "scale"  // center, and scale to equal dispersion
	Rotate     = "rotate" // scale, and turn the class means onto each other
)

// Alignments lists the ways, in the order of help.
var Alignments = []string{AsRecorded, Euclidean, Center, Scale, Rotate}

// knowFew keeps the labels of the first so many calibration rows of each class and group.
func (l *LeaveOut) knowFew() {
	l.known = make([]bool, l.Data.N())
	copy(l.known, l.Calibration)
	if l.Few == 0 {
		return
	}
	seen := map[[2]int]int{}
	for i, used := range l.Calibration {
		if !used {
			continue
		}
		at := [2]int{l.Groups.Of[i], l.Data.Labels[i]}
		l.known[i] = seen[at] < l.Few
		seen[at]++
	}
}

// aligned returns the data with the recordings of the groups moved onto each other. Rows of the
// group left out that are decided on have no labels there.
func (l *LeaveOut) aligned(ctx context.Context, out int, way string) (*dataset.Data, error) {
	if way == AsRecorded {
		return l.Data, nil
	}
	labels := slices.Clone(l.Data.Labels)
	for i, of := range l.Groups.Of {
		if of == out && !l.known[i] {
			labels[i] = -1
		}
	}
	moved := *l.Data
	moved.Stack = new(spd.Stack)
	_, err := spd.AlignGroups(ctx, moved.Stack, l.Data.Stack,
		spd.GroupAlignment{Groups: l.Groups.Of, Recordings: l.Recordings, Labels: labels,
			Classes: len(l.Data.Classes), Held: out, Euclid: way == Euclidean,
			Scale: way == Scale || way == Rotate, Rotate: way == Rotate})
	if rao.IsNotConverged(err) && ctx.Err() == nil {
		err = nil
	}
	return &moved, err
}

// approach moves the class means of an MDM towards those of some rows (MDWM).
func (l *LeaveOut) approach(ctx context.Context, m *model.Model, d *dataset.Data, rows []int) error {
	others, ok := m.Classifier.(*classify.MDM)
	if !ok {
		return fmt.Errorf("a tradeoff moves the class means of mdm; this model ends in a %T", m.Classifier)
	}
	few := d.Subset(rows)
	b, err := m.AtClassifier(ctx, model.BatchOf(few))
	if err != nil {
		return err
	}
	own, err := classify.FitMDM(ctx, b.Stack, few.Labels, others.Classes, classify.MDMOptions{Metric: others.Metric})
	if own == nil || err != nil && !rao.HasModel(err) {
		return fmt.Errorf("the calibration rows: %w", err)
	}
	return others.Approach(own, l.Tradeoff)
}
