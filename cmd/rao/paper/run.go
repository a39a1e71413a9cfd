package paper

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/paper/experiment"
	"rao/internal/suggest"
	"rao/internal/text"
)

type runFlags struct {
	out, record  string
	resume       string
	short, whole bool
	seed         uint64
	commit       string
}

func paperCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "paper",
		Short: "Reproduce the papers' tables and figures; timings",
		Long: `Run the tables and figures of the SQFA and PLRSQ papers, our own studies, and the timings
of the kernels. IDs are the papers' own numbers.`,
		Example: "  rao paper list\n  rao paper run sqfa-fig2 --out results\n  rao paper bench --cases eigen",
	}
	cmd.AddCommand(listCommand(a), runCommand(a), pageCommand(a), benchCommand(a))
	return cmd
}

func runCommand(a *app.App) *cobra.Command {
	f := runFlags{out: "rao-results"}
	cmd := &cobra.Command{
		SuggestFor: []string{"reproduce"},
		Use:        "run all | sqfa | plrsq | beyond | ID...",
		Short:      "Run tables and figures of the papers",
		Long: `Run tables and figures of the SQFA and PLRSQ papers, or LMNN on MNIST (lmnn-mnist). For
each, write its numbers as csv and JSON, its figures as SVG, PDF and PNG, and a page that
compares our numbers with the paper's. IDs are the papers' own numbers; rao paper list
shows them. "all" runs everything whose data are on this machine, sqfa and plrsq run the
experiments of one paper, and beyond runs our own studies. --short uses fewer repetitions
or less data. --whole runs a larger grid if the experiment has one. --record also writes
the result that rao paper page reads; this needs a build from a clean commit.`,
		Example: "  rao paper run sqfa-fig2 --out results\n  rao paper run all --short --out results",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return app.Usagef("give all, sqfa, plrsq, beyond, or the ID of an experiment (rao paper list)")
			}
			return nil
		},
	}
	app.OutputFlag(cmd, &f.out, "out", app.FolderOutput, "folder for the results, one folder for each experiment")
	app.OutputFlag(cmd, &f.record, "record", app.RecordsOutput,
		"folder for recorded results, one JSON file for each experiment")
	flags := cmd.Flags()
	app.TextVar(flags, &f.resume, "resume", "FOLDER", "",
		"folder of finished parts, from which an interrupted run resumes")
	flags.BoolVar(&f.short, "short", false, "run the short form; all of them take minutes")
	flags.BoolVar(&f.whole, "whole", false, "run the larger grid of the experiment; takes hours")
	app.SeedVar(flags, &f.seed, "seed of the random numbers")
	app.TextVar(flags, &f.commit, "commit", "COMMIT", "", "commit of the code; by default the commit recorded "+
		"in the build")
	cmd.MarkFlagsMutuallyExclusive("short", "whole")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		list, err := chooseExperiments(a, args)
		if err != nil {
			return err
		}
		return runExperiments(cmd.Context(), a, list, f)
	}
	for _, e := range experiment.List() {
		cmd.ValidArgs = append(cmd.ValidArgs, e.ID+"\t"+e.Title)
	}
	return cmd
}

func listCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the tables and figures and the data they need; --json adds the recorded results",
		Example: "  rao paper list --json",
		Args:    app.NoArgs,
		RunE:    func(cmd *cobra.Command, args []string) error { return listExperiments(a) },
	}
}

func pageCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:       "page " + strings.Join(experiment.Pages, " | "),
		Short:     "Print the recorded results as a page, docs/results-NAME.md",
		Example:   "  rao paper page plrsq",
		ValidArgs: experiment.Pages,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(experiment.Pages, args[0]) {
				return app.Usagef("give one page: %s", strings.Join(experiment.Pages, ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return experiment.Page(a.Out, args[0]) },
	}
}

// runExperiments runs the experiments and writes each result as soon as it is complete.
func runExperiments(ctx context.Context, a *app.App, list []*experiment.Experiment, f runFlags) error {
	if f.record != "" {
		if err := (experiment.Run{Short: f.short, Commit: f.commit}).Recordable(); err != nil {
			return err
		}
		if err := app.MakeFolder(f.record); err != nil {
			return err
		}
	}
	if err := app.MakeFolder(f.out); err != nil {
		return err
	}
	var ran []*experiment.Result
	for i, e := range list {
		show, done := a.Progress(fmt.Sprintf("%s (%d of %d)", e.ID, i+1, len(list)))
		res, err := e.Run(ctx, experiment.Run{Short: f.short, Whole: f.whole, Seed: f.seed, Commit: f.commit,
			Resume: f.resume, Progress: show})
		done()
		if err != nil {
			return err
		}
		if err := res.Write(f.out); err != nil {
			return err
		}
		ran = append(ran, res)
		if !a.JSON {
			printResult(a, res, filepath.Join(f.out, e.ID, "index.html"))
		}
		if f.record != "" {
			if err := res.Record(f.record); err != nil {
				return err
			}
		}
	}
	return a.Emit(ran, func() {})
}

func listExperiments(a *app.App) error {
	type row struct {
		ID           string   `json:"id"`
		Paper        string   `json:"paper"`
		Item         string   `json:"item"`
		Title        string   `json:"title"`
		Needs        []string `json:"needs"`
		State        string   `json:"state"`
		Reproduction string   `json:"reproduction"`
		Commit       string   `json:"commit,omitempty"` // commit of the recorded result
		Whole        string   `json:"whole,omitempty"`
	}
	var rows []row
	var cells [][]string
	for _, e := range experiment.List() {
		rec, err := e.Recorded()
		if err != nil {
			return err
		}
		r := row{ID: e.ID, Paper: e.Paper, Item: e.Item, Title: e.Title, Needs: e.Needs, State: e.State(),
			Reproduction: e.Reproduction(rec), Whole: e.Whole}
		if rec != nil {
			r.Commit = rec.Commit
		}
		rows = append(rows, r)
		cells = append(cells, []string{r.ID, r.Paper + ", " + r.Item, r.Title, r.State})
	}
	return a.Emit(rows, func() { a.Table([]string{"id", "where", "what", "state"}, cells) })
}

// experimentGroups are the names of groups of experiments. The IDs of the experiments in a group start with its name.
var experimentGroups = []string{"sqfa", "plrsq", "beyond"}

// chooseExperiments returns the experiments with the given IDs. If the only argument is all or the name of a group, it
// returns those experiments of the group whose data are available.
func chooseExperiments(a *app.App, args []string) ([]*experiment.Experiment, error) {
	var list []*experiment.Experiment
	if len(args) == 1 && (args[0] == "all" || slices.Contains(experimentGroups, args[0])) {
		for _, e := range experiment.List() {
			if e.NotRun != "" || args[0] != "all" && !strings.HasPrefix(e.ID, args[0]+"-") {
				continue
			}
			if m := e.Missing(); len(m) > 0 {
				a.Note("%s is left out because it needs %s; rao data get downloads sets", e.ID, strings.Join(m, ", "))
				continue
			}
			list = append(list, e)
		}
		return list, nil
	}
	for _, id := range args {
		e, err := experiment.Lookup(id)
		if err != nil {
			return nil, unknownExperiment(id)
		}
		list = append(list, e)
	}
	return list, nil
}

// unknownExperiment returns an error that suggests similar IDs, or lists all IDs if there are no similar ones.
func unknownExperiment(id string) error {
	var ids []string
	for _, e := range experiment.List() {
		ids = append(ids, e.ID)
	}
	if near := suggest.Nearest(id, ids); len(near) > 0 {
		return app.Usagef("unknown experiment %q; did you mean %s?", id, suggest.Or(near))
	}
	return app.Usagef("unknown experiment %q; rao paper list shows them", id)
}

func printResult(a *app.App, r *experiment.Result, page string) {
	r = r.Shown()
	fmt.Fprintf(a.Out, "%s: %s (%s, %s)\n", r.ID, r.Title, r.Paper, r.Item)
	for _, t := range r.Tables {
		fmt.Fprintf(a.Out, "\n%s\n", t.Caption)
		a.Indent(func() { a.Table(t.Header, t.Rows) })
	}
	for _, c := range r.Claims {
		fmt.Fprintf(a.Out, "\n%s: %s\n  %s: %s\n", r.Claimant(), c.Says, c.Verdict(),
			strings.TrimSpace(c.Found+" "+c.Why))
	}
	for _, s := range r.Remarks {
		fmt.Fprintf(a.Out, "\n%s\n", s.Text)
	}
	fmt.Fprintf(a.Out, "\n%s\n", r.Made())
	fmt.Fprintf(a.Out, "\n%s; page: %s\n\n", text.Seconds(r.Seconds), page)
}
