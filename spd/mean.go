package spd

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"rao/internal/indices"
	"rao/internal/linalg/vec"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
)

// MeanOptions are the settings of iterative means, medians and joint diagonalization. The zero value is a good default.
// Means in closed form check the options, but do not use them.
type MeanOptions struct {
	// Tol ends the iteration when the residual is at most Tol. Default 1e-9. For [Mean] under Riemann, the residual is
	// ‖Σ w log(M⁻½ X M⁻½)‖, which has no unit, as in pyRiemann. Under Wasserstein and LogDet it is the relative change
	// ‖M' − M‖/‖M'‖ of a step from M to M'. The other functions document their own residual.
	Tol float64
	// MaxIter limits the iterations. The default is 200, or 5000 for [JointFilters] and [JointMean].
	MaxIter int
	// Start is an SPD matrix to start from. By default, most functions start from a mean in closed form.
	Start mat.Symmetric
	// Progress receives an event after every iteration.
	Progress rao.Progress
}

func (o MeanOptions) filled() (MeanOptions, error) {
	o.Tol = cmp.Or(o.Tol, 1e-9)
	o.MaxIter = cmp.Or(o.MaxIter, 200)
	if !vec.Positive(o.Tol) {
		return o, faults.Option("the tolerance of the mean is %g; give a positive number, such as 1e-9", o.Tol)
	}
	if o.MaxIter < 0 {
		return o, faults.Option("the iteration limit of the mean is %d; it must be 0 or more", o.MaxIter)
	}
	return o, nil
}

// inputs checks the arguments of an iterative mean, and returns the weights scaled to sum to one and the options with
// their defaults.
func (o MeanOptions) inputs(x *Stack, weights []float64) ([]float64, MeanOptions, error) {
	o, err := o.filled()
	if err != nil {
		return nil, o, err
	}
	if err := x.verify("matrix"); err != nil {
		return nil, o, err
	}
	w, err := normalized(weights, x.Count)
	if err != nil {
		return nil, o, err
	}
	return w, o, o.verifyStart(x.Dim)
}

// verifyStart returns an error if there is a start that is not SPD. It panics with mat.ErrShape if the start has
// another order.
func (o MeanOptions) verifyStart(n int) error {
	start := full(o.Start)
	if start == nil {
		return nil
	}
	if len(start) != n*n {
		panic(mat.ErrShape)
	}
	if err := verifyMatrix(start, n, "start of the mean", -1); err != nil {
		return err
	}
	_, err := newFrame(start, n, "start of the mean")
	return err
}

// Mean returns the weighted mean of the matrices of x. Weights are normalized to sum to one; nil means equal weights.
//
//	riemann       Σ w log(M⁻½ X M⁻½) = 0          (Moakher 2005)
//	logeuclid     exp Σ w log X
//	euclid        Σ w X
//	wasserstein   M = Σ w (M½ X M½)½              (Álvarez-Esteban et al. 2016)
//	kullback_sym  geometric mean of Σ w X and (Σ w X⁻¹)⁻¹ (Moakher and Batchelor 2006)
//	logdet        M⁻¹ = Σ w ((M+X)/2)⁻¹           (Chebbi and Moakher 2012)
//	chol          L L', L = Σ w chol X
//	logchol       as chol, diagonals by their geometric mean (Lin 2019)
//	harmonic      (Σ w X⁻¹)⁻¹
//
// The report contains the number of iterations, the residual (GradientNorm) and, for Riemann, the objective Σ w d²(M,
// X). If the tolerance is not met, or ctx is canceled, the best matrix so far is returned with a
// *[rao.NotConvergedError] (see [rao.HasModel]). Other errors are for an unknown metric or invalid weights, or name a
// matrix that is not SPD. The result is symmetric, and the same for any number of workers.
//
// A closed form costs one pass over the matrices, or two for kullback_sym. The other means cost one pass per iteration,
// with one eigendecomposition per matrix for Riemann and Wasserstein, and one inverse for LogDet. Each pass is
// parallel.
func Mean(ctx context.Context, x *Stack, weights []float64, metric Metric,
	opt MeanOptions) (*mat.SymDense, rao.Report, error) {
	if x == nil {
		return nil, rao.Report{}, errNil
	}
	m, rep, err := weightedMean(ctx, x, weights, metric, opt)
	return symmetric(x.Dim, m), rep, err
}

func weightedMean(ctx context.Context, x *Stack, weights []float64, metric Metric,
	opt MeanOptions) ([]float64, rao.Report, error) {
	begin := time.Now()
	g, err := metric.geometry()
	if err != nil {
		return nil, rao.Report{}, err
	}
	w, opt, err := opt.inputs(x, weights)
	if err != nil {
		return nil, rao.Report{}, err
	}
	mean, rep, err := g.mean(ctx, x, w, opt)
	rep.Elapsed = time.Since(begin)
	if err != nil && !rao.HasModel(err) {
		return nil, rep, err
	}
	return mean, rep, err
}

// normalized returns the weights scaled to sum to one.
func normalized(weights []float64, count int) ([]float64, error) {
	w := make([]float64, count)
	if weights == nil {
		for i := range w {
			w[i] = 1 / float64(count)
		}
		return w, nil
	}
	if err := indices.CheckOnePer("weight", len(weights), "matrix", count); err != nil {
		return nil, err
	}
	sum := 0.0
	for i, v := range weights {
		if !vec.NotNegative(v) {
			return nil, &rao.ValueError{Row: i, Col: -1, Value: v,
				Message: fmt.Sprintf("weight %d is %g; weights must be finite and not negative", i, v)}
		}
		sum += v
	}
	if !vec.Positive(sum) {
		return nil, faults.Data("the weights sum to %g; the sum must be positive and finite", sum)
	}
	for i, v := range weights {
		w[i] = v / sum
	}
	return w, nil
}

// closed adapts a mean in closed form to the signature of the iterative means.
func closed(f func(x *Stack, w []float64) ([]float64, error)) func(context.Context, *Stack, []float64,
	MeanOptions) ([]float64, rao.Report, error) {
	return func(_ context.Context, x *Stack, w []float64, _ MeanOptions) ([]float64, rao.Report, error) {
		m, err := f(x, w)
		return m, rao.Report{Status: rao.StatusClosed, Passes: 1}, err
	}
}
