package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rao/dataset"
	"rao/spd"
)

type matrixFault struct {
	Matrix    int    `json:"matrix"`
	Rank      int    `json:"rank"`
	Smallest  number `json:"smallest_eigenvalue"`
	Condition number `json:"condition"`
	Asymmetry number `json:"asymmetry"`
	NotFinite []int  `json:"not_finite_channels,omitempty"`
	Flat      []int  `json:"flat_channels,omitempty"`
}

type checkResult struct {
	Count    int           `json:"count"`
	Dim      int           `json:"dim"`
	Healthy  bool          `json:"healthy"`
	Findings []string      `json:"findings"`
	Repair   string        `json:"repair"`
	Worst    []matrixFault `json:"worst"`
	Out      string        `json:"out,omitempty"`
}

// worstShown is how many matrices are listed.
const worstShown = 5

func checkCommand(a *app) *cobra.Command {
	var data dataFlags
	var opt spd.CheckOptions
	var repair, out string
	cmd := &cobra.Command{
		Use:   "check",
		Short: "What is wrong with these matrices, and the repair",
		Long: `Examine every matrix: values that are not finite, flat or duplicated channels,
asymmetry, rank, condition, and the lost rank of an average reference. A remedy is
named that fit --repair takes, keeps in the model and applies again at prediction.
--out writes the repaired matrices. The exit status is 0 also when faults are found.`,
		Example: `  rao check --data covariances.npz
  rao check --data covariances.npz --repair auto --out repaired.npz`,
		Args: noArgs,
	}
	data.add(cmd, "data", "matrices, count × order × order")
	cmd.Flags().StringVar(&repair, "repair", "auto", "repair for --out: auto, none, or steps joined by +: drop:CHANNELS, project, shrink:AMOUNT, floor:AMOUNT")
	cmd.Flags().StringVar(&out, "out", "", "npz file for the repaired matrices")
	cmd.Flags().Float64Var(&opt.RankTol, "rank-tol", 0, "eigenvalues at most this share of the largest count as zero; 0 takes 1e-10")
	cmd.Flags().Float64Var(&opt.MaxCondition, "max-condition", 0, "largest condition that is not a fault; 0 takes 1e8")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if out != "" {
			if err := checkWritable(out); err != nil {
				return err
			}
		}
		d, err := data.open(cmd.Context(), "data", false)
		if err != nil {
			return err
		}
		if d.Stack == nil {
			return fmt.Errorf("%s holds vectors; check examines matrices, count × order × order", d.Source)
		}
		diagnosis := spd.Check(d.Stack, opt)
		r := checkResult{Count: diagnosis.Count, Dim: diagnosis.Dim, Healthy: diagnosis.Healthy(),
			Findings: diagnosis.Findings(), Worst: worst(diagnosis), Repair: "none", Out: out}
		fix, err := spd.ParseRepair(repair, diagnosis)
		if err != nil {
			r.Repair = "none is possible: " + err.Error()
		} else if fix != nil {
			r.Repair = fix.String()
		}
		if out != "" {
			if err != nil {
				return err
			}
			if len(data.opt.Where) > 0 {
				d.Vars = nil // they still have all rows
			}
			if err := writeRepaired(out, d, fix); err != nil {
				return err
			}
		}
		return a.emit(r, func() { a.printCheck(&r, diagnosis) })
	}
	return cmd
}

func writeRepaired(out string, d *dataset.Data, fix *spd.Repair) error {
	x, err := fix.Apply(d.Stack)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Source, err)
	}
	fixed := *d
	fixed.Stack = x
	return dataset.WriteFile(out, &fixed)
}

// worst lists the matrices with a fault, the first few.
func worst(d *spd.Diagnosis) []matrixFault {
	var list []matrixFault
	for i := range d.Matrices {
		m := &d.Matrices[i]
		bad := len(m.NaNChannels) > 0 || len(m.FlatChannels) > 0 || m.Rank < d.Dim ||
			m.Asymmetry > d.Options.AsymmetryTol || !(m.Condition <= d.Options.MaxCondition)
		if bad && len(list) < worstShown {
			list = append(list, matrixFault{m.Index, m.Rank, number(m.Smallest), number(m.Condition), number(m.Asymmetry), m.NaNChannels, m.FlatChannels})
		}
	}
	return list
}

func (a *app) printCheck(r *checkResult, d *spd.Diagnosis) {
	fmt.Fprintln(a.out, d.String())
	if r.Healthy {
		return
	}
	rows := make([][]string, len(r.Worst))
	for i, m := range r.Worst {
		rows[i] = []string{fmt.Sprint(m.Matrix), fmt.Sprint(m.Rank), fmt.Sprintf("%.3g", float64(m.Smallest)),
			fmt.Sprintf("%.3g", float64(m.Condition)), strings.Trim(fmt.Sprint(m.NotFinite), "[]"), strings.Trim(fmt.Sprint(m.Flat), "[]")}
	}
	if len(rows) > 0 {
		fmt.Fprintln(a.out, "\nthe first with a fault")
		a.table([]string{"matrix", "rank", "smallest eigenvalue", "condition", "not finite", "flat"}, rows)
	}
	fmt.Fprintf(a.out, "\nrepair: %s\n", r.Repair)
	if r.Out != "" {
		fmt.Fprintf(a.out, "repaired matrices written to %s\n", r.Out)
	}
}
