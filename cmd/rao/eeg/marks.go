package eeg

import (
	"context"
	"rao/internal/eeg/stopping"
	"slices"

	"github.com/spf13/pflag"

	"rao/cmd/rao/internal/app"
	"rao/eeg"
	"rao/internal/eeg/live"
	"rao/internal/text"
	"rao/model"
)

// marksFlags are common to the commands that replay a model on the trials of recordings.
type marksFlags struct {
	classes, anchor   string
	start, stop, step float64
	session           live.Session // settings from the flags
}

func (f *marksFlags) add(s *pflag.FlagSet) {
	app.TextVar(s, &f.classes, "classes", "CLASS[=EVENT],...", "",
		"classes of the model and their events: left=769,right=770, or left,right")
	app.TextVar(s, &f.anchor, "anchor", "EVENT", "",
		"event that starts the trial, if an earlier event gives the class")
	app.NumberFlag(s, &f.start, "start", 0, -1e6, 1e6, "start of a trial in seconds after its event")
	app.NumberFlag(s, &f.stop, "stop", 0, -1e6, 1e6, "end of a trial in seconds after its event")
	app.NumberFlag(s, &f.step, "step", 0.1, 1e-6, 1e6, "seconds between decisions")
	app.NumberFlag(s, &f.session.Artifacts, "artifacts", 0, 0, 3600, "reject artifacts"+artifactsHelp)
	addUnit(s, &f.session.Unit)
	app.NumberFlag(s, &f.session.Options.Rate, "rate", 0, 0, 1e9,
		"samples per second of an npy file; by default the model's")
}

// marks checks the flags and returns the trials that they specify.
func (f *marksFlags) marks() (live.TrialMarks, error) {
	m := live.TrialMarks{Start: f.start, Stop: f.stop}
	if err := app.Required("classes", f.classes); err != nil {
		return m, err
	}
	if !(f.stop > f.start) {
		return m, laterStop(f.start, f.stop)
	}
	var err error
	if m.Classes, err = eeg.ParseClasses(f.classes); err != nil {
		return m, app.Usagef("%v", err)
	}
	m.Anchor, err = parseAnchor(f.anchor)
	return m, err
}

// replays runs the model on the trials of each recording.
func (f *marksFlags) replays(ctx context.Context, a *app.App, m *model.Model, marks live.TrialMarks,
	files []string) ([]*stopping.Replay, error) {
	var out []*stopping.Replay
	show, done := a.Progress("replay")
	defer done()
	for _, file := range files {
		s := f.session
		s.Progress = show
		s.Model, s.Note, s.Skip = m, a.Note, true
		s.Options.Step = f.step
		r, err := s.ReplayMarked(ctx, file, marks)
		if err != nil {
			return nil, err
		}
		if s.Artifacts > 0 {
			a.Note("%s: %s", file, s.Summary())
		}
		out = append(out, r)
	}
	for _, c := range marks.Classes {
		class := slices.Index(m.Classes, c.Name)
		if !slices.ContainsFunc(out, func(r *stopping.Replay) bool {
			return slices.ContainsFunc(r.Trials, func(t stopping.ReplayTrial) bool { return t.Class == class })
		}) {
			a.Note("class %s has no trials in the recordings; check its event in --classes (rao eeg cov FILE --list "+
				"shows the events), or leave it out", c.Name)
		}
	}
	if all, without := stopping.Windowless(out); without > 0 {
		a.Note("%d of %s contain no window, so they remain undecided: a window is %g s long and a trial %g s; let "+
			"trials end later (--stop), use a smaller --step, or learn from shorter windows (rao eeg cov --window)",
			without, text.Plural(all, "trial", "trials"), out[0].Window, f.stop-f.start)
	}
	return out, nil
}
