package cluster

import (
	"cmp"

	"rao"
	"rao/internal/faults"
	"rao/internal/linalg/vec"
	"rao/internal/text"
	"rao/spd"
)

// KMeansOptions are the options of both k-means methods. The zero value is a good default.
type KMeansOptions struct {
	// Metric is the metric of the distances. FitKMeans accepts any of spd.Metrics; its default is spd.Riemann.
	// FitKernelKMeans needs a metric with a Gaussian kernel; its default is spd.LogEuclid.
	Metric spd.Metric
	// Starts is the number of runs from different seeds; default 10.
	Starts int
	// MaxIter limits the iterations of a run; default 100.
	MaxIter int
	// Seed is the seed for drawing the starting points.
	Seed uint64
	// Gamma is γ of the Gaussian kernel exp(−γ d²), for FitKernelKMeans only. The default is 1 over the median squared
	// distance.
	Gamma float64
	// Mean adjusts the computation of means for metrics with an iterative mean. The default tolerance is 1e-6.
	Mean spd.MeanOptions
	// Progress receives an event after every run.
	Progress rao.Progress
}

func (o KMeansOptions) filled(otherwise spd.Metric) (KMeansOptions, error) {
	o.Metric = cmp.Or(o.Metric, otherwise)
	o.Starts = cmp.Or(o.Starts, 10)
	o.MaxIter = cmp.Or(o.MaxIter, 100)
	o.Mean.Tol = cmp.Or(o.Mean.Tol, 1e-6)
	if o.Starts < 1 || o.MaxIter < 1 || !vec.NotNegative(o.Gamma) {
		return o, faults.Option("the number of starts is %d, the iteration limit %d and gamma %g; the first two must "+
			"be positive, and gamma must be finite and 0 or more", o.Starts, o.MaxIter, o.Gamma)
	}
	_, err := spd.ParseMetric(string(o.Metric))
	return o, err
}

// check returns an error unless x can be divided into k clusters.
func check(x *spd.Stack, k int) error {
	if x == nil || x.Count == 0 {
		return faults.Count(0, 1, "there are no matrices; give at least one")
	}
	if err := x.Verify(); err != nil {
		return err
	}
	if k < 1 || k > x.Count {
		return faults.Option(
			"%d clusters were requested for %s; there must be at least 1 cluster, and at most as many "+
				"clusters as matrices", k, text.Plural(x.Count, "matrix", "matrices"))
	}
	return nil
}
