package data

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rao"
	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/gaussian"
	"rao/internal/memory"
	"rao/internal/provenance"
	"rao/internal/statsarrays"
	"rao/internal/text"
)

type statsResult struct {
	Classes []string `json:"classes"`
	Counts  []int    `json:"counts"`
	Dim     int      `json:"dim"`
	Out     string   `json:"out"`
	Seconds float64  `json:"seconds"`
}

func statsCommand(a *app.App) *cobra.Command {
	var data app.DataFlags
	var sub subclassFlags
	var kinds kindFlags
	var out string
	var moments bool
	var least int
	var reveal revealFlags
	var private privateFlags
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Compute the count, mean and covariance of each class",
		Long: `Write the count, mean and covariance of each class to a small file. SQFA, PCA, LDA and
QDA can learn from this file instead of the rows. The data are read once, in blocks, and
may be larger than memory. rao stats merge combines the files of several parts or sites.

The file does not hide the rows: rows of small classes can be reconstructed from it. With
--private, noise hides whether any single row was used, so you can share the file.

These options change what is stored:

  --kind pooled    one covariance for all classes
  --kind diagonal  only the variances of each class
  --subspace       covariances in a few dimensions, for many columns
  --subclasses     clusters of each class, found in a second pass`,
		Example: `  rao stats --data train.npz --out train-stats.npz
  rao stats merge site-a.npz site-b.npz --out all.npz
  rao fit sqfa --stats all.npz --out model.rao
  rao stats --data train.npz --private 1,1e-6 --range 0,255 --classes 0-9 \
      --out shared.npz`,
		Args: app.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := app.Required("out", out); err != nil {
				return err
			}
			if asked, err := private.check(); asked || err != nil {
				if err != nil {
					return err
				}
				if err := withoutTable(cmd, "--private", "categories", "keep", "id-column"); err != nil {
					return err
				}
				opt, err := private.options(kinds.kind, sub.subspace, sub.basis)
				if err != nil {
					return err
				}
				return private.publish(cmd.Context(), a, &data, opt, out)
			}
			kind, low, err := kinds.check(&sub, moments, least)
			if err != nil {
				return err
			}
			if err := sub.check(); err != nil {
				return err
			}
			start := time.Now()
			if sub.given && least > 0 {
				return app.Usagef("--min-count cannot be used with --subclasses or --subspace; leave it out")
			}
			if sub.given {
				if err := withoutTable(cmd, "--subclasses or --subspace", "categories", "missing", "keep",
					"id-column"); err != nil {
					return err
				}
				s, err := streamSubclasses(cmd.Context(), a, &data, &sub)
				if err != nil {
					return err
				}
				return saveSubclasses(a, s, out, low, start)
			}
			if kind != statsarrays.Full {
				s, err := streamCompact(cmd.Context(), a, &data, kind)
				if err != nil {
					return err
				}
				return saveCompact(cmd.Context(), a, s, out, start, &reveal)
			}
			s, err := streamStatistics(cmd.Context(), a, &data, dataset.StatisticsOptions{Moments: moments,
				MinCount: least})
			if err != nil {
				return err
			}
			return saveStatistics(cmd.Context(), a, s, out, low, start, &reveal)
		},
	}
	data.AddLearning(cmd, "data", "labeled vectors")
	data.AddSpan(cmd)
	data.AddWeights(cmd)
	sub.add(cmd)
	kinds.add(cmd)
	cmd.Flags().BoolVar(&moments, "moments", false,
		"also collect the third and fourth moments, which the shrinkage ledoit_wolf needs")
	minCountFlag(cmd, &least)
	a.HashesFlag(cmd, app.HashesOut)
	reveal.add(cmd)
	private.add(cmd)
	app.OutputFlag(cmd, &out, "out", app.StatisticsOutput, "statistics file to write")
	cmd.AddCommand(statsMergeCommand(a), statsBasisCommand(a), statsSignCommand(a))
	return cmd
}

// withoutTable returns a usage error if --weight-column, or a flag that turns a table into observations, is given for a
// kind of file that cannot store the setting. with names the kind.
func withoutTable(cmd *cobra.Command, with string, flags ...string) error {
	if cmd.Flags().Changed("weight-column") {
		return app.Usagef("--weight-column: statistics with %s count every row once; leave it out", with)
	}
	for _, name := range flags {
		if cmd.Flags().Changed(name) {
			return app.Usagef("--%s: statistics with %s do not record how a table was read; leave it out", name, with)
		}
	}
	return nil
}

func saveStatistics(ctx context.Context, a *app.App, s *gaussian.Statistics, out string, low bool, start time.Time,
	reveal *revealFlags) error {
	if err := reveal.check(s.Classes, s.Counts); err != nil {
		return err
	}
	warnSpanned(a, s.Classes, s.Counts, s.Dim, "columns")
	s.Parts = a.Recorded(s.Parts)
	var err error
	if low {
		err = gaussian.WriteSource(ctx, out, s.Source(), true)
	} else {
		err = s.WriteFile(out)
	}
	if err != nil {
		return err
	}
	return emitStatistics(a, s.Classes, s.Counts, s.Dim, s.Parts, out, start)
}

func emitStatistics(a *app.App, classes []string, counts []int, dim int, parts []provenance.Part, out string,
	start time.Time) error {
	for _, p := range parts {
		a.SawPart("part", p)
	}
	r := statsResult{Classes: classes, Counts: counts, Dim: dim, Out: out, Seconds: time.Since(start).Seconds()}
	return a.Emit(r, func() {
		rows := make([][]string, len(counts))
		for i := range rows {
			rows[i] = []string{text.Cell(classes[i]), fmt.Sprint(counts[i])}
		}
		a.Table([]string{"class", "count"}, rows)
		a.Note("%s, %s, written to %s", text.Plural(dim, "dimension", "dimensions"), text.Seconds(r.Seconds), out)
	})
}

// streamStatistics reads the data once, in blocks, and returns the statistics of each class.
func streamStatistics(ctx context.Context, a *app.App, data *app.DataFlags,
	opt dataset.StatisticsOptions) (*gaussian.Statistics, error) {
	in, err := openStream(ctx, a, data)
	if err != nil {
		return nil, err
	}
	defer in.close()
	opt.Open, opt.Rows = in.opt, in.rows
	opt.HashKey, opt.NoHashes = a.Hashing.Secret(), a.Hashing.Off()
	opt.Begin = func(dim, classes int) error { return memory.Check("stats", memory.Summation(classes, dim)) }
	var left []string
	opt.Left = func(names []string) { left = names }
	s, err := dataset.Statistics(ctx, in.spec, opt)
	if err != nil {
		return nil, app.FromInput(err, in.given, in.spec)
	}
	return s, noteLeftOut(a, s, left, opt.MinCount, in.given)
}

func minCountFlag(cmd *cobra.Command, least *int) {
	app.CountFlag(cmd.Flags(), least, "min-count", 0, 0, 1<<30,
		"leave out classes with fewer rows than this")
}

// noteLeftOut prints which classes were removed. It returns an error if no class remains.
func noteLeftOut(a *app.App, s *gaussian.Statistics, left []string, least int, source string) error {
	if len(left) > 0 {
		a.Note("%s: left out classes with fewer than %s: %s", source, text.Plural(least, "row", "rows"),
			strings.Join(left, ", "))
	}
	if s.NumClasses() == 0 {
		return fmt.Errorf("%s: no class has at least %s; lower --min-count", source,
			text.Plural(least, "row", "rows"))
	}
	return nil
}

// blockReader reads data one block at a time. The data can be read several times.
type blockReader struct {
	given, spec string
	opt         dataset.OpenOptions
	show        rao.Progress
	close       func()
}

// openStream prepares to read labeled vectors in blocks. Standard input is copied to a temporary file, which close
// removes.
func openStream(ctx context.Context, a *app.App, data *app.DataFlags) (*blockReader, error) {
	s := &blockReader{given: data.Spec}
	var remove, done func()
	var err error
	if s.spec, s.opt, remove, err = data.Source(ctx, a, "data", true); err != nil {
		return nil, err
	}
	s.show, done = a.Progress("rao stats")
	s.close = func() { done(); remove() }
	return s, nil
}

// rows shows the number of rows read so far.
func (s *blockReader) rows(done int) { s.show.Send(rao.Event{Stage: "rows", Done: done}) }
