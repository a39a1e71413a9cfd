package classifiers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"rao/internal/argmax"
	"rao/internal/classifiers/common"
	"rao/internal/faults"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/rows"
	"rao/spd"
)

// MatrixSVMOptions are the options of [FitMatrixSVM].
type MatrixSVMOptions struct {
	// Metric is the metric of the Gaussian kernel exp(−γ d²): spd.LogEuclid (default), spd.Euclid, spd.Chol,
	// spd.LogChol or spd.Harmonic. Other metrics do not give a positive definite kernel.
	Metric spd.Metric
	SVMOptions
}

// MatrixSVM is a support vector machine with a Gaussian kernel on SPD matrices (Jayasumana, Hartley, Salzmann, Li and
// Harandi 2013), with one machine for every pair of classes. A sigmoid fitted on cross-validated decision values
// converts the decision value of a pair to a probability (Platt 2000; Lin, Lin and Weng 2007), and the probabilities of
// the pairs are combined into class probabilities (Wu, Lin and Weng 2004). Predict returns the most probable class.
//
// The exported fields determine the model.
type MatrixSVM struct {
	KernelMachines
	Metric   spd.Metric `json:"metric"`   // a flat metric, of the distances
	Matrices *spd.Stack `json:"matrices"` // support matrices of all pairs

	support []float64 // the support matrices in the flat space of the metric; nil before Validate
}

// FitMatrixSVM fits the machines. If a two-class problem reaches its limit, or ctx ends, it returns a usable model and
// a *rao.NotConvergedError. Other errors name the matrix or class, or the option that is out of range. The cost is all
// distances, then steps of the order of N operations. The kernel needs 8 N² bytes, and its parts for pairs of classes
// up to about three times as much; N is at most 20000.
func FitMatrixSVM(ctx context.Context, x *spd.Stack, labels []int, classes []string,
	opt MatrixSVMOptions) (*MatrixSVM, error) {
	begin := time.Now()
	of, err := opt.filled()
	if err != nil {
		return nil, err
	}
	if err := common.CheckStack(x, labels, classes, 2); err != nil {
		return nil, err
	}
	if err := checkKernel(x.Count); err != nil {
		return nil, err
	}
	m := &MatrixSVM{Metric: cmp.Or(opt.Metric, spd.LogEuclid)}
	var k mat.Dense
	if of.Gamma == 0 {
		of.Gamma, err = spd.MedianGamma(ctx, x, m.Metric)
	}
	if err == nil {
		err = spd.GaussianKernel(ctx, &k, m.Metric, x, nil, of.Gamma)
	}
	if err != nil {
		return nil, beforeUse(ctx, err)
	}
	var support []int
	m.KernelMachines, support = fitKernel(ctx, &k, of.Gamma, labels, classes, of.SVM)
	m.Matrices = x.Select(support)
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return m, m.finish(ctx, "svm-spd", begin)
}

// Dims returns the order of the matrices, and the number of classes.
func (m *MatrixSVM) Dims() (in, classes int) { return m.Matrices.Dim, len(m.Classes) }

// LogPosterior writes the N×c log-probabilities of the matrices of x to dst. An empty dst is resized; another shape
// panics with mat.ErrShape. Matrices of another order give a *rao.ShapeError. Errors about a matrix name it. The cost
// per matrix is one distance to every support matrix. The kernel of up to 4096 matrices is in memory at a time. If ctx
// ends, LogPosterior returns the error of ctx, and the contents of dst are undefined.
func (m *MatrixSVM) LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error {
	if err := common.CheckOrder(x, m.Matrices.Dim); err != nil {
		return err
	}
	rows.Shape(dst, x.Count, len(m.Classes))
	if x.Count == 0 {
		return nil
	}
	w := svmWorks.Get().(*svmWork)
	defer svmWorks.Put(w)
	for lo := 0; lo < x.Count; lo += kernelRows {
		part := x
		if x.Count > kernelRows {
			part = x.Slice(lo, min(lo+kernelRows, x.Count))
		}
		if err := m.kernel(ctx, w, part); err != nil {
			return common.Shifted(err, lo)
		}
		m.posteriors(dst, lo, w)
	}
	return nil
}

// Predict returns the most probable class of each matrix; the first class wins ties.
func (m *MatrixSVM) Predict(ctx context.Context, x *spd.Stack) ([]int, error) {
	return argmax.Matrices(ctx, m.LogPosterior, x)
}

// kernel stores the kernel of the matrices with the support matrices in w. The products of [squaredDistances] would be
// up to twice as fast for 99 matrices of order 22, but take 1.5 to 5 times as long for a single one, which is a
// decision on a live signal.
func (m *MatrixSVM) kernel(ctx context.Context, w *svmWork, x *spd.Stack) error {
	v, support := m.support, m.Matrices.Count
	flat, p := m.Metric.Flat(), len(v)/support
	vec.Room(&w.u, x.Count*p)
	w.rows.SetRawMatrix(blas64.General{Rows: x.Count, Cols: p, Stride: p, Data: w.u})
	if err := flat.Rows(ctx, &w.rows, x); err != nil {
		return err
	}
	vec.Room(&w.kernel, x.Count*support)
	u, kernel := w.u, w.kernel
	rows := min(64, max(4, (1<<28)/(support*p))) // between two checks of ctx
	for lo := 0; lo < x.Count; lo += rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+rows, x.Count)
		k := gaussianRows{kernel[lo*support : hi*support], u[lo*p : hi*p], v, p, m.Gamma}
		par.ForWith(hi-lo, 1, k, gaussianRows.row)
	}
	return nil
}

// gaussianRows has the variables of a loop over the rows of a kernel.
type gaussianRows struct {
	kernel, u, v []float64 // the kernel of the rows of u and v
	p            int
	gamma        float64
}

func (k gaussianRows) row(_, i, _ int) {
	p, support := k.p, len(k.v)/k.p
	row := k.kernel[i*support : (i+1)*support]
	for j := range row {
		row[j] = math.Exp(-k.gamma * vec.SquaredDistance(k.u[i*p:(i+1)*p], k.v[j*p:(j+1)*p]))
	}
}

// kernelRows is the number of matrices for which the kernel with the support matrices is in memory at a time.
const kernelRows = 4096

// Validate returns an error if the exported fields are invalid. It computes the unexported fields of a model whose
// fields were set by hand; of any other model it only reads, so other goroutines may predict.
func (m *MatrixSVM) Validate() error {
	if m.Matrices == nil {
		return errors.New("the model has no support matrices; fit it again")
	}
	if err := m.Matrices.Verify(); err != nil {
		return fmt.Errorf("support matrices: %w", err)
	}
	if _, err := spd.ParseMetric(string(m.Metric)); err != nil {
		return err
	}
	if err := m.validate(m.Matrices.Count); err != nil || m.support != nil {
		return err
	}
	flat := m.Metric.Flat()
	if flat == nil {
		return faults.Option("metric %q has no Gaussian kernel; use one of %s", m.Metric,
			strings.Join(spd.FlatMetrics(), ", "))
	}
	var err error
	if m.support, err = flat.Vectors(context.Background(), m.Matrices, "matrix"); err != nil {
		return fmt.Errorf("support matrices: %w", err)
	}
	return nil
}
