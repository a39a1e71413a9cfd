package sqfa

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/densities"
	"rao/internal/heldout"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/optionvalues"
	"rao/internal/par"
	blocks "rao/internal/rows"
	"rao/internal/scoring"
	"rao/internal/statsarrays"
)

// If no number of folds is given, rows are split into defaultFolds folds, and enough folds are held out to have
// enoughRows rows. All noises are compared on the same rows, so differences smaller than the standard error of an
// accuracy are visible.
const defaultFolds, enoughRows = 5, 400

// Folds contains the statistics of labeled rows that were split into stratified folds. All folds, or the first few, are
// held out. One pass over the rows computes the statistics of each held-out fold and of the rest. Their sum gives the
// statistics of all rows, and the sum without a fold gives the statistics of a training set. One pass is therefore
// enough for the fit and for the validation of its noise. With k held-out folds, Folds needs k+1 times the memory of
// the statistics.
type Folds struct {
	all    *gaussian.Statistics   // statistics of all rows
	trains []*gaussian.Statistics // for each held-out fold, the statistics of all other rows
	held   [][]int                // rows of each held-out fold, ascending
	labels []int                  // labels of all rows
	rows   *heldRows
	drawn  bool // the rows are not data, but were drawn with the statistics of the classes

	// The fields below are used until Finish.
	classes []string
	joint   []int // the class of every row among the classes of all folds
	sums    *gaussian.Accumulator
	added   int // rows added
}

// DealtFolds returns the number of folds into which the rows are split, and the number of folds that are held out.
// folds is the field Folds of [Options].
func DealtFolds(folds, rows int) (dealt, held int) {
	if folds != 0 {
		return folds, folds
	}
	return defaultFolds, min(defaultFolds, (defaultFolds*enoughRows+rows-1)/max(1, rows))
}

// folds splits the rows into opt.Folds random folds, seeded by opt.Seed, and collects their statistics. It returns the
// same errors as [gaussian.Estimate].
func (r Rows) folds(opt Options) (*Folds, error) {
	rows, n := r.X.Dims()
	if err := indices.CheckOnePer("label", len(r.Labels), "row", rows); err != nil {
		return nil, err
	}
	f, err := NewFolds(r.Labels, r.Classes, n, opt.Folds, opt.Seed)
	if err != nil {
		return nil, err
	}
	if err := f.Add(r.X); err != nil {
		return nil, err
	}
	return f, f.Finish(r.X)
}

// NewFolds splits rows of n columns into random folds by their labels. folds and seed are the fields Folds and Seed of
// [Options]. Call Add for all rows in order, and then Finish. It returns an error if a label is not a class, or if the
// number of folds is out of range.
func NewFolds(labels []int, classes []string, n, folds int, seed uint64) (*Folds, error) {
	k, most := DealtFolds(folds, len(labels))
	if k < 2 {
		return nil, fmt.Errorf("the number of folds is %d; it must be 2 or more", k)
	}
	c, err := indices.NumClasses("row", labels, classes)
	if err != nil {
		return nil, err
	}
	if c == 0 || n == 0 {
		return nil, fmt.Errorf("there are no data: %d labels and %d columns", len(labels), n)
	}
	groups := min(k, most+1) // the last group is the rest
	if err := statsarrays.CheckSize(n, c*groups); err != nil {
		return nil, err
	}
	f := &Folds{labels: labels, joint: make([]int, len(labels)), held: make([][]int, most),
		classes: classNames(classes, c), sums: gaussian.NewAccumulator(n, c*groups)}
	f.sums.Borrow()
	for r, i := range scoring.Deal(labels, k, rand.New(rand.NewPCG(seed, 0xf01d))) {
		if i < most {
			f.held[i] = append(f.held[i], r)
		}
		f.joint[r] = min(i, most)*c + labels[r]
	}
	return f, nil
}

// classNames returns the names, or numbers if there are none.
func classNames(classes []string, c int) []string {
	if classes != nil {
		return classes
	}
	names := make([]string, c)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	return names
}

// Add adds the next rows, which must not change until Finish.
func (f *Folds) Add(x mat.Matrix) error {
	rows, _ := x.Dims()
	first := f.added
	if first+rows > len(f.joint) {
		return indices.CheckOnePer("label", len(f.joint), "row", first+rows)
	}
	f.added += rows
	return f.sums.Add(x, f.joint[first:first+rows])
}

// Finish completes the statistics. x must contain all rows again, for the validation.
func (f *Folds) Finish(x mat.Matrix) error {
	f.rows = holdRows(x)
	all, err := f.sums.Finish(nil)
	if err != nil {
		return err
	}
	f.sums, f.joint = nil, nil
	n, c := all.Dim, len(f.classes)
	var parts []*gaussian.Statistics
	for i := range len(all.Counts) / c {
		parts = append(parts, &gaussian.Statistics{Classes: f.classes, Counts: all.Counts[i*c : (i+1)*c], Dim: n,
			Means: all.Means[i*c*n : (i+1)*c*n], Covariances: all.Covariances[i*c*n*n : (i+1)*c*n*n]})
	}
	if err := f.split(parts); err != nil {
		return err
	}
	return f.all.Validate()
}

// split computes the statistics of all rows and of the training parts from the parts, reusing their memory if
// possible. The parts are the held-out folds and, unless all folds are held out, the rest.
func (f *Folds) split(parts []*gaussian.Statistics) (err error) {
	h := len(f.held)
	switch rest := parts[h:]; {
	case len(rest) == 0:
		f.all, err = gaussian.Merge(parts...)
	case h == 1:
		f.all, f.trains = parts[0], rest
		return classstats.Add(f.all, rest...)
	default:
		f.all = rest[0]
		err = classstats.Add(f.all, parts[:h]...)
	}
	if err != nil {
		return err
	}
	f.trains = parts[:h]
	for i, part := range f.trains {
		if err := classstats.Complement(part, f.all); err != nil {
			return fmt.Errorf("fold %d of %d: %w", i+1, h, err)
		}
	}
	return nil
}

// AffineInPlace replaces every row x by (x-shift)·scale, as [gaussian.Statistics.Affine] does; the rows themselves
// do not change. A nil shift is zero, and a single scale applies to every column.
func (f *Folds) AffineInPlace(shift, scale []float64) {
	classstats.Affine(f.all, shift, scale)
	for _, p := range f.trains {
		classstats.Affine(p, shift, scale)
	}
	f.rows.affine(shift, scale)
}

// Load implements [Source].
func (f *Folds) Load(context.Context) (*gaussian.Statistics, error) { return f.all, nil }

// fitNoise fits with the noise that validation chooses. The options are filled in.
func (f *Folds) fitNoise(ctx context.Context, opt Options) (*Model, error) {
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
	m, reached, err := search.deliver(ctx, f.all, opt, least, 1,
		func(filters *mat.Dense, noise float64) (float64, error) { return f.accuracy(held, filters, noise, opt) },
		func(share float64) float64 { return math.Sqrt(share * (1 - share) / rows) })
	if err != nil || m.Report.Status == rao.StatusCanceled {
		return m, err
	}
	m.Report.Passes += passes + 1
	m.Report.Evaluations += search.evaluations
	kind := "held out"
	if f.drawn {
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
	return m, nil
}

// accuracy returns the share of the held-out rows of the paths that are decided correctly from their features with the
// statistics of the other rows.
func (f *Folds) accuracy(paths []*path, filters *mat.Dense, noise float64, opt Options) (float64, error) {
	parts := make([]rowScores, len(paths))
	for i, p := range paths {
		var err error
		if parts[i], err = f.scoreRows(p, filters, noise, opt, f.held[i]); err != nil {
			return 0, err
		}
	}
	_, _, accuracy, err := f.better(parts)
	return accuracy, err
}

// choose validates noises on the held-out rows of each path.
func (f *Folds) choose(ctx context.Context, opt Options) (search *noiseSearch, all []*path, err error) {
	basis, err := newStartBasis(f.all, opt.Filters)
	if err != nil {
		return nil, nil, err
	}
	if all, err = f.paths(opt, basis); err != nil {
		return nil, nil, err
	}
	paths := all
	enough := fewRows
	if f.drawn {
		enough = drawnRows
	}
	search = &noiseSearch{expected: shrunkNoise(f.all, enough), coarse: opt.growing(f.all.Dim)}
	least := slices.Min(f.all.Counts)
	search.tiny = search.expected > 0 && least <= tinyRows && tinyColumns*least <= f.all.Dim
	if search.tiny && f.all.Total() <= f.all.Dim+1 {
		search.louder = tinyLouder
	}
	if search.shrunk = poolable(f.all, basis.within); search.shrunk != nil {
		search.pooled = search.shrunk.noise
		for i, p := range paths {
			few := newShrunk(f.trains[i], p.opt.known.within)
			if few == nil {
				search.shrunk, search.pooled = nil, 0
				break
			}
			p.pooled = few.path(opt, p.opt.known)
		}
	}
	if search.tiny && !search.coarse {
		for _, p := range paths {
			p.shorten()
		}
	}
	most := scanFolds
	if search.shrunk != nil || search.tiny && !f.drawn {
		most = len(paths) // only all rows distinguish two families of candidates, or filters of tiny classes
	}
	scan := 0
	for scan < min(len(paths), most) && search.rows < scanRows {
		search.rows += len(f.held[scan])
		scan++
	}
	if search.coarse || opt.few(f.all.NumClasses(), f.all.Dim) < fewest {
		paths = paths[:scan]
	}
	lo, hi := search.noiseRange(f.all, basis)
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

// At most scanFolds folds, or fewer if they have scanRows rows, are held out to find the best few noises. All folds
// then decide between these.
const scanFolds, scanRows = 2, 150

// truth returns the labels of the rows of the first held-out folds, in order.
func (f *Folds) truth(folds int) []int {
	var truth []int
	for _, rows := range f.held[:folds] {
		for _, r := range rows {
			truth = append(truth, f.labels[r])
		}
	}
	return truth
}

// validate scores a candidate on the held-out rows of the paths, with filters learned with its noise. The candidate
// stores the filters. Only a growing search continues the fits of earlier paths.
func (f *Folds) validate(ctx context.Context, paths []*path, opt Options, c *candidate) {
	again := len(c.filters) > 0 && paths[0].opt.growing(f.all.Dim)
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
				c.scores[i], errs[i] = f.scoreRows(p, c.filters[i], c.noise, opt, f.held[i])
			}
		}
	})
	if c.err = errors.Join(errs...); c.err == nil {
		c.logp, c.losses, c.accuracy, c.err = f.better(c.scores)
		c.score = -scoring.MeanOf(c.losses)
	}
}

// rowScores are the scores of rows with plain and with shrunk covariances. The latter are nil if all classes have many
// rows.
type rowScores [2]*mat.Dense

// better returns the scores with the lower loss, their losses and their share of correct decisions.
func (f *Folds) better(parts []rowScores) (logp *mat.Dense, losses []float64, accuracy float64, err error) {
	truth := f.truth(len(parts))
	for kind := range 2 {
		part := make([]*mat.Dense, len(parts))
		for i := range parts {
			part[i] = parts[i][kind]
		}
		if kind > 0 && !slices.ContainsFunc(part, func(m *mat.Dense) bool { return m != nil }) {
			break
		}
		scores := stacked(part, f.all.NumClasses())
		l, a, err := heldout.Losses(truth, scores)
		if err != nil {
			return nil, nil, 0, err
		}
		if kind == 0 || scoring.MeanOf(l) < scoring.MeanOf(losses) {
			logp, losses, accuracy = scores, l, a
		}
	}
	return logp, losses, accuracy, nil
}

// stacked stacks matrices of k columns vertically.
func stacked(parts []*mat.Dense, k int) *mat.Dense {
	var data []float64
	for _, p := range parts {
		if p != nil {
			data = append(data, values(p)...)
		}
	}
	return mat.NewDense(len(data)/k, k, data)
}

// paths returns a path for each held-out fold that learns from all other rows.
func (f *Folds) paths(opt Options, all *startBasis) ([]*path, error) {
	paths := make([]*path, len(f.trains))
	for i, train := range f.trains {
		if err := classstats.Marginals(train).ValidateFor(1); err != nil {
			return nil, fmt.Errorf("the rows without fold %d of %d: %w; use fewer folds, or set the noise", i+1,
				len(f.trains), err)
		}
		paths[i] = newPath(train, opt, all.of(train))
	}
	return paths, nil
}

// scoreRows returns the scores of rows under the quadratic classifier of the training statistics, with the shrinkage
// and the regularization of the classifier that will use the filters. If this shrinkage will be chosen by the rows, the
// result has scores with plain and with shrunk covariances.
func (f *Folds) scoreRows(p *path, filters *mat.Dense, noise float64, opt Options, rows []int) (out rowScores,
	err error) {
	if len(rows) == 0 {
		return out, nil
	}
	features := f.features(p, filters, rows)
	oas := gaussian.ShrinkRule{Kind: optionvalues.ShrinkageOAS}
	rules := []gaussian.ShrinkRule{opt.Shrinkage}
	switch kind := opt.Shrinkage.Kind; {
	case kind == optionvalues.ShrinkageLedoitWolf:
		rules[0] = oas
	case kind != optionvalues.ShrinkageAuto || opt.RegParam != 0:
	case heldout.Overfitted(f.all.Counts, features.Dim):
		rules[0] = oas
	case heldout.Few(f.all.Counts, features.Dim):
		rules = append(rules, oas)
	}
	for i, rule := range rules {
		shrunk, _, err := features.Shrink(rule)
		if err != nil {
			return out, err
		}
		if r := opt.RegParam; r != 0 {
			shrunk = shrunk.Clone()
			floats.Scale(1-r, shrunk.Covariances)
			shrunk.AddNoise(r)
		}
		if out[i], err = f.scoreBy(shrunk, p, filters, noise, opt, rows); err != nil {
			return out, err
		}
	}
	return out, nil
}

// features returns the statistics of the features of the rows from which p learns: all rows except the held-out ones,
// which are ascending. If there are fewer rows than columns times classes, projecting the rows costs less than
// projecting the covariances.
func (f *Folds) features(p *path, filters *mat.Dense, held []int) *gaussian.Statistics {
	n, m := filters.Dims()
	if len(f.labels) >= n*p.plain.NumClasses() || p.opt.space != nil {
		return p.features(filters)
	}
	out := gaussian.New(p.plain.Classes, m)
	copy(out.Counts, p.plain.Counts)
	onto := f.rows.on(filters)
	buf, z := onto.buffer(), make([]float64, len(f.labels)*m)
	learned := func(use func(class int, z []float64)) {
		rest := held
		for r, class := range f.labels {
			if len(rest) > 0 && rest[0] == r {
				rest = rest[1:]
				continue
			}
			use(class, z[r*m:(r+1)*m])
		}
	}
	for r := range f.labels {
		onto.row(z[r*m:(r+1)*m], buf, r)
	}
	learned(func(class int, z []float64) { vec.Axpy(out.Mean(class), 1/float64(out.Counts[class]), z) })
	learned(func(class int, z []float64) {
		vec.Axpy(z, -1, out.Mean(class))
		for j, v := range z {
			row := out.Covariances[(class*m+j)*m : (class*m+j+1)*m]
			vec.Axpy(row, v/float64(max(1, out.Counts[class]-1)), z)
		}
	})
	return out
}

// scoreBy returns the log-probabilities of rows under the quadratic classifier of the statistics of features, minus the
// largest of each row. If covariances are singular without the noise, the noise is added.
func (f *Folds) scoreBy(features *gaussian.Statistics, p *path, filters *mat.Dense, noise float64, opt Options,
	rows []int) (*mat.Dense, error) {
	_, m := filters.Dims()
	shares := opt.Priors
	if shares == nil {
		shares = p.stats.Priors()
	}
	c := features.NumClasses()
	means := mat.NewDense(c, m, features.Means)
	q, singular := densities.New(shares, means, features.Covariances)
	if singular >= 0 {
		features = features.Clone()
		features.AddNoise(noise)
		q, singular = densities.New(shares, means, features.Covariances)
	}
	if singular >= 0 {
		return nil, fmt.Errorf("the features of class %s do not vary in some direction, even with noise %.3g; use "+
			"fewer filters, or a higher noise",
			features.Name(singular), noise)
	}
	logp := mat.NewDense(len(rows), c, nil)
	onto := f.rows.on(filters)
	par.For(len(rows), 256, func(_, lo, hi int) {
		buf, z := onto.buffer(), mat.NewDense(hi-lo, m, nil)
		for i := range hi - lo {
			onto.row(z.RawRowView(i), buf, rows[lo+i])
		}
		scores, stride := q.Scores(blocks.New(z), 0, hi-lo, new(densities.Scratch))
		for i := range hi - lo {
			row := logp.RawRowView(lo + i)
			for k := range row {
				row[k] = scores[k*stride+i]
			}
			heldout.FromTop(row)
		}
	})
	return logp, nil
}
