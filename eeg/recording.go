package eeg

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"rao"
	"rao/dataset"
	"rao/internal/eeg/format"
	"rao/internal/eeg/format/bci"
	"rao/internal/eeg/format/eeglab"
	"rao/internal/eeg/format/signal"
	"rao/internal/format/matfile"
	"rao/internal/format/npy"
	"rao/internal/format/regular"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
	"rao/internal/text"
	"rao/internal/voltage"
	"rao/recipe"
)

// Recording is a continuous multichannel recording, in memory or read piece by piece from a file. It is not safe for
// concurrent use.
type Recording struct {
	Source   string   // file name, for messages
	Format   string   // such as "GDF 2.20"; empty for recordings in memory
	Channels []string // channel names
	Units    []string // unit of each channel, V for voltages; empty if unknown
	Rate     float64  // samples per second
	Events   []Event  // in the order of their samples
	Skipped  []string // signals in the file that were left out because of a different rate
	// Subject, Session and Run are names, for recordings of a data set whose description has them.
	Subject, Session, Run string
	// Reference is the reference electrode of all channels, if known.
	Reference string

	// Types are the kinds of the channels according to the file ("eeg", "eog", ...), one per channel; nil if unknown.
	Types []string
	// Positions are electrode positions in any unit: x to the right, y to the nose, z up. There is one position per
	// channel, which is zero if it is unknown. Positions is nil if all are unknown.
	Positions [][3]float64
	// Bad are the channels that the file marks as bad.
	Bad []string
	// Breaks are samples at which the signal is discontinuous, such as the start of an epoch. Filters restart there,
	// and no trial crosses a break.
	Breaks []int
	// LeftOut lists the channels, with their kinds, that were left out because they are not EEG and were not
	// requested.
	LeftOut []string
	// Table is the path of the channels.tsv from which the kinds of channels and the bad channels were read. It is set
	// if [OpenRecording] opened a file with a BIDS name.
	Table string
	// AverageDue is true if the file requests the average reference but its samples do not have it.
	AverageDue bool

	samples int
	data    []float64         // samples×channels; nil if the samples are read from the file
	reader  signal.Reader     // nil if the samples are in memory
	keep    []int             // indexes of Channels in the file; nil if all channels are used
	gaps    [][2]int          // spans of samples that were missing before filtering
	rescale []voltage.Rescale // conversion of the file's channels to volts; nil if there is none
	unnamed bool              // the file has no channel names
	mat     bool              // the file is a MAT-file, for which Path can select a part
	listed  bool              // the caller selected channels by name

	prepared *recipe.Preparation // preparation that was applied; nil if there was none
}

// NewRecording returns a recording of samples in memory (samples×channels, row-major), which are not copied. It returns
// an error if there are no channels, the length of data is not a multiple of their number, or the rate in hertz is not
// positive and finite.
func NewRecording(channels []string, rate float64, data []float64, events []Event) (*Recording, error) {
	r := &Recording{Source: "recording", Channels: channels, Rate: rate, Events: events, data: data}
	if len(channels) == 0 || len(data)%len(channels) != 0 {
		return nil, fmt.Errorf("%s cannot be divided into samples of %s; correct the number of channels",
			text.Plural(len(data), "value", "values"), text.Plural(len(channels), "channel", "channels"))
	}
	if !vec.Positive(rate) {
		return nil, fmt.Errorf("the sampling rate is %g Hz; it must be positive and finite", rate)
	}
	r.samples = len(data) / len(channels)
	return r, nil
}

// RecordingOptions are the options of [OpenRecording]. The zero value keeps the EEG channels.
type RecordingOptions struct {
	// Rate is the sampling rate in hertz, for a file without a rate (npy, some MAT-files). For other files, Rate must
	// be zero or equal to the rate in the file.
	Rate float64
	// Events is a csv or tsv file with events that replace the events of the recording. For x_raw.npy and x.npy, the
	// default is x_events.csv if it exists.
	Events string
	// Channels are the names of the channels to keep, in this order; nil keeps the EEG channels. For a file without
	// channel names (npy, some MAT-files) they are the names of all its columns.
	Channels []string
	// Drop lists the names of channels to leave out.
	Drop []string
	// Kinds lists the kinds of channels to keep, such as "meg" and "eog"; "all" keeps every kind. If a file does not
	// contain the kind of a channel, it follows from the channel's name and unit. Nil keeps the channels in Channels,
	// or the EEG channels if Channels is nil too.
	Kinds []string
	// Unit is the voltage unit, such as uV, of channels without a unit in the file.
	Unit string
	// AsStored keeps the units of the file. Otherwise, or if Unit is set, voltages are converted to volts.
	AsStored bool
	// Path is the location of the recording in a MAT-file in MATLAB notation, such as data{4} for a struct of
	// signals, trials and labels, or data{4}.X for the signals alone. It may be empty if the file has only one
	// recording.
	Path string
	// Stream is the name or type of the signal stream to read, for an XDF file with several streams.
	Stream string
}

// OpenRecording opens an EEG recording. The format is detected from the first bytes of the file: EDF and EDF+ (.edf),
// BDF (.bdf), GDF (.gdf), BrainVision (.vhdr), EEGLAB (.set), FIF (.fif, .fif.gz), XDF (.xdf, .xdfz), a MAT-file
// (.mat) in the format of the BNCI database or of the BCI competitions (see opt.Path), or a numpy array (.npy) with
// two axes. The longer axis of an array is time, and an array needs opt.Rate. If the file has a BIDS name, such as
// sub-01_task-rest_eeg.vhdr, a channels.tsv and electrodes.tsv in its folder describe the channels. It returns an
// error if the format is unknown, the file is damaged, or the options do not fit the file. The caller closes the
// recording.
func OpenRecording(path string, opt RecordingOptions) (*Recording, error) {
	r, err := openFile(path, opt)
	if err != nil {
		return nil, err
	}
	if err = r.describeAlone(); err == nil {
		err = r.open(opt)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// openFile opens a file with all its channels, in the units of the file.
func openFile(path string, opt RecordingOptions) (*Recording, error) {
	head, err := readHead(path)
	if err != nil {
		return nil, err
	}
	var r *Recording
	switch f := format.Of(head, path); {
	case strings.HasPrefix(string(head), "\x93NUMPY"):
		r, err = openArray(path, opt)
	case f != nil:
		r, err = fromReader(f.Open(path, opt.Stream))
	case matfile.Sniff(head):
		r, err = openMat(path, opt)
	default:
		err = fmt.Errorf("%s: %w for a recording; supported are %s", path, dataset.ErrUnknownFormat, format.Names())
	}
	if err == nil && opt.Path != "" && !r.mat {
		r.Close()
		err = fmt.Errorf("%s: a path selects a part of a MAT-file, but the file is %s; leave the path out",
			path, r.Format)
	}
	if err == nil && opt.Stream != "" && r.Format != "XDF" {
		r.Close()
		err = fmt.Errorf("%s: a stream selects a part of an XDF file, but the file is %s; leave the stream out",
			path, r.Format)
	}
	if err != nil {
		return nil, err
	}
	r.Source = path
	return r, nil
}

// open applies the options to a recording that was just opened: it converts to volts and selects channels and events.
func (r *Recording) open(opt RecordingOptions) error {
	if !opt.AsStored {
		r.toVolts()
	}
	if opt.Unit != "" {
		if err := r.setUnit(opt.Unit); err != nil {
			return err
		}
	}
	if err := r.apply(opt); err != nil {
		return fmt.Errorf("%s: %w", r.Source, err)
	}
	return nil
}

// Select applies the options to an open recording. As in [OpenRecording], it converts voltages to volts, selects
// channels and replaces the events. If it returns an error, because an option does not fit, the recording is unchanged.
func (r *Recording) Select(opt RecordingOptions) error {
	chosen := *r
	chosen.unnamed = false
	err := chosen.open(opt)
	if err == nil {
		*r = chosen
	}
	return err
}

func readHead(path string) ([]byte, error) {
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return nil, fmt.Errorf("%s is a folder; name the recordings in it", path)
	}
	f, err := regular.Open(path)
	if err != nil {
		return nil, notOpened(path, err, "name a recording ("+format.Names()+"), relative to the current folder")
	}
	defer f.Close()
	head := make([]byte, 128)
	n, err := io.ReadFull(f, head)
	switch {
	case err == io.EOF:
		return nil, fmt.Errorf("%s is empty; copy or export the recording again", path)
	case n == 0:
		return nil, notOpened(path, err, "the file cannot be read")
	}
	return head[:n], nil
}

// notOpened returns the error for a file that cannot be opened, with a remedy.
func notOpened(path string, err error, remedy string) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		err = e.Err
	}
	if strings.HasPrefix(err.Error(), path) {
		return fmt.Errorf("%w; %s", err, remedy)
	}
	return fmt.Errorf("%s: %w; %s", path, err, remedy)
}

func fromReader(rd signal.Reader, err error) (*Recording, error) {
	if err != nil {
		return nil, err
	}
	info := rd.Info()
	r := &Recording{Format: info.Format, Channels: signal.Unique(info.Channels), Units: slices.Clone(info.Units),
		Rate: info.Rate, Reference: info.Reference, Skipped: info.Skipped, Types: info.Types, Positions: info.Positions,
		Bad: info.Bad, Breaks: info.Breaks, AverageDue: info.AverageDue,
		Events: slices.Clone(info.Events), samples: info.Samples, reader: rd}
	return r, nil
}

// openMat opens a MAT-file: a data set of EEGLAB, the BNCI database or the BCI competitions.
func openMat(path string, opt RecordingOptions) (*Recording, error) {
	f, err := matfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if opt.Path == "" && eeglab.Is(f) {
		return fromReader(eeglab.Open(path))
	}
	m, err := bci.Open(f, bci.Options{Channels: opt.Channels, Rate: opt.Rate, Path: opt.Path})
	if err != nil {
		if !strings.HasPrefix(err.Error(), path) {
			err = fmt.Errorf("%s: %w", path, err)
		}
		return nil, err
	}
	r, err := NewRecording(m.Channels, m.Rate, m.Data, m.Events)
	if err != nil {
		return nil, err
	}
	r.Format, r.unnamed, r.mat = m.Format, m.Unnamed, true
	return r, nil
}

// openArray opens a two-dimensional npy file.
func openArray(path string, opt RecordingOptions) (*Recording, error) {
	a, err := npy.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 2 || a.Strings != nil || a.Len() == 0 {
		return nil, fmt.Errorf("%s: an array of shape %s is not a recording; it needs two axes, samples and channels",
			path, text.Shape(a.Shape))
	}
	if !(opt.Rate > 0) {
		return nil, rao.Optionf("rate", "%s has no sampling rate; give it with {rate}", path)
	}
	samples, channels, timeFirst := a.Shape[0], a.Shape[1], true
	if samples < channels {
		samples, channels, timeFirst = channels, samples, false
	}
	names, err := signal.NameChannels(opt.Channels, channels)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	data := make([]float64, samples*channels)
	sampleFast := timeFirst == a.Fortran // time is the fastest axis in the file
	for i := range data {
		k, c := i/channels, i%channels
		if sampleFast {
			k, c = i%samples, i/samples
		}
		data[k*channels+c] = a.Value(i)
	}
	r, err := NewRecording(names, opt.Rate, data, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r.Format, r.unnamed = "npy", true
	return r, nil
}

func (r *Recording) apply(opt RecordingOptions) error {
	if opt.Rate != 0 && math.Abs(opt.Rate/r.Rate-1) > 1e-9 {
		return rao.Optionf("rate", "the sampling rate of the file is %g Hz, not %g; leave {rate} out", r.Rate, opt.Rate)
	}
	names, named := opt.Channels, opt.Channels != nil
	if names == nil || r.unnamed {
		names = r.Channels
	}
	if n, ok := naming.Twice(names); ok {
		return fmt.Errorf("channel %q is listed twice; name it once", n)
	}
	for _, d := range opt.Drop {
		if !slices.Contains(r.Channels, d) {
			return r.unknownChannel(d)
		}
	}
	if err := r.knowsKinds(opt.Kinds); err != nil {
		return err
	}
	var codes, keep []int
	if r.listed = r.listed || named; !r.listed {
		var err error
		if codes, err = r.markStimuli(); err != nil {
			return err
		}
	}
	for _, name := range names {
		c := slices.Index(r.Channels, name)
		switch {
		case c < 0:
			return r.unknownChannel(name)
		case slices.Contains(opt.Drop, name):
		case r.wanted(c, opt.Kinds, named):
			keep = append(keep, c)
		case opt.Kinds == nil || slices.Contains(codes, c):
			r.leaveOut(c)
		}
	}
	if len(keep) == 0 {
		return r.noneLeft(opt.Kinds)
	}
	r.pick(keep)
	if err := r.checkUnits(); err != nil {
		return err
	}
	err := r.loadEvents(opt.Events)
	r.takeJoints()
	return err
}

func (r *Recording) unknownChannel(name string) error {
	return fmt.Errorf("there is no channel %q; the recording has %s", name, strings.Join(r.Channels, ", "))
}

// pick keeps only the channels with the given indexes.
func (r *Recording) pick(keep []int) {
	all := r.Channels
	r.Channels, r.Units = indices.Pick(all, keep), indices.Pick(r.Units, keep)
	r.Types, r.Positions = indices.Pick(r.Types, keep), indices.Pick(r.Positions, keep)
	r.Bad = slices.DeleteFunc(slices.Clone(r.Bad), func(b string) bool { return !slices.Contains(r.Channels, b) })
	if r.data == nil {
		if r.keep != nil { // channels were selected before
			keep = indices.Pick(r.keep, keep)
		}
		r.keep = keep
		return
	}
	data := make([]float64, 0, r.samples*len(keep))
	for k := range r.samples {
		for _, c := range keep {
			data = append(data, r.data[k*len(all)+c])
		}
	}
	r.data, r.keep = data, nil
}

func (r *Recording) loadEvents(path string) error {
	if path == "" && r.Format == "npy" {
		base := strings.TrimSuffix(strings.TrimSuffix(r.Source, ".npy"), "_raw")
		if regular.Check(base+"_events.csv") == nil {
			path = base + "_events.csv"
		}
	}
	if path == "" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return notOpened(path, err, "name a csv or tsv file of events, with columns such as sample and code")
	}
	defer f.Close()
	if r.Events, err = readEvents(f, r.Rate); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Samples returns the number of samples of each channel.
func (r *Recording) Samples() int { return r.samples }

// Close closes the file of the recording, and returns the error from closing it. It does nothing if the recording was
// not opened from a file.
func (r *Recording) Close() error {
	if r.reader == nil {
		return nil
	}
	return r.reader.Close()
}

// Read fills dst (count×channels) with samples first to first+count−1. It returns an error if the range is outside the
// recording, dst has the wrong length, or the file cannot be read.
func (r *Recording) Read(dst []float64, first, count int) error {
	c := len(r.Channels)
	if first < 0 || count < 0 || first > r.samples-count || len(dst) != count*c {
		return fmt.Errorf("%s: samples %d to %d cannot be read into %d values; the recording has %d samples of %d "+
			"channels", r.Source, first, first+count-1, len(dst), r.samples, c)
	}
	if r.data != nil {
		copy(dst, r.data[first*c:(first+count)*c])
		return nil
	}
	if r.keep == nil {
		if err := r.reader.ReadSamples(dst, first, count); err != nil {
			return fmt.Errorf("%s: %w", r.Source, err)
		}
		if r.rescale != nil {
			for i := range dst {
				dst[i] = r.rescale[i%c].Of(dst[i])
			}
		}
		return nil
	}
	all := len(r.reader.Info().Channels)
	const block = 1 << 12
	buf := make([]float64, min(block, count)*all)
	for lo := 0; lo < count; lo += block {
		n := min(block, count-lo)
		if err := r.reader.ReadSamples(buf[:n*all], first+lo, n); err != nil {
			return fmt.Errorf("%s: %w", r.Source, err)
		}
		for k := range n {
			for j, ch := range r.keep {
				v := buf[k*all+ch]
				if r.rescale != nil {
					v = r.rescale[ch].Of(v)
				}
				dst[(lo+k)*c+j] = v
			}
		}
	}
	return nil
}

// load reads all samples into memory, for faster access: 8 bytes per sample and channel. If they are in memory already,
// it does nothing. It returns an error if the file cannot be read.
func (r *Recording) load() error {
	if r.data != nil {
		return nil
	}
	data, err := signal.Samples(r, len(r.Channels))
	if err != nil {
		return err
	}
	r.data, r.keep = data, nil
	return nil
}
