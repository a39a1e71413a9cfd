package sqfa

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/classcolumns"
	"rao/internal/testkit"
)

// manyClasses returns statistics of c classes in n dimensions: means with a power-law spectrum, a common covariance,
// and a few additional directions for each class.
func manyClasses(c, n int, seed uint64) *gaussian.Statistics {
	r := rand.New(rand.NewPCG(seed, 1))
	s := gaussian.New(make([]string, c), n)
	for i := range c {
		s.Classes[i], s.Counts[i] = string(rune('a'+i%26))+string(rune('a'+i/26)), 50+i
		scale := math.Exp(0.15 * r.NormFloat64())
		cov := s.Covariance(i).RawSymmetric().Data
		for j := range n {
			power := math.Pow(float64(j+1), -0.9)
			s.Mean(i)[j] = 2 * math.Sqrt(power) * r.NormFloat64()
			cov[j*n+j] = 0.6 * power * scale
		}
		for range 3 {
			v := make([]float64, n)
			for j := range v {
				v[j] = r.NormFloat64() / math.Sqrt(float64(n))
			}
			for j := range n {
				for k := range n {
					cov[j*n+k] += v[j] * v[k]
				}
			}
		}
	}
	return s
}

func bayes(m int) Options {
	return Options{Filters: m, Noise: 0.05, Aggregate: aggregationBayes, Near: 2, Pooled: true}
}

// The objective equals its definition: the sum over the listed pairs and the pairs bounded by the pooled covariance.
func TestPooledBoundByItsDefinition(t *testing.T) {
	const c, m = 12, 3
	s := manyClasses(c, m, 3)
	o := testkit.Must(bayes(2).plan(c, m))(t)
	o.Priors = s.Priors()
	o.pairs = []gaussian.Pair{{I: 0, J: 1}, {I: 3, J: 7}, {I: 1, J: 11}}
	j := newObjective(o, c, m)
	got := testkit.Must(j.value(s.Means, s.Covariances))(t)
	all := make([]float64, classcolumns.NumPairs(c))
	testkit.NoError(t, o.Distance.Pairs(nil, c, m, 0).Values(all, s.Means, s.Covariances))
	shared := mat.NewSymDense(m, nil)
	for i, p := range s.Priors() {
		cov := s.Covariance(i)
		for a := range m {
			for b := a; b < m; b++ {
				shared.SetSym(a, b, shared.At(a, b)+p*cov.At(a, b))
			}
		}
	}
	var inverse mat.Dense
	testkit.NoError(t, inverse.Inverse(shared))
	sum := 0.0
	for i := range c {
		for k := i + 1; k < c; k++ {
			d := all[i*(2*c-i-1)/2+k-i-1]
			if !slices.Contains(o.pairs, gaussian.Pair{I: i, J: k}) {
				diff := mat.NewVecDense(m, nil)
				diff.SubVec(mat.NewVecDense(m, s.Mean(i)), mat.NewVecDense(m, s.Mean(k)))
				d = mat.Inner(diff, &inverse, diff) / 8
			}
			sum += math.Sqrt(s.Priors()[i]*s.Priors()[k]) * math.Exp(-d)
		}
	}
	if want := -math.Log(sum); math.Abs(got-want) > 1e-12*math.Abs(want) {
		t.Errorf("the objective is %.15g, want %.15g", got, want)
	}
}

func TestGradientOfThePooledBound(t *testing.T) {
	const c, m, step = 40, 3, 1e-5
	s := manyClasses(c, m, 4)
	o := testkit.Must(bayes(2).plan(c, m))(t)
	o.pairs = []gaussian.Pair{{I: 0, J: 1}, {I: 3, J: 7}, {I: 1, J: 11}, {I: 30, J: 39}}
	j := newObjective(o, c, m)
	value := func() float64 {
		v := testkit.Must(j.value(s.Means, s.Covariances))(t)
		return v
	}
	value()
	gm, gs := make([]float64, c*m), make([]float64, c*m*m)
	j.gradient(gm, gs)
	again := make([]float64, c*m)
	j.gradient(again, make([]float64, c*m*m))
	testkit.EqualSlices(t, gm, again, "asked for twice, the gradient differs")
	for i := range gm {
		x := s.Means[i]
		s.Means[i] = x + step
		up := value()
		s.Means[i] = x - step
		down := value()
		s.Means[i] = x
		if want := (up - down) / 2 / step; math.Abs(gm[i]-want) > 1e-8+1e-6*math.Abs(want) {
			t.Fatalf("derivative in mean %d is %.9g, by differences %.9g", i, gm[i], want)
		}
	}
	for i := range c {
		cov := s.Covariance(i).RawSymmetric().Data
		for a := range m {
			for b := a; b < m; b++ {
				move := func(d float64) {
					cov[a*m+b] += d
					if a != b {
						cov[b*m+a] += d
					}
				}
				move(step)
				up := value()
				move(-2 * step)
				down := value()
				move(step)
				want, got := (up-down)/2/step, gs[(i*m+a)*m+b]
				if a != b {
					got += gs[(i*m+b)*m+a]
				}
				if math.Abs(got-want) > 1e-8+1e-6*math.Abs(want) {
					t.Fatalf("derivative in covariance %d,%d of class %d is %.9g, by differences %.9g",
						a, b, i, got, want)
				}
			}
		}
	}
}

// With many classes, the filters of the pooled bound are nearly as good, by the bound over all pairs, as the filters of
// all pairs; the filters of near pairs are not.
func TestPooledFarPairs(t *testing.T) {
	s := manyClasses(80, 24, 5)
	fit := func(o Options) float64 {
		o.Start = startLDA
		m := testkit.Must(Fit(context.Background(), s, o))(t)
		v, _, err := survey(plan{Options: Options{Aggregate: aggregationBayes, Distance: gaussian.Bhattacharyya}},
			featuresOf(s, values(m.Filters), 4, o.Noise))
		if err != nil || math.Abs(v-m.Report.Objective) > 1e-9 {
			t.Errorf("the report has %v, all pairs give %v (%v)", m.Report.Objective, v, err)
		}
		return v
	}
	all := bayes(4)
	all.Near, all.Pooled = 0, false
	hybrid, inside := bayes(4), bayes(4)
	inside.Subspace = 12
	want := fit(all)
	for name, got := range map[string]float64{"near and pooled": fit(hybrid), "in a subspace": fit(inside)} {
		if got < want-0.05 {
			t.Errorf("%s: objective %.4f, all pairs %.4f", name, got, want)
		}
	}
}

func TestPooledBoundSameBitsAtAnyGOMAXPROCS(t *testing.T) {
	s := manyClasses(70, 20, 6)
	testkit.SameAtAnyProcs(t, func() []float64 {
		o := bayes(3)
		o.Subspace, o.Start, o.MaxIter = 10, startLDA, 30
		m, err := Fit(context.Background(), s, o)
		if m == nil {
			t.Fatal(err)
		}
		return values(m.Filters)
	})
}
