package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"rao/evaluate"
	"rao/method"
)

func evaluateCommand(a *app) *cobra.Command {
	var data dataFlags
	cmd := &cobra.Command{
		Use:     "evaluate",
		Short:   "Accuracy, kappa, calibration and confusion on labelled data",
		Long:    "Classify labelled data and compare with the labels. The calibration error has 15\nbins; kappa is Cohen's.",
		Example: "  rao evaluate --model model.rao --data test.npz --json",
		Args:    noArgs,
	}
	path := modelFlag(cmd)
	data.add(cmd, "data", "labelled data of the shape the model was fitted to")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		m, d, err := a.modelAndData(cmd, *path, &data, "", true)
		if err != nil {
			return err
		}
		s, err := method.Score(m, d)
		if err != nil {
			return err
		}
		return a.emit(s, func() { a.printScores(m.Classes, s) })
	}
	return cmd
}

func (a *app) printScores(classes []string, s *evaluate.Scores) {
	a.table([]string{"observations", fmt.Sprint(s.N)}, [][]string{
		{"accuracy", percent(s.Accuracy)},
		{"balanced accuracy", percent(s.BalancedAccuracy)},
		{"kappa", fmt.Sprintf("%.4f", s.Kappa)},
		{"log loss", fmt.Sprintf("%.4f", s.LogLoss)},
		{"calibration error", fmt.Sprintf("%.4f", s.ECE)},
	})
	if len(classes) > printable {
		return
	}
	fmt.Fprintln(a.out, "\nconfusion (rows: true class, columns: decision)")
	rows := make([][]string, len(classes))
	for i, name := range classes {
		rows[i] = []string{name}
		for _, n := range s.Confusion[i] {
			rows[i] = append(rows[i], fmt.Sprint(n))
		}
	}
	a.table(append([]string{""}, classes...), rows)
}
