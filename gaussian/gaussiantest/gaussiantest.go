// Package gaussiantest checks the properties of a dissimilarity of Gaussians that learners rely on. A package that
// registers a dissimilarity with [gaussian.RegisterDissimilarity] calls it in a test:
//
//	func TestMyDissimilarity(t *testing.T) { gaussiantest.Check(t, "my_dissimilarity") }
package gaussiantest

import (
	"testing"

	"rao/gaussian"
	"rao/internal/gaussiancheck"
)

// Check tests a dissimilarity, and its square if it has one, in 1 to 5 dimensions. It must be positive between
// different Gaussians, zero between equal Gaussians, and symmetric unless its name contains a weight, as in
// chernoff:0.3. Gradients must agree with central differences and be finite if Gaussians coincide. The values for a
// list of pairs must equal the values of the same pairs among all pairs. Values and gradients must have the same bits
// at any GOMAXPROCS. The properties that [gaussian.Measure] declares about second moments, singular covariances and the
// Bayes error must hold.
func Check(t *testing.T, d gaussian.Dissimilarity) {
	t.Helper()
	gaussiancheck.Check(t, d)
}
