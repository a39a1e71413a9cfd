package data

import (
	"slices"
	"time"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/optionvalues"
	"rao/internal/privacy"
	"rao/internal/statsarrays"
	"rao/internal/subclasses"
)

type mergeFlags struct {
	out, precision string
	doubts         doubtFlags
	least          int
	most           optionvalues.AutoCount
	reveal         revealFlags
	signers        signerFlags
}

func statsMergeCommand(a *app.App) *cobra.Command {
	var f mergeFlags
	cmd := &cobra.Command{
		Use:   "merge FILE FILE...",
		Short: "Merge the statistics of several parts",
		Long: `Merge the statistics of disjoint parts of a data set. The result equals the statistics of
one pass over all rows. Classes and columns are matched by name. Parts that rao wrote are
refused if they have common rows, which it finds by the row hashes in the files or by equal
counts and means. These cases need --confirm:

  - a file that rao did not write
  - counts above the number of rows of a file
  - columns that only some files name
  - class names that look like two encodings (0, 1 and no, yes)

A warning names the columns whose standard deviations differ between two files by more than
a factor of 1000, because their units may differ. It is not given for sub-classes.

Up to 64 files are merged in order, more files in groups of 64, then in groups of 64
results.

Sub-classes are merged by Ward's criterion, in a basis that the parts share. The order of
the files does not matter. Merge all files at once if you can, because merging in stages
may give other components. The file records the number of stages.

With --signed-by, only files signed with one of the keys are merged (rao stats sign).`,
		Example: `  rao stats merge site-a.npz site-b.npz --out all.npz
  rao stats merge site-a.npz site-b.npz --signed-by a.pub,b.pub --out all.npz`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return app.Usagef("give two statistics files or more")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := app.Required("out", f.out); err != nil {
				return err
			}
			if a.Hashing.Key() != "" {
				return app.Usagef("rao stats merge accepts only --hashes none, because it reads no rows")
			}
			if err := f.signers.read(); err != nil {
				return err
			}
			paths, done, err := f.signers.copies(args)
			if err != nil {
				return err
			}
			defer done()
			return renamed(f.merge(cmd, a, paths, args), paths, args)
		},
	}
	f.doubts.add(cmd)
	f.signers.add(cmd)
	a.HashesFlag(cmd, "none leaves out the row hashes, for a file to be shared")
	f.reveal.add(cmd)
	precisionFlag(cmd, &f.precision)
	subclassesFlag(cmd, &f.most, "maximum number of components per class, or auto: as in the parts")
	minCountFlag(cmd, &f.least)
	app.OutputFlag(cmd, &f.out, "out", app.StatisticsOutput, "statistics file to write")
	return cmd
}

// merge merges the files at paths. The paths may be temporary copies, so messages show names instead.
func (f *mergeFlags) merge(cmd *cobra.Command, a *app.App, paths, names []string) error {
	low := f.precision == "single"
	start := time.Now()
	if slices.ContainsFunc(paths, privacy.IsFile) {
		return mergePrivate(a, paths, f.out)
	}
	if slices.ContainsFunc(paths, subclasses.IsFile) {
		if f.least > 0 {
			return app.Usagef("--min-count is for statistics of classes, but these files contain sub-classes; leave " +
				"it out")
		}
		s, err := mergeSubclasses(paths, int(f.most), &f.doubts)
		if err != nil {
			return err
		}
		return saveSubclasses(a, s, f.out, low, start)
	}
	if cmd.Flags().Changed("subclasses") {
		return app.Usagef("--subclasses is for files of sub-classes, but these files contain none; leave it out")
	}
	if slices.ContainsFunc(paths, func(path string) bool { return statsarrays.FileForm(path) != statsarrays.Full }) {
		if f.least > 0 || low {
			return app.Usagef("--min-count and --precision are for full statistics, but these files are not full; " +
				"leave them out")
		}
		s, err := mergeCompact(cmd.Context(), a, paths, names, &f.doubts)
		if err != nil {
			return err
		}
		return saveCompact(cmd.Context(), a, s, f.out, start, &f.reveal)
	}
	var spreads classstats.Spreads
	s, err := gaussian.MergeInOrder(len(paths), func(i int) (*gaussian.Statistics, error) {
		s, err := a.ReadStatistics(cmd.Context(), paths[i])
		if err != nil {
			return nil, err
		}
		spreads.Add(s)
		s, left := classstats.WithoutSmall(s, f.least)
		return s, noteLeftOut(a, s, left, f.least, names[i])
	}, f.doubts.confirmed()...)
	if err != nil {
		return f.doubts.explain(err, paths)
	}
	noteUnits(a, &spreads, names)
	return saveStatistics(cmd.Context(), a, s, f.out, low, start, &f.reveal)
}

// noteUnits prints a note if columns of the files differ so much that their units probably differ.
func noteUnits(a *app.App, spreads *classstats.Spreads, names []string) {
	if differ := spreads.Differing(func(part int) string { return names[part] }); differ != "" {
		a.Note("%s", differ)
	}
}

// renamed replaces the paths of copies in an error with the names that the user gave.
func renamed(err error, copies, names []string) error {
	if err == nil || slices.Equal(copies, names) {
		return err
	}
	var pairs []string
	for i, path := range copies {
		pairs = append(pairs, path, names[i])
	}
	return app.Reworded(err, pairs...)
}
