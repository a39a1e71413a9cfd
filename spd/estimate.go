package spd

import (
	"cmp"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
	"rao/internal/optionvalues"
	"rao/internal/shrink"
	"rao/internal/text"
)

// Estimator is a method for estimating the covariance of a trial from its samples:
//
//   - sample divides by the number of samples minus one. It is the default;
//   - oas and ledoit_wolf shrink the covariance S towards a multiple of the identity, (1−a)S + a·tr(S)/n·I, with a
//     estimated from the data (Chen et al., 2010, equation 23; Ledoit and Wolf, 2004). They divide by the number of
//     samples;
//   - schaefer_strimmer shrinks towards the diagonal of the covariance (Schäfer and Strimmer, 2005);
//   - huber, student and tyler are M-estimators, which give less weight to samples far from the others. Tyler's
//     estimate has no scale, so its mean diagonal element is set to 1. M-estimators need more samples than channels and
//     cost many times as much as the estimators above;
//   - mcd is the minimum covariance determinant (Rousseeuw and Van Driessen 1999): the covariance of the half of the
//     samples that are closest together. It needs more samples than channels, and costs about a thousand times as much
//     as sample;
//   - correlation, rbf and laplacian measure the similarity of channels. The results have ones on the diagonal and do
//     not depend on the unit or the overall power of the signals. Those of correlation do not depend on the power of
//     each channel either. rbf and laplacian are kernels.
type Estimator string

// similarity reports whether the estimates measure the similarity of channels, with ones on the diagonal.
func (e Estimator) similarity() bool {
	return e == optionvalues.EstimatorCorrelation || e == optionvalues.EstimatorRBF ||
		e == optionvalues.EstimatorLaplacian
}

// CovarianceOptions are the options of a covariance estimate. The zero value gives the sample covariance.
type CovarianceOptions struct {
	// Estimator is the covariance estimator; default sample.
	Estimator Estimator
	// TraceNormalize divides each matrix by its mean diagonal element, which removes the overall power of a trial.
	TraceNormalize bool
}

// covarianceWork is memory that [Covariance] reuses between trials.
type covarianceWork struct {
	mean     []float64
	centered []float64
}

// works is memory that all calls share, so a thousand estimators, each used once per window, fit in the cache.
var works = sync.Pool{New: func() any { return new(covarianceWork) }}

// Covariance writes to dst the covariance of a trial x, samples×channels, and returns the shrinkage that was applied.
// The mean of each channel is removed first. An empty dst is resized; another order panics with mat.ErrShape. If x is a
// *mat.Dense and the estimator is sample, oas or ledoit_wolf, later calls of the same size allocate nothing below 12
// channels, and a few hundred bytes above. Covariance returns an error for invalid options, too few samples for the
// estimator (at least two), values that are not finite, constant channels, and robust estimates that are singular or do
// not converge. The cost of sample, oas and ledoit_wolf is samples·channels²/2 multiply-adds, on the calling goroutine
// unless the trial is long.
func Covariance(dst *mat.SymDense, x mat.Matrix, opt CovarianceOptions) (float64, error) {
	n, channels := x.Dims()
	if channels < 1 {
		panic(mat.ErrShape)
	}
	if dst.IsEmpty() {
		dst.ReuseAsSym(channels)
	} else if dst.SymmetricDim() != channels {
		panic(mat.ErrShape)
	}
	if n < 2 {
		return 0, faults.Count(n, 2, "a trial has %s, but a covariance needs at least 2; use longer trials",
			text.Plural(n, "sample", "samples"))
	}
	opt.Estimator = cmp.Or(opt.Estimator, optionvalues.EstimatorSample)
	if !optionvalues.IsEstimator(string(opt.Estimator)) {
		_, err := optionvalues.ParseEstimator(opt.Estimator)
		return 0, err
	}
	if opt.Estimator.similarity() && opt.TraceNormalize {
		return 0, faults.Option("matrices of the estimator %v already have a diagonal of 1; leave the normalization "+
			"of the trace out", opt.Estimator)
	}
	w := works.Get().(*covarianceWork)
	defer works.Put(w)
	raw := dst.RawSymmetric()
	if raw.Stride == channels {
		return w.covariance(raw.Data, x, n, channels, opt)
	}
	full := make([]float64, channels*channels)
	a, err := w.covariance(full, x, n, channels, opt)
	setSym(dst, full, channels)
	return a, err
}

// badValue returns the *rao.ValueError of the first sample of channel c with a square that is not finite, or nil.
func badValue(x mat.Matrix, c int) error {
	n, _ := x.Dims()
	for i := range n {
		if v := x.At(i, c); !vec.Finite(v * v) {
			return &rao.ValueError{Row: i, Col: c, Value: v}
		}
	}
	return nil
}

// covariance writes both triangles of the covariance to dst.
func (w *covarianceWork) covariance(dst []float64, x mat.Matrix, n, channels int,
	opt CovarianceOptions) (float64, error) {
	w.center(x, n, channels)
	switch {
	case channels < wideScatter:
		scatter(dst, w.centered, n, channels)
	case float64(n)*float64(channels)*float64(channels) < longTrial:
		dense.Scatter(channels, n, w.centered, channels, dst, channels)
	default:
		dense.Syrk(channels, n, 1, w.centered, channels, 0, dst, channels)
	}
	for c := range channels {
		v := dst[c*channels+c]
		if !(v <= math.MaxFloat64) {
			return 0, &naming.ChannelError{Channel: c, Of: "the trial", Fault: "has values that are not finite",
				Err: badValue(x, c)}
		}
		if level := w.mean[c] * w.mean[c] * float64(n); v <= 1e-26*level || v == 0 {
			return 0, &naming.ChannelError{Channel: c, Of: "the trial", Fault: fmt.Sprintf("is constant (%.6g), so it "+
				"is flat or not connected; drop it", w.mean[c])}
		}
	}
	if opt.Estimator.similarity() {
		w.kernel(dst, n, channels, opt.Estimator)
		return 0, nil
	}
	divisor := float64(n)
	if opt.Estimator == optionvalues.EstimatorSample {
		divisor = float64(n - 1)
	}
	scale := 1 / divisor
	for i := range dst {
		dst[i] *= scale
	}
	a := 0.0
	switch opt.Estimator {
	case optionvalues.EstimatorOAS:
		a = shrink.Of(dst, n, channels, float64(n)).OAS()
	case optionvalues.EstimatorLedoitWolf:
		m := shrink.Of(dst, n, channels, float64(n))
		m.Quartic = w.quartic(n, channels)
		a = m.LedoitWolf()
	case optionvalues.EstimatorSchaeferStrimmer:
		a = w.schaeferStrimmer(dst, n, channels)
		shrinkDiagonal(dst, n, channels, a)
	case optionvalues.EstimatorHuber, optionvalues.EstimatorStudent, optionvalues.EstimatorTyler:
		if err := w.robust(dst, n, channels, opt.Estimator); err != nil {
			return 0, err
		}
	case optionvalues.EstimatorMCD:
		if err := w.mcd(dst, n, channels); err != nil {
			return 0, err
		}
	}
	if a > 0 && opt.Estimator != optionvalues.EstimatorSchaeferStrimmer {
		shrink.Apply(dst, channels, a)
	}
	if opt.TraceNormalize {
		toTrace(dst, channels)
	}
	return a, nil
}

func (w *covarianceWork) center(x mat.Matrix, n, c int) {
	clear(vec.Room(&w.mean, c))
	vec.Room(&w.centered, n*c)
	w.read(x, n, c)
	for k := 0; k < n*c; k += c {
		vec.Axpy(w.mean, 1, w.centered[k:k+c])
	}
	for i := range w.mean {
		w.mean[i] /= float64(n)
	}
	for k := 0; k < n*c; k += c {
		vec.Axpy(w.centered[k:k+c], -1, w.mean)
	}
}

// read copies the samples to w.centered. A *mat.Dense, or a transposed one, is read directly.
func (w *covarianceWork) read(x mat.Matrix, n, c int) {
	if d, ok := x.(*mat.Dense); ok {
		raw := d.RawMatrix()
		if raw.Stride == c {
			copy(w.centered, raw.Data)
			return
		}
		for k := range n {
			copy(w.centered[k*c:(k+1)*c], raw.Data[k*raw.Stride:])
		}
		return
	}
	at := x.At
	if t, ok := x.(mat.Transpose); ok {
		if d, ok := t.Matrix.(*mat.Dense); ok {
			raw := d.RawMatrix()
			at = func(k, i int) float64 { return raw.Data[i*raw.Stride+k] }
		}
	}
	for i := range c {
		for k := range n {
			w.centered[k*c+i] = at(k, i)
		}
	}
}

// longTrial is the number of multiply-adds from which several goroutines share a trial. Below it, waking a goroutine
// costs as much as the work. Different trials always run in parallel.
const longTrial = 1 << 24

// wideScatter is the number of channels from which the blocked kernel is faster than the plain loop.
const wideScatter = 12

// scatter writes X'X of the n×c rows to dst, four rows at a time.
func scatter(dst, x []float64, n, c int) {
	clear(dst)
	k := 0
	for ; k+4 <= n; k += 4 {
		r0, r1, r2, r3 := x[k*c:(k+1)*c], x[(k+1)*c:(k+2)*c], x[(k+2)*c:(k+3)*c], x[(k+3)*c:(k+4)*c]
		for i := range c {
			a0, a1, a2, a3 := r0[i], r1[i], r2[i], r3[i]
			d := dst[i*c : i*c+i+1]
			b0, b1, b2, b3 := r0[:len(d)], r1[:len(d)], r2[:len(d)], r3[:len(d)]
			for j := range d {
				d[j] += (a0*b0[j] + a1*b1[j]) + (a2*b2[j] + a3*b3[j])
			}
		}
	}
	for ; k < n; k++ {
		r := x[k*c : (k+1)*c]
		for i, a := range r {
			for j := range i + 1 {
				dst[i*c+j] += a * r[j]
			}
		}
	}
	for i := range c {
		for j := range i {
			dst[j*c+i] = dst[i*c+j]
		}
	}
}

// quartic returns Σ‖row‖⁴ of the n rows in w.centered.
func (w *covarianceWork) quartic(n, c int) float64 {
	sum := 0.0
	for k := range n {
		r := 0.0
		for _, v := range w.centered[k*c : (k+1)*c] {
			r += v * v
		}
		sum += r * r
	}
	return sum
}
