package feature

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
	"rao/internal/classcolumns"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/linearfilters"
	"rao/internal/rows"
	"rao/internal/text"
)

// Model is a set of linear filters learned by any method: n×m filters F and a center μ. The features of a row x are
//
//	z = F'(x - μ)
//
// The exported fields determine the model. Transform is safe for concurrent use.
type Model struct {
	Method  string     `json:"method"`  // sqfa, pca, lda, ica, fa, lmnn, wda, ama, gem, lfda, spca or nca
	Filters *mat.Dense `json:"filters"` // n×m, one filter per column
	Center  []float64  `json:"center"`  // n, the mean of the training rows; nil for zero

	// Values has one number per filter: the variance of its feature (pca, spca) or its eigenvalue (lda, lfda, gem). It
	// is nil for other methods.
	Values []float64 `json:"values"`
	// Loadings, n×m, is the mixing matrix of ica or the loading matrix of fa, with x ≈ μ + Loadings z. It is nil for
	// other methods.
	Loadings *mat.Dense `json:"loadings"`
	// NoiseVariances has the n unique variances of fa. It is nil for other methods.
	NoiseVariances []float64 `json:"noise_variances"`

	// Noise is the feature noise σ². This field and all fields down to NoiseRows are set only for SQFA filters.
	Noise float64 `json:"noise"`
	// Shrinkage is the weight of the pooled covariance in the class covariances from which SQFA filters were learned.
	// It is nonzero only if an automatic noise was chosen for classes with few rows.
	Shrinkage float64 `json:"shrinkage"`
	// Distance and Aggregate name the objective of SQFA filters, Constraint names their constraint, and Classes has
	// the class names.
	Distance   string   `json:"distance"`
	Aggregate  string   `json:"aggregate"`
	Constraint string   `json:"constraint"`
	Classes    []string `json:"classes"`
	// Pairs are the final dissimilarities of the class pairs, with feature noise, in the order (0,1),
	// (0,2), …, (1,2), ….
	Pairs []float64 `json:"pairs"`
	// Learned is nonzero only if the fit maximized an approximation of the objective. It is then the final value of the
	// approximation; Report has the exact objective over all pairs.
	Learned float64 `json:"learned"`
	// NoiseGrid contains the candidates for an automatic noise, and NoiseScores their scores; the higher, the better. A
	// score is the mean log-probability, in nats, of the classes of the held-out rows or, if NoiseRows is 0, minus the
	// logarithm of a bound on the error rate. Both fields are nil if the noise was given.
	NoiseGrid   []float64 `json:"noise_grid"`
	NoiseScores []float64 `json:"noise_scores"`
	// NoiseAccuracies are the held-out accuracies of the candidates on NoiseRows rows. They are nil and 0 if the noise
	// was not chosen on rows.
	NoiseAccuracies []float64 `json:"noise_accuracies"`
	NoiseRows       int       `json:"noise_rows"`
	// Warnings describe problems that reduce the quality of the filters, one sentence each.
	Warnings []string `json:"warnings"`

	Report rao.Report `json:"report"` // how the fit ended; its objective is in the method's own unit
}

// Dims returns the numbers of input and output columns of Transform.
func (m *Model) Dims() (in, out int) { return m.Filters.Dims() }

var blocks = sync.Pool{New: func() any { return new([]float64) }}

// Transform writes the N×m features of the N×n rows of x to dst, which may be x; an empty dst is resized. It panics
// with mat.ErrShape if x does not have n columns or dst has a different shape. It costs 2 N n m operations and gives
// the same bits on any number of processors.
func (m *Model) Transform(dst *mat.Dense, x mat.Matrix) {
	n, k := m.Filters.Dims()
	in := rows.New(x)
	if in.Cols != n {
		panic(mat.ErrShape)
	}
	if rows.Shape(dst, in.Rows, k); in.Rows == 0 {
		return
	}
	if rows.Share(dst, x) {
		x = mat.DenseCopyOf(x)
		in = rows.New(x)
	}
	f, out := m.Filters.RawMatrix(), dst.RawMatrix()
	if in.F64 != nil && m.Center == nil {
		dense.Gemm(false, false, in.Rows, k, n, 1, in.F64, in.Stride, f.Data, f.Stride, 0, out.Data, out.Stride)
		return
	}
	block := min(max(linearfilters.TransformBlock/n, 16), max(in.Rows, 1))
	memory := blocks.Get().(*[]float64)
	defer blocks.Put(memory)
	buf := vec.Room(memory, block*n)
	for lo := 0; lo < in.Rows; lo += block {
		r := min(block, in.Rows-lo)
		in.Block(buf, lo, lo+r, m.Center)
		dense.Gemm(false, false, r, k, n, 1, buf, n, f.Data, f.Stride, 0, out.Data[lo*out.Stride:], out.Stride)
	}
}

// Validate returns an error if the exported fields contradict each other, or the filters, the center or the noise are
// not finite.
func (m *Model) Validate() error {
	if m.Filters == nil || m.Filters.IsEmpty() {
		return errors.New("there are no filters")
	}
	n, k := m.Filters.Dims()
	for i := range n {
		if bad := vec.NotFinite(m.Filters.RawRowView(i)); bad >= 0 {
			return fmt.Errorf("filter %d is not finite in dimension %d", bad, i)
		}
	}
	if m.Center != nil && len(m.Center) != n {
		return fmt.Errorf("the length of the center is %d, but the number of dimensions is %d; every dimension "+
			"needs one", len(m.Center), n)
	}
	if i := vec.NotFinite(m.Center); i >= 0 {
		return fmt.Errorf("the center is %g in dimension %d; it must be finite", m.Center[i], i)
	}
	if m.Values != nil && len(m.Values) != k {
		return fmt.Errorf("the number of values is %d, but the number of filters is %d; every filter needs one value",
			len(m.Values), k)
	}
	if m.Loadings != nil {
		if r, c := m.Loadings.Dims(); r != n || c != k {
			return fmt.Errorf("the loadings are %d×%d, but must be %d×%d", r, c, n, k)
		}
	}
	if m.NoiseVariances != nil && len(m.NoiseVariances) != n {
		return fmt.Errorf("the number of noise variances is %d, but the number of dimensions is %d; every dimension "+
			"needs one",
			len(m.NoiseVariances), n)
	}
	return m.validatePairs()
}

// validatePairs checks the fields of SQFA filters.
func (m *Model) validatePairs() error {
	if !vec.NotNegative(m.Noise) {
		return fmt.Errorf("the noise is %g; it must be a finite variance of 0 or more", m.Noise)
	}
	if strings.ContainsAny(m.Distance, " \t\n") || strings.ToLower(m.Distance) != m.Distance {
		// The dissimilarity may be registered only in another program, so only the form of its name is checked.
		return fmt.Errorf("%q is not the name of a dissimilarity", m.Distance)
	}
	if n, k := m.Filters.Dims(); m.Distance != "" && k > n {
		return fmt.Errorf("there are %d filters in %s, more filters than dimensions; use at most as many "+
			"filters as dimensions", k, text.Plural(n, "dimension", "dimensions"))
	}
	if c := len(m.Classes); len(m.Pairs) != 0 && len(m.Pairs) != classcolumns.NumPairs(c) {
		return fmt.Errorf("the number of dissimilarities is %d, but the number of classes is %d; every pair of "+
			"classes needs one",
			len(m.Pairs), c)
	}
	if len(m.NoiseGrid) != len(m.NoiseScores) {
		return fmt.Errorf("the number of noise candidates is %d, but the number of scores is %d; every "+
			"candidate needs one score", len(m.NoiseGrid), len(m.NoiseScores))
	}
	if k := len(m.NoiseAccuracies); k != 0 && k != len(m.NoiseGrid) || m.NoiseRows < 0 {
		return fmt.Errorf("the number of noise candidates is %d, but the number of accuracies on %s is %d; every "+
			"candidate needs one if there are rows", len(m.NoiseGrid), text.Plural(m.NoiseRows, "row", "rows"), k)
	}
	return nil
}

// Statistics returns the statistics of the features, without noise, from the statistics of the rows. It panics with
// mat.ErrShape unless stats and the filters have the same dimension.
func (m *Model) Statistics(stats *gaussian.Statistics) *gaussian.Statistics {
	return m.centered(stats.Project(m.Filters))
}

// StatisticsOf is like [Model.Statistics], but reads the statistics from a source, in one pass over its covariances. It
// returns an error if the source cannot be read, or the error of ctx if ctx is canceled.
func (m *Model) StatisticsOf(ctx context.Context, src *gaussian.Source) (*gaussian.Statistics, error) {
	out, err := src.Project(ctx, m.Filters)
	if err != nil {
		return nil, err
	}
	return m.centered(out), nil
}

func (m *Model) centered(features *gaussian.Statistics) *gaussian.Statistics {
	if m.Center == nil {
		return features
	}
	var shift mat.VecDense
	shift.MulVec(m.Filters.T(), mat.NewVecDense(len(m.Center), m.Center))
	return features.Affine(shift.RawVector().Data, []float64{1})
}
