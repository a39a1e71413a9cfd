package gaussian

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/classcolumns"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/moments"
	"rao/internal/par"
	"rao/internal/statsarrays"
)

// Structure describes the covariances in statistics:
//
//   - full statistics have a covariance for each class. It is the default;
//   - pooled statistics have one covariance, which is used for every class;
//   - diagonal statistics have the variances of the columns in each class, and treat columns as uncorrelated.
type Structure string

// Source is class statistics with covariances that are read one after the other, from a file ([OpenSource]) or from
// statistics in memory ([Statistics.Source]). The covariances need not be in memory together. Only one goroutine may
// use a Source at a time.
type Source struct {
	Structure Structure // which covariances there are
	Classes   []string  // class names, length c
	Counts    []int     // observations per class, length c
	Weights   []float64 // sum of the weights of each class's observations, length c; nil: each has weight 1
	Dim       int       // n, the number of dimensions
	Means     []float64 // c×n, row-major
	Columns   []string  // names of the columns; nil if unknown
	Inputs    *Inputs   // how rows of a table became the vectors; nil if unknown
	Parts     []Part    // the rows that the statistics are from, if known
	Labels    LabelType // type of the labels that the class names stand for
	Single    bool      // the covariances were stored in single precision and have seven digits

	// spread is the covariance within the classes of pooled statistics, n×n, with the number of observations minus the
	// number of classes as the divisor, or the variances of diagonal statistics, c×n, with the divisor count-1. It is
	// nil if the covariances are not stored in this form, or are scaled.
	spread   []float64
	each     walk
	scale    []float64   // one per column, or one for all; nil: none
	survey   *survey     // survey of the unscaled values; nil before the first pass
	loaded   *Statistics // the statistics, if Load need not copy them
	definite bool        // the covariances are known to be positive semidefinite
	close    func() error

	path           string    // path of the file; "" for statistics in memory
	unmarked       bool      // read from a file without rao's manifest
	cubic, quartic []float64 // higher moments of the unscaled values; nil if unknown
}

// walk yields the covariance of every class, in order.
type walk func(ctx context.Context, scale []float64, body func(i int, cov []float64) error) error

// survey contains the results of the first pass over the covariances, for later use.
type survey struct {
	variances []float64 // c×n
	within    []float64 // n×n: the classes' covariances weighted by their shares of the observations
}

// Source returns the statistics as a source, without copying them.
func (s *Statistics) Source() *Source {
	return &Source{Structure: statsarrays.Full, Classes: s.Classes, Counts: s.Counts, Weights: s.Weights, Dim: s.Dim,
		Means: s.Means, Columns: s.Columns, Inputs: s.Inputs, Labels: s.Labels, Single: s.Single,
		Parts: s.Parts, definite: true, cubic: s.Cubic, quartic: s.Quartic,
		each: inOrder(s.NumClasses(), s.Dim, s.cov)}
}

// NewSource returns a source of statistics with covariances that are computed on demand. covariance returns the
// covariance of class i, n×n and positive semidefinite, with both triangles in its raw data; it must stay unchanged
// until the next call. means is c×n.
func NewSource(classes []string, counts []int, means []float64, covariance func(i int) *mat.SymDense) *Source {
	n := len(means) / len(counts)
	return &Source{Structure: statsarrays.Full, Classes: classes, Counts: counts, Dim: n, Means: means, definite: true,
		each: inOrder(len(counts), n, func(i int) []float64 { return covariance(i).RawSymmetric().Data })}
}

// inOrder yields covariances that are computed one at a time.
func inOrder(c, n int, covariance func(i int) []float64) walk {
	return func(ctx context.Context, scale []float64, body func(i int, cov []float64) error) error {
		var scaled []float64
		for i := range c {
			if err := ctx.Err(); err != nil {
				return err
			}
			cov := covariance(i)
			if scale != nil {
				scaled = append(scaled[:0], cov...)
				scaleCovariance(scaled, n, scale)
				cov = scaled
			}
			if err := body(i, cov); err != nil {
				return err
			}
		}
		return nil
	}
}

// scaleCovariance scales column j of the data by scale[j], or every column by scale[0] if there is only one.
func scaleCovariance(cov []float64, n int, scale []float64) {
	par.For(n, moments.RowGrain(n), func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			row := cov[j*n : (j+1)*n]
			if len(scale) == 1 {
				for k := range row {
					row[k] *= scale[0] * scale[0]
				}
				continue
			}
			for k := range row {
				row[k] *= scale[j] * scale[k]
			}
		}
	})
}

// NumClasses returns the number of classes.
func (s *Source) NumClasses() int { return len(s.Counts) }

func (s *Source) mean(i int) []float64 { return s.Means[i*s.Dim : (i+1)*s.Dim] }

// priors returns the classes' shares of the observations.
func (s *Source) priors() []float64 { return classcolumns.Shares(s.Counts, s.Weights) }

// Close closes the file of the source. It does nothing if the statistics are in memory.
func (s *Source) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// Stream returns s, or an error unless every class has at least two observations.
func (s *Source) Stream(context.Context) (*Source, error) {
	return s, classcolumns.Enough(s.Counts, s.Weights, 1, s.Classes)
}

// walk calls body with the covariance of every class, n×n row-major with both triangles, in the order of the classes.
// body must neither retain nor change it. walk returns an error that names the class if its covariance is impossible
// for real data. At the end of the first pass it returns an error if the file was altered.
func (s *Source) walk(ctx context.Context, body func(i int, cov []float64) error) error {
	return s.each(ctx, s.scale, body)
}

// Affine returns a source of the statistics of (x-shift)·scale, like [Statistics.Affine]. It shares the file with s.
func (s *Source) Affine(shift, scale []float64) *Source {
	n := s.Dim
	factor := moments.Factor(n, shift, scale)
	out := *s
	out.Means, out.scale, out.spread, out.loaded = slices.Clone(s.Means), slices.Clone(scale), nil, nil
	if s.scale != nil {
		out.scale = make([]float64, max(len(scale), len(s.scale)))
		before := moments.Factor(n, nil, s.scale)
		for j := range out.scale {
			out.scale[j] = factor(j) * before(j)
		}
	}
	for k := range out.Means {
		if shift != nil {
			out.Means[k] -= shift[k%n]
		}
		out.Means[k] *= factor(k % n)
	}
	if v := s.survey; v != nil {
		out.survey = &survey{slices.Clone(v.variances), slices.Clone(v.within)}
		scaleCovariance(out.survey.within, n, scale)
		for k := range v.variances {
			out.survey.variances[k] *= factor(k%n) * factor(k%n)
		}
	}
	return &out
}

// firstPass makes the first pass over the covariances, if there has been none.
func (s *Source) firstPass(ctx context.Context) (*survey, error) {
	if s.survey != nil {
		return s.survey, nil
	}
	c, n := s.NumClasses(), s.Dim
	v := &survey{make([]float64, c*n), make([]float64, n*n)}
	share := s.priors()
	err := s.walk(ctx, func(i int, cov []float64) error {
		for j := range n {
			v.variances[i*n+j] = cov[j*n+j]
		}
		moments.AddUpper(v.within, share[i], cov, n)
		return nil
	})
	if err != nil {
		return nil, err
	}
	dense.Mirror(n, v.within, n)
	s.survey = v
	return v, nil
}

// Variances returns the variances of the columns in each class, c×n row-major. It makes one pass over the covariances,
// unless an earlier call has made it. It returns an error if a covariance cannot be read or is impossible for real
// data, or if ctx is canceled.
func (s *Source) Variances(ctx context.Context) ([]float64, error) {
	v, err := s.firstPass(ctx)
	if err != nil {
		return nil, err
	}
	return v.variances, nil
}

// Pooled is like [Statistics.Pooled], with the shares of the observations as the priors. It makes one pass over the
// covariances, unless an earlier call has made it, and returns the errors of [Source.Variances].
func (s *Source) Pooled(ctx context.Context) (mean []float64, within, between, total *mat.SymDense, err error) {
	v, err := s.firstPass(ctx)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	n := s.Dim
	mean, b := moments.Between(s.Means, s.priors(), n)
	t := slices.Clone(b)
	vec.Axpy(t, 1, v.within)
	return mean, mat.NewSymDense(n, v.within), mat.NewSymDense(n, b), mat.NewSymDense(n, t), nil
}

// Products calls body with Φ_i F, n×m, for every class i, in the order of the classes; Φ_i is the covariance of the
// class, and F is n×m. body must not retain the product. Products makes one pass over the covariances. It returns the
// errors of [Source.Variances] and of body, and panics with mat.ErrShape if F does not have n rows.
func (s *Source) Products(ctx context.Context, f *mat.Dense, body func(i int, product *mat.Dense) error) error {
	n := s.Dim
	raw := f.RawMatrix()
	if raw.Rows != n {
		panic(mat.ErrShape)
	}
	out := mat.NewDense(n, raw.Cols, nil)
	return s.walk(ctx, func(i int, cov []float64) error {
		multiplyCovariance(out.RawMatrix().Data, cov, n, raw.Data, raw.Cols, raw.Stride)
		return body(i, out)
	})
}

// multiplyCovariance writes Φ F to t, n×m.
func multiplyCovariance(t, cov []float64, n int, f []float64, m, ld int) {
	if m <= skinny {
		dense.Project(n, m, cov, n, f, ld, t, m)
		return
	}
	dense.Gemm(true, false, n, m, n, 1, cov, n, f, ld, 0, t, m) // Φ is its own transpose, which is packed faster
}

// Project is like [Statistics.Project]: it returns the statistics of F'x for filters F, n×m, in memory. It makes one
// pass over the covariances, and returns the errors of [Source.Variances].
func (s *Source) Project(ctx context.Context, f *mat.Dense) (*Statistics, error) {
	n, raw := s.Dim, f.RawMatrix()
	m := raw.Cols
	out := New(s.Classes, m)
	copy(out.Counts, s.Counts)
	out.Weights = slices.Clone(s.Weights)
	out.Parts, out.Single = s.Parts, s.Single
	dense.Gemm(false, false, s.NumClasses(), m, n, 1, s.Means, n, raw.Data, raw.Stride, 0, out.Means, m)
	err := s.Products(ctx, f, func(i int, product *mat.Dense) error {
		cov, t := out.cov(i), product.RawMatrix().Data
		dense.Gemm(true, false, m, m, n, 1, raw.Data, raw.Stride, t, m, 0, cov, m)
		vec.Symmetrize(cov, m)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, s.checkDefinite(out)
}

// checkDefinite checks statistics that were read from a file.
func (s *Source) checkDefinite(read *Statistics) error {
	if s.definite {
		return nil
	}
	if err := read.arrays().CheckDefinite(); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	return nil
}

// Load returns the statistics with all covariances in memory. It returns an error if a covariance cannot be read or is
// invalid (see [ReadFile]), or if ctx is canceled.
func (s *Source) Load(ctx context.Context) (*Statistics, error) {
	if s.loaded != nil {
		return s.loaded, nil
	}
	if err := statsarrays.CheckSize(s.Dim, s.NumClasses()); err != nil {
		return nil, err
	}
	out := New(s.Classes, s.Dim)
	copy(out.Counts, s.Counts)
	out.Weights = slices.Clone(s.Weights)
	copy(out.Means, s.Means)
	out.Columns, out.Inputs, out.Parts, out.Labels, out.Single = s.Columns, s.Inputs, s.Parts, s.Labels, s.Single
	if s.scale == nil {
		out.Cubic, out.Quartic = s.cubic, s.quartic
	}
	err := s.walk(ctx, func(i int, cov []float64) error {
		copy(out.cov(i), cov)
		return nil
	})
	if err == nil {
		err = out.check()
	}
	if err == nil {
		err = s.checkDefinite(out)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}
