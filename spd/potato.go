package spd

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"rao/internal/index"
)

// PotatoFieldOptions are the settings of a potato field. The zero value is ready.
type PotatoFieldOptions struct {
	Metric    Metric
	Threshold float64 // z-score from which a matrix is an artifact; default 3
	Level     float64 // with several potatoes: combined probability at or below which it is one; default 0.01
	MaxIter   int     // limit on the rounds of a fit; default 100
	// Channels are the rows and columns that each potato uses, counted from 0 and ascending:
	// channels, or channels of a band if bands are stacked. nil means one potato of all channels.
	Channels [][]int
}

func (o PotatoFieldOptions) filled() PotatoFieldOptions {
	if o.Threshold == 0 {
		o.Threshold = 3
	}
	if o.Level == 0 {
		o.Level = 0.01
	}
	if o.MaxIter == 0 {
		o.MaxIter = 100
	}
	return o
}

// Potato is the Riemannian potato (Barachant, Andreev and Congedo 2013): the center of clean
// matrices, and how far they lie from it.
type Potato struct {
	Channels []int         // nil is all
	Center   *mat.SymDense // mean of the clean matrices
	Mean     float64       // of the logarithms of their distances to the center
	Spread   float64       // standard deviation of these
	Clean    int           // number of matrices that the fit kept
}

// PotatoField finds artifacts with one potato, or with several that each watch some of the channels
// (Barthélemy, Mayaud, Ojeda and Congedo 2019).
type PotatoField struct {
	Options  PotatoFieldOptions
	Potatoes []Potato
}

// FitPotatoField learns from matrices most of which are clean. Each potato takes the mean of
// its matrices, and leaves out those whose z-score is at least the threshold, until none is:
//
//	z = (log d(X, center) − mean)/spread
//
// with mean and spread of log d over the remaining matrices. Fewer than three remaining matrices, and matrices
// that are all the same, are errors. A round costs a mean and N distances per potato.
func FitPotatoField(ctx context.Context, x *Stack, opt PotatoFieldOptions) (*PotatoField, error) {
	if x == nil {
		return nil, errNil
	}
	f := &PotatoField{Options: opt.filled()}
	if err := f.Options.check(x); err != nil {
		return nil, err
	}
	channels := f.Options.Channels
	if channels == nil {
		channels = [][]int{nil}
	}
	for k, c := range channels {
		p := Potato{Channels: c}
		if err := p.fit(ctx, x.channels(c), f.Options); err != nil {
			if len(channels) > 1 {
				err = fmt.Errorf("potato %d: %w", k, err)
			}
			return nil, err
		}
		f.Potatoes = append(f.Potatoes, p)
	}
	return f, nil
}

func (o PotatoFieldOptions) check(x *Stack) error {
	if _, err := o.Metric.geometry(); err != nil {
		return err
	}
	if !(o.Threshold > 0) || !(o.Level > 0 && o.Level < 1) || o.MaxIter < 1 {
		return fmt.Errorf("potato with threshold %g, level %g and at most %d rounds: want a threshold above 0, a "+
			"level between 0 and 1, and a round", o.Threshold, o.Level, o.MaxIter)
	}
	if o.Channels != nil && len(o.Channels) == 0 {
		return fmt.Errorf("a potato field without potatoes")
	}
	for k, c := range o.Channels {
		if !ascending(c, x.Dim) {
			return fmt.Errorf("channels %v of potato %d: want ascending numbers from 0 to %d", c, k, x.Dim-1)
		}
	}
	return nil
}

// channels returns x, or the matrices of some channels.
func (s *Stack) channels(c []int) *Stack {
	if c == nil {
		return s
	}
	out := NewStack(s.Count, len(c))
	for k := range s.Count {
		pick(out.At(k), s.At(k), c, s.Dim)
	}
	return out
}

func (p *Potato) fit(ctx context.Context, x *Stack, opt PotatoFieldOptions) error {
	kept := index.Range(x.Count)
	for range opt.MaxIter {
		if len(kept) < 3 {
			return fmt.Errorf("%d of %d matrices are left, and three are needed: take a higher threshold, or a "+
				"recording with more clean matrices", len(kept), x.Count)
		}
		part := x.Select(kept)
		center, _, err := Mean(ctx, part, nil, opt.Metric, MeanOptions{})
		if err != nil {
			return err
		}
		p.Center, p.Clean = center, len(kept)
		logs, err := p.logDistances(part, opt.Metric)
		if err != nil {
			return err
		}
		if err := p.measure(logs); err != nil {
			return err
		}
		before := len(kept)
		next := kept[:0:0]
		for i, k := range kept {
			if p.score(logs[i]) < opt.Threshold {
				next = append(next, k)
			}
		}
		if kept = next; len(kept) == before {
			return nil
		}
	}
	return nil
}

// measure takes mean and spread of the logarithms.
func (p *Potato) measure(logs []float64) error {
	sum, squares := 0.0, 0.0
	for _, v := range logs {
		sum += v
	}
	p.Mean = sum / float64(len(logs))
	for _, v := range logs {
		squares += (v - p.Mean) * (v - p.Mean)
	}
	p.Spread = math.Sqrt(squares / float64(len(logs)))
	if !(p.Spread > 0) || math.IsInf(p.Mean, 0) {
		return fmt.Errorf("the distances of the matrices to their mean do not vary: they are the same matrix")
	}
	return nil
}

func (p *Potato) logDistances(x *Stack, metric Metric) ([]float64, error) {
	var d mat.Dense
	if err := Distances(context.Background(), &d, metric, x, StackFrom(p.Center)); err != nil {
		return nil, err
	}
	logs := d.RawMatrix().Data
	for i, v := range logs {
		logs[i] = math.Log(v)
	}
	return logs, nil
}

func (p *Potato) score(log float64) float64 { return (log - p.Mean) / p.Spread }

// Scores writes the z-score of each matrix under each potato to dst, which is N×potatoes, or
// empty. A matrix at the center itself has −Inf.
func (f *PotatoField) Scores(dst *mat.Dense, x *Stack) error {
	if x == nil {
		return errNil
	}
	fitDense(dst, x.Count, len(f.Potatoes))
	for k := range f.Potatoes {
		p := &f.Potatoes[k]
		logs, err := p.logDistances(x.channels(p.Channels), f.Options.Metric)
		if err != nil {
			return err
		}
		for i, v := range logs {
			dst.Set(i, k, p.score(v))
		}
	}
	return nil
}

// Probability combines the z-scores of a matrix, one per potato, into the probability that a
// clean matrix lies at least as far out: that of a normal distribution or, with several potatoes,
// Fisher's combination.
func (f *PotatoField) Probability(z []float64) float64 {
	if len(z) == 1 {
		return distuv.UnitNormal.Survival(z[0])
	}
	const least = 1e-10 // an underflow must not decide alone
	sum := 0.0
	for _, v := range z {
		sum -= 2 * math.Log(math.Max(least, distuv.UnitNormal.Survival(v)))
	}
	return distuv.ChiSquared{K: 2 * float64(len(z))}.Survival(sum)
}

// Artifact reports from its z-scores whether a matrix is an artifact. With one potato its z-score
// reaches the threshold; with several the probability does not exceed the level.
func (f *PotatoField) Artifact(z []float64) bool {
	if len(z) == 1 {
		return z[0] >= f.Options.Threshold
	}
	return f.Probability(z) <= f.Options.Level
}

// update moves the potatoes towards a clean matrix by the rate, between 0 and 1: centers along
// the geodesic, mean and spread by exponential forgetting. The metric must have geodesics.
func (f *PotatoField) update(x mat.Symmetric, rate float64) error {
	if !(rate > 0 && rate < 1) {
		return fmt.Errorf("rate %g of a potato: want a number between 0 and 1", rate)
	}
	one := StackFrom(x)
	for k := range f.Potatoes {
		p := &f.Potatoes[k]
		part := one.channels(p.Channels)
		center := mat.NewSymDense(part.Dim, nil)
		if err := Geodesic(center, f.Options.Metric, p.Center, part.View(0), rate); err != nil {
			return err
		}
		p.Center = center
		logs, err := p.logDistances(part, f.Options.Metric)
		if err != nil {
			return err
		}
		if math.IsInf(logs[0], 0) {
			continue // at the center
		}
		p.Mean += rate * (logs[0] - p.Mean)
		p.Spread = math.Sqrt((1-rate)*p.Spread*p.Spread + rate*(logs[0]-p.Mean)*(logs[0]-p.Mean))
	}
	return nil
}

// Follow scores the matrices in order, and moves the potatoes by each clean one (see Update).
// z is what Scores writes.
func (f *PotatoField) Follow(ctx context.Context, z *mat.Dense, x *Stack, rate float64) error {
	if x == nil {
		return errNil
	}
	fitDense(z, x.Count, len(f.Potatoes))
	var one mat.Dense
	for k := range x.Count {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := f.Scores(&one, x.Slice(k, k+1)); err != nil {
			return atMatrix(err, k)
		}
		z.SetRow(k, one.RawRowView(0))
		if f.Artifact(one.RawRowView(0)) {
			continue
		}
		if err := f.update(x.View(k), rate); err != nil {
			return atMatrix(err, k)
		}
	}
	return nil
}

// atMatrix says in an error of a single matrix which one it was.
func atMatrix(err error, k int) error {
	var e *MatrixError
	if errors.As(err, &e) {
		e.Index = k
	}
	return err
}
