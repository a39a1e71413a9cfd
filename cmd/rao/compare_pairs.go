package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"rao/evaluate"
	"rao/internal/format/archive"
)

// pairResult says whether two rows of a comparison differ; its JSON names do not change.
type pairResult struct {
	First      string `json:"first"`
	Second     string `json:"second"`
	Difference number `json:"difference"` // of the accuracies
	// Wilcoxon is the p-value of the signed-rank test over the groups, and Corrected that of
	// the corrected resampled t over the folds; both are adjusted by Holm over all pairs.
	Wilcoxon  number `json:"wilcoxon_p"`
	Corrected number `json:"corrected_t_p"`
}

// pairs compares all rows that have scores, two at a time.
func (g *grouped) pairs(rows []*groupRow) []pairResult {
	var out []pairResult
	var ranks, ts []float64
	for i, a := range rows {
		for _, b := range rows[i+1:] {
			if a.Error != "" || b.Error != "" || len(a.folds) < 2 || len(a.folds) != len(b.folds) {
				continue
			}
			out = append(out, pairResult{First: a.label(rows), Second: b.label(rows),
				Difference: a.Accuracy - b.Accuracy})
			ranks = append(ranks, signedRanks(g.byGroup(a), g.byGroup(b)))
			ts = append(ts, g.correctedT(a.folds, b.folds))
		}
	}
	if len(out) == 0 {
		return nil
	}
	for k, p := range [][]float64{ranks, ts} {
		adjusted, err := evaluate.Holm(p)
		if err != nil {
			return nil
		}
		for i, v := range adjusted {
			if k == 0 {
				out[i].Wilcoxon = number(v)
			} else {
				out[i].Corrected = number(v)
			}
		}
	}
	return out
}

// label names a row: its method, and the way where there are several.
func (r *groupRow) label(rows []*groupRow) string {
	for _, o := range rows {
		if o.Align != r.Align {
			return r.Method + ", " + r.Align
		}
	}
	return r.Method
}

// byGroup is the accuracy on each group, the mean over the repeats.
func (g *grouped) byGroup(r *groupRow) []float64 {
	place := map[string]int{}
	for i, name := range g.names {
		place[name] = i
	}
	sum, n := make([]float64, len(g.names)), make([]float64, len(g.names))
	for _, s := range r.Groups {
		k := place[s.Group]
		sum[k] += float64(s.Accuracy)
		n[k]++
	}
	var out []float64
	for k, v := range sum {
		if n[k] > 0 {
			out = append(out, v/n[k])
		}
	}
	return out
}

// signedRanks is the p-value, 1 where no pair differs.
func signedRanks(a, b []float64) float64 {
	r, err := evaluate.Wilcoxon(a, b)
	if err != nil {
		return 1
	}
	return r.P
}

// correctedT is the p-value over the folds, whose test parts are of the mean size.
func (g *grouped) correctedT(a, b []float64) float64 {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	folds := len(a) / g.repeats
	test := max(1, g.data.N()/folds)
	r, err := evaluate.CorrectedResampledT(d, max(1, g.data.N()-test), test)
	if err != nil {
		return 1
	}
	return r.P
}

// decision is what a method said of a row of a group that was left out.
type decision struct {
	method, way string
	repeat, row int
	label       int
	logp        []float64
}

// writePredictions writes the decisions on all rows that were left out.
func (g *grouped) writePredictions(path string) error {
	return archive.WriteFile(path, func(w io.Writer) error {
		c := csv.NewWriter(w)
		record := []string{"method", "align", "repeat", "group", "row", "truth", "label"}
		for _, name := range g.data.Classes {
			record = append(record, "p_"+name)
		}
		if err := c.Write(record); err != nil {
			return err
		}
		for _, d := range g.decisions {
			record = append(record[:0], d.method, d.way, fmt.Sprint(d.repeat), g.names[g.of[d.row]], fmt.Sprint(d.row),
				g.data.Classes[g.data.Labels[d.row]], g.data.Classes[d.label])
			for _, v := range d.logp {
				record = append(record, strconv.FormatFloat(math.Exp(v), 'g', 8, 64))
			}
			if err := c.Write(record); err != nil {
				return err
			}
		}
		c.Flush()
		return c.Error()
	})
}

func (a *app) printGroups(r *groupResult) {
	rows := make([][]string, len(r.Rows))
	for i, row := range r.Rows {
		if row.Error != "" {
			rows[i] = []string{row.Method, row.Align, "failed"}
			continue
		}
		rows[i] = []string{row.Method, row.Align, percent(float64(row.Accuracy)),
			fmt.Sprintf("%.2f", 100*float64(row.AccuracySD)),
			fmt.Sprintf("%.3f", float64(row.Kappa)), fmt.Sprintf("%.3f", float64(row.KappaSD))}
	}
	a.table([]string{"method", "align", "accuracy", "± SD", "kappa", "± SD"}, rows)
	a.printByGroup(r)
	if len(r.Pairs) == 0 {
		return
	}
	fmt.Fprintln(a.out, "\ndifferences in accuracy; p-values adjusted by Holm")
	rows = nil
	for _, p := range r.Pairs {
		rows = append(rows, []string{p.First, p.Second, fmt.Sprintf("%+.2f", 100*float64(p.Difference)),
			fmt.Sprintf("%.3g", float64(p.Wilcoxon)), fmt.Sprintf("%.3g", float64(p.Corrected))})
	}
	a.table([]string{"first", "second", "difference", "signed-rank p", "corrected t p"}, rows)
}

// printByGroup prints the accuracy on each group, a line for each.
func (a *app) printByGroup(r *groupResult) {
	header := []string{"left out", "rows"}
	var rows [][]string
	for _, row := range r.Rows {
		if row.Error != "" {
			continue
		}
		header = append(header, row.label(r.Rows))
		for i, s := range row.Groups {
			if len(header) == 3 {
				name := s.Group
				if s.Repeat > 0 {
					name += fmt.Sprintf(" (repeat %d)", s.Repeat+1)
				}
				rows = append(rows, []string{name, fmt.Sprint(s.N)})
			}
			rows[i] = append(rows[i], percent(float64(s.Accuracy)))
		}
	}
	if len(rows) > 0 {
		fmt.Fprintln(a.out, "\naccuracy on what was left out")
		a.table(header, rows)
	}
}
