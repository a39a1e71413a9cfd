// Package jointfit learns filters and a mixture classifier on their features together, from rows.
package jointfit

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/classify"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/learners"
	"rao/internal/linalg/vec"
	"rao/internal/optim"
	"rao/internal/rows"
)

// Options are the settings of [Fit]. The zero value is a good default if the data values have variance one.
type Options struct {
	// Noise is the variance of the Gaussian noise added to the features of every row, drawn again in every step. It is
	// the feature noise of SQFA, and limits overfitting. Default 0.64.
	Noise    float64
	Epochs   int // passes over the rows; default 24, or [learners.Epochs] for [FitBatches]
	Batch    int // rows per step; default 500, or all rows if there are fewer
	Seed     uint64
	Progress rao.Progress
}

func (o Options) filled(rows, epochs int) (Options, error) {
	o.Noise, o.Epochs, o.Batch = cmp.Or(o.Noise, 0.64), cmp.Or(o.Epochs, epochs), min(cmp.Or(o.Batch, 500), rows)
	switch {
	case !vec.Positive(o.Noise):
		return o, faults.Option("the noise is %g; it must be a positive finite variance, or 0 for the default", o.Noise)
	case o.Epochs < 1 || o.Batch < 1:
		return o, faults.Option("the numbers of epochs (%d) and rows per step (%d) must be positive", o.Epochs, o.Batch)
	}
	return o, nil
}

// Result is the result of [Fit].
type Result struct {
	Filters *mat.Dense        // n×m, columns of unit norm
	Mixture *classify.Mixture // mixture of the features F'x
	Report  rao.Report        // Objective: mean log-probability of the correct class in the last epoch, with noise
}

// These are the peak learning rates of Adam (Kingma and Ba 2015). sd means the standard deviation of the features
// within components.
const (
	rateFilters = 0.02
	rateMeans   = 0.03 // multiplied by sd
	rateFactors = 0.01 // factors of the precisions; divided by sd
	rateWeights = 0.03 // logarithms of the weights
)

// Fit learns filters and a mixture classifier together from the rows of x, N×n. It starts from filters (n×m) and a
// mixture of their features, both of which come from fits to statistics. It maximizes the mean log-probability of the
// correct class,
//
//	1/N Σ log p(y | F'x + e),  e from N(0, s² I),
//
// over filters of unit norm and all parameters of the mixture, by Adam on random batches. The learning rate rises for
// 15 % of the steps and then falls to zero along a cosine. The gradient is in closed form. The features, and the sums
// of the other products, are in double precision.
//
// The report's status is Converged after all epochs. If ctx is canceled, Fit returns the result so far and a
// *rao.NotConvergedError. It panics with mat.ErrShape if sizes differ. The cost of an epoch is N (4 n m + 3 k m(m+3))
// operations for k components. The bits of the result do not depend on GOMAXPROCS.
func Fit(ctx context.Context, x mat.Matrix, labels []int, filters *mat.Dense, mixture *classify.Mixture,
	opt Options) (*Result, error) {
	begin := time.Now()
	in := rows.New(x)
	n, m := filters.Dims()
	if in.Cols != n || mixture.Covariances.Dim != m || in.Rows != len(labels) {
		panic(mat.ErrShape)
	}
	opt, err := opt.filled(in.Rows, 24)
	if err == nil {
		err = in.CheckFinite()
	}
	if err != nil {
		return nil, err
	}
	if err := indices.CheckLabels("row", labels, len(mixture.Classes)); err != nil {
		return nil, err
	}
	r, err := newRefinement(in.Rows, filters, mixture, opt)
	if err != nil {
		return nil, err
	}
	r.copyRows(in, labels)
	report, err := r.run(ctx, r.heldBatches)
	return r.refined(ctx, report, mixture, begin, err)
}

// FitBatches works like [Fit] for rows that come in batches. rows is the total number of rows. The memory does not
// depend on this number. If batches returns an error, FitBatches returns the same error.
func FitBatches(ctx context.Context, rows int, batches learners.Batches, filters *mat.Dense,
	mixture *classify.Mixture, opt Options) (*Result, error) {
	begin := time.Now()
	if _, m := filters.Dims(); mixture.Covariances.Dim != m {
		panic(mat.ErrShape)
	}
	opt, err := opt.filled(rows, learners.Epochs(rows))
	if err != nil {
		return nil, err
	}
	r, err := newRefinement(rows, filters, mixture, opt)
	if err != nil {
		return nil, err
	}
	report, err := r.run(ctx, func(ctx context.Context, epoch int, rng *rand.Rand, step func()) error {
		return batches(ctx, epoch, opt.Batch, func(x mat.Matrix, labels []int) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := r.useBatch(x, labels, rng); err != nil {
				return err
			}
			step()
			return nil
		})
	})
	return r.refined(ctx, report, mixture, begin, err)
}

// refined returns the result of a run that ended with err.
func (r *refinement) refined(ctx context.Context, report rao.Report, start *classify.Mixture, begin time.Time,
	err error) (*Result, error) {
	if err != nil {
		return nil, err
	}
	report.Elapsed = time.Since(begin)
	out := &Result{Report: report}
	if out.Filters, out.Mixture, err = r.result(start); err != nil {
		return nil, fmt.Errorf("the mixture became singular (%w); use fewer sub-classes or more noise", err)
	}
	if report.Status == rao.StatusCanceled {
		return out, &rao.NotConvergedError{Method: "refine", Report: report, Cause: ctx.Err(),
			Remedy: "the filters and the mixture found so far are usable"}
	}
	return out, nil
}

// epochBatches prepares the batches of an epoch one after another and calls step for each.
type epochBatches func(ctx context.Context, epoch int, rng *rand.Rand, step func()) error

// heldBatches draws batches of the rows in memory, in random order.
func (r *refinement) heldBatches(ctx context.Context, _ int, rng *rand.Rand, step func()) error {
	for i := range r.order {
		r.order[i] = i
	}
	rng.Shuffle(len(r.order), func(i, j int) { r.order[i], r.order[j] = r.order[j], r.order[i] })
	for s := range r.rows / r.opt.Batch {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.draw(r.order[s*r.opt.Batch:(s+1)*r.opt.Batch], rng)
		step()
	}
	return nil
}

// run runs all steps. If ctx is canceled, it returns a report with status Canceled and no error.
func (r *refinement) run(ctx context.Context, batches epochBatches) (rao.Report, error) {
	rng := rand.New(rand.NewPCG(r.opt.Seed, 0x4ef1e))
	return optim.Epochs(ctx, r.opt.Epochs, r.rows/r.opt.Batch, "refine", r.opt.Progress,
		func(epoch int, step func(float64) (float64, float64)) error {
			return batches(ctx, epoch, rng, func() { r.descend(step(r.loss())) })
		})
}

func (r *refinement) descend(rate, momentum float64) {
	r.steps[0].Step(r.w, r.dw, rate*rateFilters, momentum)
	r.steps[1].Step(r.mu, r.dmu, rate*rateMeans*r.sd, momentum)
	r.steps[2].Step(r.a, r.da, rate*rateFactors/r.sd, momentum)
	r.steps[3].Step(r.b, r.db, rate*rateWeights, momentum)
}
