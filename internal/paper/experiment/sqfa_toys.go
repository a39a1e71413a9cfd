package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/feature"
	"rao/gaussian"
	"rao/report"
	"rao/sqfa"
)

// This file contains the toy problems of the paper, with the parameters of the authors' public scripts.

// toyProblem contains the population statistics of three equally likely classes, and the feature noise.
type toyProblem struct {
	stats *gaussian.Statistics
	noise float64
}

func newToy(dim int, noise float64) toyProblem {
	t := toyProblem{gaussian.New([]string{"a", "b", "c"}, dim), noise}
	for i := range t.stats.Counts {
		t.stats.Counts[i] = 1 << 20
	}
	return t
}

// turned sets the covariance of a class in dimensions at and at+1. The variances are u and v, rotated by the given
// angle.
func (t toyProblem) turned(class, at int, u, v, degrees float64) {
	setRotated(t.stats.Covariance(class), at, u, v, degrees*math.Pi/180)
}

// setRotated sets a covariance in dimensions at and at+1 to the variances u and v, rotated by an angle in radians.
func setRotated(c *mat.SymDense, at int, u, v, angle float64) {
	sin, cos := math.Sincos(angle)
	n, x := c.SymmetricDim(), c.RawSymmetric().Data
	x[at*n+at], x[(at+1)*n+at+1] = u*cos*cos+v*sin*sin, u*sin*sin+v*cos*cos
	x[at*n+at+1] = (u - v) * sin * cos
	x[(at+1)*n+at] = x[at*n+at+1]
}

// toyOne returns the problem in six dimensions of figure 2. The covariances differ in dimensions 1-2 and the means in
// 3-4. Dimensions 5-6 have the largest variance.
func toyOne() toyProblem {
	t := newToy(6, 0.002)
	for i, m := range [3][2]float64{{-0.25, -0.25}, {0.25, -0.25}, {0, 0.25}} {
		t.turned(i, 0, 0.9, 0.02, [3]float64{10, 45, 80}[i])
		copy(t.stats.Mean(i)[2:], m[:])
		t.turned(i, 2, 0.6, 0.6, 0)
		v := [3]float64{0.9, 1, 1.1}[i]
		t.turned(i, 4, v, v, 0)
	}
	return t
}

// toyTwo returns the problem in four dimensions of figure 2. In dimensions 1-2 the means are on a circle. Dimensions
// 3-4 have nearly equal second moments but zero means.
func toyTwo() toyProblem {
	t := newToy(4, 0.001)
	for i, degrees := range [3]float64{0, 40, 80} {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		if i == 1 {
			sin, cos = -sin, -cos
		}
		copy(t.stats.Mean(i), []float64{cos, sin})
		t.turned(i, 0, 0.05, 0.05, 0)
		t.turned(i, 2, 1+0.9*0.05, 0.9*0.05, degrees)
	}
	return t
}

// toyDistance returns the problem of figure 6: zero means, and one covariance that is rotated from class to class.
func toyDistance() toyProblem {
	t := newToy(4, 0.001)
	for i := range 3 {
		t.turned(i, 0, 0.25, 0.01, 40*float64(i))
		t.turned(i, 2, 1, 0.04, 20*float64(i))
	}
	return t
}

// shares returns cells with the fraction of the filters in each pair of dimensions. It is the mean over the filters,
// scaled to unit length, of the squared norm of their part in these dimensions.
func shares(filters *mat.Dense) (cells []any) {
	n, m := filters.Dims()
	for lo := 0; lo < n; lo += 2 {
		sum := 0.0
		for k := range m {
			norm, part := 0.0, 0.0
			for i := range n {
				v := filters.At(i, k)
				norm += v * v
				if i == lo || i == lo+1 {
					part += v * v
				}
			}
			sum += part / norm
		}
		cells = append(cells, fmt.Sprintf("%.4f", sum/float64(m)))
	}
	return cells
}

// pairs names the pairs of dimensions of an n-dimensional problem.
func pairs(n int) (names []string, planes [][2]int) {
	for lo := 0; lo < n; lo += 2 {
		names = append(names, fmt.Sprintf("share in %d-%d", lo+1, lo+2))
		planes = append(planes, [2]int{lo, lo + 1})
	}
	return names, planes
}

// fitToy fits SQFA with a dissimilarity to population statistics.
func fitToy(ctx context.Context, s *gaussian.Statistics, noise float64, distance string) (*mat.Dense, error) {
	d, err := gaussian.ParseDissimilarity(distance)
	if err != nil {
		return nil, err
	}
	m, err := sqfa.Fit(ctx, s, sqfa.Options{Filters: 2, Noise: noise, Distance: d, Start: "pca"})
	if err != nil {
		return nil, err
	}
	return m.Filters, nil
}

func toySubspaces(ctx context.Context, r *Run) error {
	type fit struct {
		method string
		learn  func(t toyProblem) (*mat.Dense, error)
	}
	linear := func(m *feature.Model, err error) (*mat.Dense, error) {
		if err != nil {
			return nil, err
		}
		return m.Filters, nil
	}
	fits := []fit{
		{"sqfa", func(t toyProblem) (*mat.Dense, error) { return fitToy(ctx, t.stats, t.noise, "calvo_oller") }},
		{"smsqfa", func(t toyProblem) (*mat.Dense, error) { return fitToy(ctx, t.stats, t.noise, "riemann") }},
		{"lda", func(t toyProblem) (*mat.Dense, error) {
			return linear(feature.FitLDA(t.stats, feature.LDAOptions{Filters: 2}))
		}},
		{"pca", func(t toyProblem) (*mat.Dense, error) {
			return linear(feature.FitPCA(t.stats, feature.PCAOptions{Filters: 2}))
		}},
	}
	for _, p := range []struct {
		name, title string
		toyProblem
	}{{"toy1", "Toy problem 1", toyOne()}, {"toy2", "Toy problem 2", toyTwo()}} {
		names, planes := pairs(p.stats.Dim)
		t := r.Table(p.name, p.title, append([]string{"method"}, names...)...)
		var panels []*report.Figure
		for _, f := range fits {
			filters, err := f.learn(p.toyProblem)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", f.method, p.name, err)
			}
			t.Add(append([]any{f.method}, shares(filters)...)...)
			panels = append(panels, report.Ellipses(f.method, p.stats, filters, planes, report.EllipsesOptions{}))
		}
		r.Figure(p.name, report.Panels(p.title+": filters of each method", 4, panels...))
	}
	r.claimsOfFigure2()
	return nil
}

// dominantPair returns the pair of dimensions, counted from 1, that contains more than 99 % of the filters of a method,
// or 0 if there is none.
func (t *Table) dominantPair(method string) int {
	for _, row := range t.Rows {
		if row[0] != method {
			continue
		}
		for j, c := range row[1:] {
			if v, ok := leadingNumber(c); ok && v > 0.99 {
				return j + 1
			}
		}
	}
	return 0
}

func (r *Run) claimsOfFigure2() {
	one, two := r.result.Tables[0], r.result.Tables[1]
	where := func(t *Table, method string) string { return pairNames[t.dominantPair(method)] }
	r.Claim("In toy problem 1 SQFA learns filters in dimensions 1-2, LDA in 3-4 and PCA in 5-6 (section 4.1).",
		where(one, "sqfa") == "1-2" && where(one, "lda") == "3-4" && where(one, "pca") == "5-6",
		"%s, %s and %s.", where(one, "sqfa"), where(one, "lda"), where(one, "pca")).If("share above 99 %")
	r.Claim("In toy problem 2 SQFA learns filters in dimensions 1-2, smSQFA in 3-4 (section 4.1).",
		where(two, "sqfa") == "1-2" && where(two, "smsqfa") == "3-4", "%s and %s.", where(two, "sqfa"),
		where(two, "smsqfa")).If("share above 99 %")
}

// pairNames are the pairs of dimensions, indexed by the result of dominantPair.
var pairNames = [...]string{"none", "1-2", "3-4", "5-6"}

// toyDistances reproduces figure 6: the dimensions that smSQFA selects with each distance.
func toyDistances(ctx context.Context, r *Run) error {
	toy := toyDistance()
	stats := toy.stats
	names, planes := pairs(stats.Dim)
	t := r.Table("distances", "Share of the filters in each pair of dimensions",
		append([]string{"distance"}, append(names, "paper")...)...)
	want := map[string]string{"FR": "1-2", "Bhatt": "1-2", "LE": "1-2", "BWN": "1-2", "KL": "1-2", "BW": "3-4",
		"E": "3-4"}
	holds := true
	var panels []*report.Figure
	for _, d := range momentDistances[:7] {
		filters, err := fitToy(ctx, moments(stats), toy.noise, d.name)
		if err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
		t.Add(slices.Concat([]any{d.label}, shares(filters), []any{Printed(want[d.label])})...)
		holds = holds && pairNames[t.dominantPair(d.label)] == want[d.label]
		panels = append(panels, report.Ellipses(d.label, stats, filters, planes, report.EllipsesOptions{}))
	}
	r.Figure("distances", report.Panels("Filters learned with each distance", 4, panels...))
	r.Claim("FR, Bhatt, KL, LE and BWN are selective for dimensions 1-2, BW and E for 3-4 (section A.2.2).", holds,
		"%s", pick(holds, "All seven agree with the paper.", "Not all seven agree with the paper.")).
		If("share above 99 %")
	return nil
}
