package gaussian

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// The coefficients and the shrunk covariances equal scikit-learn's, except that the covariances here have the divisor
// count-1 instead of count.
func TestShrinkageAgreesWithScikitLearn(t *testing.T) {
	var golden struct {
		Cases []struct {
			X     [][]float64 `json:"x"`
			OAS   float64     `json:"oas"`
			LW    float64     `json:"ledoit_wolf"`
			CovO  [][]float64 `json:"oas_covariance"`
			CovLW [][]float64 `json:"ledoit_wolf_covariance"`
		} `json:"cases"`
	}
	testkit.ReadJSON(t, "testdata/shrinkage.json", &golden)
	for i, c := range golden.Cases {
		rows, n := len(c.X), len(c.X[0])
		x := mat.NewDense(rows, n, nil)
		for r, row := range c.X {
			x.SetRow(r, row)
		}
		s := estimate(t, x, make([]int, rows))
		for kind, want := range map[Shrinkage]struct {
			rho float64
			cov [][]float64
		}{"oas": {c.OAS, c.CovO}, "ledoit_wolf": {c.LW, c.CovLW}} {
			out, rho := testkit.Must2(s.Shrink(ShrinkRule{Kind: kind}))(t)
			testkit.Near(t, rho[0], want.rho, 1e-12, "case", i, kind, "coefficient")
			var flat []float64
			for _, row := range want.cov {
				flat = append(flat, row...)
			}
			got := out.Clone().Covariances
			for j := range got {
				got[j] *= float64(rows-1) / float64(rows)
			}
			testkit.Close(t, fmt.Sprintf("case %d: %v covariance", i, kind), got, flat, 1e-12)
		}
	}
}

func TestShrinkageKeepsTheTraceAndReachesItsEnds(t *testing.T) {
	x, labels := sample(31, 100, 5, 2, 0)
	s := estimate(t, x, labels)
	same1 := func(rho float64) *Statistics {
		out, got := testkit.Must2(s.Shrink(ShrinkRule{Kind: "fixed", Amount: rho}))(t)
		testkit.Equal(t, got[1], rho, got)
		return out
	}
	none, _, _ := s.Shrink(ShrinkRule{Kind: "none", Amount: 0.7})
	testkit.Equal(t, digest(none), digest(s), "no shrinkage changed the statistics")
	testkit.Close(t, "zero", same1(0).Covariances, s.Covariances, 0)
	whole := same1(1)
	for i := range 2 {
		trace := 0.0
		for j := range 5 {
			trace += s.cov(i)[j*6]
		}
		for j := range 25 {
			want := 0.0
			if j%6 == 0 {
				want = trace / 5
			}
			testkit.Near(t, whole.cov(i)[j], want, 1e-13*trace, "full shrinkage, element", j)
		}
	}
}

func TestLedoitWolfFromMergedPartsEqualsThatOfTheWhole(t *testing.T) {
	x, labels := sample(32, 200, 8, 2, 4)
	whole := part(t, x, labels, 0, 200, 2)
	merged := testkit.Must(Merge(part(t, x, labels, 0, 90, 2), part(t, x, labels, 90, 200, 2)))(t)
	_, want, _ := whole.Shrink(ShrinkRule{Kind: "ledoit_wolf"})
	_, got, _ := merged.Shrink(ShrinkRule{Kind: "ledoit_wolf"})
	testkit.Close(t, "coefficients", got, want, 1e-11)
	_, scaled, _ := whole.Affine(nil, []float64{-3}).Shrink(ShrinkRule{Kind: "ledoit_wolf"})
	testkit.Close(t, "coefficients of scaled data", scaled, want, 1e-12)
}

func TestShrinkErrors(t *testing.T) {
	x, labels := sample(33, 50, 3, 2, 0)
	s := estimate(t, x, labels)
	for _, amount := range []float64{-0.1, 1.1, math.NaN()} {
		if _, _, err := s.Shrink(ShrinkRule{Kind: "fixed", Amount: amount}); err == nil ||
			!strings.Contains(err.Error(), "between 0 and 1") {
			t.Errorf("amount %v: %v", amount, err)
		}
	}
	if _, _, err := s.Shrink(ShrinkRule{Kind: "lasso"}); err == nil ||
		!strings.Contains(err.Error(), `unknown shrinkage "lasso"`) {
		t.Errorf("unknown shrinkage: %v", err)
	}
	s.Cubic, s.Quartic = nil, nil
	if _, _, err := s.Shrink(ShrinkRule{Kind: "ledoit_wolf"}); !errors.Is(err, ErrNoMoments) {
		t.Errorf("no moments: %v", err)
	}
}
