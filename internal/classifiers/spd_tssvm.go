package classifiers

import (
	"context"
	"errors"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"rao/internal/argmax"
	"rao/internal/classifiers/common"
	"rao/internal/linalg/dense"
	"rao/internal/rows"
	"rao/spd"
)

// TangentSVMOptions are the options of [FitTangentSVM].
type TangentSVMOptions struct {
	// Metric is the metric of the tangent space, spd.Riemann (default) or spd.LogEuclid.
	Metric spd.Metric
	// SVM contains the options of the machines.
	SVM MachineOptions
	// Mean contains the options for the mean of the tangent space.
	Mean spd.MeanOptions
}

// TangentSVM is a linear support vector machine on tangent vectors at the mean of the training matrices, with one
// machine for every pair of classes. Decisions are converted to probabilities as in [MatrixSVM].
//
// The exported fields determine the model.
type TangentSVM struct {
	Machines
	Tangent      *TangentSpace `json:"tangent"`      // the tangent space of the vectors
	Coefficients *mat.Dense    `json:"coefficients"` // pairs×p; pairs (0,1), (0,2), …, (1,2), …
}

// FitTangentSVM fits the machines. If the mean or a machine does not converge, or ctx ends, it returns a usable model
// and a *rao.NotConvergedError. Other errors name the matrix or class, or the option that is out of range. The cost is
// the mean, 2 N² p operations, then steps of the order of N operations. The kernel needs 8 N² bytes, and its parts for
// pairs of classes up to about three times as much; N is at most 20000.
func FitTangentSVM(ctx context.Context, x *spd.Stack, labels []int, classes []string,
	opt TangentSVMOptions) (*TangentSVM, error) {
	begin := time.Now()
	machines, err := opt.SVM.filled()
	if err != nil {
		return nil, err
	}
	if err := common.CheckStack(x, labels, classes, 2); err != nil {
		return nil, err
	}
	if err := checkKernel(x.Count); err != nil {
		return nil, err
	}
	t, v, unsettled, err := trainingSpace(ctx, x, opt.Metric, opt.Mean)
	if err != nil {
		return nil, err
	}
	kernel := mat.NewDense(x.Count, x.Count, nil)
	raw, k := v.RawMatrix(), kernel.RawMatrix()
	err = inBlocks(ctx, x.Count, float64(x.Count)*float64(raw.Cols), func(lo, hi int) {
		dense.Gemm(false, true, hi-lo, x.Count, raw.Cols, 1, raw.Data[lo*raw.Stride:], raw.Stride, raw.Data,
			raw.Stride, 0,
			k.Data[lo*k.Stride:], k.Stride)
	})
	if err != nil {
		return nil, beforeUse(ctx, err)
	}
	m := &TangentSVM{Tangent: t, Coefficients: new(mat.Dense)}
	var coef *mat.Dense
	m.Machines, coef = fitPairs(ctx, kernel, labels, classes, machines)
	m.Coefficients.Mul(coef, v)
	return m, errors.Join(unsettled, m.finish(ctx, "tssvm", begin))
}

// Dims returns the order of the matrices, and the number of classes.
func (m *TangentSVM) Dims() (in, classes int) { return m.Tangent.N, len(m.Classes) }

// LogPosterior writes the N×c log-probabilities of the matrices of x to dst. An empty dst is resized; another shape
// panics with mat.ErrShape. Matrices of another order give a *rao.ShapeError. Errors about a matrix name it. The cost
// is one eigendecomposition per matrix, in parallel.
func (m *TangentSVM) LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error {
	if err := common.CheckOrder(x, m.Tangent.N); err != nil {
		return err
	}
	rows.Shape(dst, x.Count, len(m.Classes))
	if x.Count == 0 {
		return nil
	}
	w := tangentWorks.Get().(*tangentWork)
	defer tangentWorks.Put(w)
	v := rows.Reshape(&w.v, x.Count, m.Tangent.dim())
	if err := m.Tangent.Vectors(ctx, v, x); err != nil {
		return err
	}
	f := w.product(v, m.Coefficients, blas.Trans)
	for k := range x.Count {
		m.posterior(dst.RawRowView(k), f.Data[k*f.Stride:][:f.Cols])
	}
	return nil
}

// Features writes the tangent vectors of the matrices; see [TangentSpace.Vectors].
func (m *TangentSVM) Features(dst *mat.Dense, x *spd.Stack) error {
	return m.Tangent.Vectors(context.Background(), dst, x)
}

// Predict returns the most probable class of each matrix; the first class wins ties.
func (m *TangentSVM) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// Validate checks the exported fields. Call it after reading them from a file.
func (m *TangentSVM) Validate() error {
	err := m.Tangent.Validate()
	if err == nil {
		err = m.validate(m.Coefficients, m.Tangent.dim())
	}
	return err
}
