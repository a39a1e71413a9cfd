package experiment

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"rao/gaussian"
	"rao/method"
	"rao/report"
	"rao/synth"
)

// realDissimilarities are those of figure 7, in the order in which the paper ranks
// them.
var realDissimilarities = []string{"calvo_oller", "log_euclidean", "bhattacharyya", "jeffreys", "hellinger",
	"wasserstein_normalized", "wasserstein", "euclidean"}

// distancesOnImages is figure 7: the same fit with other dissimilarities.
func distancesOnImages(name, noise string, keep int) func(context.Context, *Run) error {
	return func(ctx context.Context, r *Run) error {
		l, err := r.open(ctx, name, keep)
		if err != nil {
			return err
		}
		t := r.Table("accuracy", "Test accuracy in per cent of nine filters that maximise the mean of a dissimilarity", "dissimilarity", "QDA", "5-NN", "fit, s")
		var bars []report.Bar
		for _, d := range realDissimilarities {
			f, err := r.fit(ctx, l, "sqfa", setting{"distance", d}, setting{"filters", "9"}, setting{"noise", noise})
			if err != nil {
				return err
			}
			t.Add(d, 100*f.accuracy, 100*f.knn, Seconds(f.seconds))
			bars = append(bars, report.Bar{Label: d, Value: f.accuracy, Low: f.accuracy, High: f.accuracy})
		}
		r.Figure("accuracy", report.Bars("QDA accuracy by dissimilarity", bars, report.BarsOptions{Axis: report.Axis{Label: "accuracy", Percent: true, Min: 0.3, Max: 1}}))
		r.Remark("Paper's ordering: Fisher-Rao and log-Euclidean, then Bhattacharyya and Jeffreys, then normalised Wasserstein, Wasserstein, Euclidean.")
		return nil
	}
}

// gaussianTest is figures 9 and 13: the test data are drawn from the Gaussians of the
// classes, so that the model's own assumption holds exactly.
func gaussianTest(name, noise string, keep, perClass int) func(context.Context, *Run) error {
	return func(ctx context.Context, r *Run) error {
		l, err := r.open(ctx, name, keep)
		if err != nil {
			return err
		}
		// constant columns leave a covariance singular; a trace of the identity does not show
		full, _, err := l.stats.Shrink(gaussian.Fixed, 1e-6)
		if err != nil {
			return err
		}
		drawn, err := synth.Sample(full, r.Pick(perClass, 50), r.Seed+1)
		if err != nil {
			return err
		}
		drawn.Source, drawn.Image = "Gaussian "+name, l.train.Image
		gauss := *l
		gauss.test = drawn
		t := r.Table("accuracy", "QDA accuracy in per cent with nine filters", "method", "real test data", "Gaussian test data")
		for _, m := range []string{"sqfa", "smsqfa", "bdm", "lda", "pca"} {
			set := []setting{{"filters", "9"}}
			if m != "lda" && m != "pca" {
				set = append(set, setting{"noise", noise})
			}
			f, err := r.fit(ctx, l, m, set...)
			if err != nil {
				return err
			}
			s, err := method.Score(ctx, f.model, drawn)
			if err != nil {
				return err
			}
			t.Add(m, 100*f.accuracy, 100*s.Accuracy)
		}
		r.Remark("On Gaussian data the quadratic classifier is the Bayes classifier of the features: the difference of the columns is the cost of the Gaussian assumption.")
		return nil
	}
}

// bayesError is figures 10 and 11: how well distances tell the error of the Bayes
// classifier of two Gaussians.
func bayesError(dim int) func(context.Context, *Run) error {
	return func(ctx context.Context, r *Run) error {
		rng := rand.New(rand.NewPCG(r.Seed, uint64(dim)))
		count, draws := r.Pick(400, 60), r.Pick(20000, 2000)
		names := []string{"fisher_rao", "calvo_oller", "bhattacharyya", "hellinger", "jeffreys", "wasserstein"}
		values := make([][]float64, len(names))
		errors := make([]float64, 0, count)
		for range count {
			s := randomPair(rng, dim)
			for k, n := range names {
				d, err := pairDistance(s, n)
				if err != nil {
					return err
				}
				values[k] = append(values[k], d)
			}
			errors = append(errors, monteCarloError(rng, s, draws))
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		t := r.Table("rank", fmt.Sprintf("Rank correlation of each distance with the Bayes error over %d random pairs in %d dimensions", count, dim), "distance", "Spearman's rho")
		for k, n := range names {
			t.Add(n, spearman(values[k], errors))
			if n == "fisher_rao" || n == "bhattacharyya" || n == "wasserstein" {
				r.Figure(n, report.Scatter("Bayes error over "+n, []report.Points{{Name: "pairs", X: values[k], Y: errors}},
					report.PlotOptions{X: report.Axis{Label: n}, Y: report.Axis{Label: "Bayes error"}}))
			}
		}
		return nil
	}
}

// randomPair draws two Gaussians: means of standard deviation 1.5, covariances with
// log-normal variances in random directions.
func randomPair(rng *rand.Rand, dim int) *gaussian.Statistics {
	s := gaussian.New([]string{"a", "b"}, dim)
	for i := range 2 {
		s.Counts[i] = 1000
		for j := range dim {
			s.Mean(i)[j] = 1.5 * rng.NormFloat64()
		}
		cov := s.Covariance(i)
		if dim == 1 {
			cov[0] = math.Exp(1.5 * rng.NormFloat64())
			continue
		}
		a, b := math.Exp(1.2*rng.NormFloat64()), math.Exp(1.2*rng.NormFloat64())
		sin, cos := math.Sincos(math.Pi * rng.Float64())
		cov[0] = a*cos*cos + b*sin*sin
		cov[3] = a*sin*sin + b*cos*cos
		cov[1] = (a - b) * sin * cos
		cov[2] = cov[1]
	}
	return s
}

func pairDistance(s *gaussian.Statistics, name string) (float64, error) {
	d, err := gaussian.ParseDissimilarity(name)
	if err != nil {
		return 0, err
	}
	var v [1]float64
	p := d.Pairs(2, s.Dim, 0)
	err = p.Values(v[:], s.Means, s.Covariances)
	return v[0], err
}

// monteCarloError is the error of the Bayes classifier of two equally probable
// Gaussians in one or two dimensions, by sampling each in turn.
func monteCarloError(rng *rand.Rand, s *gaussian.Statistics, draws int) float64 {
	wrong := 0
	for i := range draws {
		k := i % 2
		x := drawOne(rng, s, k)
		if logDensity(s, k, x) < logDensity(s, 1-k, x) {
			wrong++
		}
	}
	return float64(wrong) / float64(draws)
}

func drawOne(rng *rand.Rand, s *gaussian.Statistics, k int) [2]float64 {
	m, c := s.Mean(k), s.Covariance(k)
	u := rng.NormFloat64()
	if s.Dim == 1 {
		return [2]float64{m[0] + math.Sqrt(c[0])*u}
	}
	l11 := math.Sqrt(c[0])
	l21 := c[2] / l11
	v := rng.NormFloat64()
	return [2]float64{m[0] + l11*u, m[1] + l21*u + math.Sqrt(c[3]-l21*l21)*v}
}

// logDensity is the log-density up to a constant.
func logDensity(s *gaussian.Statistics, k int, x [2]float64) float64 {
	m, c := s.Mean(k), s.Covariance(k)
	a := x[0] - m[0]
	if s.Dim == 1 {
		return -0.5*a*a/c[0] - 0.5*math.Log(c[0])
	}
	b := x[1] - m[1]
	det := c[0]*c[3] - c[1]*c[2]
	return -0.5*(c[3]*a*a-2*c[1]*a*b+c[0]*b*b)/det - 0.5*math.Log(det)
}

// exactScatter compares the exact Fisher-Rao distance with its Calvo-Oller bound.
func exactScatter(ctx context.Context, r *Run) error {
	rng := rand.New(rand.NewPCG(r.Seed, 77))
	t := r.Table("gap", "Exact Fisher-Rao distance beside the Calvo-Oller lower bound over random pairs", "dimensions", "pairs", "median gap, %", "largest gap, %", "widest certified bracket")
	var groups []report.Points
	for _, m := range []int{1, 2, 4, 8} {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := randomGaussians(rng, r.Pick(12, 4), m)
		exact, err := s.FisherRaoBrackets()
		if err != nil {
			return err
		}
		p := report.Points{Name: fmt.Sprintf("%d dimensions", m)}
		var gaps []float64
		width := 0.0
		for _, b := range exact {
			p.X, p.Y = append(p.X, b.Upper), append(p.Y, b.Lower)
			gaps = append(gaps, 100*(1-b.Lower/b.Upper))
			width = max(width, b.Upper-b.Lower)
		}
		t.Add(m, len(gaps), quantile(gaps, 0.5), quantile(gaps, 1), width)
		groups = append(groups, p)
	}
	r.Figure("scatter", report.Scatter("Calvo-Oller bound over the exact distance", groups,
		report.PlotOptions{X: report.Axis{Label: "exact Fisher-Rao distance"}, Y: report.Axis{Label: "Calvo-Oller distance"}, Diagonal: true}))
	return nil
}

// randomGaussians draws c Gaussians with Wishart covariances and normal means.
func randomGaussians(rng *rand.Rand, c, m int) *gaussian.Statistics {
	names := make([]string, c)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	s := gaussian.New(names, m)
	for i := range c {
		s.Counts[i] = 1000
		for j := range m {
			s.Mean(i)[j] = 1.5 * rng.NormFloat64()
		}
		cov := s.Covariance(i)
		for range m + 2 {
			v := make([]float64, m)
			for j := range v {
				v[j] = rng.NormFloat64()
			}
			for a := range m {
				for b := range m {
					cov[a*m+b] += v[a] * v[b] / float64(m)
				}
			}
		}
	}
	return s
}
