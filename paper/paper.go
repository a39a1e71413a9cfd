// Package paper reproduces the tables and figures of the SQFA and PLRSQ papers, and runs our own studies on the same
// data.
//
//	e, err := paper.Lookup("sqfa-fig2")
//	res, err := e.Run(ctx, paper.Run{Seed: 1})
//	err = res.Write("results") // csv, json, svg, pdf, png and a page
//
// IDs are the papers' own numbers; for SQFA they are the numbers of its third version. Experiments that need external
// data name the sets, which rao data get downloads. Timings are in rao/internal/paper/bench. Studies of EEG recordings
// are in rao/paper/eeg and join the list when a program imports it.
package paper

import (
	"io"

	"rao/paper/internal/experiment"
)

// Experiment is a table, a figure or a study: its description, the data it needs, and how it runs.
type Experiment = experiment.Experiment

// Run has the settings of a run: its seed, its size, and where finished parts are kept.
type Run = experiment.Run

// Result is what a run found: tables, figures, and the claims of the paper next to what was measured.
type Result = experiment.Result

// List returns all experiments in the order of the papers.
func List() []*Experiment { return experiment.List() }

// Lookup returns the experiment with the given ID. For an unknown ID the error suggests the nearest ones.
func Lookup(id string) (*Experiment, error) { return experiment.Lookup(id) }

// Pages are the names of the pages of recorded results.
var Pages = experiment.Pages

// WritePage writes the recorded results of one of [Pages] in Markdown.
func WritePage(w io.Writer, page string) error { return experiment.Page(w, page) }
