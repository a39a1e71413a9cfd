package privacy

import (
	"math"
	"testing"

	"rao/internal/testkit"
)

// ρ, σ/Δ = 1/√(2ρ) and the largest AUC at δ 1e-6 agree with an implementation in another language.
func TestAccounting(t *testing.T) {
	for _, c := range []struct{ epsilon, rho, ratio, auc float64 }{
		{0.1, 0.000321, 39.46, 0.507},
		{0.3, 0.002540, 14.03, 0.520},
		{1, 0.024356, 4.531, 0.562},
		{3, 0.185070, 1.644, 0.666},
		{8, 1.052357, 0.689, 0.848},
	} {
		rho := Guarantee{Epsilon: c.epsilon, Delta: 1e-6}.Rho()
		testkit.Near(t, rho, c.rho, 5e-7+1e-4*c.rho, "ε", c.epsilon, "ρ")
		testkit.Near(t, 1/math.Sqrt(2*rho), c.ratio, 1e-3*c.ratio, "ε", c.epsilon, "σ/Δ")
		testkit.Near(t, AttackAUC(rho), c.auc, 6e-4, "ε", c.epsilon, "the bound of the AUC")
		if back := EpsilonOf(rho, 1e-6); math.Abs(back-c.epsilon) > 1e-9 || back > c.epsilon*(1+1e-12) {
			t.Errorf("ε %g comes back as %.12g", c.epsilon, back)
		}
	}
}

// Three releases of ε 1 are ε 1.81 together, ten are 3.49.
func TestAccountingAddsUp(t *testing.T) {
	rho := Guarantee{Epsilon: 1, Delta: 1e-6}.Rho()
	for n, want := range map[int]float64{3: 1.81, 10: 3.49} {
		testkit.Near(t, EpsilonOf(float64(n)*rho, 1e-6), want, 0.006, n, "releases: ε")
	}
}

// Two guarantees for the same rows add up. Guarantees for different units do not.
func TestGuaranteesAddUp(t *testing.T) {
	one := Guarantee{Epsilon: 1, Delta: 1e-6}
	two, err := one.And(one)
	if want := EpsilonOf(2*one.Rho(), 1e-6); err != nil || math.Abs(two.Epsilon-want) > 1e-9 || two.Delta != 1e-6 {
		t.Errorf("%+v, %v; want ε %v", two, err, want)
	}
	testkit.Fails(t, testkit.ErrorOf(one.And(Guarantee{Epsilon: 1, Delta: 1e-6, Unit: "person"})),
		"rows and persons add up")
}

// The conversion is never better than the exact δ of a continuous Gaussian mechanism of the same ρ (Balle and Wang
// 2018), and not much worse.
func TestAccountingAgainstTheExactGaussian(t *testing.T) {
	cdf := func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
	for _, rho := range []float64{1e-4, 1e-3, 0.01, 0.1, 1} {
		for _, epsilon := range []float64{0.1, 0.5, 1, 3, 8} {
			mu := math.Sqrt(2 * rho)
			exact := cdf(mu/2-epsilon/mu) - math.Exp(epsilon)*cdf(-mu/2-epsilon/mu)
			if exact < 1e-14 {
				continue
			}
			bound := math.Exp(logDelta(rho, epsilon))
			if bound < exact || bound > 30*exact {
				t.Errorf("ρ %g, ε %g: δ %.3g, exactly %.3g", rho, epsilon, bound, exact)
			}
		}
	}
}

func TestGuaranteeIsValidated(t *testing.T) {
	nan := math.NaN()
	for _, g := range []Guarantee{{0, 1e-6, ""}, {-1, 1e-6, ""}, {17, 1e-6, ""}, {nan, 1e-6, ""}, {1, 0, ""},
		{1, 0.01, ""}, {1, nan, ""}, {1, 1e-6, "a\x1b[2J"}} {
		if g.Validate() == nil {
			t.Errorf("%+v is accepted", g)
		}
	}
	testkit.NoError(t, (Guarantee{Epsilon: 16, Delta: 1e-3}).Validate())
}
