package feature

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/ritz"
	"rao/internal/linalg/vec"
	"rao/internal/linearfilters"
	"rao/internal/rows"
	"rao/internal/text"
	"rao/spd"
)

// CSPOptions are the options of [FitCSP]. The zero value selects four filters, or one per channel if there are fewer
// than four, and divides each covariance by its trace.
type CSPOptions struct {
	// Filters is the number of filters, at most the number of channels. 0 means 4.
	Filters int
	// KeepPower averages the covariances without normalization, so trials with more power count more. If it is false,
	// each covariance is first divided by its trace.
	KeepPower bool
	// Metric is the metric of the class means. Empty means spd.Euclid. The Riemannian mean is less sensitive to
	// trials with outliers.
	Metric spd.Metric
	// Shrinkage, from 0 to 1, shrinks every class mean towards the multiple of the identity with the same trace. This
	// regularizes the filters if there are few trials or highly correlated channels.
	Shrinkage float64
	// OneVersusRest learns filters for each class that separate it from all others. It then selects the best filter of
	// each class, the second best of each class, and so on. It requires at least three classes.
	OneVersusRest bool
	// MaxIter limits the sweeps of the joint diagonalization for more than two classes; default 5000.
	MaxIter int
	// Tol ends the joint diagonalization when the largest change of a sweep is at most Tol; default 1e-9.
	Tol float64
}

// CSP is a fitted model of common spatial patterns: filters w for which the variances w'Cw differ most between the
// classes (Koles, 1991; Ramoser et al., 2000). For more than two classes, the filters diagonalize all class means
// jointly, and are ordered by their mutual information with the class (Grosse-Wentrup and Buss, 2008).
type CSP struct {
	// Filters is channels×m, one filter per column. The filters are scaled: a signal whose covariance is the mean of
	// the class means has variance 1 after each filter. The class means, also for Scores, are means of covariances
	// that were divided by their mean diagonal element, unless the fit kept the power of the trials.
	Filters  *mat.Dense `json:"filters"`
	Patterns *mat.Dense `json:"patterns"` // channels×m: the pattern of each source at the electrodes, for scalp maps
	// Scores has one value per filter. For two classes, it is the share of the first class in the variance of the
	// filtered signals. For more classes, it is the mutual information with the class or, for filters of one class
	// against the rest, the share of that class in the variance.
	Scores  []float64  `json:"scores"`
	Classes []string   `json:"classes"` // class names
	Report  rao.Report `json:"report"`  // how the fit ended
}

// FitCSP learns spatial filters from labeled covariance matrices. Labels are indices into classes. For two classes the
// solution has a closed form. For more classes, and for class means in some metrics, it is iterative: if the tolerance
// is not reached, FitCSP returns a usable model and a *rao.NotConvergedError. Other errors report an option out of
// range, a class without trials, or covariances that are not positive definite. It panics with mat.ErrShape if the
// numbers of labels and matrices differ.
func FitCSP(ctx context.Context, x *spd.Stack, labels []int, classes []string, opt CSPOptions) (*CSP, error) {
	if err := x.Validate(); err != nil {
		return nil, err
	}
	if len(labels) != x.Count {
		panic(mat.ErrShape)
	}
	opt.Filters = cmp.Or(opt.Filters, min(4, x.Dim))
	if opt.Filters < 1 || opt.Filters > x.Dim {
		return nil, faults.Option("%d spatial filters were requested for %s; choose a number between 1 and %d",
			opt.Filters, text.Plural(x.Dim, "channel", "channels"),
			x.Dim)
	}
	if !(opt.Shrinkage >= 0 && opt.Shrinkage <= 1) {
		return nil, faults.Option("the shrinkage is %g; it must be between 0 and 1", opt.Shrinkage)
	}
	means, shares, unsettled := classMeans(ctx, x, labels, classes, opt)
	if means == nil {
		return nil, unsettled
	}
	model := &CSP{Classes: slices.Clone(classes), Report: rao.Report{Status: rao.StatusClosed}}
	if opt.OneVersusRest {
		err := model.oneVersusRest(ctx, x, labels, opt)
		if model.Filters == nil {
			return nil, err
		}
		return model, errors.Join(unsettled, err)
	}
	n := x.Dim
	total := averageOf(means)
	white, err := linearfilters.WhitenerOfAll(total, n)
	if err != nil {
		return nil, err
	}
	var vectors *mat.Dense // columns in the whitened space, orthonormal or nearly
	var scores []float64
	var fitErr error
	if len(means) == 2 {
		vectors, scores = twoClass(white, means[0], n)
	} else {
		vectors, scores, fitErr = jointly(ctx, white, means, shares, n, opt, &model.Report)
		if vectors == nil {
			return nil, fitErr
		}
	}
	full := mat.NewDense(n, n, nil)
	full.Mul(white, vectors)
	model.choose(full, scores, opt.Filters, len(means) == 2)
	patterns, err := patternsOf(full, total)
	if err != nil {
		return nil, err
	}
	model.Patterns = mat.DenseCopyOf(patterns.Slice(0, n, 0, opt.Filters))
	return model, errors.Join(unsettled, fitErr)
}

func averageOf(means [][]float64) []float64 {
	total := make([]float64, len(means[0]))
	for _, m := range means {
		for i, v := range m {
			total[i] += v / float64(len(means))
		}
	}
	return total
}

// twoClass diagonalizes the covariance of the first class in the space whitened by the mean of both classes. The scores
// are λ/2, in [0,1]: the share of the first class in a source's variance.
func twoClass(white *mat.Dense, first []float64, n int) (*mat.Dense, []float64) {
	var e mat.EigenSym
	whitened := new(spd.Stack)
	spd.Congruence(whitened, spd.StackOf(1, n, first), white)
	e.Factorize(whitened.View(0), true)
	scores := e.Values(nil)
	for i := range scores {
		scores[i] /= 2
	}
	var v mat.Dense
	e.VectorsTo(&v)
	return &v, scores
}

// choose keeps the best m columns of full. For two classes, the best columns have a share farthest from one half. For
// more classes, they have the most mutual information.
func (c *CSP) choose(full *mat.Dense, scores []float64, m int, two bool) {
	n := len(scores)
	merit := func(i int) float64 {
		if two {
			return math.Abs(scores[i] - 0.5)
		}
		return scores[i]
	}
	order := indices.Sorted(n, func(i, j int) int { return cmp.Compare(merit(j), merit(i)) })
	permuted := mat.NewDense(n, n, nil)
	for j, k := range order {
		permuted.SetCol(j, mat.Col(nil, k, full))
	}
	full.Copy(permuted)
	ritz.FixSigns(full.RawMatrix().Data, n, n)
	c.Filters = mat.DenseCopyOf(full.Slice(0, n, 0, m))
	for _, k := range order[:m] {
		c.Scores = append(c.Scores, scores[k])
	}
}

// Dims returns the numbers of channels and of filters.
func (c *CSP) Dims() (in, out int) { return c.Filters.Dims() }

// Transform writes to dst the usual features for a classifier, N×m: the logarithm of the variance of each trial after
// each filter. An empty dst is resized. It panics with mat.ErrShape if the shapes do not match. If a filtered variance
// is not positive, its logarithm is NaN or −Inf.
func (c *CSP) Transform(dst *mat.Dense, x *spd.Stack) {
	n, m := c.Filters.Dims()
	if x == nil || x.Dim != n {
		panic(mat.ErrShape)
	}
	rows.Shape(dst, x.Count, m)
	for k := range x.Count {
		a := x.At(k)
		for j := range m {
			v := 0.0
			for p := range n {
				row := 0.0
				for q := range n {
					row += a[p*n+q] * c.Filters.At(q, j)
				}
				v += row * c.Filters.At(p, j)
			}
			dst.Set(k, j, math.Log(v))
		}
	}
}

// Map writes the covariances of the filtered signals, W'XW (m×m each), to dst. An empty dst is resized; another shape
// panics with mat.ErrShape. It returns an error if a matrix is not symmetric, not finite, or has the wrong order.
func (c *CSP) Map(dst, x *spd.Stack) error {
	return linearfilters.Map(dst, x, c.Filters)
}

// Validate returns an error if the fields contradict each other or are not finite.
func (c *CSP) Validate() error {
	if c.Filters == nil || c.Patterns == nil || c.Filters.IsEmpty() {
		return fmt.Errorf("the model has no filters or no patterns; fit it again")
	}
	n, m := c.Filters.Dims()
	if pn, pm := c.Patterns.Dims(); pn != n || pm != m || len(c.Scores) != m || len(c.Classes) < 2 {
		return fmt.Errorf("the model has %d×%d filters, %d×%d patterns, %d scores and %d classes, which do not "+
			"match",
			n, m, pn, pm, len(c.Scores), len(c.Classes))
	}
	for _, d := range []*mat.Dense{c.Filters, c.Patterns, mat.NewDense(1, m, c.Scores)} {
		r, _ := d.Dims()
		for i := range r {
			if j := vec.NotFinite(d.RawRowView(i)); j >= 0 {
				return fmt.Errorf("the filters or patterns contain %g at row %d, column %d; all values must be "+
					"finite", d.At(i, j), i, j)
			}
		}
	}
	return nil
}
