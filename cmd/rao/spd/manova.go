package spd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/evaluate"
	"rao/internal/classpairs"
	"rao/internal/memory"
	"rao/internal/study"
	"rao/internal/text"
	"rao/report"
	"rao/spd"
)

// manovaResult is the JSON output of rao spd manova. The names in the JSON are stable.
type manovaResult struct {
	Metric  string      `json:"metric"`
	N       int         `json:"n"`
	Classes []string    `json:"classes"`
	Groups  string      `json:"groups,omitempty"`
	F       text.Number `json:"f"` // infinite if the matrices of each class are equal
	*evaluate.ManovaResult
	Distinctiveness text.Number  `json:"distinctiveness"` // distance between the class means divided by the spread
	Pairs           []manovaPair `json:"pairs,omitempty"`
	Figure          string       `json:"figure,omitempty"`
}

// manovaPair is the test of a pair of classes.
type manovaPair struct {
	A    string      `json:"first"`
	B    string      `json:"second"`
	F    text.Number `json:"f"`
	P    float64     `json:"p"`
	Holm float64     `json:"p_holm"` // p value corrected for the number of pairs by Holm's method
}

func manovaCommand(a *app.App) *cobra.Command {
	var data app.DataFlags
	var metric spd.Metric
	var by, figure string
	var pairs bool
	var opt evaluate.ManovaOptions
	cmd := &cobra.Command{
		Use:   "manova",
		Short: "Test whether classes of SPD matrices differ, by permutations",
		Long: `Test by permutational analysis of variance (Anderson 2001). The output
contains the squared distances between and within classes, their ratio (pseudo-F), and p,
the share of permuted labelings with a ratio at least as large. If there are at most
--permutations labelings, all are used and p is exact. With --groups, labels are permuted
only within a group, such as a recording. --test-pairs also tests every pair of classes, and
--figure draws the permutation distribution. The output includes the class
distinctiveness: the distance between the class means divided by the spread of the
matrices around them.`,
		Example: `  rao spd manova --data P.npz
  rao spd manova --data P.npz --groups recording --test-pairs --figure manova.svg`,
		Args: app.NoArgs,
	}
	data.Add(cmd, "data", "SPD matrices with labels, count × order × order")
	f := cmd.Flags()
	app.MetricVar(f, &metric, "riemann", "metric of the distances (rao spd distance --list)")
	app.CountFlag(f, &opt.Permutations, "permutations", 9999, 1, 100000000, "number of random labelings")
	app.TextVar(f, &by, "groups", "NAME,...", "",
		"variables, separated by commas, within whose groups labels are permuted")
	f.BoolVar(&pairs, "test-pairs", false, "also test every pair of classes, with Holm's correction")
	app.SeedVar(f, &opt.Seed, "seed of the permutations")
	app.OutputFlag(cmd, &figure, "figure", app.FigureOutput, "svg, png or pdf file for the figure")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		data.Opt.Table.Variables = text.SplitList(by)
		d, err := data.OpenMatrices(cmd.Context(), a, "manova", true, memory.Distances)
		if err != nil {
			return err
		}
		if by != "" {
			groups, err := study.GroupsBy(d, text.SplitList(by)...)
			if err != nil {
				return fmt.Errorf("%s: --groups: %w", d.Source, err)
			}
			opt.Groups = groups.Of
		}
		opt.Keep = figure != ""
		r := &manovaResult{Metric: string(metric), N: d.N(), Classes: d.Classes, Groups: by, Figure: figure}
		if err := r.test(cmd.Context(), d, metric, opt, pairs); err != nil {
			return fmt.Errorf("%s: %w", d.Source, err)
		}
		if figure != "" {
			if err := r.draw().WriteFile(figure); err != nil {
				return err
			}
		}
		return a.Emit(r, func() { printManova(a, r) })
	}
	return cmd
}

// test computes all distances once and runs the permutation tests on them.
func (r *manovaResult) test(ctx context.Context, d *dataset.Data, metric spd.Metric, opt evaluate.ManovaOptions,
	pairs bool) error {
	var all mat.Dense
	if err := spd.Distances(ctx, &all, metric, d.Stack, nil); err != nil {
		return err
	}
	distances := mat.NewSymDense(d.N(), all.RawMatrix().Data)
	var err error
	if r.ManovaResult, err = evaluate.Manova(ctx, distances, d.Labels, opt); err != nil {
		return err
	}
	r.F = text.Number(r.ManovaResult.F)
	distinct, err := classify.Distinctiveness(ctx, d.Stack, d.Labels, metric)
	if r.Distinctiveness = text.Number(distinct); err != nil || !pairs {
		return err
	}
	found, err := classpairs.Pairs(ctx, distances, d.Labels, opt)
	for _, p := range found {
		r.Pairs = append(r.Pairs, manovaPair{A: d.Classes[p.A], B: d.Classes[p.B], F: text.Number(p.F), P: p.P,
			Holm: p.Holm})
	}
	var pair *classpairs.PairError
	if errors.As(err, &pair) {
		return fmt.Errorf("classes %s and %s: %w", d.Classes[pair.A], d.Classes[pair.B], pair.Err)
	}
	return err
}

// draw draws a histogram of the permuted F values and marks the observed F.
func (r *manovaResult) draw() *report.Figure {
	return report.Histogram("Pseudo-F of "+text.Plural(r.Permutations, "labeling", "labelings"), r.All,
		report.Axis{Label: "pseudo-F", Mark: r.ManovaResult.F,
			MarkLabel: fmt.Sprintf("the classes, p = %.4g", r.P)})
}

func printManova(a *app.App, r *manovaResult) {
	row := func(name string, df int, sum float64, rest ...string) []string {
		return append([]string{name, fmt.Sprint(df), fmt.Sprintf("%.6g", sum)}, rest...)
	}
	a.Table([]string{"", "freedom", "squares", "mean", "pseudo-F", "p"}, [][]string{
		row("between classes", r.DFBetween, r.Between, fmt.Sprintf("%.6g", r.Between/float64(r.DFBetween)),
			fmt.Sprintf("%.4f", float64(r.F)), fmt.Sprintf("%.4g", r.P)),
		row("within classes", r.DFWithin, r.Within, fmt.Sprintf("%.6g", r.Within/float64(r.DFWithin)), "", ""),
	})
	how := "drawn"
	if r.Exact {
		how = "all"
	}
	fmt.Fprintf(a.Out, "%s metric, %s, %s (%s); %s of the sum of squares is between the classes\n", r.Metric,
		text.Plural(r.N, "matrix", "matrices"), text.Plural(r.Permutations, "labeling", "labelings"), how,
		text.Percent(r.R2))
	fmt.Fprintf(a.Out, "class distinctiveness %.4f\n", float64(r.Distinctiveness))
	if r.Figure != "" {
		fmt.Fprintf(a.Out, "figure written to %s\n", r.Figure)
	}
	if r.Pairs == nil {
		return
	}
	fmt.Fprintln(a.Out)
	rows := make([][]string, len(r.Pairs))
	for k, p := range r.Pairs {
		rows[k] = []string{text.Cell(p.A), text.Cell(p.B), fmt.Sprintf("%.4f", float64(p.F)), fmt.Sprintf("%.4g", p.P),
			fmt.Sprintf("%.4g", p.Holm)}
	}
	a.Table([]string{"class", "and", "pseudo-F", "p", "p (Holm)"}, rows)
}
