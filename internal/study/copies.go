package study

import (
	"math"

	"rao/dataset"
	"rao/evaluate"
	"rao/internal/rowhash"
	"rao/internal/rows"
	"rao/internal/text"
)

// copiesNoted is the share of tested observations with a copy among the training observations from which a
// cross-validation reports it. A few equal rows are usual if the values are rounded.
const copiesNoted = 0.02

// noteCopies reports if many observations of the test parts are equal to observations of their training parts: scores
// of copies are too good.
func (m *Monitor) noteCopies(d *dataset.Data, folds []evaluate.Fold) {
	hashes := hashesOf(d)
	copies, tested := 0, 0
	for _, f := range folds {
		train := map[uint64]struct{}{}
		for _, i := range f.Train {
			train[hashes[i]] = struct{}{}
		}
		for _, i := range f.Test {
			if _, ok := train[hashes[i]]; ok {
				copies++
			}
		}
		tested += len(f.Test)
	}
	if share := float64(copies) / float64(max(1, tested)); share >= copiesNoted {
		m.note("%s: %s of the tested observations are equal to observations that the fits learn from, so the scores "+
			"may be too good; remove copies, or put all copies of an observation in one group", d.Source,
			text.Percent(share))
	}
}

// hashesOf returns a hash of the values of every observation.
func hashesOf(d *dataset.Data) []uint64 {
	out := make([]uint64, d.N())
	var in *rows.Reader
	var buf []float64
	if d.Stack == nil {
		in = rows.New(d.X)
		buf = make([]float64, in.Cols)
	}
	for i := range out {
		row := buf
		if in == nil {
			row = d.Stack.At(i)
		} else {
			row = in.Row(buf, i)
		}
		for _, v := range row {
			out[i] = rowhash.Mix(out[i]^math.Float64bits(v), 0x9e3779b97f4a7c15)
		}
	}
	return out
}
