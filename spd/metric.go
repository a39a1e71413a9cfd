package spd

import (
	"fmt"
	"slices"
	"strings"

	"rao/internal/suggest"
)

// Metric names a geometry of the SPD matrices. The names are those of
// pyRiemann. The zero value, the empty string, means Riemann.
type Metric string

// The metrics. A and B are SPD matrices of order n, λ the eigenvalues of A⁻¹B,
// chol(A) the lower Cholesky factor.
const (
	// Riemann is the affine-invariant metric, which is the Fisher-Rao metric of
	// zero-mean Gaussians up to a factor (Moakher 2005):
	//
	//	d² = Σ log²λ
	Riemann Metric = "riemann"
	// LogEuclid is Euclidean after the matrix logarithm (Arsigny et al. 2007):
	//
	//	d = ‖log A − log B‖
	LogEuclid Metric = "logeuclid"
	// Euclid is the Frobenius distance:
	//
	//	d = ‖A − B‖
	Euclid Metric = "euclid"
	// Wasserstein is the Bures-Wasserstein distance of zero-mean Gaussians
	// (Malagò, Montrucchio and Pistone 2018):
	//
	//	d² = tr A + tr B − 2 tr (A½ B A½)½
	Wasserstein Metric = "wasserstein"
	// KullbackSym is the symmetrised Kullback-Leibler divergence of zero-mean
	// Gaussians (Jeffreys 1946), the sum of both directions. It is a divergence,
	// not a distance: no square root is taken.
	//
	//	d = tr(A⁻¹B + B⁻¹A)/2 − n
	KullbackSym Metric = "kullback_sym"
	// LogDet is the root of the symmetric Stein divergence (Sra 2016; Dhillon and
	// Tropp 2007):
	//
	//	d² = log det((A+B)/2) − log det(AB)/2
	LogDet Metric = "logdet"
	// Chol is Euclidean between Cholesky factors (Dryden, Koloydenko and Zhou 2009).
	Chol Metric = "chol"
	// LogChol is the log-Cholesky metric (Lin 2019): Euclidean between Cholesky
	// factors whose diagonals are replaced by their logarithms.
	LogChol Metric = "logchol"
	// Harmonic is Euclidean between inverses:
	//
	//	d = ‖A⁻¹ − B⁻¹‖
	Harmonic Metric = "harmonic"
)

var metricNames = []string{
	string(Riemann), string(LogEuclid), string(Euclid), string(Wasserstein), string(KullbackSym),
	string(LogDet), string(Chol), string(LogChol), string(Harmonic),
}

// Metrics returns the names of all metrics. Each has a distance and a mean.
func Metrics() []string { return slices.Clone(metricNames) }

// LookupMetric returns the metric of the given name; the empty name is Riemann.
// For an unknown name the error offers the nearest ones.
func LookupMetric(name string) (Metric, error) {
	if name == "" {
		return Riemann, nil
	}
	if slices.Contains(metricNames, name) {
		return Metric(name), nil
	}
	return "", suggest.Unknown("metric", name, metricNames)
}

// resolve returns m, or Riemann for the zero value, or the error of LookupMetric.
func (m Metric) resolve() (Metric, error) { return LookupMetric(string(m)) }

// among returns m resolved, or an error that lists the metrics which have what.
func (m Metric) among(what string, have []Metric) (Metric, error) {
	r, err := m.resolve()
	if err != nil {
		return "", err
	}
	if slices.Contains(have, r) {
		return r, nil
	}
	names := make([]string, len(have))
	for i, h := range have {
		names[i] = string(h)
	}
	return "", fmt.Errorf("metric %q has no %s; use one of %s", r, what, strings.Join(names, ", "))
}
