package cluster

import (
	"cmp"

	"rao"
	"rao/internal/faults"
	"rao/internal/linalg/vec"
	"rao/internal/text"
	"rao/spd"
)

// KMeansOptions are the options of [FitKMeans]. The zero value is a good default.
type KMeansOptions struct {
	// Metric is the metric of the distances, any of spd.Metrics; default spd.Riemann.
	Metric spd.Metric
	// Starts is the number of runs from different seeds; default 10.
	Starts int
	// MaxIter limits the iterations of a run; default 100.
	MaxIter int
	// Seed is the seed for drawing the starting points.
	Seed uint64
	// Mean adjusts the computation of means for metrics with an iterative mean. The default tolerance is 1e-6.
	Mean spd.MeanOptions
	// Progress receives an event after every run.
	Progress rao.Progress
}

func (o KMeansOptions) filled() (KMeansOptions, error) {
	o.Mean.Tol = cmp.Or(o.Mean.Tol, 1e-6)
	return o, fill(&o.Metric, spd.Riemann, &o.Starts, &o.MaxIter)
}

// KernelKMeansOptions are the options of [FitKernelKMeans]. The zero value is a good default.
type KernelKMeansOptions struct {
	Metric   spd.Metric   // a metric with a Gaussian kernel; default spd.LogEuclid
	Gamma    float64      // γ of the kernel exp(−γ d²); default 1 over the median squared distance
	Starts   int          // number of runs from different seeds; default 10
	MaxIter  int          // limits the iterations of a run; default 100
	Seed     uint64       // seed for drawing the starting points
	Progress rao.Progress // receives an event after every run
}

func (o KernelKMeansOptions) filled() (KernelKMeansOptions, error) {
	if !vec.NotNegative(o.Gamma) {
		return o, faults.Option("gamma is %g; it must be finite and 0 or more", o.Gamma)
	}
	return o, fill(&o.Metric, spd.LogEuclid, &o.Starts, &o.MaxIter)
}

// fill sets the defaults of options that both k-means methods have, and returns an error if one is out of range.
func fill(metric *spd.Metric, usual spd.Metric, starts, maxIter *int) error {
	*metric = cmp.Or(*metric, usual)
	*starts = cmp.Or(*starts, 10)
	*maxIter = cmp.Or(*maxIter, 100)
	if *starts < 1 || *maxIter < 1 {
		return faults.Option("the number of starts is %d and the iteration limit %d; both must be positive", *starts,
			*maxIter)
	}
	_, err := spd.ParseMetric(string(*metric))
	return err
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
