package synth

import (
	"rao/dataset"
	"rao/internal/synth"
	"rao/spd"
)

// RiemannGaussian draws perClass matrices around each center Ȳ from the Riemannian Gaussian with the density exp(−d²(Y,
// Ȳ)/(2σ²)), where d is the affine-invariant distance. sigma has one value, or one for each class. The same seed gives
// the same data on any number of processors. Draws are exact, by rejection sampling: any σ works up to order 10, and σ
// ≤ 0.5 or σ ≥ 1.5 up to order 22. It returns an error if a center is not positive definite, perClass or a value of
// sigma is not positive, or none of a million proposals is accepted.
func RiemannGaussian(centers *spd.Stack, sigma []float64, perClass int, seed uint64) (*dataset.Data, error) {
	return synth.RiemannGaussian(centers, sigma, perClass, seed)
}
