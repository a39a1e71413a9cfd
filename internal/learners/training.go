package learners

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/rows"
	"rao/internal/text"
)

// training is labeled data that have passed the checks of newTraining.
type training struct {
	rows, dim, classes int
	in                 *rows.Reader
	labels             []int
	names              []string
	counts             []int
	members            [][]int // rows of each class, ascending
}

// newTraining checks rows and labels. It returns an error unless all values are finite and the data have at least two
// classes with at least two rows each.
func newTraining(x mat.Matrix, labels []int, names []string) (*training, error) {
	in := rows.New(x)
	t := &training{rows: in.Rows, dim: in.Cols, in: in, labels: labels, names: names}
	if err := indices.CheckOnePer("label", len(labels), "row", in.Rows); err != nil {
		return nil, err
	}
	if in.Rows == 0 || in.Cols == 0 {
		return nil, faults.Count(0, 1, "the training data have %s and %s; at least one of each is needed",
			text.Plural(in.Rows, "row", "rows"), text.Plural(in.Cols, "column", "columns"))
	}
	var err error
	if t.classes, err = indices.NumClasses("row", labels, names); err != nil {
		return nil, err
	}
	t.members = indices.Groups(labels, t.classes)
	if t.classes < 2 {
		return nil, faults.Count(1, 2,
			"all %d rows belong to one class, but at least two classes are needed; check which "+
				"column or variable contains the labels", in.Rows)
	}
	for i, m := range t.members {
		t.counts = append(t.counts, len(m))
		switch len(m) {
		case 0:
			return nil, faults.Count(0, 1, "class %s has no rows; leave the class out or add data", t.name(i))
		case 1:
			return nil, faults.Count(1, 2, "class %s has only one row (row %d), but at least two are needed; leave "+
				"the class out or add data", t.name(i), m[0])
		}
	}
	if err := in.CheckFinite(); err != nil {
		return nil, err
	}
	return t, nil
}

// name returns the name of class i, or its number.
func (t *training) name(i int) string {
	if i < len(t.names) {
		return t.names[i]
	}
	return fmt.Sprint(i)
}

// pooled returns the mean and the covariance (divisor N-1) of all rows of x, ignoring classes. It returns an error if
// a value is not finite or there are fewer than two rows.
func pooled(x mat.Matrix) (mean, cov []float64, n int, err error) {
	r, n := x.Dims()
	if r < 2 || n < 1 {
		return nil, nil, 0, fmt.Errorf("the training data have the shape %d×%d, but at least two rows and one "+
			"column are needed", r, n)
	}
	s, err := gaussian.Estimate(x, make([]int, r), []string{"all"})
	if err != nil {
		return nil, nil, 0, err
	}
	return s.Mean(0), s.Covariance(0).RawSymmetric().Data, n, nil
}
