package data

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"rao"
	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/memory"
	"rao/internal/statsarrays"
)

// kindFlags select the kind of statistics and the precision of the covariances.
type kindFlags struct {
	kind, precision string
}

func (f *kindFlags) add(cmd *cobra.Command) {
	app.TextVar(cmd.Flags(), &f.kind, "kind", "full|pooled|diagonal", "full",
		"covariances to store: one per class; one for all classes; only variances")
	precisionFlag(cmd, &f.precision)
}

func precisionFlag(cmd *cobra.Command, value *string) {
	app.TextVar(cmd.Flags(), value, "precision", "double|single", "double",
		"precision of the covariances: single has seven digits and needs a quarter of the space")
}

// check parses the flags and returns the kind, and whether the precision is single.
func (f *kindFlags) check(sub *subclassFlags, moments bool, least int) (gaussian.Structure, bool, error) {
	low := f.precision == "single"
	clusters := sub.cmd.Flags().Changed("subclasses")
	kind := gaussian.Structure(f.kind)
	kinds := []gaussian.Structure{statsarrays.Full, statsarrays.Pooled, statsarrays.Diagonal}
	switch {
	case !slices.Contains(kinds, kind):
		return "", false, &rao.UnknownError{Kind: "kind of statistics", Name: f.kind,
			Known: []string{"full", "pooled", "diagonal"}}
	case kind == statsarrays.Full:
		return kind, low, nil
	case sub.subspace > 0:
		return "", false, app.Usagef("--subspace stores the covariance of each class; leave out --kind %s", f.kind)
	case clusters:
		return "", false, app.Usagef("--subclasses stores the covariance of each component; leave out --kind "+
			"%s", f.kind)
	case moments:
		return "", false, app.Usagef("--moments works only with --kind full; leave it out")
	case least > 0:
		return "", false, app.Usagef("--min-count works only with --kind full; leave it out")
	case low:
		return "", false, app.Usagef("--precision does not work with --kind %s; leave it out", f.kind)
	}
	return kind, false, nil
}

// streamCompact reads the data once, in blocks, and returns pooled or diagonal statistics.
func streamCompact(ctx context.Context, a *app.App, data *app.DataFlags, kind gaussian.Structure) (*gaussian.Source,
	error) {
	in, err := openStream(ctx, a, data)
	if err != nil {
		return nil, err
	}
	defer in.close()
	s, err := dataset.CompactStatistics(ctx, in.spec, kind, dataset.StatisticsOptions{Open: in.opt,
		HashKey: a.Hashing.Secret(), NoHashes: a.Hashing.Off(),
		Begin: func(dim, classes int) error {
			f := memory.Summation(1, dim)
			f.Add(2*float64(classes)*float64(dim), fmt.Sprintf("the means of %d classes", classes),
				"use fewer columns (--drop)")
			return memory.Check("stats", f)
		},
		Rows: func(done int) { in.show.Send(rao.Event{Stage: "rows", Done: done}) }})
	return s, app.FromInput(err, in.given, in.spec)
}

// mergeCompact merges files of pooled statistics or files of diagonal statistics.
func mergeCompact(ctx context.Context, a *app.App, paths, names []string, doubts *doubtFlags) (*gaussian.Source,
	error) {
	first := statsarrays.FileForm(paths[0])
	for _, path := range paths[1:] {
		if k := statsarrays.FileForm(path); k != first {
			return nil, fmt.Errorf("%s contains %s statistics, but %s contains %s statistics; merge files of one "+
				"kind", path, k,
				paths[0],
				first)
		}
	}
	parts := make([]*gaussian.Source, len(paths))
	for i, path := range paths {
		var err error
		if parts[i], err = gaussian.OpenSource(path); err != nil {
			return nil, err
		}
	}
	s, err := gaussian.MergeSources(parts, doubts.confirmed()...)
	if err != nil {
		return nil, doubts.explain(err, paths)
	}
	var spreads classstats.Spreads
	for _, part := range parts {
		if err := spreads.AddSource(ctx, part); err != nil {
			return nil, err
		}
	}
	noteUnits(a, &spreads, names)
	return s, nil
}

// saveCompact writes pooled or diagonal statistics and prints a summary.
func saveCompact(ctx context.Context, a *app.App, s *gaussian.Source, out string, start time.Time,
	reveal *revealFlags) error {
	if err := reveal.check(s.Classes, s.Counts); err != nil {
		return err
	}
	s.Parts = a.Recorded(s.Parts)
	if err := gaussian.WriteSource(ctx, out, s, false); err != nil {
		return err
	}
	return emitStatistics(a, s.Classes, s.Counts, s.Dim, s.Parts, out, start)
}
