package heldout

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/densities"
	"rao/internal/rows"
	"rao/internal/testkit"
)

// A row is removed from its class exactly: the score equals the log-density under the statistics of all other rows.
func TestLeavingOutARowIsExact(t *testing.T) {
	d := draw(families[2], 7, 3, []int{12, 15, 30}, rand.New(rand.NewPCG(1, 2)))
	s := estimate(t, d.x, d.labels)
	priors := []float64{0.2, 0.3, 0.5}
	for k := range 3 {
		c := newClass(s, k, priors[k])
		for r, label := range d.labels {
			stats, row := s, d.x.RawRowView(r)
			if label == k {
				rest := mat.NewDense(len(d.labels)-1, 7, nil)
				var labels []int
				for i, l := range d.labels {
					if i != r {
						rest.SetRow(len(labels), d.x.RawRowView(i))
						labels = append(labels, l)
					}
				}
				stats = estimate(t, rest, labels)
			}
			for _, shrunk := range []bool{false, true} {
				used := stats
				if shrunk {
					used, _, _ = stats.Shrink(gaussian.ShrinkRule{Kind: "oas"})
				}
				want := logDensity(used, k, row) + math.Log(priors[k])
				z, diff := make([]float64, 7), make([]float64, 7)
				for j, v := range row {
					diff[j] = v - s.Mean(k)[j]
				}
				c.along(z, diff)
				testkit.Near(t, c.score(z, shrunk, label == k), want, 1e-8*(1+math.Abs(want)), "class", k, "row", r,
					"of class", label, "shrunk", shrunk)
			}
		}
	}
}

// logDensity returns the logarithm of the density of class k, up to the power of 2π.
func logDensity(s *gaussian.Statistics, k int, row []float64) float64 {
	var chol mat.Cholesky
	chol.Factorize(s.Covariance(k))
	d := mat.NewVecDense(len(row), nil)
	for j, v := range row {
		d.SetVec(j, v-s.Mean(k)[j])
	}
	var solved mat.VecDense
	if err := chol.SolveVecTo(&solved, d); err != nil {
		return math.NaN()
	}
	return -chol.LogDet()/2 - mat.Dot(d, &solved)/2
}

// For nine kinds of data with few rows, the covariances chosen on held-out rows lose at most half as much accuracy on
// other rows as the better of two fixed rules: never shrink or always shrink. From statistics only, they lose at most
// three quarters as much.
func TestCovariancesThatLeftOutRowsPrefer(t *testing.T) {
	testkit.SkipShort(t, "takes six seconds")
	for _, c := range []struct{ least, most float64 }{{1.1, 2}, {2, 5}, {5, 10}} { // rows per dimension
		const draws = 6
		var mean, drawn, plain, shrunk, worst float64
		for f := range families {
			for i := range draws {
				rng := rand.New(rand.NewPCG(uint64(i), uint64(1000*c.least)+uint64(f)<<32))
				n := []int{5, 10, 20, 40, 60}[rng.IntN(5)]
				each := max(n+3, int(float64(n)*math.Exp(math.Log(c.least)+rng.Float64()*math.Log(c.most/c.least))))
				counts := make([]int, 2+rng.IntN(4))
				for k := range counts {
					counts[k] = each
					if k > 0 && families[f].name == "unequal counts" {
						counts[k] = int(float64(each) * (1 + 4*rng.Float64()))
					}
				}
				d := draw(families[f], n, len(counts), counts, rng)
				s := estimate(t, d.x, d.labels)
				oas, _ := testkit.Must2(s.Shrink(gaussian.ShrinkRule{Kind: "oas"}))(t)
				a := []float64{100 * d.accuracy(s), 100 * d.accuracy(oas)}
				best := math.Max(a[0], a[1])
				pick := func(x mat.Matrix) float64 {
					if PrefersOAS(s, s.Priors(), x, d.labels) {
						return best - a[1]
					}
					return best - a[0]
				}
				loss := pick(d.x)
				mean, drawn, worst = mean+loss, drawn+pick(nil), math.Max(worst, loss)
				plain, shrunk = plain+best-a[0], shrunk+best-a[1]
				t.Logf("%s, %d×%d, %d classes: plain %.1f, shrunk %.1f, loses %.1f", families[f].name, n, each,
					len(counts), a[0], a[1], loss)
			}
		}
		total := float64(draws * len(families))
		t.Logf("%g to %g rows per dimension lose %.2f points (at most %.1f), from statistics %.2f; always plain %.2f, "+
			"always shrunk %.2f", c.least, c.most, mean/total, worst, drawn/total, plain/total, shrunk/total)
		if fixed := math.Min(plain, shrunk); mean > fixed/2 || drawn > 0.75*fixed {
			t.Errorf("%g to %g rows per dimension lose too much", c.least, c.most)
		}
	}
}

// Classes with many rows, and covariances that are singular although there are enough rows, are not shrunk. Classes
// with fewer rows than dimensions are.
func TestSingularCovariancesAndManyRows(t *testing.T) {
	for _, c := range []struct {
		count int
		flat  bool
		want  bool
	}{{60, false, false}, {8, true, false}, {4, false, true}} {
		d := draw(families[0], 5, 2, []int{c.count, c.count}, rand.New(rand.NewPCG(3, 4)))
		if c.flat {
			for r := range d.labels {
				d.x.Set(r, 4, d.x.At(r, 3))
			}
		}
		s := estimate(t, d.x, d.labels)
		for _, x := range []mat.Matrix{d.x, nil} {
			testkit.Equal(t, PrefersOAS(s, s.Priors(), x, d.labels), c.want, c)
		}
	}
}

// family is a kind of data: the covariances of its classes.
type family struct {
	name  string
	tails float64 // degrees of freedom; 0: Gaussian
	base  func(n int, rng *rand.Rand) *mat.Dense
	class func(n int, base *mat.Dense, rng *rand.Rand) *mat.Dense // factor of the covariance, n×n
}

var families = []family{
	{name: "white", class: func(n int, _ *mat.Dense, rng *rand.Rand) *mat.Dense {
		return diagonal(n, func(int) float64 { return 1 }, math.Exp(0.12*rng.NormFloat64()))
	}},
	{name: "autoregressive", class: func(n int, _ *mat.Dense, rng *rand.Rand) *mat.Dense {
		phi := 1.2*rng.Float64() - 0.3
		f := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range i + 1 {
				v := math.Pow(phi, float64(i-j))
				if j > 0 {
					v *= math.Sqrt(1 - phi*phi)
				}
				f.Set(i, j, v)
			}
		}
		return f
	}},
	{name: "steep spectrum", base: rotation, class: func(n int, q *mat.Dense, rng *rand.Rand) *mat.Dense {
		return rotated(q, func(j int) float64 {
			return math.Pow(10, -1.5*float64(j)/float64(n)) * math.Exp(0.2*rng.NormFloat64())
		})
	}},
	{name: "blocks", class: func(n int, _ *mat.Dense, rng *rand.Rand) *mat.Dense {
		f, size, r := diagonal(n, func(int) float64 { return 1 }, 1), max(2, n/4), 0.0
		for i := range n {
			if i%size == 0 { // the first column of a block drives the others
				r = 0.85 * rng.Float64()
				continue
			}
			f.Set(i, i-i%size, r)
			f.Set(i, i, math.Sqrt(1-r*r))
		}
		return f
	}},
	{name: "heavy tails", tails: 4, class: func(n int, _ *mat.Dense, rng *rand.Rand) *mat.Dense {
		return factor(n, 2*n, rng)
	}},
	{name: "unequal counts", class: func(n int, _ *mat.Dense, rng *rand.Rand) *mat.Dense {
		return factor(n, 3*n, rng)
	}},
	{name: "units", base: func(n int, rng *rand.Rand) *mat.Dense {
		return diagonal(n, func(int) float64 { return math.Pow(10, 2*rng.Float64()-1) }, 1)
	}, class: func(n int, units *mat.Dense, rng *rand.Rand) *mat.Dense {
		var f mat.Dense
		f.Mul(units, factor(n, 3*n, rng))
		return &f
	}},
	{name: "quiet subspace", base: rotation, class: func(n int, q *mat.Dense, rng *rand.Rand) *mat.Dense {
		return rotated(q, func(j int) float64 {
			if j < n/2 {
				return 6
			}
			return math.Exp(0.3 * rng.NormFloat64())
		})
	}},
	{name: "one direction", base: func(n int, rng *rand.Rand) *mat.Dense { return factor(n, 4*n, rng) },
		class: func(n int, base *mat.Dense, rng *rand.Rand) *mat.Dense {
			f, size := mat.DenseCopyOf(base), 0.0
			v := make([]float64, n)
			for j := range v {
				v[j] = rng.NormFloat64()
				size += v[j] * v[j]
			}
			k := rng.IntN(n)
			for j := range v {
				f.Set(j, k, f.At(j, k)+2*v[j]/math.Sqrt(size))
			}
			return f
		}},
}

func diagonal(n int, of func(j int) float64, scale float64) *mat.Dense {
	f := mat.NewDense(n, n, nil)
	for j := range n {
		f.Set(j, j, scale*of(j))
	}
	return f
}

func gaussians(n, k int, rng *rand.Rand) *mat.Dense {
	f := mat.NewDense(n, k, nil)
	for i := range f.RawMatrix().Data {
		f.RawMatrix().Data[i] = rng.NormFloat64()
	}
	return f
}

// factor returns the Cholesky factor of a Wishart matrix, divided by its degrees of freedom.
func factor(n, degrees int, rng *rand.Rand) *mat.Dense {
	g := gaussians(n, degrees, rng)
	s := mat.NewSymDense(n, nil)
	s.SymOuterK(1/float64(degrees), g)
	var chol mat.Cholesky
	chol.Factorize(s)
	var l mat.TriDense
	chol.LTo(&l)
	return mat.DenseCopyOf(&l)
}

func rotation(n int, rng *rand.Rand) *mat.Dense { return testkit.Rotation(rng, n) }

func rotated(q *mat.Dense, of func(j int) float64) *mat.Dense {
	n, _ := q.Dims()
	var f mat.Dense
	f.Mul(q, diagonal(n, of, 1))
	return &f
}

// drawing has the rows of a draw, and other rows to test on.
type drawing struct {
	x, test      *mat.Dense
	labels, true []int
}

// draw draws classes of a family in n dimensions.
func draw(f family, n, classes int, counts []int, rng *rand.Rand) drawing {
	var base *mat.Dense
	if f.base != nil {
		base = f.base(n, rng)
	}
	apart := 2 * rng.Float64() / math.Sqrt(float64(n))
	var d drawing
	total, tests := 0, 0
	const test = 400
	for _, count := range counts {
		total, tests = total+count, tests+test
	}
	d.x, d.test = mat.NewDense(total, n, nil), mat.NewDense(tests, n, nil)
	for k := range classes {
		of := f.class(n, base, rng)
		mean := mat.NewVecDense(n, nil)
		for j := range n {
			mean.SetVec(j, apart*rng.NormFloat64())
		}
		mean.MulVec(of, mean)
		row := func(to []float64) {
			z, v := gaussians(n, 1, rng), mat.NewVecDense(n, to)
			v.MulVec(of, z.ColView(0))
			scale := 1.0
			if f.tails > 0 {
				chi := 0.0
				for range int(f.tails) {
					g := rng.NormFloat64()
					chi += g * g
				}
				scale = math.Sqrt(f.tails / chi)
			}
			v.AddScaledVec(mean, scale, v)
		}
		for range counts[k] {
			row(d.x.RawRowView(len(d.labels)))
			d.labels = append(d.labels, k)
		}
		for range test {
			row(d.test.RawRowView(len(d.true)))
			d.true = append(d.true, k)
		}
	}
	return d
}

func estimate(t testing.TB, x *mat.Dense, labels []int) *gaussian.Statistics {
	t.Helper()
	return testkit.Must(gaussian.Estimate(x, labels, nil))(t)
}

// accuracy returns the share of correct decisions of the quadratic classifier of the statistics on the test rows.
func (d drawing) accuracy(s *gaussian.Statistics) float64 {
	c := s.NumClasses()
	uniform := make([]float64, c)
	for k := range uniform {
		uniform[k] = 1 / float64(c)
	}
	q, singular := densities.New(uniform, mat.NewDense(c, s.Dim, s.Means), s.Covariances)
	if singular >= 0 {
		panic(fmt.Sprint("singular class ", singular))
	}
	scores, stride := q.Scores(rows.New(d.test), 0, len(d.true), new(densities.Scratch))
	logp := mat.NewDense(len(d.true), c, nil)
	for i := range d.true {
		for k := range c {
			logp.Set(i, k, scores[k*stride+i])
		}
	}
	return evaluate.Accuracy(d.true, evaluate.MostProbable(logp))
}
