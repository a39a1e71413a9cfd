// Package gaussiancheck checks the properties of a dissimilarity of Gaussians. Package gaussian/gaussiantest offers the
// check to other modules.
package gaussiancheck

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classcolumns"
	"rao/internal/linalg/vec"
)

// Check implements [rao/gaussian/gaussiantest.Check] and is documented there.
func Check(t *testing.T, d gaussian.Dissimilarity) {
	t.Helper()
	list := []gaussian.Dissimilarity{d}
	if squared, err := gaussian.ParseDissimilarity(string(d) + "_squared"); err == nil {
		list = append(list, squared)
	}
	for _, d := range list {
		if _, err := gaussian.ParseDissimilarity(string(d)); err != nil {
			t.Fatal(err)
		}
		t.Run(string(d), func(t *testing.T) {
			values(t, d)
			equal(t, d)
			for _, size := range []struct{ c, m int }{{2, 1}, {3, 2}, {4, 5}} {
				for _, repeats := range []bool{false, true} {
					means, covs := Random(uint64(size.c*100+size.m), size.c, size.m, repeats)
					Gradient(t, d, size.c, size.m, means, covs)
				}
			}
			lists(t, d)
			bits(t, d)
			claims(t, d)
		})
	}
}

// smoothing is added inside the square root of distances, as in package sqfa, so coinciding Gaussians have a gradient.
const smoothing = 1e-6

// symmetric reports whether the order of two Gaussians does not matter.
func symmetric(d gaussian.Dissimilarity) bool { return !strings.Contains(string(d), ":") }

// evaluate returns the values of all pairs without smoothing.
func evaluate(t *testing.T, d gaussian.Dissimilarity, c, m int, means, covs []float64) []float64 {
	t.Helper()
	v := make([]float64, classcolumns.NumPairs(c))
	if err := d.Pairs(nil, c, m, 0).Values(v, means, covs); err != nil {
		t.Fatal(d, err)
	}
	return v
}

func values(t *testing.T, d gaussian.Dissimilarity) {
	const c, m = 5, 4
	means, covs := Random(11, c, m, false)
	var list, back []gaussian.Pair
	for i := range c {
		for j := i + 1; j < c; j++ {
			list, back = append(list, gaussian.Pair{I: i, J: j}), append(back, gaussian.Pair{I: j, J: i})
		}
	}
	forth, swapped := evaluate(t, d, c, m, means, covs), make([]float64, len(list))
	if err := d.Pairs(back, c, m, 0).Values(swapped, means, covs); err != nil {
		t.Fatal(d, err)
	}
	for p, v := range forth {
		if !(v > 0) {
			t.Errorf("%v: two different Gaussians have the dissimilarity %g, want above 0", list[p], v)
		}
		if symmetric(d) && !(math.Abs(swapped[p]-v) <= 1e-9*(1+v)) {
			t.Errorf("%v is %g, but %g with the Gaussians swapped", list[p], v, swapped[p])
		}
	}
}

func equal(t *testing.T, d gaussian.Dissimilarity) {
	const c, m = 3, 3
	means, covs := Random(3, c, m, true)
	p := d.Pairs(nil, c, m, 0)
	v, weights := make([]float64, 3), []float64{1, 0, 0}
	if err := p.Values(v, means, covs); err != nil {
		t.Fatal(err)
	}
	if !(math.Abs(v[0]) < 3e-7) {
		t.Errorf("equal Gaussians have the dissimilarity %g, want 0", v[0])
	}
	gm, gs := make([]float64, c*m), make([]float64, c*m*m)
	p.Gradient(gm, gs, weights)
	for _, g := range append(gm, gs...) {
		if !vec.Finite(g) {
			t.Fatalf("gradient of equal Gaussians without smoothing is %g", g)
		}
	}
}

// Gradient checks the gradient of Σ w_p d_p at c Gaussians in m dimensions against fourth-order central differences
// along random symmetric directions.
func Gradient(t *testing.T, d gaussian.Dissimilarity, c, m int, means, covs []float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, uint64(c)))
	p := d.Pairs(nil, c, m, smoothing)
	n := classcolumns.NumPairs(c)
	values, weights := make([]float64, n), make([]float64, n)
	for i := range weights {
		weights[i] = rng.Float64() - 0.3
	}
	if err := p.Values(values, means, covs); err != nil {
		t.Fatal(d, err)
	}
	gm, gs := make([]float64, c*m), make([]float64, c*m*m)
	p.Gradient(gm, gs, weights)
	dm, ds := make([]float64, c*m), make([]float64, c*m*m)
	for range 2 {
		var slope, scale float64
		for i := range dm {
			dm[i] = rng.NormFloat64()
			slope += dm[i] * gm[i]
			scale += math.Abs(gm[i])
		}
		for k := range c {
			for i := range m {
				for j := range i + 1 {
					v := rng.NormFloat64()
					ds[(k*m+i)*m+j], ds[(k*m+j)*m+i] = v, v
				}
			}
		}
		for i := range ds {
			slope += ds[i] * gs[i]
			scale += math.Abs(gs[i])
		}
		at := func(h float64) float64 {
			x, y := slices.Clone(means), slices.Clone(covs)
			for i := range x {
				x[i] += h * dm[i]
			}
			for i := range y {
				y[i] += h * ds[i]
			}
			if err := p.Values(values, x, y); err != nil {
				t.Fatal(d, err)
			}
			var s float64
			for i, w := range weights {
				s += w * values[i]
			}
			return s
		}
		// If classes coincide, the distance curves like sqrt(h² + 1e-6), so the step must be well below 1e-3.
		const h = 4e-6
		numeric := (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
		if !(math.Abs(numeric-slope) <= 1e-6*(1+scale)) {
			t.Errorf("%v c=%d m=%d: slope %.12g, central difference %.12g (scale %.3g)", d, c, m, slope, numeric, scale)
		}
	}
}

// lists compares a list of pairs, in any order and direction, with these pairs among all, and its gradient with the
// gradient of all pairs with the other weights set to zero.
func lists(t *testing.T, d gaussian.Dissimilarity) {
	const c, m = 6, 3
	means, covs := Random(11, c, m, false)
	lists := [][]gaussian.Pair{{}, {{I: 1, J: 2}}, {{I: 4, J: 5}, {I: 0, J: 3}, {I: 2, J: 4}, {I: 0, J: 1}}}
	if symmetric(d) {
		lists = append(lists, []gaussian.Pair{{I: 5, J: 4}, {I: 0, J: 3}, {I: 3, J: 1}})
	}
	every, all := d.Pairs(nil, c, m, smoothing), make([]float64, classcolumns.NumPairs(c))
	if err := every.Values(all, means, covs); err != nil {
		t.Fatal(d, err)
	}
	for _, list := range lists {
		some, few := d.Pairs(list, c, m, smoothing), make([]float64, len(list))
		if err := some.Values(few, means, covs); err != nil {
			t.Fatal(d, err)
		}
		weights, own := make([]float64, len(all)), make([]float64, len(list))
		for p, x := range list {
			own[p] = 0.5 + float64(p)
			i, j := min(x.I, x.J), max(x.I, x.J)
			at := i*(2*c-i-1)/2 + j - i - 1
			weights[at] = own[p]
			if want := all[at]; !(math.Abs(few[p]-want) <= 1e-9*(1+want)) {
				t.Errorf("pair %v is %.12g in a list of pairs, but %.12g among all pairs", x, few[p], want)
			}
		}
		gm, gs := make([]float64, c*m), make([]float64, c*m*m)
		hm, hs := make([]float64, c*m), make([]float64, c*m*m)
		every.Gradient(gm, gs, weights)
		some.Gradient(hm, hs, own)
		for i := range gs {
			if !(math.Abs(gs[i]-hs[i]) <= 1e-7*(1+math.Abs(gs[i]))) ||
				!(math.Abs(gm[i%len(gm)]-hm[i%len(gm)]) <= 1e-7*(1+math.Abs(gm[i%len(gm)]))) {
				t.Fatalf("gradient of the list %v differs at %d", list, i)
			}
		}
	}
}

func bits(t *testing.T, d gaussian.Dissimilarity) {
	const c, m = 15, 4
	means, covs := Random(21, c, m, true)
	var first []float64
	for _, procs := range []int{1, 2, 8} {
		old := runtime.GOMAXPROCS(procs)
		p := d.Pairs(nil, c, m, smoothing)
		values, weights := make([]float64, classcolumns.NumPairs(c)), make([]float64, classcolumns.NumPairs(c))
		gm, gs := make([]float64, c*m), make([]float64, c*m*m)
		err := p.Values(values, means, covs)
		for i := range weights {
			weights[i] = float64(i%7) - 2
		}
		p.Gradient(gm, gs, weights)
		runtime.GOMAXPROCS(old)
		if err != nil {
			t.Fatal(err)
		}
		all := slices.Concat(values, gm, gs)
		if first == nil {
			first = all
		} else if !slices.Equal(first, all) {
			t.Errorf("values or gradients differ at GOMAXPROCS %d", procs)
		}
	}
}

// claims checks the properties that the table declares for d.
func claims(t *testing.T, d gaussian.Dissimilarity) {
	how, err := d.Measure()
	if err != nil {
		t.Fatal(err)
	}
	var v [1]float64
	err = d.Pairs(nil, 2, 2, 0).Values(v[:], []float64{0, 1, 2, 3}, []float64{1, 1, 1, 1, 4, 0, 0, 0})
	if how.Singular && err != nil {
		t.Errorf("Singular is true, but a singular covariance gives the error %v", err)
	}
	if how.Moments {
		const m = 3
		means, covs := Random(7, 2, m, false)
		want := evaluate(t, d, 2, m, means, covs)[0]
		for k := range 2 {
			mean := mat.NewVecDense(m, means[k*m:(k+1)*m])
			for i := range m {
				for j := range m {
					covs[(k*m+i)*m+j] += mean.AtVec(i) * mean.AtVec(j)
				}
			}
		}
		if got := evaluate(t, d, 2, m, make([]float64, 2*m), covs)[0]; !(math.Abs(got-want) <= 1e-9*(1+want)) {
			t.Errorf("Moments is true, but second moments give %g, and means and covariances %g", got,
				want)
		}
	}
	if !how.Bound {
		return
	}
	s := 1 - how.Weight
	for _, g := range [][4]float64{{0, 1, 1, 1}, {0, 1, 0, 9}, {0, 4, 3, 0.5}} { // means, standard deviations
		value := evaluate(t, d, 2, 1, []float64{g[0], g[2]}, []float64{g[1] * g[1], g[3] * g[3]})[0]
		for _, prior := range []float64{0.5, 0.2, 0.9} {
			most := math.Pow(prior, s) * math.Pow(1-prior, 1-s) * math.Exp(-value)
			if e := bayesError(prior, g); e > most+1e-9 {
				t.Errorf("the Bayes error %g is above the bound %g", e, most)
			}
		}
	}
}

// bayesError integrates the smaller of the two weighted densities.
func bayesError(prior float64, g [4]float64) float64 {
	density := func(x, mean, deviation float64) float64 {
		z := (x - mean) / deviation
		return math.Exp(-z*z/2) / deviation / math.Sqrt(2*math.Pi)
	}
	const step = 1e-3
	sum := 0.0
	for x := -60.0; x < 60; x += step {
		sum += step * math.Min(prior*density(x, g[0], g[1]), (1-prior)*density(x, g[2], g[3]))
	}
	return sum
}

// Random returns c Gaussians in m dimensions. With 2 to 5 dimensions, the median condition number of the covariances is
// 3 to 8. With repeats, class 1 equals class 0, and class 2 has the same mean and three times the covariance.
func Random(seed uint64, c, m int, repeats bool) (means, covs []float64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	means, covs = make([]float64, c*m), make([]float64, c*m*m)
	a := make([]float64, m*2*m)
	for k := range c {
		for i := range m {
			means[k*m+i] = rng.NormFloat64()
		}
		for i := range a {
			a[i] = rng.NormFloat64()
		}
		for i := range m {
			for j := range m {
				var s float64
				for l := range 2 * m {
					s += a[i*2*m+l] * a[j*2*m+l]
				}
				covs[(k*m+i)*m+j] = s / float64(2*m)
				if i == j {
					covs[(k*m+i)*m+j] += 0.1
				}
			}
		}
	}
	if repeats && c > 2 {
		copy(means[m:2*m], means[:m])
		copy(means[2*m:3*m], means[:m])
		copy(covs[m*m:2*m*m], covs[:m*m])
		for i := range m * m {
			covs[2*m*m+i] = 3 * covs[i]
		}
	}
	return means, covs
}
