package dataset

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/naming"
	"rao/internal/par"
	"rao/internal/provenance"
)

// SubclassesOptions are the options of [Subclasses].
type SubclassesOptions struct {
	Open    OpenOptions              // options of the data; labels are required
	Of      gaussian.SubclassOptions // options of the sub-classes
	Hashing provenance.Hashing       // hashing of the rows
	Rows    func(done int)           // receives the number of rows read in a pass; may be nil
}

// Subclasses streams labeled vectors twice and returns their sub-classes; see [gaussian.EstimateSubclasses].
// opt.Hashing determines how the result identifies its rows.
func Subclasses(ctx context.Context, spec string, opt SubclassesOptions) (*gaussian.Subclasses, error) {
	if opt.Open.Weights != "" {
		return nil, noWeights("statistics of sub-classes")
	}
	opt.Open.RequireLabels = true
	part := provenance.Builder{Hashing: opt.Hashing}
	var basis, columns []string
	if opt.Of.Basis != nil {
		basis = opt.Of.Basis.Columns
	}
	passes := 0
	read := func(each func(x mat.Matrix, labels []int, classes []string) error) error {
		passes++
		done := 0
		err := vectorBlocks(ctx, spec, opt.Open, func(d *Data) error {
			x, labels, classes := d.X, d.Labels, d.Classes
			columns = d.columns()
			order, bad := naming.Order(basis, columns)
			if bad != nil {
				return &provenance.ColumnsError{Missing: bad.Missing, Unknown: bad.Unknown, Twice: bad.Twice}
			}
			x = x.inOrder(order)
			n, _ := x.Dims()
			values := x
			if opt.Open.fill != nil { // rows are identified before missing values are replaced
				values = x.Clone()
				values.Fill(opt.Open.fill)
			}
			if passes == 1 {
				hashing := par.Begin(func() { part.AddAll(x) })
				defer hashing.Finish()
			}
			if done += n; opt.Rows != nil {
				opt.Rows(done)
			}
			return each(values.Matrix(), labels, classes)
		})
		opt.Open.OnReading = nil // once is enough
		return err
	}
	s, err := gaussian.EstimateSubclasses(ctx, read, opt.Of)
	if err != nil {
		return nil, err
	}
	if s.Parts = []provenance.Part{part.Part()}; opt.Of.Basis == nil {
		s.Basis.Columns = columns
	}
	return s, nil
}
