package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"rao"
	"rao/dataset"
	"rao/gaussian"
)

// statsBlock is how many rows are read at a time.
const statsBlock = 4096

type statsResult struct {
	Classes []string `json:"classes"`
	Counts  []int    `json:"counts"`
	Dim     int      `json:"dim"`
	Out     string   `json:"out"`
	Seconds float64  `json:"seconds"`
}

func statsCommand(a *app) *cobra.Command {
	var data dataFlags
	var out string
	var moments bool
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count, mean and covariance of each class, streaming",
		Long: `Read labeled vectors once, a block at a time, and write the statistics of each
class: its count, mean and covariance. They are all that SQFA, PCA, LDA and QDA
need, they are small, and they can be shared where the data cannot. Statistics of
several parts of a data set are put together by rao stats merge.`,
		Example: `  rao stats --data train.npz --out train-stats.npz
  rao stats merge site-a.npz site-b.npz --out all.npz
  rao fit sqfa --stats all.npz --out model.rao`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := required("out", out); err != nil {
				return err
			}
			start := time.Now()
			s, err := streamStatistics(cmd.Context(), a, &data, moments)
			if err != nil {
				return err
			}
			return a.saveStatistics(s, out, start)
		},
	}
	data.add(cmd, "data", "labeled vectors")
	cmd.Flags().BoolVar(&moments, "moments", false, "also collect the third and fourth moments, which the shrinkage ledoit_wolf needs")
	outputFlag(cmd, &out, "out", statisticsOutput, "statistics file to write")
	cmd.AddCommand(statsMergeCommand(a))
	return cmd
}

func statsMergeCommand(a *app) *cobra.Command {
	var out string
	var allow bool
	cmd := &cobra.Command{
		Use:     "merge FILE FILE...",
		Short:   "Put the statistics of several parts together",
		Long:    "Put the statistics of disjoint parts of a data set together: the result is that of\none pass over all of it. Classes are matched by name. Parts that share rows are refused:\nthe files know their rows by hashes.",
		Example: "  rao stats merge site-a.npz site-b.npz --out all.npz",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("give two statistics files or more")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := required("out", out); err != nil {
				return err
			}
			start := time.Now()
			parts := make([]*gaussian.Statistics, len(args))
			for i, path := range args {
				var err error
				if parts[i], err = a.readStatistics(cmd.Context(), path); err != nil {
					return err
				}
			}
			if !allow {
				if err := refuseOverlap(args, parts); err != nil {
					return err
				}
			}
			s, err := gaussian.Merge(parts...)
			if err != nil {
				return err
			}
			return a.saveStatistics(s, out, start)
		},
	}
	allowOverlap(cmd, &allow)
	outputFlag(cmd, &out, "out", statisticsOutput, "statistics file to write")
	return cmd
}

func (a *app) saveStatistics(s *gaussian.Statistics, out string, start time.Time) error {
	if err := s.WriteFile(out); err != nil {
		return err
	}
	for _, p := range s.Parts {
		a.provenance.Data = append(a.provenance.Data, dataDigest{"part", p.Rows, p.Digest})
	}
	r := statsResult{Classes: s.Classes, Counts: s.Counts, Dim: s.Dim, Out: out, Seconds: time.Since(start).Seconds()}
	return a.emit(r, func() {
		rows := make([][]string, len(s.Counts))
		for i := range rows {
			rows[i] = []string{cell(s.Name(i)), fmt.Sprint(s.Counts[i])}
		}
		a.table([]string{"class", "count"}, rows)
		a.note("%d dimensions, %s, written to %s", s.Dim, seconds(r.Seconds), out)
	})
}

// streamStatistics reads the data once without holding them.
func streamStatistics(ctx context.Context, a *app, data *dataFlags, moments bool) (*gaussian.Statistics, error) {
	if data.spec == "" {
		return nil, usagef("--data is required: a file, a folder of class folders, or the name of a set")
	}
	opt, err := data.options()
	if err != nil {
		return nil, err
	}
	opt.RequireLabels, opt.Told = true, a.tellsOf(data.spec)
	show, done := a.progress("rao stats")
	defer done()
	var part gaussian.PartBuilder
	var acc *gaussian.Accumulator
	var names []string
	spec, remove, err := a.spooled(ctx, data.spec)
	if err != nil {
		return nil, err
	}
	defer remove()
	err = dataset.Stream(ctx, spec, opt, statsBlock, func(x *dataset.Table, labels []int, classes []string) error {
		if acc == nil {
			_, n := x.Dims()
			if err := gaussian.CheckSize(n, len(classes)); err != nil {
				return err
			}
			if err := fits("stats", statisticsMemory(len(classes), n)); err != nil {
				return err
			}
			acc, names = gaussian.NewAccumulator(n, len(classes)), classes
			if moments {
				acc.CollectMoments()
			}
		}
		err := acc.Add(x.Matrix(), labels)
		addRows(&part, x)
		show.Send(rao.Event{Stage: "rows", Done: acc.Rows()})
		return err
	})
	if err != nil {
		return nil, fromInput(err, data.spec, spec)
	}
	s, err := acc.Take(names)
	if err != nil {
		return nil, err
	}
	s.Parts = []gaussian.Part{part.Part()}
	return s, nil
}
