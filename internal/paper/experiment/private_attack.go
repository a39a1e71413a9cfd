package experiment

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/gaussian"
	"rao/internal/linalg/vec"
	"rao/internal/privacy"
	"rao/internal/scoring"
	"rao/internal/subclasses"
)

// ofClass is what statistics reveal about a class: its mean, the directions in which its rows differ, and its
// covariance in these directions.
type ofClass struct {
	mean       []float64
	components *mat.Dense    // columns×d, orthonormal
	covariance *mat.SymDense // d×d
}

// plainClass returns the plain statistics of rows, in all directions in which they differ.
func plainClass(x *mat.Dense) (*ofClass, error) {
	n, _ := x.Dims()
	s, err := gaussian.Estimate(x, make([]int, n), []string{"class"})
	if err != nil {
		return nil, err
	}
	b, err := subclasses.BasisOf(s, n-1)
	if err != nil {
		return nil, err
	}
	covariance := mat.NewSymDense(len(b.Variances), nil)
	for i, v := range b.Variances {
		covariance.SetSym(i, i, v)
	}
	return &ofClass{b.Center, b.Components, covariance}, nil
}

func privateClass(s *subclasses.Statistics, class int) *ofClass {
	_, d := s.Basis.Dims()
	c := &ofClass{slices.Clone(s.Basis.Center), s.Basis.Components,
		mat.NewSymDense(d, s.Components.Covariances[class*d*d:(class+1)*d*d])}
	mean := mat.NewVecDense(len(c.mean), c.mean)
	var shift mat.VecDense
	shift.MulVec(s.Basis.Components, mat.NewVecDense(d, s.Components.Means[class*d:(class+1)*d]))
	mean.AddVec(mean, &shift)
	return c
}

// factor returns B with min(d, n-1) rows such that BᵀB is n-1 times the covariance of n rows. If d is greater than n-1,
// it leaves out the directions with the smallest variances.
func (c *ofClass) factor(n int) *mat.Dense {
	var e mat.EigenSym
	e.Factorize(c.covariance, true)
	var v, b mat.Dense
	e.VectorsTo(&v)
	b.Mul(v.T(), c.components.T())
	values := e.Values(nil) // ascending
	d := len(values)
	for i, value := range values {
		f := math.Sqrt(max(0, value) * float64(n-1))
		row := b.RawRowView(i)
		for j := range row {
			row[j] *= f
		}
	}
	_, columns := b.Dims()
	return mat.DenseCopyOf(b.Slice(d-min(d, n-1), d, 0, columns))
}

// attackStarts limits the random starts of an attack.
const attackStarts = 3

// rebuild searches for n rows that have the mean and covariance of a class and values within the range. It tries a few
// random starts, because a search may end in a local optimum with values outside the range.
func rebuild(ctx context.Context, c *ofClass, n int, low, high float64, seed uint64) (*mat.Dense, error) {
	var best *mat.Dense
	least := math.Inf(1)
	rng := rand.New(rand.NewPCG(seed, 0x4eb))
	for range attackStarts {
		x, outside, err := c.search(ctx, n, low, high, rng)
		if err != nil {
			return nil, err
		}
		if outside < least {
			best, least = x, outside
		}
		if least <= 1e-3*(high-low) {
			break
		}
	}
	return best, nil
}

// search runs [rebuild] from one random start. It returns the rows, and how far their values are outside the range. All
// sets of rows with the mean m and the covariance B'B/(n−1) have the form 1m' + HQB, where the columns of H are an
// orthonormal basis of the vectors that sum to zero, and Q is an unknown matrix with orthonormal columns. The search
// alternates between clipping the values to the range and choosing the nearest Q, until the values are within the
// range.
func (c *ofClass) search(ctx context.Context, n int, low, high float64, rng *rand.Rand) (*mat.Dense, float64, error) {
	b, h := c.factor(n), contrasts(n)
	k, columns := b.Dims()
	m := mat.NewDense(n-1, k, nil)
	for i := range n - 1 {
		for j := range k {
			m.Set(i, j, rng.NormFloat64())
		}
	}
	x, inside := mat.NewDense(n, columns, nil), mat.NewDense(n, columns, nil)
	var svd mat.SVD
	var u, v, q, hq, xb mat.Dense
	outside := 0.0
	for range 1000 {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		if !svd.Factorize(m, mat.SVDThin) {
			return nil, 0, fmt.Errorf("the singular values of a matrix of order %d were not found", n-1)
		}
		svd.UTo(&u)
		svd.VTo(&v)
		q.Mul(&u, v.T())
		hq.Mul(h, &q)
		x.Mul(&hq, b)
		outside = 0
		for i := range n {
			row, to := x.RawRowView(i), inside.RawRowView(i)
			for j := range row {
				row[j] += c.mean[j]
				to[j] = min(max(row[j], low), high)
				outside = max(outside, math.Abs(row[j]-to[j]))
			}
		}
		if outside <= 1e-4*(high-low) {
			break
		}
		xb.Mul(inside, b.T())
		m.Mul(h.T(), &xb)
		u.Reset()
		v.Reset()
	}
	return x, outside, nil
}

// contrasts returns n×(n-1) orthonormal columns that sum to zero (Helmert).
func contrasts(n int) *mat.Dense {
	h := mat.NewDense(n, n-1, nil)
	for j := range n - 1 {
		f := 1 / math.Sqrt(float64((j+1)*(j+2)))
		for i := range j + 1 {
			h.Set(i, j, f)
		}
		h.Set(j+1, j, -f*float64(j+1))
	}
	return h
}

// matched returns, for each row, the largest correlation with one of the rebuilt rows, and the largest error of that
// rebuilt row.
func matched(rows, rebuilt *mat.Dense) (correlations, errors []float64) {
	n, _ := rows.Dims()
	m, _ := rebuilt.Dims()
	var c mat.Dense
	c.Mul(standardized(rows), standardized(rebuilt).T())
	for i := range n {
		best := 0
		for j := range m {
			if c.At(i, j) > c.At(i, best) {
				best = j
			}
		}
		worst := 0.0
		for k, v := range rows.RawRowView(i) {
			worst = max(worst, math.Abs(v-rebuilt.At(best, k)))
		}
		correlations, errors = append(correlations, c.At(i, best)), append(errors, worst)
	}
	return correlations, errors
}

// standardized returns the rows with mean zero and length one.
func standardized(x *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(x)
	n, _ := x.Dims()
	for i := range n {
		row := out.RawRowView(i)
		mean, sd := scoring.MeanSD(row)
		for j := range row {
			row[j] = (row[j] - mean) / (sd * math.Sqrt(float64(len(row)-1)))
		}
	}
	return out
}

// attackedEpsilons are the guarantees that are attacked. 0 means plain statistics.
var attackedEpsilons = []float64{0, 1, 8}

func attackedName(epsilon float64) string {
	if epsilon == 0 {
		return "plain"
	}
	return fmt.Sprintf("private, ε %g", epsilon)
}

// reconstruction writes the table of rows rebuilt from statistics.
func (r *Run) reconstruction(ctx context.Context, l *labeled, domain privacy.Domain) error {
	t := r.Table("reconstruction", "Rows rebuilt from the statistics of a class", "statistics", "rows per class",
		"rows attacked", "rebuilt", "largest error, % of the range", "median correlation of a row with the most "+
			"similar rebuilt row",
		"median correlation of rows that were not in the file")
	low, high := domain.Low[0], domain.High[0]
	sizes := []int{10, 50}
	if r.Short {
		sizes = []int{10}
	}
	for _, n := range sizes {
		for _, epsilon := range attackedEpsilons {
			var in, out, errors []float64
			rebuilt := 0
			for draw := range r.Pick(5, 2) {
				members, others := split(l.train, n, r.Seed+uint64(draw))
				c, err := r.classOf(ctx, members, draw, epsilon, domain, r.Seed+uint64(draw))
				if err != nil {
					return err
				}
				x, err := rebuild(ctx, c, n, low, high, r.Seed+uint64(draw))
				if err != nil {
					return err
				}
				a, e := matched(rowsOfClass(members, draw), x)
				b, _ := matched(rowsOfClass(others, draw), x)
				in, out, errors = append(in, a...), append(out, b...), append(errors, e...)
				r.progress("reconstruction", draw+1, r.Pick(5, 2))
			}
			for _, e := range errors {
				if e <= 0.02*(high-low) {
					rebuilt++
				}
			}
			t.Add(attackedName(epsilon), n, len(in), rebuilt, 100*slices.Max(errors)/(high-low),
				fmt.Sprintf("%.3f", vec.Median(in)), fmt.Sprintf("%.3f", vec.Median(out)))
			switch {
			case r.Short || n != 50:
			case epsilon == 0:
				r.Claim("From plain statistics of classes of 50 rows, all rows are rebuilt", rebuilt == len(in),
					"%d of %d", rebuilt, len(in))
			default:
				r.Claim(fmt.Sprintf("From private statistics of classes of 50 rows at ε %g, no row is rebuilt, and "+
					"the "+
					"result is as similar to other rows as to the rows in the file (correlations within "+
					"0.02)", epsilon),
					rebuilt == 0 && vec.Median(in)-vec.Median(out) <= 0.02,
					"%d of %d; correlation %.3f with rows in the file, %.3f with others", rebuilt, len(in),
					vec.Median(in), vec.Median(out))
			}
		}
	}
	return nil
}

// classOf returns the statistics of a class. If epsilon is 0, they are plain statistics.
func (r *Run) classOf(ctx context.Context, d *dataset.Data, class int, epsilon float64, domain privacy.Domain,
	seed uint64) (*ofClass, error) {
	if epsilon == 0 {
		return plainClass(rowsOfClass(d, class))
	}
	s, err := releasedStatistics(ctx, d, domain, epsilon, seed)
	if err != nil {
		return nil, err
	}
	return privateClass(s, class), nil
}

// releasedStatistics returns the statistics in a release of the default kind.
func releasedStatistics(ctx context.Context, d *dataset.Data, domain privacy.Domain, epsilon float64,
	seed uint64) (*subclasses.Statistics, error) {
	released, err := release(ctx, d, domain, epsilon, seed)
	if err != nil {
		return nil, err
	}
	return released.Subclasses()
}

// membership writes the table of attacks that use only the file.
func (r *Run) membership(ctx context.Context, l *labeled, domain privacy.Domain) error {
	t := r.Table("membership", "How often an attacker who has only the file distinguishes a row in the file "+
		"from another row of its class", "statistics", "rows per class", "correct guesses, % of pairs",
		"bound, % of pairs")
	n, draws := r.Pick(50, 10), r.Pick(5, 2)
	for _, epsilon := range attackedEpsilons {
		var right []float64
		for draw := range draws {
			seed := r.Seed + uint64(draw)
			members, others := split(l.train, n, seed)
			var s *subclasses.Statistics
			if epsilon > 0 {
				var err error
				if s, err = releasedStatistics(ctx, members, domain, epsilon, seed); err != nil {
					return err
				}
			}
			for k := range members.Classes {
				in, out := rowsOfClass(members, k), rowsOfClass(others, k)
				var c *ofClass
				score := (*ofClass).nearness
				if s != nil {
					c = privateClass(s, k)
				} else {
					var err error
					if c, err = plainClass(in); err != nil {
						return err
					}
					score = (*ofClass).inSpan
				}
				right = append(right, rankAUC(score(c, in), score(c, out)))
			}
			r.progress("membership", draw+1, draws)
		}
		mean, sd := scoring.MeanSD(right)
		error3 := 3 * sd / math.Sqrt(float64(len(right)))
		bound := 1.0
		if epsilon > 0 {
			// replacing a row changes the sums at most twice as much as leaving it out
			bound = privacy.AttackAUC(2 * privacy.Guarantee{Epsilon: epsilon, Delta: privateDelta}.Rho())
		}
		t.Add(attackedName(epsilon), n, fmt.Sprintf("%.1f", 100*mean), fmt.Sprintf("%.1f", 100*bound))
		switch {
		case r.Short:
		case epsilon == 0:
			r.Claim("Plain statistics of classes of 50 rows show exactly which rows are in the file", mean > 1-1e-9,
				"%.1f %% of pairs", 100*mean)
		default:
			r.Claim(fmt.Sprintf("At ε %g, an attacker who has only the file stays within the bound", epsilon),
				mean <= bound+error3, "%.1f %% of pairs, bound %.1f %%", 100*mean, 100*bound)
		}
	}
	return nil
}

// centered returns the rows minus the mean, and their components.
func (c *ofClass) centered(x *mat.Dense) (about, components *mat.Dense) {
	about, components = mat.DenseCopyOf(x), &mat.Dense{}
	n, _ := x.Dims()
	for i := range n {
		row := about.RawRowView(i)
		for j := range row {
			row[j] -= c.mean[j]
		}
	}
	components.Mul(about, c.components)
	return about, components
}

// inSpan measures the part of each row outside the directions in which the rows of the class differ. It returns minus
// the squared length of this part, which is zero for the rows in the file.
func (c *ofClass) inSpan(x *mat.Dense) []float64 {
	about, z := c.centered(x)
	n, _ := x.Dims()
	scores := make([]float64, n)
	for i := range n {
		scores[i] = mat.Dot(z.RowView(i), z.RowView(i)) - mat.Dot(about.RowView(i), about.RowView(i))
	}
	return scores
}

// nearness returns minus the squared Mahalanobis distance of each row.
func (c *ofClass) nearness(x *mat.Dense) []float64 {
	_, z := c.centered(x)
	n, _ := x.Dims()
	scores := make([]float64, n)
	var chol mat.Cholesky
	if !chol.Factorize(c.covariance) {
		panic("experiment: a private covariance is not positive definite") // impossible: its eigenvalues were raised
	}
	for i := range n {
		var w mat.VecDense
		if err := chol.SolveVecTo(&w, z.RowView(i)); err != nil {
			panic("experiment: " + err.Error())
		}
		scores[i] = -mat.Dot(z.RowView(i), &w)
	}
	return scores
}

// rankAUC returns the fraction of pairs in which the member has the larger score. A tie counts half.
func rankAUC(with, without []float64) float64 {
	without = slices.Sorted(slices.Values(without))
	total := 0.0
	for _, v := range with {
		below := sort.SearchFloat64s(without, v)
		to := below + sort.Search(len(without)-below, func(i int) bool { return without[below+i] > v })
		total += float64(below+to) / 2
	}
	return total / float64(len(with)*len(without))
}
