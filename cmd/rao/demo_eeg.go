package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rao/eeg"
	"rao/internal/format/archive"
	"rao/internal/format/npy"
	"rao/sets"
)

// demoEEGResult is the JSON of the demo: each command with what it printed.
type demoEEGResult struct {
	Steps   []demoStep `json:"steps"`
	Folder  string     `json:"folder"`
	Seconds float64    `json:"seconds"`
}

type demoStep struct {
	Command string          `json:"command"`
	Result  json.RawMessage `json:"result,omitempty"`
}

func demoEEGCommand(a *app) *cobra.Command {
	dir := "rao-demo-eeg"
	cmd := &cobra.Command{
		Use:   "eeg",
		Short: "From embedded EEG recordings to decisions, step by step",
		Long: `Write three embedded recordings of a person who looks at flickering lights, and go from
them to a decoder: covariances of trials, a check, methods compared on the recording that
was left out, a model, and its decisions as the signal comes. Each step is a command that
is printed before it runs, and that you can type and change.

The recordings are of Kalunga and others (2016), at half their rate.`,
		Example: "  rao demo eeg --out rao-demo-eeg",
		Args:    noArgs,
	}
	outputFlag(cmd, &dir, "out", folderOutput, "folder for the recordings and what is made of them")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		start := time.Now()
		if err := makeFolder(dir); err != nil {
			return err
		}
		d := demoEEG{app: a, dir: dir, result: demoEEGResult{Folder: dir}}
		if err := d.recordings(); err != nil {
			return err
		}
		if err := d.run(cmd.Context()); err != nil {
			return err
		}
		d.result.Seconds = time.Since(start).Seconds()
		return a.emit(&d.result, func() {
			fmt.Fprintf(a.out, "\nDone in %s. To see it live, in two terminals:\n", seconds(d.result.Seconds))
			fmt.Fprintf(a.out, "  rao play %s --rate 128 --lsl --local\n", shown(d.path("s3_raw.npy")))
			fmt.Fprintf(a.out, "  rao stream --model %s --lsl \"type='EEG'\" --local\n", shown(d.path("model.rao")))
		})
	}
	return cmd
}

// demoEEG runs the steps of the demo.
type demoEEG struct {
	*app
	dir    string
	result demoEEGResult
}

func (d *demoEEG) path(name string) string { return filepath.Join(d.dir, name) }

// recordings writes the recordings as rao cov eeg reads them.
func (d *demoEEG) recordings() error {
	recs, err := sets.SSVEP()
	if err != nil {
		return err
	}
	for i, rec := range recs {
		name := d.path(fmt.Sprintf("s%d", i+1))
		signal := func(w io.Writer) error { return writeSignal(w, rec) }
		events := func(w io.Writer) error { return writeEvents(w, rec.Events) }
		if err := cmp.Or(archive.WriteFile(name+"_raw.npy", signal),
			archive.WriteFile(name+"_events.csv", events)); err != nil {
			return err
		}
	}
	if !d.json {
		fmt.Fprintf(d.out, "Three recordings of a person who looks at a light of 13, 17 or 21 Hz, or at none: %s, "+
			"%d channels, %g Hz.\n", d.path("s*_raw.npy"), len(recs[0].Channels), recs[0].Rate)
	}
	return nil
}

func writeSignal(w io.Writer, rec *eeg.Recording) error {
	n, channels := rec.Samples(), len(rec.Channels)
	data := make([]float64, n*channels)
	if err := rec.Read(data, 0, n); err != nil {
		return err
	}
	f, err := npy.NewFloats32(w, n, channels)
	if err != nil {
		return err
	}
	if err := f.Write(data); err != nil {
		return err
	}
	return f.Close()
}

func writeEvents(w io.Writer, events []eeg.Event) error {
	var b strings.Builder
	b.WriteString("sample,code\n")
	for _, e := range events {
		fmt.Fprintf(&b, "%d,%d\n", e.Sample, e.Code)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// run goes from the recordings to decisions.
func (d *demoEEG) run(ctx context.Context) error {
	trials := func(out string, recs ...string) []string {
		args := []string{"cov", "eeg"}
		for _, r := range recs {
			args = append(args, d.path(r))
		}
		return append(args, "--rate", "128", "--classes", "rest=33024,13Hz=33025,21Hz=33026,17Hz=33027", "--anchor",
			"32779", "--start", "2", "--stop", "5", "--bands", "12.5-13.5,16.5-17.5,20.5-21.5", "--estimator", "oas",
			"--causal", "--out", d.path(out))
	}
	for _, step := range []struct {
		words string
		args  []string
		into  string
	}{
		{"The covariance of each trial in three bands. Two recordings to learn from:",
			trials("train.npz", "s1_raw.npy", "s2_raw.npy"), ""},
		{"And the third, which is left out:", trials("test.npz", "s3_raw.npy"), ""},
		{"Are the matrices sound?", []string{"check", "--data", d.path("train.npz")}, ""},
		{"Four methods, scored on the recording left out (chance is 25 %):", []string{"compare", "--train",
			d.path("train.npz"), "--test", d.path("test.npz"), "--methods", "mdm,tslda,enuc,plrsq", "--html",
			d.path("compare.html")}, ""},
		{"A model, and its pictures:", []string{"fit", "mdm", "--data", d.path("train.npz"), "--out",
			d.path("model.rao")}, ""},
		{"", []string{"plot", "--model", d.path("model.rao"), "--data", d.path("test.npz"), "--out",
			d.path("figs"), "--format", "svg"}, ""},
		{"Decisions as the signal of the recording left out comes, one a second:", []string{"stream", "--model",
			d.path("model.rao"), "--recording", d.path("s3_raw.npy"), "--step", "1"}, d.path("decisions.txt")},
	} {
		if err := d.step(ctx, step.words, step.args, step.into); err != nil {
			return err
		}
	}
	return nil
}

// step prints a command and runs it, its output into a file where one is named.
func (d *demoEEG) step(ctx context.Context, words string, args []string, into string) error {
	var out bytes.Buffer
	line := "rao"
	for _, a := range args {
		line += " " + shown(a)
	}
	if into != "" {
		line += " > " + shown(into)
	}
	if !d.json {
		if words != "" {
			words = "\n" + words
		}
		fmt.Fprintf(d.out, "%s\n\n  $ %s\n\n", words, line)
	}
	sub := &app{in: strings.NewReader(""), out: &out, err: d.err, quiet: d.quiet}
	if d.json {
		sub.err = io.Discard
	}
	if d.json && into == "" {
		args = append(slices.Clone(args), "--json")
	}
	root := sub.root()
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(sub.err)
	if err := root.ExecuteContext(ctx); err != nil {
		return fmt.Errorf("%s: %w", line, err)
	}
	step := demoStep{Command: line}
	switch {
	case into != "":
		if err := archive.WriteFile(into, func(w io.Writer) error {
			_, err := w.Write(out.Bytes())
			return err
		}); err != nil {
			return err
		}
		if !d.json {
			d.indented(firstLines(out.String(), 8))
		}
	case d.json:
		step.Result = bytes.TrimSpace(out.Bytes())
	default:
		d.indented(out.String())
	}
	d.result.Steps = append(d.result.Steps, step)
	return nil
}

func (d *demoEEG) indented(text string) {
	for line := range strings.Lines(text) {
		fmt.Fprint(d.out, "  "+line)
	}
}

// firstLines returns the first n lines, and says that there are more.
func firstLines(text string, n int) string {
	lines := strings.SplitAfter(text, "\n")
	if len(lines) <= n+1 {
		return text
	}
	return strings.Join(lines[:n], "") + fmt.Sprintf("... and %d more\n", len(lines)-1-n)
}

// shown is an argument as a shell takes it.
func shown(arg string) string {
	if strings.ContainsAny(arg, " \t'\"\\$&;()<>|?*[]{}") {
		return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	return arg
}
