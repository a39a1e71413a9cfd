package method

import (
	"rao/dataset"
	"rao/gaussian"
	"rao/internal/heldout"
	"rao/internal/statsarrays"
)

// collector computes the statistics for a fit while rows arrive in order: statistics of the classes, or of the folds if
// validation chooses the noise.
type collector struct {
	data  *dataset.Data
	sums  *gaussian.Accumulator
	folds *heldout.Folds
}

// WhileRead returns data whose rows will be read later, as the source for a fit, and a function that collects the
// statistics for the fit. Call it when the rows [lo,hi) have been read, in order. It is nil if the method does not
// learn from class covariances. All other fields of the data must be set. WhileRead returns an error if an option is
// invalid or the statistics would be too large.
func (s Spec) WhileRead(d *dataset.Data) (src InMemory, add func(lo, hi int) error, err error) {
	src.Data = d
	options, err := s.options()
	if err != nil || src.accepted(s.Method) != nil || !s.Method.Covariances(d) {
		return src, nil, err
	}
	if src.collected, err = newCollector(d, options); err != nil {
		return src, nil, err
	}
	return src, src.collected.add, nil
}

func newCollector(d *dataset.Data, options any) (c *collector, err error) {
	c = &collector{data: d}
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

// add adds the rows [lo,hi). Rows must be added in order.
func (c *collector) add(lo, hi int) error {
	x := c.data.X.Rows(lo, hi).Matrix()
	if c.folds != nil {
		return c.folds.Add(x)
	}
	return c.sums.Add(x, c.data.Labels[lo:hi])
}

// statistics returns the statistics of all rows, or of the folds and of all rows. Call it only once.
func (c *collector) statistics() (classStatistics, error) {
	if c.folds != nil {
		return ofFolds{c.folds}, c.folds.Finish(c.data.X.Matrix())
	}
	s, err := c.sums.Finish(c.data.Classes)
	if err != nil {
		return nil, err
	}
	return inMemory{s, false}, s.Validate()
}
