package spd

import (
	"math"

	"rao/internal/linalg/vec"
	"rao/internal/optionvalues"
)

// kernel replaces X'X of the n rows in w.centered by a matrix of similarities of the c channels. v is the mean
// variance of the channels, so the similarities do not depend on the unit of the signal:
//
//	Correlation  x_i'x_j / (‖x_i‖ ‖x_j‖)
//	RBF          exp(−‖x_i − x_j‖² / (n v))
//	Laplacian    exp(−‖x_i − x_j‖₁ / (n √v))
//
// For channels of variance 1, the kernels equal pyRiemann's (Wang, Zhang, Zhou, Tang and Li, 2015), which do not
// remove the means and the units of the signals.
func (w *covarianceWork) kernel(s []float64, n, c int, e Estimator) {
	trace := vec.Trace(s, c)
	norms := make([]float64, c)
	for i := range norms {
		norms[i] = s[i*c+i]
	}
	scale := trace / float64(c) // n·v
	unit := float64(n) * math.Sqrt(scale/float64(n))
	for i := range c {
		for j := range i {
			var v float64
			switch e {
			case optionvalues.EstimatorCorrelation:
				v = s[i*c+j] / math.Sqrt(norms[i]) / math.Sqrt(norms[j])
			case optionvalues.EstimatorRBF:
				v = math.Exp(-max(0, norms[i]+norms[j]-2*s[i*c+j]) / scale)
			case optionvalues.EstimatorLaplacian:
				v = math.Exp(-w.apart(n, c, i, j) / unit)
			}
			s[i*c+j], s[j*c+i] = v, v
		}
		s[i*c+i] = 1
	}
}

// apart returns the sum of the absolute differences of two channels.
func (w *covarianceWork) apart(n, c, i, j int) float64 {
	sum := 0.0
	for k := range n {
		sum += math.Abs(w.centered[k*c+i] - w.centered[k*c+j])
	}
	return sum
}
