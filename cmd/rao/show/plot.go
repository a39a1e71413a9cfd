package show

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"rao"
	"rao/cmd/rao/internal/app"
	"rao/evaluate"
	"rao/internal/datafigures"
	"rao/internal/text"
	"rao/method"
	"rao/model"
	"rao/report"
)

type plotFlags struct {
	data               app.DataFlags
	out, formats, size string
}

// plotted is a figure with the names of its files.
type plotted struct {
	Name   string   `json:"name"`
	Files  []string `json:"files"`
	figure *report.Figure
}

func plotCommand(a *app.App) *cobra.Command {
	var f plotFlags
	cmd := &cobra.Command{
		Use:   "plot",
		Short: "Draw figures of a model and of its results on data",
		Long: `Draw what a model has learned, and with --data its results on data: filters as images or
curves, class means and prototypes, pairs of features with the ellipses of the classes,
matrices in the tangent space of their mean, and scalp maps with one row per band. Labeled
data add the confusion matrix, the reliability of the probabilities, and the error of the
accepted decisions. The folder gets one file per figure and format, and a page with all
figures.`,
		Example: `  rao plot --model model.rao --data test.npz --out figs
  rao plot --model model.rao --size 28x28 --format svg,pdf --out figs`,
		Args: app.NoArgs,
	}
	path := app.ModelFlag(cmd)
	f.data.Add(cmd, "data", "data of the shape the model was fitted to; without data, only the model is drawn")
	app.TextVar(cmd.Flags(), &f.formats, "format", "FORMAT,...", "svg,png",
		"formats of the figures, separated by commas: svg, png, pdf")
	app.TextVar(cmd.Flags(), &f.size, "size", "ROWSxCOLS", "",
		"rows and columns of the images that filters are drawn as, such as "+
			"28x28; by "+
			"default the shape of the data, or a square")
	app.OutputFlag(cmd, &f.out, "out", app.FolderOutput, "folder for the figures")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		formats, err := parseFormats(f.formats)
		if err != nil {
			return err
		}
		f.data.Optional = true
		m, err := a.ModelFor(cmd.Context(), *path, &f.data, &f.out)
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
			return fmt.Errorf("%s: the %s model has nothing to draw without data; give --data", *path, m.Method)
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
	formats := text.SplitList(s)
	for _, f := range formats {
		if !slices.Contains(known, f) {
			return nil, app.Usagef("--format: %v", &rao.UnknownError{Kind: "format", Name: f, Known: known})
		}
	}
	if formats == nil {
		return nil, app.Usagef("--format must be svg, png or pdf, or several of them separated by commas")
	}
	return formats, nil
}

// imageSize returns the numbers of rows, columns and colors of the images that show the filters. If they are zero, the
// filters are drawn as curves. note is a remark for the user if neither the model nor --size gives the shape.
func imageSize(in *model.Schema, size string) (shape [3]int, note string, err error) {
	n := in.Dim
	if size == "" {
		side := int(math.Round(math.Sqrt(float64(n))))
		switch {
		case in.Image[0] > 0:
			return in.Image, "", nil
		case in.Columns != nil:
			return shape, "the columns have names, so filters are drawn as curves; --size ROWSxCOLS draws images",
				nil
		case side*side == n && side > 1:
			return [3]int{side, side, 1}, fmt.Sprintf("filters are drawn as images of %d×%d; use --size if that is "+
				"wrong",
				side, side), nil
		}
		return shape, fmt.Sprintf("%d is not a square number, so filters are drawn as curves; --size ROWSxCOLS "+
			"draws images", n), nil
	}
	parts := strings.Split(size, "x")
	if len(parts) != 2 && len(parts) != 3 {
		return shape, "", app.Usagef("--size %q: give ROWSxCOLS, or ROWSxCOLSx3 for colors", size)
	}
	shape[2] = 1
	for i, p := range parts {
		v, err := strconv.Atoi(p)
		if err != nil || v < 1 || v > n {
			return shape, "", app.Usagef("--size %q: give ROWSxCOLS, or ROWSxCOLSx3 for colors", size)
		}
		shape[i] = v
	}
	if shape[0]*shape[1]*shape[2] != n {
		return shape, "", app.Usagef("--size %s gives %d values, but a filter has %d; give rows and columns whose "+
			"product is %[3]d", size, shape[0]*shape[1]*shape[2], n)
	}
	return shape, "", nil
}

// plotModel draws the parameters of the model.
func plotModel(a *app.App, m *model.Model, size string) ([]*plotted, error) {
	var figures []*plotted
	if filters := m.Filters(); filters != nil {
		n, _ := filters.Dims()
		in := m.Input
		if n != in.Dim { // the filters apply to the output of an earlier stage
			in = model.Schema{Dim: n}
		}
		shape, note, err := imageSize(&in, size)
		if err != nil {
			return nil, err
		}
		if note != "" {
			a.Note("%s", note)
		}
		f := report.Filters("Filters of "+m.Method, filters, shape)
		if f == nil {
			f = datafigures.FilterCurves(m, filters)
		}
		figures = append(figures, &plotted{Name: "filters", figure: f})
	} else if size != "" {
		return nil, app.Usagef("--size is for filters, and the %s model has none; leave it out", m.Method)
	}
	others := *m
	others.Input.Image = [3]int{} // the filters are already drawn
	learned, err := report.Learned(&others, m.Method)
	if err != nil {
		return nil, err
	}
	for i, f := range learned {
		figures = append(figures, &plotted{Name: fmt.Sprintf("learned-%d", i+1), figure: f})
	}
	return figures, nil
}

// plotData draws the output of the model for the data.
func plotData(ctx context.Context, a *app.App, m *model.Model, data *app.DataFlags) ([]*plotted, error) {
	d, err := data.Open(ctx, a, "data", false)
	if err != nil {
		return nil, err
	}
	if d.Labels == nil {
		a.Note("%s has no labels, so classes and errors are not drawn", d.Source)
		return nil, nil
	}
	classes, err := datafigures.Classes(ctx, m, d)
	if err != nil {
		return nil, err
	}
	var figures []*plotted
	for _, f := range classes {
		figures = append(figures, &plotted{Name: f.Name, figure: f.Figure})
	}
	if m.Classifier == nil {
		return figures, nil
	}
	truth, p, err := method.PredictLabeled(ctx, m, d)
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
	figures = append(figures, &plotted{Name: "reliability", figure: report.Reliability(scores)})
	return append(figures, &plotted{Name: "risk", figure: report.RiskCoverage(curve)}), nil
}

// writeFigures writes the figures and a page that shows all of them.
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
