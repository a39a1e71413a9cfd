// Package experiment repeats published results. Each table and figure of the SQFA and PLRSQ papers is a program, and so
// are the results of other methods' papers on the same data.
//
//	e, err := experiment.Lookup("sqfa-fig2")
//	res, err := e.Run(ctx, experiment.Run{Seed: 1})
//	err = res.Write("results") // csv, json, svg, pdf, png and a page
//
// IDs and items use the numbers of the papers. For SQFA these are the numbers in its third version. If the first
// version has other numbers, they are named too. Experiments that need external data name the sets, which rao data get
// downloads. Each experiment has a short form that is small enough for a test.
//
// # Adding an experiment
//
// Write its function in a file of its own and add a line to a list: list_sqfa.go for the SQFA paper, list_plrsq.go for
// the PLRSQ paper, list_beyond.go for our own studies. Studies of recordings are in internal/paper/eeg and call
// [Register]. All random numbers must come from Run.Seed. The function gets its settings from the [Run] and fills in
// the result:
//
//   - [Run.Table] and [Table.Add] are for numbers. A cell of type [Seconds] is a measured time, and a cell of
//     type [Printed] is a number from the paper; both are ignored when results are compared. It is an error if
//     all measured cells of a table are equal.
//   - [Run.Claim] is for everything that the paper says about this table or figure. It records the claim,
//     whether the claim holds here, and our numbers. [Claim.If] states what counts as holding, [Claim.Needs]
//     whether the run was large enough to decide, and [Claim.Because] gives a cause that was tested.
//   - [Run.Figure] is for the figure as the paper draws it.
//   - The read function of the experiment is for claims and intervals that follow from the tables alone. It
//     also applies to recorded results, without a new run. See [Result.Shown].
//   - [Run.Remark] is for anything else that the numbers show. Statements that do not depend on the numbers
//     belong in the Notes of the experiment.
//
// The page of an experiment shows its Protocol of at most 80 words, the tables, the claims and the remarks.
// The Notes contain the details that only somebody who repeats the experiment needs.
//
// If a grid needs more than about an hour on two cores, a full run covers a part of it that is fixed in advance and
// named in the protocol. Whole describes what the larger grid adds, and Run.Whole runs it.
// [Run.Resume] keeps the finished parts of a long run; such a run gets its numbers from [Run.Numbers] instead of
// eachOf.
//
// # Recording
//
//	rao paper run ID --record internal/paper/experiment/recorded
//	go generate ./internal/paper/experiment # docs/results-*.md
//
// The first command records a result in a file, and the second makes the pages from all records. A recorded result
// contains its command, commit, date and machine. Short runs and runs of code with uncommitted changes are not
// recorded. A canceled run has no result.
//
// If you change a protocol, increase its Version. The page then says that the record is from an earlier protocol, until
// the experiment is recorded again. After an intended change of numbers, go test ./internal/paper/experiment -run Short
// -update writes the golden files of the short runs.
package experiment
