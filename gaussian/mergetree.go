package gaussian

import (
	"fmt"

	"rao/internal/provenance"
	"rao/internal/statsarrays"
)

// MergeInOrder merges n statistics, which part returns by number, as a tree: every 64 neighbors, then every 64 of the
// results, until one is left. For up to 64 statistics, the result equals [Merge]. It needs memory for 64 statistics per
// level of the tree. A cluster that merges in the same tree gets the same bits. Doubts about the merge are errors
// unless they are confirmed by name: "manifest" (a file without rao's manifest), "counts" (more rows in classes than in
// total), "columns" (only one part names its columns), "classes" (two encodings of the same labels) and "rows" (rows in
// common, or hashes that cannot be compared).
func MergeInOrder(n int, part func(i int) (*Statistics, error), confirmed ...string) (*Statistics, error) {
	if err := provenance.CheckDoubts(confirmed); err != nil {
		return nil, err
	}
	d := provenance.Merging{Confirmed: confirmed}
	return mergeTree(n, func(i int) (*Statistics, error) {
		s, err := part(i)
		if err == nil {
			err = d.Add(s.member())
		}
		return s, err
	})
}

func mergeTree(n int, part func(i int) (*Statistics, error)) (*Statistics, error) {
	if n <= statsarrays.MergeWidth {
		parts := make([]*Statistics, n)
		for i := range parts {
			var err error
			if parts[i], err = part(i); err != nil {
				return nil, err
			}
		}
		return merged(parts)
	}
	return mergeTree((n+statsarrays.MergeWidth-1)/statsarrays.MergeWidth, func(g int) (*Statistics, error) {
		lo := g * statsarrays.MergeWidth
		s, err := mergeTree(min(statsarrays.MergeWidth, n-lo), func(i int) (*Statistics, error) { return part(lo + i) })
		if err != nil && n > statsarrays.MergeWidth {
			return nil, fmt.Errorf("merging parts %d to %d: %w", lo+1, min(lo+statsarrays.MergeWidth, n), err)
		}
		return s, err
	})
}

// WithoutSmall returns the statistics without the classes that have fewer than least observations, and the names of
// the removed classes. Hashes of rows are dropped, because they cannot be separated by class; the record of parts
// keeps only the number of remaining rows.
func (s *Statistics) WithoutSmall(least int) (kept *Statistics, left []string) {
	var keep []int
	for i, n := range s.Counts {
		if n < least {
			left = append(left, s.Name(i))
		} else {
			keep = append(keep, i)
		}
	}
	if left == nil {
		return s, nil
	}
	names := make([]string, len(keep))
	for k, i := range keep {
		names[k] = s.Name(i)
	}
	kept = New(names, s.Dim)
	if s.Quartic != nil {
		kept.Cubic, kept.Quartic = make([]float64, len(keep)*s.Dim), make([]float64, len(keep))
	}
	if s.Weights != nil {
		kept.Weights = make([]float64, len(keep))
	}
	for k, i := range keep {
		kept.setWeight(k, s.Counts[i], s.Weight(i))
		copy(kept.Mean(k), s.Mean(i))
		copy(kept.cov(k), s.cov(i))
		if s.Quartic != nil {
			copy(kept.Cubic[k*s.Dim:(k+1)*s.Dim], s.Cubic[i*s.Dim:(i+1)*s.Dim])
			kept.Quartic[k] = s.Quartic[i]
		}
	}
	kept.Columns, kept.Inputs, kept.Labels = s.Columns, s.Inputs, s.Labels
	kept.Unmarked, kept.Single = s.Unmarked, s.Single
	if s.Parts != nil {
		kept.Parts = []Part{{Rows: kept.Total()}}
	}
	return kept, left
}
