package eeg

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/demo"
	eegdemo "rao/internal/eeg/demo"
	"rao/internal/format/archive"
	"rao/internal/text"
)

// demoEEGResult is the JSON output of the demo. It contains each command with its output.
type demoEEGResult struct {
	Steps   []demoStep `json:"steps"`
	Folder  string     `json:"folder"`
	Seconds float64    `json:"seconds"`
}

type demoStep struct {
	Command string          `json:"command"`
	Result  json.RawMessage `json:"result,omitempty"`
}

func init() {
	app.Register("demo", 1, demoEEGCommand)
	demo.AddSignal(eegdemo.Write)
}

func demoEEGCommand(a *app.App) *cobra.Command {
	dir := "rao-demo-eeg"
	cmd := &cobra.Command{
		Use:   "eeg",
		Short: "From embedded EEG recordings to decisions, step by step",
		Long: `Write three embedded recordings of a person who looks at flickering lights, and make a
decoder from them: compute covariances of trials, check them, compare methods on a
left-out recording, fit a model, and replay its decisions. Each step is a command that is
printed before it runs, so you can repeat and change it.

The recordings are from Kalunga and others (2016), at half the original sampling rate.`,
		Example: "  rao demo eeg --out rao-demo-eeg",
		Args:    app.NoArgs,
	}
	app.OutputFlag(cmd, &dir, "out", app.FolderOutput, "folder for the recordings and the results")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		start := time.Now()
		if err := app.MakeFolder(dir); err != nil {
			return err
		}
		recs, err := eegdemo.WriteRecordings(dir)
		if err != nil {
			return err
		}
		if !a.JSON {
			fmt.Fprintf(a.Out, "Three recordings of a person who looks at a light of 13, 17 or 21 Hz, or at none: %s, "+
				"%d channels, %g Hz.\n", filepath.Join(dir, "s*_raw.npy"), len(recs[0].Channels), recs[0].Rate)
		}
		d := demoEEG{App: a, result: demoEEGResult{Folder: dir}}
		for _, step := range eegdemo.Steps(dir) {
			if err := d.step(cmd.Context(), step); err != nil {
				return err
			}
		}
		d.result.Seconds = time.Since(start).Seconds()
		return a.Emit(&d.result, func() {
			fmt.Fprintf(a.Out, "\nDone in %s. To see it live, in two terminals:\n", text.Seconds(d.result.Seconds))
			fmt.Fprintf(a.Out, "  rao eeg play %s --rate 128 --publish s3 --local\n",
				shown(filepath.Join(dir, "s3_raw.npy")))
			fmt.Fprintf(a.Out, "  rao eeg stream --model %s --lsl \"type='EEG'\" --local\n",
				shown(filepath.Join(dir, "model.rao")))
		})
	}
	return cmd
}

type demoEEG struct {
	*app.App
	result demoEEGResult
}

// step prints a command and runs it. If the step names a file, the output goes to that file.
func (d *demoEEG) step(ctx context.Context, s eegdemo.Step) error {
	args, into := s.Args, s.Into
	var out bytes.Buffer
	line := "rao"
	for _, a := range args {
		line += " " + shown(a)
	}
	if into != "" {
		line += " > " + shown(into)
	}
	if !d.JSON {
		if s.Text != "" {
			fmt.Fprint(d.Out, "\n"+s.Text)
		}
		fmt.Fprintf(d.Out, "\n\n  $ %s\n\n", line)
	}
	sub := &app.App{In: strings.NewReader(""), Out: &out, Err: d.Err, Quiet: d.Quiet}
	if d.JSON {
		sub.Err = io.Discard
	}
	if d.JSON && into == "" {
		args = append(slices.Clone(args), "--json")
	}
	root := sub.Root()
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(sub.Err)
	if err := root.ExecuteContext(ctx); err != nil {
		return fmt.Errorf("%s: %w", line, err)
	}
	step := demoStep{Command: line}
	switch {
	case into != "":
		if err := archive.WriteBytes(into, out.Bytes()); err != nil {
			return err
		}
		if !d.JSON {
			d.indented(firstLines(out.String(), 8))
		}
	case d.JSON:
		step.Result = bytes.TrimSpace(out.Bytes())
	default:
		d.indented(out.String())
	}
	d.result.Steps = append(d.result.Steps, step)
	return nil
}

func (d *demoEEG) indented(text string) {
	for line := range strings.Lines(text) {
		fmt.Fprint(d.Out, "  "+line)
	}
}

// firstLines returns the first n lines of text, followed by a note if there are more.
func firstLines(text string, n int) string {
	lines := strings.SplitAfter(text, "\n")
	if len(lines) <= n+1 {
		return text
	}
	return strings.Join(lines[:n], "") + fmt.Sprintf("... and %d more\n", len(lines)-1-n)
}

// shown encloses an argument in single quotes if a shell would interpret it.
func shown(arg string) string {
	if strings.ContainsAny(arg, " \t'\"\\$&;()<>|?*[]{}") {
		return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	return arg
}
