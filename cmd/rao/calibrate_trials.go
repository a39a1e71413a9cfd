package main

import (
	"context"
	"math"
	"slices"

	"rao/eeg"
)

// trialQueue is where a calibration stands: what has come, and the trials that are not over.
// Places within a piece, which is signal without a break, count samples at the rate of the
// matrices, and so do the first samples of trials.
type trialQueue struct {
	seen    int64 // samples that came
	piece   int64 // the one of these with which the present piece began
	made    int64 // samples of the piece at the rate of the matrices
	before  int64 // the same of all pieces before
	told    int   // class that a marker told of, waiting for the anchor; -1 for none
	waiting []waitingTrial
}

// waitingTrial is a trial that is not over.
type waitingTrial struct {
	sample     int64 // of the marker, at the rate of the signal
	first, end int64 // in the piece
	class      int
}

// restart begins the signal anew: trials that are not over are lost.
func (k *calibration) restart(lost int64) {
	k.result.Skipped += len(k.waiting)
	k.app.note("the signal begins anew after %s%s", plural(int(lost), "lost sample", "lost samples"),
		map[bool]string{true: "; a trial is left out", false: ""}[len(k.waiting) > 0])
	k.waiting, k.piece = k.waiting[:0], k.seen
	k.before, k.made = k.before+k.made, 0
	k.stream.Restart()
}

// mark takes an event, which begins a trial if it stands for a class, or is the anchor of one
// that was told before; ok is false when there is no signal for that.
func (k *calibration) mark(e eeg.Event) (ok bool) {
	class := slices.IndexFunc(k.classes, func(c eeg.Class) bool { return c.Matches(e) })
	if k.anchor != (eeg.Class{}) {
		if class >= 0 {
			k.told = class
		}
		if !k.anchor.Matches(e) {
			return true
		}
		class, k.told = k.told, -1
	}
	if class < 0 {
		return true
	}
	rate := k.stream.Rate()
	at := math.RoundToEven(float64(int64(e.Sample)-k.piece) * rate / k.info.rate)
	first := int64(at) + int64(math.Round(k.start*rate))
	end := first + int64(k.stream.Window())
	if int64(e.Sample) < k.piece || first < 0 || end <= k.made {
		k.app.note("a trial of class %s is left out: its marker came too late, or the signal began after its start",
			k.names[class])
		k.result.Skipped++
		return false
	}
	k.waiting = append(k.waiting, waitingTrial{int64(e.Sample), first, end, class})
	return true
}

// push takes samples, which complete trials.
func (k *calibration) push(values []float64) error {
	for ; len(values) > 0; values = values[k.width:] {
		row := values[:k.width]
		if k.pick != nil {
			for i, c := range k.pick {
				k.row[i] = row[c]
			}
			row = k.row
		}
		k.seen++
		if err := k.stream.Push(row, nil); err != nil {
			return err
		}
	}
	return nil
}

// over learns from the trials that end with the sample that was made.
func (k *calibration) over(ctx context.Context, made int64) error {
	k.made = made
	for i := 0; i < len(k.waiting); i++ {
		t := k.waiting[i]
		if t.end != made {
			continue
		}
		k.waiting = slices.Delete(k.waiting, i, i+1)
		i--
		if err := k.learn(ctx, t); err != nil {
			return err
		}
	}
	return nil
}
