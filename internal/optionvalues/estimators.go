package optionvalues

import (
	"fmt"
	"slices"
	"strings"
)

// Values of spd.Estimator.
const (
	EstimatorSample           = "sample"
	EstimatorOAS              = "oas"
	EstimatorLedoitWolf       = "ledoit_wolf"
	EstimatorSchaeferStrimmer = "schaefer_strimmer"
	EstimatorHuber            = "huber"
	EstimatorStudent          = "student"
	EstimatorTyler            = "tyler"
	EstimatorMCD              = "mcd"
	EstimatorCorrelation      = "correlation"
	EstimatorRBF              = "rbf"
	EstimatorLaplacian        = "laplacian"
)

var estimators = []string{EstimatorSample, EstimatorOAS, EstimatorLedoitWolf, EstimatorSchaeferStrimmer,
	EstimatorHuber, EstimatorStudent, EstimatorTyler, EstimatorMCD, EstimatorCorrelation, EstimatorRBF,
	EstimatorLaplacian}

// estimatorAliases maps pyRiemann's names to estimators.
var estimatorAliases = map[string]string{"cov": EstimatorSample, "scm": EstimatorSample,
	"ledoitwolf": EstimatorLedoitWolf, "lwf": EstimatorLedoitWolf, "sch": EstimatorSchaeferStrimmer,
	"hub": EstimatorHuber, "stu": EstimatorStudent, "tyl": EstimatorTyler, "corr": EstimatorCorrelation}

// ParseEstimator returns the value of spd.Estimator with the given name. It accepts hyphens instead of underscores, and
// the names of pyRiemann, such as lwf. For an unknown name, the error lists the accepted ones.
func ParseEstimator[E ~string](name E) (E, error) {
	e := strings.ReplaceAll(strings.ToLower(string(name)), "-", "_")
	if alias, ok := estimatorAliases[e]; ok {
		return E(alias), nil
	}
	if IsEstimator(e) {
		return E(e), nil
	}
	return "", fmt.Errorf("unknown covariance estimator %q; use one of %s", string(name),
		strings.Join(estimators, ", "))
}

// IsEstimator reports whether a name is a value of spd.Estimator.
func IsEstimator(name string) bool { return slices.Contains(estimators, name) }
