package sqfa

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/classify"
	"rao/internal/linalg/vec"
	"rao/internal/rows"
)

// RefineOptions adjust [Refine]. The zero value of every field is a good default for data
// whose values have variance one.
type RefineOptions struct {
	// Noise is the variance of the Gaussian noise that is put on the features of every row,
	// drawn anew in every step: SQFA's feature noise, which here keeps the mixture from
	// learning the rows by heart. Default 0.64.
	Noise    float64
	Epochs   int // passes over the rows; default 24
	Batch    int // rows of a step; default 500, and at most all
	Seed     uint64
	Progress rao.Progress
}

func (o RefineOptions) filled(rows int) (RefineOptions, error) {
	setDefault(&o.Noise, 0.64)
	setDefault(&o.Epochs, 24)
	setDefault(&o.Batch, 500)
	o.Batch = min(o.Batch, rows)
	switch {
	case !(o.Noise > 0) || math.IsInf(o.Noise, 1):
		return o, fmt.Errorf("noise %g: want a finite variance above 0, or 0 for the default", o.Noise)
	case o.Epochs < 1 || o.Batch < 1:
		return o, fmt.Errorf("%d epochs in steps of %d rows: want 1 or more", o.Epochs, o.Batch)
	}
	return o, nil
}

// Refined is what [Refine] learned.
type Refined struct {
	Filters *mat.Dense        // n×m, unit columns
	Mixture *classify.Mixture // of the features F'x
	Report  rao.Report        // Objective: mean log-probability of the right class in the last epoch, noise included
}

// The rates of Adam at their height (Kingma and Ba 2015): of the filters, and in units of
// the features' standard deviation within components of the means, of the factors of the
// precisions and of the logarithms of the weights.
const (
	rateFilters = 0.02
	rateMeans   = 0.03
	rateFactors = 0.01
	rateWeights = 0.03
)

// Refine learns filters and a mixture classifier together on the rows of x, N×n, from
// where statistics alone led: the filters (n×m) and a mixture of their features. It
// maximizes the mean log-probability of the right class,
//
//	1/N Σ log p(y | F'x + e),  e from N(0, s² I),
//
// over unit filters and all parameters of the mixture, by Adam on random batches, whose
// rate rises for 15 % of the steps and falls to nothing along a cosine. The gradient is in
// closed form. Products are in single precision, sums in double.
//
// The report's status is Converged when all epochs were done. When ctx is canceled the
// result so far comes beside a rao.NotConvergedError. The cost of an epoch is
// 6 N (n m + k m(m+3)/2) operations for k components; the bits do not depend on
// GOMAXPROCS.
func Refine(ctx context.Context, x mat.Matrix, labels []int, filters *mat.Dense, mixture *classify.Mixture,
	opt RefineOptions) (*Refined, error) {
	begin := time.Now()
	in := rows.New(x)
	n, m := filters.Dims()
	if in.Cols != n || mixture.Dim() != m || in.Rows != len(labels) {
		panic(mat.ErrShape)
	}
	opt, err := opt.filled(in.Rows)
	if err == nil {
		err = in.CheckFinite()
	}
	if err != nil {
		return nil, fmt.Errorf("refine: %w", err)
	}
	for i, l := range labels {
		if l < 0 || l >= mixture.NumClasses() {
			return nil, fmt.Errorf("refine: label %d of row %d is not a class", l, i)
		}
	}
	r, err := newRefinement(in, labels, filters, mixture, opt)
	if err != nil {
		return nil, fmt.Errorf("refine: %w", err)
	}
	report := r.run(ctx)
	report.Elapsed = time.Since(begin)
	out := &Refined{Report: report}
	if out.Filters, out.Mixture, err = r.result(mixture); err != nil {
		return nil, fmt.Errorf("refine: the mixture became singular, take fewer sub-classes or more noise: %w", err)
	}
	if report.Status == rao.Cancelled {
		return out, &rao.NotConvergedError{Method: "refine", Report: report,
			Remedy: "the filters and the mixture are those so far"}
	}
	return out, nil
}

// run takes all steps.
func (r *refinement) run(ctx context.Context) (report rao.Report) {
	steps := r.rows / r.opt.Batch
	total := r.opt.Epochs*steps + 1
	rng := rand.New(rand.NewPCG(r.opt.Seed, 0x4ef1e))
	order := make([]int, r.rows)
	report.Status = rao.Converged
	for epoch := range r.opt.Epochs {
		for i := range order {
			order[i] = i
		}
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		sum := 0.0
		for s := range steps {
			if ctx.Err() != nil {
				report.Status = rao.Cancelled
				return report
			}
			r.draw(order[s*r.opt.Batch:(s+1)*r.opt.Batch], rng)
			sum += r.loss() / float64(steps)
			r.descend(cycle(report.Iterations, total))
			report.Iterations++
		}
		report.Passes++
		report.Objective = -sum
		report.History = append(report.History, -sum)
		r.opt.Progress.Send(rao.Event{Stage: "refine", Done: epoch + 1, Total: r.opt.Epochs, Objective: -sum})
	}
	report.Evaluations = report.Iterations
	return report
}

// cycle returns the rate, as a part of its height, and the momentum of a step: the rate
// rises from 1/25 along a cosine in 15 % of the steps and falls to nothing along another,
// the momentum falls from 0.95 to 0.85 and rises again (Smith and Topin 2019).
func cycle(step, total int) (rate, momentum float64) {
	const low, high, rise = 1.0 / 25, 1.0, 0.15
	along := func(from, to, part float64) float64 { return to + (from-to)/2*(1+math.Cos(math.Pi*part)) }
	top, end := math.Max(rise*float64(total)-1, 1e-9), float64(total-1)
	if s := float64(step); s <= top {
		return along(low, high, s/top), along(0.95, 0.85, s/top)
	} else {
		part := (s - top) / (end - top)
		return along(high, low*1e-4, part), along(0.85, 0.95, part)
	}
}

// adam holds the moments of the gradient.
type adam struct {
	first, second []float64
	decay         [2]float64 // products of the moments' factors so far
}

// secondMoment is the factor of the mean of squares.
const secondMoment = 0.99

// step moves x against the gradient g.
func (a *adam) step(x, g []float64, rate, momentum float64) {
	if a.first == nil {
		a.first, a.second, a.decay = make([]float64, len(x)), make([]float64, len(x)), [2]float64{1, 1}
	}
	a.decay[0] *= momentum
	a.decay[1] *= secondMoment
	c1, c2 := 1-a.decay[0], 1-a.decay[1]
	for i, v := range g {
		a.first[i] = momentum*a.first[i] + (1-momentum)*v
		a.second[i] = secondMoment*a.second[i] + (1-secondMoment)*v*v
		x[i] -= rate * a.first[i] / c1 / (math.Sqrt(a.second[i]/c2) + 1e-8)
	}
}

// descend takes a step of all parameters.
func (r *refinement) descend(rate, momentum float64) {
	r.steps[0].step(r.w, r.dw, rate*rateFilters, momentum)
	r.steps[1].step(r.mu, r.dmu, rate*rateMeans*r.sd, momentum)
	r.steps[2].step(r.a, r.da, rate*rateFactors/r.sd, momentum)
	r.steps[3].step(r.b, r.db, rate*rateWeights, momentum)
}

// unit writes the columns of w, n×m, at unit norm, and returns their norms.
func (r *refinement) unit() {
	for j := range r.m {
		r.norm[j] = 0
	}
	for i, v := range r.w {
		r.norm[i%r.m] += v * v
	}
	for j, v := range r.norm {
		r.norm[j] = math.Sqrt(v)
	}
	for i, v := range r.w {
		r.f[i] = v / r.norm[i%r.m]
	}
	vec.Narrow(r.f32, r.f)
}
