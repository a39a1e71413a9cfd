package learners

import (
	"time"

	"gonum.org/v1/gonum/mat"

	"rao/feature"
	"rao/internal/linalg/ritz"
	"rao/internal/linearfilters"
)

// withinComponents fits filters to the rows in their k leading principal components and maps the filters back to the
// input space. start, n×m or nil, is mapped to the components.
func withinComponents(method string, x mat.Matrix, k, m int, start *mat.Dense,
	fit func(z, start *mat.Dense) (*feature.Model, error)) (*feature.Model, error) {
	began := time.Now()
	mean, cov, n, err := pooled(x)
	if err != nil {
		return nil, err
	}
	if err := linearfilters.CheckFilters(m, k, "the number of components that the filters lie in"); err != nil {
		return nil, err
	}
	_, vectors, err := linearfilters.Leading(cov, n, k)
	if err != nil {
		return nil, err
	}
	span := &feature.Model{Method: method, Filters: mat.NewDense(n, k, vectors), Center: mean}
	if err := checkShape("the starting filters", start, n, m); err != nil {
		return nil, err
	}
	if start != nil {
		inside := new(mat.Dense)
		inside.Mul(span.Filters.T(), start)
		start = inside
	}
	var z mat.Dense
	span.Transform(&z, x)
	model, err := fit(&z, start)
	if model == nil {
		return nil, err
	}
	f := new(mat.Dense)
	f.Mul(span.Filters, model.Filters)
	ritz.FixSigns(f.RawMatrix().Data, n, m)
	model.Filters, model.Center = f, mean
	model.Report.Elapsed = time.Since(began)
	return model, err
}
