package subclasses

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"rao/internal/moments"
	"rao/internal/naming"
	"rao/internal/provenance"
)

// Merge returns the sub-classes of the union of the parts' observations. It collects the components of each
// class from all parts and merges them two at a time by Ward's criterion, until no more than most remain and none has
// fewer than 20 observations. Classes are matched by name. All parts must have the same basis, bit for bit. If most is
// 0, the limit of the parts applies, which may depend on the rows of the class. Doubts whether the parts belong
// together are errors unless confirmed: see [gaussian.MergeInOrder].
//
// The order of the parts does not matter. Merging in stages may give other components than merging at once; Sites and
// Stages of the result record how it was merged.
func Merge(most int, confirmed []string, parts ...*Statistics) (*Statistics, error) {
	if len(parts) == 0 {
		return nil, errors.New("there are no sub-classes to merge; give at least one part")
	}
	if most < 0 {
		return nil, fmt.Errorf("%d sub-classes were requested; the number must not be negative", most)
	}
	first, d := parts[0], provenance.Merging{Confirmed: confirmed}
	out := &Statistics{Basis: first.Basis, Most: most}
	var names [][]string
	var totals []int
	var sources [][]provenance.Part
	byRows := false
	for p, s := range parts {
		if err := s.Validate(); err != nil {
			return nil, fmt.Errorf("part %d: %w", p+1, err)
		}
		if !s.Basis.equal(first.Basis) {
			return nil, fmt.Errorf("parts 1 and %d have different bases; agree on one basis and compute each part "+
				"with it", p+1)
		}
		if err := d.Add(provenance.Member{Classes: s.Classes, Columns: s.Basis.Columns,
			Total: s.Components.Total(), Parts: s.Parts}); err != nil {
			return nil, err
		}
		names, totals = append(names, s.Classes), append(totals, s.Components.Total())
		sources = append(sources, s.Parts)
		byRows = byRows || s.Most == 0
		out.Most = max(out.Most, s.Most)
		out.Sites += s.Sites
		out.Stages = max(out.Stages, s.Stages)
	}
	switch {
	case most > 0:
		out.Most = most
	case byRows:
		out.Most = 0
	}
	if len(parts) > 1 {
		out.Stages++
	}
	out.Parts = provenance.Union(sources, totals)
	slices.SortFunc(out.Parts, func(a, b provenance.Part) int {
		return cmp.Or(cmp.Compare(a.Digest, b.Digest), cmp.Compare(a.Rows, b.Rows))
	})
	out.Classes = slices.Clone(naming.Union(names))
	out.set(mergedComponents(out, parts))
	out.Components.Single = slices.ContainsFunc(parts, func(s *Statistics) bool { return s.Components.Single })
	return out, out.Validate()
}

// mergedComponents returns the components of each class of out.
func mergedComponents(out *Statistics, parts []*Statistics) [][]*moments.Class {
	lists := make([][]*moments.Class, len(out.Classes))
	for i, name := range out.Classes {
		rows := 0
		for _, s := range parts {
			k := slices.Index(s.Classes, name)
			if k < 0 {
				continue
			}
			lo, hi := s.members(k)
			for ; lo < hi; lo++ {
				lists[i] = append(lists[i], momentsOf(s.Components, lo))
				rows += s.Components.Counts[lo]
			}
		}
		lists[i] = ward(lists[i], componentsFor(rows, out.Most))
	}
	return lists
}
