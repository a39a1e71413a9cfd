package spd

import (
	"context"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// Every function that accepts a stack returns an error for a nil stack or panics with a message that names it. It never
// dereferences nil.
func TestNilStacksAreErrors(t *testing.T) {
	ctx := context.Background()
	x := NewStack(3, 2)
	for k := range 3 {
		copy(x.At(k), []float64{2 + float64(k), 0.5, 0.5, 1})
	}
	ref := x.Sym(0)
	align := testkit.Must(fitAlignment(ctx, x, 0))(t)
	causal := testkit.Must(NewCausalCentering(ref, 1, 0))(t)
	balanced := BalancedCentering{Shares: []float64{0.5, 0.5}}
	three := AlignOptions{Groups: []int{0, 0, 0}}
	var none *Stack
	var d mat.Dense
	second := func(_ any, err error) error { return err }
	third := func(_, _ any, err error) error { return err }
	out := func() *Stack { return new(Stack) }
	posterior := func(_ context.Context, dst *mat.Dense, x *Stack) error { return nil }
	for name, call := range map[string]func() error{
		"AdaptEach x": func() error { return AdaptEach(out(), none, nil, func(_, _ *Stack) error { return nil }) },
		"AdaptEach dst": func() error {
			return AdaptEach(none, x, []int{0, 0, 0}, func(dst, x *Stack) error { return Recenter(dst, x, ref, nil) })
		},
		"AlignGroups":         func() error { return second(AlignGroups(ctx, out(), none, AlignOptions{})) },
		"AlignGroups dst":     func() error { return second(AlignGroups(ctx, none, x, three)) },
		"Dispersion":          func() error { return second(Dispersion(none, ref)) },
		"Distances x":         func() error { return Distances(ctx, new(mat.Dense), Riemann, none, x) },
		"Exp":                 func() error { return Exp(out(), none) },
		"Exp dst":             func() error { return Exp(none, x) },
		"Log":                 func() error { return Log(out(), none) },
		"Log dst":             func() error { return Log(none, x) },
		"Sqrt":                func() error { return Sqrt(out(), none) },
		"InvSqrt":             func() error { return InvSqrt(out(), none) },
		"Pow":                 func() error { return Pow(out(), none, 2) },
		"ExpMap":              func() error { return ExpMap(out(), Riemann, none, ref) },
		"ExpMap dst":          func() error { return ExpMap(none, Riemann, x, ref) },
		"LogMap":              func() error { return LogMap(out(), Riemann, none, ref) },
		"LogMap dst":          func() error { return LogMap(none, Riemann, x, ref) },
		"GaussianKernel x":    func() error { return GaussianKernel(ctx, new(mat.Dense), LogEuclid, none, x, 1) },
		"JointFilters":        func() error { return third(JointFilters(ctx, none, nil, MeanOptions{})) },
		"JointMean":           func() error { return third(JointMean(ctx, none, nil, MeanOptions{})) },
		"Kernel x":            func() error { return Kernel(new(mat.Dense), LogEuclid, none, x, nil) },
		"LogVectors":          func() error { return LogEuclid.Flat().Rows(ctx, new(mat.Dense), none) },
		"MaskedMean":          func() error { return third(MaskedMean(ctx, none, nil, nil, MeanOptions{})) },
		"Mean":                func() error { return third(Mean(ctx, none, nil, Riemann, MeanOptions{})) },
		"Mean wasserstein":    func() error { return third(Mean(ctx, none, nil, Wasserstein, MeanOptions{})) },
		"MeanVectors":         func() error { return third(MeanVectors(ctx, &d, none, nil, MeanOptions{})) },
		"Median":              func() error { return third(Median(ctx, none, nil, Riemann, MeanOptions{})) },
		"MedianGamma":         func() error { return second(MedianGamma(ctx, none, LogEuclid)) },
		"PowerMean, Euclid":   func() error { return third(PowerMean(ctx, none, nil, Euclid, 2, MeanOptions{})) },
		"PowerMean":           func() error { return third(PowerMean(ctx, none, nil, Riemann, 0.5, MeanOptions{})) },
		"Recenter":            func() error { return Recenter(out(), none, ref, nil) },
		"Recenter dst":        func() error { return Recenter(none, x, ref, nil) },
		"Rotation from":       func() error { return third(rotation(ctx, none, x, nil)) },
		"Rotation to":         func() error { return third(rotation(ctx, x, none, nil)) },
		"TangentVectors":      func() error { return TangentVectors(ctx, new(mat.Dense), none, ref) },
		"UntangentVectors":    func() error { return UntangentVectors(none, mat.NewDense(1, 3, nil), ref) },
		"FitAlignment":        func() error { return second(fitAlignment(ctx, none, 0)) },
		"Alignment.Apply":     func() error { return align.Apply(out(), none) },
		"Alignment.Apply dst": func() error { return align.Apply(none, x) },
		"Alignment.Turn from": func() error { return second(align.turn(ctx, none, x, nil)) },
		"Alignment.Turn to":   func() error { return second(align.turn(ctx, x, none, nil)) },
		"BalancedCentering": func() error {
			return second(balanced.Adapt(ctx, out(), none, posterior))
		},
		"CausalCentering":     func() error { return causal.Adapt(ctx, out(), none) },
		"CausalCentering dst": func() error { return causal.Adapt(ctx, none, x) },
		"Center":              func() error { return second(Center(ctx, out(), none)) },
		"Center dst":          func() error { return second(Center(ctx, none, x)) },
		"Check":               func() error { Check(none, CheckOptions{}); return nil },
		"Repair.Apply":        func() error { return second((&Repair{Dim: 2}).Apply(none)) },
		"CenterSmoothly":      func() error { return second(CenterSmoothly(ctx, out(), none, 0)) },
		"Validate":            none.Validate,
		"Verify":              none.Verify,
		"At":                  func() error { none.At(0); return nil },
		"Sym":                 func() error { none.Sym(0); return nil },
		"View":                func() error { none.View(0); return nil },
		"Set":                 func() error { none.Set(0, ref); return nil },
		"Slice":               func() error { none.Slice(0, 0); return nil },
		"Select":              func() error { none.Select(nil); return nil },
		"Contiguous":          func() error { none.Contiguous(); return nil },
		"Clone":               func() error { none.Clone(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				v := recover()
				if _, ok := v.(runtime.Error); ok {
					t.Errorf("panic: %v", v)
				}
			}()
			testkit.Fails(t, call(), "no error")
		})
	}
}
