package optionvalues

import (
	"slices"

	"rao"
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

// inPyRiemann maps names of pyRiemann to the corresponding estimators. They are not accepted, because some of them
// estimate something else there: scm divides by the number of samples.
var inPyRiemann = map[string]string{"cov": EstimatorSample, "scm": EstimatorSample, "lwf": EstimatorLedoitWolf,
	"sch": EstimatorSchaeferStrimmer, "hub": EstimatorHuber, "stu": EstimatorStudent, "tyl": EstimatorTyler,
	"corr": EstimatorCorrelation}

// ParseEstimator returns the value of spd.Estimator with the given name. For an unknown name, the error contains the
// accepted names, including the others that the caller accepts, or the name that corresponds to a name of pyRiemann.
func ParseEstimator[E ~string](name E, others ...string) (E, error) {
	if IsEstimator(string(name)) {
		return name, nil
	}
	known := slices.Concat(estimators, others)
	if near, ok := inPyRiemann[string(name)]; ok {
		known = []string{near}
	}
	return "", &rao.UnknownError{Kind: "estimator", Name: string(name), Known: known}
}

// IsEstimator reports whether a name is a value of spd.Estimator.
func IsEstimator(name string) bool { return slices.Contains(estimators, name) }
