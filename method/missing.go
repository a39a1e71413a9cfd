package method

import (
	"context"
	"fmt"

	"rao/model"
)

// filled returns the source with the missing values of its data filled in, and the value
// for each column; nil where the data ask for none.
func (s Source) filled(ctx context.Context) (Source, []float64, error) {
	if s.Data == nil || !s.Data.Missing.Fills() {
		return s, nil, nil
	}
	if s.Data.N() == 0 {
		return s, nil, fmt.Errorf("%s: there is no row to learn from", s.Data.Source)
	}
	fill, err := s.Data.X.Typical(ctx, s.Data.Missing, model.BatchOf(s.Data).Columns)
	if err != nil {
		return s, nil, fmt.Errorf("%s: %w", s.Data.Source, err)
	}
	d := *s.Data
	d.Missing = ""
	if !s.SpareData {
		d.X = d.X.Clone()
	}
	d.X.Fill(fill)
	s.Data, s.Stats, s.Collected = &d, nil, nil // what was made of rows with holes is nothing
	return s, fill, nil
}
