package classify

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/testkit"
)

func logisticData() (*mat.Dense, []int) {
	r := rand.New(rand.NewPCG(8, 9))
	x, y := mat.NewDense(120, 3, nil), make([]int, 120)
	for i := range y {
		y[i] = i % 3
		for j := range 3 {
			x.Set(i, j, r.NormFloat64())
		}
		x.Set(i, y[i], x.At(i, y[i])+1)
	}
	return x, y
}

// At the minimum, the derivatives with respect to the coefficients and the intercepts are zero: the penalty balances
// the residuals, and the mean probability of each class is its share of the rows.
func TestLogisticIsAtItsMinimum(t *testing.T) {
	x, y := logisticData()
	const strength = 0.7
	m := testkit.Must(FitLogistic(context.Background(), x, y, sides, LogisticOptions{C: strength, Tol: 1e-9}))(t)
	var logp, p mat.Dense
	testkit.NoError(t, m.LogPosterior(t.Context(), &logp, x))
	testkit.NoError(t, m.Posterior(t.Context(), &p, x))
	for i := range 3 {
		pull, mean := make([]float64, 3), 0.0
		for k, l := range y {
			rest := math.Exp(logp.At(k, i))
			if math.Abs(rest-p.At(k, i)) > 1e-12 {
				t.Fatalf("row %d: probability %v, its logarithm gives %v", k, p.At(k, i), rest)
			}
			mean += rest / 120
			if l == i {
				rest--
			}
			for j := range pull {
				pull[j] -= strength * rest * x.At(k, j)
			}
		}
		testkit.Close(t, "coefficients", m.Coefficients.RawRowView(i), pull, 1e-6)
		testkit.Near(t, mean, 1.0/3, 1e-7, "mean probability of class", i)
	}
}

func TestLogisticRefusesBadInput(t *testing.T) {
	x, y := logisticData()
	ctx := context.Background()
	wild := mat.DenseCopyOf(x)
	wild.Set(3, 1, math.NaN())
	fit := func(x *mat.Dense, y []int, classes []string, c float64) func() error {
		return func() error { _, err := FitLogistic(ctx, x, y, classes, LogisticOptions{C: c}); return err }
	}
	short := &Logistic{Classes: sides, Coefficients: mat.NewDense(3, 2, nil), Intercepts: make([]float64, 2)}
	for want, f := range map[string]func() error{
		"C is -1":         fit(x, y, sides, -1),
		"class d has no":  fit(x, y, []string{"a", "b", "c", "d"}, 1),
		"row 3":           fit(wild, y, sides, 1),
		"at least two":    fit(x, make([]int, 120), []string{"a"}, 1),
		"no coefficients": func() error { return (&Logistic{Classes: sides}).Validate() },
		"the number of intercepts is 2, but the number of classes is 3": short.Validate,
	} {
		testkit.ErrorContains(t, f(), want)
	}
	byHand := &Logistic{Classes: sides, Coefficients: mat.NewDense(3, 2, nil), Intercepts: make([]float64, 3)}
	testkit.NoError(t, byHand.Validate())
	testkit.Close(t, "equal scores", posterior(byHand, mat.NewDense(1, 2, nil)),
		[]float64{-math.Log(3), -math.Log(3), -math.Log(3)}, 1e-15)
	m, err := FitLogistic(testkit.Canceled(), x, y, sides, LogisticOptions{})
	if !rao.HasModel(err) || !errors.Is(err, context.Canceled) || m.Validate() != nil {
		t.Errorf("a canceled fit gives %v", err)
	}
}

var sides = []string{"rest", "left", "right"}
