package sqfa_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/gaussian"
	"rao/internal/testkit"
	"rao/sqfa"
)

// singularSets have directions without variance: constant and duplicated columns, and columns that are sums of others.
var singularSets = []noiseSet{
	{name: "copies, sums, constants", rows: 1200, cols: 22, classes: 4, filters: 14, test: 4000,
		write: func(rng *rand.Rand, class int, row []float64) {
			for j := range 12 {
				row[j] = rng.NormFloat64()*math.Exp(0.3*meanOf(class, j+2100)) + 0.7*meanOf(class, j+2000)
			}
			copy(row[12:16], row)
			for j := 16; j < 19; j++ {
				row[j] = row[j-16]*meanOf(1, j+2200) + row[j-15]*meanOf(2, j+2200) + row[j-14]*meanOf(3, j+2200)
			}
			row[19], row[20], row[21] = 2.5, 2.5, 0
		}},
	{name: "units and categories", rows: 1200, cols: 23, classes: 4, filters: 14, test: 4000,
		write: func(rng *rand.Rand, class int, row []float64) {
			for j := range 12 {
				row[j] = rng.NormFloat64()*math.Exp(0.3*meanOf(class, j+2400)) + 0.7*meanOf(class, j+2300)
				row[j] *= math.Pow(10, float64(j)/10)
			}
			for j := 12; j < 15; j++ {
				row[j] = 3 * row[j-12]
			}
			kind := rng.IntN(3)
			for j := range 3 {
				row[15+j], row[18+j] = 0, 1
				if j == kind {
					row[15+j], row[18+j] = 1, 0
				}
			}
			row[21], row[22] = 0, 1
		}},
}

// inSingle returns the statistics rounded to single precision by a file.
func inSingle(t *testing.T, s *gaussian.Statistics) *gaussian.Statistics {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.npz")
	testkit.NoError(t, gaussian.WriteSource(t.Context(), path, s.Source(), true))
	single := testkit.Must(gaussian.ReadFile(path))(t)
	return single
}

// From statistics in single precision, no noise is tried at which rounding errors look like differences between the
// classes, and the noise is chosen as well as in double precision.
func TestAutomaticNoiseOfSinglePrecision(t *testing.T) {
	compare := func(name string, filters int, x *mat.Dense, labels []int, tests *mat.Dense, truth []int) {
		stats := testkit.Must(gaussian.Estimate(x, labels, nil))(t)
		var accuracy [2]float64
		for i, s := range []*gaussian.Statistics{stats, inSingle(t, stats)} {
			m, err := sqfa.Fit(t.Context(), s, sqfa.Options{Filters: filters, Noise: sqfa.AutoNoise})
			if !rao.HasModel(err) && err != nil {
				t.Fatal(err)
			}
			accuracy[i] = noisyAccuracy(t, m, stats, tests, truth)
			_, _, _, total := stats.Pooled(nil)
			var eigen mat.EigenSym
			eigen.Factorize(total, false)
			if least := 1e-5 * slices.Max(eigen.Values(nil)); s.Single && slices.Min(m.NoiseGrid) < least*(1-1e-6) {
				t.Errorf("%s: noises %.3g were tried, want at least %.3g", name, m.NoiseGrid, least)
			}
		}
		t.Logf("%s: accuracy %.3f from double precision, %.3f from single", name, accuracy[0], accuracy[1])
		if accuracy[1] < accuracy[0]-0.005 {
			t.Errorf("%s: accuracy %.3f from double precision, %.3f from single", name, accuracy[0], accuracy[1])
		}
	}
	open := func(spec string) (*mat.Dense, []int) {
		d := testkit.Must(dataset.Open(t.Context(), spec, dataset.OpenOptions{RequireLabels: true}))(t)
		return mat.DenseCopyOf(d.X), d.Labels
	}
	x, labels := open("digits:train")
	tests, truth := open("digits:test")
	compare("digits", 9, x, labels, tests, truth)
	for i, set := range singularSets {
		rng := rand.New(rand.NewPCG(uint64(i), 3301))
		x, labels := set.draw(rng, set.rows)
		tests, truth := set.draw(rng, set.test)
		compare(set.name, set.filters, x, labels, tests, truth)
	}
}

// A given noise that is small compared with rounding errors causes a warning.
func TestNoiseBelowRoundingWarns(t *testing.T) {
	set := singularSets[0]
	x, labels := set.draw(rand.New(rand.NewPCG(1, 3301)), set.rows)
	stats := testkit.Must(gaussian.Estimate(x, labels, nil))(t)
	single := inSingle(t, stats)
	for _, c := range []struct {
		src   sqfa.Loader
		noise float64
		warns bool
	}{{single, 3e-6, true}, {single.Source(), 3e-6, true}, {stats, 3e-6, false}, {single, 1e-4, false}} {
		m := fit(t, c.src, sqfa.Options{Filters: set.filters, Noise: c.noise})
		testkit.Equal(t, strings.Contains(strings.Join(m.Warnings, " "), "single precision"), c.warns,
			fmt.Sprintf("%T, noise %g: warnings %q", c.src, c.noise, m.Warnings))
	}
}
