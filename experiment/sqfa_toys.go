package experiment

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/feature"
	"rao/gaussian"
	"rao/report"
	"rao/sqfa"
	"rao/synth"
)

// toyNoise is the feature noise of the toy problems.
const toyNoise = 0.01

// share returns how much of the filters lies in dimensions lo and lo+1: the mean
// over filters of the squared norm of the unit filter's part there.
func share(filters *mat.Dense, lo int) float64 {
	n, m := filters.Dims()
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
	return sum / float64(m)
}

// pairs names the pairs of dimensions of an n-dimensional problem.
func pairs(n int) (names []string, planes [][2]int) {
	for lo := 0; lo < n; lo += 2 {
		names = append(names, fmt.Sprintf("share in %d-%d", lo+1, lo+2))
		planes = append(planes, [2]int{lo, lo + 1})
	}
	return names, planes
}

// fitToy fits SQFA with a dissimilarity on population statistics.
func fitToy(ctx context.Context, s *gaussian.Statistics, distance string) (*mat.Dense, error) {
	d, err := gaussian.ParseDissimilarity(distance)
	if err != nil {
		return nil, err
	}
	m, err := sqfa.Fit(ctx, s, sqfa.Options{Filters: 2, Noise: toyNoise, Distance: d})
	if err != nil {
		return nil, err
	}
	return m.Filters, nil
}

func toySubspaces(ctx context.Context, r *Run) error {
	type fit struct {
		method string
		learn  func(s *gaussian.Statistics) (*mat.Dense, error)
	}
	linear := func(m *feature.Model, err error) (*mat.Dense, error) {
		if err != nil {
			return nil, err
		}
		return m.Filters, nil
	}
	fits := []fit{
		{"sqfa", func(s *gaussian.Statistics) (*mat.Dense, error) { return fitToy(ctx, s, "calvo_oller") }},
		{"smsqfa", func(s *gaussian.Statistics) (*mat.Dense, error) { return fitToy(ctx, s, "affine_invariant") }},
		{"lda", func(s *gaussian.Statistics) (*mat.Dense, error) {
			return linear(feature.FitLDA(s, feature.LDAOptions{Filters: 2}))
		}},
		{"pca", func(s *gaussian.Statistics) (*mat.Dense, error) {
			return linear(feature.FitPCA(s, feature.PCAOptions{Filters: 2}))
		}},
	}
	for _, p := range []struct {
		name, title string
		stats       *gaussian.Statistics
	}{
		{"toy1", "Toy problem 1", synth.ToyOne()},
		{"toy1-shifted", "Toy problem 1, means five times larger and their dimensions less variable", synth.ToyOneShifted()},
		{"toy2", "Toy problem 2", synth.ToyTwo()},
	} {
		names, planes := pairs(p.stats.Dim)
		t := r.Table(p.name, p.title, append([]string{"method"}, names...)...)
		for _, f := range fits {
			filters, err := f.learn(p.stats)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", f.method, p.name, err)
			}
			row := []any{f.method}
			for _, pl := range planes {
				row = append(row, share(filters, pl[0]))
			}
			t.Add(row...)
			if f.method == "sqfa" || f.method == "smsqfa" && p.name == "toy2" {
				r.Figure(p.name+"-"+f.method, report.Ellipses(p.title+": filters of "+f.method, p.stats, filters, planes, report.EllipsesOptions{}))
			}
		}
	}
	r.Remark("Paper: in problem 1 SQFA takes dimensions 1-2, LDA 3-4, PCA 5-6, and SQFA moves to 3-4 when the means grow; in problem 2 SQFA takes 1-2 and smSQFA 3-4.")
	return nil
}

func toyDistances(ctx context.Context, r *Run) error {
	stats := synth.ToyDistance()
	names, planes := pairs(stats.Dim)
	t := r.Table("distances", "Share of the filters in each pair of dimensions", append([]string{"dissimilarity"}, append(names, "paper")...)...)
	for _, d := range []struct{ name, paper string }{
		{"affine_invariant", "1-2"}, {"bhattacharyya", "1-2"}, {"log_euclidean", "1-2"}, {"wasserstein_normalized", "1-2"},
		{"jeffreys", "its versions disagree"}, {"wasserstein", "3-4"}, {"euclidean", "3-4"},
	} {
		filters, err := fitToy(ctx, stats, d.name)
		if err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
		row := []any{d.name}
		for _, pl := range planes {
			row = append(row, share(filters, pl[0]))
		}
		t.Add(append(row, d.paper)...)
		if d.name == "affine_invariant" || d.name == "euclidean" {
			r.Figure(d.name, report.Ellipses("Filters of "+d.name, stats, filters, planes, report.EllipsesOptions{}))
		}
	}
	return nil
}
