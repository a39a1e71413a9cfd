package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/suggest"
	"rao/method"
	"rao/model"
	"rao/report"
)

// plotFlags are the flags of plot.
type plotFlags struct {
	data               dataFlags
	out, formats, size string
}

// plotted is a figure with the name of its files.
type plotted struct {
	Name   string   `json:"name"`
	Files  []string `json:"files"`
	figure *report.Figure
}

func plotCommand(a *app) *cobra.Command {
	var f plotFlags
	cmd := &cobra.Command{
		Use:   "plot",
		Short: "Pictures of a model and of what it makes of data",
		Long: `Draw what a model has learned, and with --data what it makes of data: filters as images
or curves, prototypes, features with the ellipses of their classes, and scalp maps. Data
with labels add confusions, reliability, and the error among those decided on. The folder
has a file for each figure and format, and a page with them all.`,
		Example: `  rao plot --model model.rao --data test.npz --out figs
  rao plot --model model.rao --size 28x28 --format svg,pdf --out figs`,
		Args: noArgs,
	}
	path := modelFlag(cmd)
	f.data.add(cmd, "data", "data of the shape the model was fitted to; without them the model alone is drawn")
	textVar(cmd.Flags(), &f.formats, "format", "FORMAT,...", "svg,png",
		"formats of the figures, separated by commas: svg, png, pdf")
	textVar(cmd.Flags(), &f.size, "size", "ROWSxCOLS", "",
		"rows and columns of the images that filters are drawn as, such as "+
			"28x28; by "+
			"default those of the data, or a square")
	outputFlag(cmd, &f.out, "out", folderOutput, "folder for the figures")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		formats, err := parseFormats(f.formats)
		if err != nil {
			return err
		}
		m, err := a.modelFor(cmd.Context(), *path, &f.data, &f.out)
		if err != nil {
			return err
		}
		figures, err := a.plotModel(m, f.size)
		if err != nil {
			return err
		}
		if f.data.spec != "" {
			more, err := a.plotData(cmd.Context(), m, &f.data)
			if err != nil {
				return err
			}
			figures = append(figures, more...)
		}
		if len(figures) == 0 {
			return fmt.Errorf("%s: nothing of a %s model can be drawn without data; give --data", *path, m.Method)
		}
		if err := writeFigures(f.out, m, figures, formats); err != nil {
			return err
		}
		r := struct {
			Figures []*plotted `json:"figures"`
			Out     string     `json:"out"`
		}{figures, f.out}
		return a.emit(r, func() {
			for _, p := range figures {
				fmt.Fprintln(a.out, strings.Join(p.Files, " "))
			}
			fmt.Fprintf(a.out, "%s, and a page, index.html, in %s\n", plural(len(figures), "figure", "figures"), f.out)
		})
	}
	return cmd
}

func parseFormats(s string) ([]string, error) {
	known := []string{"svg", "png", "pdf"}
	formats := splitList(s)
	for _, f := range formats {
		if !slices.Contains(known, f) {
			return nil, usagef("--format: %v", suggest.Unknown("format", f, known))
		}
	}
	if formats == nil {
		return nil, usagef("--format takes svg, png, pdf, separated by commas")
	}
	return formats, nil
}

// imageSize is the shape in which filters of observations are drawn, zero where they are curves,
// and a sentence where that was a guess.
func imageSize(in *model.Schema, size string) (shape [3]int, said string, err error) {
	n := in.Dim
	if size == "" {
		side := int(math.Round(math.Sqrt(float64(n))))
		switch {
		case in.Image[0] > 0:
			return in.Image, "", nil
		case in.Columns != nil:
			return shape, "the columns have names, so that filters are curves over them; --size ROWSxCOLUMNS draws " +
				"images", nil
		case side*side == n && side > 1:
			return [3]int{side, side, 1}, fmt.Sprintf("filters are drawn as images of %d x %d; say --size if they "+
				"are others",
				side, side), nil
		}
		return shape, fmt.Sprintf("%d is no square, so that filters are curves; --size ROWSxCOLUMNS draws images", n),
			nil
	}
	parts := strings.Split(size, "x")
	if len(parts) != 2 && len(parts) != 3 {
		return shape, "", usagef("--size %q: want ROWSxCOLUMNS, or ROWSxCOLUMNSx3 for colors", size)
	}
	shape[2] = 1
	for i, p := range parts {
		v, err := strconv.Atoi(p)
		if err != nil || v < 1 || v > n {
			return shape, "", usagef("--size %q: want ROWSxCOLUMNS, or ROWSxCOLUMNSx3 for colors", size)
		}
		shape[i] = v
	}
	if shape[0]*shape[1]*shape[2] != n {
		return shape, "", usagef("--size %s: that is %d values, and the model takes %d", size,
			shape[0]*shape[1]*shape[2], n)
	}
	return shape, "", nil
}

// plotModel draws what the model holds itself.
func (a *app) plotModel(m *model.Model, size string) ([]*plotted, error) {
	var figures []*plotted
	if filters := m.Filters(); filters != nil {
		n, _ := filters.Dims()
		in := m.Input
		if n != in.Dim { // of what other stages make
			in = model.Schema{Dim: n}
		}
		shape, said, err := imageSize(&in, size)
		if err != nil {
			return nil, err
		}
		if said != "" {
			a.note("%s", said)
		}
		f := report.FilterImages("Filters of "+m.Method, filters, shape)
		if f == nil {
			f = filterCurves(m, filters)
		}
		figures = append(figures, &plotted{Name: "filters", figure: f})
	} else if size != "" {
		return nil, usagef("--size is for filters, and a %s model has none", m.Method)
	}
	others := *m
	others.Input.Image = [3]int{} // filters are drawn above
	learned, err := report.Learned(&others, m.Method)
	if err != nil {
		return nil, err
	}
	for i, f := range learned {
		figures = append(figures, &plotted{Name: fmt.Sprintf("learned-%d", i+1), figure: f})
	}
	return figures, nil
}

// filterCurves draws filters over the places of the columns.
func filterCurves(m *model.Model, filters *mat.Dense) *report.Figure {
	n, k := filters.Dims()
	lines := make([]report.Line, k)
	for j := range lines {
		lines[j] = report.Line{Name: fmt.Sprintf("filter %d", j+1), Y: mat.Col(nil, j, filters)}
	}
	label := "column, from 0"
	if names := m.Input.Columns; names != nil && n <= 12 {
		label += ": " + strings.Join(names, ", ")
	}
	return report.Lines("Filters of "+m.Method, lines, report.PlotOptions{X: report.Axis{Label: label},
		Y: report.Axis{Label: "weight"}, Markers: true})
}

// plotData draws what the model makes of data.
func (a *app) plotData(ctx context.Context, m *model.Model, data *dataFlags) ([]*plotted, error) {
	d, err := data.open(ctx, a, "data", false)
	if err != nil {
		return nil, err
	}
	if d.Labels == nil {
		a.note("%s holds no labels, so that nothing is drawn of classes and errors", d.Source)
		return nil, nil
	}
	var figures []*plotted
	if m.HasFeatures() {
		more, err := plotFeatures(ctx, m, d)
		if err != nil {
			return nil, err
		}
		figures = append(figures, more...)
	}
	if f := powerMaps(d); f != nil {
		figures = append(figures, &plotted{Name: "class-power", figure: f})
	}
	if m.Classifier == nil {
		return figures, nil
	}
	truth, p, err := method.Decide(ctx, m, d)
	if err != nil {
		return nil, err
	}
	scores, err := evaluate.Score(truth, p.LogPosterior)
	if err != nil {
		return nil, err
	}
	if len(m.Classes) <= printable {
		figures = append(figures, &plotted{Name: "confusion", figure: report.Confusion("Confusions", scores.Confusion,
			m.Classes)})
	}
	curve := evaluate.PosteriorRisk(truth, p.LogPosterior)
	figures = append(figures, &plotted{Name: "reliability", figure: report.Reliability("Reliability",
		reliability(truth, p), scores.ECE)})
	return append(figures, &plotted{Name: "risk", figure: riskFigure(curve)}), nil
}

func riskFigure(curve *evaluate.RiskCurve) *report.Figure {
	return report.Lines("Error among those decided on", []report.Line{{Name: "error", X: curve.Coverage,
		Y: curve.Risk}},
		report.PlotOptions{X: report.Axis{Label: "share decided on", Percent: true},
			Y: report.Axis{Label: "error", Percent: true}})
}

// reliability sorts decisions into 15 bins of their probability.
func reliability(truth []int, p *model.Prediction) []report.ReliabilityBin {
	const bins = 15
	out := make([]report.ReliabilityBin, bins)
	for i, label := range p.Label {
		c := math.Exp(p.LogPosterior.At(i, label))
		b := &out[min(max(int(math.Ceil(c*bins))-1, 0), bins-1)]
		b.Count++
		b.Confidence += c
		if truth[i] == label {
			b.Accuracy++
		}
	}
	for i := range out {
		if n := float64(out[i].Count); n > 0 {
			out[i].Confidence /= n
			out[i].Accuracy /= n
		}
	}
	return out
}

// pointsShown is how many points of a class a figure has at most.
const pointsShown = 300

// plotFeatures draws the features of the data in planes of two: the ellipses of the classes,
// and points.
func plotFeatures(ctx context.Context, m *model.Model, d *dataset.Data) ([]*plotted, error) {
	z, err := m.Transform(ctx, model.BatchOf(d))
	if err != nil || z.X == nil || z.Dim() < 2 || z.Dim() > 1000 {
		return nil, err
	}
	var planes [][2]int
	for k := 0; k+1 < z.Dim() && len(planes) < 3; k += 2 {
		planes = append(planes, [2]int{k, k + 1})
	}
	var figures []*plotted
	if stats, err := gaussian.Estimate(z.X, d.Labels, d.Classes); err == nil {
		figures = append(figures, &plotted{Name: "features", figure: report.Ellipses("Features of the classes", stats,
			nil, planes,
			report.EllipsesOptions{})})
	}
	groups := make([]report.Points, len(d.Classes))
	for k, name := range d.Classes {
		groups[k].Name = name
	}
	for i, l := range d.Labels {
		if g := &groups[l]; len(g.X) < pointsShown {
			g.X, g.Y = append(g.X, z.X.At(i, 0)), append(g.Y, z.X.At(i, 1))
		}
	}
	return append(figures, &plotted{Name: "feature-points", figure: report.Scatter("Observations by their first two "+
		"features",
		groups, report.PlotOptions{X: report.Axis{Label: "feature 1"}, Y: report.Axis{Label: "feature 2"}})}), nil
}

// powerMaps draws the logarithm of the classes' power at the electrodes less its mean over the
// classes, nil where the channels are no electrodes.
func powerMaps(d *dataset.Data) *report.Figure {
	v := d.Vars["channels"]
	if d.Stack == nil || v == nil || len(v.Strings) != d.Stack.Dim || len(d.Classes) < 2 {
		return nil
	}
	n := d.Stack.Dim
	maps, counts := make([][]float64, len(d.Classes)), d.Counts()
	for k := range maps {
		maps[k] = make([]float64, n)
	}
	for i, l := range d.Labels {
		for j := range n {
			maps[l][j] += math.Log(d.Stack.At(i)[j*(n+1)]) / float64(max(1, counts[l]))
		}
	}
	for j := range n {
		mean := 0.0
		for k := range maps {
			mean += maps[k][j] / float64(len(maps))
		}
		for k := range maps {
			maps[k][j] -= mean
		}
	}
	f, err := report.ScalpMap("Logarithm of the classes' power less its mean", v.Strings, maps, d.Classes, false)
	if err != nil {
		return nil // channels that are not electrodes
	}
	return f
}

// writeFigures writes the figures and a page with all of them.
func writeFigures(dir string, m *model.Model, figures []*plotted, formats []string) error {
	if err := makeFolder(dir); err != nil {
		return err
	}
	section := report.Section{Heading: "Figures"}
	for _, p := range figures {
		for _, format := range formats {
			file := p.Name + "." + format
			if err := p.figure.WriteFile(filepath.Join(dir, file)); err != nil {
				return err
			}
			p.Files = append(p.Files, file)
		}
		section.Figures = append(section.Figures, p.figure)
	}
	return writePage(filepath.Join(dir, "index.html"), report.Page{Title: "A " + m.Method + " model",
		Sections: []report.Section{section}, Footer: "rao " + version})
}
