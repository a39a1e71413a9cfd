package learners

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/feature"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/tri"
	"rao/internal/linalg/vec"
	"rao/internal/optim"
	"rao/internal/optionvalues"
	"rao/internal/par"
	"rao/internal/rows"
)

// AMAOptions are the options of [FitAMA]. Filters is required.
type AMAOptions struct {
	Filters int // number of filters, 1 to the number of dimensions; required
	// Noise is the variance s² of the response noise, in squared units of the data. The decoder adds it to every class
	// covariance. Default: 0.05 times the mean variance of the leading principal components, of which there is one per
	// filter.
	Noise float64
	// NoisyResponses adds a sample of the response noise, drawn once, to the features of every row, as appendix F.2 of
	// the SQFA paper describes. Without it, the features are exact and the noise is only part of the decoder's
	// covariances, which also regularizes; the filters then do not depend on a random draw.
	NoisyResponses bool `opt:"noisy-responses" default:"false" help:"add a sample of the noise to the features of each row, as in the SQFA paper, instead of only adding its variance to the decoder"`
	// Group is the number of filters learned at a time, with the filters of earlier groups fixed. 2 is the pairwise
	// learning of the SQFA paper.
	Group int `opt:"pairwise" default:"0" min:"0" max:"1000000" help:"learn the filters in groups of this size, keeping earlier ones fixed; 0 learns all together"`
	// Start, n×m, contains the initial filters, for example filters that SQFA learned from statistics. Their columns
	// are normalized. Default: the leading principal components.
	Start *mat.Dense
	// Also contains further initial filters, n×m each. FitAMA tries all starts for a few iterations on some of the rows
	// and continues from the best.
	Also []*mat.Dense
	// Priors are the class probabilities in the order of the classes. They must be positive and are normalized. Nil
	// means the class frequencies.
	Priors []float64
	// StartRows is the size of a stratified random subset of the rows. By default it is a quarter of the rows if the
	// data have more than 20000 rows.
	StartRows optionvalues.SomeCount `opt:"start-rows" default:"auto" help:"number of rows for a first fit, from which the fit on all rows starts; auto does this when there are many rows"`
	// Tol ends the fit when the cost, in each of three consecutive iterations, changes by at most Tol times the larger
	// of 1 and its magnitude.
	Tol float64 `opt:"tol" default:"1e-6" above:"0" help:"stop when the cost changes by a smaller share than this"`
	// MaxIter limits the iterations on all rows, for each group of filters.
	MaxIter  int    `opt:"max-iter" default:"200" min:"1" max:"100000000" help:"maximum number of iterations"`
	Seed     uint64 // seed of the subset and of the noise
	Progress rao.Progress
}

// FitAMA learns the filters of Accuracy Maximization Analysis with Gaussian classes (AMA-Gauss: Jaini and Burge 2017).
// It maximizes the mean log-posterior of the correct class under the quadratic classifier on the noisy features,
//
//	J = 1/N Σ_k log p(y_k | z_k),  p(i|z) ∝ π_i N(z; F'μ_i, F'Φ_i F + s²I)
//
// over filters of unit norm by L-BFGS on the product of spheres. z_k is F'x_k or, with NoisyResponses, F'x_k + λ_k with
// a fixed sample λ_k of N(0, s²I). The fit uses all rows.
//
// The report's Objective is J in nats. FitAMA returns an error for fewer than two classes, a class with one row, a
// value that is not finite (with row and column), and options out of range. If the fit ends early, it returns a usable
// model and a *rao.NotConvergedError. An iteration reads the rows twice, which costs 4 N n m operations. Each step that
// the line search tries costs about 4 N c m² operations more.
func FitAMA(ctx context.Context, x mat.Matrix, labels []int, classes []string, opt AMAOptions) (*feature.Model, error) {
	start := time.Now()
	t, err := newTraining(x, labels, classes)
	if err != nil {
		return nil, err
	}
	f, mean, err := startFilters(x, opt.Filters, opt.Start)
	if err != nil {
		return nil, err
	}
	if err := opt.fill(f); err != nil {
		return nil, err
	}
	priors, err := logPriors(t, opt.Priors)
	if err != nil {
		return nil, err
	}
	manifold := optim.NewManifold(optim.Sphere, t.dim, opt.Filters)
	if err := manifold.Normalize(f.filters); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	if len(opt.Also) > 0 {
		if f.filters, err = amaBestStart(ctx, t, mean, f.filters, priors, opt); err != nil {
			return nil, err
		}
	}
	if opt.StartRows > 0 && int(opt.StartRows) < t.rows {
		if f.filters, err = amaOnSubset(ctx, t, mean, f.filters, priors, opt); err != nil {
			return nil, err
		}
	}
	a := &amaFit{t: t, mean: mean, priors: priors, opt: opt, stage: "fit", sample: opt.responseNoise(t.rows)}
	result, err := a.run(ctx, f.filters)
	if err != nil {
		return nil, fmt.Errorf("%w; try another start or a larger noise", err)
	}
	return finish(ctx, "ama", result, -1, a.passes, t.dim, opt.Filters, mean, start)
}

// fill sets the defaults and checks the options.
func (opt *AMAOptions) fill(f *started) error {
	opt.Noise = cmp.Or(opt.Noise, 0.05*f.variance)
	optionvalues.Fill(opt)
	if opt.StartRows == 0 && f.rows > 20000 {
		opt.StartRows = optionvalues.SomeCount(f.rows / 4)
	}
	switch {
	case !vec.Positive(opt.Noise):
		return faults.Option("the noise is %g; it must be positive, or 0 to choose it", opt.Noise)
	case opt.Group < 0:
		return faults.Option("the size of a group of filters is %d; it must be 1 or more, or 0 to learn all filters "+
			"together", opt.Group)
	}
	return checkLimits(opt.MaxIter, opt.Tol)
}

// responseNoise returns a sample of the noise, rows × filters, or nil if it is not used.
func (opt *AMAOptions) responseNoise(rows int) []float64 {
	if !opt.NoisyResponses {
		return nil
	}
	rng := rand.New(rand.NewPCG(opt.Seed, 13))
	sample, scale := make([]float64, rows*opt.Filters), math.Sqrt(opt.Noise)
	for i := range sample {
		sample[i] = scale * rng.NormFloat64()
	}
	return sample
}

// Starts are compared after amaTrial iterations on about amaTrialRows rows.
const amaTrial, amaTrialRows = 30, 4000

// amaBestStart fits briefly from every start and returns the best resulting filters.
func amaBestStart(ctx context.Context, t *training, mean, f, priors []float64, opt AMAOptions) ([]float64, error) {
	if t.rows > amaTrialRows {
		t = t.subset(amaTrialRows/float64(t.rows), opt.Seed)
	}
	opt.MaxIter = min(opt.MaxIter, amaTrial)
	best, least := f, math.Inf(1)
	starts := [][]float64{f}
	for _, x := range opt.Also {
		if err := checkShape("alternative starting filters", x, t.dim, opt.Filters); err != nil {
			return nil, err
		}
		starts = append(starts, mat.DenseCopyOf(x).RawMatrix().Data)
	}
	manifold := optim.NewManifold(optim.Sphere, t.dim, opt.Filters)
	for i, x := range starts {
		if err := manifold.Normalize(x); err != nil {
			return nil, fmt.Errorf("start %d: %w", i, err)
		}
		a := &amaFit{t: t, mean: mean, priors: priors, opt: opt, stage: "start", sample: opt.responseNoise(t.rows)}
		r, err := a.run(ctx, x)
		if err == nil && r.Value < least {
			best, least = r.X, r.Value
		}
	}
	return best, nil
}

// amaOnSubset learns filters from a random subset of every class.
func amaOnSubset(ctx context.Context, t *training, mean, f, priors []float64, opt AMAOptions) ([]float64, error) {
	sub := t.subset(float64(opt.StartRows)/float64(t.rows), opt.Seed)
	opt.Tol = math.Max(1e-4, opt.Tol)
	a := &amaFit{t: sub, mean: mean, priors: priors, opt: opt, stage: "start", sample: opt.responseNoise(sub.rows)}
	result, err := a.run(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("on a subset of %d rows: %w; try another start or a larger noise", sub.rows, err)
	}
	return result.X, nil
}

// gaussianPosterior is a cost: minus the mean log-posterior of the correct class, as a function of the projected rows.
type gaussianPosterior struct {
	t      *training
	m      int
	noise  float64
	priors []float64 // logarithms of the priors
	sample []float64 // rows×m: response noise; nil: none
	noisy  []float64 // responses with noise

	means, covs []float64 // c×m, and c×m×m with noise
	precision   []float64 // m × c·m: the precision matrices side by side
	offsets     []float64 // c·m: precision times mean
	consts      []float64 // log prior - ½ log det
	a           []float64 // rows × c·m for one block: Σ⁻¹(z - μ)
	partial     []amaPart // sums over each chunk of rows
	dmean, dcov []float64
}

// amaPart contains sums over the rows of one chunk.
type amaPart struct {
	value       float64
	dmean, dcov []float64 // c×m, c×m×m (upper triangle)
	weight      []float64 // c: Σ G
	moments     []float64 // c×(m + m²): class sums of first and second moments
}

const (
	amaChunk = 512
	amaBlock = 16 * amaChunk
)

func newGaussianPosterior(t *training, m int, noise float64, priors []float64) *gaussianPosterior {
	c := t.classes
	g := &gaussianPosterior{t: t, m: m, noise: noise, priors: priors,
		means: make([]float64, c*m), covs: make([]float64, c*m*m), precision: make([]float64, m*c*m),
		offsets: make([]float64, c*m),
		consts:  make([]float64, c), a: make([]float64, min(amaBlock, t.rows)*c*m),
		partial: make([]amaPart, par.Chunks(t.rows, amaChunk)),
		dmean:   make([]float64, c*m), dcov: make([]float64, c*m*m)}
	for i := range g.partial {
		g.partial[i] = amaPart{dmean: make([]float64, c*m), dcov: make([]float64, c*m*m), weight: make([]float64, c),
			moments: make([]float64, c*(m+m*m))}
	}
	return g
}

// statistics computes the class means and covariances from the projected rows.
func (g *gaussianPosterior) statistics(z []float64) {
	c, m := g.t.classes, g.m
	size := m + m*m
	clear(g.means)
	for i, l := range g.t.labels {
		vec.Axpy(g.means[l*m:(l+1)*m], 1/float64(g.t.counts[l]), z[i*m:(i+1)*m])
	}
	par.For(g.t.rows, amaChunk, func(_, lo, hi int) {
		sums, d := g.partial[lo/amaChunk].moments, make([]float64, m)
		clear(sums)
		for i := lo; i < hi; i++ {
			l := g.t.labels[i]
			s, mean := sums[l*size:(l+1)*size], g.means[l*m:(l+1)*m]
			for j, v := range z[i*m : (i+1)*m] {
				d[j] = v - mean[j]
			}
			for j, v := range d {
				s[j] += v
				vec.Axpy(s[m+j*m+j:m+(j+1)*m], v, d[j:])
			}
		}
	})
	clear(g.covs)
	for k := range c {
		cov := g.covs[k*m*m : (k+1)*m*m]
		for p := range g.partial {
			vec.Axpy(cov, 1, g.partial[p].moments[k*size+m:(k+1)*size])
		}
		for i := range m {
			for j := i; j < m; j++ {
				v := cov[i*m+j] / float64(g.t.counts[k]-1)
				if i == j {
					v += g.noise
				}
				cov[i*m+j], cov[j*m+i] = v, v
			}
		}
	}
}

// invert computes the precisions and constants. It returns false if a covariance is not positive definite.
func (g *gaussianPosterior) invert() bool {
	c, m := g.t.classes, g.m
	l, li, inv := make([]float64, m*m), make([]float64, m*m), make([]float64, m*m)
	for k := range c {
		copy(l, g.covs[k*m*m:(k+1)*m*m])
		if _, _, ok := tri.Cholesky(m, l, 0); !ok {
			return false
		}
		tri.Inverse(m, inv, li, l)
		mean := g.means[k*m : (k+1)*m]
		for i := range m {
			copy(g.precision[i*c*m+k*m:], inv[i*m:(i+1)*m])
			g.offsets[k*m+i] = vec.Dot(inv[i*m:(i+1)*m], mean)
		}
		g.consts[k] = g.priors[k] - tri.LogDet(m, l)/2
	}
	return true
}

// cost implements [cost] for a projection.
func (g *gaussianPosterior) cost(z, dz []float64) float64 {
	g.statistics(z)
	if !g.invert() {
		return math.NaN()
	}
	exact := z
	if g.sample != nil {
		g.noisy = append(g.noisy[:0], z...)
		vec.Axpy(g.noisy, 1, g.sample)
		z = g.noisy
	}
	value := g.posterior(z, dz)
	g.statisticsGradient(exact, dz)
	return value
}

// posterior returns the cost for the current statistics. It sets dz to the derivative with respect to the rows at
// fixed statistics, and stores the derivatives with respect to the means and covariances.
func (g *gaussianPosterior) posterior(z, dz []float64) float64 {
	c, m, n := g.t.classes, g.m, g.t.rows
	for lo := 0; lo < n; lo += amaBlock {
		hi := min(lo+amaBlock, n)
		dense.Gemm(false, false, hi-lo, c*m, m, 1, z[lo*m:], m, g.precision, c*m, 0, g.a, c*m)
		par.For(hi-lo, amaChunk, func(_, from, to int) {
			g.chunk(&g.partial[(lo+from)/amaChunk], z, dz, lo+from, lo+to, g.a[from*c*m:])
		})
	}
	value := 0.0
	weight := make([]float64, c)
	clear(g.dmean)
	clear(g.dcov)
	for i := range g.partial {
		p := &g.partial[i]
		value += p.value
		vec.Axpy(g.dmean, 1, p.dmean)
		vec.Axpy(g.dcov, 1, p.dcov)
		vec.Axpy(weight, 1, p.weight)
	}
	for k := range c {
		d := g.dcov[k*m*m : (k+1)*m*m]
		for i := range m {
			for j := i; j < m; j++ {
				v := d[i*m+j] - 0.5*weight[k]*g.precision[i*c*m+k*m+j]
				d[i*m+j], d[j*m+i] = v, v
			}
		}
	}
	return value
}

// chunk processes rows lo to hi-1. With G = (p - 1[correct])/N the derivative of the cost with respect to the
// log-densities, and a = Σ⁻¹(z - μ),
//
//	dz = -Σ_k G_k a_k,  dμ_k = Σ G_k a_k,  dΣ_k = ½ Σ G_k (a_k a_k' - Σ_k⁻¹)
func (g *gaussianPosterior) chunk(p *amaPart, z, dz []float64, lo, hi int, a []float64) {
	c, m := g.t.classes, g.m
	share := 1 / float64(g.t.rows)
	logp := make([]float64, c)
	p.value = 0
	clear(p.dmean)
	clear(p.dcov)
	clear(p.weight)
	for i := lo; i < hi; i++ {
		row, zi := a[(i-lo)*c*m:(i-lo+1)*c*m], z[i*m:(i+1)*m]
		for k := range c {
			ak, mean, offset := row[k*m:(k+1)*m], g.means[k*m:(k+1)*m], g.offsets[k*m:(k+1)*m]
			q := 0.0
			for j := range ak {
				ak[j] -= offset[j]
				q += ak[j] * (zi[j] - mean[j])
			}
			logp[k] = g.consts[k] - q/2
		}
		own := logp[g.t.labels[i]]
		top, sum := vec.ExpFromTop(logp)
		p.value -= share * (own - top - math.Log(sum))
		out := dz[i*m : (i+1)*m]
		clear(out)
		for k, e := range logp {
			w := share * e / sum
			if k == g.t.labels[i] {
				w -= share
			}
			if math.Abs(w) < 1e-18*share {
				continue
			}
			ak := row[k*m : (k+1)*m]
			vec.Axpy(out, -w, ak)
			vec.Axpy(p.dmean[k*m:(k+1)*m], w, ak)
			p.weight[k] += w
			dcov := p.dcov[k*m*m : (k+1)*m*m]
			for j, v := range ak {
				vec.Axpy(dcov[j*m+j:(j+1)*m], 0.5*w*v, ak[j:])
			}
		}
	}
}

// statisticsGradient adds to dz the derivative with respect to the rows through the mean and covariance of each class.
func (g *gaussianPosterior) statisticsGradient(z, dz []float64) {
	m := g.m
	par.For(g.t.rows, amaChunk, func(_, lo, hi int) {
		diff := make([]float64, m)
		for i := lo; i < hi; i++ {
			k := g.t.labels[i]
			mean, out := g.means[k*m:(k+1)*m], dz[i*m:(i+1)*m]
			for j, v := range z[i*m : (i+1)*m] {
				diff[j] = v - mean[j]
			}
			vec.Axpy(out, 1/float64(g.t.counts[k]), g.dmean[k*m:(k+1)*m])
			scale := 2 / float64(g.t.counts[k]-1)
			for j := range out {
				out[j] += scale * vec.Dot(g.dcov[k*m*m+j*m:k*m*m+(j+1)*m], diff)
			}
		}
	})
}

// subset returns training data with a random subset of the rows of every class, at least two per class.
func (t *training) subset(share float64, seed uint64) *training {
	rng := rand.New(rand.NewPCG(seed, 12))
	var chosen []int
	for _, members := range t.members {
		k := min(max(int(math.Round(share*float64(len(members)))), 2), len(members))
		for _, p := range rng.Perm(len(members))[:k] {
			chosen = append(chosen, members[p])
		}
	}
	slices.Sort(chosen)
	s := &training{rows: len(chosen), dim: t.dim, classes: t.classes, names: t.names, counts: make([]int, t.classes)}
	for _, i := range chosen {
		s.labels = append(s.labels, t.labels[i])
		s.counts[t.labels[i]]++
	}
	s.members = indices.Groups(s.labels, t.classes)
	s.in = rows.New(mat.NewDense(len(chosen), t.dim, t.in.Select(chosen, nil)))
	return s
}
