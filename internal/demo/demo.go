// Package demo runs the main tasks on embedded data, and writes a page with figures and a model. It is meant as a first
// program to run.
package demo

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"time"

	"rao/dataset"
	"rao/gaussian"
	"rao/internal/format/archive"
	"rao/internal/study"
	toys "rao/internal/synth"
	"rao/method"
	"rao/report"
	_ "rao/sets" // the digits
	"rao/sqfa"
	"rao/synth"
)

// Options specify the output of the demo and receive its progress.
type Options struct {
	Folder  string              // for the page, the figures and the model
	Footer  string              // of the page
	Say     func(text string)   // receives the next step of the demo
	Show    func(r *study.Rows) // receives the result of a step
	Monitor study.Monitor
}

// Result is the result of the demo. The JSON names must not change.
type Result struct {
	Digits   *study.Rows `json:"digits"`
	Matrices *study.Rows `json:"matrices"`
	Textures *study.Rows `json:"textures"`
	Report   string      `json:"report"`
	Model    string      `json:"model"`
	Seconds  float64     `json:"seconds"`
}

// Run runs the demo. The folder of the output must exist.
func Run(ctx context.Context, opt Options) (*Result, error) {
	start := time.Now()
	d := &run{Options: opt, page: report.Page{Title: "rao demo", Footer: opt.Footer,
		Subtitle: "Filters for handwritten digits, and prototypes on the manifold of SPD matrices"}}
	for _, part := range []func(context.Context) error{d.digits, d.toy, d.matrices, d.textures} {
		if err := part(ctx); err != nil {
			return nil, err
		}
	}
	d.result.Report = filepath.Join(d.Folder, "index.html")
	if err := d.page.WriteFile(d.result.Report); err != nil {
		return nil, err
	}
	d.result.Seconds = time.Since(start).Seconds()
	return &d.result, nil
}

// WriteResults writes the model of the matrices, and the results of each part as JSON, into a folder. It returns the
// paths of the results.
func (r *Result) WriteResults(folder string) (paths []string, err error) {
	prototypes := r.Matrices.Rows[len(r.Matrices.Rows)-1].Model
	if err := prototypes.Save(filepath.Join(folder, "matrices.rao")); err != nil {
		return nil, err
	}
	for _, part := range []struct {
		name string
		rows *study.Rows
	}{{"textures", r.Textures}, {"matrices", r.Matrices}, {"digits", r.Digits}} {
		b, err := json.Marshal(part.rows)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(folder, part.name+".json")
		if err := archive.WriteBytes(path, b); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// run collects the page and the result, part by part.
type run struct {
	Options
	page   report.Page
	result Result
}

// compare runs methods, given in the syntax of [method.Spec].
func (d *run) compare(ctx context.Context, c *study.Comparison, methods string, shared method.Settings) (*study.Rows,
	error) {
	list, err := method.ParseSpecs(methods, shared)
	if err != nil {
		return nil, err
	}
	return c.Run(ctx, list), nil
}

// show prints the result of a part. It returns an error if the part failed.
func (d *run) show(ctx context.Context, r *study.Rows) error {
	if err := cmp.Or(ctx.Err(), r.Err(ctx)); err != nil {
		return err
	}
	d.Show(r)
	return nil
}

func (d *run) write(name string, f *report.Figure) error {
	for _, ext := range []string{".svg", ".png"} {
		if err := f.WriteFile(filepath.Join(d.Folder, name+ext)); err != nil {
			return err
		}
	}
	return nil
}

// add writes a figure and adds it to a section.
func (d *run) add(s *report.Section, name string, f *report.Figure) error {
	s.Figures = append(s.Figures, f)
	return d.write(name, f)
}

// digits learns nine filters for the optical digits.
func (d *run) digits(ctx context.Context) error {
	d.Say("Handwritten digits: 1198 images of 8 × 8 pixels to learn from, 599 to test.")
	d.Say("Nine filters from only class means and covariances, then a quadratic classifier:\n")
	c := &study.Comparison{Monitor: d.Monitor}
	var err error
	if c.Train, err = dataset.Open(ctx, "digits:train", dataset.OpenOptions{RequireLabels: true}); err != nil {
		return err
	}
	if c.Test, err = dataset.Open(ctx, "digits:test", dataset.OpenOptions{RequireLabels: true}); err != nil {
		return err
	}
	if c.Stats, err = gaussian.Estimate(c.Train.X, c.Train.Labels, c.Train.Classes); err != nil {
		return err
	}
	r, err := d.compare(ctx, c, "pca,lda,smsqfa,sqfa,sqfa:aggregate=bayes",
		method.Settings{{Name: "noise", Value: "0.1"}})
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return err
	}
	r.Rows[len(r.Rows)-1].Method = "sqfa, Bayes bound"
	if err := d.show(ctx, r); err != nil {
		return err
	}
	d.result.Digits = r
	return d.digitsSection(r)
}

// digitsSection saves the best model and adds the figures.
func (d *run) digitsSection(r *study.Rows) error {
	best := r.Best()
	d.result.Model = filepath.Join(d.Folder, "digits.rao")
	if err := best.Model.Save(d.result.Model); err != nil {
		return err
	}
	s := r.Section()
	s.Heading = "Handwritten digits"
	s.Text = "1198 images of 8 × 8 pixels to learn from and 599 to test (UCI optical digits). Each method learns " +
		"nine linear filters; a quadratic classifier decides from their outputs. SQFA sees only the mean and the " +
		"covariance of each class.\n\n" + s.Text
	filters := report.Filters("Filters of "+best.Method, best.Model.Filters(), best.Model.Input.Image)
	confusion := report.Confusion("Confusions of "+best.Method, best.Scores.Confusion, best.Model.Classes)
	err := cmp.Or(d.write("accuracy", s.Figures[0]), d.add(&s, "filters", filters),
		d.add(&s, "convergence", r.Convergence()), d.add(&s, "confusion", confusion))
	d.page.Sections = append(d.page.Sections, s)
	return err
}

// toy shows which differences between classes the filters of SQFA use.
func (d *run) toy(ctx context.Context) error {
	stats := toys.ToyOne()
	m, err := sqfa.Fit(ctx, stats, sqfa.Options{Filters: 2, Noise: 0.01})
	if err != nil {
		return err
	}
	s := report.Section{
		Heading: "What the filters look for",
		Text: "Three classes in six dimensions. The covariances differ in dimensions 1 and 2, the means a little " +
			"in 3 and 4, and the variance is largest in 5 and 6, where nothing differs. SQFA finds the first pair; " +
			"linear discriminants would find the second, principal components the third.",
	}
	err = d.add(&s, "toy", report.Ellipses("Classes of toy problem 1 and the two filters of SQFA", stats, m.Filters,
		[][2]int{{0, 1}, {2, 3}, {4, 5}}, report.EllipsesOptions{}))
	d.page.Sections = append(d.page.Sections, s)
	return err
}

// matrices learns prototypes on the manifold.
func (d *run) matrices(ctx context.Context) error {
	d.Say("\nSPD matrices: four classes of 10 × 10, 1000 to learn from and 1000 to test (set I of the PLRSQ paper):\n")
	c := &study.Comparison{Monitor: d.Monitor}
	var err error
	if c.Train, err = synth.Generate("syn1", synth.GenerateOptions{Seed: 1}); err != nil {
		return err
	}
	if c.Test, err = synth.Generate("syn1", synth.GenerateOptions{Seed: 1, Part: 2}); err != nil {
		return err
	}
	r, err := d.compare(ctx, c, "mdm,plrsq:epochs=20:calibration=3:anneal=published:sigma2=8", nil)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return err
	}
	r.Rows[len(r.Rows)-1].Method = "plrsq"
	if err := d.show(ctx, r); err != nil {
		return err
	}
	d.result.Matrices = r
	s := r.Section()
	s.Heading = "Matrices on their manifold"
	s.Text = "Four classes of 10 × 10 SPD matrices that neither eigenvalues nor eigenvectors alone can distinguish. " +
		"The table compares the nearest class mean with prototypes learned by Riemannian gradient descent.\n\n" + s.Text
	last := r.Rows[len(r.Rows)-1]
	learned, err := report.Learned(last.Model, last.Method)
	if err != nil {
		return err
	}
	err = d.add(&s, "prototypes", learned[0])
	d.page.Sections = append(d.page.Sections, s)
	return err
}
