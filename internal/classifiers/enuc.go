package classifiers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/evaluate"
	"rao/internal/classifiers/common"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/optionvalues"
	"rao/internal/par"
	"rao/spd"
)

// ENucOptions are the options of [FitENuc]. The default settings were chosen on the sessions of five subjects before
// any other data were used. Other settings near the defaults have almost the same accuracy, so they need no tuning per
// subject.
type ENucOptions struct {
	// Metric is the metric of the tangent space, spd.Riemann (default) or spd.LogEuclid.
	Metric spd.Metric
	// Nuclear is λ, relative to the mean loss of a trial; negative means none.
	Nuclear float64 `opt:"nuclear" default:"0.015" min:"0" max:"1000" help:"weight of the nuclear norms, which keep few patterns per class; useful between 0.01 and 0.02"`
	// Ridge is ρ; negative means none.
	Ridge float64 `opt:"l2" default:"0.02" min:"0" max:"1000" help:"weight of the ridge penalty (half the sum of squares); useful between 0.01 and 0.03"`
	// Folds fit the temperature of the probabilities. There are fewer if a class has fewer matrices; negative means a
	// temperature of 1.
	Folds int `opt:"calibration" default:"5" min:"0" max:"10000" help:"number of folds that calibrate the probabilities; 0 does not calibrate them"`
	// Tol ends the fit after at least 12 steps.
	Tol float64 `opt:"tol" default:"1e-4" above:"0" help:"stop when no coefficient changes by more than this in a step"`
	// EEG trials need 20 to 40 steps.
	MaxIter int `opt:"max-iter" default:"500" min:"1" max:"100000000" help:"maximum number of steps"`
	// Seed is the seed of the folds.
	Seed uint64
	// Mean contains the options for the mean of the tangent space. The default Mean.Tol is ten times the Tol of the
	// fit. All vectors share the same reference, so a matrix near the mean is good enough. On EEG trials, this default
	// changes the probabilities by 1e-5, and Tol changes them by 1e-3.
	Mean spd.MeanOptions
	// Progress receives an event after every step.
	Progress rao.Progress
}

func (o ENucOptions) filled() (ENucOptions, error) {
	optionvalues.Fill(&o)
	o.Mean.Tol = cmp.Or(o.Mean.Tol, 10*o.Tol)
	if !vec.Finite(o.Nuclear) || !vec.Finite(o.Ridge) {
		return o, faults.Option("the penalties are %g and %g; both must be finite", o.Nuclear, o.Ridge)
	}
	if !(o.Tol > 0) || o.MaxIter < 1 {
		return o, faults.Option("the tolerance is %g and the iteration limit %d; both must be positive",
			o.Tol, o.MaxIter)
	}
	if o.Folds == 1 {
		return o, faults.Option(
			"one fold leaves no training data; use 2 or more folds, or a negative number for no folds")
	}
	o.Nuclear, o.Ridge = max(o.Nuclear, 0), max(o.Ridge, 0)
	return o, nil
}

// ENuc is elastic-nuclear logistic regression: multinomial logistic regression on the logarithms S_i = log(M^-½ C_i
// M^-½) at the mean M of the training matrices, with one symmetric coefficient matrix W_k per class,
//
//	p(k | C) ∝ exp((⟨W_k, S⟩ + b_k)/T)
//	minimize −1/N Σ_i log p(y_i | C_i) + λ Σ_k ‖W_k‖_* + (ρ/2) Σ_k ‖W_k‖_F²
//
// at T = 1. The nuclear norm is the sum of the absolute eigenvalues. As a penalty, it sets most eigenvalues to zero.
// Each class then has a few spatial patterns with individual weights, which [ENuc.Patterns] returns. Without the
// nuclear norm, and with a different prior, this is the classifier of [TangentLogistic]. Nuclear norms for single-trial
// EEG are due to Tomioka and Aihara (2007) and Tomioka and Müller (2010), who apply them to covariances.
//
// The penalized fit is underconfident. The temperature T, fitted on held-out folds, corrects this without changing any
// decision.
//
// The result does not change under a congruence X → A X A' of all matrices, which only rotates the tangent vectors;
// both penalties are invariant under rotations.
//
// The exported fields determine the model.
type ENuc struct {
	TangentLinear            // row k of its coefficients is W_k
	Temperature   float64    `json:"temperature"` // T, positive
	Nuclear       float64    `json:"nuclear"`     // the fitted λ
	Ridge         float64    `json:"ridge"`       // the fitted ρ
	Report        rao.Report `json:"report"`      // how the fit ended
}

// FitENuc fits the classifier by proximal gradient steps with momentum (see docs/theory.md). The fits of the folds run
// at the same time on the same vectors, each without its held-out rows. The problem is convex. If the mean or the fit
// does not converge, or ctx ends, FitENuc returns a usable model and a *rao.NotConvergedError. Other errors name the
// matrix or class.
//
// The cost is the mean and one eigendecomposition per matrix. Each step then costs 4NDc operations and c
// eigendecompositions for each fit, with D = n(n+1)/2.
func FitENuc(ctx context.Context, x *spd.Stack, labels []int, classes []string, opt ENucOptions) (*ENuc, error) {
	begin := time.Now()
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	if err := common.CheckStack(x, labels, classes, 1); err != nil {
		return nil, err
	}
	t, v, unsettled, err := trainingSpace(ctx, x, opt.Metric, opt.Mean)
	if err != nil {
		return nil, err
	}
	m := &ENuc{TangentLinear: TangentLinear{Classes: slices.Clone(classes), Tangent: t}, Nuclear: opt.Nuclear,
		Ridge: opt.Ridge}
	if err := m.fit(ctx, v, labels, opt); err != nil {
		return nil, err
	}
	m.Report.Elapsed = time.Since(begin)
	return m, cmp.Or(faults.Unfinished(ctx, "enuc", m.Report, "raise the iteration limit, or the penalties"), unsettled)
}

// fit estimates coefficients, intercepts and temperature from the tangent vectors v.
func (m *ENuc) fit(ctx context.Context, v *mat.Dense, labels []int, opt ENucOptions) error {
	c := len(m.Classes)
	folds, err := temperatureFolds(labels, c, opt)
	if err != nil {
		return err
	}
	rows, err := newNuclearRows(v, labels, c, m.Tangent.N)
	if err != nil {
		return err
	}
	// Two solvers run at the same time. The first has only about a third of the fits, because its first fit continues
	// alone after the others.
	fits := append([]evaluate.Fold{rows.all()}, folds...)
	cut := (len(fits) + 2) / 3
	first, second := newNuclearSolver(rows, fits[:cut], opt), newNuclearSolver(rows, fits[cut:], opt)
	var secondReport rao.Report
	var errs [2]error
	par.For(2, 1, func(_, part, _ int) {
		if part == 0 {
			m.Report, errs[0] = first.run(ctx, opt, opt.Progress)
		} else {
			secondReport, errs[1] = second.run(ctx, opt, nil)
		}
	})
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	m.Coefficients, m.Intercepts = first.solution()
	m.Temperature = 1
	m.Report.Passes += secondReport.Passes
	if !secondReport.Status.Good() {
		m.Report.Status = secondReport.Status
	}
	if len(folds) == 0 || m.Report.Status == rao.StatusCanceled {
		return nil
	}
	if m.Temperature, err = evaluate.Temperature(labels, rows.held); err != nil {
		return fmt.Errorf("temperature: %w", err)
	}
	return nil
}

// temperatureFolds returns the folds according to the options, or none if a class is too small.
func temperatureFolds(labels []int, c int, opt ENucOptions) ([]evaluate.Fold, error) {
	least := len(labels)
	for _, rows := range indices.Groups(labels, c) {
		least = min(least, len(rows))
	}
	k := min(opt.Folds, least)
	if k < 2 {
		return nil, nil
	}
	return evaluate.StratifiedKFold(labels, k, opt.Seed)
}

// LogPosterior writes the N×c log-probabilities of the matrices of x to dst. An empty dst is resized; another shape
// panics with mat.ErrShape. Matrices of another order give a *rao.ShapeError. Errors about a matrix name it. The cost
// is one eigendecomposition per matrix, in parallel, then 2Dc operations.
func (m *ENuc) LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error {
	return linearPosterior(ctx, dst, m.TangentScores(), x)
}

// Validate checks the exported fields. Call it after reading them from a file.
func (m *ENuc) Validate() error {
	if err := m.check(); err != nil {
		return err
	}
	if !vec.Positive(m.Temperature) {
		return fmt.Errorf("the temperature is %g; it must be positive and finite", m.Temperature)
	}
	for _, v := range []float64{m.Nuclear, m.Ridge} {
		if !vec.NotNegative(v) {
			return fmt.Errorf("the penalties are %g and %g; they must be finite and 0 or more", m.Nuclear, m.Ridge)
		}
	}
	return nil
}
