package spd

import (
	"context"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/linalg/vec"
)

// PowerMean returns the weighted power mean of the matrices of x with exponent p: under [Riemann] with p in [−1, 1], or
// under [Euclid]. It returns an error for other metrics. p = 1 is the Euclidean mean and p = −1 the harmonic mean;
// p = 0 is the mean under [Riemann], or under [LogEuclid] if the metric is Euclid. Nil weights mean equal weights.
//
// Under Riemann it is the only SPD matrix M with
//
//	M = Σ w M #_p X,   M #_p X = M½ (M⁻½ X M⁻½)^p M½
//
// (Lim and Pálfia 2012, definition 3.2), and the Riemannian mean at p = 0 is the limit from both sides. A smaller
// exponent gives less weight to large matrices.
//
// The iteration uses the multiplicative step of Congedo, Barachant and Bhatia (2017) in the frame of M, with the
// acceleration of [Mean]. The residual is ‖log(Σ w (M⁻½ X M⁻½)^p)/p‖, and the objective of the report is Σ w d²(M, X)
// under [Riemann]. If the tolerance is not met, or ctx is canceled, the matrix so far is returned with a
// *rao.NotConvergedError. Other errors are for an exponent out of range or invalid weights, or name a matrix that is
// not SPD. The cost is one eigendecomposition per matrix and iteration.
//
// Under Euclid it is (Σ w X^p)^(1/p), the mean under the power-Euclidean metric (Dryden, Pennec and Peyrat 2010). At p
// = ½ it is the square of the mean square root. The cost is one eigendecomposition per matrix.
func PowerMean(ctx context.Context, x *Stack, weights []float64, metric Metric, p float64,
	opt MeanOptions) (*mat.SymDense, rao.Report, error) {
	g, err := metric.geometry()
	if err == nil {
		err = metric.checkPower(p)
	}
	if err != nil {
		return nil, rao.Report{}, err
	}
	return g.power(ctx, x, weights, p, opt)
}

// checkPower returns an error unless [PowerMean] accepts the metric with the exponent p.
func (m Metric) checkPower(p float64) error {
	g, err := m.with("power mean", func(g *geometry) bool { return g.power != nil })
	if err == nil && !(math.Abs(p) <= g.maxPower) {
		err = faults.Option("the exponent of the power mean is %g; under the metric %s it must be between %g and %g",
			p, g.name, -g.maxPower,
			g.maxPower)
	}
	return err
}

func riemannPower(ctx context.Context, x *Stack, weights []float64, p float64, opt MeanOptions) (*mat.SymDense,
	rao.Report, error) {
	begin := time.Now()
	switch p {
	case 1:
		return Mean(ctx, x, weights, Euclid, opt)
	case 0:
		return Mean(ctx, x, weights, Riemann, opt)
	case -1:
		return Mean(ctx, x, weights, Harmonic, opt)
	}
	w, opt, err := opt.inputs(x, weights)
	if err != nil {
		return nil, rao.Report{}, err
	}
	crew := teams.Get().(*team)
	defer teams.Put(crew)
	f, passes, err := riemannStart(crew, x, w, opt)
	if err != nil {
		return nil, rao.Report{}, err
	}
	m, rep, err := inFrames(ctx, crew, f, powerPull(x, w, p), 0.75, passes, "power mean", opt)
	rep.Elapsed = time.Since(begin)
	return symmetric(x.Dim, m), rep, err
}

// powerPull returns log(H)/p with H = Σ w (G⁻¹ X G⁻ᵀ)^p, computed from (H − I)/p, which stays accurate for small p.
func powerPull(x *Stack, w []float64, p float64) pull {
	nn := x.Dim * x.Dim
	sum := whitenedSum(x, w, func(l float64) float64 { return math.Expm1(p*l) / p }, nil)
	var sp spectrum
	return func(t *team, f *frame) ([]float64, error) {
		j, err := sum(t, f)
		if err != nil {
			return nil, err
		}
		vec.Symmetrize(j[:nn], x.Dim)
		if err := sp.of(j[:nn], x.Dim, "power mean", false); err != nil {
			return nil, err
		}
		copy(j, sp.function(func(e float64) float64 { return math.Log1p(p*e) / p }))
		return j, nil
	}
}

func euclidPower(ctx context.Context, x *Stack, weights []float64, p float64, _ MeanOptions) (*mat.SymDense,
	rao.Report, error) {
	begin := time.Now()
	switch p {
	case 0:
		return Mean(ctx, x, weights, LogEuclid, MeanOptions{})
	case 1:
		return Mean(ctx, x, weights, Euclid, MeanOptions{})
	case -1:
		return Mean(ctx, x, weights, Harmonic, MeanOptions{})
	}
	var powers Stack
	if err := Pow(&powers, x, p); err != nil {
		return nil, rao.Report{}, err
	}
	m, rep, err := Mean(ctx, &powers, weights, Euclid, MeanOptions{})
	if err != nil {
		return nil, rep, err
	}
	rep.Passes++
	root := StackFrom(m)
	if err := Pow(root, root, 1/p); err != nil {
		return nil, rep, single(err)
	}
	rep.Elapsed = time.Since(begin)
	return root.Sym(0), rep, nil
}
