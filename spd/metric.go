package spd

import (
	"context"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
)

// Metric is the name of a geometry of SPD matrices, as in pyRiemann. The empty string means Riemann.
type Metric string

// In the formulas of these constants, A and B are SPD matrices of order n, λ are the eigenvalues of A⁻¹B, and chol(A)
// is the lower Cholesky factor of A.
const (
	// Riemann is the affine-invariant metric (Moakher 2005; equations 5 and 8 of Tang et al. 2021). Its distance is √2
	// times the Fisher-Rao distance of zero-mean Gaussians (Atkinson and Mitchell 1981; equation 3 of the SQFA paper):
	//
	//	d² = Σ log²λ
	Riemann Metric = "riemann"
	// LogEuclid is the Frobenius distance between matrix logarithms (Arsigny et al. 2007):
	//
	//	d = ‖log A − log B‖
	LogEuclid Metric = "logeuclid"
	// Euclid is the Frobenius distance:
	//
	//	d = ‖A − B‖
	Euclid Metric = "euclid"
	// Wasserstein is the Bures-Wasserstein distance of zero-mean Gaussians (Malagò, Montrucchio and Pistone 2018):
	//
	//	d² = tr A + tr B − 2 tr (A½ B A½)½
	Wasserstein Metric = "wasserstein"
	// KullbackSym is the symmetrized Kullback-Leibler divergence of zero-mean Gaussians (Jeffreys 1946): the sum of
	// both directions, which is twice equation 12 of the SQFA paper. It is a divergence, which scales like a squared
	// distance:
	//
	//	d = tr(A⁻¹B + B⁻¹A)/2 − n
	KullbackSym Metric = "kullback_sym"
	// LogDet is the square root of the symmetric Stein divergence (Sra 2016; Dhillon and Tropp 2007):
	//
	//	d² = log det((A+B)/2) − log det(AB)/2
	LogDet Metric = "logdet"
	// Chol is the Frobenius distance between Cholesky factors (Dryden, Koloydenko and Zhou 2009).
	Chol Metric = "chol"
	// LogChol is the log-Cholesky metric (Lin 2019): the Frobenius distance between Cholesky factors in which diagonal
	// entries are replaced by their logarithms.
	LogChol Metric = "logchol"
	// Harmonic is the Frobenius distance between inverses:
	//
	//	d = ‖A⁻¹ − B⁻¹‖
	Harmonic Metric = "harmonic"
)

// geometry is a metric and its operations; an operation that it lacks is nil. Each metric is in its own file, or
// shares one with similar metrics.
type geometry struct {
	name Metric
	// prepare computes what pairs need once per matrix. row computes the distances from left matrix i to right
	// matrices lo to lo+len(d)-1.
	prepare func(p *pairs) error
	row     func(p *pairs, s *scratch, d []float64, i, lo int) error
	mean    func(ctx context.Context, x *Stack, w []float64, opt MeanOptions) ([]float64, rao.Report, error)
	// power is the power mean, for exponents from -maxPower to maxPower.
	power func(ctx context.Context, x *Stack, w []float64, p float64, opt MeanOptions) (*mat.SymDense, rao.Report,
		error)
	maxPower float64
	// geodesic returns the point at t from a to b.
	geodesic func(a, b []float64, t float64, n int) ([]float64, error)
	// logMap and expMap build the maps at a reference and its spectrum.
	logMap, expMap mapBuilder
	// vectors returns vectors with the kernel as their inner product. atReference is true if they depend on a
	// reference, by default the mean.
	vectors     func(x *Stack, ref []float64) ([]float64, error)
	atReference bool
	// tangent is true if every vector at a reference, or in a flat metric, belongs to an SPD matrix. Classifiers may
	// then change vectors.
	tangent bool
	// flat is a space in which the metric is Euclidean. Distances in below are never larger than in the metric.
	flat, below *FlatSpace
	// anywhere is true if [TangentVectors] are the metric's tangent vectors at any matrix.
	anywhere bool
	// iterates is true if the mean has no closed form.
	iterates bool
	// divergence is true if distances scale like squared distances.
	divergence bool
	// term returns what an eigenvalue of A⁻¹B adds to the squared distance. It is nil if the distance is not such a
	// sum.
	term func(eigenvalue float64) float64
}

// geometries are the metrics, in the order of [Metrics]. An init function fills them in because some of their
// functions look up others.
var geometries []*geometry

func init() {
	riemann.power, euclid.power = riemannPower, euclidPower
	geometries = []*geometry{riemann, logEuclid, euclid, wasserstein, kullbackSym, logDet, chol, logChol, harmonic}
}

// Metrics returns the names of all metrics. Each has a distance and a mean.
func Metrics() []string { return namesOf(func(*geometry) bool { return true }) }

// TangentMetrics returns the names of the metrics with tangent vectors for classifiers. Metrics that are not flat need
// a reference.
func TangentMetrics() []string { return namesOf(func(g *geometry) bool { return g.tangent }) }

// SpaceMetrics returns the names of the metrics in which points move along geodesics through any matrix: the flat
// metrics, and those with the tangent vectors of [TangentVectors].
func SpaceMetrics() []string {
	return namesOf(func(g *geometry) bool { return g.flat != nil || g.anywhere })
}

func namesOf(has func(*geometry) bool) []string {
	var names []string
	for _, g := range geometries {
		if has(g) {
			names = append(names, string(g.name))
		}
	}
	return names
}

// ParseMetric returns the metric with the given name; the empty name is Riemann. For an unknown name, the error
// suggests the most similar names.
func ParseMetric(name string) (Metric, error) {
	g, err := Metric(name).geometry()
	if err != nil {
		return "", err
	}
	return g.name, nil
}

// geometry returns the entry of m, or Riemann's for the zero value.
func (m Metric) geometry() (*geometry, error) {
	if m == "" {
		return riemann, nil
	}
	for _, g := range geometries {
		if g.name == m {
			return g, nil
		}
	}
	return nil, &rao.UnknownError{Kind: "metric", Name: string(m), Known: Metrics()}
}

// Iterates reports whether the mean is computed iteratively because it has no closed form. A good start then saves
// time.
func (m Metric) Iterates() bool {
	g, err := m.geometry()
	return err == nil && g.iterates
}

// Square returns the contribution of the distance d to a sum of squares: d² or, for a divergence, d.
func (m Metric) Square(d float64) float64 {
	if g, err := m.geometry(); err == nil && g.divergence {
		return d
	}
	return d * d
}

// Term returns the contribution of an eigenvalue of A⁻¹B to the squared distance of A and B, as returned by
// [Metric.Square]. It returns false if the distances of the metric are not sums over these eigenvalues.
func (m Metric) Term(eigenvalue float64) (float64, bool) {
	g, err := m.geometry()
	if err != nil || g.term == nil {
		return 0, false
	}
	return g.term(eigenvalue), true
}

// with returns the entry of m, or an error that lists the metrics that have the operation.
func (m Metric) with(what string, has func(*geometry) bool) (*geometry, error) {
	g, err := m.geometry()
	if err != nil || has(g) {
		return g, err
	}
	return nil, faults.Option("metric %q has no %s; use one of %s", g.name, what, strings.Join(namesOf(has), ", "))
}
