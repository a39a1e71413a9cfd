package classifiers

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/classify"
	"rao/internal/classifiers/common"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/eig"
	"rao/internal/linalg/joint"
	"rao/internal/linalg/vec"
	"rao/internal/linearfilters"
	"rao/spd"
)

// SubmanifoldOptions are the options of [FitSubmanifold] and [FitFisherSubmanifold].
type SubmanifoldOptions struct {
	// Order is the order of the smaller matrices, from 1 to the order of the data. Default: two thirds of the order of
	// the data, rounded up.
	Order int
	// Mean contains the options for the means.
	Mean spd.MeanOptions
	// MaxIter and Tol end the iterations; each fit function documents its defaults.
	MaxIter int
	Tol     float64
	// Progress receives an event after every iteration.
	Progress rao.Progress
}

// filled checks the data and the options and fills in the defaults.
func (o SubmanifoldOptions) filled(x *spd.Stack, labels []int, classes []string,
	limit int, tol float64) (SubmanifoldOptions, error) {
	if err := common.CheckStack(x, labels, classes, 2); err != nil {
		return o, err
	}
	n := x.Dim
	o.Order = cmp.Or(o.Order, linearfilters.ReducedOrder(n))
	o.MaxIter = cmp.Or(o.MaxIter, limit)
	o.Tol = cmp.Or(o.Tol, tol)
	if o.Order < 1 || o.Order > n || o.MaxIter < 1 || !(o.Tol > 0) {
		return o, faults.Option("the order of the sub-manifold is %d, the iteration limit %d and the tolerance %g; "+
			"the order must be between 1 and %d, and the others positive", o.Order, o.MaxIter, o.Tol, n)
	}
	return o, nil
}

// FitSubmanifold finds the map X → V'XV to a sub-manifold of smaller SPD matrices. With a linear classifier of the
// tangent vectors it is the method TSSM of Xie, Yu, Lu, Gu and Li (2017) as described by Tang et al. (arXiv 2102.00667,
// sections 2 and 6.3). A suitable classifier is [FitTangentLDA] with isotropic shrinkage, because the basis of the
// sub-manifold is arbitrary.
//
// V comes from joint diagonalization of the Riemannian means M_i of the classes. Its columns make every V'M_iV
// diagonal; the m columns in which the means differ most are kept. With λ_ij the diagonal entries and π_i the class
// frequencies, the selected columns are those with the largest
//
//	Σ_i π_i (log λ_ij − Σ_k π_k log λ_kj)²
//
// For two classes, as in the description, the diagonalization is exact. For more classes we use the approximate joint
// diagonalization of Pham (2001). The description does not specify the number of columns; the default of Order is our
// choice.
//
// By default MaxIter is 2000 sweeps, and Tol, for the largest change in a sweep, is 1e-6. If an iteration does not
// converge, or ctx ends, it returns a usable map and a *rao.NotConvergedError. Other errors name the matrix or class,
// or the option that is out of range. The cost is all means, and 8 c n³ operations per sweep.
func FitSubmanifold(ctx context.Context, x *spd.Stack, labels []int, classes []string,
	opt SubmanifoldOptions) (*Reduction, error) {
	const method = "tssm"
	begin := time.Now()
	opt, err := opt.filled(x, labels, classes, 2000, 1e-6)
	if err != nil {
		return nil, err
	}
	mdm, unsettled := classify.FitMDM(ctx, x, labels, classes, classify.MDMOptions{Mean: opt.Mean})
	if unsettled != nil && !rao.HasModel(unsettled) {
		return nil, unsettled
	}
	r := &Reduction{Kind: method}
	if err := r.diagonalize(ctx, mdm.Means, common.Shares(labels, len(classes)), opt); err != nil {
		return nil, err
	}
	r.Report.Elapsed = time.Since(begin)
	return r, errors.Join(unsettled, r.unsettled(ctx))
}

// unsettled returns the error for a search that did not converge.
func (r *Reduction) unsettled(ctx context.Context) error {
	return faults.Unfinished(ctx, r.Kind, r.Report, "raise the iteration limit, or loosen the tolerance")
}

// diagonalize sets the filters to the columns of the joint diagonalizer in which the means differ most.
func (r *Reduction) diagonalize(ctx context.Context, means *spd.Stack, shares []float64, opt SubmanifoldOptions) error {
	c, n := means.Count, means.Dim
	total := spd.NewStack(1, n)
	for i, share := range shares {
		for j, v := range means.At(i) {
			total.Data[j] += share * v
		}
	}
	white, diagonal := new(spd.Stack), make([][]float64, c) // W M_i W, then diagonalized
	if err := spd.Recenter(white, means, total.View(0), nil); err != nil {
		return err
	}
	for i := range diagonal {
		diagonal[i] = white.At(i)
	}
	rows := make([]float64, n*n) // the diagonalizer B; V = W B'
	if c == 2 {
		if err := twoMeans(rows, diagonal, shares, n); err != nil {
			return err
		}
		r.Report.Status = rao.StatusClosed
	} else {
		copy(rows, vec.Identity(n))
		r.Report = joint.Diagonalize(ctx, rows, diagonal, shares, n, opt.MaxIter, opt.Tol, opt.Progress)
	}
	keep, err := mostDifferent(diagonal, shares, n, opt.Order)
	if err != nil {
		return err
	}
	kept := mat.NewDense(n, opt.Order, nil)
	for j, k := range keep {
		kept.SetCol(j, rows[k*n:(k+1)*n])
	}
	r.Filters, err = linearfilters.Unwhiten(total.View(0), kept)
	return err
}

// twoMeans diagonalizes two means exactly, after a transformation of their weighted sum to the identity. The two means
// then have the same eigenvectors.
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

// mostDifferent returns the m positions on the diagonals that differ most between classes, starting with the largest
// difference.
func mostDifferent(diagonal [][]float64, shares []float64, n, m int) ([]int, error) {
	spread := make([]float64, n)
	for j := range n {
		mean, square := 0.0, 0.0
		for i, d := range diagonal {
			l := math.Log(d[j*n+j])
			mean += shares[i] * l
			square += shares[i] * l * l
		}
		spread[j] = square - mean*mean
	}
	order := indices.Sorted(n, func(i, j int) int { return cmp.Compare(spread[j], spread[i]) })
	if !(spread[order[0]] > 1e-20) {
		return nil, faults.Data("the classes have the same mean, so no sub-manifold separates them; check the labels")
	}
	return order[:m], nil
}
