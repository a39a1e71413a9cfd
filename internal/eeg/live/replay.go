package live

import (
	"context"
	"fmt"
	"slices"
	"time"

	"rao"
	"rao/eeg"
	"rao/internal/eeg/stopping"
	"rao/internal/eeg/trialevents"
	"rao/internal/text"
)

// TrialMarks define the trials of a recording.
type TrialMarks struct {
	Classes     []eeg.Class // named like the classes of the model
	Anchor      eeg.Class   // see [eeg.TrialOptions]
	Start, Stop float64     // in seconds after the event
}

// ReplayMarked replays a recording as fast as possible and returns the decisions and the trials. Its effect on the
// session is the same as for [Session.Replay].
func (s *Session) ReplayMarked(ctx context.Context, path string, marks TrialMarks) (*stopping.Replay, error) {
	for _, c := range marks.Classes {
		if !slices.Contains(s.Model.Classes, c.Name) {
			return nil, rao.Optionf("classes", "{classes}: %w",
				&rao.UnknownError{Kind: "class of the model", Name: c.Name, Known: s.Model.Classes})
		}
	}
	rec, err := s.Recording(path)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	r := &stopping.Replay{Length: float64(rec.Samples()) / rec.Rate}
	starts := trialevents.Starts(rec.Events, marks.Classes, marks.Anchor)
	for _, e := range starts {
		class := slices.Index(s.Model.Classes, marks.Classes[e.Class].Name)
		at := float64(e.Sample) / rec.Rate
		if e.Conflict != "" {
			s.note("%s: the trial of class %s at %.1f s is left out, because class %s has an event at the same sample",
				path, marks.Classes[e.Class].Name, at, e.Conflict)
			continue
		}
		if at+marks.Stop > r.Length || at+marks.Start < 0 {
			s.note("%s: the trial at %.1f s reaches beyond the recording and is left out", path, at)
			continue
		}
		r.Trials = append(r.Trials, stopping.ReplayTrial{Class: class, Start: at + marks.Start, Stop: at + marks.Stop})
	}
	switch {
	case len(starts) == 0:
		return nil, fmt.Errorf("%s: no event begins a trial of the classes; its events are %s", path,
			text.Join(trialevents.Count(rec.Events)))
	case len(r.Trials) == 0:
		return nil, rao.Optionf("stop", "%s: every trial reaches beyond the recording of %.4g s, or has two classes; "+
			"change {start} or {stop}, or correct the events", path, r.Length)
	}
	write := s.Write
	defer func() { s.Write = write }()
	s.Write = func(d Decision, took time.Duration) error {
		r.Seconds = append(r.Seconds, float64(d.At)/rec.Rate)
		r.LogPosterior = append(r.LogPosterior, slices.Clone(d.LogPosterior))
		r.Refused = append(r.Refused, d.Rejected || d.Outlier)
		if write != nil {
			return write(d, took)
		}
		return nil
	}
	if err := s.replay(ctx, rec, path, false); err != nil {
		return nil, err
	}
	r.Window = s.decoder.Seconds()
	return r, nil
}
