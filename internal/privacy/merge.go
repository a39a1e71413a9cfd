package privacy

import (
	"errors"
	"fmt"
	"slices"
)

// ErrRepeated means that a release would count twice in a merge.
var ErrRepeated = errors.New("it occurs twice, so its rows would count twice; leave one out")

// Merge returns the release of the rows of all parts: sums and noise variances are added. It returns an error if there
// are no parts, or if the parts do not follow the same plan: the same kind, round, classes, protected unit, columns,
// domain, center, mapping and radius. If a release occurs twice, the error wraps [ErrRepeated]. The order of the parts
// only affects the order of the sites.
func Merge(parts ...*Release) (*Release, error) {
	if len(parts) == 0 {
		return nil, errors.New("the list of releases to merge is empty; give at least one")
	}
	out := *parts[0]
	out.next = nil
	out.Counts, out.Sums, out.Squares = slices.Clone(out.Counts), slices.Clone(out.Sums), slices.Clone(out.Squares)
	out.Sites = slices.Clone(out.Sites)
	for i, r := range parts[1:] {
		if what := out.Plan.differs(&r.Plan); what != "" {
			return nil, fmt.Errorf("releases 1 and %d differ in %s, so their sums cannot be added; make all "+
				"releases with the same settings", i+2, what)
		}
		out.Delta = max(out.Delta, r.Delta)
		for j := range r.Counts {
			out.Counts[j] += r.Counts[j]
		}
		for j := range r.Sums {
			out.Sums[j] += r.Sums[j]
		}
		for j := range r.Squares {
			out.Squares[j] += r.Squares[j]
		}
		out.CountNoise += r.CountNoise
		out.SumNoise += r.SumNoise
		out.SquareNoise += r.SquareNoise
		out.Sites = append(out.Sites, r.Sites...)
	}
	var err error
	out.Sites, err = joinSites(out.Sites, out.Plan.Round)
	return &out, err
}

// joinSites combines the releases of each site. A release of this round that occurs twice is an error, because its
// rows would count twice. Releases of earlier rounds may occur in several parts, because every part records them.
func joinSites(sites []Site, round Round) ([]Site, error) {
	var out []Site
	seen := map[string]bool{}
	for _, s := range sites {
		for _, r := range s.Releases {
			if r.Round == round.String() && seen[r.ID] {
				return nil, fmt.Errorf("release %[2]s of site %[3]s: %[1]w", ErrRepeated, r.ID, s.ID)
			}
			seen[r.ID] = true
		}
		k := slices.IndexFunc(out, func(o Site) bool { return o.ID == s.ID })
		if k < 0 {
			out = append(out, Site{ID: s.ID, Releases: slices.Clone(s.Releases)})
			continue
		}
		for _, r := range s.Releases {
			if !slices.ContainsFunc(out[k].Releases, func(o SiteRelease) bool { return o.ID == r.ID }) {
				out[k].Releases = append(out[k].Releases, r)
			}
		}
	}
	return out, nil
}

// differs describes how two plans differ. It returns "" if their releases can be added.
func (p *Plan) differs(o *Plan) string {
	switch {
	case p.Kind != o.Kind || p.Round != o.Round:
		return "kind or round"
	case !slices.Equal(p.Classes, o.Classes):
		return "classes"
	case p.Unit != o.Unit:
		return fmt.Sprintf("the protected unit (%s and %s)", Guarantee{Unit: p.Unit}.Protects(),
			Guarantee{Unit: o.Unit}.Protects())
	case p.UnitRows != o.UnitRows:
		return "the number of rows per unit"
	case !slices.Equal(p.Columns, o.Columns):
		return "column names"
	case !slices.Equal(p.Domain.Low, o.Domain.Low) || !slices.Equal(p.Domain.High, o.Domain.High):
		return "the range of the values"
	case p.Domain.Clip != o.Domain.Clip:
		return "the largest norm of a row"
	case p.Dim != o.Dim || p.Public != o.Public || !slices.Equal(p.Mapping, o.Mapping):
		return "the basis of the dimensions"
	case !slices.Equal(p.Center, o.Center) || p.Radius != o.Radius:
		return "the earlier rounds they continue"
	}
	return ""
}

// SiteAfter returns what the site with the given id has released before the round that follows r. If id is not among
// the sites of r, the result is charged with the largest ρ of these sites. An empty id is replaced by a random one.
func (r *Release) SiteAfter(id string) *Site {
	largest := &r.Sites[0]
	for i := range r.Sites {
		if r.Sites[i].ID == id {
			return &Site{ID: id, Releases: slices.Clone(r.Sites[i].Releases)}
		}
		if r.Sites[i].rho() > largest.rho() {
			largest = &r.Sites[i]
		}
	}
	if id == "" {
		id = newSampler().id()
	}
	return &Site{ID: id, Releases: slices.Clone(largest.Releases)}
}
