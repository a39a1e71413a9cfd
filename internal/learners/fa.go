package learners

import (
	"context"
	"errors"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/faults"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/tri"
	"rao/internal/linalg/vec"
	"rao/internal/linearfilters"
	"rao/internal/optim"
	"rao/internal/optionvalues"
)

// FAOptions are the options of [FitFA]. Filters is required.
type FAOptions struct {
	Filters int // number of factors, at least 1 and less than the number of dimensions; required
	// EM uses the EM algorithm of Rubin and Thayer (1982). Otherwise L-BFGS maximizes the likelihood over the noise
	// variances, with the loadings in closed form. Both maximize the same likelihood. EM needs many more iterations,
	// which are cheaper.
	EM bool `opt:"em" default:"false" help:"use the EM algorithm instead of L-BFGS"`
	// Tol is the tolerance of the mean log-likelihood per row, in nats. EM stops when an iteration changes the
	// likelihood by at most Tol, and L-BFGS when five successive iterations change it by at most Tol·max(1, |v|/n)
	// each, where v is the likelihood and n the number of columns.
	Tol     float64                `opt:"tol" default:"1e-9" above:"0" help:"stop when the mean log-likelihood per row changes by less than this"`
	MaxIter optionvalues.AutoCount `opt:"max-iter" default:"auto" min:"1" max:"100000000" help:"maximum number of iterations; auto uses 1000, or 20000 with em"`
	// Loadings uses the loadings Λ as filters, which scikit-learn calls components.
	Loadings bool `opt:"loadings" default:"false" help:"use the loadings as filters, instead of the posterior means of the factors"`
	// The default of NoiseFloor, in squared units of the data, is that of scikit-learn.
	NoiseFloor float64 `opt:"noise-floor" default:"1e-12" above:"0" help:"smallest noise variance of a column"`
	Progress   rao.Progress
}

// FitFA fits factor analysis by maximum likelihood, from class statistics. It ignores the classes, so one class is
// enough. The model is
//
//	x = μ + Λ z + e,  z ~ N(0, I_m),  e ~ N(0, Ψ),  Ψ diagonal
//
// With v_j, s_j the leading eigenpairs of Ψ^-½ S Ψ^-½, the best loadings are Λ = Ψ^½ V (diag(s) - I)₊^½, and the
// likelihood becomes a function of Ψ alone (Lawley and Maxwell 1971; Barber 2012, section 21.2). The features are the
// posterior means of the factors, z = (I + Λ'Ψ⁻¹Λ)⁻¹ Λ'Ψ⁻¹ (x - μ), as in scikit-learn. The likelihood can have several
// maxima, some with noise variances at the floor (Heywood cases). FitFA therefore starts twice and keeps the better
// result: once with the noise variances equal to the column variances, and once with all of them equal to the mean
// column variance. Loadings is Λ, NoiseVariances is the diagonal of Ψ, and the report's Objective is the mean
// log-likelihood per row.
//
// Each start begins with fixed-point steps ψ ← diag(S - ΛΛ'). With many columns per factor, they converge after a few
// steps. L-BFGS continues from there if necessary.
//
// FitFA returns an error for invalid statistics or options out of range. If the fit ends early, it returns a usable
// model and a *rao.NotConvergedError. A step costs some tens of n²(m+4) operations, for the leading eigenpairs by block
// Lanczos.
func FitFA(ctx context.Context, s *gaussian.Statistics, opt FAOptions) (*feature.Model, error) {
	start := time.Now()
	m := opt.Filters
	if err := linearfilters.CheckStatistics(s, 1, m); err != nil {
		return nil, err
	}
	if err := linearfilters.CheckFilters(m, s.Dim-1, "the number of dimensions minus one"); err != nil {
		return nil, err
	}
	optionvalues.Fill(&opt)
	if opt.MaxIter == 0 {
		opt.MaxIter = 1000
		if opt.EM {
			opt.MaxIter = 20000
		}
	}
	if !(opt.Tol > 0) || !(opt.NoiseFloor > 0) || opt.MaxIter < 1 {
		return nil, faults.Option("the tolerance is %g, the noise floor %g and the iteration limit %d; all must be "+
			"positive",
			opt.Tol, opt.NoiseFloor, opt.MaxIter)
	}
	mean, cov, total := linearfilters.TotalCovariance(s)
	for i := range cov { // maximum likelihood needs the divisor N
		cov[i] *= float64(total-1) / float64(total)
	}
	f, err := bestFactors(ctx, cov, s.Dim, opt)
	if err != nil {
		return nil, err
	}
	model, err := f.model(mean)
	if err != nil {
		return nil, err
	}
	if opt.Loadings {
		model.Filters = mat.DenseCopyOf(model.Loadings)
	}
	f.report.Elapsed = time.Since(start)
	model.Report = f.report
	return model, faults.Unfinished(ctx, "fa", f.report, "raise max-iter or tol")
}

// factors is the state of a fit.
type factors struct {
	n, m   int
	s      []float64 // covariance with divisor N
	opt    FAOptions
	psi    []float64 // noise variances
	load   []float64 // n×m loadings
	report rao.Report

	root          []float64 // 1/√ψ
	diagonal      []float64 // diagonal of Ψ^-½ S Ψ^-½
	scaled, slope []float64
	residual      float64 // tolerance of the eigenpairs, relative to the largest eigenvalue
	warm          *linearfilters.Krylov
}

// bestFactors fits from every start and returns the best result, with the iterations of all starts in the report. If
// ctx has ended, it skips the second start. An error of the second start is ignored.
func bestFactors(ctx context.Context, cov []float64, n int, opt FAOptions) (*factors, error) {
	var best *factors
	var sum rao.Report
	for _, common := range []bool{false, true} {
		if best != nil && ctx.Err() != nil {
			break
		}
		f := newFactors(cov, n, opt.Filters, opt)
		err := f.start(ctx, common)
		switch {
		case err != nil || f.report.Status != rao.StatusUnset:
		case opt.EM:
			err = f.em(ctx)
		default:
			err = f.likelihood(ctx)
		}
		if err != nil {
			if best != nil {
				break
			}
			return nil, err
		}
		sum.Iterations += f.report.Iterations
		sum.Evaluations += f.report.Evaluations
		if best == nil || f.report.Objective > best.report.Objective {
			best = f
		}
	}
	best.report.Iterations, best.report.Evaluations = sum.Iterations, sum.Evaluations
	best.restate()
	return best, nil
}

// restate computes the likelihood again from its definition if a column has a noise variance near zero. In that case
// the profile likelihood is inaccurate, because it is the difference of two much larger numbers.
func (f *factors) restate() {
	worst := 0.0
	for i, p := range f.psi {
		worst = math.Max(worst, f.s[i*f.n+i]/p)
	}
	if worst < 1e8 {
		return
	}
	var sigma mat.SymDense
	sigma.SymOuterK(1, mat.NewDense(f.n, f.m, f.load))
	for i, p := range f.psi {
		sigma.SetSym(i, i, sigma.At(i, i)+p)
	}
	var chol mat.Cholesky
	var x mat.Dense
	if !chol.Factorize(&sigma) {
		return
	}
	var condition mat.Condition // sigma is badly conditioned, so SolveTo always warns
	if err := chol.SolveTo(&x, mat.NewSymDense(f.n, f.s)); err != nil && !errors.As(err, &condition) {
		return
	}
	f.report.Objective = -0.5 * (float64(f.n)*math.Log(2*math.Pi) + chol.LogDet() + mat.Trace(&x))
}

func newFactors(cov []float64, n, m int, opt FAOptions) *factors {
	f := &factors{n: n, m: m, s: cov, opt: opt, psi: make([]float64, n), load: make([]float64, n*m),
		root: make([]float64, n), diagonal: make([]float64, n), slope: make([]float64, n), residual: 1e-10}
	if n > 24 && linearfilters.Few(n, m) { // for small matrices the full decomposition is cheaper
		f.warm = linearfilters.NewKrylov(n, m)
		f.scaled = make([]float64, n*f.warm.B)
	}
	return f
}

// startSteps is the maximum number of fixed-point steps before the likelihood is maximized. These steps avoid noise
// variances at the floor. The first step of a line search is long and could end there.
const startSteps = 20

// start sets the noise variances to the column variances, or to their mean if common is true, and makes the steps ψ ←
// diag(S - ΛΛ') with the best loadings. With many columns per factor, these steps can converge; start then sets the
// status.
func (f *factors) start(ctx context.Context, common bool) error {
	n, m := f.n, f.m
	mean := 0.0
	for i := range n {
		f.psi[i] = math.Max(f.s[i*n+i], f.opt.NoiseFloor)
		mean += f.psi[i] / float64(n)
	}
	if common {
		for i := range n {
			f.psi[i] = mean
		}
	}
	f.residual = 1e-8
	defer func() { f.residual = 1e-10 }()
	last, r := inf, &f.report
	for range startSteps {
		value, err := f.profile(ctx)
		if err != nil {
			return err
		}
		r.Iterations++
		r.Evaluations++
		r.Objective, r.History = value, append(r.History, value)
		if ctx.Err() != nil {
			r.Status = rao.StatusCanceled
			return nil
		}
		gain := f.predictedGain()
		if !f.opt.EM && gain <= f.opt.Tol && gain <= 0.1*last {
			r.Status, r.Passes = rao.StatusConverged, 1
			return nil
		}
		last = gain
		for i := range n {
			row := f.load[i*m : (i+1)*m]
			f.psi[i] = math.Max(f.s[i*n+i]-vec.Dot(row, row), f.opt.NoiseFloor)
		}
	}
	*r = rao.Report{}
	return nil
}

// predictedGain returns the gain in likelihood of a Newton step, with the expected curvature of independent columns, ½
// for each log ψ.
func (f *factors) predictedGain() float64 { return vec.Dot(f.slope, f.slope) }

// apply sets dst to Ψ^-½ S Ψ^-½ times the b columns of q.
func (f *factors) apply(b int, q []float64, ldq int, dst []float64, ldd int) {
	n := f.n
	for i := range n {
		scaleRow(f.scaled[i*b:(i+1)*b], f.root[i], q[i*ldq:])
	}
	dense.Project(n, b, f.s, n, f.scaled, b, dst, ldd)
	for i := range n {
		scaleRow(dst[i*ldd:i*ldd+b], f.root[i], dst[i*ldd:])
	}
}

func scaleRow(dst []float64, s float64, src []float64) {
	for j := range dst {
		dst[j] = s * src[j]
	}
}

// leadingFactors returns the leading eigenpairs of Ψ^-½ S Ψ^-½. If ctx has ended, the eigenpairs are approximate.
func (f *factors) leadingFactors(ctx context.Context) (values, v []float64, err error) {
	if f.warm != nil && (f.warm.Solve(ctx, f.apply, f.residual) || ctx.Err() != nil) {
		return f.warm.Values, f.warm.Vectors, nil
	}
	n := f.n
	a := make([]float64, n*n)
	for i := range n {
		for j := range n {
			a[i*n+j] = f.root[i] * f.s[i*n+j] * f.root[j]
		}
	}
	return linearfilters.Leading(a, n, f.m)
}

// profile sets the loadings that are best for the noise variances. It returns the mean log-likelihood per row and
// sets slope to its derivative with respect to log ψ.
func (f *factors) profile(ctx context.Context) (float64, error) {
	n, m := f.n, f.m
	trace, logs := 0.0, 0.0
	for i, p := range f.psi {
		f.root[i] = 1 / math.Sqrt(p)
		f.diagonal[i] = f.s[i*n+i] / p
		trace += f.diagonal[i]
		logs += math.Log(p)
	}
	values, v, err := f.leadingFactors(ctx)
	if err != nil {
		return 0, err
	}
	sum := float64(n)*math.Log(2*math.Pi) + logs + trace
	for i, d := range f.diagonal {
		f.slope[i] = -0.5 * (1 - d)
	}
	for j, s := range values {
		if s <= 1 { // a factor that explains less than the noise has zero loadings
			s = 1
		}
		sum += math.Log(s) + 1 - s
		for i := range n {
			u := v[i*m+j]
			f.slope[i] -= 0.5 * (s - 1) * u * u
			f.load[i*m+j] = math.Sqrt(f.psi[i]*(s-1)) * u
		}
	}
	return -sum / 2, nil
}

// likelihood maximizes the profile likelihood over θ, with ψ = floor + exp θ.
func (f *factors) likelihood(ctx context.Context) error {
	n := f.n
	theta := make([]float64, n)
	var failed error
	set := func(theta []float64) {
		for i, t := range theta {
			f.psi[i] = f.opt.NoiseFloor
			if f.s[i*n+i] > 0 {
				f.psi[i] += math.Exp(t)
			}
		}
	}
	for i := range theta {
		theta[i] = math.Log(math.Max(f.psi[i]-f.opt.NoiseFloor, 1e-3*f.opt.NoiseFloor))
	}
	scale := 1 / float64(n) // keeps the objective close to one
	result, err := optim.Minimize(ctx, theta, func(x, grad []float64) float64 {
		set(x)
		v, err := f.profile(ctx)
		if err != nil {
			failed = err
			return math.NaN()
		}
		for i := range grad {
			grad[i] = 0
			if f.s[i*n+i] > 0 {
				grad[i] = -f.slope[i] * scale * (f.psi[i] - f.opt.NoiseFloor) / f.psi[i]
			}
		}
		return -v * scale
	}, optim.Options{MaxIterations: int(f.opt.MaxIter), GradientTolerance: -1, FunctionTolerance: f.opt.Tol * scale,
		Patience: 5,
		OnIteration: func(k int, value, _ float64) {
			f.opt.Progress.Send(rao.Event{Stage: "fit", Done: k, Limit: int(f.opt.MaxIter), Objective: -value / scale})
		}})
	if failed != nil {
		return failed
	}
	if err != nil {
		return err
	}
	set(result.X)
	if f.report.Objective, err = f.profile(ctx); err != nil {
		return err
	}
	r := &f.report
	r.Status, r.Iterations, r.Evaluations, r.Passes = result.Status, result.Iterations, result.Evaluations, 1
	if r.Status == rao.StatusStalled { // no step improves the likelihood at this precision
		r.Status = rao.StatusConverged
	}
	r.GradientNorm = result.GradientNorm / scale
	for _, v := range result.History {
		r.History = append(r.History, -v/scale)
	}
	return nil
}

// em maximizes the likelihood by the EM algorithm:
//
//	β = Λ'(ΛΛ' + Ψ)⁻¹ = (I + Λ'Ψ⁻¹Λ)⁻¹ Λ'Ψ⁻¹
//	Λ ← S β' (I - βΛ + βSβ')⁻¹,  ψ ← diag(S - Λ β S)
func (f *factors) em(ctx context.Context) error {
	n, m, r := f.n, f.m, &f.report
	if _, err := f.profile(ctx); err != nil { // initial loadings from eigenvectors
		return err
	}
	sb, mid, inv, li := make([]float64, n*m), make([]float64, m*m), make([]float64, m*m), make([]float64, m*m)
	last := math.Inf(-1)
	for r.Status == rao.StatusUnset {
		beta, logDet, err := f.posterior()
		if err != nil {
			return err
		}
		dense.Project(n, m, f.s, n, beta, m, sb, m) // S β', with β' stored as n×m
		value := f.logLikelihood(sb, logDet)
		r.History = append(r.History, value)
		r.Objective = value
		switch {
		case math.Abs(value-last) <= f.opt.Tol:
			r.Status = rao.StatusConverged
		case ctx.Err() != nil:
			r.Status = rao.StatusCanceled
		case r.Iterations >= int(f.opt.MaxIter):
			r.Status = rao.StatusMaxIterations
		}
		if r.Status != rao.StatusUnset {
			break
		}
		last = value
		dense.Gemm(true, false, m, m, n, 1, beta, m, sb, m, 0, mid, m)
		dense.Gemm(true, false, m, m, n, -1, beta, m, f.load, m, 1, mid, m)
		for j := range m {
			mid[j*m+j]++
		}
		if _, _, ok := tri.Cholesky(m, mid, 0); !ok {
			return faults.Option("the second moment of the factors is singular; use fewer factors")
		}
		tri.Inverse(m, inv, li, mid)
		dense.Gemm(false, false, n, m, m, 1, sb, m, inv, m, 0, f.load, m)
		for i := range n {
			f.psi[i] = math.Max(f.s[i*n+i]-vec.Dot(f.load[i*m:(i+1)*m], sb[i*m:(i+1)*m]), f.opt.NoiseFloor)
		}
		r.Iterations++
		f.opt.Progress.Send(rao.Event{Stage: "fit", Done: r.Iterations, Limit: int(f.opt.MaxIter), Objective: value})
	}
	return nil
}

// logLikelihood returns the mean log-likelihood per row for the current Λ and Ψ. sb is S β'.
func (f *factors) logLikelihood(sb []float64, logDet float64) float64 {
	n, m := f.n, f.m
	// tr(Σ⁻¹S) = tr(Ψ⁻¹S) - tr(Ψ⁻¹Λ βS)
	trace := 0.0
	for i := range n {
		trace += (f.s[i*n+i] - vec.Dot(f.load[i*m:(i+1)*m], sb[i*m:(i+1)*m])) / f.psi[i]
	}
	return -0.5 * (float64(n)*math.Log(2*math.Pi) + logDet + trace)
}

// posterior returns β' = Ψ⁻¹Λ(I + Λ'Ψ⁻¹Λ)⁻¹, n×m, and log det(ΛΛ' + Ψ).
func (f *factors) posterior() (beta []float64, logDet float64, err error) {
	n, m := f.n, f.m
	scaled, c, inv := make([]float64, n*m), make([]float64, m*m), make([]float64, m*m)
	for i := range n {
		for j := range m {
			scaled[i*m+j] = f.load[i*m+j] / f.psi[i]
		}
		logDet += math.Log(f.psi[i])
	}
	dense.Gemm(true, false, m, m, n, 1, f.load, m, scaled, m, 0, c, m)
	for j := range m {
		c[j*m+j]++
	}
	if _, _, ok := tri.Cholesky(m, c, 0); !ok {
		return nil, 0, faults.Data("the posterior of the factors cannot be computed, because loadings or noise " +
			"variances are not finite or too far apart; raise the noise floor, drop columns that hardly vary, or use " +
			"fewer factors")
	}
	tri.Inverse(m, inv, make([]float64, m*m), c)
	beta = make([]float64, n*m)
	dense.Gemm(false, false, n, m, m, 1, scaled, m, inv, m, 0, beta, m)
	return beta, logDet + tri.LogDet(m, c), nil
}

// model returns the fitted model. The entry of largest magnitude of each filter is positive.
func (f *factors) model(mean []float64) (*feature.Model, error) {
	n, m := f.n, f.m
	beta, _, err := f.posterior()
	if err != nil {
		return nil, err
	}
	out := &feature.Model{Method: "fa", Filters: mat.NewDense(n, m, beta), Loadings: mat.NewDense(n, m, f.load),
		Center: mean, NoiseVariances: f.psi}
	linearfilters.FixSigns(out.Filters, out.Loadings)
	return out, nil
}
