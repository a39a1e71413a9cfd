package sqfa

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/faults"
	"rao/internal/par"
	"rao/internal/scoring"
)

// fit fits with the noise that validation chooses, and returns the statistics of all rows.
func (f folds) fit(ctx context.Context, opt Options) (*Model, *gaussian.Source, error) {
	to, err := opt.plan(f.All.NumClasses(), f.All.Dim)
	if err != nil {
		return nil, nil, err
	}
	m, err := f.fitValidated(ctx, to)
	return m, f.All.Source(), err
}

// fitValidated fits with the noise that validation chooses.
func (f folds) fitValidated(ctx context.Context, opt plan) (*Model, error) {
	if opt.Of != nil {
		return nil, faults.Option("noise can be validated only with one Gaussian per class, not with components; set " +
			"the noise, or choose it by the bound")
	}
	search, paths, err := f.choose(ctx, opt)
	if err != nil {
		return nil, err
	}
	best := search.best()
	held := paths[:len(best.filters)]
	rows := float64(len(f.truth(len(held))))
	least := best.accuracy - 2*math.Sqrt(best.accuracy*(1-best.accuracy)/rows)
	passes := 0
	for _, p := range paths {
		e, n := p.spent()
		search.evaluations, passes = search.evaluations+e, passes+n
	}
	m, reached, err := search.deliver(ctx, f.All, opt, least, 1,
		func(filters *mat.Dense, noise float64) (float64, error) { return f.accuracy(held, filters, noise, opt) },
		func(share float64) float64 { return math.Sqrt(share * (1 - share) / rows) })
	if err != nil || m.Report.Status == rao.StatusCanceled {
		return m, err
	}
	m.Report.Passes += passes + 1
	m.Report.Evaluations += search.evaluations
	kind := "held out"
	if f.Drawn {
		m.NoiseRows, m.NoiseAccuracies, kind = 0, nil, "drawn from the statistics"
	}
	// The share is shrunk towards one half by four rows, because it is not certain even if all rows are right.
	share := (best.accuracy*rows + 2) / (rows + 4)
	if reached < best.accuracy-2*math.Sqrt(share*(1-share)/(rows+4)) {
		found := fmt.Sprintf("with noise %.3g, %.1f %% of %.0f rows %s were classified correctly in the search",
			best.noise, 100*best.accuracy, rows, kind)
		if m.Noise != best.noise {
			found += fmt.Sprintf("; its final filters overfit the rows, so noise %.3g was chosen", m.Noise)
		}
		m.Warnings = append(m.Warnings, fmt.Sprintf("%s, but with the filters that were learned from all rows only "+
			"%.1f %% are classified correctly, because the filters overfit the rows; use more noise, or fewer filters",
			found, 100*reached))
	}
	if !f.Drawn {
		for _, c := range search.tried {
			if c.noise == m.Noise && c.pooled == (m.Shrinkage > 0) {
				m.Warnings = append(m.Warnings, f.atChance(c)...)
			}
		}
	}
	return m, nil
}

// accuracy returns the share of the held-out rows of the paths that are decided correctly from their features with the
// statistics of the other rows.
func (f folds) accuracy(paths []*path, filters *mat.Dense, noise float64, opt plan) (float64, error) {
	parts := make([]rowScores, len(paths))
	for i, p := range paths {
		var err error
		if parts[i], err = f.scoreRows(p, filters, noise, opt, f.Held[i]); err != nil {
			return 0, err
		}
	}
	_, _, accuracy, err := f.better(parts)
	return accuracy, err
}

// choose validates noises on the held-out rows of each path.
func (f folds) choose(ctx context.Context, opt plan) (search *noiseSearch, all []*path, err error) {
	basis, err := newStartBasis(f.All, opt.Filters)
	if err != nil {
		return nil, nil, err
	}
	enough := fewRows
	if f.Drawn {
		enough = drawnRows
	}
	search = &noiseSearch{expected: shrunkNoise(f.All, enough), coarse: opt.growing(f.All.Dim)}
	least := slices.Min(f.All.Counts)
	search.tiny = search.expected > 0 && least <= tinyRows && tinyColumns*least <= f.All.Dim
	search.wide = search.expected > 0 && f.All.Total() <= f.All.Dim+1
	basis.noPCA = search.tiny || search.wide
	if all, err = f.paths(opt, basis); err != nil {
		return nil, nil, err
	}
	paths := all
	if search.shrunk = poolable(f.All, basis.within); search.shrunk != nil {
		search.pooled = search.shrunk.noise
		if !f.pool(paths, opt) {
			search.shrunk, search.pooled = nil, 0
		}
	}
	if search.tiny && !search.coarse {
		for _, p := range paths {
			p.shorten()
		}
	}
	most := scanFolds
	if search.shrunk != nil || search.tiny && !f.Drawn {
		most = len(paths) // only all rows distinguish two families of candidates, or filters of tiny classes
	}
	scan := 0
	for scan < min(len(paths), most) && search.rows < scanRows {
		search.rows += len(f.Held[scan])
		scan++
	}
	if search.coarse || opt.few(f.All.NumClasses(), f.All.Dim) < fewest {
		paths = paths[:scan]
	}
	lo, hi := search.noiseRange(f.All, basis)
	err = search.run(ctx, lo, hi, func(c *candidate, final bool) {
		part := paths[:scan]
		if final {
			part = paths
		}
		f.validate(ctx, part, opt, c)
		opt.Progress.Send(rao.Event{Stage: "noise", Done: len(search.tried) + 1})
	})
	if err == nil && search.finalists != nil {
		search.rows = len(f.truth(len(paths)))
	}
	return search, all, err
}

// pool sets the field pooled of each path to a path with covariances that are shrunk towards the pooled covariance. It
// returns false if that fails.
func (f folds) pool(paths []*path, opt plan) bool {
	for i, p := range paths {
		few := newShrunk(f.Trains[i], p.opt.known.within)
		if few == nil {
			return false
		}
		p.pooled = few.path(opt, p.opt.known)
	}
	return true
}

// At most scanFolds folds, or fewer if they have scanRows rows, are held out to find the best few noises. All folds
// then decide between these.
const scanFolds, scanRows = 2, 150

// validate scores a candidate on the held-out rows of the paths, with filters learned with its noise. The candidate
// stores the filters. Only a growing search continues the fits of earlier paths.
func (f folds) validate(ctx context.Context, paths []*path, opt plan, c *candidate) {
	again := len(c.filters) > 0 && paths[0].opt.growing(f.All.Dim)
	if len(c.filters) == len(paths) && !again {
		return
	}
	c.filters = append(c.filters, make([]*mat.Dense, len(paths)-len(c.filters))...)
	c.scores = append(c.scores, make([]rowScores, len(paths)-len(c.scores))...)
	errs := make([]error, len(paths))
	par.For(len(paths), 1, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if c.filters[i] != nil && !again {
				continue
			}
			p := paths[i].with(c)
			if c.filters[i] == nil && again {
				if c.filters[i], errs[i] = p.fit(ctx, c, nil); errs[i] != nil {
					continue
				}
			}
			c.filters[i], errs[i] = p.fit(ctx, c, c.filters[i])
			if errs[i] == nil {
				c.scores[i], errs[i] = f.scoreRows(p, c.filters[i], c.noise, opt, f.Held[i])
			}
		}
	})
	if c.err = errors.Join(errs...); c.err == nil {
		c.logp, c.losses, c.accuracy, c.err = f.better(c.scores)
		c.score = -scoring.MeanOf(c.losses)
	}
}

// paths returns a path for each held-out fold that learns from all other rows.
func (f folds) paths(opt plan, all *startBasis) ([]*path, error) {
	paths := make([]*path, len(f.Trains))
	for i, train := range f.Trains {
		if err := classstats.Marginals(train).ValidateFor(1); err != nil {
			return nil, fmt.Errorf("the rows without fold %d of %d: %w; use fewer folds, or set the noise", i+1,
				len(f.Trains), err)
		}
		paths[i] = newPath(train, opt, all.of(train))
	}
	return paths, nil
}
