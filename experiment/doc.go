// Package experiment holds each table and figure of the SQFA and PLRSQ papers, and
// what papers of the methods compared with report on the same data, as a program that
// runs.
//
//	e, err := experiment.Lookup("sqfa-fig2")
//	res, err := e.Run(ctx, experiment.Run{Seed: 1})
//	err = res.Write("results") // csv, json, svg, png and a page
//
// An experiment states its protocol, its seed and its time beside its numbers, sets
// the paper's values or orderings beside ours where the paper prints them, and
// remarks where they differ and why. Those that need data from outside name the sets;
// rao dataset get brings them. A short form of each is small enough for a test.
//
// # Adding one
//
// Write its function in a file of its own, taking what it needs from the [Run] and
// putting tables, figures and remarks into it, and add a line to the list of its
// paper. Nothing random may come from anywhere but Run.Seed.
package experiment
