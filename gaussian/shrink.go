package gaussian

import (
	"errors"
	"fmt"
	"math"

	"rao/internal/par"
	"rao/internal/shrink"
)

// Shrinkage is a rule for shrinking covariances towards a multiple of the identity:
//
//	Φ → (1-ρ) Φ + ρ (tr Φ / n) I
type Shrinkage int

const (
	// Auto leaves the choice to the learner: Ledoit-Wolf in tangent spaces, which have more dimensions than there are
	// matrices, and None elsewhere.
	Auto Shrinkage = iota
	// None leaves the covariances unchanged (ρ = 0).
	None
	// OAS is the oracle approximating shrinkage of Chen, Wiesel, Eldar and Hero (2010), in the form scikit-learn uses.
	OAS
	// LedoitWolf is the coefficient of Ledoit and Wolf (2004), lemma 3.1 to theorem 3.3. It needs the cubic and quartic
	// moments.
	LedoitWolf
	// Fixed uses the given ρ for every class.
	Fixed
)

var shrinkageNames = [...]string{"auto", "none", "oas", "ledoit_wolf", "fixed"}

// String returns the name that options and files use.
func (k Shrinkage) String() string {
	if k < 0 || int(k) >= len(shrinkageNames) {
		return fmt.Sprintf("shrinkage(%d)", int(k))
	}
	return shrinkageNames[k]
}

// Or returns own if k is Auto, and k otherwise.
func (k Shrinkage) Or(own Shrinkage) Shrinkage {
	if k == Auto {
		return own
	}
	return k
}

// MarshalText implements encoding.TextMarshaler.
func (k Shrinkage) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Shrinkage) UnmarshalText(b []byte) error {
	v, err := ParseShrinkage(string(b))
	if err == nil {
		*k = v
	}
	return err
}

// ParseShrinkage returns the shrinkage with the given name: auto, none, oas, ledoit_wolf (or lw) or fixed. It returns
// an error for other names.
func ParseShrinkage(name string) (Shrinkage, error) {
	if name == "lw" || name == "ledoit-wolf" {
		return LedoitWolf, nil
	}
	for k, n := range shrinkageNames {
		if n == name {
			return Shrinkage(k), nil
		}
	}
	return Auto, fmt.Errorf("unknown shrinkage %q; choose from auto, none, oas, ledoit_wolf and fixed", name)
}

// ErrNoMoments is returned by [Statistics.Shrink] if Ledoit-Wolf is requested and the statistics lack the cubic and
// quartic moments.
var ErrNoMoments = errors.New("the statistics lack the fourth moments that ledoit_wolf needs; collect them with the " +
	"statistics, learn from the data directly, or use oas")

// Shrink returns statistics with shrunk covariances, and the coefficient ρ of each class. amount is ρ in [0,1] for
// Fixed and ignored otherwise. Coefficients agree with scikit-learn, which computes them from the covariance with
// divisor count; they are applied to the covariance with divisor count-1.
//
// Unless kind is Auto or None, the result has no cubic and quartic moments: it cannot be shrunk by Ledoit-Wolf again,
// and should not be merged.
func (s *Statistics) Shrink(kind Shrinkage, amount float64) (*Statistics, []float64, error) {
	c := s.NumClasses()
	rho := make([]float64, c)
	out := s.Clone()
	switch kind {
	case Auto, None:
		return out, rho, nil
	case Fixed:
		if !(amount >= 0 && amount <= 1) {
			return nil, nil, fmt.Errorf("the shrinkage is %v; it must be between 0 and 1", amount)
		}
	case OAS:
	case LedoitWolf:
		if s.Quartic == nil {
			return nil, nil, ErrNoMoments
		}
	default:
		return nil, nil, fmt.Errorf("unknown shrinkage %d", int(kind))
	}
	out.Cubic, out.Quartic = nil, nil
	par.For(c, 1, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			switch {
			case kind == Fixed:
				rho[i] = amount
			case s.Dim == 1 || s.Counts[i] == 0:
			case kind == OAS:
				rho[i] = s.momentsOf(i).OAS()
			case kind == LedoitWolf:
				rho[i] = s.momentsOf(i).LedoitWolf()
			}
			shrink.Apply(out.cov(i), s.Dim, rho[i])
		}
	})
	return out, rho, nil
}

func (s *Statistics) momentsOf(i int) shrink.Moments {
	w := s.Weight(i)
	m := shrink.Of(s.cov(i), max(1, int(math.Round(w))), s.Dim, max(0, w-1))
	if s.Quartic != nil {
		m.Quartic = s.Quartic[i]
	}
	return m
}
