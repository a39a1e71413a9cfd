package sqfa_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rao/internal/testkit"
	"rao/sqfa"
)

// shifted writes a standard normal row plus f.
func shifted(rng *rand.Rand, row []float64, f func(j int) float64) {
	normal(rng, row)
	for j := range row {
		row[j] += f(j)
	}
}

// autoregression writes rows in which each column depends on the one before it, by a coefficient of the class.
func autoregression(coefficients ...float64) func(rng *rand.Rand, class int, row []float64) {
	return func(rng *rand.Rand, class int, row []float64) {
		row[0] = rng.NormFloat64()
		for j := 1; j < len(row); j++ {
			row[j] = coefficients[class]*row[j-1] + rng.NormFloat64()
		}
	}
}

func wave(rows int) noiseSet {
	return noiseSet{name: fmt.Sprintf("oscillations %d", rows), rows: rows, cols: 32, classes: 4, filters: 4,
		test: 4000,
		write: func(rng *rand.Rand, class int, row []float64) {
			phase := 2 * math.Pi * rng.Float64()
			for j := range row {
				row[j] = math.Cos(phase+0.25*float64(class+1)*float64(j)) + rng.NormFloat64()
			}
		}}
}

func tails(degrees, filters, rows, cols int, scale bool) noiseSet {
	name := fmt.Sprintf("t with %d degrees of freedom, %dx%d, %d filters", degrees, rows, cols, filters)
	if scale {
		name += ", scales"
	}
	return noiseSet{name: name, rows: rows, cols: cols, classes: 3, filters: filters, test: 4000,
		write: func(rng *rand.Rand, class int, row []float64) {
			for j := range row {
				row[j] = studentT(rng, degrees)
				if scale && j < 3 {
					row[j] *= []float64{1, 2, 4}[class]
				}
				row[j] += 0.8 * meanOf(class, j+400)
			}
		}}
}

var counts = noiseSet{name: "poisson", rows: 600, cols: 40, classes: 4, filters: 2, test: 4000,
	write: func(rng *rand.Rand, class int, row []float64) {
		for j := range row {
			row[j] = poisson(rng, math.Exp(0.5+0.5*meanOf(0, j+500)+0.3*meanOf(class, j+510)))
		}
	}}

var twelveRows = noiseSet{name: "8 classes of 12 rows", rows: 96, cols: 25, classes: 8, filters: 2, test: 4000,
	write: func(rng *rand.Rand, class int, row []float64) {
		shifted(rng, row, func(j int) float64 { return 0.8 * meanOf(class, j+540) })
	}}

// namedKinds are kinds of data with fixed sizes.
var namedKinds = []noiseSet{
	tails(3, 2, 500, 12, true),
	tails(3, 4, 500, 12, true),
	tails(3, 2, 500, 12, false),
	tails(3, 3, 500, 12, false),
	tails(2, 2, 600, 10, true),
	counts,
	{name: "poisson gain", rows: 600, cols: 40, classes: 5, filters: 2, test: 4000,
		write: func(rng *rand.Rand, class int, row []float64) {
			gain := math.Exp(0.4 * rng.NormFloat64())
			for j := range row {
				row[j] = poisson(rng, gain*math.Exp(1+0.6*meanOf(0, j+520)+0.25*meanOf(class, j+530)))
			}
		}},
	twelveRows,
	{name: "8 classes of 12 rows, scales", rows: 96, cols: 25, classes: 8, filters: 2, test: 4000,
		write: func(rng *rand.Rand, class int, row []float64) {
			shifted(rng, row, func(j int) float64 { return 0.7 * meanOf(class, j+560) })
			for j := range row {
				row[j] *= math.Exp(-float64(j) / 8)
			}
		}},
	wave(96), wave(240), wave(500),
	{name: "two directions tiny", rows: 72, cols: 64, classes: 8, filters: 4, test: 4000,
		write: func(rng *rand.Rand, class int, row []float64) { lowRankSets[0].write(rng, class, row) }},
	{name: "two directions 400", rows: 400, cols: 32, classes: 4, filters: 4, test: 4000,
		write: func(rng *rand.Rand, class int, row []float64) { lowRankSets[0].write(rng, class, row) }},
	{name: "outliers", rows: 600, cols: 15, classes: 3, filters: 2, test: 4000,
		write: func(rng *rand.Rand, class int, row []float64) {
			shifted(rng, row, func(j int) float64 { return 0.7 * meanOf(class, j+580) })
			row[3] *= []float64{1, 2, 3}[class]
			if rng.Float64() < 0.04 {
				for j := range row {
					row[j] *= 10
				}
			}
		}},
	{name: "lognormal", rows: 700, cols: 16, classes: 3, filters: 2, test: 4000,
		write: func(rng *rand.Rand, class int, row []float64) {
			for j := range row {
				row[j] = math.Exp(0.9*rng.NormFloat64()+0.3*meanOf(class, j+600)) * (1 + float64(j%4))
			}
		}},
	{name: "autoregressions", rows: 600, cols: 40, classes: 3, filters: 3, test: 4000,
		write: autoregression(0.3, 0.6, 0.8)},
	{name: "spectrum", rows: 800, cols: 30, classes: 4, filters: 3, test: 4000,
		write: func(rng *rand.Rand, class int, row []float64) {
			shifted(rng, row, func(j int) float64 { return 0.6 * meanOf(class, j+620) })
			for j := range row {
				row[j] *= math.Pow(10, -float64(j)/12) * (1 + 0.4*math.Cos(float64(class*j)))
			}
		}},
	{name: "imbalance laplace", rows: 700, cols: 14, classes: 3, filters: 2, test: 4000,
		shares: []float64{0.7, 0.2, 0.1},
		write: func(rng *rand.Rand, class int, row []float64) {
			for j := range row {
				row[j] = rng.ExpFloat64()*float64(1-2*rng.IntN(2)) + 0.8*meanOf(class, j+640)
			}
		}},
	{name: "mixtures", rows: 600, cols: 18, classes: 4, filters: 3, test: 4000,
		write: func(rng *rand.Rand, class int, row []float64) {
			side := float64(2*rng.IntN(2) - 1)
			shifted(rng, row, func(j int) float64 { return 0.5*meanOf(class, j+660) + 0.7*side*meanOf(class+9, j) })
		}},
	{name: "binary", rows: 500, cols: 30, classes: 4, filters: 3, test: 4000,
		write: func(rng *rand.Rand, class int, row []float64) {
			for j := range row {
				row[j] = 0
				if rng.Float64() < 1/(1+math.Exp(1+meanOf(0, j+680)+0.7*meanOf(class, j+690))) {
					row[j] = 1
				}
			}
		}},
	{name: "30 rows per class", rows: 180, cols: 20, classes: 6, filters: 3, test: 4000,
		write: func(rng *rand.Rand, class int, row []float64) {
			shifted(rng, row, func(j int) float64 { return 0.7 * meanOf(class, j+700) })
			row[2] *= 1 + float64(class)/2
		}},
	{name: "small variance directions", rows: 500, cols: 24, classes: 3, filters: 3, test: 4000,
		write: func(rng *rand.Rand, class int, row []float64) {
			normal(rng, row)
			for j := range row {
				row[j] *= math.Exp(-float64(j) / 5)
				if j >= 16 {
					row[j] *= []float64{1, 1.6, 2.5}[(class+j)%3]
				}
			}
		}},
	{name: "common heavy factor", rows: 600, cols: 20, classes: 4, filters: 3, test: 4000,
		write: func(rng *rand.Rand, class int, row []float64) {
			common := studentT(rng, 3)
			for j := range row {
				row[j] = studentT(rng, 4) + common*math.Cos(float64(j)) + 0.6*meanOf(class, j+720)
			}
		}},
}

// family is a way to draw a row of a class, for data of any size.
type family struct {
	name  string
	write func(rng *rand.Rand, class int, row []float64)
}

var families = []family{
	{"t3 means", func(rng *rand.Rand, class int, row []float64) {
		for j := range row {
			row[j] = studentT(rng, 3) + 0.7*meanOf(class, j+1000)
		}
	}},
	{"t3 units", func(rng *rand.Rand, class int, row []float64) {
		for j := range row {
			row[j] = (studentT(rng, 3) + 0.8*meanOf(class, j+1100)) * (5 - 0.1*float64(j))
			if j < 4 {
				row[j] *= []float64{1, 2, 4}[(class+j)%3]
			}
		}
	}},
	{"t3 rows", func(rng *rand.Rand, class int, row []float64) { // elliptical
		s := 0.0
		for range 3 {
			v := rng.NormFloat64()
			s += v * v / 3
		}
		for j := range row {
			row[j] = rng.NormFloat64()/math.Sqrt(s)*(1+0.5*math.Cos(float64(class*j))) + 0.5*meanOf(class, j+1200)
		}
	}},
	{"poisson low", func(rng *rand.Rand, class int, row []float64) {
		for j := range row {
			row[j] = poisson(rng, math.Exp(-0.5+0.6*meanOf(0, j+1300)+0.4*meanOf(class, j+1310)))
		}
	}},
	{"poisson high", func(rng *rand.Rand, class int, row []float64) {
		gain := math.Exp(0.3 * rng.NormFloat64())
		for j := range row {
			row[j] = poisson(rng, gain*math.Exp(2+0.8*meanOf(0, j+1400)+0.12*meanOf(class, j+1410)))
		}
	}},
	{"waves", func(rng *rand.Rand, class int, row []float64) {
		p := 2 * math.Pi * rng.Float64()
		for j := range row {
			row[j] = math.Sin(p+(0.3+0.2*float64(class))*float64(j)) + 0.7*rng.NormFloat64()
		}
	}},
	{"close waves", func(rng *rand.Rand, class int, row []float64) {
		p, a := 2*math.Pi*rng.Float64(), 1+0.3*rng.NormFloat64()
		for j := range row {
			row[j] = a*math.Sin(p+(0.4+0.08*float64(class))*float64(j)) + 0.5*rng.NormFloat64()
		}
	}},
	{"two directions", func(rng *rand.Rand, class int, row []float64) {
		a, b := 1.5*rng.NormFloat64(), rng.NormFloat64()
		for j := range row {
			row[j] = a*meanOf(class, j+1500) + b*meanOf(class+20, j+1510) + 0.6*rng.NormFloat64()
		}
	}},
	{"means", func(rng *rand.Rand, class int, row []float64) {
		shifted(rng, row, func(j int) float64 { return 0.5 * meanOf(class, j+1600) })
	}},
	{"spectrum means", func(rng *rand.Rand, class int, row []float64) {
		shifted(rng, row, func(j int) float64 { return 0.6 * meanOf(class, j+1700) })
		for j := range row {
			row[j] *= math.Exp(-float64(j) / 7)
		}
	}},
	{"scales", func(rng *rand.Rand, class int, row []float64) {
		normal(rng, row)
		for j := range row {
			row[j] *= math.Exp(0.5*math.Cos(float64(class*j+j)) + float64(j%4)/3)
		}
	}},
	{"autoregressions", func(rng *rand.Rand, class int, row []float64) {
		row[0] = rng.NormFloat64()
		for j := 1; j < len(row); j++ {
			row[j] = (0.2+0.15*float64(class%5))*row[j-1] + rng.NormFloat64()
		}
	}},
	{"laplace factor", func(rng *rand.Rand, class int, row []float64) {
		f := rng.ExpFloat64() * float64(1-2*rng.IntN(2))
		for j := range row {
			row[j] = rng.ExpFloat64()*float64(1-2*rng.IntN(2)) + f*math.Cos(float64(j*(1+class%2))) +
				0.6*meanOf(class, j+1800)
		}
	}},
	{"lognormal", func(rng *rand.Rand, class int, row []float64) {
		c := 0.4 * rng.NormFloat64()
		for j := range row {
			row[j] = math.Exp(c + 0.7*rng.NormFloat64() + 0.35*meanOf(class, j+1900))
		}
	}},
	{"binary", func(rng *rand.Rand, class int, row []float64) {
		for j := range row {
			row[j] = 0
			if rng.Float64() < 1/(1+math.Exp(1.5+meanOf(0, j+2000)+0.7*meanOf(class, j+2010))) {
				row[j] = 1
			}
		}
	}},
	{"outliers", func(rng *rand.Rand, class int, row []float64) {
		shifted(rng, row, func(j int) float64 { return 0.6 * meanOf(class, j+2100) })
		if rng.Float64() < 0.03 {
			for j := range row {
				row[j] *= 8
			}
		}
	}},
}

// noiseKinds returns kinds of data with more rows than columns.
func noiseKinds() []noiseSet {
	out := slices.Clone(namedKinds)
	for _, f := range families {
		out = append(out, f.of(size{500, 12, 3, 2}, size{500, 12, 3, 4}, size{600, 40, 4, 2}, size{400, 25, 5, 4},
			size{150, 20, 5, 3}, size{96, 25, 8, 2}, size{96, 48, 8, 4})...)
	}
	return out
}

// differing returns a family in which each class has the given number of directions of large variance, which differ
// between the classes.
func differing(name string, directions int, noise float64) family {
	return family{name, func(rng *rand.Rand, class int, row []float64) {
		normal(rng, row)
		for j := range row {
			row[j] *= noise
		}
		for i := range directions {
			a := (1.6 - 0.3*float64(i)) * rng.NormFloat64()
			for j := range row {
				row[j] += a * meanOf(class+20*i, j+7000+100*i)
			}
		}
	}}
}

// wideFamilies are for data with fewer rows than columns.
var wideFamilies = []family{
	differing("three directions", 3, 0.6),
	differing("two directions", 2, 0.8),
	{"waves", func(rng *rand.Rand, class int, row []float64) {
		p := 2 * math.Pi * rng.Float64()
		for j := range row {
			row[j] = math.Cos(p+(0.2+0.15*float64(class))*float64(j)) + rng.NormFloat64()
		}
	}},
	{"common factors", func(rng *rand.Rand, class int, row []float64) {
		n := float64(len(row))
		shifted(rng, row, func(j int) float64 { return 0.15 * meanOf(class, j+7600) })
		for i := range 5 {
			f := 2 * rng.NormFloat64()
			for j := range row {
				row[j] += f * math.Cos(float64((i+1)*j)*7/n+float64(i))
			}
		}
	}},
	{"smooth curves with peaks", func(rng *rand.Rand, class int, row []float64) {
		a, b, shift, s := rng.NormFloat64(), rng.NormFloat64(), 0.02*rng.NormFloat64(), 0.0
		for j := range row {
			x, peak := float64(j)/float64(len(row))+shift, 0.3+0.1*float64(class)
			s = 0.9*s + 0.3*rng.NormFloat64()
			row[j] = a*math.Cos(6*x) + b*math.Sin(9*x) + 1.2*math.Exp(-(x-peak)*(x-peak)/0.002) + s
		}
	}},
	{"few columns matter", func(rng *rand.Rand, class int, row []float64) {
		normal(rng, row)
		for j := range 8 {
			row[j] += 1.8 * meanOf(class, j+7700)
		}
	}},
	{"means", func(rng *rand.Rand, class int, row []float64) {
		shifted(rng, row, func(j int) float64 { return 0.25 * meanOf(class, j+7800) })
	}},
	{"t3 means", func(rng *rand.Rand, class int, row []float64) {
		for j := range row {
			row[j] = studentT(rng, 3) + 0.35*meanOf(class, j+7900)
		}
	}},
	{"poisson", func(rng *rand.Rand, class int, row []float64) {
		for j := range row {
			row[j] = poisson(rng, math.Exp(-0.7+0.9*meanOf(0, j+8000)+0.25*meanOf(class, j+8100)))
		}
	}},
}

// autoregression2 is an autoregression of the second order near the unit circle: an oscillation of random phase.
var autoregression2 = family{"autoregressions of order 2", func(rng *rand.Rand, class int, row []float64) {
	const r = 0.97
	a, b := 0.0, 0.0
	for t := -100; t < len(row); t++ {
		a, b = 2*r*math.Cos(0.3+0.25*float64(class))*a-r*r*b+rng.NormFloat64(), a
		if t >= 0 {
			row[t] = a
		}
	}
}}

// size is the size of a set of data.
type size struct{ rows, cols, classes, filters int }

// of returns the family's data of each size.
func (f family) of(sizes ...size) (out []noiseSet) {
	for _, s := range sizes {
		out = append(out, noiseSet{name: fmt.Sprintf("%s %dx%d/%d %df", f.name, s.rows, s.cols, s.classes, s.filters),
			rows: s.rows, cols: s.cols, classes: s.classes, filters: s.filters, test: 4000, write: f.write})
	}
	return out
}

// wideKinds returns kinds of data with fewer rows than columns.
func wideKinds() (out []noiseSet) {
	for _, f := range wideFamilies {
		out = append(out, f.of(size{60, 600, 3, 2}, size{80, 200, 4, 3})...)
	}
	return out
}

// directionKinds returns kinds of data whose classes differ in few directions, or in oscillations.
func directionKinds() (out []noiseSet) {
	for _, f := range []family{differing("three directions", 3, 0.6), differing("two directions", 2, 0.6),
		autoregression2} {
		out = append(out, f.of(size{1000, 40, 5, 4}, size{500, 30, 4, 3}, size{200, 60, 5, 3}, size{150, 20, 5, 3},
			size{96, 48, 8, 4})...)
	}
	return out
}

// doubtfulKinds returns kinds of data of other sizes that lose much.
func doubtfulKinds() []noiseSet {
	return slices.Concat(doubtfulFamilies[0].of(size{600, 20, 3, 2}, size{600, 20, 3, 3}),
		doubtfulFamilies[1].of(size{500, 60, 3, 2}), wideFamilies[3].of(size{60, 2000, 3, 2}))
}

// TestStudyOfNoiseKinds prints, for each kind of data, the mean loss of the automatic noise against the best of twelve
// fixed values over 24 draws, from rows and from statistics. docs/measurements/noise.md has the results.
func TestStudyOfNoiseKinds(t *testing.T) {
	testkit.Study(t, "noise", "all kinds of data, about half an hour")
	const draws, values = 24, 12
	for _, sets := range [][]noiseSet{wideKinds(), directionKinds(), doubtfulKinds(), noiseKinds()} {
		var total [2]float64
		for _, set := range sets {
			var fixed [values]float64
			var auto [2]float64
			for seed := range uint64(draws) {
				if seed >= 16 {
					seed = 101 + 2*(seed-16)
				}
				d := set.drawn(t, rand.New(rand.NewPCG(seed, 8800)), set.test)
				variance := variance(d.stats) * float64(d.stats.Dim) / float64(set.cols)
				for e := range fixed {
					noise := variance * math.Pow(10, -6+7*float64(e)/(values-1))
					fixed[e] += d.accuracy(t, d.stats, sqfa.Options{Filters: set.filters, Noise: noise}) / draws
				}
				for i, src := range []sqfa.Loader{d.Rows, d.stats} {
					auto[i] += d.accuracy(t, src, sqfa.Options{Filters: set.filters, Noise: sqfa.AutoNoise}) / draws
				}
			}
			best := slices.Max(fixed[:])
			rows, statistics := 100*(best-auto[0]), 100*(best-auto[1])
			total[0], total[1] = total[0]+rows, total[1]+statistics
			t.Logf("%-44s loses %5.2f points from rows, %5.2f from statistics", set.name, rows, statistics)
		}
		n := float64(len(sets))
		t.Logf("mean of %v kinds: %.3f points from rows, %.3f from statistics", n, total[0]/n, total[1]/n)
	}
}
