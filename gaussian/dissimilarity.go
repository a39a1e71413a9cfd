package gaussian

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/text"
)

// Dissimilarity is the name of a measure between Gaussians N(μ_i, S_i) and N(μ_j, S_j) in m dimensions. The zero value,
// the empty string, means CalvoOller. The name of a distance followed by _squared is its square, and chernoff:0.3 is
// Chernoff with s = 0.3.
//
// Riemann, LogEuclid and Euclid are the distances of package spd with the same names, applied to second moments. Means
// affect them only through the second moments, as in smSQFA.
//
// The SQFA paper (arXiv 2502.00168v3) defines these measures in equations 3 (Riemann), 4 (CalvoOller), 5 (Chernoff), 8
// (Wasserstein), 9 (WassersteinNormalized), 10 (LogEuclid), 11 (Euclid), 12 (Jeffreys) and 13 (Bhattacharyya, in which
// the second form lacks the factor one half of the first). Equation 3 and equations 8 to 13 are for zero means.
type Dissimilarity string

// In the formulas of these constants, d = μ_i - μ_j, Ψ = S + μμ' is the second moment, and Ω = [Ψ μ; μ' 1] is the
// embedding. λ_k(A, B) are the eigenvalues of B⁻¹A. In Chernoff, |·| is a determinant; elsewhere it is the Euclidean or
// Frobenius norm. [Dissimilarities] lists these names and the names that other packages register.
const (
	// CalvoOller is sqrt(Σ log² λ_k(Ω_i, Ω_j) / 2), a lower bound of FisherRao (Calvo and Oller 1990).
	CalvoOller Dissimilarity = "calvo_oller"
	// Riemann is sqrt(Σ log² λ_k(Ψ_i, Ψ_j)).
	Riemann Dissimilarity = "riemann"
	// LogEuclid is |log Ψ_i - log Ψ_j|.
	LogEuclid Dissimilarity = "logeuclid"
	// Euclid is |Ψ_i - Ψ_j|, the Frobenius norm.
	Euclid Dissimilarity = "euclid"
	// Bhattacharyya is Chernoff with s = 1/2.
	Bhattacharyya Dissimilarity = "bhattacharyya"
	// Chernoff is s(1-s)/2 d'P⁻¹d + log(|P| / |S_i|^s |S_j|^(1-s)) / 2 with P = s S_i + (1-s) S_j. Its weight s is 1/2,
	// or the number after a colon.
	Chernoff Dissimilarity = "chernoff"
	// ChernoffBest is Chernoff with the s that maximizes it for each pair: the Chernoff information, the rate at which
	// the error of distinguishing the two Gaussians falls with the number of samples.
	ChernoffBest Dissimilarity = "chernoff_best"
	// Hellinger is sqrt(1 - exp(-Bhattacharyya)).
	Hellinger Dissimilarity = "hellinger"
	// Jeffreys is the mean of the two Kullback-Leibler divergences.
	Jeffreys Dissimilarity = "jeffreys"
	// Wasserstein is sqrt(|d|² + tr(S_i + S_j - 2 (S_i^½ S_j S_i^½)^½)).
	Wasserstein Dissimilarity = "wasserstein"
	// WassersteinNormalized is Wasserstein / sqrt(tr(S_i + S_j)).
	WassersteinNormalized Dissimilarity = "wasserstein_normalized"
	// Mahalanobis is sqrt(d' ((S_i + S_j)/2)⁻¹ d).
	Mahalanobis Dissimilarity = "mahalanobis"
	// FisherRao is the Fisher-Rao (Rao geodesic) distance. With coordinates in which the first Gaussian is N(0, I),
	// the second N(μ, S) is embedded as
	//
	//	G(K) = M diag(S⁻¹, 1, S) M',   M = [  I              0   0 ]
	//	                                   [  μ'             1   0 ]
	//	                                   [ -μμ'/2 + K     -μ   I ]
	//
	// with K antisymmetric. The distance is the minimum over K of |log G(K)|/2, because Fisher-Rao geodesics are
	// projections of the geodesics of SPD(2m+1) for which the logarithm has a zero (1,3) block (Eriksen, Geodesics
	// connected with the Fisher metric on the multivariate normal manifold, 1987; Kobayashi, Geodesics of multivariate
	// normal distributions and a Toda lattice type Lax pair, 2023). A pair costs 10 to 30 eigendecompositions of order
	// 2m+1. Any K gives an upper bound, and CalvoOller is a lower bound.
	FisherRao Dissimilarity = "fisher_rao"
)

// measures is the table of dissimilarities, in the order of [Dissimilarities].
var measures = []*Measure{
	{Name: CalvoOller, Root: true, kernel: func(l *pairList, m int, _ float64) kernel { return newAffine(l, m, true) }},
	{Name: Riemann, Root: true, Moments: true, kernel: func(l *pairList, m int, _ float64) kernel {
		return newAffine(l, m, false)
	}},
	{Name: LogEuclid, Root: true, Moments: true, kernel: func(l *pairList, m int, _ float64) kernel {
		return newFlat(l, m, true)
	}},
	{Name: Bhattacharyya, Bound: true, kernel: func(l *pairList, m int, _ float64) kernel {
		return newMixed(l, m, 0.5, 0.125, 0.5)
	}},
	{Name: Chernoff, Bound: true, weighted: true, kernel: func(l *pairList, m int, s float64) kernel {
		return newMixed(l, m, s, s*(1-s)/2, 0.5)
	}},
	{Name: ChernoffBest, kernel: func(l *pairList, m int, _ float64) kernel { return newChernoffBest(l, m) }},
	{Name: Hellinger, Root: true, saturate: true, kernel: func(l *pairList, m int, _ float64) kernel {
		return newMixed(l, m, 0.5, 0.125, 0.5)
	}},
	{Name: Jeffreys, kernel: func(l *pairList, m int, _ float64) kernel { return newJeffreys(l, m) }},
	{Name: Wasserstein, Root: true, kernel: func(l *pairList, m int, _ float64) kernel {
		return newWasserstein(l, m, false)
	}},
	{Name: WassersteinNormalized, Root: true, kernel: func(l *pairList, m int, _ float64) kernel {
		return newWasserstein(l, m, true)
	}},
	{Name: Euclid, Root: true, Moments: true, Singular: true, kernel: func(l *pairList, m int, _ float64) kernel {
		return newFlat(l, m, false)
	}},
	{Name: Mahalanobis, Root: true, kernel: func(l *pairList, m int, _ float64) kernel {
		return newMixed(l, m, 0.5, 1, 0)
	}},
	{Name: FisherRao, Root: true, Below: CalvoOller, kernel: func(l *pairList, m int, _ float64) kernel {
		return newFisherRao(l, m)
	}},
}

// Measure is an entry of the table of dissimilarities; [RegisterDissimilarity] adds one.
type Measure struct {
	// Name must be in lower case, without colons and spaces, and must not end in _squared.
	Name Dissimilarity
	// Pair returns the dissimilarity of two Gaussians of the same dimension, or its square if Root is true. If da and
	// db are not nil, they are zero, and Pair adds the derivatives with respect to a and b to them, treating a
	// covariance as a full matrix. Pair is called from several goroutines. Covariances may be singular; an error ends
	// the computation.
	Pair func(a, b Gaussian, da, db *Gaussian) (float64, error)
	// Joint replaces Pair for a measure that is best computed for many pairs at once, for example in another
	// process. It is not called from several goroutines at a time.
	Joint func(p *JointPairs) error
	// Root is true if the distance is the square root of the value of Pair or Joint. Learners smooth the root, and the
	// name with _squared omits it.
	Root bool
	// Moments is true if means affect the measure only through the second moments S + μμ'.
	Moments bool
	// Singular is true if the measure is defined for singular covariances.
	Singular bool
	// Bound is true if π_a^(1-w) π_b^w exp(-d), with w the Weight, is an upper bound of the Bayes error of two classes
	// with priors π.
	Bound bool
	// Below is a measure that is never larger, for a measure that is computed by a search; empty: none is known.
	Below Dissimilarity
	// Weight is the weight of the first Gaussian, from the name: 0.3 in chernoff:0.3, and 1/2 in a name without a
	// weight. RegisterDissimilarity ignores it.
	Weight float64

	// kernel replaces Pair to compute the pairs faster, in m dimensions with the weight s.
	kernel   func(l *pairList, m int, s float64) kernel
	saturate bool // use 1 - exp(-raw) before the root
	weighted bool // the name may include the weight of the first Gaussian
}

// JointPairs contains the input and the results of Measure.Joint.
type JointPairs struct {
	Dim         int       // number of dimensions m
	Means, Covs []float64 // means (c×m) and covariances (c×m×m, both triangles) of c Gaussians, row-major
	Pairs       []Pair    // n pairs of these Gaussians
	Values      []float64 // n values to write; nil if derivatives are requested
	// Weights has n factors; it is nil if values are requested. The derivatives of the weighted sum of the values with
	// respect to Means and Covs are added to GradMeans and GradCovs; a covariance is treated as a full matrix.
	Weights             []float64
	GradMeans, GradCovs []float64 // in the shapes of Means and Covs
}

// Gaussian is a multivariate normal distribution, or a derivative with respect to one.
type Gaussian struct {
	Mean *mat.VecDense // m values
	Cov  *mat.SymDense // m×m
}

// RegisterDissimilarity adds a measure to the table, usually in an init function. Every fit, option and tool that
// accepts the name of a dissimilarity then accepts it. It panics if the name is not allowed or already registered, or
// if both Pair and Joint are missing. Package rao/gaussian/gaussiantest checks the properties that learners rely on.
func RegisterDissimilarity(m Measure) {
	_, squared := strings.CutSuffix(string(m.Name), "_squared")
	switch {
	case m.Name == "" || squared || strings.ContainsAny(string(m.Name), ": ") ||
		string(m.Name) != strings.ToLower(string(m.Name)):
		panic(fmt.Sprintf("gaussian: the dissimilarity name %q is invalid; use lower case without a colon or _squared",
			m.Name))
	case slices.Contains(Dissimilarities(), string(m.Name)):
		panic(fmt.Sprintf("gaussian: dissimilarity %q is registered twice", m.Name))
	case m.Pair == nil && m.Joint == nil:
		panic(fmt.Sprintf("gaussian: dissimilarity %q has no Pair", m.Name))
	}
	measures = append(measures, &m)
}

// pairsKernel returns the computation of the pairs of l in dim dimensions with the weight s.
func (m *Measure) pairsKernel(l *pairList, dim int, s float64) kernel {
	switch {
	case m.kernel != nil:
		return m.kernel(l, dim, s)
	case m.Joint != nil:
		return newJointly(l, dim, m.Joint)
	}
	return newPairwise(l, dim, m.Pair)
}

// Dissimilarities returns the names of all dissimilarities, without squares or weights.
func Dissimilarities() []string {
	names := make([]string, len(measures))
	for i, m := range measures {
		names[i] = string(m.Name)
	}
	return names
}

// ParseDissimilarity returns the dissimilarity with the given name, which may end in _squared or, for Chernoff, in a
// weight. The empty name is CalvoOller. For an unknown name, the error suggests the most similar names.
func ParseDissimilarity(name string) (Dissimilarity, error) {
	d := cmp.Or(Dissimilarity(name), CalvoOller)
	_, err := d.Measure()
	return d, err
}

// Measure returns the entry of the table that d names, with the weight in the name, and without the root if the name
// ends in _squared. An unknown name is an error.
func (d Dissimilarity) Measure() (Measure, error) {
	name, squared := strings.CutSuffix(string(d), "_squared")
	name, weight, weighted := strings.Cut(name, ":")
	if name == "" && d == "" {
		name = string(CalvoOller)
	}
	i := slices.IndexFunc(measures, func(m *Measure) bool { return string(m.Name) == name })
	if i < 0 {
		return Measure{}, &rao.UnknownError{Kind: "dissimilarity", Name: string(d), Known: Dissimilarities()}
	}
	s := *measures[i]
	if s.Weight = 0.5; squared && !s.Root {
		return s, faults.Option("%s is not a distance and has no square; leave _squared out", name)
	}
	s.Root = s.Root && !squared
	if weighted {
		v, err := strconv.ParseFloat(weight, 64)
		if !s.weighted {
			return s, faults.Option("the dissimilarity %s has no weight; only chernoff has one, such as chernoff:0.3",
				name)
		}
		if s.Weight = v; err != nil || !(v > 0 && v < 1) {
			return s, faults.Option("the weight of the dissimilarity %q must be a number above 0 and below 1", d)
		}
	}
	return s, nil
}

// SingularError means that the covariance of a class, or the pooled covariance of all classes, is not positive
// definite. Dissimilarities, fits of filters and Gaussian classifiers return it.
type SingularError struct {
	Class    int     // index of the class; -1 for the pooled covariance
	Name     string  // name of the class, if known
	Smallest float64 // smallest eigenvalue; NaN if the matrix is not finite
	Largest  float64 // largest eigenvalue
	// Count is the number of observations of the covariance and Dim its order, if there are too few for the order.
	Count, Dim int
	Remedy     string // what to try; empty: add feature noise, shrink the covariances, or use fewer dimensions
}

// Error implements error.
func (e *SingularError) Error() string {
	name := "the pooled covariance of the classes"
	if e.Class >= 0 {
		name = "the covariance of class " + cmp.Or(e.Name, strconv.Itoa(e.Class))
	}
	if e.Smallest != e.Smallest {
		return name + " is not finite; check the data for NaN, infinite and very large values"
	}
	from := ""
	if e.Count > 0 {
		from = fmt.Sprintf(", from %s of %s", text.Plural(e.Count, "observation", "observations"),
			text.Plural(e.Dim, "dimension", "dimensions"))
	}
	return fmt.Sprintf("%s is not positive definite: its smallest eigenvalue is %.3g, its largest %.3g%s; %s", name,
		e.Smallest, e.Largest, from,
		cmp.Or(e.Remedy, "add feature noise, shrink the covariances, or use fewer dimensions"))
}
