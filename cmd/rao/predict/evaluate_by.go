package predict

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/internal/indices"
	"rao/internal/scoring"
	"rao/internal/study"
	"rao/internal/text"
)

// mostGroups limits the number of groups of --groups.
const mostGroups = 1000

// groupResult contains the measures of the observations of one group.
type groupResult struct {
	Value    string            `json:"value"`
	N        int               `json:"n"`
	Measures []scoring.Measure `json:"measures"`
}

// groupMeasures accumulates the measures of each group separately.
type groupMeasures struct {
	by   []string // the variables that define the groups; nil without --groups
	of   func() (*scoring.Measurer, error)
	each map[string]*scoring.Measurer
	n    map[string]int
}

func (g *groupMeasures) add(d *dataset.Data, truth []int, logPosterior *mat.Dense) error {
	if g.by == nil {
		return nil
	}
	groups, err := study.GroupsBy(d, g.by...)
	if err != nil {
		return rao.Optionf("groups", "%s: {groups}: %w", d.Source, err)
	}
	rows := map[string][]int{}
	for i, k := range groups.Of {
		rows[groups.Names[k]] = append(rows[groups.Names[k]], i)
	}
	_, c := logPosterior.Dims()
	for value, at := range rows {
		if g.each[value] == nil {
			if len(g.each) == mostGroups {
				return rao.Optionf("groups", "%s: {groups} defines more than %d groups, too many to score; choose "+
					"other variables", d.Source, mostGroups)
			}
			m, err := g.of()
			if err != nil {
				return err
			}
			if g.each == nil {
				g.each, g.n = map[string]*scoring.Measurer{}, map[string]int{}
			}
			g.each[value] = m
		}
		p := mat.NewDense(len(at), c, nil)
		for k, i := range at {
			p.SetRow(k, logPosterior.RawRowView(i))
		}
		if err := g.each[value].Add(indices.Pick(truth, at), p, indices.Pick(d.Weights, at)); err != nil {
			return err
		}
		g.n[value] += len(at)
	}
	return nil
}

// results returns the measures of all groups, sorted by value.
func (g *groupMeasures) results() []groupResult {
	var out []groupResult
	for value, m := range g.each {
		if g.n[value] > resampledRows {
			m.Resamples(0)
		}
		out = append(out, groupResult{value, g.n[value], m.Measures()})
	}
	slices.SortFunc(out, func(a, b groupResult) int { return cmp.Compare(a.Value, b.Value) })
	return out
}

// printGroups prints the accuracy, recall and precision of each group in percent, with their intervals.
func printGroups(a *app.App, r *evaluateResult) {
	if r.Groups == nil {
		return
	}
	names := []string{"accuracy", "recall", "precision"}
	header := []string{text.Cell(r.By), "rows"}
	for _, name := range names {
		header = append(header, name+" in %")
	}
	rows := make([][]string, len(r.Groups))
	for i, g := range r.Groups {
		rows[i] = []string{text.Cell(cmp.Or(g.Value, "(no value)")), fmt.Sprint(g.N)}
		for _, name := range names {
			cell := "-"
			for _, m := range g.Measures {
				if m.Name != name {
					continue
				}
				if cell = fmt.Sprintf("%.1f", 100*m.Value); m.Interval != nil {
					cell += fmt.Sprintf(" (%.1f to %.1f)", 100*m.Interval.Low, 100*m.Interval.High)
				}
			}
			rows[i] = append(rows[i], cell)
		}
	}
	fmt.Fprintln(a.Out)
	a.Table(header, rows)
}
