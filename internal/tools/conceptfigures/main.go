// Command conceptfigures draws the figures of docs/concepts.md:
//
//	go run ./internal/tools/conceptfigures docs/images
package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/gaussian"
	"rao/report"
	_ "rao/sets"
	"rao/spd"
	"rao/sqfa"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./internal/tools/conceptfigures FOLDER")
		os.Exit(2)
	}
	if err := draw(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func draw(ctx context.Context, dir string) error {
	filter, err := filterFigure(ctx)
	if err != nil {
		return err
	}
	manifold, err := manifoldFigure()
	if err != nil {
		return err
	}
	recenter, err := recenterFigure(ctx)
	if err != nil {
		return err
	}
	for name, f := range map[string]*report.Figure{
		"concept-filter.svg": filter, "concept-ellipses.svg": ellipsesFigure(),
		"concept-manifold.svg": manifold, "concept-prototypes.svg": prototypesFigure(),
		"concept-recentering.svg": recenter,
	} {
		if err := f.WriteFile(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// filterFigure shows a filter that separates three digits, and the densities of its responses.
func filterFigure(ctx context.Context) (*report.Figure, error) {
	d, err := dataset.Open(ctx, "digits:train", dataset.OpenOptions{})
	if err != nil {
		return nil, err
	}
	var rows []int
	for i, l := range d.Labels {
		if l < 3 {
			rows = append(rows, i)
		}
	}
	d = d.Subset(rows)
	stats, err := gaussian.Estimate(d.X, d.Labels, d.Classes[:3])
	if err != nil {
		return nil, err
	}
	m, err := sqfa.Fit(ctx, stats, sqfa.Options{Filters: 1, Noise: 20})
	if err != nil {
		return nil, err
	}
	out := stats.Project(m.Filters)
	var curves []report.Line
	low, high := math.Inf(1), math.Inf(-1)
	for k := range out.Classes {
		mean, sd := out.Mean(k)[0], math.Sqrt(out.Covariance(k).At(0, 0))
		low, high = math.Min(low, mean-4*sd), math.Max(high, mean+4*sd)
	}
	for k, name := range out.Classes {
		mean, sd := out.Mean(k)[0], math.Sqrt(out.Covariance(k).At(0, 0))
		l := report.Line{Name: "digit " + name}
		for i := range 201 {
			x := low + (high-low)*float64(i)/200
			l.X = append(l.X, x)
			l.Y = append(l.Y, math.Exp(-(x-mean)*(x-mean)/(2*sd*sd))/(sd*math.Sqrt(2*math.Pi)))
		}
		curves = append(curves, l)
	}
	return report.Panels("A filter and its responses", 2,
		report.Filters("The filter", m.Filters, [3]int{8, 8, 1}, "weights of 64 pixels"),
		report.Lines("Responses of three classes", curves,
			report.PlotOptions{X: report.Axis{Label: "response"}, Y: report.Axis{Label: "density"}})), nil
}

// ellipsesFigure shows two pairs of classes: one pair differs in the means, the other in the covariances.
func ellipsesFigure() *report.Figure {
	pair := func(title string, means []float64, covariances ...[]float64) *report.Figure {
		s := &gaussian.Statistics{Classes: []string{"a", "b"}, Counts: []int{100, 100}, Dim: 2, Means: means,
			Covariances: slices.Concat(covariances...)}
		return report.Ellipses(title, s, nil, [][2]int{{0, 1}}, report.EllipsesOptions{})
	}
	round, flat, steep := []float64{1, 0, 0, 1}, []float64{1.6, 1.2, 1.2, 1.6}, []float64{1.6, -1.2, -1.2, 1.6}
	return report.Panels("Classes as ellipses", 2,
		pair("The means differ", []float64{-1.5, 0, 1.5, 0}, round, round),
		pair("The covariances differ", []float64{0, 0, 0, 0}, flat, steep))
}

// manifoldFigure shows the size of the matrices between two covariances.
func manifoldFigure() (*report.Figure, error) {
	a, b := mat.NewSymDense(2, []float64{4, 0, 0, 0.25}), mat.NewSymDense(2, []float64{0.25, 0, 0, 4})
	straight, geodesic := report.Line{Name: "straight line", Dashed: true}, report.Line{Name: "geodesic"}
	for i := range 41 {
		t := float64(i) / 40
		var mix mat.SymDense
		mix.ScaleSym(1-t, a)
		for p := range 2 {
			for q := p; q < 2; q++ {
				mix.SetSym(p, q, mix.At(p, q)+t*b.At(p, q))
			}
		}
		var g mat.SymDense
		if err := spd.Geodesic(&g, spd.Riemann, a, b, t); err != nil {
			return nil, err
		}
		straight.X, straight.Y = append(straight.X, t), append(straight.Y, mat.Det(&mix))
		geodesic.X, geodesic.Y = append(geodesic.X, t), append(geodesic.Y, mat.Det(&g))
	}
	return report.Lines("From one covariance to another", []report.Line{straight, geodesic},
		report.PlotOptions{X: report.Axis{Label: "position along the path"},
			Y: report.Axis{Label: "determinant: area of the ellipse, squared"}}), nil
}

func cloud(rng *rand.Rand, name string, x, y, spread float64, count int) report.Points {
	p := report.Points{Name: name}
	for range count {
		p.X, p.Y = append(p.X, x+spread*rng.NormFloat64()), append(p.Y, y+spread*rng.NormFloat64())
	}
	return p
}

// prototypesFigure shows two classes with their prototypes, in the plane of two logarithms.
func prototypesFigure() *report.Figure {
	rng := rand.New(rand.NewPCG(1, 1))
	left, right := cloud(rng, "rest", -1, 0.6, 0.35, 40), cloud(rng, "movement", 0.8, 0.9, 0.35, 20)
	other := cloud(rng, "movement", 0.3, -0.9, 0.35, 20)
	right.X, right.Y = append(right.X, other.X...), append(right.Y, other.Y...)
	return report.Scatter("Prototypes", []report.Points{left, right,
		{Name: "prototypes", X: []float64{-0.9, 0.75, 0.3}, Y: []float64{0.5, 0.85, -0.85},
			Label: []string{"rest", "movement", "movement"}}},
		report.PlotOptions{X: report.Axis{Label: "log variance of electrode 1"},
			Y: report.Axis{Label: "log variance of electrode 2"}})
}

// recenterFigure shows one class in two recordings, as recorded and re-centered.
func recenterFigure(ctx context.Context) (*report.Figure, error) {
	rng := rand.New(rand.NewPCG(2, 1))
	days := [2]*spd.Stack{}
	for day, at := range [2][2]float64{{-0.9, -0.5}, {0.9, 0.8}} {
		days[day] = spd.NewStack(40, 2)
		c := cloud(rng, "", at[0], at[1], 0.3, 40)
		for i := range 40 {
			m := days[day].At(i)
			m[0], m[3] = math.Exp(c.X[i]), math.Exp(c.Y[i])
		}
	}
	points := func(x [2]*spd.Stack) []report.Points {
		out := []report.Points{{Name: "Monday"}, {Name: "Tuesday"}}
		for day, s := range x {
			for i := range s.Count {
				m := s.At(i)
				out[day].X, out[day].Y = append(out[day].X, math.Log(m[0])), append(out[day].Y, math.Log(m[3]))
			}
		}
		return out
	}
	before := points(days)
	for day := range days {
		mean, _, err := spd.Mean(ctx, days[day], nil, spd.Riemann, spd.MeanOptions{})
		if err != nil {
			return nil, err
		}
		if err := spd.Recenter(days[day], days[day], mean, nil); err != nil {
			return nil, err
		}
	}
	axes := report.PlotOptions{
		X: report.Axis{Label: "log variance 1", Min: -2, Max: 2},
		Y: report.Axis{Label: "log variance 2", Min: -2, Max: 2}}
	return report.Panels("Re-centering", 2, report.Scatter("As recorded", before, axes),
		report.Scatter("Re-centered", points(days), axes)), nil
}
