package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"rao/dataset"
	"rao/gaussian"
	"rao/method"
	"rao/model"
	"rao/report"
	"rao/sqfa"
	"rao/synth"
)

// demoResult is the JSON of the demo.
type demoResult struct {
	Digits   *compareResult `json:"digits"`
	Matrices *compareResult `json:"matrices"`
	Textures *compareResult `json:"textures"`
	Report   string         `json:"report"`
	Model    string         `json:"model"`
	Seconds  float64        `json:"seconds"`
}

func demoCommand(a *app) *cobra.Command {
	dir := "rao-demo"
	var open bool
	s := server{reload: 2, maxBodyMB: 64}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "The main jobs on embedded data, from file to picture",
		Long: `Learn filters for handwritten digits with SQFA and the methods it is compared with,
learn prototypes for SPD matrices with PLRSQ, tell textures by covariance descriptors,
print what comes out, and write a page with the figures, the figures themselves, and a
model that the other verbs take.

--serve then serves what was learned, with a model of simulated EEG beside it, as rao
serve does: a page to see the models, try them, replay the EEG and compare the methods.`,
		Example: "  rao demo --out rao-demo\n  rao demo --serve\n  rao demo eeg",
		Args:    noArgs,
	}
	outputFlag(cmd, &dir, "out", folderOutput, "folder for the page, the figures and the model")
	cmd.Flags().BoolVar(&open, "serve", false, "serve the models and a page when all is done, until Ctrl-C")
	textVar(cmd.Flags(), &s.addr, "addr", "HOST:PORT", "127.0.0.1:8080",
		"with --serve: address and port to listen on; port 0 "+
			"takes a free one")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("addr") && !open {
			return usagef("--addr is for --serve")
		}
		start := time.Now()
		if err := makeFolder(dir); err != nil {
			return err
		}
		d := demo{app: a, dir: dir, page: report.Page{Title: "rao demo", Footer: "rao " + version,
			Subtitle: "Filters for handwritten digits, and prototypes on the manifold of SPD matrices"}}
		for _, part := range []func(context.Context) error{d.digits, d.toy, d.matrices, d.textures} {
			if err := part(cmd.Context()); err != nil {
				return err
			}
		}
		d.result.Report = filepath.Join(dir, "index.html")
		if err := writePage(d.result.Report, d.page); err != nil {
			return err
		}
		d.result.Seconds = time.Since(start).Seconds()
		err := a.emit(&d.result, func() {
			fmt.Fprintf(a.out, "\nPage with figures: %s\n", d.result.Report)
			fmt.Fprintf(a.out, "Use the model:     rao evaluate --model %s --data digits:test\n", d.result.Model)
			fmt.Fprintf(a.out, "Done in %s.\n", seconds(d.result.Seconds))
		})
		if err != nil || !open {
			return err
		}
		return d.serve(cmd.Context(), &s)
	}
	cmd.AddCommand(demoEEGCommand(a))
	return cmd
}

// demo grows the page and the result part by part.
type demo struct {
	*app
	dir        string
	page       report.Page
	result     demoResult
	prototypes *model.Model // of the matrices
}

func (d *demo) say(format string, args ...any) {
	if !d.json {
		fmt.Fprintf(d.out, format+"\n", args...)
	}
}

// figure writes a figure and returns it for the page.
func (d *demo) figure(name string, f *report.Figure) (*report.Figure, error) {
	return f, writeFigure(d.dir, name, f)
}

// digitMethods are what the demo compares on the digits.
var digitMethods = []string{"pca", "lda", "smsqfa", "sqfa"}

// digits learns nine filters for the optical digits.
func (d *demo) digits(ctx context.Context) error {
	d.say("Handwritten digits: 1198 images of 8 × 8 pixels to learn from, 599 to test.")
	d.say("Nine filters from class means and covariances alone, then a quadratic classifier:\n")
	var c comparison
	var err error
	if c.train, err = dataset.Open(ctx, "digits:train", dataset.OpenOptions{RequireLabels: true}); err != nil {
		return err
	}
	if c.test, err = dataset.Open(ctx, "digits:test", dataset.OpenOptions{RequireLabels: true}); err != nil {
		return err
	}
	if c.stats, err = gaussian.Estimate(c.train.X, c.train.Labels, c.train.Classes); err != nil {
		return err
	}
	var list []*method.Method
	for _, name := range digitMethods {
		m, err := method.Lookup(name)
		if err != nil {
			return err
		}
		list = append(list, m)
	}
	set := method.Settings{{Name: "noise", Value: "0.1"}}
	res := d.runComparison(ctx, &c, list, set)
	bayes, err := method.Lookup("sqfa")
	if err != nil {
		return err
	}
	row := d.compareOne(ctx, &c, bayes, set.With("aggregate", "bayes"), nil)
	row.Method = "sqfa, Bayes bound"
	res.Rows = append(res.Rows, row)
	if err := cmp.Or(ctx.Err(), res.failure(ctx)); err != nil {
		return err
	}
	d.result.Digits = res
	if !d.json {
		d.indent(func() { d.printComparison(res) })
	}
	return d.digitsPage(res)
}

// digitsPage saves the best model and adds the figures.
func (d *demo) digitsPage(res *compareResult) error {
	best := bestRow(res)
	d.result.Model = filepath.Join(d.dir, "digits.rao")
	if err := best.model.Save(d.result.Model); err != nil {
		return err
	}
	s := accuracySection(res)
	s.Heading = "Handwritten digits"
	s.Text = "1198 images of 8 × 8 pixels to learn from and 599 to test (UCI optical digits). Each method learns " +
		"nine linear filters; a quadratic classifier decides on what they give. SQFA sees only the mean and the " +
		"covariance of each class.\n\n" + s.Text
	if err := writeFigure(d.dir, "accuracy", s.Figures[0]); err != nil {
		return err
	}
	filters, err := d.figure("filters", filterFigure(best.model, best.Method))
	if err != nil {
		return err
	}
	confusion, err := d.figure("confusion",
		report.Confusion("Confusions of "+best.Method, best.scores.Confusion, best.model.Classes))
	if err != nil {
		return err
	}
	convergence, err := d.figure("convergence", convergenceFigure(res))
	if err != nil {
		return err
	}
	s.Figures = append(s.Figures, filters, convergence, confusion)
	d.page.Sections = append(d.page.Sections, s)
	return nil
}

// toy shows what the filters of three methods look for.
func (d *demo) toy(ctx context.Context) error {
	stats := synth.ToyOne()
	m, err := sqfa.Fit(ctx, stats, sqfa.Options{Filters: 2, Noise: 0.01})
	if err != nil {
		return err
	}
	f, err := d.figure("toy", report.Ellipses("Classes of toy problem 1 and the two filters of SQFA", stats, m.Filters,
		[][2]int{{0, 1}, {2, 3}, {4, 5}}, report.EllipsesOptions{}))
	if err != nil {
		return err
	}
	d.page.Sections = append(d.page.Sections, report.Section{
		Heading: "What the filters look for",
		Text: "Three classes in six dimensions. The covariances differ in dimensions 1 and 2, the means a little " +
			"in 3 and 4, and the variance is largest in 5 and 6, where nothing differs. SQFA takes the first pair; " +
			"linear discriminants would take the second, principal components the third.",
		Figures: []*report.Figure{f},
	})
	return nil
}

// matrices learns prototypes on the manifold.
func (d *demo) matrices(ctx context.Context) error {
	d.say("\nSPD matrices: four classes of 10 × 10, 1000 to learn from and 1000 to test (set I of the PLRSQ paper):\n")
	var c comparison
	var err error
	if c.train, err = synth.Generate("syn1", synth.GenerateOptions{Seed: 1}); err != nil {
		return err
	}
	if c.test, err = synth.Generate("syn1", synth.GenerateOptions{Seed: 1, Part: 2}); err != nil {
		return err
	}
	set := method.Settings{{Name: "epochs", Value: "20"}, {Name: "calibration", Value: "3"},
		{Name: "anneal", Value: "published"}, {Name: "sigma2", Value: "8"}}
	var list []*method.Method
	for _, name := range []string{"mdm", "plrsq"} {
		m, err := method.Lookup(name)
		if err != nil {
			return err
		}
		list = append(list, m)
	}
	res := d.runComparison(ctx, &c, list, set)
	if err := cmp.Or(ctx.Err(), res.failure(ctx)); err != nil {
		return err
	}
	d.result.Matrices = res
	if !d.json {
		d.indent(func() { d.printComparison(res) })
	}
	return d.matricesPage(res)
}

func (d *demo) matricesPage(res *compareResult) error {
	s := accuracySection(res)
	s.Heading = "Matrices on their manifold"
	s.Text = "Four classes of 10 × 10 SPD matrices that neither eigenvalues nor eigenvectors alone tell apart. The " +
		"nearest class mean, and prototypes learned by Riemannian gradient.\n\n" + s.Text
	last := res.Rows[len(res.Rows)-1]
	d.prototypes = last.model
	learned, err := report.Learned(last.model, last.Method)
	if err != nil {
		return err
	}
	f, err := d.figure("prototypes", learned[0])
	if err != nil {
		return err
	}
	s.Figures = append(s.Figures, f)
	d.page.Sections = append(d.page.Sections, s)
	return nil
}
