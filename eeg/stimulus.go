package eeg

import "math"

// Channels of codes: they keep their value in most samples, and have few values.
const (
	heldShare  = 0.9 // least share of samples that equal the sample before
	codeValues = 256 // most values
	heldPairs  = 200 // least samples to judge by
)

// held counts how a channel changes from sample to sample.
type held struct {
	pairs, changes int
	values         map[float64]bool
}

// add counts the change between two samples.
func (h *held) add(before, after float64) {
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

// codes reports whether the channel so far may hold the codes of events. A constant channel may.
func (h *held) codes() bool {
	return h.pairs < heldPairs ||
		float64(h.changes) <= (1-heldShare)*float64(h.pairs) && len(h.values) <= codeValues
}

// markStimuli gives channels that hold the codes of events the kind stim, though the file calls them EEG or nothing,
// and returns them. It reads until every other channel has shown that it is a signal, which takes a second of most
// recordings.
func (r *Recording) markStimuli() (codes []int, err error) {
	var at []int
	seen := make([]held, len(r.Channels))
	for c := range r.Channels {
		if r.Kind(c) == "eeg" {
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
			if kinds[o] = r.Kind(o); r.Types != nil && r.Types[o] != "" {
				kinds[o] = r.Types[o]
			}
		}
		kinds[c] = "stim"
		r.Types = kinds
		codes = append(codes, c)
	}
	return codes, nil
}
