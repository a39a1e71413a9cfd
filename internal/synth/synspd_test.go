package synth

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/linalg/small"
	"rao/internal/linalg/vec"
	"rao/internal/testkit"
	"rao/spd"
)

// eigenvaluesOf returns the eigenvalues of every matrix of a class.
func eigenvaluesOf(t *testing.T, d *dataset.Data, class int) [][]float64 {
	t.Helper()
	var ws small.Workspace
	var out [][]float64
	for k, y := range d.Labels {
		if y != class {
			continue
		}
		v := make([]float64, d.Stack.Dim)
		testkit.NoError(t, ws.EigenValues(v, d.Stack.At(k), d.Stack.Dim, 1))
		out = append(out, v)
	}
	return out
}

func TestSynSetsHaveTheSpectraOfThePaper(t *testing.T) {
	for name, c := range map[string]struct {
		make func(SynOptions) (*dataset.Data, error)
		of   [4]int // spectrum of each class
	}{"SynI": {SynI, [4]int{0, 0, 1, 1}}, "SynII": {SynII, [4]int{0, 1, 2, 3}}} {
		d := testkit.Must(c.make(SynOptions{PerClass: 40, Seed: 3}))(t)
		if d.N() != 160 || d.Stack.Dim != 10 || len(d.Classes) != 4 {
			t.Fatalf("%s: %d matrices of order %d in %d classes", name, d.N(), d.Stack.Dim, len(d.Classes))
		}
		for class, s := range c.of {
			want := slices.Clone(SynSpectra(10)[s])
			slices.Sort(want)
			for _, v := range eigenvaluesOf(t, d, class) {
				if !(v[0] > 0) {
					t.Errorf("%s: class %d has eigenvalue %g", name, class, v[0])
				}
				for j := range v {
					// sorting draws within ε of their centers moves none by more than ε
					testkit.Near(t, v[j], want[j], 0.1+1e-9, name, "class", class, "eigenvalue", j, "± 0.1")
				}
			}
		}
	}
}

func TestSynPartsShareTheClassesOnly(t *testing.T) {
	train := testkit.Must(SynI(SynOptions{PerClass: 30, Seed: 1}))(t)
	again, _ := SynI(SynOptions{PerClass: 30, Seed: 1})
	test, _ := SynI(SynOptions{PerClass: 30, Seed: 1, Part: 2})
	other, _ := SynI(SynOptions{PerClass: 30, Seed: 2, Part: 2})
	testkit.EqualSlices(t, train.Stack.Data, again.Stack.Data, "the same seed gave other matrices")
	if slices.Equal(train.Stack.Data, test.Stack.Data) {
		t.Error("another part gave the same matrices")
	}
	// with the same seed, the class means of two parts are close; with different seeds, they are far apart
	mean := func(d *dataset.Data) []float64 {
		m := make([]float64, 100)
		for k := range 30 {
			for i, v := range d.Stack.At(k) {
				m[i] += v / 30
			}
		}
		return m
	}
	apart := func(a, b *dataset.Data) float64 {
		return testkit.Must(spd.Distance(spd.Riemann, mat.NewSymDense(10, mean(a)), mat.NewSymDense(10, mean(b))))(t)
	}
	if same, far := apart(train, test), apart(train, other); !(same < far/2) {
		t.Errorf("class means of two parts are %.3f apart, of two seeds %.3f", same, far)
	}
}

func TestSynRefusesWhatCannotBe(t *testing.T) {
	for want, o := range map[string]SynOptions{
		"order of the matrices is 13; it must be between 2 and 12": {Dim: 13},
		"order of the matrices is 1; it must be between 2 and 12":  {Dim: 1},
		"matrices per class is -1; it must be 1 or more":           {PerClass: -1},
		"jitter is -1 and the rotation 0.3":                        {Jitter: -1},
		"part is -1; it must not be negative":                      {Part: -1},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(SynII(o)), want, o)
	}
}

// radialMoment returns E‖r‖² of the radial distribution of order 2. It is a sum over a grid of the sum and the
// difference of the two logarithms, so it needs no samples.
func radialMoment(sigma float64) float64 {
	// with s = (r₁+r₂)/√2 and t = (r₁−r₂)/√2: exp(−(s²+t²)/2σ²) sinh(|t|/√2)
	var mass, moment float64
	const h = 1e-3
	for t := h / 2; t < 12*sigma+2*sigma*sigma; t += h {
		w := math.Exp(-t*t/(2*sigma*sigma)) * math.Sinh(t/math.Sqrt2)
		mass += w
		moment += w * t * t
	}
	return sigma*sigma + moment/mass
}

func TestRiemannGaussianHasTheRadialLawOfOrderTwo(t *testing.T) {
	for _, sigma := range []float64{0.2, 0.7, 1, 2} {
		const count = 20000
		center := spd.StackOf(1, 2, []float64{2, 0.5, 0.5, 1})
		d := testkit.Must(RiemannGaussian(center, []float64{sigma}, count, 5))(t)
		sum, squares := 0.0, 0.0
		for k := range count {
			v := testkit.Must(spd.Distance(spd.Riemann, center.Sym(0), d.Stack.Sym(k)))(t)
			sum += v * v / count
			squares += v * v * v * v / count
		}
		want, deviation := radialMoment(sigma), math.Sqrt((squares-sum*sum)/count)
		testkit.Near(t, sum, want, 4*deviation, "sigma", sigma, "mean squared distance")
	}
}

// Both proposals are exact, so where both can be used they agree.
func TestBothRadialProposalsDrawTheSameLaw(t *testing.T) {
	const n, count = 3, 20000
	var mean, deviation [2]float64
	for k, ordered := range []bool{false, true} {
		r := testkit.Must(newRadial(n, 1.2))(t)
		r.ordered = ordered
		rng := rand.New(rand.NewPCG(6, uint64(k)))
		v := make([]float64, n)
		var sum, squares float64
		for range count {
			testkit.NoError(t, r.draw(v, rng))
			s := 0.0
			for _, x := range v {
				s += x * x
			}
			sum += s / count
			squares += s * s / count
		}
		mean[k], deviation[k] = sum, math.Sqrt((squares-sum*sum)/count)
	}
	testkit.Near(t, mean[0], mean[1], 4*math.Hypot(deviation[0], deviation[1]), "mean squared distances ±",
		deviation[0], "and", deviation[1])
}

// For small σ the space is flat: E d² tends to σ² n(n+1)/2.
func TestRiemannGaussianIsFlatWhenNarrow(t *testing.T) {
	const n, sigma, count = 5, 0.02, 4000
	eye := spd.StackOf(1, n, vec.Identity(n))
	d := testkit.Must(RiemannGaussian(eye, []float64{sigma}, count, 7))(t)
	sum := 0.0
	for k := range count {
		v := testkit.Must(spd.Distance(spd.Riemann, eye.Sym(0), d.Stack.Sym(k)))(t)
		sum += v * v / count
	}
	want := sigma * sigma * n * (n + 1) / 2
	testkit.Near(t, sum/want, 1, 4*math.Sqrt(2.0/15/count), "mean squared distance", sum, "want", want)
}

func TestRiemannGaussianRefusesWhatCannotBe(t *testing.T) {
	eye := spd.StackOf(1, 2, []float64{1, 0, 0, 1})
	for want, call := range map[string]func() (*dataset.Data, error){
		"index 0 is -1": func() (*dataset.Data, error) { return RiemannGaussian(eye, []float64{-1}, 3, 0) },
		"2 values of sigma": func() (*dataset.Data, error) {
			return RiemannGaussian(eye, []float64{1, 2}, 3, 0)
		},
		"0 observations per class": func() (*dataset.Data, error) { return RiemannGaussian(eye, []float64{1}, 0, 0) },
		"not positive definite": func() (*dataset.Data, error) {
			return RiemannGaussian(spd.StackOf(1, 2, []float64{1, 2, 2, 1}), []float64{1}, 3, 0)
		},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(call()), want)
	}
}

// Every interpretation of the paper draws its own valid matrices. In the interpretations that specify it, the mean
// eigenvalue of a class is 1.
func TestSynReadings(t *testing.T) {
	literal := testkit.Must(SynII(SynOptions{PerClass: 20, Seed: 4}))(t)
	for _, r := range []SynReading{SynBefore, SynBeforeEach, SynShift, SynNormal, SynLastFirst, SynSymmetric} {
		d := testkit.Must(SynII(SynOptions{PerClass: 20, Seed: 4, Reading: r}))(t)
		if slices.Equal(d.Stack.Data, literal.Stack.Data) {
			t.Errorf("%s: the literal reading's matrices", r)
		}
		for class := range 4 {
			for _, v := range eigenvaluesOf(t, d, class) {
				if !(v[0] > 0) {
					t.Errorf("%s: class %d has eigenvalue %g", r, class, v[0])
				}
				if sum := vec.Total(v); r == SynBeforeEach && math.Abs(sum-10) > 1e-9 {
					t.Errorf("%s: class %d has a mean eigenvalue of %g", r, class, sum/10)
				}
			}
		}
	}
	testkit.ErrorContains(t, testkit.ErrorOf(SynI(SynOptions{Reading: "other"})), `"other" is unknown`)
}
