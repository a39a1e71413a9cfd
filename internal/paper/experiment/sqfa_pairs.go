package experiment

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/indices"
	"rao/internal/naming"
	"rao/internal/par"
	"rao/report"
	"rao/sqfa"
)

// pairProtocol describes how dissimilarities are compared with the error.
const pairProtocol = "The two classes of a pair are equally probable. The error of their Bayes classifier is " +
	"estimated from 20000 draws. ρ is Spearman's rank correlation of a dissimilarity with the error. A short run has " +
	"60 pairs of 2000 draws."

var pairNotes = []string{
	"Intervals are 95 % intervals from 1000 bootstrap samples of the pairs. p is twice the share of the samples in " +
		"which the difference from the Fisher-Rao distance changes its sign.",
}

// pairDissimilarities are the dissimilarities that are compared with the error.
var pairDissimilarities = []string{"fisher_rao", "calvo_oller", "bhattacharyya", "hellinger", "jeffreys", "wasserstein"}

// family is a distribution of random pairs of Gaussians.
type family struct {
	name string
	draw func(rng *rand.Rand) *gaussian.Statistics
}

// randomPairs returns an experiment on pairs of random Gaussians in one or two dimensions.
func randomPairs(dim int) func(context.Context, *Run) error {
	return func(ctx context.Context, r *Run) error {
		f := family{fmt.Sprintf("means and covariances, %d dimensions", dim), randomPair(dim)}
		s, err := r.pairStudy(ctx, f, uint64(dim), r.Pick(400, 60))
		if err != nil {
			return err
		}
		r.rankTable("Rank correlation of each dissimilarity with the Bayes error", s)
		var panels []*report.Figure
		for _, k := range []int{0, 1, 2, 5} {
			panels = append(panels, report.Scatter(pairDissimilarities[k],
				[]report.Points{{X: s.values[k], Y: s.errors}},
				report.PlotOptions{X: report.Axis{Label: pairDissimilarities[k]},
					Y: report.Axis{Label: "Bayes error"}}))
		}
		r.Figure("scatter", report.Panels("Bayes error over dissimilarities, random pairs", 2, panels...))
		return nil
	}
}

// study contains the results for a family of pairs: the dissimilarities and Bayes errors of all pairs, and the rank
// correlation of each dissimilarity with the error.
type study struct {
	values    [][]float64 // by dissimilarity and pair
	errors    []float64
	rho, p    []float64 // by dissimilarity
	low, high []float64
}

func (s *study) interval(k int) string { return fmt.Sprintf("%.4f to %.4f", s.low[k], s.high[k]) }

// rankTable writes the results for one family of pairs.
func (r *Run) rankTable(caption string, s *study) {
	t := r.Table("rank", caption, "dissimilarity", "Spearman's ρ", "95 % interval", "p against fisher_rao")
	for k, n := range pairDissimilarities {
		t.Add(n, s.rho[k], s.interval(k), pValue(s.p[k]))
	}
}

// pairStudy draws pairs of a family and compares dissimilarities with the error of the pair.
func (r *Run) pairStudy(ctx context.Context, f family, stream uint64, count int) (*study, error) {
	draws := r.Pick(20000, 2000)
	s := &study{values: zeros(len(pairDissimilarities), count), errors: make([]float64, count)}
	rng := rand.New(rand.NewPCG(r.Seed, stream))
	pairs := make([]*gaussian.Statistics, count)
	for i := range pairs {
		pairs[i] = f.draw(rng)
	}
	err := each(ctx, count, func(i int) error {
		for k, n := range pairDissimilarities {
			d, err := pairDistance(pairs[i], n)
			if err != nil {
				return err
			}
			s.values[k][i] = d
		}
		var err error
		s.errors[i], err = pairError(pairs[i], draws, r.Seed*1000+stream*100000+uint64(i))
		return err
	})
	if err != nil {
		return nil, err
	}
	s.bootstrap(r.Pick(1000, 100), r.Seed)
	return s, nil
}

// bootstrap computes the correlations, their intervals, and the p-values of their differences from the first
// correlation.
func (s *study) bootstrap(samples int, seed uint64) {
	for k := range s.values {
		s.rho = append(s.rho, spearman(s.values[k], s.errors))
	}
	boot := zeros(len(s.values), samples)
	par.For(samples, 1, func(_, lo, hi int) {
		for b := lo; b < hi; b++ {
			rng := rand.New(rand.NewPCG(seed, 1<<32+uint64(b)))
			drawn := make([]int, len(s.errors))
			for i := range drawn {
				drawn[i] = rng.IntN(len(drawn))
			}
			for k := range s.values {
				boot[k][b] = spearman(indices.Pick(s.values[k], drawn), indices.Pick(s.errors, drawn))
			}
		}
	})
	for k := range boot {
		crossed, observed := 0, s.rho[k]-s.rho[0]
		for b := range samples {
			if (boot[k][b]-boot[0][b])*observed <= 0 {
				crossed++
			}
		}
		p := math.Min(1, 2*math.Max(1, float64(crossed))/float64(samples))
		if k == 0 {
			p = math.NaN()
		}
		s.p = append(s.p, p)
		sorted := slices.Sorted(slices.Values(boot[k]))
		s.low, s.high = append(s.low, quantile(sorted, 0.025)), append(s.high, quantile(sorted, 0.975))
	}
}

// pairError estimates the error of the Bayes classifier of two equally probable Gaussians from draws of both.
func pairError(s *gaussian.Statistics, draws int, seed uint64) (float64, error) {
	q, err := classify.FitQDA(s, classify.QDAOptions{Priors: []float64{1, 1}})
	if err != nil {
		return 0, err
	}
	z, truth, err := drawFrom(s, draws/2, seed)
	if err != nil {
		return 0, err
	}
	return 1 - decideBy(q, "", z, truth, 0).accuracy(), nil
}

func pairDistance(s *gaussian.Statistics, name string) (float64, error) {
	d, err := gaussian.ParseDissimilarity(name)
	if err != nil {
		return 0, err
	}
	var v [1]float64
	p := d.Pairs(nil, 2, s.Dim, 0)
	err = p.Values(v[:], s.Means, s.Covariances)
	return v[0], err
}

// randomPair returns a function that draws two Gaussians in one or two dimensions. The means have standard deviation
// 1.5. The covariances have log-normal variances in random directions.
func randomPair(dim int) func(rng *rand.Rand) *gaussian.Statistics {
	return func(rng *rand.Rand) *gaussian.Statistics {
		s := gaussian.New([]string{"a", "b"}, dim)
		for i := range 2 {
			s.Counts[i] = 1000
			for j := range dim {
				s.Mean(i)[j] = 1.5 * rng.NormFloat64()
			}
			if dim == 1 {
				s.Covariance(i).SetSym(0, 0, math.Exp(1.5*rng.NormFloat64()))
				continue
			}
			a, b := math.Exp(1.2*rng.NormFloat64()), math.Exp(1.2*rng.NormFloat64())
			setRotated(s.Covariance(i), 0, a, b, math.Pi*rng.Float64())
		}
		return s
	}
}

// zeroMeanPair returns a function that draws a zero-mean Gaussian and returns it with N(0, I). The ratios of their
// variances are between 10^-reach and 10^reach.
func zeroMeanPair(dim int, reach float64) func(rng *rand.Rand) *gaussian.Statistics {
	return func(rng *rand.Rand) *gaussian.Statistics {
		s := gaussian.New([]string{"a", "b"}, dim)
		s.Counts[0], s.Counts[1] = 1000, 1000
		for j := range dim {
			s.Covariance(0).SetSym(j, j, math.Pow(10, reach*(2*rng.Float64()-1)))
			s.Covariance(1).SetSym(j, j, 1)
		}
		return s
	}
}

// pairFamilies are the kinds of pairs for which the order of the errors is studied.
var pairFamilies = []family{
	{"zero means, 1 dimension, ratios to 30", zeroMeanPair(1, 1.5)},
	{"zero means, 2 dimensions, ratios to 3", zeroMeanPair(2, 0.5)},
	{"zero means, 2 dimensions, ratios to 30", zeroMeanPair(2, 1.5)},
	{"zero means, 8 dimensions, ratios to 3", zeroMeanPair(8, 0.5)},
	{"means and covariances, 1 dimension", randomPair(1)},
	{"means and covariances, 2 dimensions", randomPair(2)},
}

// errorOrder tests which dissimilarities sort pairs in the order of the Bayes error, and for which pairs.
func errorOrder(ctx context.Context, r *Run) error {
	t := r.Table("rank", "Spearman's correlation ρ of each dissimilarity with the Bayes error, with its 95 % interval",
		append([]string{"pairs"}, pairDissimilarities...)...)
	ps := r.Table("p", "p-value of the difference in ρ from the Fisher-Rao distance",
		append([]string{"pairs"}, pairDissimilarities...)...)
	var lines []report.Line
	for _, n := range pairDissimilarities {
		lines = append(lines, report.Line{Name: n})
	}
	nearest := 0 // number of kinds for which the Fisher-Rao distance is the best
	for f, kind := range pairFamilies {
		s, err := r.pairStudy(ctx, kind, uint64(100+f), r.Pick(400, 60))
		if err != nil {
			return err
		}
		row, prow := []any{kind.name}, []any{kind.name}
		best := 0
		for k := range pairDissimilarities {
			row = append(row, fmt.Sprintf("%.4f (%s)", s.rho[k], s.interval(k)))
			prow = append(prow, pValue(s.p[k]))
			interval(&lines[k], float64(f+1), -s.rho[k], -s.high[k], -s.low[k])
			if s.rho[k] < s.rho[best]-1e-12 {
				best = k
			}
		}
		t.Add(row...)
		ps.Add(prow...)
		if best == 0 {
			nearest++
		}
		r.progress("kinds of pairs", f+1, len(pairFamilies))
	}
	r.Remark("For %d of the %d kinds of pairs, no dissimilarity has a larger magnitude of ρ than the Fisher-Rao "+
		"distance.", nearest, len(pairFamilies))
	r.Figure("rank", report.Lines("How well dissimilarities follow the Bayes error", lines, report.PlotOptions{
		X: report.Axis{Label: "kind of pairs, in the order of the table"}, Y: report.Axis{Label: "−ρ"}, Markers: true,
		ErrorBars: true}))
	return nil
}

// classPairs runs the experiment errorOrder for the class pairs of a data set, in the space of the filters of SQFA.
func classPairs(ctx context.Context, r *Run, t task, p *plane) error {
	m, err := sqfa.Fit(ctx, p.stats, sqfa.Options{Filters: t.filters, Noise: t.noise, Start: "pca"})
	if err := canceledOr(ctx, err); err != nil {
		return err
	}
	all := p.stats.Project(m.Filters)
	var pairs []*gaussian.Statistics
	for i := range all.NumClasses() {
		for j := range i {
			s := gaussian.New([]string{naming.Class(all.Classes, i), naming.Class(all.Classes, j)}, all.Dim)
			for k, c := range []int{i, j} {
				s.Counts[k] = 1000
				copy(s.Mean(k), all.Mean(c))
				copy(s.Covariance(k).RawSymmetric().Data, all.Covariance(c).RawSymmetric().Data)
			}
			pairs = append(pairs, s)
		}
	}
	if r.Short {
		pairs = pairs[:min(len(pairs), 60)]
	}
	next := 0
	s, err := r.pairStudy(ctx, family{t.name, func(*rand.Rand) *gaussian.Statistics { next++; return pairs[next-1] }},
		200, len(pairs))
	if err != nil {
		return err
	}
	r.rankTable("Rank correlation between the dissimilarity and the Bayes error of two classes", s)
	return nil
}

// exactScatter compares the exact Fisher-Rao distance with its Calvo-Oller bound.
func exactScatter(ctx context.Context, r *Run) error {
	rng := rand.New(rand.NewPCG(r.Seed, 77))
	t := r.Table("gap", "Exact Fisher-Rao distance compared with the Calvo-Oller lower bound, over random "+
		"pairs", "dimensions",
		"pairs", "median gap, %", "largest gap, %", "largest gap, as a distance")
	var groups []report.Points
	for _, m := range []int{1, 2, 4, 8} {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := randomGaussians(rng, r.Pick(12, 4), m)
		var upper, lower mat.Dense
		if err := s.DissimilarityMatrix(&upper, gaussian.FisherRao); err != nil {
			return err
		}
		if _, err := classstats.LowerBounds(s, &lower, gaussian.FisherRao); err != nil {
			return err
		}
		p := report.Points{Name: fmt.Sprintf("%d dimensions", m)}
		var gaps []float64
		width := 0.0
		for i := range s.NumClasses() {
			for j := i + 1; j < s.NumClasses(); j++ {
				exact, bound := upper.At(i, j), lower.At(i, j)
				p.X, p.Y = append(p.X, exact), append(p.Y, bound)
				gaps = append(gaps, 100*(1-bound/exact))
				width = max(width, exact-bound)
			}
		}
		t.Add(m, len(gaps), quantile(gaps, 0.5), quantile(gaps, 1), width)
		groups = append(groups, p)
	}
	r.Figure("scatter", report.Scatter("Calvo-Oller bound over the exact distance", groups,
		report.PlotOptions{X: report.Axis{Label: "exact Fisher-Rao distance"},
			Y: report.Axis{Label: "Calvo-Oller distance"}, Diagonal: true}))
	return nil
}

// randomGaussians draws c Gaussians with Wishart covariances and normal means.
func randomGaussians(rng *rand.Rand, c, m int) *gaussian.Statistics {
	s := gaussian.New(naming.Classes(nil, c), m)
	for i := range c {
		s.Counts[i] = 1000
		for j := range m {
			s.Mean(i)[j] = 1.5 * rng.NormFloat64()
		}
		cov := s.Covariance(i).RawSymmetric().Data
		for range m + 2 {
			v := make([]float64, m)
			for j := range v {
				v[j] = rng.NormFloat64()
			}
			for a := range m {
				for b := range m {
					cov[a*m+b] += v[a] * v[b] / float64(m)
				}
			}
		}
	}
	return s
}
