package classify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/linalg/eig"
	"rao/internal/linalg/joint"
	"rao/internal/suggest"
	"rao/spd"
)

// TSSMOptions adjust [FitTSSM] and [FitFisherTSSM].
type TSSMOptions struct {
	// Order is the order of the matrices of the sub-manifold, 1 to the order of the
	// data. Default: two thirds of it, rounded up.
	Order int
	// Classifier in the tangent space of the sub-manifold: lda (default) or svm.
	Classifier string
	// LDA are the options of [FitTangentLDA] for lda. Its shrinkage is always
	// isotropic, as the basis of the sub-manifold has no meaning.
	LDA TangentLDAOptions
	// SVM are the options of [FitTangentSVM] for svm.
	SVM TangentSVMOptions
	// MaxIter limits the iterations that find the sub-manifold, and Tol ends them; the
	// defaults are those of the function.
	MaxIter int
	Tol     float64
	// Progress receives an event after every iteration.
	Progress rao.Progress
}

// filled checks the data and the options and fills in the defaults.
func (o TSSMOptions) filled(method string, x *spd.Stack, labels []int, classes []string,
	limit int, tol float64) (TSSMOptions, error) {
	if err := checkStack(method, x, labels, classes, 2); err != nil {
		return o, err
	}
	n := x.Dim
	if o.Order == 0 {
		o.Order = (2*n + 2) / 3
	}
	if o.MaxIter == 0 {
		o.MaxIter = limit
	}
	if o.Tol == 0 {
		o.Tol = tol
	}
	if o.Order < 1 || o.Order > n || o.MaxIter < 1 || !(o.Tol > 0) {
		return o, fmt.Errorf("%s: order %d of the sub-manifold, iteration limit %d, tolerance %g: "+
			"the order must be 1 to %d, the others positive", method, o.Order, o.MaxIter, o.Tol, n)
	}
	if known := []string{"lda", "svm"}; o.Classifier == "" {
		o.Classifier = known[0]
	} else if !slices.Contains(known, o.Classifier) {
		return o, fmt.Errorf("%s: %w", method, suggest.Unknown("classifier", o.Classifier, known))
	}
	o.LDA.Isotropic = true
	return o, nil
}

// TSSM classifies in the tangent space of a sub-manifold: the map
//
//	X → V'XV,  V n×m
//
// makes smaller SPD matrices, and a linear classifier takes their tangent vectors at
// their mean. The method is that of Xie, Yu, Lu, Gu and Li (2017) as Tang et al. (arXiv
// 2102.00667, sections 2 and 6.3) describe it; see [FitTSSM].
//
// The exported fields determine the model.
type TSSM struct {
	Filters *mat.Dense  `json:"filters"` // n×m: V
	LDA     *TangentLDA `json:"lda"`     // the classifier, or
	SVM     *TangentSVM `json:"svm"`     // this one
	Report  rao.Report  `json:"report"`  // of the sub-manifold
}

// FitTSSM finds the sub-manifold by joint diagonalization of the classes' Riemannian
// means M_i, and fits the classifier in its tangent space. The columns of V make every
// V'M_iV diagonal, and the m kept are those where the means differ most: with λ_ij the
// entries of the diagonals and π_i the shares of the classes, those of largest
//
//	Σ_i π_i (log λ_ij − Σ_k π_k log λ_kj)²
//
// For two classes, which is what the description has, the diagonalization is exact. For
// more it is our extension: the approximate joint diagonalization of Pham (2001). How many
// columns to keep is not described; Order is ours to choose.
//
// MaxIter is 2000 sweeps by default, and Tol, for the largest change of a sweep, 1e-6. When
// one of the iterations does not converge, or ctx ends it, the model is usable and comes
// with a *rao.NotConvergedError. Other errors name the matrix or class, or the option out
// of range. Cost: all means, and 8 c n³ operations a sweep.
func FitTSSM(ctx context.Context, x *spd.Stack, labels []int, classes []string, opt TSSMOptions) (*TSSM, error) {
	const method = "tssm"
	begin := time.Now()
	opt, err := opt.filled(method, x, labels, classes, 2000, 1e-6)
	if err != nil {
		return nil, err
	}
	mdm, unsettled := FitMDM(ctx, x, labels, classes, MDMOptions{Mean: opt.LDA.Mean})
	if unsettled != nil && !rao.HasModel(unsettled) {
		return nil, fmt.Errorf("%s: %w", method, unsettled)
	}
	m := &TSSM{}
	if err := m.diagonalize(ctx, mdm.Means, shares(labels, len(classes)), opt); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	m.Report.Elapsed = time.Since(begin)
	return m.classifyInside(ctx, method, x, labels, classes, opt, unsettled)
}

// diagonalize sets the filters to the columns of the joint diagonalizer where the means
// differ most.
func (m *TSSM) diagonalize(ctx context.Context, means *spd.Stack, shares []float64, opt TSSMOptions) error {
	c, n := means.Count, means.Dim
	total := spd.NewStack(1, n)
	for i, share := range shares {
		for j, v := range means.At(i) {
			total.Data[j] += share * v
		}
	}
	var white spd.Stack
	if err := spd.InvSqrt(&white, total); err != nil {
		return err
	}
	w := mat.NewDense(n, n, white.Data)
	diagonal := make([][]float64, c) // W M_i W, then made diagonal
	var wm, wmw mat.Dense
	for i := range diagonal {
		wm.Mul(w, mat.NewDense(n, n, means.At(i)))
		wmw.Mul(&wm, w)
		diagonal[i] = slices.Clone(wmw.RawMatrix().Data)
	}
	rows := make([]float64, n*n) // the diagonalizer B, so that V = W B'
	if c == 2 {
		if err := twoMeans(rows, diagonal, shares, n); err != nil {
			return err
		}
		m.Report.Status = rao.Closed
	} else {
		for j := range n {
			rows[j*n+j] = 1
		}
		m.Report = joint.Diagonalize(ctx, rows, diagonal, shares, n, opt.MaxIter, opt.Tol)
	}
	keep, err := mostDifferent(diagonal, shares, n, opt.Order)
	if err != nil {
		return err
	}
	m.Filters = mat.NewDense(n, opt.Order, nil)
	var column mat.VecDense
	for j, k := range keep {
		column.MulVec(w, mat.NewVecDense(n, rows[k*n:(k+1)*n]))
		m.Filters.SetCol(j, column.RawVector().Data)
	}
	return nil
}

// twoMeans diagonalizes two means exactly, in the space where their weighted sum is the
// identity: the eigenvectors of one are those of the other.
func twoMeans(rows []float64, means [][]float64, shares []float64, n int) error {
	values, vectors := make([]float64, n), means[0]
	if err := eig.Sym(values, vectors, n, true, make([]float64, eig.WorkLen(n))); err != nil {
		return err
	}
	for i := range n {
		for j := range n {
			rows[j*n+i] = vectors[i*n+j]
		}
	}
	clear(means[0])
	clear(means[1])
	for j, v := range values {
		means[0][j*n+j], means[1][j*n+j] = v, (1-shares[0]*v)/shares[1]
	}
	return nil
}

// mostDifferent returns the m places of the diagonals that differ most between classes,
// the most different first.
func mostDifferent(diagonal [][]float64, shares []float64, n, m int) ([]int, error) {
	spread, order := make([]float64, n), make([]int, n)
	for j := range n {
		order[j] = j
		mean, square := 0.0, 0.0
		for i, d := range diagonal {
			l := math.Log(d[j*n+j])
			mean += shares[i] * l
			square += shares[i] * l * l
		}
		spread[j] = square - mean*mean
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(spread[b], spread[a]) })
	if !(spread[order[0]] > 1e-20) {
		return nil, errors.New("the classes have the same mean: no sub-manifold separates them")
	}
	return order[:m], nil
}

// classifyInside fits the classifier to the matrices of the sub-manifold. unsettled is
// what did not converge before.
func (m *TSSM) classifyInside(ctx context.Context, method string, x *spd.Stack, labels []int, classes []string,
	opt TSSMOptions, unsettled error) (*TSSM, error) {
	inside := spd.Congruence(x, m.Filters)
	var err error
	if opt.Classifier == "svm" {
		m.SVM, err = FitTangentSVM(ctx, inside, labels, classes, opt.SVM)
	} else {
		m.LDA, err = FitTangentLDA(ctx, inside, labels, classes, opt.LDA)
	}
	if err != nil && !rao.HasModel(err) {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	if !m.Report.Status.Good() {
		unsettled = errors.Join(unsettled, &rao.NotConvergedError{Cause: ctx.Err(), Method: method, Report: m.Report,
			Remedy: "raise the iteration limit or loosen the tolerance"})
	}
	return m, errors.Join(unsettled, err)
}

// inside is the classifier of the sub-manifold.
func (m *TSSM) inside() interface {
	LogPosterior(dst *mat.Dense, x *spd.Stack) error
	NumClasses() int
	Dim() int
	Validate() error
} {
	if m.SVM != nil {
		return m.SVM
	}
	return m.LDA
}

// NumClasses returns c.
func (m *TSSM) NumClasses() int { return m.inside().NumClasses() }

// Dim returns the order of the matrices.
func (m *TSSM) Dim() int { n, _ := m.Filters.Dims(); return n }

// LogPosterior writes the N×c log-probabilities of the matrices of x to dst, which
// is resized when empty; another shape panics with mat.ErrShape. Errors name the
// matrix.
func (m *TSSM) LogPosterior(dst *mat.Dense, x *spd.Stack) error {
	if err := checkOrder("tssm", x, m.Dim()); err != nil {
		return err
	}
	if x.Count > 0 {
		if err := x.Verify(); err != nil {
			return fmt.Errorf("tssm: %w", err)
		}
	}
	return m.inside().LogPosterior(dst, spd.Congruence(x, m.Filters))
}

// Validate checks the exported fields, which may come from a damaged file.
func (m *TSSM) Validate() error {
	if m.Filters == nil || (m.LDA == nil) == (m.SVM == nil) {
		return errors.New("tssm: the filters are missing, or there is not exactly one classifier")
	}
	if err := m.inside().Validate(); err != nil {
		return fmt.Errorf("tssm: %w", err)
	}
	n, k := m.Filters.Dims()
	if k != m.inside().Dim() {
		return fmt.Errorf("tssm: %d filters, the classifier takes order %d", k, m.inside().Dim())
	}
	if err := checkMatrix("filters", m.Filters, n, k); err != nil {
		return fmt.Errorf("tssm: %w", err)
	}
	return nil
}
