package classstats

import (
	"rao/gaussian"
	"rao/internal/naming"
	"rao/internal/provenance"
)

// WithoutSmall returns the statistics without the classes that have fewer than least observations, and the names of
// the removed classes. Hashes of rows are dropped, because they cannot be separated by class; the record of parts
// keeps only the number of remaining rows.
func WithoutSmall(s *gaussian.Statistics, least int) (kept *gaussian.Statistics, left []string) {
	var keep []int
	for i, n := range s.Counts {
		if n < least {
			left = append(left, naming.Class(s.Classes, i))
		} else {
			keep = append(keep, i)
		}
	}
	if left == nil {
		return s, nil
	}
	names := make([]string, len(keep))
	for k, i := range keep {
		names[k] = naming.Class(s.Classes, i)
	}
	kept = gaussian.New(names, s.Dim)
	if s.Quartic != nil {
		kept.Cubic, kept.Quartic = make([]float64, len(keep)*s.Dim), make([]float64, len(keep))
	}
	if s.Weights != nil {
		kept.Weights = make([]float64, len(keep))
	}
	for k, i := range keep {
		setWeight(kept, k, s.Counts[i], Weight(s, i))
		copy(kept.Mean(k), s.Mean(i))
		copy(CovarianceOf(kept, k), CovarianceOf(s, i))
		if s.Quartic != nil {
			copy(kept.Cubic[k*s.Dim:(k+1)*s.Dim], s.Cubic[i*s.Dim:(i+1)*s.Dim])
			kept.Quartic[k] = s.Quartic[i]
		}
	}
	kept.Columns, kept.Inputs, kept.Labels = s.Columns, s.Inputs, s.Labels
	kept.Unmarked, kept.Single = s.Unmarked, s.Single
	if s.Parts != nil {
		kept.Parts = []provenance.Part{{Rows: kept.Total()}}
	}
	return kept, left
}
