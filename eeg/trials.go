package eeg

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/covstream"
	"rao/internal/eeg/trialevents"
	"rao/internal/linalg/vec"
	"rao/internal/optionvalues"
	"rao/internal/recipes"
	"rao/internal/voltage"
	"rao/recipe"
	"rao/spd"
)

// TrialOptions are the options of [CutTrials]. Classes and Stop are required.
type TrialOptions struct {
	// Progress receives an event after each band of each recording.
	Progress rao.Progress
	// Classes are the classes of trials, with their events. Other events are ignored.
	Classes []Class
	// Start and Stop are the limits of a trial in seconds relative to its event. The first sample is
	// round(Start·rate), and there are round((Stop−Start)·rate) samples.
	Start, Stop float64
	// BothEnds adds one sample, to include both the sample at Start and the sample at Stop, as epochs in MNE and
	// MOABB do.
	BothEnds bool
	// Anchor is the event that Start and Stop are relative to, if the class is set by an earlier event (such as a cue
	// before the stimulus). It is used if it has a code or a label. An anchor event gets the class of the last class
	// event since the previous anchor event. Without a class event between these anchor events, the later one is
	// ignored.
	Anchor Class
	// Window, if not 0, divides each trial into windows of this many seconds, which become separate observations. The
	// first begins at the start of the trial, and the next ones follow at intervals of Every seconds; if Every is 0,
	// windows do not overlap. Use windows to train decoders that decide during a trial.
	Window, Every float64
	// SignalOptions describe how a trial becomes an observation. Band-pass filters run over the entire recording
	// before trials are cut.
	recipe.SignalOptions
	// Causal filters forward only, as a live decoder must. Otherwise filters have zero phase, which uses future
	// samples.
	Causal bool
	// Baseline is an interval relative to the event. The mean of each channel over this interval is subtracted from the
	// trial. It is allowed only if Estimator is none or correlations, because covariances ignore the mean of a trial.
	// The zero value subtracts nothing.
	Baseline [2]float64
	// SkipInvalid leaves out invalid trials. Otherwise they are errors. A trial is invalid if it extends beyond the
	// recording or across a break, if it contains samples that are not finite, if an event with a label that starts
	// with "bad" (MNE's mark for artifacts) marks some of its samples, or if two classes have an event at its sample.
	SkipInvalid bool
	// Bad selects what to do with channels marked as bad; empty drops them.
	Bad BadChannels
	// Reference is average, recorded, or the names of the reference channels. The mean of the reference channels is
	// subtracted from the other channels, and the reference channels are dropped. Nil keeps the reference of the
	// recordings, unless a file requests the average reference and its samples do not have it; recorded keeps it even
	// then.
	Reference []string
	// Notch lists frequencies in hertz, such as 50, that notch filters remove before resampling.
	Notch []float64
	// Resample is the new sampling rate in hertz; 0 keeps the rate of the recordings.
	Resample float64
	// Amplitude, such as 150uV, leaves out trials in which a channel has a larger peak-to-peak amplitude before
	// band-pass filtering. Leave the unit out only if the units of the channels are unknown.
	Amplitude string
	// Note is called with remarks for the user; it may be nil.
	Note func(error)

	reject float64 // Amplitude in the unit of the recordings; 0 keeps all trials
}

// Trials contains the observations made from trials: matrices, the signals themselves, or their correlations with
// oscillations.
type Trials struct {
	Stacks    []*spd.Stack // one stack, or one per band if bands are separate; nil if there are no matrices
	Signals   *mat.Dense   // a row per trial: all samples of each band and channel in turn, or a value per frequency
	Labels    []int        // class of each trial
	Classes   []string     // names of the classes
	Recording []int        // index of the recording of each trial
	Sample    []int        // first sample of each trial in its recording
	Trial     []int        // trial of each window; nil if trials are not cut into windows
	Skipped   []string     // trials that were left out, with reasons
	// Recipe describes how the observations were computed. If bands are separate, it covers all of them.
	Recipe *recipe.Recipe
}

// trial is the position of a trial, or of a window in a trial.
type trial struct{ recording, first, class, number int }

func (o TrialOptions) check(recs []*Recording) error {
	switch {
	case len(recs) == 0:
		return fmt.Errorf("there are no recordings to cut trials from; give at least one")
	case len(o.Classes) == 0:
		return fmt.Errorf("no classes of trials are given, and the recording has these events: %s; name the classes "+
			"with their event codes, such as left=769,right=770", describeEvents(recs[0].Events))
	case !(o.Stop > o.Start) || math.IsInf(o.Stop-o.Start, 0):
		return fmt.Errorf("trials are from %g to %g s; the end must be finite and come after the start", o.Start,
			o.Stop)
	case o.Baseline != [2]float64{} && !o.signals():
		return fmt.Errorf("a baseline works only with the signals themselves, because covariances ignore the mean of " +
			"a trial; leave the baseline out")
	}
	if err := checkBaseline(o.Baseline, recs[0].Rate); err != nil {
		return err
	}
	for _, r := range recs[1:] {
		if !slices.Equal(r.Channels, recs[0].Channels) {
			return fmt.Errorf("%s has channels %s, but %s has %s; choose the channels that all recordings have",
				recs[0].Source,
				strings.Join(recs[0].Channels, ","), r.Source, strings.Join(r.Channels, ","))
		}
		if math.Abs(r.Rate/recs[0].Rate-1) > 1e-9 {
			return fmt.Errorf("%s has %g samples per second, but %s has %g; resample them to the same rate",
				recs[0].Source, recs[0].Rate, r.Source, r.Rate)
		}
		if a, b := recs[0].Reference, r.Reference; a != "" && b != "" && a != b {
			return fmt.Errorf("%s has the reference %s, but %s has %s; use recordings with the same reference, "+
				"because covariances depend on it",
				recs[0].Source, a, r.Source, b)
		}
		if a, b := voltage.Common(recs[0].Units), voltage.Common(r.Units); a != b && !o.unitless() {
			return rao.Optionf("channel-unit",
				"%s is in %s, but %s is in %s; give an unknown unit with {channel-unit}, or use recordings of one unit",
				recs[0].Source, unitOr(a), r.Source, unitOr(b))
		}
	}
	if o.Window != 0 {
		every := cmp.Or(o.Every, o.Window)
		switch {
		case !(o.Window > 0 && every > 0) || math.IsInf(every, 0) || math.Round(every*recs[0].Rate) < 1:
			return rao.Optionf("window",
				"{window}: windows of %g s every %g s are not possible at %g Hz; use windows of "+
					"positive length that are at least one sample apart", o.Window, every, recs[0].Rate)
		case math.Round(o.Window*recs[0].Rate) > o.length(recs[0].Rate):
			return rao.Optionf("window",
				"{window}: windows of %g s are longer than the trials of %g s; use shorter windows "+
					"or longer trials", o.Window, o.Stop-o.Start)
		case o.BothEnds || o.Baseline != [2]float64{}:
			return rao.Optionf("window", "{window} cannot be combined with a baseline or with both ends of the "+
				"trials; leave out one of them")
		}
	}
	if n := o.samples(recs[0].Rate); n < 2 || n > math.MaxInt32 ||
		math.Abs(o.Start*recs[0].Rate) > math.MaxInt32 {
		return fmt.Errorf("trials from %g to %g s have %g samples at %g Hz; a trial needs at least 2 samples "+
			"and fewer than 2^31, and must start less than 2^31 samples from its event; change the start or the end",
			o.Start, o.Stop, n, recs[0].Rate)
	}
	if samples := int(o.samples(recs[0].Rate)); o.signals() {
		return o.Check(samples)
	} else if _, err := covstream.NewEstimator(len(recs[0].Channels), samples, recs[0].Rate,
		o.SignalOptions); err != nil {
		return err
	}
	return nil
}

// samples returns the number of samples of an observation. It may be out of range.
func (o TrialOptions) samples(rate float64) float64 {
	if o.Window != 0 {
		return math.Round(o.Window * rate)
	}
	return o.length(rate)
}

// length returns the number of samples of a trial, unchecked: the number may be negative or too large for an int.
func (o TrialOptions) length(rate float64) float64 {
	n := math.Round((o.Stop - o.Start) * rate)
	if o.BothEnds {
		n++
	}
	return n
}

// signals reports whether the observations are vectors, not matrices.
func (o TrialOptions) signals() bool {
	return o.Estimator == optionvalues.EstimatorNone || o.Estimator == optionvalues.EstimatorCorrelations
}

// unitless reports whether the observations do not depend on the unit of the signal.
func (o TrialOptions) unitless() bool {
	e, err := optionvalues.ParseEstimator(o.Estimator)
	similarities := []recipe.Estimator{optionvalues.EstimatorCorrelation, optionvalues.EstimatorRBF,
		optionvalues.EstimatorLaplacian}
	return o.Normalize || o.Estimator == optionvalues.EstimatorCoherence ||
		err == nil && slices.Contains(similarities, e)
}

// unitOr returns the unit for use in a message, or words for an unknown unit.
func unitOr(unit string) string {
	if unit == "" {
		return "an unknown unit"
	}
	return unit
}

// release frees the memory of a prepared signal.
func (r *Recording) release() {
	if p, ok := r.reader.(*preparing); ok && r.data == nil {
		p.release()
	}
}

// CutTrials handles bad channels, prepares recordings, which must have the same channels, rate, reference and unit, and
// cuts trials at their events. It returns one observation per trial, by default its covariance matrix, in the order of
// the recordings and events. It reads one complete recording at a time, band by band, and processes trials in parallel;
// the result does not depend on the number of goroutines. If opt.Bad drops bad channels, they are removed from recs.
// Apart from that, the recordings are not modified.
//
// It returns an error if the options are invalid or do not fit the recordings, no channel is left, a trial is invalid
// and SkipInvalid is not set, or a class has no trial. In that last case the error lists the events found. If ctx is
// canceled, it returns the error of ctx.
func CutTrials(ctx context.Context, recs []*Recording, opt TrialOptions) (*Trials, error) {
	prepared, err := opt.prepare(recs)
	if err != nil {
		return nil, err
	}
	t, err := cutPrepared(ctx, prepared, opt)
	if err != nil || opt.Note == nil {
		return t, err
	}
	t.noteRank(opt.Note)
	return t, t.noteSignals(recs, opt.Note)
}

// cutPrepared cuts trials from prepared recordings.
func cutPrepared(ctx context.Context, recs []*Recording, opt TrialOptions) (*Trials, error) {
	if err := opt.check(recs); err != nil {
		return nil, err
	}
	cut := &cutter{opt: opt, out: &Trials{Recipe: opt.recipe(recs[0])},
		samples: int(opt.samples(recs[0].Rate)), skipped: map[int]string{}}
	if opt.Combine == optionvalues.CombineFilterBank {
		cut.opt.Combine = optionvalues.CombineStacked // until the correlations are computed
	}
	for _, c := range opt.Classes {
		cut.out.Classes = append(cut.out.Classes, c.Name)
	}
	for i, r := range recs {
		if err := cut.find(i, r); err != nil {
			return nil, err
		}
		r.release()
	}
	if err := cut.missing(recs); err != nil {
		return nil, err
	}
	cut.allocate(len(recs[0].Channels))
	cut.passes = len(recs) * max(1, len(opt.Bands))
	for i, r := range recs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		cut.show(i, 0)
		if err := cut.recording(i, r); err != nil {
			return nil, err
		}
		r.release()
	}
	for _, t := range cut.trials {
		if opt.Window != 0 {
			cut.out.Trial = append(cut.out.Trial, t.number)
		}
		cut.out.Labels = append(cut.out.Labels, t.class)
		cut.out.Recording = append(cut.out.Recording, t.recording)
		cut.out.Sample = append(cut.out.Sample, t.first)
	}
	if opt.Estimator == optionvalues.EstimatorCorrelations {
		return cut.out, cut.out.correlate(opt.SignalOptions)
	}
	return cut.out, nil
}

// cutter is the state of cutPrepared.
type cutter struct {
	opt     TrialOptions
	out     *Trials
	samples int
	trials  []trial
	found   int            // number of trials found
	passes  int            // number of bands of all recordings
	skipped map[int]string // for each class, why its first left-out trial was left out
}

// find lists the valid trials of a recording.
func (c *cutter) find(i int, r *Recording) error {
	for _, begin := range trialevents.Starts(r.Events, c.opt.Classes, c.opt.Anchor) {
		e, class := begin.Event, begin.Class
		first := e.Sample + int(math.Round(c.opt.Start*r.Rate))
		why, err := c.invalid(r, e.Sample, first)
		if err != nil {
			return err
		}
		if begin.Conflict != "" {
			why = fmt.Sprintf("has an unknown class, because class %s has an event at the same sample", begin.Conflict)
		}
		if why == "" && c.opt.reject > 0 {
			loud, err := r.louder(first, int(c.opt.length(r.Rate)), c.opt.reject)
			if err != nil {
				return err
			}
			if loud != "" {
				c.skip(class, fmt.Sprintf("%s: the trial of class %s at sample %d %s",
					r.Source, c.opt.Classes[class].Name, e.Sample, loud))
				continue
			}
		}
		if why == "" {
			c.add(i, first, class, r.Rate)
			continue
		}
		what := fmt.Sprintf("%s: the trial of class %s at sample %d %s",
			r.Source, c.opt.Classes[class].Name, e.Sample, why)
		if !c.opt.SkipInvalid {
			remedy := "change {start} or {stop}"
			if begin.Conflict != "" {
				remedy = "correct the events"
			}
			return rao.Optionf("skip-invalid", "%s; skip such trials with {skip-invalid}, or "+remedy, what)
		}
		c.skip(class, what)
	}
	return nil
}

func (c *cutter) add(recording, first, class int, rate float64) {
	last, every := first, 1
	if c.opt.Window != 0 {
		last = first + int(c.opt.length(rate)) - c.samples
		every = int(math.Round(cmp.Or(c.opt.Every, c.opt.Window) * rate))
	}
	for ; first <= last; first += every {
		c.trials = append(c.trials, trial{recording, first, class, c.found})
	}
	c.found++
}

// invalid returns why the trial of an event is invalid, or "". The samples of the baseline count too.
func (c *cutter) invalid(r *Recording, event, first int) (string, error) {
	end := first + int(c.opt.length(r.Rate))
	if from, count := baselineSamples(c.opt.Baseline, r.Rate); count > 0 {
		first, end = min(first, event+from), max(end, event+from+count)
	}
	return r.invalid(first, end-first)
}

// invalid returns why the samples first to first+count−1 cannot be used, or "".
func (r *Recording) invalid(first, count int) (string, error) {
	if first < 0 || first > r.samples-count {
		return fmt.Sprintf("reaches beyond the recording of %d samples", r.samples), nil
	}
	for _, b := range r.Breaks {
		if first < b && b < first+count {
			return fmt.Sprintf("reaches across sample %d, where the signal restarts", b), nil
		}
	}
	for _, e := range r.Events {
		if markedBad(e) && first < e.Sample+e.Duration && e.Sample < first+count {
			return fmt.Sprintf("touches the span %q (samples %d to %d)", e.Label, e.Sample, e.Sample+e.Duration-1), nil
		}
	}
	for _, g := range r.gaps {
		if first < g[1] && g[0] < first+count {
			return fmt.Sprintf("touches missing samples (%d to %d)", g[0], g[1]-1), nil
		}
	}
	x := make([]float64, count*len(r.Channels))
	if err := r.Read(x, first, count); err != nil {
		return "", err
	}
	if k := vec.NotFinite(x); k >= 0 {
		return fmt.Sprintf("has a value that is not finite (channel %s, sample %d)",
			r.Channels[k%len(r.Channels)], first+k/len(r.Channels)), nil
	}
	return "", nil
}

// louder returns a description of the first channel that exceeds the peak-to-peak limit in a trial, or "".
func (r *Recording) louder(first, count int, limit float64) (string, error) {
	channels := len(r.Channels)
	x := make([]float64, count*channels)
	if err := r.Read(x, first, count); err != nil {
		return "", err
	}
	for c, name := range r.Channels {
		low, high := x[c], x[c]
		for k := c; k < len(x); k += channels {
			low, high = min(low, x[k]), max(high, x[k])
		}
		if high-low > limit {
			return fmt.Sprintf("varies by %s at %s, more than %s", r.amplitude(high-low), name, r.amplitude(limit)), nil
		}
	}
	return "", nil
}

// amplitude formats a value for messages. Volts are converted to microvolts.
func (r *Recording) amplitude(v float64) string {
	unit := voltage.Common(r.Units)
	if s, ok := voltage.NewRescale(unit, "uV"); ok {
		return fmt.Sprintf("%.4g µV", s.Of(v))
	}
	return strings.TrimSpace(fmt.Sprintf("%.4g %s", v, unit))
}

// skip records a trial that is left out.
func (c *cutter) skip(class int, what string) {
	c.out.Skipped = append(c.out.Skipped, what)
	if _, ok := c.skipped[class]; !ok {
		c.skipped[class] = what
	}
}

// missing returns an error if a class has no trial.
func (c *cutter) missing(recs []*Recording) error {
	var events []Event
	for _, r := range recs {
		events = append(events, r.Events...)
	}
	for i, k := range c.opt.Classes {
		if slices.ContainsFunc(c.trials, func(t trial) bool { return t.class == i }) {
			continue
		}
		if trialevents.Occurs(events, k) {
			if why, ok := c.skipped[i]; ok {
				return fmt.Errorf("class %s has events but no trial, because all were left out (%s); change the "+
					"limits of trials, or leave the class out", k.Name, why)
			}
			why := "the anchor follows none of its events"
			if !trialevents.Occurs(events, c.opt.Anchor) {
				why = "no event matches the anchor"
			}
			return fmt.Errorf("class %s has events but no trial, because %s; events found: %s", k.Name, why,
				describeEvents(events))
		}
		comma := ""
		if slices.ContainsFunc(events, func(e Event) bool { return strings.Contains(e.Label, ",") }) {
			comma = `; write a comma in a label as \,`
		}
		return fmt.Errorf("no event matches class %s (%s); events found: %s%s", k.Name, eventOf(k),
			describeEvents(events), comma)
	}
	return nil
}

// eventOf describes the events of a class, for messages.
func eventOf(c Class) string {
	if c.Code != 0 {
		return fmt.Sprintf("code %d", c.Code)
	}
	return fmt.Sprintf("label %q", c.Label)
}

func (c *cutter) allocate(channels int) {
	stacks, dim := 1, channels
	if bands := len(c.opt.Bands); bands > 1 {
		if c.out.Recipe.Signal.Combine == optionvalues.CombineSeparate {
			stacks = bands
		} else {
			dim *= bands
		}
	}
	if c.opt.signals() {
		c.out.Signals = mat.NewDense(len(c.trials), dim*c.samples, nil)
		return
	}
	dim *= recipes.RowsPerChannel(c.opt.SignalOptions)
	for range stacks {
		c.out.Stacks = append(c.out.Stacks, spd.NewStack(len(c.trials), dim))
	}
}

// show reports how many bands of all recordings are done before band k of recording i.
func (c *cutter) show(i, k int) {
	c.opt.Progress.Send(rao.Event{Stage: "trials", Done: i*max(1, len(c.opt.Bands)) + k, Total: c.passes})
}

func (c *cutter) recording(i int, r *Recording) error {
	lo := slices.IndexFunc(c.trials, func(t trial) bool { return t.recording == i })
	if lo < 0 {
		return nil
	}
	hi := lo
	for hi < len(c.trials) && c.trials[hi].recording == i {
		hi++
	}
	signals := []*Recording{r}
	if optionvalues.IsSpectral(string(c.opt.Estimator)) {
		return c.covariances(signals, lo, hi, 0)
	}
	if len(c.opt.Bands) > 0 {
		signals = nil
	}
	for k, b := range c.opt.Bands {
		c.show(i, k)
		f, err := r.filtered(b, c.opt.Order, c.opt.Causal)
		if err != nil {
			return err
		}
		signals = append(signals, f)
		if c.opt.Combine != optionvalues.CombineStacked || len(c.opt.Bands) == 1 {
			if err := c.covariances(signals[len(signals)-1:], lo, hi, len(signals)-1); err != nil {
				return err
			}
			f.data = nil // keep only one band in memory
		}
	}
	if len(c.opt.Bands) == 0 || c.opt.Combine == optionvalues.CombineStacked && len(c.opt.Bands) > 1 {
		return c.covariances(signals, lo, hi, 0)
	}
	return nil
}
