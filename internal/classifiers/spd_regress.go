package classifiers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/spd"
)

// TangentRegression predicts a number from an SPD matrix X as w·t(X) + b, where t(X) is its vector in a tangent space.
// [FitTangentRidge] and [FitTangentSVR] learn the weights.
//
// The exported fields determine the model.
type TangentRegression struct {
	Space     *TangentSpace `json:"space"`     // the tangent space of the vectors
	Weights   []float64     `json:"weights"`   // one per value of a tangent vector
	Intercept float64       `json:"intercept"` // the target is the weighted sum plus this number
}

// Dim returns the order of the matrices.
func (m *TangentRegression) Dim() int { return m.Space.N }

// Values writes the predicted number of each matrix of x to dst, which must have one element per matrix. Errors name
// the matrix.
func (m *TangentRegression) Values(ctx context.Context, dst []float64, x *spd.Stack) error {
	var t mat.Dense
	if err := m.Space.Vectors(ctx, &t, x); err != nil {
		return err
	}
	for i := range dst {
		dst[i] = m.Intercept + vec.Dot(m.Weights, t.RawRowView(i))
	}
	return nil
}

// Validate returns an error if the fields are inconsistent.
func (m *TangentRegression) Validate() error {
	if m.Space == nil {
		return errors.New("the tangent regression has no tangent space; fit it again")
	}
	if err := m.Space.Validate(); err != nil {
		return err
	}
	if len(m.Weights) != m.Space.dim() {
		return fmt.Errorf("the tangent regression has %d weights, but needs %d, one per coordinate",
			len(m.Weights), m.Space.dim())
	}
	for _, w := range append([]float64{m.Intercept}, m.Weights...) {
		if !vec.Finite(w) {
			return errors.New("the tangent regression has a weight that is not finite; fit it again")
		}
	}
	return nil
}

// TangentRidgeOptions are the options of FitTangentRidge. The zero value is a good default.
type TangentRidgeOptions struct {
	Metric spd.Metric // spd.Riemann, the default, or spd.LogEuclid
	Ridge  float64    // penalty of the squared weights; 0: chosen by leave-one-out error
	Mean   spd.MeanOptions
}

// FitTangentRidge learns a regression of the targets, one per matrix, on tangent vectors at the mean, by least squares
// with the penalty λ‖w‖². If λ is not given, it is chosen from 25 values between 1e-6 and 1e6 times the mean squared
// length of the centered vectors by the leave-one-out squared error, in closed form (Allen 1974). FitTangentRidge also
// returns the penalty.
//
// It returns an error for invalid targets or options, for fewer than three matrices, and if the mean fails. With a
// *rao.NotConvergedError, the model is usable. The cost is the mean and one eigendecomposition of order N.
func FitTangentRidge(ctx context.Context, x *spd.Stack, targets []float64, opt TangentRidgeOptions) (*TangentRegression,
	float64, error) {
	r, late, err := newRegression(ctx, x, targets, opt.Metric, opt.Mean)
	if err != nil {
		return nil, 0, err
	}
	if !vec.NotNegative(opt.Ridge) {
		return nil, 0, faults.Option("the ridge is %g; it must be finite and 0 or more", opt.Ridge)
	}
	var eig mat.EigenSym
	if !eig.Factorize(r.gram(), true) {
		return nil, 0,
			faults.Data("the eigendecomposition of the inner products did not converge; repair the matrices")
	}
	var u mat.Dense
	eig.VectorsTo(&u)
	values := eig.Values(nil)
	along := make([]float64, r.n) // U'y
	for k := range along {
		for i := range r.n {
			along[k] += u.At(i, k) * r.y[i]
		}
	}
	ridge := opt.Ridge
	if ridge == 0 {
		ridge = r.bestRidge(&u, values, along)
	}
	dual := make([]float64, r.n)
	for k, v := range values {
		vec.Axpy(dual, along[k]/(math.Max(v, 0)+ridge), mat.Col(nil, k, &u))
	}
	return r.model(dual), ridge, late
}

// regression contains centered tangent vectors and centered targets, for both fits.
type regression struct {
	space  *TangentSpace
	n      int
	t      *mat.Dense
	center []float64
	y      []float64
	mean   float64 // mean of the targets
}

// newRegression checks the targets and maps the matrices to vectors. late is a *rao.NotConvergedError.
func newRegression(ctx context.Context, x *spd.Stack, targets []float64, metric spd.Metric,
	opt spd.MeanOptions) (r *regression, late, err error) {
	if err := checkTargets(x, targets); err != nil {
		return nil, nil, err
	}
	space, late := FitTangentSpace(ctx, x, metric, opt)
	if space == nil || late != nil && !rao.HasModel(late) {
		return nil, nil, late
	}
	r = &regression{space: space, n: x.Count, t: new(mat.Dense), center: make([]float64, space.dim()),
		y: make([]float64, x.Count)}
	if err := space.Vectors(ctx, r.t, x); err != nil {
		return nil, nil, err
	}
	for i := range r.n {
		vec.Axpy(r.center, 1/float64(r.n), r.t.RawRowView(i))
		r.mean += targets[i] / float64(r.n)
	}
	for i := range r.n {
		vec.Axpy(r.t.RawRowView(i), -1, r.center)
		r.y[i] = targets[i] - r.mean
	}
	return r, late, nil
}

// checkTargets returns an error unless there are at least three matrices, each with a finite target.
func checkTargets(x *spd.Stack, targets []float64) error {
	if err := x.Validate(); err != nil {
		return err
	}
	if err := indices.CheckOnePer("target", len(targets), "matrix", x.Count); err != nil {
		return err
	}
	if x.Count < 3 {
		return faults.Count(x.Count, 3, "a regression needs at least three matrices, not %d", x.Count)
	}
	if i := vec.NotFinite(targets); i >= 0 {
		return faults.Data("the target of matrix %d is %v; leave the matrix out, or give a finite number", i,
			targets[i])
	}
	return nil
}

func (r *regression) gram() *mat.SymDense {
	k := mat.NewSymDense(r.n, nil)
	k.SymOuterK(1, r.t)
	return k
}

// bestRidge returns the penalty with the smallest leave-one-out squared error.
func (r *regression) bestRidge(u *mat.Dense, values, along []float64) float64 {
	scale := 0.0
	for _, v := range values {
		scale += math.Max(v, 0) / float64(r.n)
	}
	best, least := scale, math.Inf(1)
	if scale == 0 { // all matrices are the same: nothing to learn
		return 1
	}
	for step := -12; step <= 12; step++ {
		ridge := scale * math.Pow(10, float64(step)/2)
		sum := 0.0
		for i := range r.n {
			fit, leverage := 0.0, 1/float64(r.n)
			for k, v := range values {
				shrink := math.Max(v, 0) / (math.Max(v, 0) + ridge)
				fit += u.At(i, k) * shrink * along[k]
				leverage += u.At(i, k) * u.At(i, k) * shrink
			}
			e := (r.y[i] - fit) / math.Max(1-leverage, 1e-12)
			sum += e * e
		}
		if sum < least {
			best, least = ridge, sum
		}
	}
	return best
}

// model returns the regression with weights Σ dual_i t_i.
func (r *regression) model(dual []float64) *TangentRegression {
	m := &TangentRegression{Space: r.space, Weights: make([]float64, len(r.center)), Intercept: r.mean}
	for i, a := range dual {
		vec.Axpy(m.Weights, a, r.t.RawRowView(i))
	}
	m.Intercept -= vec.Dot(m.Weights, r.center)
	return m
}

// Defaults of the regressions: the C and Epsilon of [TangentSVROptions], and the number of nearest matrices.
const (
	DefaultCost      = 1
	DefaultEpsilon   = 0.1
	DefaultNeighbors = 5
)

// TangentSVROptions are the options of FitTangentSVR. The zero value is a good default.
type TangentSVROptions struct {
	Metric  spd.Metric // spd.Riemann, the default, or spd.LogEuclid
	C       float64    // weight of an error beyond Epsilon; default 1
	Epsilon float64    // error that costs nothing, in units of the target; default 0.1
	Tol     float64    // tolerance of the optimality conditions; default 1e-3
	MaxIter int        // limit on the steps; default 1,000,000
	Mean    spd.MeanOptions
}

// FitTangentSVR learns a regression of the targets, one per matrix, on tangent vectors at the mean by ε-insensitive
// support vectors (Vapnik 1995; Smola and Schölkopf 2004), with a linear kernel. Its dual has two multipliers per
// matrix and is solved like the dual of [SVM], with memory for 5 N² numbers. It returns the same errors as
// FitTangentRidge; with a *rao.NotConvergedError the model is usable.
func FitTangentSVR(ctx context.Context, x *spd.Stack, targets []float64, opt TangentSVROptions) (*TangentRegression,
	error) {
	r, late, err := newRegression(ctx, x, targets, opt.Metric, opt.Mean)
	if err != nil {
		return nil, err
	}
	opt.C = cmp.Or(opt.C, DefaultCost)
	opt.Epsilon = cmp.Or(opt.Epsilon, DefaultEpsilon)
	opt.Tol = cmp.Or(opt.Tol, 1e-3)
	opt.MaxIter = cmp.Or(opt.MaxIter, 1000000)
	if !(opt.C > 0) || !(opt.Epsilon > 0) || !(opt.Tol > 0) || opt.MaxIter < 1 {
		return nil, faults.Option("the option C is %g, epsilon %g, the tolerance %g and the number of steps %d; all "+
			"must be positive",
			opt.C, opt.Epsilon, opt.Tol, opt.MaxIter)
	}
	n := r.n
	gram := r.gram()
	k, signs, linear := make([]float64, 4*n*n), make([]float64, 2*n), make([]float64, 2*n)
	for i := range 2 * n {
		for j := range 2 * n {
			k[i*2*n+j] = gram.At(i%n, j%n)
		}
		signs[i] = 1
		if i >= n {
			signs[i] = -1
		}
		linear[i] = opt.Epsilon - signs[i]*r.y[i%n]
	}
	coef, bias, converged := smoWith(ctx, k, signs, linear, MachineOptions{C: opt.C, Tol: opt.Tol,
		MaxIter: opt.MaxIter})
	dual := make([]float64, n)
	for i := range dual {
		dual[i] = coef[i] + coef[n+i]
	}
	m := r.model(dual)
	m.Intercept += bias
	if !converged {
		status := rao.StatusMaxIterations
		if ctx.Err() != nil {
			status = rao.StatusCanceled
		}
		return m, &rao.NotConvergedError{Cause: ctx.Err(),
			Method: "support vector regression", Report: rao.Report{Status: status},
			Remedy: "allow more steps, or lower C"}
	}
	return m, late
}
