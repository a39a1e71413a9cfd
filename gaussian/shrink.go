package gaussian

import (
	"errors"
	"math"

	"rao/internal/classcolumns"
	"rao/internal/optionvalues"
	"rao/internal/par"
	"rao/internal/shrink"
)

// Shrinkage is a rule for shrinking covariances towards a multiple of the identity, Φ → (1-ρ) Φ + ρ (tr Φ / n) I:
//
//   - empty, the default, leaves the choice to the learner: ledoit_wolf in tangent spaces, which have more dimensions
//     than there are matrices, and none elsewhere;
//   - none leaves the covariances unchanged (ρ = 0);
//   - oas is the oracle approximating shrinkage of Chen, Wiesel, Eldar and Hero (2010), in the form that scikit-learn
//     uses;
//   - ledoit_wolf is the coefficient of Ledoit and Wolf (2004), lemma 3.1 to theorem 3.3. It needs the cubic and
//     quartic moments;
//   - fixed uses the given ρ for every class.
type Shrinkage string

// ShrinkRule selects how covariances are shrunk. The zero value leaves the choice to the learner.
type ShrinkRule struct {
	Kind Shrinkage // the rule
	// Amount is ρ for fixed shrinkage, from 0 to 1. It is ignored otherwise.
	Amount float64
}

// ErrNoMoments is returned by [Statistics.Shrink] if Ledoit-Wolf is requested and the statistics lack the cubic and
// quartic moments.
var ErrNoMoments = errors.New("the statistics lack the fourth moments that ledoit_wolf needs; collect them with the " +
	"statistics, learn from the data directly, or use oas")

// Shrink returns statistics with shrunk covariances, and the coefficient ρ of each class. It returns an error if the
// kind is unknown or the amount out of range, or [ErrNoMoments]. Coefficients agree with scikit-learn, which computes
// them from the covariance with divisor count; they are applied to the covariance with divisor count-1.
//
// Unless the kind is "" or none, the result has no cubic and quartic moments, so it cannot be shrunk by Ledoit-Wolf
// again, and it should not be merged.
func (s *Statistics) Shrink(rule ShrinkRule) (*Statistics, []float64, error) {
	if err := shrink.Check(string(rule.Kind), rule.Amount); err != nil {
		return nil, nil, err
	}
	c := s.NumClasses()
	rho := make([]float64, c)
	out := s.Clone()
	switch rule.Kind {
	case optionvalues.ShrinkageAuto, optionvalues.ShrinkageNone:
		return out, rho, nil
	case optionvalues.ShrinkageLedoitWolf:
		if s.Quartic == nil {
			return nil, nil, ErrNoMoments
		}
	}
	out.Cubic, out.Quartic = nil, nil
	par.For(c, 1, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			switch {
			case rule.Kind == optionvalues.ShrinkageFixed:
				rho[i] = rule.Amount
			case s.Dim == 1 || s.Counts[i] == 0:
			case rule.Kind == optionvalues.ShrinkageOAS:
				rho[i] = s.momentsOf(i).OAS()
			case rule.Kind == optionvalues.ShrinkageLedoitWolf:
				rho[i] = s.momentsOf(i).LedoitWolf()
			}
			shrink.Apply(out.cov(i), s.Dim, rho[i])
		}
	})
	return out, rho, nil
}

func (s *Statistics) momentsOf(i int) shrink.Moments {
	w := classcolumns.WeightOf(s.Counts, s.Weights, i)
	m := shrink.Of(s.cov(i), max(1, int(math.Round(w))), s.Dim, max(0, w-1))
	if s.Quartic != nil {
		m.Quartic = s.Quartic[i]
	}
	return m
}
