package jointfit

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/ritz"
	"rao/internal/linalg/tri"
	"rao/internal/linalg/vec"
	"rao/internal/optim"
	"rao/internal/par"
	"rao/internal/rows"
	"rao/spd"
)

// refinement is the mixture of the features of free filters as a function of all its parameters, on one batch at a
// time. Let component k have precision Q = A'A, with A lower triangular, and h = Q μ. Its log-density is linear in the
// forms φ of the features z,
//
//	b + Σ log|A_ii| - ½ |A (z - μ)|² = θ_k'φ,  φ = [z_a z_b (a≤b), z, 1],
//
// so the scores of a batch are one matrix product, and the gradient needs two products.
type refinement struct {
	opt           Options
	rows, n, m, k int
	q             int       // number of forms
	c             int       // number of classes
	x             []float32 // rows in memory
	labels, order []int
	of            []int
	ofClass       [][]int // components of each class
	sd            float64 // mean standard deviation of a feature within a component

	w, mu, a, b     []float64 // n×m, k×m, k×m×m, k
	dw, dmu, da, db []float64
	steps           [4]optim.Adam

	f           []float64 // w with columns of unit norm
	unit        optim.UnitColumns
	prec, h     []float64 // Q and h of each component
	theta       []float64 // q×k
	theta32     []float32
	batch       []float32 // rows of the batch, B×n
	right       []int     // classes of the rows of the batch
	z           []float64 // B×m
	z32, dz32   []float32
	forms, back []float32 // B×q: the forms, and the gradient with respect to them
	scores      []float64 // B×k
	weight      []float32 // B×k: derivative of the loss with respect to the scores
	grad        []float64 // scratch memory for the products
	losses      []float64
}

func newRefinement(rows int, filters *mat.Dense, start *classify.Mixture, opt Options) (*refinement, error) {
	n, m := filters.Dims()
	k, bt := len(start.Of), opt.Batch
	r := &refinement{opt: opt, rows: rows, n: n, m: m, k: k, q: m*(m+1)/2 + m + 1, c: len(start.Classes),
		of: start.Of}
	q := r.q
	f64 := func(sizes ...int) (out [][]float64) {
		for _, s := range sizes {
			out = append(out, make([]float64, s))
		}
		return out
	}
	p := f64(n*m, k*m, k*m*m, k, n*m, k*m, k*m*m, k)
	r.w, r.mu, r.a, r.b, r.dw, r.dmu, r.da, r.db = p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]
	p = f64(n*m, k*m*m, k*m, q*k, bt*m, bt*k, max(q*k, bt*q, n*m, bt*m), bt)
	r.f, r.prec, r.h, r.theta, r.z, r.scores, r.grad, r.losses = p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]
	r.batch = make([]float32, bt*n)
	r.theta32, r.z32, r.dz32 = make([]float32, q*k), make([]float32, bt*m), make([]float32, bt*m)
	r.forms, r.back, r.weight = make([]float32, bt*q), make([]float32, bt*q), make([]float32, bt*k)
	r.right = make([]int, bt)
	mat.NewDense(n, m, r.w).Copy(filters)
	l := make([]float64, m*m)
	for j := range k {
		copy(r.mu[j*m:], start.Means.RawRowView(j))
		r.b[j] = math.Log(start.Weights[j])
		copy(l, start.Covariances.At(j))
		for i := range m {
			r.sd += l[i*m+i] / float64(k*m)
		}
		if _, _, ok := tri.Cholesky(m, l, 0); !ok {
			return nil, faults.Data("the initial covariance of component %d is not positive definite; use more noise",
				j)
		}
		tri.InvertLower(m, r.a[j*m*m:(j+1)*m*m], l)
	}
	r.sd = math.Sqrt(r.sd)
	r.ofClass = make([][]int, r.c)
	for j, l := range r.of {
		r.ofClass[l] = append(r.ofClass[l], j)
	}
	return r, nil
}

// copyRows copies all rows in single precision.
func (r *refinement) copyRows(in *rows.Reader, labels []int) {
	r.x, r.labels, r.order = make([]float32, in.Rows*r.n), labels, make([]int, in.Rows)
	narrow(r.x, in)
}

// narrow copies all rows to dst in single precision.
func narrow(dst []float32, in *rows.Reader) {
	n := in.Cols
	par.For(in.Rows, 256, func(_, lo, hi int) {
		row := make([]float64, n)
		for i := lo; i < hi; i++ {
			vec.Narrow(dst[i*n:(i+1)*n], in.Row(row, i))
		}
	})
}

// useBatch sets the rows of the batch and draws the noise of their features.
func (r *refinement) useBatch(x mat.Matrix, labels []int, rng *rand.Rand) error {
	in := rows.New(x)
	if in.Cols != r.n || in.Rows != r.opt.Batch || len(labels) != in.Rows {
		panic(mat.ErrShape)
	}
	if err := in.CheckFinite(); err != nil {
		return err
	}
	if err := indices.CheckLabels("row", labels, r.c); err != nil {
		return fmt.Errorf("batch: %w", err)
	}
	narrow(r.batch, in)
	copy(r.right, labels)
	r.drawNoise(rng)
	return nil
}

// draw copies the rows with the given indexes to the batch and draws the noise of their features.
func (r *refinement) draw(index []int, rng *rand.Rand) {
	n := r.n
	par.For(len(index), 128, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(r.batch[i*n:(i+1)*n], r.x[index[i]*n:(index[i]+1)*n])
			r.right[i] = r.labels[index[i]]
		}
	})
	r.drawNoise(rng)
}

func (r *refinement) drawNoise(rng *rand.Rand) {
	s := math.Sqrt(r.opt.Noise)
	for i := range r.z {
		r.z[i] = s * rng.NormFloat64()
	}
}

// loss returns the mean negative log-probability of the correct classes over the batch, and computes its gradient with
// respect to all parameters. On entry z contains the noise; on return it contains the noisy features.
func (r *refinement) loss() float64 {
	n, m, k, q, bt := r.n, r.m, r.k, r.q, r.opt.Batch
	r.unit.Normalize(r.f, r.w, r.m)
	r.densities()
	dense.Times32(bt, n, m, r.batch, n, r.f, m, r.z, m)
	par.For(bt, 128, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			r.form(i)
		}
	})
	clear(r.scores)
	dense.Gemm32(false, false, bt, k, q, r.forms, q, r.theta32, k, r.scores, k)
	par.For(bt, 64, func(_, lo, hi int) {
		part := make([]float64, k)
		for i := lo; i < hi; i++ {
			r.losses[i] = r.weigh(i, part)
		}
	})
	back := r.grad[:bt*q]
	clear(back)
	dense.Gemm32(false, true, bt, q, k, r.weight, k, r.theta32, k, back, q)
	par.For(bt, 128, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			r.unform(i, back[i*q:(i+1)*q])
		}
	})
	r.filterGradient()
	dtheta := r.grad[:q*k]
	clear(dtheta)
	dense.Gemm32(true, false, q, k, bt, r.forms, q, r.weight, k, dtheta, k)
	par.For(k, 8, func(_, lo, hi int) {
		work := make([]float64, 2*m*m+m)
		for j := lo; j < hi; j++ {
			r.componentGradient(j, dtheta, work)
		}
	})
	sum := 0.0
	for _, v := range r.losses {
		sum += v / float64(bt)
	}
	return sum
}

func (r *refinement) densities() {
	m, k := r.m, r.k
	par.For(k, 8, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			a, prec, h, mu := r.a[j*m*m:(j+1)*m*m], r.prec[j*m*m:(j+1)*m*m], r.h[j*m:(j+1)*m], r.mu[j*m:(j+1)*m]
			clear(prec)
			c := r.b[j]
			for i := range m { // row i of A ends at column i
				c += math.Log(math.Abs(a[i*m+i]))
				for s := range i + 1 {
					vec.Axpy(prec[s*m:s*m+i+1], a[i*m+s], a[i*m:i*m+i+1])
				}
			}
			at := 0
			put := func(v float64) { r.theta[at*k+j] = v; at++ }
			for s := range m {
				h[s] = vec.Dot(prec[s*m:(s+1)*m], mu)
				c -= h[s] * mu[s] / 2
				put(-prec[s*m+s] / 2)
				for t := s + 1; t < m; t++ {
					put(-prec[s*m+t])
				}
			}
			for _, v := range h {
				put(v)
			}
			put(c)
		}
	})
	vec.Narrow(r.theta32, r.theta)
}

func (r *refinement) form(i int) {
	m, q := r.m, r.q
	z, out := r.z32[i*m:(i+1)*m], r.forms[i*q:(i+1)*q]
	vec.Narrow(z, r.z[i*m:(i+1)*m])
	vec.Quadratic(out, z)
	out[q-1] = 1
}

// weigh returns the negative log-probability of the correct class of row i. It stores the derivative of the loss with
// respect to the row's scores: the responsibility of each component among all components, minus its responsibility
// within the correct class. part is scratch memory with one value per component.
func (r *refinement) weigh(i int, part []float64) float64 {
	k, right := r.k, r.right[i]
	scores, out := r.scores[i*k:(i+1)*k], r.weight[i*k:(i+1)*k]
	own := r.ofClass[right]
	top, best := math.Inf(-1), math.Inf(-1)
	for _, v := range scores {
		if v > top {
			top = v
		}
	}
	part = part[:len(own)]
	for q, j := range own {
		if part[q] = scores[j]; part[q] > best {
			best = part[q]
		}
	}
	for q := range part {
		part[q] -= best
	}
	for j := range scores {
		scores[j] -= top
	}
	vec.Exp(scores, -700)
	vec.Exp(part, -700)
	var all, among float64
	for _, v := range scores {
		all += v
	}
	for _, v := range part {
		among += v
	}
	share := 1 / float64(r.opt.Batch)
	for j, v := range scores {
		out[j] = float32(v / all * share)
	}
	for q, j := range own {
		out[j] = float32((scores[j]/all - part[q]/among) * share)
	}
	return top + math.Log(all) - best - math.Log(among)
}

// unform propagates the gradient of row i from its forms back to its features.
func (r *refinement) unform(i int, back []float64) {
	m := r.m
	z, out := r.z[i*m:(i+1)*m], r.dz32[i*m:(i+1)*m]
	var sums [64]float64
	d := sums[:]
	if m > len(d) {
		d = make([]float64, m)
	}
	d = d[:m]
	copy(d, back[m*(m+1)/2:])
	at := 0
	for s := range m {
		for t := s; t < m; t++ {
			g := back[at]
			d[s] += g * z[t]
			d[t] += g * z[s]
			at++
		}
	}
	vec.Narrow(out, d)
}

// filterGradient computes the gradient with respect to w: X'dz without its component along each filter, divided by
// the norm of the column.
func (r *refinement) filterGradient() {
	n, m := r.n, r.m
	clear(r.dw)
	dense.Gemm32(true, false, n, m, r.opt.Batch, r.batch, n, r.dz32, m, r.dw, m)
	r.unit.Gradient(r.dw, r.f)
}

// componentGradient propagates the gradient of component j from θ back to its parameters. Let S be the symmetric
// derivative with respect to Q, and h' and c' the derivatives with respect to h and the constant. Then
//
//	∂μ = Q h' - c' h/2,  ∂A = 2 A S + diag(c'/A_ii),  S += sym(h'μ'),  h' -= c' μ/2.
func (r *refinement) componentGradient(j int, dtheta, work []float64) {
	m, k := r.m, r.k
	a, prec, h, mu := r.a[j*m*m:(j+1)*m*m], r.prec[j*m*m:(j+1)*m*m], r.h[j*m:(j+1)*m], r.mu[j*m:(j+1)*m]
	da, dmu := r.da[j*m*m:(j+1)*m*m], r.dmu[j*m:(j+1)*m]
	s, dh := work[:m*m], work[2*m*m:]
	at := 0
	next := func() float64 { v := dtheta[at*k+j]; at++; return v }
	for t := range m {
		for u := t; u < m; u++ {
			v := -next() / 2
			s[t*m+u], s[u*m+t] = v, v
		}
	}
	for t := range m {
		dh[t] = next()
	}
	dc := next()
	r.db[j] = dc
	for t := range m {
		dh[t] -= dc * mu[t] / 2
	}
	for t := range m {
		dmu[t] = vec.Dot(prec[t*m:(t+1)*m], dh) - dc*h[t]/2
		for u := range m {
			s[t*m+u] += (dh[t]*mu[u] + dh[u]*mu[t]) / 2
		}
	}
	clear(da)
	for t := range m {
		for u := range t + 1 {
			da[t*m+u] = 2 * vec.Dot(a[t*m:t*m+t+1], s[u*m:u*m+t+1])
		}
		da[t*m+t] += dc / a[t*m+t]
	}
}

// result returns the filters, with unit norm and fixed signs, and the mixture.
func (r *refinement) result(start *classify.Mixture) (*mat.Dense, *classify.Mixture, error) {
	m, k := r.m, r.k
	r.unit.Normalize(r.f, r.w, r.m)
	f := mat.NewDense(r.n, m, append([]float64(nil), r.f...))
	flip := make([]float64, m)
	for j, turned := range ritz.FixSigns(f.RawMatrix().Data, r.n, m) {
		if flip[j] = 1; turned {
			flip[j] = -1
		}
	}
	out := &classify.Mixture{Classes: start.Classes, Of: start.Of, Temperature: 1, Weights: make([]float64, k),
		Means: mat.NewDense(k, m, nil), Covariances: spd.NewStack(k, m)}
	sum := 0.0
	copy(out.Weights, r.b)
	vec.ExpFromTop(out.Weights)
	for j, w := range out.Weights {
		out.Weights[j] = math.Max(w, math.SmallestNonzeroFloat64)
		sum += out.Weights[j]
	}
	l := make([]float64, m*m)
	for j := range k {
		out.Weights[j] /= sum
		tri.InvertLower(m, l, r.a[j*m*m:(j+1)*m*m])
		cov := out.Covariances.At(j)
		dense.Gemm(false, true, m, m, m, 1, l, m, l, m, 0, cov, m)
		vec.Symmetrize(cov, m)
		for s := range m {
			out.Means.Set(j, s, flip[s]*r.mu[j*m+s])
			for t := range m {
				cov[s*m+t] *= flip[s] * flip[t]
			}
		}
	}
	return f, out, out.Validate()
}
