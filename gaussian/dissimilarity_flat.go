package gaussian

import (
	"math"

	"rao/internal/linalg/small"
)

// flat computes the squared Frobenius distance between second moments, or between their logarithms (log-Euclidean).
// The derivative of the logarithm is given by Daleckii and Krein,
//
//	D log(A)[H] = U (K ∘ U'HU) U',  K_ab = (log λ_a - log λ_b)/(λ_a - λ_b),
//
// where K_ab = 1/λ_a for equal eigenvalues.
type flat struct {
	c, m int
	logs bool

	loop        *pairLoop
	work        small.Workspace
	means       []float64
	psi         []float64 // second moments
	point       []float64 // the matrices compared: psi or its logarithm
	values_     []float64 // eigenvalues
	vec         []float64
	coef        []float64
	grad, inner []float64
}

func newFlat(list *pairList, m int, logs bool) *flat {
	c, mm := list.c, m*m
	k := &flat{c: c, m: m, logs: logs, loop: newPairLoop(list, m), means: make([]float64, c*m),
		psi: make([]float64, c*mm), grad: make([]float64, c*mm)}
	k.point = k.psi
	if logs {
		k.point, k.vec, k.inner = make([]float64, c*mm), make([]float64, c*mm), make([]float64, c*mm)
		k.values_, k.coef = make([]float64, c*m), make([]float64, c*m)
	}
	return k
}

func (k *flat) values(dst, means, covs []float64) error {
	copy(k.means, means)
	embed(k.psi, means, covs, k.c, k.m, false)
	if k.logs {
		if err := k.logarithms(); err != nil {
			return err
		}
	}
	mm := k.m * k.m
	return k.loop.run(func(_ *lane, lo, hi int) error {
		for p := lo; p < hi; p++ {
			a, b := k.point[k.loop.i[p]*mm:(k.loop.i[p]+1)*mm], k.point[k.loop.j[p]*mm:]
			var sum float64
			for q, x := range a {
				d := x - b[q]
				sum += d * d
			}
			dst[p] = sum
		}
		return nil
	})
}

// logarithms computes the logarithm of every second moment.
func (k *flat) logarithms() error {
	if err := k.work.Eigen(k.values_, k.vec, k.psi, k.m, k.c); err != nil {
		return &SingularError{Class: errorIndex(err), Smallest: math.NaN(), Largest: math.NaN()}
	}
	for i, v := range k.values_ {
		if !(v > 0) {
			c := i / k.m
			return &SingularError{Class: c, Smallest: k.values_[c*k.m], Largest: k.values_[(c+1)*k.m-1]}
		}
		k.coef[i] = math.Log(v)
	}
	k.work.Rebuild(k.point, k.vec, k.coef, k.m, k.c)
	return nil
}

func (k *flat) gradient(gradMeans, gradCovs, weights []float64) {
	mm := k.m * k.m
	clear(k.grad)
	for p, w := range weights {
		i, j := k.loop.i[p]*mm, k.loop.j[p]*mm
		for q := range mm {
			d := 2 * w * (k.point[i+q] - k.point[j+q])
			k.grad[i+q] += d
			k.grad[j+q] -= d
		}
	}
	if k.logs {
		k.backLogarithms()
	}
	unembed(gradMeans, gradCovs, k.grad, k.means, k.c, k.m, false)
}

// backLogarithms propagates the gradient from the logarithms to the second moments.
func (k *flat) backLogarithms() {
	m, mm := k.m, k.m*k.m
	k.work.Mul(k.inner, k.vec, k.grad, true, false, m, k.c)
	k.work.Mul(k.grad, k.inner, k.vec, false, false, m, k.c)
	for i := range k.c {
		e, g := k.values_[i*m:(i+1)*m], k.grad[i*mm:(i+1)*mm]
		for a, x := range e {
			for b, y := range e {
				g[a*m+b] *= logQuotient(x, y)
			}
		}
	}
	k.work.Mul(k.inner, k.vec, k.grad, false, false, m, k.c)
	k.work.Mul(k.grad, k.inner, k.vec, false, true, m, k.c)
}

// logQuotient returns (log a - log b)/(a - b), or its limit for a = b.
func logQuotient(a, b float64) float64 {
	x := (a - b) / b
	if math.Abs(x) < 1e-8 {
		return (1 - x/2) / b
	}
	if math.Abs(x) < 0.5 {
		return math.Log1p(x) / (x * b)
	}
	return (math.Log(a) - math.Log(b)) / (a - b)
}
