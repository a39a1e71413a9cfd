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

// AsRecorded is the name of the alignment that does not change matrices.
const AsRecorded = "none"

// alignment is a transformation of SPD matrices before learning. It makes the matrices of a left-out group similar to
// the matrices of the other groups. Only rotation uses labels of the left-out group.
type alignment struct {
	name   string
	euclid bool // move each recording by its arithmetic mean (Euclidean alignment), otherwise by its Riemannian mean
	scale  bool // to equal dispersion
	rotate bool // the class means onto each other
}

// alignments are the alignments that move matrices, in the order of the help.
var alignments = []alignment{
	{name: "euclid", euclid: true}, {name: "center"}, {name: "scale", scale: true},
	{name: "rotate", scale: true, rotate: true},
}

// Alignments lists the names of the alignments, in the order of the help.
func Alignments() []string {
	names := []string{AsRecorded}
	for _, way := range alignments {
		names = append(names, way.name)
	}
	return names
}

// alignmentOf returns the named alignment. ok is false for AsRecorded and for unknown names.
func alignmentOf(name string) (way alignment, ok bool) {
	for _, a := range alignments {
		if a.name == name {
			return a, true
		}
	}
	return alignment{}, false
}

// knowFew marks the calibration rows whose labels the study uses: the first Few of each class and group, or all if Few
// is 0.
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

// aligned returns the data with the recordings of the groups aligned. It does not use the labels of the left-out rows
// that are scored.
func (l *LeaveOut) aligned(ctx context.Context, out int, way string) (*dataset.Data, error) {
	if way == AsRecorded {
		return l.Data, nil
	}
	move, ok := alignmentOf(way)
	if !ok {
		return nil, &rao.UnknownError{Kind: "alignment", Name: way, Known: Alignments()}
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
		spd.AlignOptions{Groups: l.Groups.Of, Recordings: l.Recordings, Labels: labels,
			Classes: len(l.Data.Classes), Target: out, Euclid: move.euclid,
			Scale: move.scale, Rotate: move.rotate})
	if rao.IsNotConverged(err) && ctx.Err() == nil {
		err = nil
	}
	return &moved, err
}

// approach moves the class means of an MDM towards the class means of some rows (MDWM). No other classifier has class
// means of matrices. [LeaveOut.Check] rejects other methods before the data are read.
func (l *LeaveOut) approach(ctx context.Context, m *model.Model, d *dataset.Data, rows []int) error {
	others, ok := m.Classifier.(*classify.MDM)
	if !ok {
		return fmt.Errorf("a tradeoff moves the class means of mdm, but the model has the classifier %s; choose mdm, "+
			"or leave out the tradeoff", model.NameOf(m.Classifier))
	}
	few := d.Subset(rows)
	b, err := m.AtClassifier(ctx, model.BatchOf(few))
	if err != nil {
		return err
	}
	own, err := classify.FitMDM(ctx, b.Stack, few.Labels, others.Classes, classify.MDMOptions{Metric: others.Metric})
	if own == nil || err != nil && !rao.HasModel(err) {
		return fmt.Errorf("class means of the calibration rows: %w", err)
	}
	return others.Approach(own, l.Tradeoff)
}
