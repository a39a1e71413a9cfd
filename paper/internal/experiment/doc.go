// Package experiment repeats published results. Each table and figure of the SQFA and PLRSQ papers is a program that
// runs. The same holds for what the papers of other methods report on the same data.
//
//	e, err := experiment.Lookup("sqfa-fig2")
//	res, err := e.Run(ctx, experiment.Run{Seed: 1})
//	err = res.Write("results") // csv, json, svg, pdf, png and a page
//
// IDs and items are the papers' own numbers. For SQFA these are the numbers of its third version; the numbers of the
// first version are named if they differ. Experiments that need external data name the sets, which rao data get
// downloads. Each experiment has a short form that is small enough for a test.
//
// # Adding one
//
// Write its function in a file of its own and add a line to the list of its paper (list.go, list_plrsq.go). All random
// numbers must come from Run.Seed. The function gets its settings from the [Run] and fills in the result:
//
//   - [Run.Table] and [Table.Add] are for numbers. A cell of type [Seconds] is a measured time and a cell of
//     type [Printed] is the paper's own number; both are ignored when results are compared. It is an error if
//     all measured cells of a table are the same number.
//   - [Run.Claim] is for everything that the paper says about this table or figure: what it says, whether it
//     holds here, and our numbers. [Claim.If] states what counts as holding, [Claim.Needs] whether the run was
//     large enough to decide, and [Claim.Because] gives a cause that was tested.
//   - [Run.Figure] is for the figure as the paper draws it.
//   - The experiment's read function is for claims and intervals that follow from the tables alone. It also
//     applies to recorded results, without a new run. See [Result.Shown].
//   - [Run.Remark] is for anything else that the numbers show. Statements that do not depend on the numbers
//     belong in the experiment's Notes.
//
// If the paper's full grid takes more than about an hour on two cores, a full run covers a part of it that is fixed
// beforehand and named in the protocol. Whole describes what the full grid adds, and Run.Whole runs it. [Run.Resume]
// keeps the finished parts of a long run; such a run gets its numbers from [Run.Numbers] instead of eachOf.
//
// # Recording
//
//	rao paper run ID --record paper/internal/experiment/recorded
//	go generate ./paper/internal/experiment # docs/results-*.md
//
// records each result in a file and makes the pages from all of them. A recorded result has its command, commit, date
// and machine. Short runs and runs of code with uncommitted changes are not recorded. A canceled run has no result.
// Increase Version when the protocol changes: the page then says that the record is from an earlier protocol until the
// run is recorded again. After an intended change of numbers, go test ./paper/internal/experiment -run Short -update
// writes the golden files of the short runs.
package experiment
