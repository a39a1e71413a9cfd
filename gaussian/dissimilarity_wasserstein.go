package gaussian

import (
	"errors"
	"math"

	"rao/internal/linalg/small"
	"rao/internal/linalg/vec"
)

// wasserstein computes the squared 2-Wasserstein (Bures) distance
//
//	|d|² + tr A + tr B - 2 tr (L'BL)^½,  A = LL', d = μ_i - μ_j,
//
// optionally divided by tr A + tr B. With L'BL = U diag(ν) U', the derivative with respect to B is I - (LU) diag(ν^-½)
// (LU)', and with respect to A it is I - (L⁻ᵀU) diag(ν^½) (L⁻ᵀU)' (the optimal maps between the Gaussians).
type wasserstein struct {
	c, m       int
	normalized bool

	loop          *pairLoop
	work          small.Workspace
	means         []float64
	traces        []float64 // one per class
	l, li         []float64
	nu, root, inv []float64 // one per pair
	vec           []float64
	raw           []float64
	first, second []float64
}

func newWasserstein(list *pairList, m int, normalized bool) *wasserstein {
	c, pairs, mm := list.c, len(list.i), m*m
	return &wasserstein{c: c, m: m, normalized: normalized, loop: newPairLoop(list, m),
		means: make([]float64, c*m), traces: make([]float64, c), l: make([]float64, c*mm), li: make([]float64, c*mm),
		nu: make([]float64, pairs*m), root: make([]float64, pairs*m), inv: make([]float64, pairs*m),
		vec: make([]float64, pairs*mm), raw: make([]float64, pairs), first: make([]float64, pairs*mm),
		second: make([]float64, pairs*mm)}
}

func (k *wasserstein) values(dst, means, covs []float64) error {
	m, mm := k.m, k.m*k.m
	copy(k.means, means)
	if err := classFactor(&k.work, k.l, covs, m, k.c); err != nil {
		return err
	}
	k.work.InvertLower(k.li, k.l, m, k.c)
	for i := range k.c {
		k.traces[i] = 0
		for r := range m {
			k.traces[i] += covs[i*mm+r*m+r]
		}
	}
	return k.loop.run(func(w *lane, lo, hi int) error {
		count := hi - lo
		l := gather(w.a, k.l, k.loop.i[lo:hi], m)
		b := gather(w.b, covs, k.loop.j[lo:hi], m)
		bl := w.d[:count*mm]
		w.work.Mul(bl, b, l, false, false, m, count)
		w.work.Mul(b, l, bl, true, false, m, count)
		vec.SymmetrizeAll(b, m, count)
		if err := w.work.Eigen(k.nu[lo*m:hi*m], k.vec[lo*mm:hi*mm], b, m, count); err != nil {
			return err
		}
		for p := lo; p < hi; p++ {
			k.raw[p] = k.distance(p, means)
			dst[p] = k.raw[p]
		}
		return nil
	})
}

// distance returns the raw quantity of pair p from its eigenvalues.
func (k *wasserstein) distance(p int, means []float64) float64 {
	m, i, j := k.m, k.loop.i[p], k.loop.j[p]
	sum := k.traces[i] + k.traces[j]
	for q := p * m; q < (p+1)*m; q++ {
		sum -= 2 * math.Sqrt(math.Max(k.nu[q], 0))
	}
	for r := range m {
		d := means[i*m+r] - means[j*m+r]
		sum += d * d
	}
	sum = math.Max(sum, 0)
	if k.normalized {
		sum /= k.traces[i] + k.traces[j]
	}
	return sum
}

func (k *wasserstein) gradient(gradMeans, gradCovs, weights []float64) {
	m, mm := k.m, k.m*k.m
	err := k.loop.run(func(w *lane, lo, hi int) error {
		count := hi - lo
		for q := lo * m; q < hi*m; q++ {
			p := q / m
			root := math.Sqrt(math.Max(k.nu[q], math.SmallestNonzeroFloat64))
			k.root[q], k.inv[q] = -k.scaled(p, weights[p])*root, -k.scaled(p, weights[p])/root
		}
		g := gather(w.a, k.l, k.loop.i[lo:hi], m)
		v := w.d[:count*mm]
		w.work.Mul(v, g, k.vec[lo*mm:hi*mm], false, false, m, count)
		w.work.Rebuild(k.second[lo*mm:hi*mm], v, k.inv[lo*m:hi*m], m, count)
		g = gather(w.a, k.li, k.loop.i[lo:hi], m)
		w.work.Mul(v, g, k.vec[lo*mm:hi*mm], true, false, m, count)
		w.work.Rebuild(k.first[lo*mm:hi*mm], v, k.root[lo*m:hi*m], m, count)
		return nil
	})
	if err != nil {
		panic(err) // the body returns no errors
	}
	k.loop.scatter(gradCovs, k.first, k.second, m)
	for p, w := range weights {
		i, j := k.loop.i[p], k.loop.j[p]
		w = k.scaled(p, w)
		diagonal := w
		if k.normalized {
			diagonal -= w * k.raw[p]
		}
		for r := range m {
			gradCovs[i*mm+r*m+r] += diagonal
			gradCovs[j*mm+r*m+r] += diagonal
			g := 2 * w * (k.means[i*m+r] - k.means[j*m+r])
			gradMeans[i*m+r] += g
			gradMeans[j*m+r] -= g
		}
	}
}

// scaled returns the weight of pair p, divided by its traces if the measure is normalized.
func (k *wasserstein) scaled(p int, w float64) float64 {
	if k.normalized {
		w /= k.traces[k.loop.i[p]] + k.traces[k.loop.j[p]]
	}
	return w
}

// errorIndex returns the index of the matrix named by an error of the small kernels.
func errorIndex(err error) int {
	var bad *small.Error
	if errors.As(err, &bad) {
		return bad.Index
	}
	return 0
}
