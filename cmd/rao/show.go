package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rao"
	"rao/model"
	"rao/recipe"
)

// showResult is what show prints; its JSON names do not change.
type showResult struct {
	File     string            `json:"file"`
	Date     time.Time         `json:"date"` // of the file, by the file system
	Bytes    int64             `json:"bytes"`
	Version  string            `json:"version,omitempty"`
	Method   string            `json:"method"`
	Options  map[string]string `json:"options"`
	Classes  []showClass       `json:"classes"`
	Input    showInput         `json:"input"`
	Stages   []model.Part      `json:"stages"`
	Decides  *model.Part       `json:"classifier,omitempty"`
	Training string            `json:"training_digest,omitempty"`
	Count    int               `json:"training_count,omitempty"`
	Report   rao.Report        `json:"report"`
	Reject   float64           `json:"reject_below,omitempty"`
	Notes    []string          `json:"notes,omitempty"`
}

type showClass struct {
	Name  string `json:"name"`
	Count int    `json:"count,omitempty"` // in the training; 0 when not known
}

type showInput struct {
	Kind     model.Kind     `json:"kind"`
	Dim      int            `json:"dim"`
	Image    []int          `json:"image,omitempty"`
	Columns  []string       `json:"columns,omitempty"`
	Channels []string       `json:"channels,omitempty"`
	Recipe   *recipe.Recipe `json:"recipe,omitempty"`
}

func showCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "show MODEL",
		Short: "What a model is: method, input, stages, classes, training, report",
		Long: `Print what a model file says of itself: the method and its options, what an observation
is and how it was made, the stages and the classifier, the classes, what it was fitted
to, how the fit went, and what its user should know. The date is that of the file.`,
		Example: "  rao show model.rao\n  rao show model.rao --json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("give one model file")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := a.loadModel(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			r := describeModel(m)
			if r.File = args[0]; r.File == "-" {
				r.File = standardInput
			}
			if st, err := os.Stat(args[0]); err == nil {
				r.Date, r.Bytes = st.ModTime(), st.Size()
			}
			return a.emit(r, func() { a.printModel(r) })
		},
	}
}

func describeModel(m *model.Model) *showResult {
	r := &showResult{Version: m.Version, Method: m.Method, Options: map[string]string{}, Stages: []model.Part{},
		Training: m.Training.Digest,
		Report:   m.Report, Reject: m.RejectBelow, Notes: m.Notes,
		Input: showInput{Kind: m.Input.Kind, Dim: m.Input.Dim, Columns: m.Input.Columns, Channels: m.Input.Channels,
			Recipe: m.Input.Recipe}}
	if m.Input.Image[0] > 0 {
		r.Input.Image = m.Input.Image[:]
	}
	for _, o := range m.Options {
		r.Options[o.Name] = o.Value
	}
	for i, name := range m.Classes {
		c := showClass{Name: name}
		if len(m.Training.Counts) > 0 {
			c.Count = m.Training.Counts[i]
			r.Count += c.Count
		}
		r.Classes = append(r.Classes, c)
	}
	r.Stages, r.Decides = m.Parts()
	return r
}

func (a *app) printModel(r *showResult) {
	about := r.File
	if !r.Date.IsZero() {
		about += fmt.Sprintf(", %d bytes, of %s", r.Bytes, r.Date.Format("2006-01-02 15:04"))
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
	add("input", r.Input.String())
	if r.Input.Recipe != nil {
		add("made as", r.Input.Recipe.String())
	}
	add("columns", shortList(r.Input.Columns))
	channels := r.Input.Channels
	if c := r.Input.Recipe; c != nil && c.Signal != nil {
		channels = c.Signal.Channels // without the bands
	}
	add("channels", shortList(channels))
	for i, p := range r.Stages {
		add(fmt.Sprintf("stage %d", i+1), p.String())
	}
	if r.Decides != nil {
		add("classifier", r.Decides.String())
	}
	names := make([]string, len(r.Classes))
	for i, c := range r.Classes {
		if names[i] = c.Name; c.Count > 0 {
			names[i] += fmt.Sprintf(" (%d)", c.Count)
		}
	}
	add("classes", shortList(names))
	if r.Count > 0 {
		add("training", fmt.Sprintf("%s, digest %.16s", plural(r.Count, "observation", "observations"), r.Training))
	}
	report := strings.ReplaceAll(r.Report.Status.String(), "_", " ")
	if r.Report.Iterations > 0 {
		report += ", " + plural(r.Report.Iterations, "iteration", "iterations")
	}
	if r.Report.Objective != 0 {
		report += fmt.Sprintf(", objective %.6g", r.Report.Objective)
	}
	add("fit", report)
	if r.Reject > 0 {
		add("rejects", fmt.Sprintf("below a probability of %g", r.Reject))
	}
	for _, n := range r.Notes {
		add("note", n)
	}
	a.table([]string{"method", r.Method}, rows)
}

// String describes an observation.
func (in showInput) String() string {
	if in.Kind == model.KindMatrices {
		return fmt.Sprintf("matrices of order %d", in.Dim)
	}
	if in.Image != nil {
		return fmt.Sprintf("images of %d×%d×%d", in.Image[0], in.Image[1], in.Image[2])
	}
	return fmt.Sprintf("vectors of %d values", in.Dim)
}

// shortList joins names, the first of many.
func shortList(names []string) string {
	const most = 24
	if len(names) > most {
		return fmt.Sprintf("%d: %s, …", len(names), strings.Join(names[:most], ", "))
	}
	return strings.Join(names, ", ")
}
