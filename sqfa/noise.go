package sqfa

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
	"rao/internal/linalg/small"
	"rao/internal/linalg/vec"
)

// noiseSteps are the candidates for an automatic noise, as fractions of the mean
// variance of the leading principal components: half decades, walked downwards.
var noiseSteps = []float64{1, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4}

// noiseSearch walks the candidates for the feature noise.
type noiseSearch struct {
	grid, scores []float64
	accuracies   []float64 // of the rows held out; 0 where there are none
	rows         int       // held out
}

// tie is how much worse a held-out log-probability may be, relatively, to count as
// equal to the best; accuracy then decides.
const tie = 0.03

// best returns the candidate to take: the highest score, or the highest accuracy
// among the scores (log-probabilities, below 0) that nearly tie with it.
func (s *noiseSearch) best() int {
	b := 0
	for i, v := range s.scores {
		if v > s.scores[b] {
			b = i
		}
	}
	take := b
	for i, v := range s.scores {
		if v >= (1+tie)*s.scores[b] && s.accuracies[i] > s.accuracies[take] {
			take = i
		}
	}
	return take
}

// choose returns the noise with the highest score. It walks down from the mean
// variance of the leading components, stops once two scores in a row lie below the
// best, and looks above when the first candidate is the best.
func (s *noiseSearch) choose(ctx context.Context, scale float64,
	score func(noise float64) (logp, accuracy float64, err error)) (float64, error) {
	best := -1
	try := func(noise float64) error {
		v, accuracy, err := score(noise)
		var singular *gaussian.SingularError
		if errors.As(err, &singular) {
			v, err = math.Inf(-1), nil // too little noise for these covariances
		}
		if err != nil {
			return err
		}
		s.grid, s.scores, s.accuracies = append(s.grid, noise), append(s.scores, v), append(s.accuracies, accuracy)
		if best < 0 || v > s.scores[best] {
			best = len(s.grid) - 1
		}
		return nil
	}
	for _, f := range noiseSteps {
		if best >= 0 && (len(s.grid)-1-best >= 2 || ctx.Err() != nil) {
			break
		}
		if err := try(f * scale); err != nil {
			return 0, err
		}
	}
	for f := 3.0; best == 0 && f <= 10 && ctx.Err() == nil; f += 7 { // 3, then 10
		if err := try(f * scale); err != nil {
			return 0, err
		}
		if best != 0 {
			break
		}
	}
	noise := s.grid[s.best()]
	s.sort()
	return noise, nil
}

// sort orders the candidates by noise; scores that are not finite become the lowest
// finite one, so that a saved model stays finite.
func (s *noiseSearch) sort() {
	low, order := math.Inf(1), make([]int, len(s.grid))
	for i, v := range s.scores {
		order[i] = i
		if !math.IsInf(v, 0) && !math.IsNaN(v) {
			low = math.Min(low, v)
		}
	}
	for i, v := range s.scores {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			s.scores[i] = low
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(s.grid[a], s.grid[b]) })
	for _, list := range []*[]float64{&s.grid, &s.scores, &s.accuracies} {
		sorted := make([]float64, len(order))
		for i, k := range order {
			sorted[i] = (*list)[k]
		}
		*list = sorted
	}
}

// noiseScale returns the mean variance of the leading principal components.
func noiseScale(stats *gaussian.Statistics, m int) (float64, error) {
	_, variances, err := principal(stats, m)
	if err != nil {
		return 0, err
	}
	var sum float64
	for _, v := range variances {
		sum += v
	}
	return sum / float64(m), nil
}

// path refits for one candidate after another, each from the filters of the last.
type path struct {
	stats   *gaussian.Statistics
	opt     Options
	filters *mat.Dense
	passes  int
}

func newPath(stats *gaussian.Statistics, opt Options) *path {
	opt.Starts, opt.Progress = 1, nil
	opt.Tol = math.Max(opt.Tol, 1e-5)
	if opt.growing(stats.Dim) {
		opt.space = newSubspace(stats, roomFor(stats.NumClasses(), stats.Dim, opt.Filters, opt.Coarse))
	}
	return &path{stats: stats, opt: opt}
}

// fit returns the filters for a noise.
func (p *path) fit(ctx context.Context, noise float64) (*mat.Dense, error) {
	o := p.opt
	o.Noise = noise
	if p.filters != nil {
		o.Start, o.Initial = Given, p.filters
	}
	m, err := fitStarts(ctx, p.stats, o)
	if err != nil {
		return nil, err
	}
	p.passes += m.Report.Passes
	p.filters = m.Filters
	return m.Filters, nil
}

// features returns the statistics of the features of filters that fit gave, without noise: from
// the subspace of its search where they lie in that.
func (p *path) features(filters *mat.Dense) *gaussian.Statistics {
	if s := p.opt.space; s != nil && s.q > 0 {
		_, m := filters.Dims()
		f := values(filters)
		x := s.coordinates(f, m)
		if inside, all := vec.Dot(x, x), vec.Dot(f, f); inside >= (1-1e-12)*all {
			return featuresOf(s.reduced(), x, m, 0)
		}
	}
	return p.stats.Project(filters)
}

// trustNoise is the noise, as a fraction of the mean variance of the leading
// components, with which fitByBound compares candidates: in directions of less
// variance real classes are too far from Gaussian for their statistics to be
// believed. (On MNIST it chooses as validation does, or one step beside it.)
const trustNoise = 0.05

// fitByBound chooses the noise from the statistics alone: the candidate whose
// features have the lowest union bound on the error of the Bayes classifier,
// Σ sqrt(p_i p_j) exp(-B_ij), at one and the same reference noise, with feature
// covariances shrunk by OAS so that few observations do not look like certainty.
func fitByBound(ctx context.Context, stats *gaussian.Statistics, opt Options) (*Model, error) {
	scale, err := noiseScale(stats, opt.Filters)
	if err != nil {
		return nil, err
	}
	bound := opt
	bound.Aggregate, bound.Distance = Bayes, gaussian.Dissimilarity{Name: "bhattacharyya"}
	way := newPath(stats, opt)
	var search noiseSearch
	noise, err := search.choose(ctx, scale, func(noise float64) (float64, float64, error) {
		filters, err := way.fit(ctx, noise)
		if err != nil {
			return 0, 0, err
		}
		features, _, err := stats.Project(filters).Shrink(gaussian.OAS, 0)
		if err != nil {
			return 0, 0, err
		}
		opt.Progress.Send(rao.Event{Stage: "noise", Done: len(search.grid) + 1, Total: len(noiseSteps)})
		features.AddNoise(trustNoise * scale)
		v, err := boundOf(bound, features)
		return v, 0, err
	})
	if err != nil {
		return nil, err
	}
	return fitChosen(ctx, stats, opt, noise, &search, way.passes+1)
}

// boundOf returns the objective over all pairs, or its stand-in with the pooled covariance.
func boundOf(opt Options, features *gaussian.Statistics) (float64, error) {
	if !opt.Pooled || !opt.choosing(features.NumClasses()) {
		v, _, err := survey(opt, features)
		return v, err
	}
	var err error
	if opt.pairs, err = nearByPooled(opt, features); err != nil {
		return math.NaN(), err
	}
	return newObjective(opt, features.NumClasses(), features.Dim).value(features.Means, features.Covariances)
}

// fitChosen fits with the noise that a search chose.
func fitChosen(ctx context.Context, stats *gaussian.Statistics, opt Options, noise float64, search *noiseSearch,
	passes int) (*Model, error) {
	opt.Noise, opt.AutoNoise = noise, false
	m, err := fitStarts(ctx, stats, opt)
	if err != nil {
		return nil, err
	}
	m.NoiseGrid, m.NoiseScores = search.grid, search.scores
	if search.rows > 0 {
		m.NoiseAccuracies, m.NoiseRows = search.accuracies, search.rows
	}
	m.Report.Passes += passes
	return m, nil
}

// copyChoice takes over how the noise was chosen.
func copyChoice(dst, src *Model) {
	dst.NoiseGrid, dst.NoiseScores = src.NoiseGrid, src.NoiseScores
	dst.NoiseAccuracies, dst.NoiseRows = src.NoiseAccuracies, src.NoiseRows
}

// inverseFactors writes the inverse Cholesky factor of every covariance.
func inverseFactors(dst []float64, s *gaussian.Statistics) error {
	var w small.Workspace
	err := w.Cholesky(dst, s.Covariances, s.Dim, s.NumClasses())
	var bad *small.Error
	if errors.As(err, &bad) {
		return &gaussian.SingularError{Class: bad.Index, Name: s.Name(bad.Index), Smallest: bad.Value}
	}
	if err != nil {
		return err
	}
	w.InvertLower(dst, dst, s.Dim, s.NumClasses())
	return nil
}
