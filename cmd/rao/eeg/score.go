package eeg

import (
	"fmt"
	"os"
	"rao"
	"rao/internal/eeg/stopping"
	"slices"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/text"
	"rao/model"
	"rao/report"
)

func scoreCommand(a *app.App) *cobra.Command {
	var marks marksFlags
	var rule, idle, figure string
	cmd := &cobra.Command{
		Use:   "score RECORDING...",
		Short: "Score a decoder on recordings with markers, replayed as if live",
		Long: `Replay recordings through the decoder like rao eeg stream, and compare its decisions
with the markers: how many trials are decided correctly, how long a decision takes, how
the accuracy of windows depends on their time in the trial, and how often it decides
between trials.

Without --stopping, the first window in a trial that is not rejected decides the trial.
With a rule of rao eeg stopping, evidence accumulates until it is sufficient. --idle names
the class that means "no command"; a decision for it between trials is not a false
positive. --figure draws the accuracy and the share of decided trials over the time in the
trial.`,
		Example: `  rao eeg score --model eeg.rao session3.gdf --classes left=769,right=770 \
      --start 0.5 --stop 3.5
  rao eeg score --model ssvep.rao s3.xdf --classes rest,13Hz,17Hz,21Hz \
      --stop 5 --idle rest --stopping stop.json --figure time.png`,
		Args: cobra.MinimumNArgs(1),
	}
	path := app.ModelFlag(cmd)
	f := cmd.Flags()
	marks.add(f)
	app.TextVar(f, &rule, "stopping", "FILE", "", "rule for when to decide, from rao eeg stopping")
	app.TextVar(f, &idle, "idle", "CLASS", "", "class that means no command")
	app.OutputFlag(cmd, &figure, "figure", app.FigureOutput,
		"svg, png or pdf file for curves over the time in the trial")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := app.Required("model", *path); err != nil {
			return err
		}
		trials, err := marks.marks()
		if err != nil {
			return err
		}
		m, err := a.LoadModel(cmd.Context(), *path)
		if err != nil {
			return err
		}
		opt := stopping.ReplayOptions{Idle: -1, Step: marks.step}
		if idle != "" {
			if opt.Idle = slices.Index(m.Classes, idle); opt.Idle < 0 {
				return app.Usagef("--idle: %v", &rao.UnknownError{Kind: "class", Name: idle, Known: m.Classes})
			}
		}
		if opt.Stopping, err = readStopping(rule, m); err != nil {
			return err
		}
		replays, err := marks.replays(cmd.Context(), a, m, trials, args)
		if err != nil {
			return err
		}
		for i, r := range replays {
			if opt.Stopping != nil && opt.Stopping.LearnedFrom(r) {
				a.Note("%s was learned from %s, so its score there is too good; use other recordings", rule,
					args[i])
			}
		}
		s, err := stopping.ScoreReplays(replays, len(m.Classes), opt)
		if err != nil {
			return err
		}
		if figure != "" {
			if err := curveFigure(s, len(m.Classes)).WriteFile(figure); err != nil {
				return err
			}
			a.Note("figure written to %s", figure)
		}
		r := struct {
			Classes []string `json:"classes"`
			*stopping.ReplayScore
		}{m.Classes, s}
		return a.Emit(r, func() { printReplayScore(a, s) })
	}
	return cmd
}

// readStopping reads a stopping rule for the model. It returns nil if file is empty.
func readStopping(file string, m *model.Model) (*stopping.Rule, error) {
	if file == "" {
		return nil, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s, err := stopping.Parse(b)
	if err == nil {
		err = s.Check(m.Classes)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// printReplayScore prints the scores, and at most twelve points of the curve.
func printReplayScore(a *app.App, s *stopping.ReplayScore) {
	area := "-" // all trials belong to one class
	if s.AUC > 0 {
		area = fmt.Sprintf("%.4f", s.AUC)
	}
	a.Table([]string{"trials", fmt.Sprint(s.Trials)}, [][]string{
		{"right", fmt.Sprintf("%d (%s)", s.Right, text.Percent(s.Accuracy))},
		{"wrong", fmt.Sprint(s.Wrong)},
		{"undecided", fmt.Sprint(s.Undecided)},
		{"balanced accuracy", text.Percent(s.Balanced)},
		{"AUC of windows", area},
		{"time to decision, mean", fmt.Sprintf("%.2f s", s.Seconds)},
		{"time to decision, median", fmt.Sprintf("%.2f s", s.Median)},
		{"bits/min (Wolpaw)", fmt.Sprintf("%.2f", s.WolpawRate)},
		{"bits/min (confusion)", fmt.Sprintf("%.2f", s.Information)},
		{"time between trials", fmt.Sprintf("%.2f min", s.IdleMinutes)},
		{"false positives per minute", fmt.Sprintf("%.2f (%d)", s.FalseRate, s.False)},
		{"windows rejected", fmt.Sprintf("%d of %d", s.Rejected, s.Windows)},
	})
	fmt.Fprintln(a.Out)
	var rows [][]string
	every := (len(s.Curve) + 11) / 12
	for k := every - 1; k >= 0 && k < len(s.Curve); k += every {
		p := s.Curve[k]
		rows = append(rows, []string{fmt.Sprintf("%.2f s", p.Seconds), text.Percent(p.Accuracy),
			text.Percent(p.Interval.Low) + " to " + text.Percent(p.Interval.High), text.Percent(p.Decided)})
	}
	a.Table([]string{"time in trial", "windows right", "95 % interval", "trials decided"}, rows)
}

// curveFigure draws the fraction of correct windows and the fraction of decided trials as functions of the time in the
// trial.
func curveFigure(s *stopping.ReplayScore, classes int) *report.Figure {
	right := report.Line{Name: "windows right"}
	decided := report.Line{Name: "trials decided", Dashed: true}
	chance := report.Line{Name: "chance", Dashed: true}
	for _, p := range s.Curve {
		right.X, right.Y = append(right.X, p.Seconds), append(right.Y, p.Accuracy)
		right.Low, right.High = append(right.Low, p.Interval.Low), append(right.High, p.Interval.High)
		decided.X, decided.Y = append(decided.X, p.Seconds), append(decided.Y, p.Decided)
		chance.X, chance.Y = append(chance.X, p.Seconds), append(chance.Y, 1/float64(classes))
	}
	return report.Lines("Decisions over the time in the trial", []report.Line{right, decided, chance},
		report.PlotOptions{X: report.Axis{Label: "seconds from the start of the trial"},
			Y: report.Axis{Label: "share", Percent: true, Min: 0, Max: 1}})
}
