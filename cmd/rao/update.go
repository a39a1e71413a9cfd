package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"rao/method"
	"rao/model"
)

// updateResult is what update prints; its JSON names do not change.
type updateResult struct {
	Method  string   `json:"method"`
	N       int      `json:"n"` // new observations
	Classes []string `json:"classes"`
	Counts  []int    `json:"counts"` // observations of each class behind the model now
	Out     string   `json:"out"`
}

func updateCommand(a *app) *cobra.Command {
	var data dataFlags
	var out string
	var allow bool
	cmd := &cobra.Command{
		Use:   "update",
		Short: "Let a model learn from new labeled observations, without the old ones",
		Long: `Let a model learn from new labeled observations and save it under another name; the
model that was given stays. Prototypes (plrsq and its relatives) take a bounded step an
observation, class means (mdm) move by their share, nearest neighbors keep the
observations. Everything before the classifier stays as it was fitted. Other methods
need a new fit.`,
		Example: "  rao update --model monday.rao --data tuesday.npz --out tuesday.rao",
		Args:    noArgs,
	}
	path := modelFlag(cmd)
	data.add(cmd, "data", "new labeled data of the shape the model was fitted to")
	allowOverlap(cmd, &allow)
	outputFlag(cmd, &out, "out", modelOutput, "model file to write")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		m, err := a.modelFor(cmd.Context(), *path, &data, &out)
		if err != nil {
			return err
		}
		d, err := data.open(cmd.Context(), a, "data", true)
		if err != nil {
			return err
		}
		labels, err := method.MatchLabels(m.Classes, d)
		if err != nil {
			return err
		}
		updated, err := m.Update(cmd.Context(), model.BatchOf(d), labels)
		if err != nil {
			return fmt.Errorf("%s: %w", d.Source, err)
		}
		if p := a.seen(d); m.Training.Parts != nil {
			if share := overlapOf(p, m.Training.Parts); share > 0 && !allow {
				return fmt.Errorf("%s: the model has learned about %.0f %% of these observations already; leave them out, or say --allow-overlap", d.Source, 100*share)
			}
			updated.Training.Parts = append(slices.Clone(m.Training.Parts), p)
		}
		if err := updated.Save(out); err != nil {
			return err
		}
		r := updateResult{updated.Method, d.N(), updated.Classes, updated.Training.Counts, out}
		return a.emit(r, func() {
			fmt.Fprintf(a.out, "%s: learned from %s more; written to %s\n", r.Method, plural(r.N, "observation", "observations"), out)
		})
	}
	return cmd
}
