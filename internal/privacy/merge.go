package privacy

import (
	"errors"
	"fmt"
	"slices"
)

// MergeError means that two releases cannot be merged.
type MergeError struct {
	First, Second int    // the places of the two releases in the arguments of [Merge]
	Differ        string // what differs; empty if both contain the same release
}

// Error implements error.
func (e *MergeError) Error() string {
	return e.Text(func(i int) string { return fmt.Sprintf("release %d", i+1) })
}

// Text returns the message with the names that the function gives the releases.
func (e *MergeError) Text(name func(i int) string) string {
	first, second := name(e.First), name(e.Second)
	if e.Differ == "" {
		return fmt.Sprintf("%s and %s contain the same release, so its rows would count twice; leave one out", first,
			second)
	}
	return fmt.Sprintf("%s and %s differ in %s, so their sums cannot be added; make all releases with the same "+
		"settings", first, second, e.Differ)
}

// Merge returns the release of the rows of all parts: sums and noise variances are added. It returns an error if there
// are no parts, and a *[MergeError] if a release occurs twice or the parts do not follow the same plan: the same kind,
// round, classes, protected unit, columns, domain, center, mapping and radius. The order of the parts only affects the
// order of the sites.
func Merge(parts ...*Release) (*Release, error) {
	if len(parts) == 0 {
		return nil, errors.New("the list of releases to merge is empty; give at least one")
	}
	out := *parts[0]
	out.next = nil
	out.Counts, out.Sums, out.Squares = slices.Clone(out.Counts), slices.Clone(out.Sums), slices.Clone(out.Squares)
	for i, r := range parts[1:] {
		if what := out.Plan.differs(&r.Plan); what != "" {
			return nil, &MergeError{0, i + 1, what}
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
	}
	out.Sites = nil
	seen := map[string]int{} // the part with a release of this round
	for i, p := range parts {
		for _, s := range p.Sites {
			for _, r := range s.Releases {
				if r.Round != out.Plan.Round.String() {
					continue
				}
				if first, again := seen[r.ID]; again {
					return nil, &MergeError{First: first, Second: i}
				}
				seen[r.ID] = i
			}
			out.Sites = joinSite(out.Sites, s)
		}
	}
	return &out, nil
}

// joinSite adds the releases of a site to the sites. Releases of earlier rounds occur in several parts, because every
// part records them, but only once in the result.
func joinSite(sites []Site, s Site) []Site {
	k := slices.IndexFunc(sites, func(o Site) bool { return o.ID == s.ID })
	if k < 0 {
		return append(sites, Site{ID: s.ID, Releases: slices.Clone(s.Releases)})
	}
	for _, r := range s.Releases {
		if !slices.ContainsFunc(sites[k].Releases, func(o SiteRelease) bool { return o.ID == r.ID }) {
			sites[k].Releases = append(sites[k].Releases, r)
		}
	}
	return sites
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
