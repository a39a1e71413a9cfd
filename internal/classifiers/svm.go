package classifiers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao/internal/argmax"
	"rao/internal/classifiers/common"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/rows"
)

// SVMOptions are the options of [FitSVM].
type SVMOptions struct {
	// Gamma is γ of the kernel exp(−γ d²), positive. Default: 1 over the median squared distance between training
	// observations.
	Gamma float64
	// SVM contains the options of the two-class machines.
	SVM MachineOptions
}

func (o SVMOptions) filled() (_ SVMOptions, err error) {
	o.SVM, err = o.SVM.filled()
	if err == nil && !vec.NotNegative(o.Gamma) {
		err = faults.Option("gamma is %g; it must be positive, or 0 to choose it from the data", o.Gamma)
	}
	return o, err
}

// KernelMachines are machines with the kernel exp(−γ d²) of the distances d to the support observations. These are the
// training observations that at least one machine uses.
type KernelMachines struct {
	Machines
	Gamma float64    `json:"gamma"` // γ
	Coef  *mat.Dense `json:"coef"`  // pairs×support: y∘α
}

// fitKernel trains the machines on the kernel of all observations. It also returns the indices of the support.
func fitKernel(ctx context.Context, k *mat.Dense, gamma float64, labels []int, classes []string,
	opt MachineOptions) (m KernelMachines, support []int) {
	m.Gamma = gamma
	m.Machines, m.Coef = fitPairs(ctx, k, labels, classes, opt)
	support, m.Coef = supportOf(m.Coef)
	return m, support
}

// posteriors writes the log-probabilities of the classes to the rows of dst from row lo on, for the observations whose
// kernel is in w.
func (m *KernelMachines) posteriors(dst *mat.Dense, lo int, w *svmWork) {
	pairs, support := m.Coef.Dims()
	n := len(w.kernel) / support
	vec.Room(&w.decisions, n*pairs)
	coef := m.Coef.RawMatrix()
	dense.Gemm(false, true, n, pairs, support, 1, w.kernel, support, coef.Data, coef.Stride, 0, w.decisions, pairs)
	for t := range n {
		m.posterior(dst.RawRowView(lo+t), w.decisions[t*pairs:(t+1)*pairs])
	}
}

// validate checks the machines with the given number of support observations.
func (m *KernelMachines) validate(support int) error {
	if err := m.Machines.validate(m.Coef, support); err != nil {
		return err
	}
	if !vec.Positive(m.Gamma) {
		return fmt.Errorf("gamma is %g; it must be positive and finite", m.Gamma)
	}
	return nil
}

// svmWork is the scratch memory of predictions.
type svmWork struct {
	u, kernel, decisions, length []float64

	rows mat.Dense // in the memory of u
}

var svmWorks = sync.Pool{New: func() any { return new(svmWork) }}

// SVM is a support vector machine with a Gaussian kernel on vectors, with one machine for every pair of classes.
// Decisions are converted to probabilities as in [MatrixSVM].
//
// The exported fields determine the model.
type SVM struct {
	KernelMachines
	Rows *mat.Dense `json:"rows"` // support rows of all pairs
}

// FitSVM fits the machines to the rows of x with labels 0..c-1. If a two-class problem reaches its limit, or ctx ends,
// it returns a usable model and a *rao.NotConvergedError. Other errors name the row or class, or the option that is out
// of range. It panics with mat.ErrShape if the number of labels differs from the number of rows. The cost is 2 N²n
// operations, then steps of the order of N operations. The kernel needs 8 N² bytes, and its parts for pairs of classes
// up to about three times as much; N is at most 20000.
func FitSVM(ctx context.Context, x mat.Matrix, labels []int, classes []string, opt SVMOptions) (*SVM, error) {
	begin := time.Now()
	opt, err := opt.filled()
	in := rows.New(x)
	if err == nil {
		err = common.CheckRows(in, labels, classes, 2)
	}
	if err != nil {
		return nil, err
	}
	if err := checkKernel(in.Rows); err != nil {
		return nil, err
	}
	n, data := in.Rows, in.All(nil)
	k := mat.NewDense(n, n, nil)
	err = inBlocks(ctx, n, float64(n)*float64(in.Cols), func(lo, hi int) {
		squaredDistances(rowsOf(k, lo, hi), data[lo*in.Cols:hi*in.Cols], data, in.Cols)
	})
	if err == nil && opt.Gamma == 0 {
		if opt.Gamma = medianWidth(k); opt.Gamma == 0 {
			return nil, faults.Option("over half of the training rows are equal, so gamma cannot be estimated; set " +
				"gamma")
		}
	}
	if err == nil {
		err = inBlocks(ctx, n, 30*float64(n), func(lo, hi int) { gaussianOf(rowsOf(k, lo, hi), opt.Gamma) })
	}
	if err != nil {
		return nil, beforeUse(ctx, err)
	}
	m := new(SVM)
	var support []int
	m.KernelMachines, support = fitKernel(ctx, k, opt.Gamma, labels, classes, opt.SVM)
	m.Rows = mat.NewDense(len(support), in.Cols, in.Select(support, nil))
	return m, m.finish(ctx, "svm", begin)
}

// kernelValues limits the memory for the kernel of a block of rows, in float64 values.
const kernelValues = 1 << 22

// blockOperations is the approximate number of operations between two checks of the context, which are at most a tenth
// of a second apart.
const blockOperations = 2e9

// inBlocks calls f for consecutive blocks of n rows, where a row costs the given number of operations. It checks ctx
// before each block, and returns the error of ctx if ctx has ended.
func inBlocks(ctx context.Context, n int, operations float64, f func(lo, hi int)) error {
	block := 64 * int(1+min(blockOperations/64/operations, 1<<20))
	for lo := 0; lo < n; lo += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		f(lo, min(lo+block, n))
	}
	return nil
}

// rowsOf returns the values of the rows [lo,hi) of a matrix that has no gaps between its rows.
func rowsOf(m *mat.Dense, lo, hi int) []float64 {
	raw := m.RawMatrix()
	return raw.Data[lo*raw.Stride : (hi-1)*raw.Stride+raw.Cols]
}

// squaredDistances writes ‖a_i − b_j‖² to raw for the rows of a and b, which have n values each.
func squaredDistances(raw, a, b []float64, n int) {
	na, nb := len(a)/n, len(b)/n
	dense.Gemm(false, true, na, nb, n, -2, a, n, b, n, 0, raw, nb)
	w := svmWorks.Get().(*svmWork)
	defer svmWorks.Put(w)
	vec.Room(&w.length, nb)
	for j := range nb {
		w.length[j] = vec.Dot(b[j*n:(j+1)*n], b[j*n:(j+1)*n])
	}
	par.ForWith(na, 64, lengths{raw, a, w.length, n}, lengths.add)
}

// lengths has the variables of [squaredDistances].
type lengths struct {
	raw, a, b []float64 // b has the squared lengths of the rows of b
	n         int
}

func (l lengths) add(_, lo, hi int) {
	nb := len(l.b)
	for i := lo; i < hi; i++ {
		row := l.a[i*l.n : (i+1)*l.n]
		own := vec.Dot(row, row)
		for j, v := range l.b {
			l.raw[i*nb+j] = max(0, l.raw[i*nb+j]+own+v)
		}
	}
}

// medianWidth returns 1 over the median squared distance between at most 500 evenly spaced rows, or 0 if the median
// is 0. It is [spd.MedianGamma] for rows whose distances are already known.
func medianWidth(d *mat.Dense) float64 {
	n, _ := d.Dims()
	index := indices.Spread(n, 500)
	var v []float64
	for k, i := range index {
		for _, j := range index[:k] {
			v = append(v, d.At(i, j))
		}
	}
	if m := vec.UpperMedian(v); m > 0 {
		return 1 / m
	}
	return 0
}

// gaussianOf converts squared distances to exp(−γ d²).
func gaussianOf(raw []float64, gamma float64) {
	par.ForWith(len(raw), 1<<14, exponentials{raw, gamma}, exponentials.apply)
}

// exponentials has the variables of [gaussianOf].
type exponentials struct {
	raw   []float64
	gamma float64
}

func (e exponentials) apply(_, lo, hi int) {
	for i := lo; i < hi; i++ {
		e.raw[i] = math.Exp(-e.gamma * e.raw[i])
	}
}

// supportOf returns the indices of the training observations that at least one machine uses, and their coefficients.
func supportOf(coef *mat.Dense) ([]int, *mat.Dense) {
	pairs, n := coef.Dims()
	var support []int
	for k := range n {
		for p := range pairs {
			if coef.At(p, k) != 0 {
				support = append(support, k)
				break
			}
		}
	}
	if len(support) == 0 {
		support = []int{0} // canceled before the first machine
	}
	out := mat.NewDense(pairs, len(support), nil)
	for p := range pairs {
		for s, k := range support {
			out.Set(p, s, coef.At(p, k))
		}
	}
	return support, out
}

// Dims returns n, the number of columns of the input, and the number of classes.
func (m *SVM) Dims() (in, classes int) { _, n := m.Rows.Dims(); return n, len(m.Classes) }

// LogPosterior writes the N×c log-probabilities of the rows of x to dst. An empty dst is resized. It panics with
// mat.ErrShape if x does not have n columns or dst has another shape. The cost is 2n operations for each pair of a
// row and a support row.
func (m *SVM) LogPosterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error {
	in := rows.New(x)
	n, c := m.Dims()
	if in.Cols != n {
		panic(mat.ErrShape)
	}
	rows.Shape(dst, in.Rows, c)
	_, support := m.Coef.Dims()
	own := rows.New(m.Rows).All(nil)
	block := max(1, min(in.Rows, kernelValues/max(in.Cols, support)))
	w := svmWorks.Get().(*svmWork)
	defer svmWorks.Put(w)
	for lo := 0; lo < in.Rows; lo += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		q := min(block, in.Rows-lo)
		vec.Room(&w.u, q*in.Cols)
		vec.Room(&w.kernel, q*support)
		in.Read(w.u, in.Cols, lo, lo+q, nil)
		squaredDistances(w.kernel, w.u, own, in.Cols)
		gaussianOf(w.kernel, m.Gamma)
		m.posteriors(dst, lo, w)
	}
	return nil
}

// Predict returns the most probable class of each row; the first class wins ties.
func (m *SVM) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	return argmax.Rows(ctx, m.LogPosterior, x)
}

// Validate checks the exported fields. Call it after reading them from a file.
func (m *SVM) Validate() error {
	if m.Rows == nil || m.Rows.IsEmpty() {
		return errors.New("the model has no support rows; fit it again")
	}
	r, n := m.Rows.Dims()
	err := common.CheckVectors("support rows", m.Rows, r, n)
	if err == nil {
		err = m.validate(r)
	}
	return err
}
