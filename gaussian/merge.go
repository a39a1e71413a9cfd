package gaussian

import (
	"fmt"
	"slices"

	"rao/internal/faults"
	"rao/internal/moments"
	"rao/internal/naming"
	"rao/internal/provenance"
	"rao/internal/statsarrays"
	"rao/internal/text"
)

// Merge returns the statistics of the union of the parts' observations, equal up to rounding to the statistics of the
// pooled data. Classes are matched by name; parts need not have the same classes. If all parts have the same names, the
// order of the first part is kept. Otherwise the names are sorted, in numeric order if all are numbers. Classes are
// merged in the order of the parts.
//
// Columns are matched by name, in the order of the first part that names them. It returns an error if columns cannot be
// matched, or if the parts do not seem to belong together, for example because they have rows in common; with
// [MergeInOrder], the caller can confirm these doubts.
//
// Higher moments are known for the union if every part with observations has them. Errors name the parts that
// contradict each other.
func Merge(parts ...*Statistics) (*Statistics, error) {
	var d provenance.Merging
	for _, s := range parts {
		if err := d.Add(s.member()); err != nil {
			return nil, err
		}
	}
	return merged(parts)
}

// member returns the classes, columns, rows and sources of s, which a merge checks first.
func (s *Statistics) member() provenance.Member {
	return provenance.Member{Classes: s.Classes, Columns: s.Columns, Total: s.Total(), Parts: s.Parts,
		Unmarked: s.Unmarked, Counts: s.Counts, Means: s.Means}
}

// merged is [Merge] without the checks for doubts.
func merged(parts []*Statistics) (*Statistics, error) {
	if len(parts) == 0 {
		return nil, faults.Count(0, 1, "there are no statistics to merge; give at least one part")
	}
	parts = slices.Clone(parts)
	first, columns := parts[0], []string(nil)
	higher := true
	var all joining
	for p, s := range parts {
		if err := s.check(); err != nil {
			return nil, fmt.Errorf("part %d: %w", p+1, err)
		}
		if (s.Weights == nil) != (first.Weights == nil) && s.Total() > 0 && first.Total() > 0 {
			return nil, mixedWeights(p, s.Weights != nil)
		}
		if s.Dim != first.Dim {
			return nil, faults.Count(s.Dim, first.Dim, "part %d has %s, but part 1 has %d; merge statistics of the "+
				"same columns", p+1, text.Plural(s.Dim, "column", "columns"), first.Dim)
		}
		if err := statsarrays.Distinct(s.Classes); err != nil {
			return nil, fmt.Errorf("part %d: %w", p+1, err)
		}
		if columns == nil {
			columns = s.Columns
		}
		var err error
		if parts[p], err = s.MatchColumns(columns); err != nil {
			return nil, fmt.Errorf("part %d: %w", p+1, err)
		}
		all.add(s.Classes, s.Total(), parts[p].Inputs, s.Parts)
		higher = higher && (s.Quartic != nil || s.Total() == 0)
	}
	names, n := all.names(), first.Dim
	out := New(names, n)
	if first.Weights != nil {
		out.Weights = make([]float64, len(names))
	}
	var err error
	if out.Inputs, err = joinInputs(all.inputs, all.totals); err != nil {
		return nil, err
	}
	out.Parts, out.Columns, out.Labels = all.sources(), slices.Clone(columns), commonLabels(parts)
	out.Single = anySingle(parts)
	if higher {
		out.Cubic, out.Quartic = make([]float64, len(names)*n), make([]float64, len(names))
	}
	memory := make([]float64, n*n)
	for i, name := range names {
		sum := &moments.Class{Mean: make([]float64, n), Scatter: out.cov(i)}
		if higher {
			sum.Cubic = make([]float64, n)
		}
		for _, s := range parts {
			if k := slices.Index(s.Classes, name); k >= 0 {
				sum.Add(s.classIn(k, memory))
			}
		}
		out.setClass(i, sum)
	}
	return out, nil
}

// anySingle reports whether the covariances of any part were stored in single precision.
func anySingle(parts []*Statistics) bool {
	return slices.ContainsFunc(parts, func(s *Statistics) bool { return s.Single })
}

// commonLabels returns the label type that all statistics share, or an empty one if they differ.
func commonLabels(parts []*Statistics) LabelType {
	for _, s := range parts[1:] {
		if s.Labels != parts[0].Labels {
			return ""
		}
	}
	return parts[0].Labels
}

// joining collects what the parts of a merge record about their classes, their rows and how the rows were read.
type joining struct {
	classes [][]string
	totals  []int
	inputs  []*Inputs
	parts   [][]Part
}

func (j *joining) add(classes []string, total int, inputs *Inputs, parts []Part) {
	j.classes, j.totals = append(j.classes, classes), append(j.totals, total)
	j.inputs, j.parts = append(j.inputs, inputs), append(j.parts, parts)
}

// names returns the classes of all parts.
func (j *joining) names() []string { return naming.Union(j.classes) }

// sources returns the source rows of all parts.
func (j *joining) sources() []Part { return provenance.Union(j.parts, j.totals) }

// Subtract returns the statistics of the observations of total that are not in part, equal up to rounding to the
// statistics of the remaining data. Cross-validation uses it to compute all folds from one pass. part must be the
// statistics of a subset of the observations of total. Classes are matched by name. Precision is lost: if the rest is a
// fraction f of all observations, its covariance has about log10(1/f) fewer digits. Variances never become negative by
// rounding. It returns an error if part has observations of a class that total does not have, or more observations of a
// class than total; if the dimensions or the columns differ; or if only one of the two has weights.
func Subtract(total, part *Statistics) (*Statistics, error) {
	for _, s := range []*Statistics{total, part} {
		if err := s.check(); err != nil {
			return nil, err
		}
		if err := statsarrays.Distinct(s.Classes); err != nil {
			return nil, err
		}
	}
	part, err := part.MatchColumns(total.Columns)
	if err != nil {
		return nil, err
	}
	if err := sameWeighting(total, part); err != nil {
		return nil, err
	}
	if total.Dim != part.Dim {
		return nil, faults.Count(part.Dim, total.Dim, "statistics of dimension %d cannot be subtracted from "+
			"statistics of dimension %d; give statistics of the same columns", part.Dim, total.Dim)
	}
	for k, name := range part.Classes {
		i := slices.Index(total.Classes, name)
		if i < 0 && part.Counts[k] > 0 {
			return nil, faults.Data("class %s cannot be subtracted, because the full statistics have no such class; "+
				"subtract only statistics of rows in the full statistics",
				name)
		}
		if i >= 0 && part.Counts[k] > total.Counts[i] {
			return nil, faults.Count(total.Counts[i], part.Counts[k], "%s of class %s cannot be subtracted, because "+
				"there are only %d; subtract only statistics of rows in the full statistics",
				text.Plural(part.Counts[k], "observation", "observations"), name, total.Counts[i])
		}
	}
	n, c := total.Dim, total.NumClasses()
	out := New(total.Classes, n)
	if total.Weights != nil {
		out.Weights = make([]float64, c)
	}
	out.Columns, out.Inputs, out.Labels = slices.Clone(total.Columns), total.Inputs, total.Labels
	out.Single = total.Single || part.Single
	if total.Quartic != nil && (part.Quartic != nil || part.Total() == 0) {
		out.Cubic, out.Quartic = make([]float64, c*n), make([]float64, c)
	}
	memory := make([]float64, n*n)
	for i, name := range total.Classes {
		rest := total.classIn(i, out.cov(i))
		if k := slices.Index(part.Classes, name); k >= 0 {
			rest.Sub(part.classIn(k, memory))
		}
		out.setClass(i, rest)
	}
	return out, nil
}
