package experiment

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"rao/internal/linalg/cpu"
	"rao/internal/text"
)

// Build returns the commit of the running program, and whether the code had uncommitted changes, as recorded by the Go
// tool. commit is empty if the build does not record it.
func Build() (commit string, modified bool) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", false
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	return commit, modified
}

// begin returns the result of a run with its provenance filled in.
func (e *Experiment) begin(r Run, start time.Time) *Result {
	res := &Result{ID: e.ID, Paper: e.Paper, Item: e.Item, Title: e.Title, Protocol: e.Protocol,
		Version: e.Version, Form: "full",
		Seed:    r.Seed,
		Command: fmt.Sprintf("rao paper run %s --seed %d", e.ID, r.Seed),
		Commit:  r.Commit, Date: start.UTC().Format("2006-01-02 15:04"),
		Machine: fmt.Sprintf("%s/%s, %s", runtime.GOOS, runtime.GOARCH,
			text.Plural(runtime.GOMAXPROCS(0), "processor", "processors")),
		Kernel: cpu.Use().String()}
	if r.Commit == "" {
		res.Commit, res.Modified = Build()
	}
	switch {
	case r.Short:
		res.Form = "short"
	case r.Whole:
		res.Form = "whole"
	}
	if res.Form != "full" {
		res.Command += " --" + res.Form
	}
	return res
}

// Made describes how the result was made: command, commit, date, time and machine.
func (r *Result) Made() string {
	commit := "a commit that is not known"
	if r.Commit != "" {
		commit = "commit " + r.Commit[:min(len(r.Commit), 12)]
	}
	if r.Modified {
		commit += " with uncommitted changes"
	}
	form := "A full run"
	switch r.Form {
	case "short":
		form = "A short run, with fewer repetitions or less data than a full run"
	case "whole":
		form = "A run of the paper's entire grid"
	}
	sitting := ""
	if r.Resumed {
		sitting = " in the last of several runs"
	}
	return fmt.Sprintf("%s: `%s`, %s, %s UTC, %.0f s%s on %s, kernel %s.",
		form, r.Command, commit, r.Date, r.Seconds, sitting, r.Machine, r.Kernel)
}
