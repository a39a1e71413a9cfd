package worker

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"rao/internal/datapart"
	"rao/internal/linalg/vec"
	"rao/internal/provenance"
	"rao/internal/text"
	"rao/method"
	"rao/spd"
)

// regress fits one of [method.Regressions], which predicts the numbers "y" from the matrices "X". The settings are the
// fields of method.RegressionOptions.
func regress(ctx context.Context, s *server, q *Request) (*Reply, error) {
	start := time.Now()
	y, err := q.array("y")
	if err != nil {
		return nil, err
	}
	given := *q
	given.Arrays = nil
	for _, a := range q.Arrays { // y is not a label
		if a.Name != "y" {
			given.Arrays = append(given.Arrays, a)
		}
	}
	d, err := given.data(ctx)
	if err != nil {
		return nil, err
	}
	if y.len() != d.N() || len(y.Shape) != 1 {
		return nil, fmt.Errorf("y has the shape %s, but there are %d matrices; give one target per matrix",
			text.Shape(y.Shape), d.N())
	}
	opt, err := regressionOptions(q.Settings)
	if err != nil {
		return nil, err
	}
	if err := opt.Check(q.Method); err != nil {
		return nil, err
	}
	m, err := method.FitRegression(ctx, q.Method, d, "y", slices.Clone(y.doubles()), opt)
	why, err := partial(err)
	if err != nil {
		return nil, err
	}
	m.Training.Parts = []provenance.Part{datapart.Of(d, provenance.Hashing{})}
	m.Seconds.Fit = time.Since(start).Seconds()
	r, err := s.keep(m, true)
	if err == nil {
		r.Partial, r.Notes, r.Warnings = why, m.Notes, m.Warnings
	}
	return r, err
}

func regressionOptions(settings []map[string]string) (opt method.RegressionOptions, err error) {
	for _, set := range settings {
		name, value := set["name"], set["value"]
		switch name {
		case "metric":
			opt.Metric = spd.Metric(value)
		case "ridge":
			opt.Ridge, err = positive(name, value)
		case "c":
			opt.C, err = positive(name, value)
		case "epsilon":
			opt.Epsilon, err = positive(name, value)
		case "neighbors":
			opt.Neighbors, err = strconv.Atoi(value)
			if err != nil || opt.Neighbors < 1 {
				err = fmt.Errorf("neighbors %q: the value must be a whole number of 1 or more", value)
			}
		default:
			err = fmt.Errorf("the option %q is unknown; regressions have the options metric, ridge, c, epsilon and "+
				"neighbors", name)
		}
		if err != nil {
			return opt, err
		}
	}
	return opt, nil
}

func positive(name, value string) (float64, error) {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || !(v > 0) || !vec.Finite(v) {
		return 0, fmt.Errorf("%s %q: the value must be a number above 0", name, value)
	}
	return v, nil
}
