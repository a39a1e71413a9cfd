package lvq

import (
	"context"
	"slices"

	"rao"
	"rao/internal/faults"
	"rao/internal/linalg/vec"
)

// source is a set of samples from which prototypes can be learned.
type source interface {
	count() int
	// start returns a space with initial prototypes, chosen only from the samples of index.
	start(ctx context.Context, o *resolved, labels, index []int) (space, error)
	// unit reports whether distances have the unit of the data. The default rate then depends on them.
	unit() bool
	// seedBounds may increase the lower bounds of distances from 0.
	seedBounds(b *bounds, s space, sigma2 float64) error
}

type fitted struct {
	space  space
	sigma2 float64
	report rao.Report
}

// fitSource trains only on the samples of index.
func fitSource(ctx context.Context, src source, o *resolved, q *targets, index []int) (*fitted, error) {
	t, err := startTraining(ctx, src, o, q, index, 1)
	if err != nil {
		return nil, err
	}
	return t.finish(ctx)
}

// startTraining returns a trainer with its prototypes at their start. An automatic σ² is multiplied by share.
func startTraining(ctx context.Context, src source, o *resolved, q *targets, index []int,
	share float64) (*trainer, error) {
	s, err := src.start(ctx, o, q.labels, index)
	if err != nil {
		return nil, err
	}
	sigma2 := o.Sigma2
	if sigma2 == 0 {
		if sigma2, err = autoSigma2(s, index, len(o.label)); err != nil {
			return nil, err
		}
		sigma2 *= share
	}
	if o.autoRate && (src.unit() || o.choose) {
		scaled := *o
		scaled.Rate = sigma2 * float64(slices.Max(o.perClass)) / 20
		o = &scaled
	}
	t := newTrainer(o, s, q, index, sigma2)
	if t.bounds != nil {
		err = src.seedBounds(t.bounds, s, t.sched.sigma2)
	}
	return t, err
}

func (t *trainer) finish(ctx context.Context) (*fitted, error) {
	report, err := t.run(ctx)
	if err != nil {
		return nil, err
	}
	return &fitted{space: t.space, sigma2: t.sched.sigma2, report: report}, nil
}

// autoSigma2 returns half the median squared distance of samples to prototypes, which is the authors' choice if no σ²
// is given.
func autoSigma2(s space, index []int, p int) (float64, error) {
	pairs := make([]pair, p)
	e := s.evaluator(p)
	var failed error
	v, err := halfMedian(len(index), p, func(d []float64, k int) {
		for l := range pairs {
			pairs[l] = pair{index[k], l}
		}
		if err := e.distances(d, pairs); err != nil && failed == nil {
			failed = err
		}
	})
	if failed != nil {
		return 0, failed
	}
	return v, err
}

// halfMedian returns half the median squared distance of n samples to p prototypes; measure(d, k) writes the distances
// of sample k. If there are many samples, it uses evenly spaced ones.
func halfMedian(n, p int, measure func(d []float64, k int)) (float64, error) {
	const most = 4096
	stride := max(1, n/most)
	var d []float64
	for k := 0; k < n && len(d) < most*p; k += stride {
		d = append(d, make([]float64, p)...)
		measure(d[len(d)-p:], k)
	}
	median := vec.Median(d)
	if !(median > 0) {
		return 0, faults.Option("half of the samples equal a prototype, so sigma2 cannot be estimated; set sigma2")
	}
	return median / 2, nil
}
