package jointfit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/classify"
	"rao/internal/optim"
	"rao/internal/rows"
	"rao/internal/subclasses"
	"rao/internal/testkit"
)

// refinable returns rows of two classes with two components each, filters, and a mixture of the features.
func refinable(t testing.TB, seed uint64, n, m, count int) (x *mat.Dense, labels []int, f *mat.Dense,
	mix *classify.Mixture) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 21))
	x = mat.NewDense(count, n, nil)
	for i := range count {
		k := rng.IntN(4)
		labels = append(labels, k%2)
		for j := range n {
			x.Set(i, j, rng.NormFloat64()*float64(1+j%2))
		}
		x.Set(i, k%n, x.At(i, k%n)+2)
		x.Set(i, n-1, x.At(i, n-1)+1.5*float64(k))
	}
	s := testkit.Must(subclasses.Estimate(t.Context(), subclasses.RowsOf(x, labels, []string{"even", "odd"}),
		subclasses.Options{Most: 2}))(t)
	f = mat.NewDense(n, m, nil)
	draw := rand.New(rand.NewPCG(seed, 4))
	f.Apply(func(int, int, float64) float64 { return draw.NormFloat64() }, f)
	testkit.NoError(t, optim.NewManifold(optim.Sphere, n, m).Normalize(f.RawMatrix().Data))
	turned := s.Scaled(1, false).Shrunk()
	var inner mat.Dense
	inner.Mul(s.Basis.Components.T(), f)
	mix = testkit.Must(classify.FitMixture(turned.Project(&inner), s.Of, s.Classes,
		classify.MixtureOptions{Noise: 0.3}))(t)
	return x, labels, f, mix
}

// plainLoss returns the loss of a batch by its definition, in double precision.
func plainLoss(r *refinement, noise []float64) float64 {
	m := r.m
	sum := 0.0
	for i := range r.opt.Batch {
		z := append([]float64(nil), noise[i*m:(i+1)*m]...)
		for j := range m {
			norm := 0.0
			for q := range r.n {
				norm += r.w[q*m+j] * r.w[q*m+j]
			}
			for q := range r.n {
				z[j] += float64(r.batch[i*r.n+q]) * r.w[q*m+j] / math.Sqrt(norm)
			}
		}
		var all, own float64
		for k := range r.k {
			a, score := r.a[k*m*m:(k+1)*m*m], r.b[k]
			for s := range m {
				score += math.Log(math.Abs(a[s*m+s]))
				v := 0.0
				for t := range s + 1 {
					v += a[s*m+t] * (z[t] - r.mu[k*m+t])
				}
				score -= v * v / 2
			}
			all += math.Exp(score)
			if r.of[k] == r.right[i] {
				own += math.Exp(score)
			}
		}
		sum -= math.Log(own/all) / float64(r.opt.Batch)
	}
	return sum
}

// The gradient with respect to every kind of parameter agrees with central differences of the loss, computed from its
// definition, within single precision.
func TestRefinementGradient(t *testing.T) {
	x, labels, f, mix := refinable(t, 1, 6, 3, 200)
	opt := testkit.Must(Options{Noise: 0.2, Batch: 60}.filled(200, 24))(t)
	r := testkit.Must(newRefinement(200, f, mix, opt))(t)
	r.copyRows(rows.New(x), labels)
	for i := range r.w {
		r.w[i] *= 1 + 0.5*float64(i%r.m) // columns that are not of unit norm
	}
	rng := rand.New(rand.NewPCG(3, 4))
	index := rng.Perm(200)[:60]
	r.draw(index, rng)
	noise := append([]float64(nil), r.z...)
	loss := r.loss()
	testkit.Near(t, loss, plainLoss(r, noise), 1e-5, "loss")
	for name, p := range map[string][2][]float64{"filters": {r.w, r.dw}, "means": {r.mu, r.dmu},
		"factors": {r.a, r.da}, "weights": {r.b, r.db}} {
		scale := 0.0
		for _, g := range p[1] {
			scale = math.Max(scale, math.Abs(g))
		}
		for i := range p[0] {
			if name == "factors" && i%r.m > i/r.m%r.m {
				continue // above the diagonal
			}
			const h = 1e-4
			v := p[0][i]
			p[0][i] = v + h
			up := plainLoss(r, noise)
			p[0][i] = v - h
			down := plainLoss(r, noise)
			p[0][i] = v
			testkit.Near(t, (up-down)/(2*h), p[1][i], 2e-5*(1+scale), name, i, "gradient")
		}
	}
}

func accuracyOf(f *mat.Dense, m *classify.Mixture, x mat.Matrix, labels []int) float64 {
	var z, p mat.Dense
	z.Mul(x, f)
	if err := m.LogPosterior(context.Background(), &p, &z); err != nil {
		panic(err)
	}
	right := 0
	for i, l := range labels {
		if p.At(i, l) > p.At(i, 1-l) {
			right++
		}
	}
	return float64(right) / float64(len(labels))
}

// From uninformative filters, refinement raises the probability of the labels of new rows, and its filters have unit
// norm.
func TestRefineImproves(t *testing.T) {
	x, labels, f, mix := refinable(t, 2, 8, 2, 3000)
	fresh, truth, _, _ := refinable(t, 3, 8, 2, 3000)
	out := testkit.Must(Fit(context.Background(), x, labels, f, mix, Options{Noise: 0.1, Seed: 1}))(t)
	before, after := accuracyOf(f, mix, fresh, truth), accuracyOf(out.Filters, out.Mixture, fresh, truth)
	t.Logf("accuracy %.3f → %.3f, objective %.4f → %.4f", before, after, out.Report.History[0], out.Report.Objective)
	if !(after > before+0.02) || !(out.Report.Objective > out.Report.History[0]) || out.Report.Passes != 24 {
		t.Errorf("accuracy %.3f → %.3f, %+v", before, after, out.Report)
	}
	for j := range 2 {
		testkit.Near(t, mat.Norm(out.Filters.ColView(j), 2), 1, 1e-12, "filter", j, "has norm")
	}
}

func TestRefineGivesTheSameBits(t *testing.T) {
	x, labels, f, mix := refinable(t, 4, 7, 3, 900)
	testkit.SameAtAnyProcs(t, func() []float64 {
		out := testkit.Must(Fit(t.Context(), x, labels, f, mix, Options{Epochs: 3, Batch: 256, Seed: 5}))(t)
		return append(out.Filters.RawMatrix().Data, out.Mixture.Means.RawMatrix().Data...)
	})
}

func TestRefineEndsEarlyAndRefuses(t *testing.T) {
	x, labels, f, mix := refinable(t, 4, 5, 2, 300)
	ctx, cancel := context.WithCancel(context.Background())
	out, err := Fit(ctx, x, labels, f, mix, Options{Epochs: 5, Progress: func(rao.Event) { cancel() }})
	if !rao.HasModel(err) || out == nil || out.Report.Passes != 1 || out.Report.Status != rao.StatusCanceled ||
		out.Mixture.Validate() != nil {
		t.Errorf("canceled: %v, %+v", err, out)
	}
	bad := mat.DenseCopyOf(x)
	bad.Set(3, 1, math.Inf(1))
	testkit.Fails(t, testkit.ErrorOf(Fit(context.Background(), bad, labels, f, mix, Options{})), "infinity passes")
	for _, o := range []Options{{Noise: -1}, {Epochs: -1}, {Batch: -3}} {
		testkit.Fails(t, testkit.ErrorOf(Fit(context.Background(), x, labels, f, mix, o)), fmt.Sprintf("%+v passes", o))
	}
}
