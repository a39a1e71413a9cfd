package lvq

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/indices"
	"rao/internal/testkit"
	"rao/spd"
)

// stepOf moves one prototype by a towards x and returns it.
func stepOf(t *testing.T, x, w *mat.Dense, a float64) []float64 {
	t.Helper()
	f := testkit.Must(newFactors(stackOf(x), stackOf(w)))(t)
	e := f.evaluator(1)
	testkit.NoError(t, e.distances(make([]float64, 1), []pair{{0, 0}}))
	testkit.NoError(t, e.move([]int{0}, []float64{a}))
	s := testkit.Must(f.stack())(t)
	return s.Data
}

// textbook forms Exp_W(a Log_W X) = W½ exp(a log(W-½ X W-½)) W½ with matrix
// functions.
func textbook(x, w *mat.Dense, a float64) []float64 {
	root := function(w, math.Sqrt)
	inv := function(w, func(v float64) float64 { return 1 / math.Sqrt(v) })
	l := function(congruence(inv, x), math.Log)
	l.Scale(a, l)
	return congruence(root, function(l, math.Exp)).RawMatrix().Data
}

// For matrices of condition 1e4, the condition of W⁻¹X may be 1e8. Then its small eigenvalues lose digits in both
// computations, which repelling steps show, so the tolerance grows with this condition beyond 1e6. The next test
// compares both computations with a known result.
func TestStepIsTheExponentialMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	worst, extreme := 0.0, 0
	for _, n := range []int{1, 2, 3, 5, 9, 10, 16, 22} {
		for _, cond := range []float64{1, 10, 1e2, 1e4} {
			for range 6 {
				x, w := randomSPD(rng, n, cond), randomSPD(rng, n, cond)
				a := 2*rng.Float64() - 1
				off := relative(stepOf(t, x, w, a), textbook(x, w, a))
				pair := pairCondition(x, w)
				tol := 1e-9
				if pair > 1e6 {
					tol = 1e-15 * pair
					extreme++
				} else {
					worst = math.Max(worst, off)
				}
				if !(off <= tol) {
					t.Fatalf("n=%d, condition %g, of the pair %.1e, a=%.3f: step differs from Exp_W(a Log_W X) by %.3g",
						n, cond, pair, a, off)
				}
			}
		}
	}
	t.Logf("largest relative difference %.2g; %d pairs of 192 with condition above 1e6", worst, extreme)
}

// pairCondition returns the ratio of the extreme eigenvalues of W⁻¹X.
func pairCondition(x, w *mat.Dense) float64 {
	inv := function(w, func(v float64) float64 { return 1 / math.Sqrt(v) })
	lo, hi := math.Inf(1), 0.0
	function(congruence(inv, x), func(v float64) float64 {
		lo, hi = math.Min(lo, v), math.Max(hi, v)
		return v
	})
	return hi / lo
}

// With W = I the exact step for an ill-conditioned matrix is known: for X = U D U' it is U D^a U'. The error of the
// factored step must not be larger than the error of the textbook formula.
func TestStepErrsNoMoreThanTheTextbook(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 7))
	for _, n := range []int{2, 5, 10, 22} {
		var ours, theirs float64
		for range 10 {
			const a = -0.8
			u, d, e := testkit.Rotation(rng, n), mat.NewDiagDense(n, nil), mat.NewDiagDense(n, nil)
			w := mat.NewDiagDense(n, nil)
			for i := range n {
				v := math.Pow(1e8, float64(i)/float64(n-1)-0.5)
				d.SetDiag(i, v)
				e.SetDiag(i, math.Pow(v, a))
				w.SetDiag(i, 1)
			}
			want := congruence(u, e).RawMatrix().Data
			x, eye := congruence(u, d), mat.DenseCopyOf(w)
			ours = math.Max(ours, relative(stepOf(t, x, eye, a), want))
			theirs = math.Max(theirs, relative(textbook(x, eye, a), want))
		}
		t.Logf("n=%d, condition of the pair 1e8: error %.2g, textbook %.2g", n, ours, theirs)
		if !(ours <= 3*theirs+1e-9) {
			t.Errorf("n=%d: error %.3g, textbook %.3g", n, ours, theirs)
		}
	}
}

// X = G D G' and W = G G' have the known point G D^a G' on their geodesic. The expected result needs no
// eigendecomposition, so the test measures only the error of the step.
func TestStepErrorGrowsWithTheConditionOnly(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, n := range []int{22, 33, 48, 64} {
		for _, cond := range []float64{1e2, 1e4, 1e6, 1e8} {
			g := mat.NewDense(n, n, nil)
			g.Mul(testkit.Rotation(rng, n), randomSPD(rng, n, math.Sqrt(cond)))
			x, y := mat.NewDiagDense(n, nil), mat.NewDiagDense(n, nil)
			a := 0.3
			for i := range n {
				d := math.Exp(4 * (rng.Float64() - 0.5))
				x.SetDiag(i, d)
				y.SetDiag(i, math.Pow(d, a))
			}
			w := mat.NewDense(n, n, nil)
			w.Mul(g, g.T())
			off := relative(stepOf(t, congruence(g, x), w, a), congruence(g, y).RawMatrix().Data)
			t.Logf("n=%d, condition of W %.0e: relative error %.2g", n, cond, off)
			if !(off <= 1e-15*float64(n)*cond) {
				t.Errorf("n=%d, condition %g: error %.3g is above n ε cond", n, cond, off)
			}
		}
	}
}

func TestTenThousandUpdatesKeepTheFactors(t *testing.T) {
	const n, p = 10, 2
	rng := rand.New(rand.NewPCG(9, 9))
	var xs []*mat.Dense
	for range 50 {
		xs = append(xs, randomSPD(rng, n, 1e3))
	}
	x := stackOf(xs...)
	f := testkit.Must(newFactors(x, stackOf(xs[0], xs[1])))(t)
	e := f.evaluator(1)
	d := make([]float64, p)
	for range 10000 {
		i := rng.IntN(x.Count)
		testkit.NoError(t, e.distances(d, []pair{{i, 0}, {i, 1}}))
		testkit.NoError(t, e.move([]int{0, 1}, []float64{0.1 * rng.Float64(), -0.02 * rng.Float64()}))
		if d[1] > 400 { // a prototype that is only repelled runs away: bring it back
			testkit.NoError(t, f.follow(1, 0))
		}
	}
	l := make([]float64, n*n)
	for k := range p {
		testkit.NoError(t, f.lower(l, k))
		var eye mat.Dense
		eye.Mul(mat.NewDense(n, n, l), mat.NewDense(n, n, f.at(k)))
		for i := range n {
			for j := range n {
				want := 0.0
				if i == j {
					want = 1
				}
				if off := math.Abs(eye.At(i, j) - want); !(off <= 1e-9) {
					t.Fatalf("prototype %d: L L⁻¹ differs from I by %.3g at %d,%d", k, off, i, j)
				}
			}
		}
	}
}

// follow puts prototype l where prototype k is.
func (f *factors) follow(l, k int) error { copy(f.at(l), f.at(k)); return nil }

// Moving towards X by a and back along the same geodesic is exact in theory; after ten thousand pairs of steps only
// rounding errors remain.
func TestThereAndBackTenThousandTimes(t *testing.T) {
	const n = 8
	rng := rand.New(rand.NewPCG(10, 10))
	w := randomSPD(rng, n, 1e3)
	var xs []*mat.Dense
	for range 20 {
		xs = append(xs, randomSPD(rng, n, 1e3))
	}
	x := stackOf(xs...)
	f := testkit.Must(newFactors(x, stackOf(w)))(t)
	e, d := f.evaluator(1), make([]float64, 1)
	for range 5000 {
		i := rng.IntN(x.Count)
		for _, a := range []float64{0.1, -1.0 / 9} { // (1−0.1)(1+1/9) = 1
			testkit.NoError(t, e.distances(d, []pair{{i, 0}}))
			testkit.NoError(t, e.move([]int{0}, []float64{a}))
		}
	}
	s := testkit.Must(f.stack())(t)
	testkit.Close(t, "prototypes", s.Data, stackOf(w).Data, 1e-9)
}

func TestMoveShortensTheDistanceByItsShare(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	for _, a := range []float64{0.25, 1, -0.5} {
		x, w := randomSPD(rng, 6, 100), randomSPD(rng, 6, 100)
		before := testkit.Must(spd.Distance(spd.Riemann, mat.NewSymDense(6, x.RawMatrix().Data),
			mat.NewSymDense(6, w.RawMatrix().Data)))(t)
		after := testkit.Must(spd.Distance(spd.Riemann, mat.NewSymDense(6, x.RawMatrix().Data),
			mat.NewSymDense(6, stepOf(t, x, w, a))))(t)
		testkit.Near(t, after, (1-a)*before, 1e-8*before, fmt.Sprintf("a=%g: distance %g became", a, before))
	}
}

// costAt returns the cost of sample 0 as a function of prototypes.
func costAt(t *testing.T, x, w *spd.Stack, mix *mixture, q []float64, sigma2 float64) (cost float64, a []float64) {
	t.Helper()
	f := testkit.Must(newFactors(x, w))(t)
	p := w.Count
	d, joint, a := make([]float64, p), make([]float64, p), make([]float64, p)
	testkit.NoError(t, measureAll(t.Context(), d, f, []int{0}, p))
	beta := 0.5 / sigma2
	mix.joint(joint, d, beta)
	cost, _ = mix.coefficients(a, joint, d, q, beta)
	return cost, a
}

// The coefficients are the negative gradient: moving prototype l by t along
// Log_W X changes the cost by −t a_l d²/σ² to first order, for hard and soft
// targets, with priors and several prototypes per class.
func TestCoefficientsAreTheGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	for _, n := range []int{2, 5, 10} {
		x := stackOf(randomSPD(rng, n, 30))
		var ws []*mat.Dense
		for range 5 {
			ws = append(ws, randomSPD(rng, n, 30))
		}
		w := stackOf(ws...)
		mix := newMixture(rulePosterior, []int{0, 0, 1, 2, 2}, 3, []float64{0.2, 0.5, 0.3})
		for _, q := range [][]float64{{1, 0, 0}, {0, 1, 0}, {0.2, 0.3, 0.5}} {
			const sigma2, h = 3.0, 1e-5
			cost, a := costAt(t, x, w, mix, q, sigma2)
			for l := range 5 {
				d := testkit.Must(spd.Distance(spd.Riemann, x.Sym(0), w.Sym(l)))(t)
				var side [2]float64
				for k, s := range []float64{h, -h} {
					moved := w.Select(indices.Range(5))
					copy(moved.At(l), stepOf(t, mat.NewDense(n, n, x.At(0)), mat.NewDense(n, n, w.At(l)), s))
					side[k], _ = costAt(t, x, moved, mix, q, sigma2)
				}
				got, want := (side[0]-side[1])/(2*h), -a[l]*d*d/sigma2
				testkit.Near(t, got, want, 1e-6*(1+math.Abs(want)), "n =", n, "targets", q, "prototype", l,
					"slope by differences")
				if a[l] == 0 {
					continue
				}
				moved := w.Select(indices.Range(5))
				copy(moved.At(l), stepOf(t, mat.NewDense(n, n, x.At(0)), mat.NewDense(n, n, w.At(l)), 1e-3*a[l]))
				if next, _ := costAt(t, x, moved, mix, q, sigma2); !(next < cost) {
					t.Errorf("n=%d, prototype %d: a small step raised the cost from %.12g to %.12g", n, l, cost, next)
				}
			}
		}
	}
}

func TestSlopeInLogSigma2IsTheGradient(t *testing.T) {
	mix := newMixture(rulePosterior, []int{0, 0, 1, 2}, 3, nil)
	d, f, a := []float64{1.2, 3.4, 2.2, 0.7}, make([]float64, 4), make([]float64, 4)
	q := []float64{0.6, 0.1, 0.3}
	at := func(log float64) (float64, float64) {
		beta := 0.5 / math.Exp(log)
		mix.joint(f, d, beta)
		return mix.coefficients(a, f, d, q, beta)
	}
	_, slope := at(0.4)
	up, _ := at(0.4 + 1e-5)
	down, _ := at(0.4 - 1e-5)
	testkit.Near(t, (up-down)/2e-5, slope, 1e-8, "slope by differences")
}

// The published code multiplies factors exp(−d/2σ²) and skips an update if all of them underflow. With log-sum-exp this
// cannot happen.
func TestFarSamplesStillTeach(t *testing.T) {
	mix := newMixture(rulePosterior, []int{0, 1}, 2, nil)
	d, f, a := []float64{5000, 5010}, make([]float64, 2), make([]float64, 2)
	mix.joint(f, d, 1)
	cost, _ := mix.coefficients(a, f, d, []float64{0, 1}, 1)
	if math.Abs(cost-(10+math.Log1p(math.Exp(-10)))) > 1e-9 || !(a[1] > 0.99) || !(a[0] < -0.99) {
		t.Errorf("cost %g, coefficients %v", cost, a)
	}
}
