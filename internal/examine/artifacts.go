package examine

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"rao"
	"rao/dataset"
	"rao/internal/format/archive"
	"rao/internal/indices"
	"rao/internal/potato"
	"rao/internal/text"
	"rao/report"
)

// Artifacts are matrices that are far from the others, with the scores of all matrices. The JSON names must not change.
type Artifacts struct {
	Count     int             `json:"count"`
	Dim       int             `json:"dim"`
	Metric    string          `json:"metric"`
	Threshold float64         `json:"threshold"`
	Fields    []Field         `json:"fields"`
	Artifacts []int           `json:"artifacts"` // indices of matrices, from 0
	Share     text.Number     `json:"share"`
	Limit     text.Number     `json:"limit"`
	Z         [][]text.Number `json:"z"` // z-score of each matrix in each field
	P         []text.Number   `json:"p"`
	Out       string          `json:"out,omitempty"`
	Scores    string          `json:"scores,omitempty"`
	Figure    string          `json:"figure,omitempty"`

	of *dataset.Data
}

// Field is one learned potato, for reports.
type Field struct {
	Channels []int   `json:"channels,omitempty"`
	Clean    int     `json:"clean"`  // number of matrices that it was learned from
	Mean     float64 `json:"mean"`   // of the logarithms of their distances to the center
	Spread   float64 `json:"spread"` // standard deviation of these logarithms
}

// FindArtifacts learns from the first matrices, or from all matrices if first is 0, and scores all matrices; see
// [potato.Find]. The fields are groups of channels, by name or number, with commas between channels and semicolons
// between groups.
func FindArtifacts(ctx context.Context, d *dataset.Data, fields string, first int, rate float64,
	opt potato.Options) (*Artifacts, error) {
	x, err := d.Stack, error(nil)
	if opt.Channels, err = parseFields(fields, d); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Source, rao.Optionf("fields", "{fields}: %w", err))
	}
	found, err := potato.Find(ctx, x, first, rate, opt)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Source, err)
	}
	r := &Artifacts{Count: x.Count, Dim: x.Dim, Metric: string(opt.Metric),
		Threshold: found.Field.Options.Threshold, Artifacts: found.Found,
		Share: text.Number(float64(len(found.Found)) / float64(x.Count)), P: numbers(found.P), of: d}
	for _, p := range found.Field.Potatoes {
		r.Fields = append(r.Fields, Field{p.Channels, p.Clean, p.Mean, p.Spread})
	}
	for k := range x.Count {
		r.Z = append(r.Z, numbers(found.Z.RawRowView(k)))
	}
	return r, nil
}

// parseFields parses channels by name or number.
func parseFields(groups string, d *dataset.Data) ([][]int, error) {
	if groups == "" {
		return nil, nil
	}
	var names []string
	if v, ok := d.Vars["channels"]; ok && len(v.Strings) == d.Stack.Dim {
		names = v.Strings
	}
	var fields [][]int
	for part := range strings.SplitSeq(groups, ";") {
		var field []int
		for _, item := range text.SplitList(part) {
			k := slices.Index(names, item)
			if k < 0 {
				number, err := strconv.Atoi(item)
				if err != nil || number < 0 || number >= d.Stack.Dim {
					if names == nil {
						return nil, fmt.Errorf("%q is not a channel number; give numbers from 0 to %d",
							item, d.Stack.Dim-1)
					}
					return nil, fmt.Errorf("%w (a number from 0 to %d also works)",
						&rao.UnknownError{Kind: "channel", Name: item, Known: names}, d.Stack.Dim-1)
				}
				k = number
			}
			if slices.Contains(field, k) {
				return nil, fmt.Errorf("channel %s appears twice in a field; list the channel once", item)
			}
			field = append(field, k)
		}
		if field == nil {
			return nil, fmt.Errorf("%q contains a field without channels; list the channels of each field, separated "+
				"by commas", groups)
		}
		slices.Sort(field)
		fields = append(fields, field)
	}
	return fields, nil
}

func numbers(values []float64) []text.Number {
	out := make([]text.Number, len(values))
	for i, v := range values {
		out[i] = text.Number(v)
	}
	return out
}

// Clean returns the matrices that are not artifacts.
func (r *Artifacts) Clean() *dataset.Data { return r.of.Subset(indices.Others(r.Count, r.Artifacts)) }

// WriteScores writes a csv file with the scores of every matrix.
func (r *Artifacts) WriteScores(path string) error {
	return archive.WriteFile(path, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		fmt.Fprint(b, "matrix")
		for k := range r.Fields {
			fmt.Fprintf(b, ",z_%d", k)
		}
		fmt.Fprintln(b, ",p,artifact")
		for k := range r.Count {
			fmt.Fprint(b, k)
			for _, z := range r.Z[k] {
				fmt.Fprintf(b, ",%.10g", float64(z))
			}
			_, found := slices.BinarySearch(r.Artifacts, k)
			fmt.Fprintf(b, ",%.10g,%v\n", float64(r.P[k]), found)
		}
		return b.Flush()
	})
}

// Draw draws the scores in the order of the matrices, with artifacts marked.
func (r *Artifacts) Draw() *report.Figure {
	var lines []report.Line
	for k := range r.Fields {
		l := report.Line{Name: fmt.Sprintf("field %d", k), Y: make([]float64, r.Count)}
		if len(r.Fields) == 1 {
			l.Name = "z-score"
		}
		for i, row := range r.Z {
			l.Y[i] = float64(row[k])
		}
		lines = append(lines, l)
	}
	last := float64(r.Count - 1)
	lines = append(lines, report.Line{Name: "threshold", X: []float64{0, last}, Dashed: true,
		Y: []float64{r.Threshold, r.Threshold}})
	found := report.Points{Name: text.Plural(len(r.Artifacts), "artifact", "artifacts")}
	for _, i := range r.Artifacts {
		found.X, found.Y = append(found.X, float64(i)), append(found.Y, float64(slices.Max(r.Z[i])))
	}
	return report.Lines("Distance of "+text.Plural(r.Count, "matrix", "matrices")+" from the clean ones", lines,
		report.PlotOptions{X: report.Axis{Label: "matrix"}, Y: report.Axis{Label: "z-score of the distance"},
			Marks: found})
}
