package classifiers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classifiers/common"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/tri"
	"rao/internal/linalg/vec"
	"rao/internal/optionvalues"
	"rao/internal/par"
	"rao/internal/priors"
	"rao/internal/shrink"
	"rao/internal/text"
)

// givenOrShares returns the given priors, normalized. If given is empty, it returns the shares of the labels.
func givenOrShares(given []float64, labels []int, c int) ([]float64, error) {
	if given == nil {
		return common.Shares(labels, c), nil
	}
	return priors.Normalize(given, c, strconv.Itoa)
}

// shrunkLDA is a fitted linear discriminant.
type shrunkLDA struct {
	coef       *mat.Dense // c×p
	intercepts []float64
	kind       gaussian.Shrinkage // as used
	shrunk     []float64
}

// fitShrunkLDA computes the pooled covariance W = Σ π_i W_i of the shrunk class covariances W_i and solves for the
// coefficients, in the space of the coordinates or, if there are fewer rows, in the space of the rows. The rows of v
// are overwritten. If ctx ends, it returns the error of ctx.
func fitShrunkLDA(ctx context.Context, v *mat.Dense, labels []int, classes []string, priors []float64,
	rule gaussian.ShrinkRule, isotropic bool) (*shrunkLDA, error) {
	if err := shrink.Check(string(rule.Kind), rule.Amount); err != nil {
		return nil, err
	}
	rule.Kind = cmp.Or(rule.Kind, optionvalues.ShrinkageLedoitWolf)
	f := &shrunkLDA{kind: rule.Kind}
	c := len(classes)
	n, p := v.Dims()
	means := mat.NewDense(c, p, classMeans(v, labels, c))
	floor, err := f.pool(ctx, v, labels, means, priors, rule, isotropic)
	if err != nil {
		return nil, err
	}
	solve := f.solveByCoordinates
	if n < p {
		solve = f.solveByRows
	}
	f.coef = mat.NewDense(c, p, nil)
	if err := solve(ctx, v, floor, means); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("the covariance of the tangent vectors is not positive definite: %w, from %s of %s; "+
			"set the shrinkage to ledoit_wolf or oas", err, text.Plural(n, "vector", "vectors"), text.Plural(p, "value",
			"values"))
	}
	f.intercepts = make([]float64, c)
	for i := range c {
		f.intercepts[i] = math.Log(priors[i]) - vec.Dot(means.RawRowView(i), f.coef.RawRowView(i))/2
	}
	return f, nil
}

// pool overwrites the rows of v and returns floor, where W = v'v + diag(floor). On return, v contains the centered rows
// of each class, multiplied by √(π(1-ρ)/N) for a class of N rows with prior π and shrinkage ρ, and floor contains the
// variances that the shrinkage adds. Unless isotropic is true, the columns of a class are standardized for the
// shrinkage and the result is scaled back. The target of the shrinkage is then the diagonal of the variances instead of
// one variance for all columns.
func (f *shrunkLDA) pool(ctx context.Context, v *mat.Dense, labels []int, means *mat.Dense, priors []float64,
	rule gaussian.ShrinkRule, isotropic bool) (floor []float64, err error) {
	c, p := means.Dims()
	f.shrunk = make([]float64, c)
	floors, members := make([][]float64, c), indices.Groups(labels, c)
	err = par.Try(c, 1, func(_, i, _ int) (err error) {
		floors[i], err = f.poolClass(ctx, v, i, members[i], means.RawRowView(i), priors[i], rule,
			isotropic)
		return err
	})
	if err != nil {
		return nil, err
	}
	floor = make([]float64, p)
	for _, own := range floors {
		vec.Axpy(floor, 1, own)
	}
	return floor, nil
}

// poolClass does the work of pool for the rows of class i.
func (f *shrunkLDA) poolClass(ctx context.Context, v *mat.Dense, i int, index []int, mean []float64, prior float64,
	rule gaussian.ShrinkRule, isotropic bool) (floor []float64, err error) {
	p := len(mean)
	scale := make([]float64, p)
	for _, k := range index {
		row := v.RawRowView(k)
		vec.Axpy(row, -1, mean)
		for j, x := range row {
			scale[j] += x * x
		}
	}
	trace := 0.0 // trace of the covariance that is shrunk
	for j, s := range scale {
		scale[j] = math.Sqrt(s / float64(len(index)))
		if scale[j] == 0 || isotropic {
			trace += s / float64(len(index))
			scale[j] = 1
		} else {
			trace++
		}
	}
	rho, err := coefficient(ctx, v, index, scale, rule)
	if err != nil {
		return nil, err
	}
	f.shrunk[i] = rho
	weight := math.Sqrt(prior * (1 - rho) / float64(len(index)))
	for _, k := range index {
		row := v.RawRowView(k)
		for j := range row {
			row[j] *= weight
		}
	}
	floor = scale
	for j, s := range scale {
		floor[j] = prior * rho * trace / float64(p) * s * s
	}
	return floor, nil
}

// coefficient returns the shrinkage of the covariance of a class, computed from its centered rows.
func coefficient(ctx context.Context, v *mat.Dense, index []int, scale []float64,
	rule gaussian.ShrinkRule) (float64, error) {
	switch rule.Kind {
	case optionvalues.ShrinkageNone:
		return 0, nil
	case optionvalues.ShrinkageFixed:
		return rule.Amount, nil
	}
	n, p := len(index), len(scale)
	rows := make([]float64, n*p)
	for r, k := range index {
		for j, x := range v.RawRowView(k) {
			rows[r*p+j] = x / scale[j]
		}
	}
	m, err := momentsOf(ctx, rows, n, p)
	if err != nil {
		return 0, err
	}
	if rule.Kind == optionvalues.ShrinkageOAS {
		return m.OAS(), nil
	}
	return m.LedoitWolf(), nil
}

// scatterOf writes both triangles of A'A, p×p, to dst, for A with the given number of rows and p columns. It checks ctx
// between blocks of rows.
func scatterOf(ctx context.Context, dst, a []float64, rows, p, lda int) error {
	err := inBlocks(ctx, rows, float64(p)*float64(p), func(lo, hi int) {
		dense.SyrkUpper(p, hi-lo, a[lo*lda:], lda, dst, p)
	})
	dense.Mirror(p, dst, p)
	return err
}

// gramOf writes AA' to dst, in the same blocks as scatterOf.
func gramOf(ctx context.Context, dst, a []float64, rows, p, lda int) error {
	return inBlocks(ctx, rows, 2*float64(rows)*float64(p), func(lo, hi int) {
		dense.Gemm(false, true, hi-lo, rows, p, 1, a[lo*lda:], lda, a, lda, 0, dst[lo*rows:], rows)
	})
}

// solveByCoordinates computes the coefficients W⁻¹μ_i with the Cholesky factor of the p×p matrix W.
func (f *shrunkLDA) solveByCoordinates(ctx context.Context, v *mat.Dense, floor []float64, means *mat.Dense) error {
	n, p := v.Dims()
	c, _ := means.Dims()
	raw, w := v.RawMatrix(), make([]float64, p*p)
	if err := scatterOf(ctx, w, raw.Data, n, p, raw.Stride); err != nil {
		return err
	}
	for j, x := range floor {
		w[j*p+j] += x
	}
	l := slices.Clone(w)
	_, _, ok, err := tri.CholeskyContext(ctx, p, l, common.PivotTolerance*float64(p))
	if err != nil {
		return err
	}
	if !ok {
		e := common.Singular(w, p)
		e.Class = -1
		return faults.Also(fmt.Errorf("its smallest eigenvalue is %.3g", e.Smallest), e)
	}
	x := make([]float64, p*c)
	vec.Transpose(x, means.RawMatrix().Data, c, p)
	tri.SolveLower(p, c, l, p, x, c, false)
	tri.SolveLower(p, c, l, p, x, c, true)
	vec.Transpose(f.coef.RawMatrix().Data, x, p, c)
	return nil
}

// solveByRows computes the coefficients from N×N matrices. With Λ the floor, Y = VΛ^-½ and u = Λ^-½μ,
//
//	W⁻¹μ = Λ^-½ (u − Y'(I + YY')⁻¹Yu)
//
// v is overwritten.
func (f *shrunkLDA) solveByRows(ctx context.Context, v *mat.Dense, floor []float64, means *mat.Dense) error {
	n, p := v.Dims()
	c, _ := means.Dims()
	inverse := make([]float64, p)
	for j, x := range floor {
		if !(x > 0) {
			return faults.Also(errors.New("its smallest eigenvalue is 0"), &gaussian.SingularError{Class: -1, Dim: p})
		}
		inverse[j] = 1 / math.Sqrt(x)
	}
	for k := range n {
		row := v.RawRowView(k)
		for j, s := range inverse {
			row[j] *= s
		}
	}
	raw, u := v.RawMatrix(), f.coef.RawMatrix()
	for i := range c {
		for j, s := range inverse {
			f.coef.Set(i, j, means.At(i, j)*s)
		}
	}
	gram := make([]float64, n*n)
	if err := gramOf(ctx, gram, raw.Data, n, p, raw.Stride); err != nil {
		return err
	}
	for k := range n {
		if gram[k*n+k]++; !(gram[k*n+k]*common.PivotTolerance*float64(p) < 1) {
			return faults.Also(fmt.Errorf("its smallest eigenvalue is %.3g times the largest", 1/gram[k*n+k]),
				&gaussian.SingularError{Class: -1, Dim: p})
		}
	}
	_, _, ok, err := tri.CholeskyContext(ctx, n, gram, 0)
	if err != nil {
		return err
	}
	if !ok {
		return faults.Data("its Cholesky factorization fails")
	}
	yu := make([]float64, n*c)
	dense.Gemm(false, true, n, c, p, 1, raw.Data, raw.Stride, u.Data, u.Stride, 0, yu, c)
	tri.SolveLower(n, c, gram, n, yu, c, false)
	tri.SolveLower(n, c, gram, n, yu, c, true)
	dense.Gemm(true, false, c, p, n, -1, yu, c, raw.Data, raw.Stride, 1, u.Data, u.Stride)
	for i := range c {
		for j, s := range inverse {
			f.coef.Set(i, j, f.coef.At(i, j)*s)
		}
	}
	return nil
}

// classMeans returns the c×p means of the rows of each class.
func classMeans(v *mat.Dense, labels []int, c int) []float64 {
	_, p := v.Dims()
	means, counts := make([]float64, c*p), make([]float64, c)
	for k, l := range labels {
		counts[l]++
		for j, value := range v.RawRowView(k) {
			means[l*p+j] += value
		}
	}
	for i := range means {
		means[i] /= counts[i/p]
	}
	return means
}

// momentsOf computes the moments of the rows from the smaller of R'R and RR', which have the same norm.
func momentsOf(ctx context.Context, rows []float64, n, p int) (shrink.Moments, error) {
	m := shrink.Moments{N: n, P: p}
	for k := range n {
		q := vec.Dot(rows[k*p:(k+1)*p], rows[k*p:(k+1)*p])
		m.Trace += q / float64(n)
		m.Quartic += q * q
	}
	side, product := min(n, p), scatterOf
	if n < p {
		product = gramOf
	}
	s := make([]float64, side*side)
	if err := product(ctx, s, rows, n, p, p); err != nil {
		return m, err
	}
	for i := range side {
		m.Squares += vec.Dot(s[i*side:(i+1)*side], s[i*side:(i+1)*side]) / float64(n) / float64(n)
	}
	return m, nil
}
