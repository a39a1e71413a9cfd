package classifiers

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
	"rao/spd"
)

// On the vectors in which the log-Euclidean metric is Euclidean, the support vector machine equals that of the
// matrices.
func TestSVMIsTheMatrixSVMOfLogarithms(t *testing.T) {
	x, y := clusters(51, 25, 3, 3, 0.4)
	ctx := context.Background()
	opt := SVMOptions{SVM: MachineOptions{C: 2, Tol: 1e-10}}
	m := testkit.Must(FitMatrixSVM(ctx, x, y, threeClasses, MatrixSVMOptions{SVMOptions: opt}))(t)
	var v, want, got mat.Dense
	testkit.NoError(t, spd.LogEuclid.Flat().Rows(context.Background(), &v, x))
	var bits *SVM
	testkit.SameAtAnyProcs(t, func() []float64 {
		bits = testkit.Must(FitSVM(ctx, &v, y, threeClasses, opt))(t)
		return append(slices.Clone(bits.Coef.RawMatrix().Data), bits.Gamma)
	})
	testkit.NoError(t, bits.Validate())
	testkit.Near(t, bits.Gamma, m.Gamma, 1e-12*m.Gamma, "gamma")
	testkit.NoError(t, m.LogPosterior(ctx, &want, x))
	testkit.NoError(t, bits.LogPosterior(ctx, &got, &v))
	testkit.Close(t, "log-posteriors", got.RawMatrix().Data, want.RawMatrix().Data, 1e-5)
	var one mat.Dense
	_, p := v.Dims()
	testkit.NoError(t, bits.LogPosterior(ctx, &one, v.Slice(7, 8, 0, p)))
	if !mat.Equal(&one, got.Slice(7, 8, 0, 3)) {
		t.Error("a row alone gets other bits than among others")
	}
}

func TestSVMRefusals(t *testing.T) {
	ctx := context.Background()
	x := mat.NewDense(6, 2, []float64{0, 0, 0, 1, 1, 0, 5, 5, 5, 6, 6, 5})
	y, two := []int{0, 0, 0, 1, 1, 1}, []string{"a", "b"}
	fit := func(x *mat.Dense, y []int, classes []string, o SVMOptions) error {
		_, err := FitSVM(ctx, x, y, classes, o)
		return err
	}
	bad := mat.DenseCopyOf(x)
	bad.Set(2, 1, math.NaN())
	huge := testkit.Must(FitSVM(ctx, x, y, two, SVMOptions{}))(t)
	huge.Rows.Set(2, 1, 1e200)
	for want, err := range map[string]error{
		"row 2":                  fit(bad, y, two, SVMOptions{}),
		"at least two":           fit(x, make([]int, 6), two[:1], SVMOptions{}),
		"has no observ":          fit(x, make([]int, 6), two, SVMOptions{}),
		"label 2":                fit(x, []int{0, 1, 2, 0, 1, 0}, two, SVMOptions{}),
		"gamma is -1":            fit(x, y, two, SVMOptions{Gamma: -1}),
		"folds 1":                fit(x, y, two, SVMOptions{SVM: MachineOptions{Folds: 1}}),
		"equal, so gamma cannot": fit(mat.NewDense(6, 2, nil), y, two, SVMOptions{}),
		"no support rows":        new(SVM).Validate(),
		"gamma is 0; it m": (&SVM{Rows: x, KernelMachines: KernelMachines{Coef: mat.NewDense(1, 6, nil),
			Machines: Machines{Classes: two, Bias: []float64{0}, SigmoidA: []float64{0}, SigmoidB: []float64{0}}},
		}).Validate(),
		"support rows: the value in row 2, column 1 is 1e+200, so large": huge.Validate(),
	} {
		testkit.ErrorContains(t, err, want)
	}
}
