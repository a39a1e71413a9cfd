package eeg

import "math"

// A channel with event codes has the same value in most successive samples, and has few distinct values.
const (
	heldShare  = 0.9 // minimum fraction of samples that equal the previous sample
	codeValues = 256 // maximum number of different values
	heldPairs  = 200 // minimum number of pairs of samples for a decision
)

// changeCounter counts how often a channel changes from one sample to the next.
type changeCounter struct {
	pairs, changes int
	values         map[float64]bool
}

// add counts one pair of successive samples.
func (h *changeCounter) add(before, after float64) {
	if math.IsNaN(before) || math.IsNaN(after) {
		return
	}
	h.pairs++
	if before != after {
		h.changes++
	}
	if len(h.values) <= codeValues {
		h.values[after] = true
	}
}

// codes reports whether the channel may contain event codes, judging from the samples so far. It returns true for a
// constant channel, and as long as there are fewer than heldPairs pairs.
func (h *changeCounter) codes() bool {
	return h.pairs < heldPairs ||
		float64(h.changes) <= (1-heldShare)*float64(h.pairs) && len(h.values) <= codeValues
}

// markStimuli finds channels with event codes among the channels that the file declares as EEG or leaves undeclared. It
// sets their kind to stim and returns their indexes. It reads the recording until every other channel is known to be a
// signal, usually after one second of data.
func (r *Recording) markStimuli() (codes []int, err error) {
	var at []int
	seen := make([]changeCounter, len(r.Channels))
	for c := range r.Channels {
		if r.kind(c) == "eeg" {
			at = append(at, c)
			seen[c].values = map[float64]bool{}
		}
	}
	n, block := len(r.Channels), max(heldPairs, min(int(r.Rate), 1<<14))+1
	x := make([]float64, min(block, r.samples)*n)
	for first := 0; len(at) > 0 && first < r.samples-1; first += block - 1 {
		count := min(block, r.samples-first)
		if err = r.Read(x[:count*n], first, count); err != nil {
			return nil, err
		}
		left := at[:0]
		for _, c := range at {
			for k := 1; k < count; k++ {
				seen[c].add(x[(k-1)*n+c], x[k*n+c])
			}
			if seen[c].codes() {
				left = append(left, c)
			}
		}
		at = left
	}
	for _, c := range at {
		if seen[c].pairs < heldPairs || seen[c].changes == 0 {
			continue
		}
		kinds := make([]string, n)
		for o := range kinds {
			if kinds[o] = r.kind(o); r.Types != nil && r.Types[o] != "" {
				kinds[o] = r.Types[o]
			}
		}
		kinds[c] = "stim"
		r.Types = kinds
		codes = append(codes, c)
	}
	return codes, nil
}
