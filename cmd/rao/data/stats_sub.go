package data

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/gaussian"
	"rao/internal/optionvalues"
	"rao/internal/subclasses"
	"rao/internal/subclassrows"
	"rao/internal/text"
)

type subclassFlags struct {
	given      bool // --subclasses or --subspace was given
	subspace   int
	most       optionvalues.AutoCount
	basis      string
	components int
	seed       int
	cmd        *cobra.Command
}

func (f *subclassFlags) add(cmd *cobra.Command) {
	f.cmd = cmd
	subclassesFlag(cmd, &f.most, "maximum number of Gaussians per class, or auto: one for every 50 rows, up to 16")
	app.TextVar(cmd.Flags(), &f.basis, "basis", "FILE", "",
		"file with the principal components that sites share (rao stats basis)")
	componentsFlag(cmd, &f.components)
	app.CountFlag(cmd.Flags(), &f.subspace, "subspace", 0, 0, 100000,
		"dimensions to keep, half of them principal components, half discriminants; 0 keeps all")
	app.CountFlag(cmd.Flags(), &f.seed, "seed", 1, 0, 1<<30, "seed of the clustering")
}

func subclassesFlag(cmd *cobra.Command, value *optionvalues.AutoCount, usage string) {
	app.ParsedVar(cmd.Flags(), value, "subclasses", "count|auto", usage)
}

func componentsFlag(cmd *cobra.Command, value *int) {
	app.CountFlag(cmd.Flags(), value, "components", subclasses.DefaultComponents, 1, 100000,
		"number of principal components to keep, or all if there are fewer")
}

// check returns a usage error for flags that would have no effect.
func (f *subclassFlags) check() error {
	changed := f.cmd.Flags().Changed
	f.given = changed("subclasses") || f.subspace > 0
	switch {
	case f.subspace == 0:
	case changed("subclasses"):
		return app.Usagef("give either --subspace, which stores one Gaussian per class, or --subclasses")
	case f.basis != "" || changed("components"):
		return app.Usagef("--subspace computes its own basis; leave out --basis and --components, or use " +
			"--subclasses 1 --basis")
	default:
		f.most = 1
	}
	for _, name := range []string{"basis", "components", "seed"} {
		if changed(name) && !f.given {
			return app.Usagef("--%s needs --subclasses", name)
		}
	}
	if f.basis != "" && changed("components") {
		return app.Usagef("give either --basis or --components; a basis already has a number of components")
	}
	return nil
}

// streamSubclasses reads the data twice, in blocks, and returns sub-class statistics.
func streamSubclasses(ctx context.Context, a *app.App, data *app.DataFlags, f *subclassFlags) (*subclasses.Statistics,
	error) {
	opt := subclasses.Options{Most: int(f.most), Components: f.components, Subspace: f.subspace,
		Seed: uint64(f.seed)}
	if f.basis != "" {
		var err error
		if opt.Basis, err = subclasses.ReadBasis(f.basis); err != nil {
			return nil, err
		}
	}
	in, err := openStream(ctx, a, data)
	if err != nil {
		return nil, err
	}
	defer in.close()
	s, err := subclassrows.Estimate(ctx, in.spec, in.opt, subclassrows.Options{Of: opt, Hashing: a.Hashing,
		Rows: in.rows})
	return s, app.FromInput(err, in.given, in.spec)
}

func mergeSubclasses(paths []string, most int, doubts *doubtFlags) (*subclasses.Statistics, error) {
	parts := make([]*subclasses.Statistics, len(paths))
	for i, path := range paths {
		if !subclasses.IsFile(path) {
			return nil, fmt.Errorf("%s contains no sub-classes, but another file does; make all files with "+
				"--subclasses, or none", path)
		}
		var err error
		if parts[i], err = subclasses.Read(path); err != nil {
			return nil, err
		}
	}
	s, err := subclasses.Merge(most, doubts.confirmed(), parts...)
	return s, doubts.explain(err, paths)
}

// subclassesResult is the JSON output of rao stats for sub-classes. The names in the JSON are stable.
type subclassesResult struct {
	statsResult
	Components []int `json:"components"` // number of sub-classes of each class
	Columns    int   `json:"columns"`    // number of columns of the data
	Sites      int   `json:"sites"`
	Stages     int   `json:"stages"`
}

func saveSubclasses(a *app.App, s *subclasses.Statistics, out string, low bool, start time.Time) error {
	s.Parts = a.Recorded(s.Parts)
	write := s.WriteFile
	if low {
		write = s.WriteFileSingle
	}
	if err := write(out); err != nil {
		return err
	}
	warnSpanned(a, s.Components.Classes, s.Components.Counts, s.Components.Dim, "dimensions")
	for _, p := range s.Parts {
		a.SawPart("part", p)
	}
	n, d := s.Basis.Dims()
	c := s.NumClasses()
	r := subclassesResult{statsResult{s.Classes, make([]int, c), d, out, time.Since(start).Seconds()},
		make([]int, c), n, s.Sites, s.Stages}
	for k, i := range s.Of {
		r.Counts[i] += s.Components.Counts[k]
		r.Components[i]++
	}
	return a.Emit(r, func() {
		rows := make([][]string, c)
		for i := range rows {
			rows[i] = []string{text.Cell(s.Classes[i]), fmt.Sprint(r.Counts[i]), fmt.Sprint(r.Components[i])}
		}
		a.Table([]string{"class", "count", "components"}, rows)
		a.Note("%d of %d dimensions, %s, %s, written to %s", d, n, s.History(), text.Seconds(r.Seconds), out)
	})
}

// basisResult is the JSON output of rao stats basis. The names in the JSON are stable.
type basisResult struct {
	Columns    int     `json:"columns"`
	Components int     `json:"components"`
	Variance   float64 `json:"variance"` // fraction of the total variance that the basis explains
	Out        string  `json:"out"`
}

func statsBasisCommand(a *app.App) *cobra.Command {
	var data app.DataFlags
	var stats, out string
	var components int
	cmd := &cobra.Command{
		Use:   "basis",
		Short: "Compute the principal components that several sites share for sub-classes",
		Long: `Write the leading principal components of labeled vectors or of statistics, for example
the merged statistics of several sites, or public data. Each site then computes its
sub-classes with them (rao stats --subclasses --basis). Only files with the same
components can be merged.`,
		Example: `  rao stats merge site-a.npz site-b.npz --out all.npz
  rao stats basis --stats all.npz --out basis.npz
  rao stats --data a.npz --subclasses 16 --basis basis.npz --out sub-a.npz`,
		Args: app.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := app.Required("out", out); err != nil {
				return err
			}
			if (stats == "") == (data.Spec == "") {
				return app.Usagef("give either --data or --stats")
			}
			var s *gaussian.Statistics
			var err error
			if stats != "" {
				s, err = gaussian.ReadFile(stats)
			} else {
				s, err = streamStatistics(cmd.Context(), a, &data, dataset.StatisticsOptions{})
			}
			if err != nil {
				return err
			}
			b, err := subclasses.BasisOf(s, components)
			if err != nil {
				return err
			}
			if err := b.WriteFile(out); err != nil {
				return err
			}
			r := basisResult{Out: out}
			r.Columns, r.Components = b.Dims()
			for _, v := range b.Variances {
				r.Variance += v / b.Variance
			}
			return a.Emit(r, func() {
				a.Note("%d components of %d columns with %s of the variance, written to %s",
					r.Components, r.Columns, text.Percent(r.Variance), out)
			})
		},
	}
	data.Add(cmd, "data", "labeled vectors")
	app.TextVar(cmd.Flags(), &stats, "stats", "FILE", "", "statistics file that rao stats wrote, instead of data")
	componentsFlag(cmd, &components)
	app.OutputFlag(cmd, &out, "out", app.BasisOutput, "basis file to write")
	return cmd
}
