package eeg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"strings"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/covstream"
	"rao/internal/eeg/format/signal"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
	"rao/internal/optionvalues"
	"rao/internal/text"
	"rao/recipe"
	"rao/spd"
)

// AJDCOptions are the options of [FitAJDC]. The zero value uses all frequencies above 0 Hz and keeps all sources.
type AJDCOptions struct {
	// Low and High limit the frequencies of the cospectra in hertz, inclusive. 0 means no limit. The mean of the
	// signal, 0 Hz, is never used.
	Low, High float64
	// Segment is the length in seconds of the segments over which cospectra are averaged; 0 means half a second. The
	// frequency resolution is 1/Segment.
	Segment float64
	// Overlap is the overlap of successive segments, as a fraction of their length; 0 means one half.
	Overlap float64
	// Sources is the number of sources; 0 means all sources that Condition allows.
	Sources int
	// Condition is the largest allowed ratio of the power in the strongest direction of the mean cospectrum to the
	// power in the weakest direction kept; 0 means 1e13. 100 is common: a blink has a hundred times the power of the
	// noise.
	Condition float64
	Tol       float64 // tolerance of the joint diagonalization; 0: 1e-9
	MaxIter   int     // maximum number of sweeps; 0: 200
	// Progress receives an event after each sweep.
	Progress rao.Progress
}

// AJDC separates signals into spectrally uncorrelated sources by approximate joint diagonalization of their cospectra
// (Congedo, Gouy-Pailler and Jutten 2008; for several subjects at once, Congedo, John, De Ridder and Prichep 2010).
// [AJDC.Without] removes sources such as blinks and muscle activity from a recording.
type AJDC struct {
	// Filters convert a signal to sources: channels × sources, one column per source. The value of source k for a
	// sample x is the inner product of column k and x.
	Filters *mat.Dense
	// Patterns are the projections of the sources onto the channels: channels × sources, one column per source. The
	// patterns times the sources are the signal, or its part in the directions that were kept.
	Patterns *mat.Dense
	// Share is the fraction of channel power in the frequency range that each source explains, averaged over the
	// signals. Sources are sorted by Share in descending order. The fractions need not sum to one.
	Share       []float64
	Channels    []string   // names of the channels, in the order of the rows of Filters and Patterns
	Frequencies []float64  // frequencies of the cospectra in hertz
	Report      rao.Report // how the diagonalization ended
}

// pieces are contiguous parts of a signal, each samples × channels.
type pieces []*mat.Dense

// longest returns the number of samples of the longest piece, and the number of channels.
func (p pieces) longest() (samples, channels int) {
	for _, x := range p {
		n, c := x.Dims()
		samples, channels = max(samples, n), c
	}
	return samples, channels
}

// FitAJDC learns to separate signals. x[s][c] is the recording of subject s under condition c, of any length. All
// subjects must have the same conditions, and all recordings the same channels and rate. Spans marked as bad and
// samples that are not finite are ignored, and no spectrum is estimated across a break. The cospectra are divided by
// their traces (equation 3 of Congedo et al. 2010) and averaged over subjects (equation 7). The averages of all
// conditions and frequencies are diagonalized jointly, weighted by how far they are from diagonal (equation B.1 of
// Congedo et al. 2008).
//
// The recordings are not modified. If the maximum number of sweeps is reached, or ctx is canceled during a sweep, it
// returns the result so far and a *rao.NotConvergedError. If ctx is canceled earlier, it returns the error of ctx.
// Other errors report options out of range, recordings that do not match or cannot be read, or too few directions with
// enough power. A sweep costs 8 n³ operations per frequency and condition, for n sources.
func FitAJDC(ctx context.Context, x [][]*Recording, opt AJDCOptions) (*AJDC, error) {
	var first *Recording
	signals := make([][]pieces, len(x))
	for s := range x {
		for _, r := range x[s] {
			first = cmp.Or(first, r)
			if !slices.Equal(r.Channels, first.Channels) || math.Abs(r.Rate/first.Rate-1) > 1e-9 {
				return nil, fmt.Errorf("%s has channels %s at %g Hz, but %s has %s at %g Hz; give recordings with the "+
					"same channels and rate", r.Source, strings.Join(r.Channels, ","), r.Rate, first.Source,
					strings.Join(first.Channels, ","), first.Rate)
			}
			signal, err := r.pieces()
			if err != nil {
				return nil, err
			}
			signals[s] = append(signals[s], signal)
		}
	}
	if first == nil {
		return nil, errors.New("there are no signals to separate; give at least one recording")
	}
	return fitAJDC(ctx, signals, first.Channels, first.Rate, opt)
}

// fitAJDC is FitAJDC for the signals of each subject and condition.
func fitAJDC(ctx context.Context, x [][]pieces, channels []string, rate float64, opt AJDCOptions) (*AJDC, error) {
	if err := opt.check(x, rate); err != nil {
		return nil, err
	}
	f := &AJDC{Channels: channels}
	bands, err := opt.frequencies(rate)
	if err != nil {
		return nil, err
	}
	for _, b := range bands {
		f.Frequencies = append(f.Frequencies, b.Low)
	}
	cospectra, power, err := meanCospectra(ctx, x, rate, bands, opt)
	if err != nil {
		return nil, err
	}
	weights := make([]float64, cospectra.Count)
	for k := range weights {
		weights[k] = offDiagonal(cospectra.At(k), cospectra.Dim)
	}
	err = f.fit(ctx, cospectra, weights, opt)
	if f.Filters != nil {
		f.order(power)
	}
	return f, err
}

func (o AJDCOptions) check(x [][]pieces, rate float64) error {
	switch {
	case !vec.Positive(rate):
		return fmt.Errorf("the sampling rate is %g Hz; it must be positive and finite", rate)
	case !(o.Segment >= 0) || !(o.Overlap >= 0 && o.Overlap < 1) || math.IsInf(o.Segment, 0):
		return fmt.Errorf("the segments are %g s long and overlap by a fraction of %g; use a length of 0 s or more, "+
			"and a fraction of at least 0 and below 1", o.Segment, o.Overlap)
	case !(o.Low >= 0 && o.High >= 0) || o.High != 0 && o.High <= o.Low || 2*o.High > rate:
		return fmt.Errorf("the frequencies are from %g to %g Hz at %g samples per second; use a range from 0 Hz or "+
			"more to at most half the rate", o.Low, o.High, rate)
	case o.Sources < 0 || o.Condition != 0 && !(o.Condition > 1):
		return fmt.Errorf("the number of sources is %d and the largest condition number %g; the number must be 0 or "+
			"more, and the condition number 0 or above 1", o.Sources, o.Condition)
	}
	_, channels := x[0][0].longest()
	if channels < 2 || o.Sources > channels {
		return fmt.Errorf("the number of sources is %d for %s; a separation needs at least two channels, "+
			"and at most as many sources as channels", o.Sources, text.Plural(channels, "channel", "channels"))
	}
	for s := range x {
		if len(x[s]) != len(x[0]) {
			return fmt.Errorf("subject %d has %d conditions, but the first has %d; give every subject the same "+
				"conditions", s+1, len(x[s]), len(x[0]))
		}
	}
	return nil
}

func (o AJDCOptions) spectrum(bands []recipe.Band) recipe.SignalOptions {
	return recipe.SignalOptions{Estimator: optionvalues.EstimatorCospectrum,
		Segment: cmp.Or(o.Segment, covstream.DefaultSegment),
		Overlap: cmp.Or(o.Overlap, 0.5), Combine: optionvalues.CombineBlockDiagonal, Bands: bands}
}

// frequencies returns the frequencies of the cospectra, each as a band with equal ends.
func (o AJDCOptions) frequencies(rate float64) ([]recipe.Band, error) {
	segment := math.Round(o.spectrum(nil).Segment * rate)
	high := cmp.Or(o.High, rate/2)
	var out []recipe.Band
	for k := 1; k <= int(segment)/2; k++ {
		if f := float64(k) * rate / segment; f >= o.Low*(1-1e-12) && f <= high*(1+1e-12) {
			out = append(out, recipe.Band{Low: f, High: f})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no frequency from %g to %g Hz, because the frequencies of segments of %g s "+
			"are %.4g Hz apart; use longer segments", o.Low, high, segment/rate, rate/segment)
	}
	return out, nil
}

// cospectra returns the cospectra of a signal, one per band.
func (o AJDCOptions) cospectra(signal pieces, rate float64, bands []recipe.Band) ([]*mat.SymDense, error) {
	samples, channels := signal.longest()
	e, err := covstream.NewEstimator(channels, samples, rate, o.spectrum(bands))
	if err != nil {
		return nil, err
	}
	return e.EstimateSpectra(signal)
}

// meanCospectra returns the cospectra of all conditions and frequencies, with trace one for each subject, averaged
// over subjects. power is the sum over frequencies, scaled to trace one and averaged over all signals.
func meanCospectra(ctx context.Context, x [][]pieces, rate float64, bands []recipe.Band,
	opt AJDCOptions) (out *spd.Stack, power *mat.SymDense, err error) {
	_, n := x[0][0].longest()
	out, power = spd.NewStack(len(x[0])*len(bands), n), mat.NewSymDense(n, nil)
	for s := range x {
		for c, signal := range x[s] {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			made, err := opt.cospectra(signal, rate, bands)
			if err != nil {
				return nil, nil, naming.At(fmt.Sprintf("subject %d, condition %d", s+1, c+1), err)
			}
			total := mat.NewSymDense(n, nil)
			for b, m := range made {
				scale := 1 / mat.Trace(m) / float64(len(x))
				to := out.At(c*len(bands) + b)
				for i := range n {
					for j := range n {
						to[i*n+j] += scale * m.At(i, j)
					}
				}
				total.AddSym(total, m)
			}
			total.ScaleSym(1/mat.Trace(total)/float64(len(x)*len(x[0])), total)
			power.AddSym(power, total)
		}
	}
	return out, power, nil
}

// offDiagonal returns the mean square of the off-diagonal elements relative to the mean square of the diagonal ones.
func offDiagonal(a []float64, n int) float64 {
	var on, off float64
	for i := range n {
		for j := range n {
			if i == j {
				on += a[i*n+j] * a[i*n+j]
			} else {
				off += a[i*n+j] * a[i*n+j]
			}
		}
	}
	return off / on / float64(n-1)
}

// fit whitens the cospectra, keeps their strongest directions and diagonalizes the result.
func (f *AJDC) fit(ctx context.Context, cospectra *spd.Stack, weights []float64, opt AJDCOptions) error {
	n := cospectra.Dim
	// The mean is not weighted. In pyRiemann 0.12 the weights do not affect the whitening either. This matters only
	// if fewer sources than channels are kept.
	mean := mat.NewSymDense(n, nil)
	for k, w := range weights {
		if !(w > 0) {
			return errors.New("a cospectrum is diagonal, so there is nothing to separate; use the channels as they are")
		}
		mean.AddSym(mean, cospectra.View(k))
	}
	mean.ScaleSym(1/float64(cospectra.Count), mean)
	var eig mat.EigenSym
	if !eig.Factorize(mean, true) {
		return errors.New("the eigenvalues of the mean cospectrum could not be computed; check the signals for " +
			"values that are not finite")
	}
	values := eig.Values(nil) // ascending
	keep, err := opt.kept(values)
	if err != nil {
		return err
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	whiten, color := mat.NewDense(n, keep, nil), mat.NewDense(n, keep, nil)
	for k := range keep {
		root := math.Sqrt(values[n-1-k])
		for i := range n {
			v := vectors.At(i, n-1-k)
			whiten.Set(i, k, v/root)
			color.Set(i, k, v*root)
		}
	}
	white := new(spd.Stack)
	spd.Congruence(white, cospectra, whiten)
	joint := spd.MeanOptions{Tol: opt.Tol, MaxIter: opt.MaxIter, Progress: opt.Progress}
	turn, report, err := spd.JointFilters(ctx, white, weights, joint)
	if turn == nil {
		return fmt.Errorf("the cospectra in %d directions cannot be diagonalized (%w); keep fewer of them", keep, err)
	}
	f.Report = report
	var filters, patterns, inverse mat.Dense
	filters.Mul(whiten, turn)
	if err := inverse.Inverse(turn); err != nil {
		return fmt.Errorf("the filters of %d sources depend on each other; keep fewer sources", keep)
	}
	patterns.Mul(color, inverse.T())
	f.Filters, f.Patterns = &filters, &patterns
	return err
}

// kept returns how many directions to keep, given the eigenvalues in ascending order.
func (o AJDCOptions) kept(values []float64) (int, error) {
	largest := values[len(values)-1]
	floor := largest * 1e-13
	if o.Condition > 0 {
		floor = largest / o.Condition
	}
	keep := indices.Count(values, func(v float64) bool { return v >= floor && v > 0 })
	if o.Sources > keep {
		return 0, fmt.Errorf("the number of sources is %d, but the signals have only %s with enough power; request "+
			"fewer", o.Sources, text.Plural(keep, "direction", "directions"))
	}
	if o.Sources > 0 {
		keep = o.Sources
	}
	if keep < 2 {
		remedy := "give recordings of several independent channels"
		if o.Condition > 0 {
			remedy = "raise the condition number"
		}
		return 0, fmt.Errorf("the signals have only %s with enough power for the condition number %.4g, but a "+
			"separation needs two; %s", text.Plural(keep, "direction", "directions"), largest/floor, remedy)
	}
	return keep, nil
}

// order sorts the sources by the power that they explain.
func (f *AJDC) order(power mat.Symmetric) {
	filters, patterns := f.Filters, f.Patterns
	n, k := filters.Dims()
	share := explained(power, filters, patterns)
	index := indices.Sorted(k, func(a, b int) int { return cmp.Compare(share[b], share[a]) })
	f.Filters, f.Patterns, f.Share = mat.NewDense(n, k, nil), mat.NewDense(n, k, nil), make([]float64, k)
	for to, from := range index {
		f.Filters.SetCol(to, mat.Col(nil, from, filters))
		f.Patterns.SetCol(to, mat.Col(nil, from, patterns))
		f.Share[to] = share[from] / mat.Trace(power)
	}
}

// explained returns the channel variance that each source explains: its variance times the squared norm of its
// pattern.
func explained(c mat.Symmetric, filters, patterns *mat.Dense) []float64 {
	_, k := filters.Dims()
	out := make([]float64, k)
	for s := range k {
		v, p := filters.ColView(s), patterns.ColView(s)
		out[s] = mat.Inner(v, c, v) * mat.Dot(p, p)
	}
	return out
}

// Without returns the recording, in memory, without the sources numbered in suppress, from 0. It subtracts these
// sources times their patterns from each sample of the channels of the separation. Other channels, and directions that
// the separation did not keep, are unchanged. It returns an error if a source or a channel does not exist, or the
// recording cannot be read.
func (f *AJDC) Without(r *Recording, suppress []int) (*Recording, error) {
	n, k := f.Filters.Dims()
	unwanted := mat.NewDense(n, n, nil) // transposed matrix that maps a sample to the part to subtract
	for _, s := range suppress {
		if s < 0 || s >= k {
			return nil, fmt.Errorf("source %d does not exist; choose from 0 to %d", s, k-1)
		}
		var one mat.Dense
		one.Outer(1, f.Filters.ColView(s), f.Patterns.ColView(s))
		unwanted.Add(unwanted, &one)
	}
	width := len(r.Channels)
	data, err := signal.Samples(r, width)
	if err != nil {
		return nil, err
	}
	places := make([]int, n)
	for i, name := range f.Channels {
		if places[i] = slices.Index(r.Channels, name); places[i] < 0 {
			return nil, fmt.Errorf("%s: %w", r.Source, r.unknownChannel(name))
		}
	}
	x := mat.NewDense(r.samples, n, nil)
	for k := range r.samples {
		row := x.RawRowView(k)
		for i, c := range places {
			row[i] = data[k*width+c]
		}
	}
	var part mat.Dense
	part.Mul(x, unwanted)
	for k := range r.samples {
		row := part.RawRowView(k)
		for i, c := range places {
			data[k*width+c] -= row[i]
		}
	}
	out := *r
	out.data, out.reader, out.keep, out.rescale = data, nil, nil, nil
	out.Channels, out.Units = slices.Clone(r.Channels), slices.Clone(r.Units)
	return &out, nil
}
