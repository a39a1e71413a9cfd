package gaussian

import (
	"fmt"
	"strconv"
	"strings"

	"rao/internal/suggest"
)

// Smoothing is what learners add inside the square root of a distance,
//
//	d = sqrt(d² + 1e-6),
//
// so that classes that coincide still have a gradient. It is the value of the
// public Python reference of SQFA; distances reported to users take none.
const Smoothing = 1e-6

// Dissimilarity names a measure between Gaussians N(μ_i, S_i) and N(μ_j, S_j) in
// m dimensions. The zero value is the Calvo-Oller distance. With d = μ_i - μ_j,
// Ψ = S + μμ' the second moment and Ω = [Ψ μ; μ' 1] the embedding:
//
//	calvo_oller             sqrt(Σ log² λ_k(Ω_i, Ω_j) / 2): a lower bound of the
//	                        Fisher-Rao distance (Calvo and Oller 1990)
//	affine_invariant        sqrt(Σ log² λ_k(Ψ_i, Ψ_j))
//	log_euclidean           |log Ψ_i - log Ψ_j|
//	euclidean               |Ψ_i - Ψ_j|, Frobenius norm
//	bhattacharyya           chernoff with s = 1/2
//	chernoff                s(1-s)/2 d'P⁻¹d + log(|P| / |S_i|^s |S_j|^(1-s)) / 2,
//	                        P = s S_i + (1-s) S_j
//	chernoff_best           chernoff with the s of each pair that makes it largest:
//	                        the Chernoff information, the rate at which the error
//	                        of telling the two apart falls with samples
//	hellinger               sqrt(1 - exp(-bhattacharyya))
//	jeffreys                mean of the two Kullback-Leibler divergences
//	wasserstein             sqrt(|d|² + tr(S_i + S_j - 2 (S_i^½ S_j S_i^½)^½))
//	wasserstein_normalized  wasserstein / sqrt(tr(S_i + S_j))
//	mahalanobis             sqrt(d' ((S_i + S_j)/2)⁻¹ d)
//	fisher_rao              the exact Fisher-Rao distance; see [FisherRao]
//
// affine_invariant, log_euclidean and euclidean act on second moments and so use
// means only through them, as smSQFA does.
//
// The SQFA paper (arXiv 2502.00168v3) has them as equations 3 (affine_invariant), 4
// (calvo_oller), 5 (chernoff), 8 (wasserstein), 9 (wasserstein_normalized), 10
// (log_euclidean), 11 (euclidean), 12 (jeffreys) and 13 (bhattacharyya, whose second form
// lacks the factor one half of the first), from 6 on for zero means.
type Dissimilarity struct {
	// Name is one of [Dissimilarities]; empty means calvo_oller.
	Name string
	// Squared takes the square of a distance. bhattacharyya, chernoff,
	// chernoff_best and jeffreys are no distances and have no square.
	Squared bool
	// S is the weight of the first Gaussian in chernoff, between 0 and 1; 0 means
	// 0.5. Other names ignore it.
	S float64
}

// family is a measure and what is special about it.
type family struct {
	name   string
	kernel func(l *pairList, m int, s float64) kernel // for pairs of Gaussians of m dimensions, at the weight s
	// distance says that a square root of the kernel's values is taken, so that the square has a meaning.
	distance bool
	saturate bool // 1 - exp(-raw) is taken first
	weighted bool // the weight of the first Gaussian is an option
	moments  bool // sees classes through their second moments alone
	bound    bool // is the exponent of a bound on the Bayes error
	singular bool // measures singular covariances as well as others
}

// families are the measures, in the order of [Dissimilarities].
var families = []family{
	{name: "calvo_oller", distance: true, kernel: func(l *pairList, m int, _ float64) kernel {
		return newAffine(l, m, true)
	}},
	{name: "affine_invariant", distance: true, moments: true, kernel: func(l *pairList, m int, _ float64) kernel {
		return newAffine(l, m, false)
	}},
	{name: "log_euclidean", distance: true, moments: true, kernel: func(l *pairList, m int, _ float64) kernel {
		return newFlat(l, m, true)
	}},
	{name: "bhattacharyya", bound: true, kernel: func(l *pairList, m int, _ float64) kernel {
		return newMixed(l, m, 0.5, 0.125, 0.5)
	}},
	{name: "chernoff", weighted: true, bound: true, kernel: func(l *pairList, m int, s float64) kernel {
		return newMixed(l, m, s, s*(1-s)/2, 0.5)
	}},
	{name: "chernoff_best", kernel: func(l *pairList, m int, _ float64) kernel { return newChernoffBest(l, m) }},
	{name: "hellinger", distance: true, saturate: true, kernel: func(l *pairList, m int, _ float64) kernel {
		return newMixed(l, m, 0.5, 0.125, 0.5)
	}},
	{name: "jeffreys", kernel: func(l *pairList, m int, _ float64) kernel { return newJeffreys(l, m) }},
	{name: "wasserstein", distance: true, kernel: func(l *pairList, m int, _ float64) kernel {
		return newWasserstein(l, m, false)
	}},
	{name: "wasserstein_normalized", distance: true, kernel: func(l *pairList, m int, _ float64) kernel {
		return newWasserstein(l, m, true)
	}},
	{name: "euclidean", distance: true, moments: true, singular: true, kernel: func(l *pairList, m int,
		_ float64) kernel {
		return newFlat(l, m, false)
	}},
	{name: "mahalanobis", distance: true, kernel: func(l *pairList, m int, _ float64) kernel {
		return newMixed(l, m, 0.5, 1, 0)
	}},
	{name: "fisher_rao", distance: true, kernel: func(l *pairList, m int, _ float64) kernel {
		return newFisherRao(l, m)
	}},
}

// Dissimilarities returns the names that [ParseDissimilarity] knows.
func Dissimilarities() []string {
	names := make([]string, len(families))
	for i, f := range families {
		names[i] = f.name
	}
	return names
}

// ParseDissimilarity reads a name, optionally with _squared at its end, or
// chernoff:S with the weight of the first Gaussian. An unknown name is an error
// that offers the nearest ones. It reads what [Dissimilarity.String] writes.
func ParseDissimilarity(s string) (Dissimilarity, error) {
	d := Dissimilarity{Name: s}
	if base, ok := strings.CutSuffix(s, "_squared"); ok {
		d.Name, d.Squared = base, true
	}
	if base, weight, ok := strings.Cut(d.Name, ":"); ok {
		v, err := strconv.ParseFloat(weight, 64)
		if f := lookup(base); err != nil || f == nil || !f.weighted {
			return d, fmt.Errorf("dissimilarity %q: only chernoff takes a weight, such as chernoff:0.3", s)
		}
		d.Name, d.S = base, v
		if v == 0 {
			return d, fmt.Errorf("dissimilarity %q: want a weight above 0 and below 1", s)
		}
	}
	return d, d.Validate()
}

// String returns the name that ParseDissimilarity reads.
func (d Dissimilarity) String() string {
	s := d.name()
	if f := lookup(s); f != nil && f.weighted {
		s += ":" + strconv.FormatFloat(d.weight(), 'g', -1, 64)
	}
	if d.Squared {
		s += "_squared"
	}
	return s
}

// Validate returns an error if the name is unknown or the options do not suit it.
func (d Dissimilarity) Validate() error {
	f := lookup(d.name())
	switch {
	case f == nil:
		return suggest.Unknown("dissimilarity", d.Name, Dissimilarities())
	case d.Squared && !f.distance:
		return fmt.Errorf("%s is no distance and has no square: drop _squared", f.name)
	case f.weighted && !(d.weight() > 0 && d.weight() < 1):
		return fmt.Errorf("%s weight %g: want above 0 and below 1", f.name, d.S)
	}
	return nil
}

// lookup returns the family of a name, or nil.
func lookup(name string) *family {
	for i := range families {
		if families[i].name == name {
			return &families[i]
		}
	}
	return nil
}

// name returns the name with the default in place.
func (d Dissimilarity) name() string {
	if d.Name == "" {
		return "calvo_oller"
	}
	return d.Name
}

// weight returns the Chernoff weight with the default in place.
func (d Dissimilarity) weight() float64 {
	if d.S == 0 {
		return 0.5
	}
	return d.S
}

// UsesSecondMoments reports whether the measure sees the classes through their
// second moments alone, so that means and covariances need not be told apart.
func (d Dissimilarity) UsesSecondMoments() bool {
	f := lookup(d.name())
	return f != nil && f.moments
}

// NeedsInverse reports whether the measure needs covariances that are not singular.
func (d Dissimilarity) NeedsInverse() bool {
	f := lookup(d.name())
	return f == nil || !f.singular
}

// ErrorBound returns the s with which the measure bounds the Bayes error of two classes of
// priors π by π_i^s π_j^(1-s) exp(-d); false for a measure that bounds none.
func (d Dissimilarity) ErrorBound() (s float64, ok bool) {
	f := lookup(d.name())
	switch {
	case f == nil || !f.bound:
		return 0, false
	case f.weighted:
		return 1 - d.weight(), true // the covariance P of weight s belongs to p_i^(1-s) p_j^s
	}
	return 0.5, true
}

// SingularError says that the covariance of a class is not positive definite.
type SingularError struct {
	Class    int     // which class
	Name     string  // its name, when known
	Smallest float64 // smallest eigenvalue; NaN when the matrix is not finite
	Largest  float64 // largest eigenvalue
}

// Error implements error.
func (e *SingularError) Error() string {
	name := e.Name
	if name == "" {
		name = strconv.Itoa(e.Class)
	}
	if e.Smallest != e.Smallest {
		return fmt.Sprintf("covariance of class %s is not finite: check the data for NaN, Inf and overflow", name)
	}
	return fmt.Sprintf("covariance of class %s is not positive definite (smallest eigenvalue %.3g, largest %.3g): "+
		"add feature noise, shrink the covariances, or use fewer dimensions", name, e.Smallest, e.Largest)
}
