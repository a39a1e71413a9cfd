package eeg

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"rao"
	"rao/internal/eeg/format/signal"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
	"rao/internal/optionvalues"
)

// SourcesOptions are the options of [FindSources].
type SourcesOptions struct {
	// Recording contains the options for opening recordings. Its fields Channels, Drop and Kinds select the channels
	// to separate.
	Recording RecordingOptions
	// Eyes are the names of EOG channels. They are not separated, only compared with the sources.
	Eyes []string
	// Also lists the paths of more recordings with the same channels, which are used to learn the separation.
	Also []string
	// AJDC are the options of the separation.
	AJDC AJDCOptions
}

// Sources are the sources of a recording, sorted by explained power in descending order.
type Sources struct {
	// Recording is the recording in memory, with the selected channels.
	Recording *Recording
	// Separation converts the channels that are not marked as bad to sources.
	Separation *AJDC
	// EyeCorrelation is the largest absolute correlation of each source with an EOG channel; nil if there are no EOG
	// channels.
	EyeCorrelation []float64
	// Kurtosis is the excess kurtosis of each source. It is 0 for a Gaussian source, and high for a source with
	// bursts, such as blinks and movements.
	Kurtosis []float64
}

// FindSources opens a recording and separates it into sources with [FitAJDC]. It ignores bad channels, bad spans and
// samples that are not finite, and estimates no spectrum across a break. If the separation does not converge, it
// returns usable sources and a *rao.NotConvergedError. It returns the errors of [OpenRecording] and [FitAJDC], and an
// error if a selected channel does not exist, no samples are usable, or the recording requests an average reference
// that its samples do not have. If ctx is canceled, it returns an error and no sources.
func FindSources(ctx context.Context, path string, opt SourcesOptions) (*Sources, error) {
	every := opt.Recording
	every.Channels, every.Drop, every.Kinds = nil, nil, []string{optionvalues.AllKinds}
	rec, err := OpenRecording(path, every)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	if rec.AverageDue {
		return nil, fmt.Errorf("%s requests the average reference, but its samples do not have it; apply the "+
			"projector in MNE (raw.apply_proj()) or remove it (raw.del_proj()), and save the file again", path)
	}
	if err := rec.load(); err != nil {
		return nil, err
	}
	eyes := *rec
	if names := opt.Recording.Channels; rec.unnamed && names != nil { // the names are for all columns
		if rec.Channels, err = signal.NameChannels(names, len(rec.Channels)); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		eyes.Channels = rec.Channels
	}
	drop := slices.Concat(opt.Recording.Drop, opt.Eyes)
	if err := rec.Select(RecordingOptions{Channels: opt.Recording.Channels, Drop: drop, Kinds: opt.Recording.Kinds,
		AsStored: true}); err != nil {
		return nil, err
	}
	good := *rec
	s := &Sources{Recording: rec}
	if _, err = dropBad([]*Recording{&good}); err != nil {
		return nil, err
	}
	both := eyes
	named := slices.Concat(good.Channels, opt.Eyes)
	if err := both.Select(RecordingOptions{Channels: named, AsStored: true}); err != nil {
		return nil, err
	}
	signal, err := both.pieces()
	if err != nil {
		return nil, err
	}
	n := len(good.Channels)
	subjects := [][]pieces{{signal.columns(0, n)}}
	for _, other := range opt.Also {
		more, err := further(other, rec, good.Channels, opt)
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, []pieces{more})
	}
	var fault error
	s.Separation, fault = fitAJDC(ctx, subjects, good.Channels, rec.Rate, opt.AJDC)
	if fault != nil && (!rao.IsNotConverged(fault) || ctx.Err() != nil) {
		return nil, fmt.Errorf("%s: %w", path, naming.NameChannel(fault, good.Channels))
	}
	var sources mat.Dense
	sources.Mul(signal.columns(0, n).joined(), s.Separation.Filters)
	for k := range s.Separation.Share {
		s.Kurtosis = append(s.Kurtosis, stat.ExKurtosis(mat.Col(nil, k, &sources), nil))
	}
	if opt.Eyes != nil {
		err = s.correlate(&sources, signal.columns(n, n+len(opt.Eyes)).joined(), opt.Eyes)
	}
	return s, cmp.Or(err, fault)
}

// further reads the same channels of another recording.
func further(path string, first *Recording, channels []string, opt SourcesOptions) (pieces, error) {
	one := opt.Recording
	one.Events, one.Channels, one.Drop, one.Kinds = "", nil, nil, []string{optionvalues.AllKinds}
	rec, err := OpenRecording(path, one)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	if err := rec.Select(RecordingOptions{Channels: channels, AsStored: true}); err != nil {
		return nil, err
	}
	if math.Abs(rec.Rate/first.Rate-1) > 1e-9 {
		return nil, fmt.Errorf("%s has %g samples per second, but %s has %g; use recordings with the same rate", path,
			rec.Rate, first.Source, first.Rate)
	}
	return rec.pieces()
}

// eyeLimit and kurtosisLimit are the limits of [Sources.Artifacts].
const (
	eyeLimit      = 0.5 // absolute correlation with an EOG channel
	kurtosisLimit = 5.0 // excess kurtosis, if there are no EOG channels
)

// Artifacts returns the numbers, from 0, of sources that look like artifacts. If there are EOG channels, these are the
// sources with a correlation above 0.5, otherwise the sources with an excess kurtosis above 5. One blink every ten
// seconds has an excess kurtosis of about 30; brain rhythms have less than 3. Artifacts returns at most half of the
// sources, the most extreme ones, in ascending order.
func (s *Sources) Artifacts() []int {
	values, limit := s.Kurtosis, kurtosisLimit
	if s.EyeCorrelation != nil {
		values, limit = s.EyeCorrelation, eyeLimit
	}
	order := indices.Sorted(len(values), func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	var out []int
	for _, k := range order[:len(order)/2] {
		if values[k] > limit {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// correlate computes the correlations of the sources with the EOG channels.
func (s *Sources) correlate(sources, eyes *mat.Dense, names []string) error {
	s.EyeCorrelation = make([]float64, len(s.Separation.Share))
	for e, name := range names {
		eye := mat.Col(nil, e, eyes)
		for k := range s.EyeCorrelation {
			r := math.Abs(stat.Correlation(mat.Col(nil, k, sources), eye, nil))
			if math.IsNaN(r) {
				return fmt.Errorf("%s: channel %s does not vary; leave it out", s.Recording.Source, name)
			}
			s.EyeCorrelation[k] = max(s.EyeCorrelation[k], r)
		}
	}
	return nil
}

// pieces reads the parts of the recording between breaks. It leaves out spans marked as bad and samples with values
// that are not finite.
func (r *Recording) pieces() (pieces, error) {
	n, c := r.samples, len(r.Channels)
	data, err := signal.Samples(r, c)
	if err != nil {
		return nil, err
	}
	skip := make([]bool, n)
	for k := range skip {
		skip[k] = vec.NotFinite(data[k*c:(k+1)*c]) >= 0
	}
	for _, e := range r.Events {
		if markedBad(e) {
			for k := max(0, e.Sample); k < min(n, e.Sample+e.Duration); k++ {
				skip[k] = true
			}
		}
	}
	var out pieces
	for from, k := 0, 0; k <= n; k++ {
		if k < n && !skip[k] && !slices.Contains(r.Breaks, k) {
			continue
		}
		if k > from {
			out = append(out, mat.NewDense(k-from, c, data[from*c:k*c]))
		}
		if from = k; k < n && skip[k] {
			from++
		}
	}
	if out == nil {
		return nil, fmt.Errorf("%s has no usable samples; choose a recording with good samples", r.Source)
	}
	return out, nil
}

// columns returns the channels [from,to) of every piece.
func (p pieces) columns(from, to int) pieces {
	out := make(pieces, len(p))
	for i, x := range p {
		n, _ := x.Dims()
		out[i] = mat.DenseCopyOf(x.Slice(0, n, from, to))
	}
	return out
}

// joined returns the samples of all pieces in one matrix.
func (p pieces) joined() *mat.Dense {
	var data []float64
	for _, x := range p {
		data = append(data, x.RawMatrix().Data...)
	}
	_, c := p.longest()
	return mat.NewDense(len(data)/c, c, data)
}

// markedBad reports whether an event marks its span as bad, in the way that MNE marks artifacts.
func markedBad(e Event) bool {
	return e.Duration > 0 && len(e.Label) >= 3 && strings.EqualFold(e.Label[:3], "bad")
}
