package learn

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/candidates"
	"rao/internal/indices"
	"rao/internal/recipes"
	"rao/internal/scoring"
	"rao/internal/study"
	"rao/internal/text"
	"rao/method"
)

func tuneCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tune METHOD",
		Short: "Cross-validate a method, and search over its options",
		Long: `Cross-validate a method, or with --search compare combinations of its options.
Each --search gives the values of one option: a list (filters=4,9), or with --random a
range (noise=0.01..10, with :log for a logarithmic scale and :int for integers). --out
fits the best options to all data and saves the model. Ctrl-C prints the results so far.
If a combination fails, the others continue, and the exit status is 1.

Folds keep the class proportions. --groups leaves out one value of a variable at a time,
such as one session or one subject. For two classes, --threshold-rule also chooses a
decision threshold, which the model stores.

Combinations marked close have a log loss within one standard error of the lowest log loss
(paired differences, each at its best temperature). The simplest of them is the safest
choice.`,
		Example: `  rao tune sqfa --data digits:train --search filters=4,6,9 \
      --search noise=0.01,0.1,1 --out best.rao
  rao tune sqfa --data digits:train --search noise=0.001..10:log --random 12`,
	}
	addMethods(cmd, a, tuneMethodCommand)
	missingMethod(cmd)
	return cmd
}

// addMethods registers a subcommand for each method, grouped into methods of vectors and methods of matrices.
func addMethods(cmd *cobra.Command, a *app.App, command func(*app.App, *method.Method) *cobra.Command) {
	vectors, matrices := "Methods of vectors", "Methods of matrices"
	cmd.AddGroup(&cobra.Group{ID: vectors, Title: vectors}, &cobra.Group{ID: matrices, Title: matrices})
	for _, m := range method.Methods() {
		c := &cobra.Command{Use: m.Name, Short: m.Summary, Run: func(*cobra.Command, []string) {}}
		if a.Mentions(m.Name) {
			c = command(a, m)
		}
		c.GroupID = vectors
		if m.Matrices {
			c.GroupID = matrices
		}
		cmd.AddCommand(c)
	}
}

// missingMethod adds an error to a command whose subcommands are methods. The error reports that the method is missing
// or unknown, even if unknown flags follow.
func missingMethod(cmd *cobra.Command) {
	cmd.FParseErrWhitelist.UnknownFlags = true
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return app.WithMethods("%s needs a method; available methods, by the data they learn from",
				cmd.CommandPath())
		}
		name, _, withOptions := strings.Cut(args[0], ":")
		_, err := method.Lookup(name)
		if err == nil && withOptions {
			return app.Usagef("%q: the options of a single method are flags: %s %s --OPTION VALUE", args[0],
				cmd.CommandPath(), name)
		}
		return app.Usagef("%v", err)
	}
	cmd.RunE = func(*cobra.Command, []string) error { return nil } // never runs, because Args returns an error
}

func tuneMethodCommand(a *app.App, m *method.Method) *cobra.Command {
	var data app.DataFlags
	var ranges []string
	var random, folds int
	var seconds float64
	var score, groups, out, threshold, positive string
	cmd := &cobra.Command{
		Use:     m.Name,
		Short:   m.Summary,
		Example: fmt.Sprintf("  rao tune %s --data train.npz --search %s --out best.rao", m.Name, exampleSearch(m)),
		Args:    app.NoArgs,
	}
	data.AddLearning(cmd, "data", "labeled training data")
	data.AddWeights(cmd)
	f := cmd.Flags()
	app.LinesVar(f, &ranges, "search", "NAME=VALUES",
		"option and its values: NAME=A,B,C or NAME=LOW..HIGH[:log][:int]; may "+
			"be repeated")
	app.CountFlag(f, &random, "random", 0, 0, 100000, "random draws; 0 tries every combination")
	app.CountFlag(f, &folds, "cv", 5, 2, 1000, "number of folds")
	app.TextVar(f, &groups, "groups", "NAME,...", "",
		"variables, separated by commas, whose groups are left out one at a time, or with --cv in folds of several")
	app.TextVar(f, &score, "score", "SCORE", "accuracy",
		"score to choose by: any of --measures of rao compare, log_loss, or ece (calibration error)")
	app.TextVar(f, &positive, "positive", "CLASS", "",
		"with two classes: class of the score; by default the last")
	app.NumberFlag(f, &seconds, "decision-seconds", 0, 0, 1e6,
		"seconds per decision, for the bits per minute; by default the window of the data's signal")
	app.TextVar(f, &threshold, "threshold-rule", "RULE", "",
		"choose the threshold of the last of two classes by accuracy, balanced_accuracy, kappa, f1 or cost:R")
	app.OutputFlag(cmd, &out, "out", app.ModelOutput, "model file to write: the best options, fitted to all data")
	shared := app.AddOptions(cmd, m) // valid only with a candidate
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if threshold != "" {
			if err := scoring.CheckThresholdRule(threshold); err != nil {
				return app.Usagef("--threshold-rule: %v", err)
			}
		}
		if data.Opt.Weights != "" {
			if err := m.Weighs(); err != nil {
				return err
			}
		}
		seed := study.Seed(*shared)
		tried, err := candidates.Parse(ranges, random, seed)
		if err != nil {
			return app.Usagef("--search: %v", err)
		}
		for _, c := range tried {
			if _, err := shared.With(c...); err != nil {
				return app.Usagef("--search: %v", err)
			}
		}
		data.Opt.Table.Variables = text.SplitList(groups)
		d, err := data.Open(cmd.Context(), a, "data", true)
		if err != nil {
			return err
		}
		if threshold != "" && len(d.Classes) != 2 {
			return app.Usagef("--threshold-rule works only with two classes, but %s has %d; leave it out",
				d.Source, len(d.Classes))
		}
		first, err := app.FirstIsPositive(positive, d.Classes)
		if err != nil {
			return err
		}
		if first && threshold != "" {
			return app.Usagef("--threshold-rule is for %s, the last class; leave out --positive",
				d.Classes[1])
		}
		if groups != "" && !cmd.Flags().Changed("cv") {
			folds = 0
		}
		split, err := study.Folds(d, d.Labels, text.SplitList(groups), folds, seed)
		if err != nil {
			return fmt.Errorf("%s: %w", d.Source, err)
		}
		seconds = cmp.Or(seconds, recipes.Seconds(d.Recipe))
		if seconds == 0 && strings.HasSuffix(score, "_per_minute") {
			return app.Usagef("--score %s needs --decision-seconds; %s does not state the time of a decision", score,
				d.Source)
		}
		tuning := study.Tuning{Data: d, Method: *shared, Candidates: tried, Folds: split, Score: score,
			Seconds: seconds, First: first, Threshold: threshold, Monitor: a.Monitor(cmd)}
		a.Patient.Store(true) // after a signal, wait for the table; Run ends soon
		r, failed := tuning.Run(cmd.Context())
		a.Patient.Store(cmd.Context().Err() != nil)
		if r == nil {
			return failed
		}
		if out != "" && failed == nil {
			src := method.InMemory{Data: d, Spare: true, Advise: true}
			if err := checkMemory(r.Chosen, src); err != nil {
				return err
			}
			if _, err := fitAndSave(cmd.Context(), a, r.Chosen, src, 0, nil, r.Threshold, out, false); err != nil {
				return err
			}
			r.Out = out
		}
		return cmp.Or(a.Emit(r, func() { printTune(a, r) }), failed, failedTrials(r))
	}
	return cmd
}

func exampleSearch(m *method.Method) string {
	for _, o := range [][2]string{{"filters", "filters=4,9"}, {"prototypes", "prototypes=1,2"},
		{"metric", "metric=riemann,logeuclid"}, {"neighbors", "neighbors=1,5"}} {
		if _, err := m.Option(o[0]); err == nil {
			return o[1]
		}
	}
	return "shrinkage=none,oas"
}

// failedTrials returns an error if some combinations failed, as rao compare does for methods.
func failedTrials(r *study.TuneResult) error {
	failed := indices.Count(r.Rows, func(row study.TuneRow) bool { return row.Error != "" })
	if failed == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d combinations failed; the reasons are listed above", failed, len(r.Rows))
}

func printTune(a *app.App, r *study.TuneResult) {
	for _, row := range r.Rows {
		if row.Error != "" {
			a.Note("%s", row.Error)
		}
	}
	a.Table(r.Table())
	if r.Threshold > 0 {
		a.Note("the last class is chosen at a probability of %.4g or above", r.Threshold)
	}
	if r.Out != "" {
		with := ""
		if best := r.Best.String(); best != "" {
			with = " with " + best
		}
		a.Note("fitted to all the data%s and written to %s", with, r.Out)
	}
}
