package personreport

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/evaluate"
	"rao/internal/potato"
	"rao/internal/scoring"
	"rao/internal/study"
	"rao/internal/text"
	"rao/method"
	"rao/spd"
)

// decoded contains the results of decoding trials that were not used for training.
type decoded struct {
	by        string // what was left out, in words
	recording []int  // index of the recording of each trial
	predicted []int  // predicted class of each trial; -1 if there is none
	right, n  int
	confusion [][]int
	learned   []float64           // learning curve: mean number of training trials
	accuracy  []evaluate.Interval // learning curve: accuracy with its interval
	share     []float64           // learning curve: share of correct decisions
	auc       float64             // area under the ROC curve with all training trials; NaN if it is undefined
}

// fractions are the fractions of the training trials at the points of the learning curve.
var fractions = []float64{0.125, 0.25, 0.5, 1}

// decode leaves out one recording at a time, or a fifth of the trials if there is only one recording.
func decode(ctx context.Context, d *dataset.Data, recording []int, spec method.Spec) (*decoded, error) {
	r := &decoded{by: "each recording in turn", recording: recording, auc: math.NaN()}
	folds, err := evaluate.LeaveOneGroupOut(recording)
	if err != nil {
		r.by = "a fifth of the trials in turn"
		if folds, err = evaluate.StratifiedKFold(d.Labels, 5, 1); err != nil {
			return nil, err
		}
	}
	for _, share := range fractions {
		predicted, learned, scores, err := decisions(ctx, d, folds, spec, share)
		if err != nil {
			if share == 1 {
				return nil, err
			}
			continue // too few trials to learn from
		}
		right, n := 0, 0
		confusion := make([][]int, len(d.Classes))
		for c := range confusion {
			confusion[c] = make([]int, len(d.Classes))
		}
		for k, p := range predicted {
			if p < 0 {
				continue
			}
			confusion[d.Labels[k]][p]++
			n++
			if p == d.Labels[k] {
				right++
			}
		}
		ci, err := evaluate.WilsonInterval(right, n, 0.95)
		if err != nil {
			return nil, err
		}
		r.learned, r.accuracy = append(r.learned, learned), append(r.accuracy, ci)
		r.share = append(r.share, float64(right)/float64(n))
		r.predicted, r.right, r.n, r.confusion = predicted, right, n, confusion
		if area := scoring.Named(scores.Measures(), scoring.AUC); area != nil && share == 1 {
			r.auc = area.Value
		}
	}
	return r, nil
}

// decisions fits to the first trials of each class in the training set, up to the given share, and scores the
// predictions on the test set.
func decisions(ctx context.Context, d *dataset.Data, folds []evaluate.Fold, spec method.Spec,
	share float64) (predicted []int, learned float64, scores *scoring.Measurer, err error) {
	if scores, err = scoring.NewMeasurer(len(d.Classes), scoring.MeasureOptions{}); err != nil {
		return nil, 0, nil, err
	}
	predicted = slices.Repeat([]int{-1}, d.N())
	folds = slices.Clone(folds)
	for i, f := range folds {
		total, selected := make([]int, len(d.Classes)), make([]int, len(d.Classes))
		for _, k := range f.Train {
			total[d.Labels[k]]++
		}
		var train []int
		for _, k := range f.Train {
			if l := d.Labels[k]; float64(selected[l]) < math.Ceil(share*float64(total[l])) {
				selected[l]++
				train = append(train, k)
			}
		}
		for c, n := range selected {
			if n < 2 {
				return nil, 0, nil, fmt.Errorf("class %s has only %s; record more trials, or use fewer folds",
					d.Classes[c], text.Plural(n, "training trial", "training trials"))
			}
		}
		folds[i].Train = train
		learned += float64(len(train)) / float64(len(folds))
	}
	err = study.OverFolds(ctx, spec, d, folds, func(x *study.Decisions) error {
		for i, k := range x.Rows {
			predicted[k] = x.Label[i]
		}
		return scores.Add(x.Truth, x.LogPosterior, nil)
	})
	return predicted, learned, scores, err
}

// of returns how many trials of a recording were decoded correctly, and how many were decoded at all.
func (r *decoded) of(recording int, labels []int) (right, n int) {
	for k, p := range r.predicted {
		if r.recording[k] == recording && p >= 0 {
			n++
			if p == labels[k] {
				right++
			}
		}
	}
	return right, n
}

// drift describes the differences between recordings, by the affine-invariant distances of their matrices.
type drift struct {
	artifact []bool      // whether each trial is an artifact, by a Riemannian potato fitted to all trials
	from     []float64   // distance of each trial to the mean of the first recording
	spread   []float64   // mean distance of the trials of each recording to their own mean
	moved    []float64   // distance of the mean of each recording to the mean of the first
	rows     [][]float64 // trial numbers of each recording, from 1
}

func drifts(ctx context.Context, d *dataset.Data, recording []int, count int) (*drift, error) {
	x := d.Stack
	field, err := potato.Fit(ctx, x, potato.Options{})
	if err != nil {
		return nil, err
	}
	var z mat.Dense
	if err := field.Scores(ctx, &z, x); err != nil {
		return nil, err
	}
	r := &drift{artifact: make([]bool, x.Count), from: make([]float64, x.Count), rows: make([][]float64, count)}
	members := make([][]int, count)
	for k, rec := range recording {
		members[rec] = append(members[rec], k)
		r.rows[rec] = append(r.rows[rec], float64(k+1))
		r.artifact[k] = field.Artifact(z.RawRowView(k))
	}
	var first *mat.SymDense
	for rec := range count {
		if len(members[rec]) == 0 {
			r.spread, r.moved = append(r.spread, math.NaN()), append(r.moved, math.NaN())
			continue
		}
		own := d.Subset(members[rec]).Stack
		mean, _, err := spd.Mean(ctx, own, nil, spd.Riemann, spd.MeanOptions{})
		if mean == nil || err != nil && !rao.HasModel(err) {
			return nil, err
		}
		if first == nil {
			first = mean
		}
		moved, err := spd.Distance(spd.Riemann, mean, first)
		if err != nil {
			return nil, err
		}
		var near, far mat.Dense
		if err := spd.Distances(ctx, &near, spd.Riemann, own, spd.StackFrom(mean)); err != nil {
			return nil, err
		}
		if err := spd.Distances(ctx, &far, spd.Riemann, own, spd.StackFrom(first)); err != nil {
			return nil, err
		}
		sum := 0.0
		for i, k := range members[rec] {
			sum += near.At(i, 0)
			r.from[k] = far.At(i, 0)
		}
		r.spread, r.moved = append(r.spread, sum/float64(len(members[rec]))), append(r.moved, moved)
	}
	return r, nil
}
