package study

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"rao/evaluate"
	"rao/internal/format/archive"
	"rao/internal/text"
	"rao/report"
)

// Pair tests whether two rows of a GroupResult differ. The JSON names must not change.
type Pair struct {
	First      string `json:"first"`
	Second     string `json:"second"`
	Difference Number `json:"difference"` // of the accuracies
	// Wilcoxon is the p-value of the signed-rank test over the groups, and Corrected is the p-value of the corrected
	// resampled t-test over the folds. Both are adjusted by Holm over all pairs.
	Wilcoxon  Number `json:"wilcoxon_p"`
	Corrected Number `json:"corrected_t_p"`
}

// pairs compares every two rows that have scores.
func (l *LeaveOut) pairs(rows []*GroupRow) []Pair {
	var out []Pair
	var ranks, ts []float64
	for i, a := range rows {
		for _, b := range rows[i+1:] {
			if a.Error != "" || b.Error != "" || len(a.folds) < 2 || len(a.folds) != len(b.folds) {
				continue
			}
			out = append(out, Pair{First: a.label(rows), Second: b.label(rows), Difference: a.Accuracy - b.Accuracy})
			ranks = append(ranks, pValue(evaluate.Wilcoxon(l.byGroup(a), l.byGroup(b))))
			ts = append(ts, l.correctedT(a.folds, b.folds))
		}
	}
	ranks, err1 := evaluate.Holm(ranks)
	ts, err2 := evaluate.Holm(ts)
	if len(out) == 0 || err1 != nil || err2 != nil {
		return nil
	}
	for i := range out {
		out[i].Wilcoxon, out[i].Corrected = Number(ranks[i]), Number(ts[i])
	}
	return out
}

// pValue returns the p-value of a test, or 1 if the test is undefined because all differences are zero.
func pValue(r *evaluate.TestResult, err error) float64 {
	if err != nil {
		return 1
	}
	return r.P
}

// label returns the name of a row: its method and, if the rows have several alignments, its alignment.
func (r *GroupRow) label(rows []*GroupRow) string {
	for _, o := range rows {
		if o.Align != r.Align {
			return r.Method + ", " + r.Align
		}
	}
	return r.Method
}

// MeanByGroup returns the accuracy on each group that was scored, averaged over the repeats.
func MeanByGroup(scores []GroupScore) map[string]float64 {
	mean, repeats := map[string]float64{}, map[string]float64{}
	for _, s := range scores {
		mean[s.Group] += float64(s.Accuracy)
		repeats[s.Group]++
	}
	for name, n := range repeats {
		mean[name] /= n
	}
	return mean
}

// byGroup returns the accuracy on each group that was scored, averaged over the repeats.
func (l *LeaveOut) byGroup(r *GroupRow) []float64 {
	mean := MeanByGroup(r.Groups)
	var out []float64
	for _, name := range l.Groups.Names {
		if v, ok := mean[name]; ok {
			out = append(out, v)
		}
	}
	return out
}

// correctedT returns the p-value of the corrected resampled t-test over the folds, with the mean size of the test
// parts.
func (l *LeaveOut) correctedT(a, b []float64) float64 {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	test := max(1, l.Data.N()/(len(a)/l.repeats()))
	return pValue(evaluate.CorrectedResampledT(d, max(1, l.Data.N()-test), test))
}

// WriteDecisions writes a csv file with the decisions on all left-out rows. The run must have kept them; see
// [LeaveOut.Decisions].
func (r *GroupResult) WriteDecisions(path string) error {
	data := r.plan.Data
	return archive.WriteFile(path, func(w io.Writer) error {
		c := csv.NewWriter(w)
		record := []string{"method", "align", "repeat", "group", "row", "truth", "label"}
		for _, name := range data.Classes {
			record = append(record, "p_"+name)
		}
		if err := c.Write(record); err != nil {
			return err
		}
		for _, row := range r.Rows {
			for _, d := range row.decisions {
				groups := r.plan.groups(d.repeat)
				for i, k := range d.Rows {
					record = append(record[:0], row.Method, row.way, strconv.Itoa(d.repeat),
						groups.Names[groups.Of[k]], strconv.Itoa(k), data.Classes[data.Labels[k]],
						data.Classes[d.Label[i]])
					for _, v := range d.LogPosterior.RawRowView(i) {
						record = append(record, strconv.FormatFloat(math.Exp(v), 'g', 8, 64))
					}
					if err := c.Write(record); err != nil {
						return err
					}
				}
			}
		}
		c.Flush()
		return c.Error()
	})
}

// Table returns the means over the groups, one row per method and alignment.
func (r *GroupResult) Table() (header []string, rows [][]string) {
	for _, row := range r.Rows {
		if row.Error != "" {
			rows = append(rows, []string{row.Method, row.Align, "failed"})
			continue
		}
		rows = append(rows, []string{row.Method, row.Align, text.Percent(float64(row.Accuracy)),
			fmt.Sprintf("%.2f", 100*float64(row.AccuracySD)),
			fmt.Sprintf("%.3f", float64(row.Kappa)), fmt.Sprintf("%.3f", float64(row.KappaSD))})
	}
	return []string{"method", "align", "accuracy", "± SD", "kappa", "± SD"}, rows
}

// PairTable returns the tests of all pairs of rows.
func (r *GroupResult) PairTable() (header []string, rows [][]string) {
	for _, p := range r.Pairs {
		rows = append(rows, []string{p.First, p.Second, fmt.Sprintf("%+.2f", 100*float64(p.Difference)),
			fmt.Sprintf("%.3g", float64(p.Wilcoxon)), fmt.Sprintf("%.3g", float64(p.Corrected))})
	}
	return []string{"first", "second", "difference", "signed-rank p", "corrected t p"}, rows
}

// ScoreTable returns the accuracy on each left-out group, with one column for each row of the result.
func (r *GroupResult) ScoreTable() (header []string, rows [][]string) {
	header = []string{"left out", "rows"}
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
				rows = append(rows, []string{name, strconv.Itoa(s.N)})
			}
			rows[i] = append(rows[i], text.Percent(float64(s.Accuracy)))
		}
	}
	return header, rows
}

// Figure draws the mean accuracies and their standard deviations over the groups.
func (r *GroupResult) Figure() *report.Figure {
	var bars []report.Bar
	for _, row := range r.Rows {
		if row.Error != "" {
			continue
		}
		b := report.Bar{Label: row.Method, Value: float64(row.Accuracy)}
		if len(r.plan.Align) > 1 {
			b.Label += ", " + row.Align
		}
		b.Low, b.High = b.Value-float64(row.AccuracySD), min(1, b.Value+float64(row.AccuracySD))
		bars = append(bars, b)
	}
	return report.Bars("Mean accuracy and standard deviation over the left-out groups", bars,
		accuracyAxis(bars))
}
