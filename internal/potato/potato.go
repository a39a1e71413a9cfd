// Package potato finds artifacts among covariance matrices with Riemannian potatoes. [Find] fits and scores in one
// call. [Fit] learns a [Field], which can score other matrices and adapt to them.
package potato

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"rao"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/spd"
)

// Options are the settings of a potato field. The zero value is a good default.
type Options struct {
	Metric    spd.Metric
	Threshold float64 // smallest z-score of an artifact; default 3
	Level     float64 // largest combined probability of an artifact, with several potatoes; default 0.01
	MaxIter   int     // maximum number of iterations of a fit; default 100
	// Robust uses the median and the median absolute deviation of the log-distances in the first round of a fit.
	// Artifacts among the matrices then do not inflate the limit that excludes artifacts.
	Robust bool
	// Channels are the rows and columns that each potato uses, counted from 0 and ascending. If bands are stacked, a
	// row is a channel of a band. Nil means a single potato for all channels.
	Channels [][]int
	Progress rao.Progress // receives the iterations of the means
	// Distance returns the distance of each matrix from a center. Nil means the distance of the metric. The center is
	// always the mean of the metric.
	Distance func(ctx context.Context, x *spd.Stack, center *mat.SymDense) ([]float64, error)
}

func (o Options) filled() Options {
	o.Threshold = cmp.Or(o.Threshold, 3)
	o.Level = cmp.Or(o.Level, 0.01)
	o.MaxIter = cmp.Or(o.MaxIter, 100)
	return o
}

// Potato is the Riemannian potato (Barachant, Andreev and Congedo 2013): the center of clean matrices, and the
// distribution of their distances from it.
type Potato struct {
	Channels []int         // rows and columns that it uses; nil for all
	Center   *mat.SymDense // mean of the clean matrices
	Mean     float64       // mean of the logarithms of their distances to the center
	Spread   float64       // standard deviation of these logarithms
	Clean    int           // number of matrices left at the end of the fit
}

// Field finds artifacts with one potato, or with several potatoes that each use some of the channels (Barthélemy,
// Mayaud, Ojeda and Congedo 2019).
type Field struct {
	Options  Options
	Potatoes []Potato
}

// Fit learns from matrices, most of which must be clean. Each potato repeats the following until no more matrices are
// excluded: it computes the mean of its matrices and excludes the matrices with a z-score of at least the threshold,
// with
//
//	z = (log d(X, center) − mean)/spread
//
// and mean and spread over the remaining matrices. It returns an error if fewer than three matrices remain, or if all
// distances are equal. A round costs a mean and N distances per potato.
func Fit(ctx context.Context, x *spd.Stack, opt Options) (*Field, error) {
	f := &Field{Options: opt.filled()}
	if err := f.Options.check(x); err != nil {
		return nil, err
	}
	channels := f.Options.Channels
	if channels == nil {
		channels = [][]int{nil}
	}
	for k, c := range channels {
		p := Potato{Channels: c}
		if err := p.fit(ctx, chosen(x, c), f.Options); err != nil {
			if len(channels) > 1 {
				err = fmt.Errorf("potato %d: %w", k, err)
			}
			return nil, err
		}
		f.Potatoes = append(f.Potatoes, p)
	}
	return f, nil
}

func (o Options) check(x *spd.Stack) error {
	switch {
	case !(o.Threshold > 0):
		return fmt.Errorf("the threshold of a potato is %g; it must be above 0", o.Threshold)
	case !(o.Level > 0 && o.Level < 1):
		return fmt.Errorf("the level of a potato is %g; it must be above 0 and below 1", o.Level)
	case o.MaxIter < 1:
		return fmt.Errorf("the number of iterations of a potato is %d; it must be at least 1", o.MaxIter)
	case o.Channels != nil && len(o.Channels) == 0:
		return fmt.Errorf("the field has no potatoes; list the channels of at least one")
	}
	for k, c := range o.Channels {
		if !indices.Ascending(c, x.Dim) {
			return fmt.Errorf("the channels of potato %[2]d are %[1]v; list channels from 0 to %[3]d in ascending "+
				"order", c, k, x.Dim-1)
		}
	}
	return nil
}

// chosen returns x, or the submatrices for some channels.
func chosen(x *spd.Stack, channels []int) *spd.Stack {
	if channels == nil {
		return x
	}
	out := spd.NewStack(x.Count, len(channels))
	for k := range x.Count {
		vec.Submatrix(out.At(k), x.At(k), x.Dim, channels)
	}
	return out
}

func (p *Potato) fit(ctx context.Context, x *spd.Stack, opt Options) error {
	kept := indices.Range(x.Count)
	for round := range opt.MaxIter {
		if x.Count < 3 {
			return fmt.Errorf("artifact detection learns from at least 3 matrices, not %d; give more", x.Count)
		}
		if len(kept) < 3 {
			return fmt.Errorf("only %d of %d matrices remain, but at least 3 are needed; use a higher threshold, or a "+
				"recording with more clean matrices", len(kept), x.Count)
		}
		part := x.Select(kept)
		center, _, err := spd.Mean(ctx, part, nil, opt.Metric, spd.MeanOptions{Progress: opt.Progress})
		if err != nil {
			return err
		}
		p.Center, p.Clean = center, len(kept)
		logs, err := p.logDistances(ctx, part, opt)
		if err != nil {
			return err
		}
		if err := p.measure(logs); err != nil {
			return err
		}
		if opt.Robust && round == 0 {
			p.measureRobustly(logs)
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

// measure sets Mean and Spread from the log-distances.
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
		return fmt.Errorf("all matrices have the same distance to their mean, so artifacts cannot be detected; check " +
			"whether the matrices are equal")
	}
	return nil
}

// measureRobustly sets Mean to the median of the log-distances, and Spread to the spread of a normal distribution with
// their median absolute deviation. It changes nothing if at least half of the log-distances are equal.
func (p *Potato) measureRobustly(logs []float64) {
	middle, off := vec.Deviations(logs)
	if spread := 1.4826 * vec.Median(off); spread > 0 {
		p.Mean, p.Spread = middle, spread
	}
}

func (p *Potato) logDistances(ctx context.Context, x *spd.Stack, opt Options) ([]float64, error) {
	var logs []float64
	if opt.Distance != nil {
		var err error
		if logs, err = opt.Distance(ctx, x, p.Center); err != nil {
			return nil, err
		}
	} else {
		var d mat.Dense
		if err := spd.Distances(ctx, &d, opt.Metric, x, spd.StackFrom(p.Center)); err != nil {
			return nil, err
		}
		logs = d.RawMatrix().Data
	}
	for i, v := range logs {
		logs[i] = math.Log(v)
	}
	return logs, nil
}

func (p *Potato) score(log float64) float64 { return (log - p.Mean) / p.Spread }

// Scores sets dst to the z-score of each matrix under each potato. dst is N×potatoes, or is resized if it is empty. A
// matrix that equals the center has the score −Inf.
func (f *Field) Scores(ctx context.Context, dst *mat.Dense, x *spd.Stack) error {
	if dst.IsEmpty() {
		dst.ReuseAs(x.Count, len(f.Potatoes))
	}
	for k := range f.Potatoes {
		p := &f.Potatoes[k]
		logs, err := p.logDistances(ctx, chosen(x, p.Channels), f.Options)
		if err != nil {
			return err
		}
		for i, v := range logs {
			dst.Set(i, k, p.score(v))
		}
	}
	return nil
}

// Probability returns the probability that a clean matrix is at least as far from the centers as a matrix with the
// z-scores z, one per potato. It assumes a normal distribution, and combines several potatoes by Fisher's method.
func (f *Field) Probability(z []float64) float64 {
	if len(z) == 1 {
		return distuv.UnitNormal.Survival(z[0])
	}
	const least = 1e-10 // limits the influence of a single tiny probability
	sum := 0.0
	for _, v := range z {
		sum -= 2 * math.Log(math.Max(least, distuv.UnitNormal.Survival(v)))
	}
	return distuv.ChiSquared{K: 2 * float64(len(z))}.Survival(sum)
}

// Artifact reports whether a matrix with the z-scores z is an artifact. With one potato, the z-score of an artifact is
// at least the threshold. With several potatoes, its probability is at most the level.
func (f *Field) Artifact(z []float64) bool {
	if len(z) == 1 {
		return z[0] >= f.Options.Threshold
	}
	return f.Probability(z) <= f.Options.Level
}

// update moves the potatoes towards a clean matrix by the rate, between 0 and 1. Centers move along the geodesic; mean
// and spread change by exponential forgetting. It returns an error if the metric has no geodesics.
func (f *Field) update(ctx context.Context, x mat.Symmetric, rate float64) error {
	if !(rate > 0 && rate < 1) {
		return fmt.Errorf("the rate of a potato is %g; it must be above 0 and below 1", rate)
	}
	one := spd.StackFrom(x)
	for k := range f.Potatoes {
		p := &f.Potatoes[k]
		part := chosen(one, p.Channels)
		center := mat.NewSymDense(part.Dim, nil)
		if err := spd.Geodesic(center, f.Options.Metric, p.Center, part.View(0), rate); err != nil {
			return err
		}
		p.Center = center
		logs, err := p.logDistances(ctx, part, f.Options)
		if err != nil {
			return err
		}
		if math.IsInf(logs[0], 0) {
			continue // the matrix is at the center
		}
		p.Mean += rate * (logs[0] - p.Mean)
		p.Spread = math.Sqrt((1-rate)*p.Spread*p.Spread + rate*(logs[0]-p.Mean)*(logs[0]-p.Mean))
	}
	return nil
}

// Follow scores the matrices in order and writes the z-scores to z, as [Field.Scores] does. After each clean matrix it
// moves the potatoes towards that matrix by the fraction rate, which must be between 0 and 1.
func (f *Field) Follow(ctx context.Context, z *mat.Dense, x *spd.Stack, rate float64) error {
	if z.IsEmpty() {
		z.ReuseAs(x.Count, len(f.Potatoes))
	}
	var one mat.Dense
	for k := range x.Count {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := f.Scores(ctx, &one, x.Slice(k, k+1)); err != nil {
			return atMatrix(err, k)
		}
		z.SetRow(k, one.RawRowView(0))
		if f.Artifact(one.RawRowView(0)) {
			continue
		}
		if err := f.update(ctx, x.View(k), rate); err != nil {
			return atMatrix(err, k)
		}
	}
	return nil
}

// atMatrix sets the number of the matrix in an error about a single matrix.
func atMatrix(err error, k int) error {
	return indices.InError(err, func(e *spd.MatrixError) { e.Index = k })
}
