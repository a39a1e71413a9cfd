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

	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/evaluate"
	"rao/feature"
	"rao/gaussian"
	"rao/internal/suggest"
	"rao/internal/text"
	"rao/method"
	"rao/model"
	"rao/report"
	"rao/spd"
)

// plotFlags are the flags of plot.
type plotFlags struct {
	data               app.DataFlags
	out, formats, size string
}

// plotted is a figure with the name of its files.
type plotted struct {
	Name   string   `json:"name"`
	Files  []string `json:"files"`
	figure *report.Figure
}

func plotCommand(a *app.App) *cobra.Command {
	var f plotFlags
	cmd := &cobra.Command{
		Use:   "plot",
		Short: "Pictures of a model and of what it makes of data",
		Long: `Draw what a model has learned, and with --data what it makes of data: filters as images
or curves, class means and prototypes, pairs of features with the ellipses of their
classes, matrices in the tangent space of their mean, and scalp maps, a row a band. Data
with labels add confusions, reliability, and the error among those decided on. The folder
has a file for each figure and format, and a page with them all.`,
		Example: `  rao plot --model model.rao --data test.npz --out figs
  rao plot --model model.rao --size 28x28 --format svg,pdf --out figs`,
		Args: app.NoArgs,
	}
	path := app.ModelFlag(cmd)
	f.data.Add(cmd, "data", "data of the shape the model was fitted to; without them the model alone is drawn")
	app.TextVar(cmd.Flags(), &f.formats, "format", "FORMAT,...", "svg,png",
		"formats of the figures, separated by commas: svg, png, pdf")
	app.TextVar(cmd.Flags(), &f.size, "size", "ROWSxCOLS", "",
		"rows and columns of the images that filters are drawn as, such as "+
			"28x28; by "+
			"default those of the data, or a square")
	app.OutputFlag(cmd, &f.out, "out", app.FolderOutput, "folder for the figures")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		formats, err := parseFormats(f.formats)
		if err != nil {
			return err
		}
		m, err := modelFor(cmd.Context(), a, *path, &f.data, &f.out)
		if err != nil {
			return err
		}
		figures, err := plotModel(a, m, f.size)
		if err != nil {
			return err
		}
		if f.data.Spec != "" {
			more, err := plotData(cmd.Context(), a, m, &f.data)
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
		return a.Emit(r, func() {
			for _, p := range figures {
				fmt.Fprintln(a.Out, strings.Join(p.Files, " "))
			}
			fmt.Fprintf(a.Out, "%s, and a page, index.html, in %s\n", text.Plural(len(figures), "figure", "figures"),
				f.out)
		})
	}
	return cmd
}

func parseFormats(s string) ([]string, error) {
	known := []string{"svg", "png", "pdf"}
	formats := app.SplitList(s)
	for _, f := range formats {
		if !slices.Contains(known, f) {
			return nil, app.Usagef("--format: %v", suggest.Unknown("format", f, known))
		}
	}
	if formats == nil {
		return nil, app.Usagef("--format takes svg, png, pdf, separated by commas")
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
		return shape, "", app.Usagef("--size %q: want ROWSxCOLUMNS, or ROWSxCOLUMNSx3 for colors", size)
	}
	shape[2] = 1
	for i, p := range parts {
		v, err := strconv.Atoi(p)
		if err != nil || v < 1 || v > n {
			return shape, "", app.Usagef("--size %q: want ROWSxCOLUMNS, or ROWSxCOLUMNSx3 for colors", size)
		}
		shape[i] = v
	}
	if shape[0]*shape[1]*shape[2] != n {
		return shape, "", app.Usagef("--size %s: that is %d values, and the model takes %d", size,
			shape[0]*shape[1]*shape[2], n)
	}
	return shape, "", nil
}

// plotModel draws what the model holds itself.
func plotModel(a *app.App, m *model.Model, size string) ([]*plotted, error) {
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
			a.Note("%s", said)
		}
		f := report.FilterImages("Filters of "+m.Method, filters, shape)
		if f == nil {
			f = filterCurves(m, filters)
		}
		figures = append(figures, &plotted{Name: "filters", figure: f})
	} else if size != "" {
		return nil, app.Usagef("--size is for filters, and a %s model has none", m.Method)
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
func plotData(ctx context.Context, a *app.App, m *model.Model, data *app.DataFlags) ([]*plotted, error) {
	d, err := data.Open(ctx, a, "data", false)
	if err != nil {
		return nil, err
	}
	if d.Labels == nil {
		a.Note("%s holds no labels, so that nothing is drawn of classes and errors", d.Source)
		return nil, nil
	}
	figures, err := plotClasses(ctx, m, d)
	if err != nil {
		return nil, err
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
	if len(m.Classes) <= app.Printable {
		figures = append(figures, &plotted{Name: "confusion", figure: report.Confusion("Confusions", scores.Confusion,
			m.Classes)})
	}
	curve := evaluate.PosteriorRisk(truth, p.LogPosterior)
	var bins reliability
	bins.add(truth, p)
	figures = append(figures, &plotted{Name: "reliability", figure: bins.figure(scores.ECE)})
	return append(figures, &plotted{Name: "risk", figure: riskFigure(curve)}), nil
}

// plotClasses draws where labeled data lie: their features, matrices and electrodes.
func plotClasses(ctx context.Context, m *model.Model, d *dataset.Data) ([]*plotted, error) {
	var figures []*plotted
	if m.HasFeatures() {
		f, err := report.Features(ctx, m, d, drawnFeatures)
		if err != nil {
			return nil, err
		}
		if f != nil {
			figures = append(figures, &plotted{Name: "features", figure: f})
		}
	}
	f, err := tangentMap(ctx, d)
	if err != nil {
		return nil, err
	}
	if f != nil {
		figures = append(figures, &plotted{Name: "tangent-space", figure: f})
	}
	if f := powerMaps(d); f != nil {
		figures = append(figures, &plotted{Name: "class-power", figure: f})
	}
	return figures, nil
}

func riskFigure(curve *evaluate.RiskCurve) *report.Figure {
	return report.Lines("Error among those decided on", []report.Line{{Name: "error", X: curve.Coverage,
		Y: curve.Risk}},
		report.PlotOptions{X: report.Axis{Label: "share decided on", Percent: true},
			Y: report.Axis{Label: "error", Percent: true}})
}

// reliability counts decisions in 15 bins of their probability.
type reliability [15]report.ReliabilityBin

func (r *reliability) add(truth []int, p *model.Prediction) {
	for i, label := range p.Label {
		c := math.Exp(p.LogPosterior.At(i, label))
		b := &r[min(max(int(math.Ceil(c*float64(len(r))))-1, 0), len(r)-1)]
		b.Count++
		b.Confidence += c
		if truth[i] == label {
			b.Accuracy++
		}
	}
}

func (r *reliability) figure(calibrationError float64) *report.Figure {
	bins := slices.Clone(r[:])
	for i := range bins {
		if n := float64(bins[i].Count); n > 0 {
			bins[i].Confidence /= n
			bins[i].Accuracy /= n
		}
	}
	return report.Reliability("Reliability", bins, calibrationError)
}

// drawnFeatures is how many features are drawn, each with each.
const drawnFeatures = 4

// tangentMap draws matrices by the two leading principal components of their tangent vectors
// at the mean of all; nil where there is none, and of so many that it takes long.
func tangentMap(ctx context.Context, d *dataset.Data) (*report.Figure, error) {
	if d.Stack == nil || d.Stack.Dim < 2 || d.Stack.Dim > 44 || d.N() < 3 || d.N() > 20000 {
		return nil, ctx.Err()
	}
	mean, _, err := spd.Mean(ctx, d.Stack, nil, spd.Riemann, spd.MeanOptions{})
	if err != nil {
		return nil, ctx.Err() // matrices that the model repairs
	}
	t := mat.NewDense(d.N(), spd.TangentDim(d.Stack.Dim), nil)
	if err := spd.TangentVectors(ctx, t, d.Stack, mean); err != nil {
		return nil, ctx.Err()
	}
	all, err := gaussian.Estimate(t, make([]int, d.N()), []string{"all"})
	if err != nil {
		return nil, ctx.Err()
	}
	pca, err := feature.FitPCA(all, feature.PCAOptions{Filters: 2})
	if err != nil {
		return nil, ctx.Err()
	}
	z := mat.NewDense(d.N(), 2, nil)
	pca.Transform(z, t)
	return report.ClassPlanes("Matrices in the tangent space of their mean", "principal component", z, d, 2), nil
}

// powerMaps draws the logarithm of the classes' power at the electrodes less its mean over the
// classes, a row a band; nil where the channels are no electrodes.
func powerMaps(d *dataset.Data) *report.Figure {
	v := d.Vars["channels"]
	if d.Stack == nil || v == nil || len(v.Strings) != d.Stack.Dim || len(d.Classes) < 2 {
		return nil
	}
	electrodes, bands, ok := byBand(v.Strings)
	if !ok {
		return nil
	}
	power := classPowers(d)
	var maps [][]float64
	var names []string
	for b, band := range bands {
		for k, class := range d.Classes {
			maps = append(maps, power[k][b*len(electrodes):(b+1)*len(electrodes)])
			if band != "" {
				class += ", " + band
			}
			names = append(names, class)
		}
	}
	opt := report.ScalpOptions{}
	if len(bands) > 1 {
		opt.Columns = len(d.Classes)
	}
	f, err := report.ScalpMap("Logarithm of the classes' power less its mean", electrodes, maps, names, opt)
	if err != nil {
		return nil // channels that are not electrodes
	}
	return f
}

// byBand splits names of channels as recipe.Signal.Names joins them, the electrodes of one
// band after those of another; ok is false where the bands have different electrodes.
func byBand(channels []string) (electrodes, bands []string, ok bool) {
	for i, c := range channels {
		name, band, _ := strings.Cut(c, " ")
		if i == 0 || band != bands[len(bands)-1] {
			bands = append(bands, band)
		}
		if len(bands) == 1 {
			electrodes = append(electrodes, name)
		} else if electrodes[i%len(electrodes)] != name {
			return nil, nil, false
		}
	}
	return electrodes, bands, len(bands)*len(electrodes) == len(channels)
}

// classPowers is the mean logarithm of each class's power at each channel, less the mean of
// the classes.
func classPowers(d *dataset.Data) [][]float64 {
	n := d.Stack.Dim
	power, counts := make([][]float64, len(d.Classes)), d.Counts()
	for k := range power {
		power[k] = make([]float64, n)
	}
	for i, l := range d.Labels {
		for j := range n {
			power[l][j] += math.Log(d.Stack.At(i)[j*(n+1)]) / float64(max(1, counts[l]))
		}
	}
	for j := range n {
		mean := 0.0
		for k := range power {
			mean += power[k][j] / float64(len(power))
		}
		for k := range power {
			power[k][j] -= mean
		}
	}
	return power
}

// writeFigures writes the figures and a page with all of them.
func writeFigures(dir string, m *model.Model, figures []*plotted, formats []string) error {
	if err := app.MakeFolder(dir); err != nil {
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
	page := report.Page{Title: "Model: " + m.Method,
		Sections: []report.Section{section}, Footer: "rao " + app.Version}
	return page.WriteFile(filepath.Join(dir, "index.html"))
}
