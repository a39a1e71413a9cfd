package sqfa_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/testkit"
	"rao/sqfa"
)

// learnAll fits with an automatic noise and with the given one, to rows and to statistics, and returns their
// warnings, including those of Doubts.
func learnAll(t *testing.T, x *mat.Dense, labels []int, filters int, noise float64) (warnings []string) {
	stats := testkit.Must(gaussian.Estimate(x, labels, nil))(t)
	for _, noise := range []float64{sqfa.AutoNoise, noise} {
		for _, src := range []sqfa.Loader{sqfa.Rows{X: x, Labels: labels}, stats} {
			opt := sqfa.Options{Filters: filters, Noise: noise}
			m, err := sqfa.Fit(t.Context(), src, opt)
			if m == nil {
				t.Fatal(err)
			}
			var x mat.Matrix = x
			if src == sqfa.Loader(stats) {
				x = nil
			}
			list := append(m.Warnings, testkit.Must(sqfa.Doubts(t.Context(), m, stats, x, labels, opt))(t)...)
			warnings = append(warnings, strings.Join(list, "\n"))
		}
	}
	return warnings
}

// Filters for classes that do not differ cause a warning, with an automatic and a given noise, from rows and from
// statistics, and filters for classes that differ do not.
func TestFiltersAtChanceWarn(t *testing.T) {
	for _, apart := range []float64{0, 1} {
		for _, rows := range []int{90, 5000} {
			set := noiseSet{cols: 10, classes: 3, write: func(rng *rand.Rand, class int, row []float64) {
				shifted(rng, row, func(j int) float64 { return apart * meanOf(class, j) })
			}}
			x, labels := set.draw(rand.New(rand.NewPCG(3, 26)), rows)
			warnings := learnAll(t, x, labels, 2, 0.1)
			for i, w := range warnings {
				if got := strings.Contains(w, "not clearly above chance (33.3 %)"); got != (apart == 0) {
					t.Errorf("%d rows, means %g apart, fit %d: warnings %q", rows, apart, i, w)
				}
			}
		}
	}
}

// Filters that are clearly worse than a simple classifier of the columns cause a warning that names it.
func TestFiltersWorseThanASimpleClassifierWarn(t *testing.T) {
	const lda, qda = "a linear classifier of the columns (LDA)", "a quadratic classifier of the columns (QDA)"
	for _, c := range []struct {
		set              noiseSet
		rows, statistics string // from which the filters were learned
	}{
		{autoregression2.of(size{1000, 40, 5, 4})[0], qda, qda},
		{autoregression2.of(size{5000, 40, 5, 4})[0], qda, qda},
		{noiseSet{rows: 600, cols: 12, classes: 3, filters: 2, write: outliersOfOneClass}, lda, qda},
		{noiseSet{rows: 600, cols: 12, classes: 4, filters: 2, write: outliersOfOneClass},
			"a classifier of 2 linear discriminants", ""},
		{noiseSet{rows: 600, cols: 12, classes: 3, filters: 2, write: func(rng *rand.Rand, class int, row []float64) {
			shifted(rng, row, func(j int) float64 { return meanOf(class, j) })
		}}, "", ""},
	} {
		x, labels := c.set.draw(rand.New(rand.NewPCG(1, 26)), c.set.rows)
		warnings := learnAll(t, x, labels, c.set.filters, 1e-3)
		for i, w := range warnings {
			want := c.rows
			if i%2 == 1 {
				want = c.statistics
			}
			if want == "" && w != "" || !strings.Contains(w, want) {
				t.Errorf("%d rows of %d classes, fit %d: warnings %q, want %q", c.set.rows, c.set.classes, i, w, want)
			}
		}
	}
}

// outliersOfOneClass writes rows whose classes differ in their means, and in columns of rare outliers.
func outliersOfOneClass(rng *rand.Rand, class int, row []float64) {
	shifted(rng, row, func(j int) float64 { return 0.7 * meanOf(class, j) })
	if rng.Float64() < 0.02 {
		for j := range row[:4] {
			row[j] += 40 * float64(class) * rng.NormFloat64()
		}
	}
}

// The first rows of a random matrix with orthonormal columns of sum zero have the moments of such a matrix, whether all
// rows are drawn or only these: an entry has variance 1/count, and two of a column covary by -1/count/(count-1).
func TestFirstRowsOfRandomMatrices(t *testing.T) {
	const count, k, draws = 12, 3, 40000
	for _, some := range []int{4, 10} {
		rng := rand.New(rand.NewPCG(1, 2))
		var variance, within, between float64
		for range draws {
			z := sqfa.TurnedRows(rng, count, some, k)
			if len(z) != some*k {
				t.Fatalf("%d values", len(z))
			}
			variance += z[0] * z[0] / draws
			within += z[0] * z[(some-1)*k] / draws
			between += z[0] * z[1] / draws
		}
		testkit.Near(t, variance, 1./count, 0.002, some, "rows: variance")
		testkit.Near(t, within, -1./count/(count-1), 0.002, some, "rows: covariance in a column")
		testkit.Near(t, between, 0, 0.002, some, "rows: covariance of columns")
	}
}

// gammaOf draws a gamma variable of a shape of 1 or more (Marsaglia and Tsang 2000).
func gammaOf(rng *rand.Rand, shape float64) float64 {
	d := shape - 1./3
	for {
		z := rng.NormFloat64()
		v := math.Pow(1+z/math.Sqrt(9*d), 3)
		if v > 0 && math.Log(rng.Float64()) < z*z/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// rotatedTails writes a row of Student's t with 2.5 degrees of freedom, in which the first columns have a scale of the
// class, and then rotates it.
func rotatedTails(columns int, shift float64) func(rng *rand.Rand, class int, row []float64) {
	return func(rng *rand.Rand, class int, row []float64) {
		for j := range row {
			row[j] = rng.NormFloat64() / math.Sqrt(gammaOf(rng, 1.25)/1.25)
			if j < columns {
				row[j] *= []float64{1, 2, 4}[(class+j)%3]
			}
			row[j] += shift * meanOf(class, j+9000)
		}
		for k := range row { // reflections
			var along, length float64
			for j := range row {
				v := math.Sin(float64(k*k+1) * float64(j+1))
				along, length = along+v*row[j], length+v*v
			}
			for j := range row {
				row[j] -= 2 * along / length * math.Sin(float64(k*k+1)*float64(j+1))
			}
		}
	}
}

// doubtfulFamilies lose more accuracy by the choice of the noise than other data.
var doubtfulFamilies = []family{
	{"rotated t with 2.5 degrees of freedom, scales", rotatedTails(4, 0.4)},
	{"peaks of random position", func(rng *rand.Rand, class int, row []float64) {
		at, width := float64(len(row))*(0.2+0.6*rng.Float64()), 2*math.Pow(1.4, float64(class))
		for j := range row {
			d := (float64(j) - at) / width
			row[j] = 3*math.Exp(-d*d/2) + 0.5*rng.NormFloat64()
		}
	}},
}

// nothingFamilies have classes that do not differ.
var nothingFamilies = []family{
	{"one Gaussian", func(rng *rand.Rand, _ int, row []float64) { normal(rng, row) }},
	{"one t with 3 degrees of freedom", func(rng *rand.Rand, _ int, row []float64) {
		for j := range row {
			row[j] = studentT(rng, 3)
		}
	}},
}

// doubtKinds returns kinds of data by what a study of their warnings expects.
func doubtKinds() map[string][]noiseSet {
	bad := doubtfulFamilies[0].of(size{600, 20, 3, 2})
	bad = append(bad, doubtfulFamilies[1].of(size{500, 60, 3, 2})...)
	for _, f := range wideFamilies {
		if f.name == "common factors" || f.name == "waves" {
			bad = append(bad, f.of(size{60, 600, 3, 2}, size{80, 200, 4, 3})...)
		}
	}
	bad = append(bad, autoregression2.of(size{1000, 40, 5, 4}, size{200, 60, 5, 3})...)
	for _, f := range []family{differing("three directions", 3, 0.6), differing("two directions", 2, 0.6)} {
		bad = append(bad, f.of(size{1000, 40, 5, 4}, size{500, 30, 4, 3})...)
	}
	kinds := map[string][]noiseSet{"bad": bad, "others": noiseKinds()}
	for _, f := range nothingFamilies {
		kinds["at chance"] = append(kinds["at chance"], f.of(size{60, 10, 2, 2}, size{300, 4, 2, 2},
			size{600, 20, 3, 2}, size{200, 60, 4, 3}, size{1000, 40, 5, 4})...)
	}
	for _, set := range slices.Concat(unseenSets, laterSets, lastSets, noiseSets) {
		if set.cols <= 300 && set.rows <= 2000 {
			kinds["good"] = append(kinds["good"], set)
		}
	}
	return kinds
}

// TestStudyOfDoubts prints how many of 20 draws of each kind of data have a warning that the filters are at chance, or
// worse than a simple classifier, and how many of these are false on test rows: the filters are more than five points
// above chance, or less than two points below the better of LDA and QDA. docs/measurements/noise.md has the results.
func TestStudyOfDoubts(t *testing.T) {
	testkit.Study(t, "doubts", "the warnings of all kinds of data, about five minutes")
	const draws = 20
	for group, sets := range doubtKinds() {
		var sum [2][3]int
		for _, set := range sets {
			var count [2][3]int
			for d := range uint64(draws) {
				of := set.drawn(t, rand.New(rand.NewPCG(d, 7700)), 3000)
				simple := simpleAccuracy(t, of.stats, of.tests, of.truth)
				for i, src := range []sqfa.Loader{of.Rows, of.stats} {
					opt := sqfa.Options{Filters: set.filters, Noise: sqfa.AutoNoise}
					m, _ := sqfa.Fit(t.Context(), src, opt)
					if m == nil {
						continue
					}
					a := noisyAccuracy(t, m, of.stats, of.tests, of.truth)
					rows := of.X
					if i == 1 {
						rows = nil
					}
					list := testkit.Must(sqfa.Doubts(t.Context(), m, of.stats, rows, of.Labels, opt))(t)
					for _, w := range append(m.Warnings, list...) {
						switch {
						case strings.Contains(w, "above chance"):
							count[i][0]++
							if a > slices.Max(of.stats.Priors())+0.05 {
								count[i][2]++
							}
						case strings.Contains(w, "that classifier"):
							count[i][1]++
							if a > simple-0.02 {
								count[i][2]++
							}
						}
					}
				}
			}
			t.Logf("%-9s %-48s from rows %2d at chance, %2d worse, %2d false; from statistics %2d, %2d, %2d", group,
				set.name, count[0][0], count[0][1], count[0][2], count[1][0], count[1][1], count[1][2])
			for i := range count {
				for k, v := range count[i] {
					sum[i][k] += v
				}
			}
		}
		t.Logf("%s: %d draws, %v from rows, %v from statistics", group, draws*len(sets), fmt.Sprint(sum[0]),
			fmt.Sprint(sum[1]))
	}
}

// simpleAccuracy returns the better accuracy of linear and quadratic discriminants of the columns on test rows.
func simpleAccuracy(t *testing.T, stats *gaussian.Statistics, x *mat.Dense, labels []int) (best float64) {
	logp := mat.NewDense(len(labels), stats.NumClasses(), nil)
	score := func(c interface {
		LogPosterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error
	}, err error) {
		if err == nil {
			testkit.NoError(t, c.LogPosterior(t.Context(), logp, x))
			best = max(best, evaluate.Accuracy(labels, evaluate.MostProbable(logp)))
		}
	}
	oas := gaussian.ShrinkRule{Kind: "oas"}
	lda, err := classify.FitLDA(stats, classify.LDAOptions{Priors: stats.Priors(), Shrinkage: oas})
	score(lda, err)
	for _, rule := range []gaussian.ShrinkRule{{}, oas} {
		qda, err := classify.FitQDA(stats, classify.QDAOptions{Priors: stats.Priors(), Shrinkage: rule})
		score(qda, err)
	}
	return best
}
