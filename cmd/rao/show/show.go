package show

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/linalg/vec"
	"rao/internal/modelinfo"
	"rao/internal/privacy"
	"rao/internal/recipes"
	"rao/internal/text"
	"rao/model"
)

// showResult is the JSON output of rao show. The names in the JSON are stable.
type showResult struct {
	File  string    `json:"file"`
	Date  time.Time `json:"date"` // modification time of the file
	Bytes int64     `json:"bytes"`
	modelinfo.Description
}

func showCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "show MODEL",
		Short: "Describe a model: method, stages, classes, training",
		Long: `Print the contents of a model file: the method and its options, the form of an observation
and how it was computed, the stages and the classifier, the classes, the training data, the
result of the fit, and notes for the user. The date is the date of the file.`,
		Example: "  rao show model.rao\n  rao show model.rao --json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return app.Usagef("give one model file")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := a.LoadModel(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			r := &showResult{File: args[0], Description: modelinfo.Describe(m)}
			if r.File == "-" {
				r.File = app.StandardInput
			}
			if st, err := os.Stat(args[0]); err == nil {
				r.Date, r.Bytes = st.ModTime(), st.Size()
			}
			return a.Emit(r, func() { printModel(a, r) })
		},
	}
}

func printModel(a *app.App, r *showResult) {
	about := r.File
	if !r.Date.IsZero() {
		about += fmt.Sprintf(", %d bytes, dated %s", r.Bytes, r.Date.Format("2006-01-02 15:04"))
	}
	if r.Version != "" {
		about += ", by rao " + r.Version
	}
	rows := [][]string{{"file", about}}
	add := func(name, text string) {
		if text != "" {
			rows = append(rows, []string{name, text})
		}
	}
	options := make([]string, 0, len(r.Options))
	for _, k := range slices.Sorted(maps.Keys(r.Options)) {
		options = append(options, k+" "+r.Options[k])
	}
	add("options", strings.Join(options, ", "))
	add("input", observation(r.Description))
	if r.Recipe != nil {
		add("made as", r.Recipe.String())
	}
	add("columns", shortList(r.Columns))
	channels := r.Channels
	if s := recipes.SignalOf(r.Recipe); s != nil {
		channels = s.Channels // lists each channel once, not once per band
	}
	add("channels", shortList(channels))
	for i, p := range r.Stages {
		add(fmt.Sprintf("stage %d", i+1), p.String())
	}
	if r.Classifier != nil {
		add("classifier", r.Classifier.String())
	}
	names := slices.Clone(r.Classes)
	for i, n := range r.Counts {
		names[i] += fmt.Sprintf(" (%d)", n)
	}
	add("classes", shortList(names))
	n := vec.Total(r.Counts)
	if g := (*privacy.Guarantee)(r.Privacy); g != nil {
		add("privacy", fmt.Sprintf("ε %.4g at δ %g for each %s", g.Epsilon, g.Delta, g.Protects()))
	}
	if n > 0 {
		training := text.Plural(n, "observation", "observations")
		if r.Training != "" {
			training += fmt.Sprintf(", digest %.16s", r.Training)
		}
		add("training", training)
	}
	report := strings.ReplaceAll(string(r.Report.Status), "_", " ")
	if r.Report.Iterations > 0 {
		report += ", " + text.Plural(r.Report.Iterations, "iteration", "iterations")
	}
	if r.Report.Objective != 0 {
		report += fmt.Sprintf(", objective %.6g", r.Report.Objective)
	}
	add("fit", report)
	if r.Reject > 0 {
		add("rejects", fmt.Sprintf("below a probability of %g", r.Reject))
	}
	if r.Threshold > 0 {
		add("decides", fmt.Sprintf("for %s at a probability of %g or above", text.Cell(r.Classes[1]), r.Threshold))
	}
	for _, n := range r.Notes {
		add("note", n)
	}
	a.Table([]string{"method", r.Method}, rows)
}

func observation(d modelinfo.Description) string {
	if d.Kind == model.KindMatrices {
		return fmt.Sprintf("matrices of order %d", d.Dim)
	}
	if d.Image != nil && recipes.SignalOf(d.Recipe) != nil {
		return fmt.Sprintf("trials of %d channels and %d samples", d.Image[0], d.Image[1])
	}
	if d.Image != nil {
		return fmt.Sprintf("images of %d×%d×%d", d.Image[0], d.Image[1], d.Image[2])
	}
	return "vectors of " + text.Plural(d.Dim, "value", "values")
}

// shortList joins the names. A long list is shortened and starts with the number of names.
func shortList(names []string) string {
	const most = 24
	if len(names) > most {
		return fmt.Sprintf("%d: %s, …", len(names), strings.Join(names[:most], ", "))
	}
	return strings.Join(names, ", ")
}
