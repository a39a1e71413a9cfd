package spd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/internal/format/archive"
	"rao/internal/memory"
	"rao/internal/potato"
	"rao/internal/suggest"
	"rao/internal/text"
	"rao/report"
	"rao/spd"
)

// artifactFlags are the flags of check --artifacts.
type artifactFlags struct {
	on             bool
	fields, scores string
	figure         string
	first          int
	rate           float64
	opt            potato.Options
	metric         string
}

func (f *artifactFlags) add(cmd *cobra.Command) {
	c := cmd.Flags()
	c.BoolVar(&f.on, "artifacts", false, "find matrices that are far from the others")
	app.TextVar(c, &f.metric, "metric", "METRIC", "riemann", "with --artifacts: metric of mean and distances")
	app.NumberFlag(c, &f.opt.Threshold, "threshold", 3, 1e-3, 1e6, "with --artifacts: z-score at which a matrix "+
		"is an artifact")
	app.NumberFlag(c, &f.opt.Level, "level", 0.01, 1e-12, 0.5, "with --fields: a matrix is an artifact if its "+
		"combined probability is below this")
	app.TextVar(c, &f.fields, "fields", "CHANNEL,...;...", "",
		"with --artifacts: groups of channels, by name or number from 0; channels separated by commas, groups "+
			"by semicolons")
	app.CountFlag(c, &f.first, "first", 0, 0, 1<<30,
		"with --artifacts: learn from this many matrices, then update with the others in order; 0 learns from all")
	app.NumberFlag(c, &f.rate, "rate", 0, 0, 0.99, "with --first: update rate for each clean matrix")
	app.OutputFlag(cmd, &f.scores, "scores", app.ScoresOutput,
		"with --artifacts: csv file for the scores of every matrix")
	app.OutputFlag(cmd, &f.figure, "figure", app.FigureOutput,
		"with --artifacts: svg, png or pdf file for a figure of the scores")
}

// artifactNames are the flags that only --artifacts has.
var artifactNames = []string{"metric", "threshold", "level", "fields", "first", "rate", "scores",
	"figure"}

// check refuses flags that contradict each other.
func (f *artifactFlags) check(cmd *cobra.Command, model string) error {
	if !f.on {
		for _, name := range artifactNames {
			if cmd.Flags().Changed(name) {
				return app.Usagef("--%s is for --artifacts", name)
			}
		}
		return nil
	}
	m, err := spd.LookupMetric(f.metric)
	if err != nil {
		return app.Usagef("%v", err)
	}
	f.opt.Metric = m
	for _, name := range []string{"repair", "rank-tol", "max-condition"} {
		if cmd.Flags().Changed(name) {
			return app.Usagef("--artifacts leaves matrices as they are, and --%s is for their repair", name)
		}
	}
	switch {
	case model != "":
		return app.Usagef("--model asks for drift, and --artifacts uses only the matrices; use one at a time")
	case f.rate > 0 && f.first == 0:
		return app.Usagef("--rate is for --first: what is learned from all matrices follows none")
	case f.fields == "" && cmd.Flags().Changed("level"):
		return app.Usagef("--level is for --fields; one field has a --threshold")
	}
	return nil
}

// artifactsResult is what check --artifacts prints; its JSON names do not change.
type artifactsResult struct {
	Count     int             `json:"count"`
	Dim       int             `json:"dim"`
	Metric    string          `json:"metric"`
	Threshold float64         `json:"threshold"`
	Fields    []artifactField `json:"fields"`
	Artifacts []int           `json:"artifacts"` // matrices, counted from 0
	Share     text.Number     `json:"share"`
	Limit     text.Number     `json:"limit"`
	Z         [][]text.Number `json:"z"` // of each matrix in each field
	P         []text.Number   `json:"p"`
	Out       string          `json:"out,omitempty"`
	Scores    string          `json:"scores,omitempty"`
	Figure    string          `json:"figure,omitempty"`
}

// artifactField is what was learned of one field.
type artifactField struct {
	Channels []int   `json:"channels,omitempty"`
	Clean    int     `json:"clean"` // matrices that it was learned from
	Mean     float64 `json:"mean"`
	Spread   float64 `json:"spread"`
}

// checkArtifacts finds matrices that lie far from the others.
func checkArtifacts(ctx context.Context, a *app.App, data *app.DataFlags, f *artifactFlags, limit, out string,
	all bool) error {
	most, err := artifactLimit(limit)
	if err != nil {
		return err
	}
	d, err := data.Open(ctx, a, "data", false)
	if err != nil {
		return err
	}
	if d.Stack == nil {
		return fmt.Errorf("%s holds vectors; --artifacts needs SPD matrices (rao spd images and rao eeg cov make "+
			"them)", d.Source)
	}
	if f.opt.Channels, err = parseFields(f.fields, d); err != nil {
		return fmt.Errorf("%s: --fields: %w", d.Source, err)
	}
	if err := memory.Check("check", memory.Mean(d.Stack.Count, d.Stack.Dim, "masked")); err != nil {
		return err
	}
	r, err := f.find(ctx, d.Stack)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Source, err)
	}
	r.Limit, r.Out, r.Scores, r.Figure = text.Number(most), out, f.scores, f.figure
	if err := writeArtifacts(a, r, d); err != nil {
		return err
	}
	if err := a.Emit(r, func() { printArtifacts(a, r, all) }); err != nil {
		return err
	}
	if float64(r.Share) > most {
		return &driftError{fmt.Sprintf("beyond the limit: %s are artifacts", text.Percent(float64(r.Share)))}
	}
	return nil
}

// artifactLimit reads --limit of --artifacts.
func artifactLimit(limit string) (float64, error) {
	if limit == "" {
		return 0.1, nil
	}
	name, text, _ := strings.Cut(limit, "=")
	v, err := strconv.ParseFloat(text, 64)
	if name != "artifacts" || err != nil || !(v >= 0 && v <= 1) {
		return 0, app.Usagef("--limit %q: want artifacts=SHARE with a share from 0 to 1, such as artifacts=0.1", limit)
	}
	return v, nil
}

// parseFields reads channels by name or number.
func parseFields(text string, d *dataset.Data) ([][]int, error) {
	if text == "" {
		return nil, nil
	}
	var names []string
	if v, ok := d.Vars["channels"]; ok && len(v.Strings) == d.Stack.Dim {
		names = v.Strings
	}
	var fields [][]int
	for part := range strings.SplitSeq(text, ";") {
		var field []int
		for _, item := range app.SplitList(part) {
			k := slices.Index(names, item)
			if k < 0 {
				number, err := strconv.Atoi(item)
				if err != nil || number < 0 || number >= d.Stack.Dim {
					return nil, fmt.Errorf("%w; numbers go from 0 to %d", suggest.Unknown("channel", item, names),
						d.Stack.Dim-1)
				}
				k = number
			}
			if slices.Contains(field, k) {
				return nil, fmt.Errorf("channel %s appears twice in a field", item)
			}
			field = append(field, k)
		}
		if field == nil {
			return nil, fmt.Errorf("a field of %q has no channels", text)
		}
		slices.Sort(field)
		fields = append(fields, field)
	}
	return fields, nil
}

// find learns and scores.
func (f *artifactFlags) find(ctx context.Context, x *spd.Stack) (*artifactsResult, error) {
	found, err := potato.Find(ctx, x, f.first, f.rate, f.opt)
	if err != nil {
		return nil, err
	}
	r := &artifactsResult{Count: x.Count, Dim: x.Dim, Metric: f.metric, Threshold: found.Field.Options.Threshold,
		Artifacts: found.Found, Share: text.Number(float64(len(found.Found)) / float64(x.Count)),
		P: scoresOf(found.P)}
	for _, p := range found.Field.Potatoes {
		r.Fields = append(r.Fields, artifactField{p.Channels, p.Clean, p.Mean, p.Spread})
	}
	for k := range x.Count {
		r.Z = append(r.Z, scoresOf(found.Z.RawRowView(k)))
	}
	return r, nil
}

func scoresOf(values []float64) []text.Number {
	out := make([]text.Number, len(values))
	for i, v := range values {
		out[i] = text.Number(v)
	}
	return out
}

// writeArtifacts writes the clean matrices and the scores where that is asked for.
func writeArtifacts(a *app.App, r *artifactsResult, d *dataset.Data) error {
	if r.Scores != "" {
		if err := writeScores(r); err != nil {
			return err
		}
	}
	if r.Figure != "" {
		if err := r.draw().WriteFile(r.Figure); err != nil {
			return err
		}
	}
	if r.Out == "" {
		return nil
	}
	kept := d.Subset(remaining(r.Count, r.Artifacts))
	a.MadeFrom(kept, d)
	return dataset.WriteFile(r.Out, kept)
}

func writeScores(r *artifactsResult) error {
	return archive.WriteFile(r.Scores, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		fmt.Fprint(b, "matrix")
		for k := range r.Fields {
			fmt.Fprintf(b, ",z_%d", k)
		}
		fmt.Fprintln(b, ",p,artifact")
		for k := range r.Count {
			fmt.Fprint(b, k)
			for _, z := range r.Z[k] {
				fmt.Fprintf(b, ",%.10g", float64(z))
			}
			_, found := slices.BinarySearch(r.Artifacts, k)
			fmt.Fprintf(b, ",%.10g,%v\n", float64(r.P[k]), found)
		}
		return b.Flush()
	})
}

// draw draws the scores in the order of the matrices, those of artifacts marked.
func (r *artifactsResult) draw() *report.Figure {
	var lines []report.Line
	for k := range r.Fields {
		l := report.Line{Name: fmt.Sprintf("field %d", k), Y: make([]float64, r.Count)}
		if len(r.Fields) == 1 {
			l.Name = "z-score"
		}
		for i, row := range r.Z {
			l.Y[i] = float64(row[k])
		}
		lines = append(lines, l)
	}
	last := float64(r.Count - 1)
	lines = append(lines, report.Line{Name: "threshold", X: []float64{0, last}, Dashed: true,
		Y: []float64{r.Threshold, r.Threshold}})
	found := report.Points{Name: text.Plural(len(r.Artifacts), "artifact", "artifacts")}
	for _, i := range r.Artifacts {
		found.X, found.Y = append(found.X, float64(i)), append(found.Y, float64(slices.Max(r.Z[i])))
	}
	return report.Lines("How far "+text.Plural(r.Count, "matrix lies", "matrices lie")+" from the clean ones", lines,
		report.PlotOptions{X: report.Axis{Label: "matrix"}, Y: report.Axis{Label: "z-score of the distance"},
			Marks: found})
}

func printArtifacts(a *app.App, r *artifactsResult, all bool) {
	fmt.Fprintf(a.Out, "%s of order %d: %s (%s)\n", text.Plural(r.Count, "matrix", "matrices"), r.Dim,
		text.Plural(len(r.Artifacts), "artifact", "artifacts"), text.Percent(float64(r.Share)))
	shown := r.Artifacts
	if !all {
		shown = shown[:min(len(shown), 2*worstShown)]
	}
	header := []string{"matrix"}
	for k := range r.Fields {
		name := "z"
		if len(r.Fields) > 1 {
			name = fmt.Sprintf("z of field %d", k)
		}
		header = append(header, name)
	}
	var rows [][]string
	for _, k := range shown {
		row := []string{fmt.Sprint(k)}
		for _, z := range r.Z[k] {
			row = append(row, fmt.Sprintf("%.2f", float64(z)))
		}
		rows = append(rows, append(row, fmt.Sprintf("%.3g", float64(r.P[k]))))
	}
	if len(rows) > 0 {
		a.Table(append(header, "p"), rows)
	}
	if more := len(r.Artifacts) - len(shown); more > 0 {
		fmt.Fprintf(a.Out, "and %d more, which --all lists\n", more)
	}
	if r.Out != "" {
		fmt.Fprintf(a.Out, "clean matrices written to %s\n", r.Out)
	}
	if r.Figure != "" {
		fmt.Fprintf(a.Out, "picture written to %s\n", r.Figure)
	}
}
