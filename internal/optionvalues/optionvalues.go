// Package optionvalues has names for the values of options that several packages compare with or set. Programs write
// the values themselves, as the documentation of each type lists them.
package optionvalues

import "slices"

// Values of recipe.Estimator, in addition to the values of spd.Estimator.
const (
	EstimatorNone          = "none"
	EstimatorCorrelations  = "correlations"
	EstimatorCospectrum    = "cospectrum"
	EstimatorCrossSpectrum = "cross-spectrum"
	EstimatorCoherence     = "coherence"
)

var spectralEstimators = []string{EstimatorCospectrum, EstimatorCrossSpectrum, EstimatorCoherence}

// SpectralEstimators returns the values of recipe.Estimator that give spectral matrices.
func SpectralEstimators() []string { return slices.Clone(spectralEstimators) }

// IsSpectral reports whether the estimator with the given name gives spectral matrices.
func IsSpectral(name string) bool { return slices.Contains(spectralEstimators, name) }

// Values of recipe.Combine.
const (
	CombineSeparate      = "separate"
	CombineBlockDiagonal = "block-diagonal"
	CombineStacked       = "stacked"
	CombineFilterBank    = "filter-bank"
)

// Values of recipe.Missing.
const (
	MissingError  = "error"
	MissingDrop   = "drop"
	MissingMedian = "median"
	MissingMean   = "mean"
)

// Values of gaussian.Shrinkage.
const (
	ShrinkageAuto       = ""
	ShrinkageNone       = "none"
	ShrinkageOAS        = "oas"
	ShrinkageLedoitWolf = "ledoit_wolf"
	ShrinkageFixed      = "fixed"
)

// Values of eeg.TrialOptions.Reference and eeg.RecordingOptions.Kinds.
const (
	AverageReference  = "average"
	RecordedReference = "recorded"
	AllKinds          = "all"
)
