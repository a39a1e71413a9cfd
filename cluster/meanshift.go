package cluster

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/spd"
)

// Kernel is the kernel of the density that mean shift climbs, as a function of the distance d:
//
//   - uniform, the default, is 1 up to the bandwidth h, and 0 beyond;
//   - normal is exp(−d²/h²).
type Kernel string

const (
	kernelUniform Kernel = "uniform"
	kernelNormal  Kernel = "normal"
)

// MeanShiftOptions are the options of mean shift. The zero value is a good default.
type MeanShiftOptions struct {
	// Metric is the metric of the distances: riemann, the default, or one of spd.FlatMetrics.
	Metric spd.Metric
	// Kernel is the kernel of the density. The default is uniform.
	Kernel Kernel
	// Bandwidth is h of the kernel, and the distance below which only one of two modes is kept. The default is the 30 %
	// quantile of the distances between different matrices.
	Bandwidth float64
	// Tol ends the search for a mode when a step is at most this fraction of the bandwidth; default 1e-3.
	Tol float64
	// MaxIter limits the steps from each matrix; default 300.
	MaxIter int
	// Progress receives an event after the search from each matrix.
	Progress rao.Progress
}

func (o MeanShiftOptions) filled() (MeanShiftOptions, error) {
	o.Metric = cmp.Or(o.Metric, spd.Riemann)
	o.Kernel = cmp.Or(o.Kernel, kernelUniform)
	o.Tol = cmp.Or(o.Tol, 1e-3)
	o.MaxIter = cmp.Or(o.MaxIter, 300)
	if o.Kernel != kernelUniform && o.Kernel != kernelNormal {
		return o, &rao.UnknownError{Kind: "kernel", Name: string(o.Kernel), Known: []string{"uniform", "normal"}}
	}
	if !vec.NotNegative(o.Bandwidth) || !vec.Positive(o.Tol) || o.MaxIter < 1 {
		return o, faults.Option("the bandwidth is %g, the tolerance %g and the iteration limit %d; the bandwidth must "+
			"be 0 or more, the others must be positive, and all must be finite", o.Bandwidth, o.Tol, o.MaxIter)
	}
	_, err := spd.ParseMetric(string(o.Metric))
	return o, err
}

func (o MeanShiftOptions) weight(squared float64) float64 {
	squared /= o.Bandwidth * o.Bandwidth
	if o.Kernel == kernelNormal {
		return math.Exp(-squared)
	}
	if squared <= 1 {
		return 1
	}
	return 0
}

// MeanShift contains the modes of the density of SPD matrices, and the nearest mode of every matrix. The number of
// clusters follows from the bandwidth. The exported fields determine the model.
type MeanShift struct {
	Metric      spd.Metric // metric of the distances
	Kernel      Kernel     // kernel of the density
	Bandwidth   float64    // h of the kernel, in units of the distance
	Modes       *spd.Stack // modes of the density, one per cluster
	Assignments []int      // nearest mode of each training matrix
	Report      rao.Report // its iterations are the steps of the longest search
}

// FitMeanShift moves every matrix of x uphill in the density of x until it reaches a mode (Subbarao and Meer 2009). A
// step moves from the current point M to the weighted mean of the matrices in the tangent space at M:
//
//	M ← exp_M( Σ_k w_k log_M X_k / Σ_k w_k ),  w_k = kernel(d(X_k, M)/h)
//
// If two modes are closer than h, only the mode of the earlier matrix remains. With the uniform kernel and the same
// bandwidth, the results agree with pyRiemann. With the normal kernel they differ, because pyRiemann uses exp(−d⁴/h⁴).
// If a search reaches the iteration limit, FitMeanShift returns a usable model and a *rao.NotConvergedError. If ctx is
// canceled, it returns the error of ctx. It returns an error for more than 20000 matrices. Other errors name the matrix
// or the option. The cost is N tangent vectors per step of each of the N searches, and 8 N² bytes.
func FitMeanShift(ctx context.Context, x *spd.Stack, opt MeanShiftOptions) (*MeanShift, error) {
	begin := time.Now()
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	if err := check(x, 1); err != nil {
		return nil, err
	}
	if x.Count > maxKernel {
		return nil, fmt.Errorf("%d matrices need %.1f GiB for their distances; use at most %d, or k-means",
			x.Count, 8*float64(x.Count)*float64(x.Count)/(1<<30), maxKernel)
	}
	m, err := meanShift(ctx, x, opt)
	if err != nil {
		return nil, err
	}
	m.Report.Elapsed = time.Since(begin)
	if !m.Report.Status.Good() {
		return m, &rao.NotConvergedError{Method: "mean-shift", Report: m.Report, Remedy: "raise the iteration limit"}
	}
	return m, nil
}

func meanShift(ctx context.Context, x *spd.Stack, opt MeanShiftOptions) (*MeanShift, error) {
	p, err := newPoints(ctx, x, opt.Metric)
	if err != nil {
		return nil, err
	}
	if opt.Bandwidth == 0 {
		if opt.Bandwidth, err = bandwidth(ctx, x, opt.Metric); err != nil {
			return nil, err
		}
	}
	m := &MeanShift{Metric: opt.Metric, Kernel: opt.Kernel, Bandwidth: opt.Bandwidth}
	ends, steps := make([][]float64, x.Count), make([]int, x.Count)
	var done atomic.Int64
	err = par.Try(x.Count, 1, func(_, lo, hi int) error {
		var t mat.Dense
		for i := lo; i < hi; i++ {
			end, n, err := p.climb(ctx, &t, i, opt)
			if err != nil {
				return err
			}
			ends[i], steps[i] = end, n
			opt.Progress.Send(rao.Event{Stage: "mean shift", Done: int(done.Add(1)), Total: x.Count})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	modes, err := p.matrices(ends)
	if err != nil {
		return nil, err
	}
	kept, err := apart(ctx, modes, opt)
	if err != nil {
		return nil, err
	}
	m.Modes = modes.Select(kept)
	m.Report.Iterations = slices.Max(steps)
	m.Report.Status = rao.StatusConverged
	if m.Report.Iterations > opt.MaxIter {
		m.Report.Iterations, m.Report.Status = opt.MaxIter, rao.StatusMaxIterations
	}
	m.Assignments, err = m.Predict(ctx, x)
	return m, err
}

// climb returns the mode that is reached from matrix i, and the number of steps. If no mode is reached, the number is
// one more than the limit.
func (p *points) climb(ctx context.Context, t *mat.Dense, i int, opt MeanShiftOptions) ([]float64, int, error) {
	at := p.center(i)
	var shift []float64
	for step := range opt.MaxIter {
		if err := p.from(ctx, t, at); err != nil {
			return nil, 0, err
		}
		n, d := t.Dims()
		shift = append(shift[:0], make([]float64, d)...)
		sum := 0.0
		for k := range n {
			v := t.RawRowView(k)
			w := opt.weight(vec.Dot(v, v))
			if w > 0 {
				vec.Axpy(shift, w, v)
				sum += w
			}
		}
		if sum == 0 { // no matrix is near, so this is a mode between matrices
			return at, step, nil
		}
		for j := range shift {
			shift[j] /= sum
		}
		next, err := p.moved(at, shift)
		if err != nil {
			return nil, 0, err
		}
		at = next
		if vec.Norm(shift) <= opt.Tol*opt.Bandwidth {
			return at, step + 1, nil
		}
	}
	return at, opt.MaxIter + 1, nil
}

// bandwidth returns the 30 % quantile of the distances between different matrices.
func bandwidth(ctx context.Context, x *spd.Stack, metric spd.Metric) (float64, error) {
	var d mat.Dense
	if err := spd.Distances(ctx, &d, metric, x, nil); err != nil {
		return 0, err
	}
	var all []float64
	for i := range x.Count {
		for _, v := range d.RawRowView(i)[i+1:] {
			if v > 0 {
				all = append(all, v)
			}
		}
	}
	if len(all) == 0 {
		return 0, rao.Optionf("bandwidth", "all matrices are identical, so the bandwidth cannot be estimated; set "+
			"{bandwidth}")
	}
	slices.Sort(all)
	return all[3*len(all)/10], nil
}

// apart returns the indices of the modes that remain. From the last mode to the first, it drops a mode if another
// remaining mode is closer than the bandwidth.
func apart(ctx context.Context, modes *spd.Stack, opt MeanShiftOptions) ([]int, error) {
	var d mat.Dense
	if err := spd.Distances(ctx, &d, opt.Metric, modes, nil); err != nil {
		return nil, err
	}
	gone := make([]bool, modes.Count)
	var kept []int
	for i := modes.Count - 1; i >= 0; i-- {
		for j, v := range d.RawRowView(i) {
			if j != i && !gone[j] && v < opt.Bandwidth {
				gone[i] = true
				break
			}
		}
		if !gone[i] {
			kept = append(kept, i)
		}
	}
	slices.Reverse(kept)
	return kept, nil
}

// Predict returns the index of the nearest mode for every matrix of x. An error names the invalid matrix, or reports
// that the order differs from the training matrices.
func (m *MeanShift) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	of, err := (&KMeans{Metric: m.Metric, Means: m.Modes}).Predict(ctx, x)
	if err != nil {
		return nil, err
	}
	return of, nil
}
