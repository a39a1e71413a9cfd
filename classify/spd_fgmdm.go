package classify

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
	"rao/spd"
)

// FgMDMOptions adjust [FitFgMDM]. The zero value is the method of the literature.
type FgMDMOptions struct {
	// Shrinkage of the discriminant's covariance. Default gaussian.LedoitWolf.
	Shrinkage gaussian.Shrinkage
	// Amount is the coefficient for gaussian.Fixed, 0 to 1.
	Amount float64
	// Mean are the settings of all the means.
	Mean spd.MeanOptions
}

// FgMDM filters the matrices geodesically before [MDM] (Barachant, Bonnet, Congedo
// and Jutten 2010): tangent vectors at the mean are projected on the span of the
// discriminant directions of an LDA, and mapped back to the manifold. The metric is
// the affine-invariant one.
//
// The exported fields determine the model.
type FgMDM struct {
	Tangent *TangentSpace `json:"tangent"`
	Basis   *mat.Dense    `json:"basis"` // p×r, r < c orthonormal columns: the discriminant directions
	MDM     *MDM          `json:"mdm"`   // on the filtered matrices
}

// FitFgMDM fits the filter and the class means. When a mean does not converge the
// model is usable and comes with the *rao.NotConvergedError. Other errors name
// the matrix or class. Cost: that of [FitTangentLDA] and [FitMDM].
func FitFgMDM(ctx context.Context, x *spd.Stack, labels []int, classes []string, opt FgMDMOptions) (*FgMDM, error) {
	if err := checkStack("fgmdm", x, labels, classes, 2); err != nil {
		return nil, err
	}
	t, v, unsettled, err := trainingSpace(ctx, x, spd.Riemann, opt.Mean)
	if err != nil {
		return nil, fmt.Errorf("fgmdm: %w", err)
	}
	lda, err := fitShrunkLDA(ctx, v, labels, classes, shares(labels, len(classes)),
		shrinkRule{kind: opt.Shrinkage, amount: opt.Amount})
	if err = beforeUse(ctx, err); err != nil {
		return nil, fmt.Errorf("fgmdm: %w", err)
	}
	m := &FgMDM{Tangent: t}
	if m.Basis, err = directions(lda.coef); err != nil {
		return nil, fmt.Errorf("fgmdm: %w", err)
	}
	f, _ := m.Parts()
	filtered, err := f.filter(ctx, x)
	if err = beforeUse(ctx, err); err != nil {
		return nil, fmt.Errorf("fgmdm: %w", err)
	}
	m.MDM, err = FitMDM(ctx, filtered, labels, classes, MDMOptions{Mean: opt.Mean})
	if err != nil && !rao.HasModel(err) {
		return nil, fmt.Errorf("fgmdm: %w", err)
	}
	return m, errors.Join(unsettled, err)
}

// directionTolerance is the least singular value of a direction that is more than
// rounding noise, as a share of the largest.
const directionTolerance = 1e-7

// directions returns an orthonormal basis of the differences between the rows of the
// c×p coefficients, one a column: c-1 directions, fewer when some classes lie on a line.
// It is nil when all rows are equal. The rows themselves span the same space, as at the
// mean of all matrices their weighted sum is zero; what is left of it is rounding.
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
	var svd mat.SVD
	if !svd.Factorize(centered, mat.SVDThinU) {
		return nil, errors.New("the discriminant directions are not finite")
	}
	values := svd.Values(nil)
	r := 0
	for r < min(c-1, p) && values[r] > directionTolerance*values[0] {
		r++
	}
	if r == 0 {
		return nil, errors.New("the classes have the same mean tangent vector: no direction separates them")
	}
	var u mat.Dense
	svd.UTo(&u)
	return mat.DenseCopyOf(u.Slice(0, p, 0, r)), nil
}

// NumClasses returns c.
func (m *FgMDM) NumClasses() int { return m.MDM.NumClasses() }

// Dim returns the order of the matrices.
func (m *FgMDM) Dim() int { return m.Tangent.N }

// LogPosterior writes the N×c log-probabilities of the matrices of x to dst, which
// is resized when empty; another shape panics with mat.ErrShape. They are those of
// [MDM] on the filtered matrices. Errors name the matrix.
func (m *FgMDM) LogPosterior(dst *mat.Dense, x *spd.Stack) error {
	if err := checkOrder("fgmdm", x, m.Dim()); err != nil {
		return err
	}
	if x.Count == 0 {
		return m.MDM.LogPosterior(dst, x)
	}
	f, _ := m.Parts()
	filtered, err := f.filter(context.Background(), x)
	if err != nil {
		return fmt.Errorf("fgmdm: %w", err)
	}
	return m.MDM.LogPosterior(dst, filtered)
}

// Validate checks the exported fields, which may come from a damaged file.
func (m *FgMDM) Validate() error {
	filter, _ := m.Parts()
	if err := filter.Validate(); err != nil {
		return err
	}
	if m.MDM == nil {
		return errors.New("fgmdm: the class means are missing")
	}
	if err := m.MDM.Validate(); err != nil {
		return fmt.Errorf("fgmdm: %w", err)
	}
	if m.MDM.Dim() != m.Tangent.N {
		return fmt.Errorf("fgmdm: class means of order %d, tangent space of order %d", m.MDM.Dim(), m.Tangent.N)
	}
	return nil
}
