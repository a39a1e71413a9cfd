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
