package method

import (
	"rao/dataset"
	"rao/gaussian"
	"rao/internal/heldout"
	"rao/internal/statsarrays"
)

// Collector computes the statistics for a fit while rows arrive in order: statistics of the classes, or of the folds if
// validation chooses the noise.
type Collector struct {
	data  *dataset.Data
	sums  *gaussian.Accumulator
	folds *heldout.Folds
}

// Collector returns a collector for a fit to the data, or nil if the method does not learn from class covariances. It
// returns an error if an option is invalid or the statistics would be too large. All fields of the data must be set,
// but the values of the rows may be read later.
func (s Spec) Collector(d *dataset.Data) (*Collector, error) {
	options, err := s.options()
	if err != nil || (InMemory{Data: d}).accepted(s.Method) != nil || !s.Method.Covariances(d) {
		return nil, err
	}
	return newCollector(d, options)
}

func newCollector(d *dataset.Data, options any) (c *Collector, err error) {
	c = &Collector{data: d}
	_, cols := d.X.Dims()
	if o, ok := options.(planner); ok {
		if c.folds, err = o.folds(d.Labels, d.Classes, cols); c.folds != nil || err != nil {
			return c, err
		}
	}
	if err := statsarrays.CheckSize(cols, len(d.Classes)); err != nil {
		return nil, err
	}
	c.sums = gaussian.NewAccumulator(cols, len(d.Classes))
	c.sums.Borrow()
	if wantsMoments(options) {
		c.sums.CollectMoments()
	}
	return c, nil
}

// Add adds the rows [lo,hi). Rows must be added in order. It returns the errors of [gaussian.Accumulator.Add].
func (c *Collector) Add(lo, hi int) error {
	x := c.data.X.Rows(lo, hi).Matrix()
	if c.folds != nil {
		return c.folds.Add(x)
	}
	return c.sums.Add(x, c.data.Labels[lo:hi])
}

// statistics returns the statistics of all rows, or of the folds and of all rows. Call it only once.
func (c *Collector) statistics() (classStatistics, error) {
	if c.folds != nil {
		return ofFolds{c.folds}, c.folds.Finish(c.data.X.Matrix())
	}
	s, err := c.sums.Finish(c.data.Classes)
	if err != nil {
		return nil, err
	}
	return inMemory{s, false}, s.Validate()
}
