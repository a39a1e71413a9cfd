// Package experiment repeats published results: each table and figure of the SQFA and PLRSQ papers is a
// program that runs. So is what the papers of other methods report on the same data.
//
//	e, err := experiment.Lookup("sqfa-fig2")
//	res, err := e.Run(ctx, experiment.Run{Seed: 1})
//	err = res.Write("results") // csv, json, svg, pdf, png and a page
//
// IDs and items are the papers' own numbers: SQFA's of its third version, with those
// of the first named where they differ. Those that need data from outside name the
// sets; rao data get brings them. A short form of each is small enough for a test.
//
// # Adding one
//
// Write its function in a file of its own and add a line to the list of its paper
// (list.go, list_plrsq.go). Nothing random may come from anywhere but Run.Seed. The
// function takes what it needs from the [Run] and fills the result:
//
//   - [Run.Table] and [Table.Add] for numbers. A cell of type [Seconds] is a measured
//     time and one of type [Printed] is the paper's own number: both are left out
//     where results are compared. A table whose measured cells are all the same number
//     is an error.
//   - [Run.Claim] for everything that the paper says of this table or figure: its
//     words, whether they hold here, and our numbers; [Claim.If] says what counts as
//     holding, [Claim.Needs] whether the run was large enough to decide, and
//     [Claim.Because] gives a cause that was tested.
//   - [Run.Figure] for the figure as the paper draws it.
//   - The experiment's read, for claims and intervals that follow from the tables alone: it
//     also speaks of a result that is recorded, without a new run. See [Result.Shown].
//   - [Run.Remark] for what else the numbers show. What holds whatever they are goes
//     to the experiment's Notes.
//
// Where the paper's entire grid takes more than about an hour on two cores, a full run
// is a part that is fixed beforehand and named in the protocol. Whole says what the entire
// grid has more, and Run.Whole runs it. [Run.Resume] keeps finished parts of a long run:
// get its numbers through numbers, not eachOf.
//
// # Recording
//
//	rao paper run ID --record paper/internal/experiment/recorded
//	go generate ./paper/internal/experiment # docs/results-*.md
//
// records one result a file and makes the page from all of them. A recorded result
// carries its command, commit, date and machine. Short runs and runs of code with changes
// that no commit holds are refused. A run that was canceled has no result at all. Raise
// Version when what is done changes: the page then says that the record is of an earlier
// protocol until the run is recorded again. After a change of numbers that is
// meant, go test ./paper/internal/experiment -run Short -update writes the golden files of the short
// runs.
package experiment
