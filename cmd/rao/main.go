// Command rao is supervised learning with the Fisher-Rao geometry from files: data go in; a
// model, an accuracy, a picture come out.
//
// The rules of the tool, which every verb keeps:
//
//   - Results go to standard output; progress and messages go to standard error.
//   - With --json, standard output is one JSON value and nothing else.
//   - Messages start in lower case, name the place and the remedy, and end
//     without a full stop.
//   - The exit status is 0; 1 when the work failed, with one line that says why
//     and what to try; 2 when the command line is wrong.
//   - An output file is written whole or not at all, is never an input, and
//     replaces only what rao wrote, unless --force is given.
//   - Ctrl-C, SIGTERM and the end of the terminal leave the old files and end the program
//     with exit status 130, 143 and 129; fit --keep-partial keeps the best model so far.
//   - A --log is written where it stays from the first sample on, and never replaced.
package main

import "os"

func init() {
	register(groupBegin, 1, demoCommand)
	register(groupBegin, 2, methodsCommand)
	register(groupBegin, 3, datasetCommand)
	register(groupLearn, 1, fitCommand)
	register(groupLearn, 2, compareCommand)
	register(groupLearn, 3, tuneCommand)
	register(groupLearn, 4, studyCommand)
	register(groupLearn, 5, updateCommand)
	register(groupLearn, 6, clusterCommand)
	register(groupLearn, 7, regressCommand)
	register(groupDecide, 1, predictCommand)
	register(groupDecide, 2, evaluateCommand)
	register(groupDecide, 3, transformCommand)
	register(groupDecide, 4, streamCommand)
	register(groupDecide, 5, serveCommand)
	register(groupDecide, 6, exportCommand)
	register(groupSee, 1, showCommand)
	register(groupSee, 2, plotCommand)
	register(groupSee, 3, embedCommand)
	register(groupSee, 4, verifyCommand)
	register(groupStatistics, 1, statsCommand)
	register(groupStatistics, 2, covCommand)
	register(groupStatistics, 3, cleanCommand)
	register(groupStatistics, 4, checkCommand)
	register(groupStatistics, 5, distanceCommand)
	register(groupStatistics, 6, meanCommand)
	register(groupStatistics, 7, manovaCommand)
	register(groupLive, 1, calibrateCommand)
	register(groupLive, 2, lslCommand)
	register(groupLive, 3, playCommand)
	register(groupProgram, 1, benchCommand)
	register(groupProgram, 2, reproduceCommand)
	register(groupProgram, 3, versionCommand)
	register(groupProgram, 4, workerCommand)
}

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
