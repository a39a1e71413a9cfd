// Package paper runs the tables and figures of the SQFA and PLRSQ papers, and our own studies on the same data.
//
//	e, err := paper.Lookup("sqfa-fig2")
//	res, err := e.Run(ctx, paper.Run{Seed: 1})
//	err = res.Write("results") // csv, json, svg, pdf, png and a page
//
// IDs are the papers' own numbers: SQFA's of its third version. Those that need data from outside name the sets;
// rao data get brings them. Timings are in rao/internal/paper/bench, and studies of EEG recordings in rao/paper/eeg,
// which joins the list when a program imports it.
package paper

import (
	"io"

	"rao/paper/internal/experiment"
)

// Experiment is a table, a figure or a study: what it is, what data it needs, and how it runs.
type Experiment = experiment.Experiment

// Run says how an experiment runs: its seed, its size, and where finished parts are kept.
type Run = experiment.Run

// Result is what a run found: tables, figures, and what the paper claims next to what was measured.
type Result = experiment.Result

// List returns all experiments in the order of the papers.
func List() []*Experiment { return experiment.List() }

// Lookup returns the experiment of the given ID. For an unknown ID the error offers the nearest.
func Lookup(id string) (*Experiment, error) { return experiment.Lookup(id) }

// Pages are the pages of recorded results: sqfa, plrsq and beyond.
var Pages = experiment.Pages

// WritePage writes the recorded results of one of Pages in Markdown.
func WritePage(w io.Writer, page string) error { return experiment.Page(w, page) }
