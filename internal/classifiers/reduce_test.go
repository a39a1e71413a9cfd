package classifiers

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
	"rao/spd"
)

// planted returns matrices of order n, their labels and the random mixing matrix. The classes differ in the first two
// sources; the other sources vary more, but do not depend on the class.
func planted(n, per int) (x *spd.Stack, labels []int, mixing *mat.Dense) {
	rng := rand.New(rand.NewPCG(3, 9))
	mixing = mat.NewDense(n, n, nil)
	mixing.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, mixing)
	x = spd.NewStack(3*per, n)
	for k := range x.Count {
		c := k % 3
		labels = append(labels, c)
		d := mat.NewDiagDense(n, nil)
		for i := range n {
			v := 0.8 * rng.NormFloat64()
			if i < 2 {
				v = 0.1*rng.NormFloat64() + 1.5*math.Cos(2*math.Pi*float64(c)/3-math.Pi/2*float64(i))
			}
			d.SetDiag(i, math.Exp(v))
		}
		var a mat.Dense
		a.Product(mixing, d, mixing.T())
		x.Set(k, testkit.Symmetric(&a))
	}
	return x, labels, mixing
}

// The filters find the two sources that differ between the classes, and have no weight on the others.
func TestReductionsFindPlantedSources(t *testing.T) {
	x, labels, mixing := planted(6, 30)
	classes := []string{"a", "b", "c"}
	ctx := context.Background()
	for name, fit := range map[string]func() (*Reduction, error){
		"sqfa": func() (*Reduction, error) { return FitSQFAReduction(ctx, x, labels, classes, 2) },
		"enuc": func() (*Reduction, error) { return FitENucReduction(ctx, x, labels, classes, 2) },
	} {
		r := testkit.Must(fit())(t, name)
		if err := r.Validate(); err != nil || r.Kind != name {
			t.Fatal(name, r.Kind, err)
		}
		var load mat.Dense
		load.Mul(r.Filters.T(), mixing)
		inside, all := 0.0, 0.0
		for j := range 2 {
			for i := range 6 {
				v := load.At(j, i) * load.At(j, i)
				all += v
				if i < 2 {
					inside += v
				}
			}
			testkit.Close(t, name+": length", []float64{mat.Norm(r.Filters.ColView(j), 2)}, []float64{1}, 1e-12)
		}
		if inside/all < 0.95 {
			t.Errorf("%s: %.3f of the filters lies on the planted sources", name, inside/all)
		}
		y := new(spd.Stack)
		if spd.Congruence(y, x, r.Filters); y.Dim != 2 || y.Count != x.Count {
			t.Errorf("%s: %d matrices of order %d", name, y.Count, y.Dim)
		} else if err := y.Verify(); err != nil {
			t.Error(name, err)
		}
	}
}

// With all filters nothing is lost: distances equal those of the original matrices.
func TestWholeReductionKeepsDistances(t *testing.T) {
	x, labels, _ := planted(4, 8)
	r := testkit.Must(FitSQFAReduction(context.Background(), x, labels, []string{"a", "b", "c"}, 4))(t)
	var a, b mat.Dense
	reduced := new(spd.Stack)
	spd.Congruence(reduced, x, r.Filters)
	testkit.NoError(t, spd.Distances(t.Context(), &a, spd.Riemann, x, nil))
	testkit.NoError(t, spd.Distances(t.Context(), &b, spd.Riemann, reduced, nil))
	testkit.Close(t, "distances", b.RawMatrix().Data, a.RawMatrix().Data, 1e-8)
}

func TestReductionRefusals(t *testing.T) {
	x, labels, _ := planted(4, 4)
	classes := []string{"a", "b", "c"}
	ctx := context.Background()
	for want, f := range map[string]func() error{
		"9 filters":            func() error { _, err := FitSQFAReduction(ctx, x, labels, classes, 9); return err },
		"0 filters":            func() error { _, err := FitENucReduction(ctx, x, labels, classes, 0); return err },
		"labels is 11":         func() error { _, err := FitSQFAReduction(ctx, x, labels[1:], classes, 2); return err },
		"at least two classes": func() error { _, err := FitSQFAReduction(ctx, x, labels, classes[:1], 2); return err },
		"has label 2":          func() error { _, err := FitSQFAReduction(ctx, x, labels, classes[:2], 2); return err },
		"no matrices": func() error {
			_, err := FitSQFAReduction(ctx, spd.NewStack(0, 4), nil, classes, 2)
			return err
		},
		"class d has 0 matrices": func() error {
			_, err := FitSQFAReduction(ctx, x, labels, append(classes, "d"), 2)
			return err
		},
		"has no filters": func() error { return (&Reduction{}).Validate() },
		"2 channels to 3": func() error {
			return (&Reduction{Filters: mat.NewDense(2, 3, nil)}).Validate()
		},
		"NaN at channel 0": func() error {
			return (&Reduction{Filters: mat.NewDense(1, 1, []float64{math.NaN()})}).Validate()
		},
	} {
		testkit.ErrorContains(t, f(), want)
	}
}
