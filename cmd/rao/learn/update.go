package learn

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/gaussian"
	"rao/internal/datapart"
	"rao/internal/privacy"
	"rao/internal/provenance"
	"rao/internal/text"
	"rao/method"
	"rao/model"
)

// updateResult is the JSON output of rao update. The names in the JSON are stable.
type updateResult struct {
	Method  string   `json:"method"`
	N       int      `json:"n"` // number of new observations
	Classes []string `json:"classes"`
	Counts  []int    `json:"counts"` // number of observations of each class that the model has learned from
	Out     string   `json:"out"`
}

type updateFlags struct {
	data       app.DataFlags
	stats, out string
	add, allow bool
	public     bool // accept that a private model may lose its guarantee
}

func updateCommand(a *app.App) *cobra.Command {
	var f updateFlags
	cmd := &cobra.Command{
		Use:   "update",
		Short: "Update a model with new labeled observations",
		Long: `Update a model with new labeled observations and save it under another
name. The old model file does not change. For each new observation, prototypes (plrsq and
related methods) move by a bounded step, class means (mdm) move towards the observation
by its share of the observations, and nearest neighbors (knn) store the observation. The
stages before the classifier do not change. Other methods need a new fit.

--add-classes learns new classes from --data, and --stats learns them from a statistics
file. qda gets a Gaussian for each new class, and knn stores its observations. The filters
do not change.`,
		Example: `  rao update --model monday.rao --data tuesday.npz --out tuesday.rao
  rao update --model ten.rao --stats eleventh.npz --out eleven.rao`,
		Args: app.NoArgs,
	}
	path := app.ModelFlag(cmd)
	f.data.Add(cmd, "data", "new labeled data of the shape the model was fitted to")
	app.TextVar(cmd.Flags(), &f.stats, "stats", "FILE", "",
		"statistics file of classes that the model does not know, instead of data")
	cmd.Flags().BoolVar(&f.add, "add-classes", false,
		"learn classes that the model does not know")
	cmd.Flags().BoolVar(&f.public, "not-private", false,
		"give up the privacy guarantee of a model fitted to private statistics")
	app.AllowOverlap(cmd, &f.allow)
	a.HashesFlag(cmd, app.HashesIn)
	app.OutputFlag(cmd, &f.out, "out", app.ModelOutput, "model file to write")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.stats != "" && (f.data.Spec != "" || f.add) {
			return app.Usagef("--stats adds new classes and replaces --data; give only one of them")
		}
		f.data.Optional = f.stats != ""
		m, err := a.ModelFor(cmd.Context(), *path, &f.data, &f.out)
		if err != nil {
			return err
		}
		public := false
		if g := m.Training.Privacy; g != nil && (f.stats == "" || !privacy.IsFile(f.stats)) {
			if !f.public {
				return fmt.Errorf("%s is private (ε %.4g at δ %g for each %s), and learning from more rows would "+
					"break that guarantee; fit a model to private statistics, or give up the guarantee with "+
					"--not-private", *path, g.Epsilon, g.Delta, (*privacy.Guarantee)(g).Protects())
			}
			m.Training.Privacy = nil
			public = true
		}
		updated, n, err := update(cmd.Context(), a, m, &f)
		if err != nil {
			return err
		}
		if err := updated.Save(f.out); err != nil {
			return err
		}
		if public {
			a.Note("%s no longer has a privacy guarantee", f.out)
		}
		r := updateResult{updated.Method, n, updated.Classes, updated.Training.Counts, f.out}
		return a.Emit(r, func() {
			fmt.Fprintf(a.Out, "%s: learned from %s", r.Method, text.Plural(r.N, "observation", "observations"))
			if k := len(r.Classes) - len(m.Classes); k > 0 {
				fmt.Fprintf(a.Out, ", %s added", text.Plural(k, "class", "classes"))
			}
			fmt.Fprintf(a.Out, "; written to %s\n", r.Out)
		})
	}
	return cmd
}

// update returns the updated model and the number of new observations.
func update(ctx context.Context, a *app.App, m *model.Model, f *updateFlags) (updated *model.Model, n int, err error) {
	if f.stats != "" {
		return updateFrom(ctx, a, m, f)
	}
	d, err := f.data.Open(ctx, a, "data", true)
	if err != nil {
		return nil, 0, err
	}
	if f.add {
		updated, err = m.AddClasses(ctx, model.Extension{Batch: model.BatchOf(d), Labels: d.Labels, Classes: d.Classes})
	} else {
		var labels []int
		if labels, err = method.MatchLabels(m.Classes, d); err != nil {
			return nil, 0, err
		}
		updated, err = m.Update(ctx, model.BatchOf(d), labels)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", d.Source, err)
	}
	parts := []provenance.Part{a.Seen(datapart.Like(d, m.Input.Columns, m.Input.Channels))}
	return updated, d.N(), learnedFrom(a, m, updated, d.Source, parts, f.allow)
}

// updateFrom adds classes from a statistics file. A private model remains private if the statistics are private.
func updateFrom(ctx context.Context, a *app.App, m *model.Model, f *updateFlags) (*model.Model, int, error) {
	var s *gaussian.Statistics
	var g privacy.Guarantee
	var err error
	if privacy.IsFile(f.stats) {
		s, g, err = privacy.ReadStatistics(ctx, f.stats)
	} else {
		s, err = a.ReadStatistics(ctx, f.stats)
	}
	if err != nil {
		return nil, 0, err
	}
	updated, err := m.AddClasses(ctx, model.Extension{Stats: s})
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", f.stats, err)
	}
	if m.Training.Privacy != nil {
		both, err := (*privacy.Guarantee)(m.Training.Privacy).And(g)
		if err != nil {
			return nil, 0, fmt.Errorf("%s does not match the model: %w", f.stats, err)
		}
		updated.Training.Privacy, updated.Training.Digest = (*model.Privacy)(&both), ""
	}
	return updated, s.Total(), learnedFrom(a, m, updated, f.stats, s.Parts, f.allow)
}

// learnedFrom adds parts to the training parts of the updated model. Rows that the model has already learned from are
// an error, unless allow is true.
func learnedFrom(a *app.App, m, updated *model.Model, source string, parts []provenance.Part, allow bool) error {
	if m.Training.Parts == nil {
		return nil
	}
	a.NoteOtherKey(m)
	for _, p := range parts {
		if share := provenance.LargestOverlap(p, m.Training.Parts); share > 0 && !allow {
			return fmt.Errorf("%s: the model has already learned from about %.0f %% of these observations; leave "+
				"them out, or give --allow-overlap", source, 100*share)
		}
	}
	if updated.Training.Parts = nil; len(parts) > 0 { // statistics may not record their rows
		updated.Training.Parts = append(slices.Clone(m.Training.Parts), parts...)
	}
	return nil
}
