package live

import (
	"io"
	"math"
	"slices"
	"strings"

	"rao/eeg"
	"rao/internal/eeg/format/xdf"
	"rao/internal/format/archive"
	"rao/internal/lsl"
)

// Log is the log of a live command: an XDF file of its input, sample by sample. Time stamps follow an ideal clock, so a
// reader of the file finds samples, markers and breaks at the positions that the command used. Computing the results
// from the file gives the same bits.
type Log struct {
	x       *xdf.Writer
	info    *Info
	signal  int // number of the stream of the signal
	words   int // number of the stream of markers or decisions
	start   float64
	count   int64   // number of samples so far
	pauses  []pause // breaks in the signal
	times   []float64
	started bool
}

// pause is a break in the signal. It delays the samples from sample on by places sampling intervals.
type pause struct{ sample, places int64 }

// Logged runs a live command with a log, which is nil if path is empty. The file is created at the start. Each piece of
// the signal is written as soon as it is received, so no input is lost if the command fails.
func Logged(path string, work func(*Log) error) error {
	if path == "" {
		return work(nil)
	}
	f, err := archive.Create(path)
	if err != nil {
		return err
	}
	s := &Log{x: xdf.NewWriter(f)}
	err = work(s)
	if end := s.x.Close(); err == nil {
		err = end
	}
	if end := f.Close(); err == nil {
		err = end
	}
	return err
}

// Begin writes the description of the streams. words is the name of the stream of markers or decisions.
func (s *Log) Begin(info *Info, words string) error {
	if s == nil {
		return nil
	}
	s.info = info
	signal := lsl.Info{Name: info.Name, Type: "EEG", ChannelCount: info.Width, Format: lsl.Float64, Rate: info.Rate,
		Reference: info.Reference}
	kind := xdf.Float64
	if info.Exact32 {
		signal.Format, kind = lsl.Float32, xdf.Float32
	}
	for c, name := range info.names() {
		ch := lsl.Channel{Label: name, Type: strings.ToUpper(info.kind(c))}
		if info.Units != nil {
			ch.Unit = info.Units[c]
		}
		if slices.Contains(info.Bad, name) {
			ch.Status = "bad"
		}
		signal.Channels = append(signal.Channels, ch)
	}
	header, err := signal.XML()
	if err != nil {
		return err
	}
	s.signal = s.x.Stream(header, kind, info.Width)
	markers := lsl.Info{Name: words, Type: "Markers", ChannelCount: 1, Format: lsl.Text}
	if header, err = markers.XML(); err != nil {
		return err
	}
	s.words = s.x.Stream(header, xdf.Text, 1)
	return s.x.Flush()
}

// Samples logs a piece of the signal.
func (s *Log) Samples(p Piece) error {
	n := len(p.Values) / max(1, s.width())
	if s == nil || n == 0 {
		return nil
	}
	if !s.started {
		s.start, s.started = p.Times[0], true
	} else if p.Begins {
		s.pauses = append(s.pauses, pause{s.count, s.shift(s.count) + s.longest(p.Lost)})
	}
	s.times = s.times[:0]
	for k := range n {
		s.times = append(s.times, s.at(s.count+int64(k)))
	}
	s.count += int64(n)
	if err := s.x.Samples(s.signal, s.times, p.Values, nil); err != nil {
		return err
	}
	return s.x.Flush()
}

func (s *Log) width() int {
	if s == nil {
		return 0
	}
	return s.info.Width
}

// longest returns the length of a break in samples. It returns at least the length that readers recognize as a break,
// which is more than a second and more than 500 samples.
func (s *Log) longest(lost int64) int64 {
	return max(lost, int64(math.Ceil(max(s.info.Rate, 500)))+2)
}

// shift returns the delay of a sample due to breaks, in sampling intervals.
func (s *Log) shift(sample int64) int64 {
	for k := len(s.pauses) - 1; k >= 0; k-- {
		if sample >= s.pauses[k].sample {
			return s.pauses[k].places
		}
	}
	return 0
}

// at returns the time stamp of a sample, counted from 0.
func (s *Log) at(sample int64) float64 {
	return s.start + float64(sample+s.shift(sample))/s.info.Rate
}

// Word logs a marker or a decision at a sample.
func (s *Log) Word(sample int64, text string) error {
	if s == nil {
		return nil
	}
	text = strings.ToValidUTF8(text, "\ufffd")
	if err := s.x.Samples(s.words, []float64{s.at(sample)}, nil, []string{text}); err != nil {
		return err
	}
	return s.x.Flush()
}

// SaveRecording writes a recording to an XDF file. An existing file is replaced only after the new one is complete.
func SaveRecording(path string, rec *eeg.Recording) error {
	return archive.WriteFile(path, func(w io.Writer) error { return writeRecording(w, rec) })
}

// writeRecording writes a recording in the form in which a session logs it.
func writeRecording(w io.Writer, rec *eeg.Recording) error {
	s := &Log{x: xdf.NewWriter(w)}
	info := InfoOf(rec)
	if err := s.Begin(info, "markers"); err != nil {
		return err
	}
	from := 0
	for _, to := range append(slices.Clone(rec.Breaks), rec.Samples()) {
		p := Piece{Values: make([]float64, (to-from)*info.Width), Times: []float64{0}, Begins: from > 0}
		if err := rec.Read(p.Values, from, to-from); err != nil {
			return err
		}
		if err := s.Samples(p); err != nil {
			return err
		}
		from = to
	}
	for _, e := range rec.Events {
		if err := s.Word(int64(e.Sample), MarkerText(e)); err != nil {
			return err
		}
	}
	return s.x.Close()
}
