package lvq

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/testkit"
	"rao/spd"
)

// hidden returns matrices of order n that tell three classes apart in two directions only,
// and those directions, n×2.
func hidden(seed uint64, n, per int) (x *spd.Stack, labels []int, filters *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 3))
	var mixing mat.Dense
	mixing.Mul(randomOrthogonal(rng, n), randomSPD(rng, n, 20))
	x = spd.NewStack(3*per, n)
	for k := range x.Count {
		c := k % 3
		labels = append(labels, c)
		d := mat.NewDiagDense(n, nil)
		for i := range n {
			v := 0.9 * rng.NormFloat64()
			if i < 2 {
				v = 0.3*rng.NormFloat64() + math.Cos(2*math.Pi*float64(c)/3-math.Pi/2*float64(i))
			}
			d.SetDiag(i, math.Exp(v))
		}
		copy(x.At(k), congruence(&mixing, d).RawMatrix().Data)
	}
	var inverse mat.Dense
	if err := inverse.Inverse(mixing.T()); err != nil {
		panic(err)
	}
	return x, labels, mat.DenseCopyOf(inverse.Slice(0, n, 0, 2))
}

// nearby returns filters moved a little.
func nearby(rng *rand.Rand, w *mat.Dense, by float64) *mat.Dense {
	out := mat.DenseCopyOf(w)
	scale := by * mat.Norm(w, 2) / math.Sqrt(float64(len(out.RawMatrix().Data)))
	out.Apply(func(_, _ int, v float64) float64 { return v + scale*rng.NormFloat64() }, out)
	return out
}

// The gradient in filters and factors is that of differences, with prototypes that are
// no means, more of them than classes, and priors.
func TestJointGradient(t *testing.T) {
	x, labels, w := hidden(1, 6, 12)
	rng := rand.New(rand.NewPCG(2, 2))
	for _, opt := range []JointOptions{{}, {Prototypes: 2, Priors: []float64{1, 2, 0.5}, Sigma2: 0.7}} {
		j, err := newJoint(t.Context(), x, certainTargets(labels, 3), []int{12, 12, 12}, nearby(rng, w, 0.5), opt)
		if err != nil {
			t.Fatal(err)
		}
		c := newJointCost(j, sequence(x.Count), 1.3)
		n, m, p := 6, 2, len(j.opt.label)
		v := append([]float64(nil), j.start.RawMatrix().Data...)
		for range p {
			v = append(v, 1, 0.2, -0.3, 0.8)
		}
		for i := range v {
			v[i] += 0.2 * rng.NormFloat64()
		}
		grad, scratch := make([]float64, len(v)), make([]float64, len(v))
		c.value(v, grad)
		const h = 1e-5
		for i := range v {
			at := v[i]
			v[i] = at + h
			up := c.value(v, scratch)
			v[i] = at - h
			down := c.value(v, scratch)
			v[i] = at
			if want := (up - down) / (2 * h); math.Abs(grad[i]-want) > 1e-7*(1+math.Abs(want)) {
				t.Errorf("derivative %d of %d×%d filters and %d prototypes is %.9g, differences say %.9g",
					i, n, m, p, grad[i], want)
			}
		}
		// Neither filters mixed with the factors nor turned factors change the cost.
		mix := mat.NewDense(m, m, []float64{1.5, 0.4, -0.2, 0.7})
		moved := append([]float64(nil), v...)
		mat.NewDense(n, m, moved[:n*m]).Mul(mat.NewDense(n, m, v[:n*m]), mix)
		for l := range p {
			at := n*m + l*m*m
			mat.NewDense(m, m, moved[at:at+m*m]).Product(mix.T(), mat.NewDense(m, m, v[at:at+m*m]),
				randomOrthogonal(rng, m))
		}
		if a, b := c.value(v, scratch), c.value(moved, scratch); math.Abs(a-b) > 1e-10*a {
			t.Errorf("the cost in other coordinates is %.12g, not %.12g", b, a)
		}
	}
}

// From filters far off, filters and prototypes together find the directions that tell the
// classes apart; the filters alone, kept as they are, do not.
func TestJointFindsTheDirections(t *testing.T) {
	x, labels, w := hidden(4, 7, 60)
	rng := rand.New(rand.NewPCG(3, 3))
	start := nearby(rng, w, 3)
	filters, m, err := FitJointPLRSQ(t.Context(), x, labels, nil, start, JointOptions{MaxIter: 200})
	if err != nil && !rao.IsNotConverged(err) {
		t.Fatal(err)
	}
	right := func(m *PLRSQ, z *spd.Stack) float64 {
		var logp mat.Dense
		if err := m.LogPosterior(&logp, z); err != nil {
			t.Fatal(err)
		}
		n := 0
		for i, l := range labels {
			if largestOf(logp.RawRowView(i)) == l {
				n++
			}
		}
		return float64(n) / float64(len(labels))
	}
	before, err := FitPLRSQ(t.Context(), reducedBy(start, x), labels, nil, Options{CalibrationFolds: -1})
	if err != nil {
		t.Fatal(err)
	}
	a, b := right(before, reducedBy(start, x)), right(m, reducedBy(filters, x))
	if b < 0.9 || b < a+0.15 {
		t.Errorf("%.3f right with the filters that were given, %.3f with those learned together", a, b)
	}
	for k := range 2 {
		if norm := mat.Norm(filters.ColView(k), 2); math.Abs(norm-1) > 1e-12 {
			t.Errorf("filter %d has the length %g", k, norm)
		}
	}
	if m.Temperature <= 0 || len(m.HeldLabels) != len(labels) {
		t.Errorf("calibrated to %g on %d held-out matrices", m.Temperature, len(m.HeldLabels))
	}
}

// A fit that is told to end is usable.
func TestJointHearsCancellation(t *testing.T) {
	x, labels, w := hidden(6, 6, 30)
	for _, at := range []int64{1, 4, 16, 40} {
		ctx := testkit.CancelAt(at)
		filters, m, err := FitJointPLRSQ(ctx, x, labels, nil, w, JointOptions{Tol: 1e-14})
		if ctx.Err() == nil {
			continue
		}
		if filters == nil {
			t.Fatalf("told to end at its question %d: %v", at, err)
		}
		if m.Report.Status != rao.Cancelled || m.Validate() != nil {
			t.Errorf("told to end at its question %d: %v, %v", at, m.Report.Status, m.Validate())
		}
	}
}

func TestJointSaysWhatIsWrong(t *testing.T) {
	x, labels, w := hidden(7, 5, 4)
	for want, f := range map[string]func() error{
		"for matrices of order 5": func() error {
			_, _, err := FitJointPLRSQ(t.Context(), x, labels, nil, mat.NewDense(4, 2, nil), JointOptions{})
			return err
		},
		"span fewer dimensions": func() error {
			_, _, err := FitJointPLRSQ(t.Context(), x, labels, nil, mat.NewDense(5, 2, nil), JointOptions{})
			return err
		},
		"labels for 12 samples": func() error {
			_, _, err := FitJointPLRSQ(t.Context(), x, labels[:3], nil, w, JointOptions{})
			return err
		},
		"must be positive": func() error {
			_, _, err := FitJointPLRSQ(t.Context(), x, labels, nil, w, JointOptions{MaxIter: -1})
			return err
		},
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}
