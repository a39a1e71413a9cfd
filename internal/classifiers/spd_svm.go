package classifiers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/classifiers/common"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/spd"
)

// MatrixSVMOptions are the options of [FitMatrixSVM].
type MatrixSVMOptions struct {
	// Metric is the metric of the Gaussian kernel exp(−γ d²): spd.LogEuclid (default), spd.Euclid, spd.Chol,
	// spd.LogChol or spd.Harmonic. Other metrics do not give a positive definite kernel.
	Metric spd.Metric
	// Gamma is γ, positive. Default: 1 over the median squared distance between
	// training matrices.
	Gamma float64
	// C is the largest weight of a training matrix, positive. Default 1, as in LIBSVM.
	C float64
	// Tol ends the optimization when the optimality conditions are violated by less than this. Default 1e-3.
	Tol float64
	// MaxIter is the largest number of steps for each two-class problem. Default 100000.
	MaxIter int
	// Folds is the number of cross-validation folds used to fit the probabilities, at least 2. Default 5.
	Folds int
	// Seed is the seed of the folds.
	Seed uint64
	// Progress receives an event after every pair of classes.
	Progress rao.Progress
}

func (o MatrixSVMOptions) filled() (MatrixSVMOptions, error) {
	o.Metric = cmp.Or(o.Metric, spd.LogEuclid)
	p, err := o.machines().filled()
	if err == nil && (!(o.Gamma >= 0) || math.IsInf(o.Gamma, 0)) {
		err = fmt.Errorf("gamma is %g; it must be positive, or 0 to choose it from the data", o.Gamma)
	}
	if err != nil {
		return o, fmt.Errorf("svm-spd: %w", err)
	}
	o.C, o.Tol, o.MaxIter, o.Folds = p.C, p.Tol, p.MaxIter, p.Folds
	return o, nil
}

// machines returns the options of the two-class machines.
func (o MatrixSVMOptions) machines() MachineOptions {
	return MachineOptions{C: o.C, Tol: o.Tol, MaxIter: o.MaxIter, Folds: o.Folds, Seed: o.Seed, Progress: o.Progress}
}

// MatrixSVM is a support vector machine with a Gaussian kernel on SPD matrices (Jayasumana, Hartley, Salzmann, Li and
// Harandi 2013), with one machine for every pair of classes. A sigmoid fitted on cross-validated decision values
// converts the decision value of a pair to a probability (Platt 2000; Lin, Lin and Weng 2007), and the probabilities of
// the pairs are combined into class probabilities (Wu, Lin and Weng 2004). Predict returns the most probable class.
//
// The exported fields determine the model.
type MatrixSVM struct {
	Classes  []string   `json:"classes"`   // c class names
	Metric   spd.Metric `json:"metric"`    // a flat metric; the kernel is exp(−γ d²)
	Gamma    float64    `json:"gamma"`     // γ
	Matrices *spd.Stack `json:"matrices"`  // support matrices of all pairs
	Coef     *mat.Dense `json:"coef"`      // pairs×support: y∘α; pairs (0,1), (0,2), …, (1,2), …
	Bias     []float64  `json:"bias"`      // one per pair; a positive decision is for the first class
	SigmoidA []float64  `json:"sigmoid_a"` // p(first) = 1/(1+exp(A f + B))
	SigmoidB []float64  `json:"sigmoid_b"` // B of each pair
	Report   rao.Report `json:"report"`    // how the fit ended

	support []float64 // the support matrices in the flat space of the metric; nil before Prepare
}

// FitMatrixSVM fits the machines. If a two-class problem reaches its limit, or ctx ends, it returns a usable model and
// a *rao.NotConvergedError. Other errors name the matrix or class, or the option that is out of range. The cost is all
// distances, then steps of 2N operations. It needs 8 N² bytes; N is at most 20000.
func FitMatrixSVM(ctx context.Context, x *spd.Stack, labels []int, classes []string,
	opt MatrixSVMOptions) (*MatrixSVM, error) {
	begin := time.Now()
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	if err := common.CheckStack("svm-spd", x, labels, classes, 2); err != nil {
		return nil, err
	}
	if err := checkKernel("svm-spd", x.Count); err != nil {
		return nil, err
	}
	m := &MatrixSVM{Classes: slices.Clone(classes), Metric: opt.Metric, Gamma: opt.Gamma}
	var k mat.Dense
	if m.Gamma == 0 {
		if m.Gamma, err = spd.MedianGamma(ctx, x, opt.Metric); err != nil {
			return nil, fmt.Errorf("svm-spd: %w", beforeUse(ctx, err))
		}
	}
	if err := spd.GaussianKernel(ctx, &k, opt.Metric, x, nil, m.Gamma); err != nil {
		return nil, fmt.Errorf("svm-spd: %w", beforeUse(ctx, err))
	}
	p := fitPairs(ctx, &k, labels, len(classes), opt.machines())
	m.Bias, m.SigmoidA, m.SigmoidB, m.Report = p.bias, p.sigmoidA, p.sigmoidB, p.report
	support, coef := supportOf(p.coef)
	m.Matrices, m.Coef = x.Select(support), coef
	if err := m.Prepare(); err != nil {
		return nil, err
	}
	m.Report.Elapsed = time.Since(begin)
	return m, p.unsettled(ctx, "svm-spd", m.Report)
}

// Prepare precomputes data for predictions. FitMatrixSVM and the loader of model files call it. On a model that was not
// prepared, each call of LogPosterior maps the support matrices again. It returns the same errors as Validate.
func (m *MatrixSVM) Prepare() (err error) {
	if err := m.Validate(); err != nil {
		return err
	}
	m.support, err = m.flatSupport(context.Background())
	return err
}

func (m *MatrixSVM) flatSupport(ctx context.Context) ([]float64, error) {
	flat := m.Metric.Flat()
	if flat == nil {
		return nil, fmt.Errorf("svm-spd: metric %q has no Gaussian kernel", m.Metric)
	}
	v, err := flat.Vectors(ctx, m.Matrices, "matrix")
	if err != nil {
		return nil, fmt.Errorf("svm-spd: support matrices: %w", err)
	}
	return v, nil
}

// NumClasses returns the number c of classes.
func (m *MatrixSVM) NumClasses() int { return len(m.Classes) }

// Dim returns the order of the matrices.
func (m *MatrixSVM) Dim() int { return m.Matrices.Dim }

// LogPosterior writes the N×c log-probabilities of the matrices of x to dst. An empty dst is resized; another shape
// panics with mat.ErrShape. Errors name the matrix. The cost is one distance to every support matrix. The memory is the
// kernel of 4096 matrices at a time. If ctx ends, it returns the error of ctx, and the contents of dst are undefined.
func (m *MatrixSVM) LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error {
	if err := common.CheckOrder("svm-spd", x, m.Dim()); err != nil {
		return err
	}
	c := m.NumClasses()
	common.Shape(dst, x.Count, c)
	if x.Count == 0 {
		return nil
	}
	v := m.support
	if v == nil {
		var err error
		if v, err = m.flatSupport(ctx); err != nil {
			return err
		}
	}
	pairs, support := m.Coef.Dims()
	w := svmWorks.Get().(*svmWork)
	defer svmWorks.Put(w)
	for lo := 0; lo < x.Count; lo += kernelRows {
		part := *x
		if x.Count > kernelRows {
			part = *x.Slice(lo, min(lo+kernelRows, x.Count))
		}
		if err := m.decisions(ctx, w, v, &part, pairs, support); err != nil {
			return fmt.Errorf("svm-spd: %w", shifted(err, lo))
		}
		for t := range part.Count {
			pairPosterior(dst.RawRowView(lo+t), w.decisions[t*pairs:(t+1)*pairs], m.Bias, m.SigmoidA, m.SigmoidB)
		}
	}
	return nil
}

// svmWork is the scratch memory of predictions.
type svmWork struct{ u, kernel, decisions []float64 }

var svmWorks = sync.Pool{New: func() any { return new(svmWork) }}

// decisions stores the decision values of the matrices in w, one per pair of classes. v has the support matrices in
// the flat space.
func (m *MatrixSVM) decisions(ctx context.Context, w *svmWork, v []float64, x *spd.Stack, pairs, support int) error {
	flat, p := m.Metric.Flat(), len(v)/support
	if x.Count == 1 { // for example from a live signal
		if err := x.Verify(); err != nil {
			return err
		}
		w.u = common.Grown(w.u, p)
		if err := flat.Vector(w.u, x, 0); err != nil {
			return err
		}
	} else {
		var err error
		if w.u, err = flat.Vectors(ctx, x, "matrix"); err != nil {
			return err
		}
	}
	w.kernel, w.decisions = common.Grown(w.kernel, x.Count*support), common.Grown(w.decisions, x.Count*pairs)
	u, kernel := w.u, w.kernel
	rows := min(64, max(4, (1<<28)/(support*p))) // between two checks of ctx
	for lo := 0; lo < x.Count; lo += rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		par.For(min(rows, x.Count-lo), 1, func(_, r, _ int) {
			i := lo + r
			row := kernel[i*support : (i+1)*support]
			for j := range row {
				row[j] = math.Exp(-m.Gamma * vec.SquaredDistance(u[i*p:(i+1)*p], v[j*p:(j+1)*p]))
			}
		})
	}
	coef := m.Coef.RawMatrix()
	dense.Gemm(false, true, x.Count, pairs, support, 1, kernel, support, coef.Data, coef.Stride, 0, w.decisions, pairs)
	return nil
}

// kernelRows is the number of matrices for which the kernel with the support matrices is in memory at a time.
const kernelRows = 4096

// Validate checks the exported fields. Call it after reading them from a file.
func (m *MatrixSVM) Validate() error {
	c := len(m.Classes)
	if c < 2 {
		return fmt.Errorf("svm-spd: the number of classes is %d, but a classifier needs at least two", c)
	}
	if m.Matrices == nil {
		return errors.New("svm-spd: the model has no support matrices; fit it again")
	}
	if err := m.Matrices.Verify(); err != nil {
		return fmt.Errorf("svm-spd: support matrices: %w", err)
	}
	if _, err := spd.ParseMetric(string(m.Metric)); err != nil {
		return fmt.Errorf("svm-spd: %w", err)
	}
	if err := common.CheckMatrix("coefficients", m.Coef, c*(c-1)/2, m.Matrices.Count); err != nil {
		return fmt.Errorf("svm-spd: %w", err)
	}
	if err := checkPairs(c, m.Bias, m.SigmoidA, m.SigmoidB); err != nil {
		return fmt.Errorf("svm-spd: %w", err)
	}
	if !(m.Gamma > 0) || math.IsInf(m.Gamma, 1) {
		return fmt.Errorf("svm-spd: gamma is %g; it must be positive", m.Gamma)
	}
	return nil
}
