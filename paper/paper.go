// Package paper reproduces the tables and figures of the SQFA and PLRSQ papers, and runs our own studies on the same
// data.
//
//	e, err := paper.Lookup("sqfa-fig2")
//	res, err := e.Run(ctx, paper.Run{Seed: 1})
//	err = res.Write("results") // csv, json, svg, pdf, png and a page
//
// IDs use the numbers of tables and figures in the papers; for SQFA, the numbers in its third version. Experiments that
// need external data name the sets, which rao data get downloads. Timings are in rao/internal/paper/bench. Studies of
// EEG recordings are in rao/paper/eeg; List includes them if the program imports that package.
package paper

import (
	"io"

	"rao/internal/paper/experiment"
)

// Experiment is a table, a figure or a study, with its description, the data that it needs, and the function that runs
// it.
type Experiment = experiment.Experiment

// Run contains the settings of a run: its seed, its size, and the folder for finished parts.
type Run = experiment.Run

// Result is the outcome of a run: tables, figures, and the claims of the paper next to our measurements.
type Result = experiment.Result

// List returns all experiments in the order of the papers.
func List() []*Experiment { return experiment.List() }

// Lookup returns the experiment with the given ID. If the ID is unknown, the error suggests similar IDs.
func Lookup(id string) (*Experiment, error) { return experiment.Lookup(id) }

// Pages are the names of the pages of recorded results.
var Pages = experiment.Pages

// WritePage writes a page of recorded results in Markdown. page is one of [Pages].
func WritePage(w io.Writer, page string) error { return experiment.Page(w, page) }
