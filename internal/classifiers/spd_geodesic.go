package classifiers

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classifiers/common"
	"rao/internal/faults"
	"rao/internal/linalg/orth"
	"rao/internal/rows"
	"rao/spd"
)

// GeodesicFilterOptions are the options of [FitGeodesicFilter]. The zero value is the published method.
type GeodesicFilterOptions struct {
	// Shrinkage is the shrinkage of the discriminant's covariance. Default ledoit_wolf.
	Shrinkage gaussian.ShrinkRule
	// Mean contains the options for the mean of all matrices.
	Mean spd.MeanOptions
}

// GeodesicFilter maps SPD matrices to SPD matrices of the same order and removes variation that does not separate the
// classes. It projects tangent vectors at the mean to the span of the discriminant directions of an LDA, and maps them
// back to the manifold. It uses the affine-invariant metric. [classify.FitMDM] on the filtered matrices is the method
// FgMDM (Barachant, Bonnet, Congedo and Jutten 2010).
//
// The exported fields determine the filter.
type GeodesicFilter struct {
	Tangent *TangentSpace `json:"tangent"` // the tangent space of the vectors
	Basis   *mat.Dense    `json:"basis"`   // p×r, r < c orthonormal columns: the discriminant directions
}

// FitGeodesicFilter fits the filter. If the mean does not converge, it returns a usable filter and a
// *rao.NotConvergedError. Other errors name the matrix or class. The cost is the same as for [FitTangentLDA].
func FitGeodesicFilter(ctx context.Context, x *spd.Stack, labels []int, classes []string,
	opt GeodesicFilterOptions) (*GeodesicFilter, error) {
	if err := common.CheckStack(x, labels, classes, 2); err != nil {
		return nil, err
	}
	t, v, unsettled, err := trainingSpace(ctx, x, spd.Riemann, opt.Mean)
	if err != nil {
		return nil, err
	}
	lda, err := fitShrunkLDA(ctx, v, labels, classes, common.Shares(labels, len(classes)),
		opt.Shrinkage, false)
	if err = beforeUse(ctx, err); err != nil {
		return nil, err
	}
	g := &GeodesicFilter{Tangent: t}
	if g.Basis, err = directions(lda.coef); err != nil {
		return nil, err
	}
	return g, unsettled
}

// directionTolerance is the ratio to the largest singular value below which a direction is considered rounding noise.
const directionTolerance = 1e-7

// directions returns an orthonormal basis of the differences between the rows of the c×p coefficients, one per column.
// There are c-1 directions, or fewer if the rows are affinely dependent. It returns an error if all rows are equal. The
// rows themselves span the same space, because at the mean of all matrices their weighted sum is zero up to rounding.
func directions(coef *mat.Dense) (*mat.Dense, error) {
	c, p := coef.Dims()
	centered, mean := mat.NewDense(p, c, nil), make([]float64, p)
	for i := range c {
		for j, v := range coef.RawRowView(i) {
			mean[j] += v / float64(c)
		}
	}
	for i := range c {
		for j, v := range coef.RawRowView(i) {
			centered.Set(j, i, v-mean[j])
		}
	}
	basis, ok := orth.Range(centered, c-1, directionTolerance)
	switch {
	case !ok:
		return nil, faults.Data("the discriminant directions are not finite; check the data for extreme values")
	case basis == nil:
		return nil, faults.Data("the classes have the same mean tangent vector, so no direction separates them; " +
			"check the labels")
	}
	return basis, nil
}

// Dims returns the order of the matrices before and after the map, which is the same.
func (g *GeodesicFilter) Dims() (in, out int) { return g.Tangent.N, g.Tangent.N }

// Map writes the filtered matrices of x to dst. Errors name a matrix that is not positive definite or has another
// order.
func (g *GeodesicFilter) Map(dst, x *spd.Stack) error {
	if err := common.CheckOrder(x, g.Tangent.N); err != nil {
		return err
	}
	if x.Count == 0 {
		*dst = *spd.NewStack(0, x.Dim)
		return nil
	}
	w := tangentWorks.Get().(*tangentWork)
	defer tangentWorks.Put(w)
	v := rows.Reshape(&w.v, x.Count, g.Tangent.dim())
	if err := g.Tangent.Vectors(context.Background(), v, x); err != nil {
		return err
	}
	low := w.product(v, g.Basis, blas.NoTrans)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, low, g.Basis.RawMatrix(), 0, v.RawMatrix())
	return g.Tangent.matrices(dst, v)
}

// Validate checks the exported fields. Call it after reading them from a file.
func (g *GeodesicFilter) Validate() error {
	if err := g.Tangent.Validate(); err != nil {
		return err
	}
	if g.Basis == nil || g.Basis.IsEmpty() {
		return fmt.Errorf("the basis is missing; fit the model again")
	}
	_, r := g.Basis.Dims()
	return common.CheckMatrix("basis", g.Basis, g.Tangent.dim(), r)
}
