package eeg

import (
	"fmt"

	"rao/internal/eeg/stopping"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/format/archive"
	"rao/internal/text"
)

func stoppingCommand(a *app.App) *cobra.Command {
	var marks marksFlags
	var opt stopping.Options
	var out string
	cmd := &cobra.Command{
		Use:   "stopping RECORDING...",
		Short: "Learn when there is enough evidence for a decision",
		Long: `Replay recordings that the model was not trained on, and learn a rule that decides as soon
as there is enough evidence. The rule multiplies the probabilities of the windows, each
raised to the power of a weight, because windows overlap. It decides when the accumulated
posterior reaches a threshold. Among the thresholds whose share of wrong decisions is at most --risk, it uses
the fastest. After --longest seconds the trial ends without a decision, or with --forced
with the most probable class.

The rule is a JSON file for rao eeg score --stopping and rao eeg stream --stopping. Train
the model on windows that are shorter than the trials; otherwise there is nothing to
accumulate.`,
		Example: `  rao eeg stopping --model short.rao session2.gdf --classes left=769,right=770 \
      --start 0.5 --stop 4 --risk 0.1 --out stop.json`,
		Args: cobra.MinimumNArgs(1),
	}
	path := app.ModelFlag(cmd)
	f := cmd.Flags()
	marks.add(f)
	app.NumberFlag(f, &opt.Risk, "risk", 0.1, 1e-6, 0.999, "allowed share of wrong decisions")
	app.NumberFlag(f, &opt.Longest, "longest", 0, 0, 1e6,
		"seconds after which a trial ends; 0 uses the length of the trials")
	f.BoolVar(&opt.Forced, "forced", false, "at --longest, decide for the most probable class instead of none")
	app.OutputFlag(cmd, &out, "out", app.RuleOutput, "JSON file to write")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, r := range [][2]string{{"model", *path}, {"out", out}} {
			if err := app.Required(r[0], r[1]); err != nil {
				return err
			}
		}
		trials, err := marks.marks()
		if err != nil {
			return err
		}
		m, err := a.LoadModel(cmd.Context(), *path)
		if err != nil {
			return err
		}
		replays, err := marks.replays(cmd.Context(), a, m, trials, args)
		if err != nil {
			return err
		}
		s, err := stopping.LearnReplays(replays, m.Classes, opt)
		if err != nil {
			return err
		}
		b, err := text.JSON(s)
		if err != nil {
			return err
		}
		if err := archive.WriteBytes(out, b); err != nil {
			return err
		}
		if !s.Met {
			a.Note("no threshold keeps the estimated share of wrong decisions, (wrong + 1)/(decided + 2), at or below "+
				"%g, so the strictest is used: %d of %d decisions are wrong; use more trials, longer trials, or a "+
				"higher --risk", s.Risk, s.Wrong, s.Decided)
		}
		return a.Emit(s, func() {
			fmt.Fprintf(a.Out, "threshold %.4f, weight %g; %d of %s decided after %.2f s on average, %d of them "+
				"wrongly; written to %s\n", s.Threshold, s.Weight, s.Decided, text.Plural(s.Trials, "trial", "trials"),
				s.Seconds, s.Wrong, out)
		})
	}
	return cmd
}
