package lvq

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/small"
	"rao/internal/par"
)

// jointCost is the mean cost of filters W and factors L_l of the prototypes P_l = L_l L_l',
// with its gradient. For a matrix X, Z = W'XW and L⁻¹ Z L⁻' = V diag(λ) V':
//
//	δ² = Σ log² λ
//	∂δ²/∂Z = 2 L⁻' V diag(log λ/λ) V' L⁻¹,  ∂δ²/∂L = −4 L⁻' V diag(log λ) V'
//	∂δ²/∂W = 2 X W ∂δ²/∂Z
//
// The cost does not change under W → WA, L → A'L for any invertible A, nor under L → LQ for
// orthogonal Q, so that neither needs a constraint.
type jointCost struct {
	*joint
	index  []int
	mix    *mixture
	sigma2 float64
	n, m   int

	inverse []float64   // L_l⁻¹, p×m×m
	cost    []float64   // of each chunk
	grads   [][]float64 // of each chunk: that of W, then for each prototype the sum of V diag(log λ) V'
	work    []*jointWork
}

// jointChunk is how many matrices one partial sum covers.
const jointChunk = 16

// jointWork is the scratch of one worker for a chunk.
type jointWork struct {
	ws           small.Workspace
	z, both      *mat.Dense
	a            []float64 // chunk×p matrices
	values, logs []float64
	xws          []float64 // chunk×n×m
	d, f, pull   []float64
}

func newJointCost(j *joint, index []int, sigma2 float64) *jointCost {
	n, m := j.start.Dims()
	p := len(j.opt.label)
	c := &jointCost{joint: j, index: index, mix: newMixture(j.opt.label, j.opt.classes, j.opt.Priors), sigma2: sigma2,
		n: n, m: m, inverse: make([]float64, p*m*m)}
	chunks := par.Chunks(len(index), jointChunk)
	c.cost, c.grads = make([]float64, chunks), make([][]float64, chunks)
	for k := range c.grads {
		c.grads[k] = make([]float64, n*m+p*m*m)
	}
	c.work = make([]*jointWork, par.Workers(len(index), jointChunk))
	for k := range c.work {
		c.work[k] = &jointWork{a: make([]float64, jointChunk*p*m*m), values: make([]float64, jointChunk*p*m),
			logs: make([]float64, jointChunk*p*m), xws: make([]float64, jointChunk*n*m),
			d: make([]float64, p), f: make([]float64, p), pull: make([]float64, p),
			z: mat.NewDense(m, m, nil), both: mat.NewDense(m, m, nil)}
	}
	return c
}

// value is infinite where a factor is singular or a reduced matrix is not positive definite.
func (c *jointCost) value(v, grad []float64) float64 {
	n, m, p := c.n, c.m, len(c.mix.label)
	w := mat.NewDense(n, m, v[:n*m])
	for l := range p {
		inv := mat.NewDense(m, m, c.inverse[l*m*m:(l+1)*m*m])
		if inv.Inverse(mat.NewDense(m, m, v[n*m+l*m*m:n*m+(l+1)*m*m])) != nil {
			return math.Inf(1)
		}
	}
	par.For(len(c.index), jointChunk, func(worker, lo, hi int) {
		k := lo / jointChunk
		c.cost[k] = c.chunk(c.work[worker], w, c.index[lo:hi], c.grads[k])
	})
	cost := 0.0
	clear(grad)
	for k, g := range c.grads {
		cost += c.cost[k]
		for i, x := range g {
			grad[i] += x
		}
	}
	count := float64(len(c.index))
	for i := range grad {
		grad[i] /= count
	}
	for l := range p { // −4 L⁻' S
		s := mat.NewDense(m, m, grad[n*m+l*m*m:n*m+(l+1)*m*m])
		sum := mat.DenseCopyOf(s)
		s.Mul(mat.NewDense(m, m, c.inverse[l*m*m:(l+1)*m*m]).T(), sum)
		s.Scale(-4, s)
	}
	return cost / count
}

// chunk returns the summed cost of some matrices and writes its gradient, infinity when a
// reduced matrix is not positive definite.
func (c *jointCost) chunk(s *jointWork, w *mat.Dense, index []int, grad []float64) float64 {
	n, m, p := c.n, c.m, len(c.mix.label)
	clear(grad)
	for k, i := range index {
		xw := mat.NewDense(n, m, s.xws[k*n*m:(k+1)*n*m])
		xw.Mul(mat.NewDense(n, n, c.x.At(i)), w)
		s.z.Mul(w.T(), xw)
		symmetrize(s.z.RawMatrix().Data, m)
		for l := range p {
			copy(s.a[(k*p+l)*m*m:], s.z.RawMatrix().Data)
		}
	}
	for k := range index {
		s.ws.Congruence(s.a[k*p*m*m:(k+1)*p*m*m], c.inverse, s.a[k*p*m*m:(k+1)*p*m*m], m, p, false)
	}
	count := len(index) * p
	a, values := s.a[:count*m*m], s.values[:count*m]
	if s.ws.Eigen(values, a, a, m, count) != nil {
		return math.Inf(1)
	}
	for i, x := range values {
		if !(x > 0) {
			return math.Inf(1)
		}
		s.logs[i] = math.Log(x)
	}
	beta, cost := 0.5/c.sigma2, 0.0
	for k, i := range index {
		for l := range p {
			s.d[l] = 0
			for _, x := range s.logs[(k*p+l)*m : (k*p+l+1)*m] {
				s.d[l] += x * x
			}
		}
		c.mix.joint(s.f, s.d, beta)
		part, _ := c.mix.coefficients(s.pull, s.f, s.d, c.targets.row(i), beta)
		cost += part
		s.both.Zero()
		for l, pull := range s.pull {
			if pull == 0 {
				continue
			}
			c.add(s, grad[n*m+l*m*m:n*m+(l+1)*m*m], k*p+l, c.inverse[l*m*m:(l+1)*m*m], beta*pull)
		}
		var g mat.Dense // 2 X W ∂/∂Z
		g.Mul(mat.NewDense(n, m, s.xws[k*n*m:(k+1)*n*m]), s.both)
		for q, x := range g.RawMatrix().Data {
			grad[q] += 2 * x
		}
	}
	return cost
}

// add puts weight·V diag(log λ) V' of a pair into sum and adds weight·∂δ²/∂Z to s.both.
func (c *jointCost) add(s *jointWork, sum []float64, pair int, inverse []float64, weight float64) {
	m := c.m
	v := mat.NewDense(m, m, s.a[pair*m*m:(pair+1)*m*m])
	logs, values := s.logs[pair*m:(pair+1)*m], s.values[pair*m:(pair+1)*m]
	var left, scaled, g mat.Dense
	scaled.CloneFrom(v)
	for j, x := range logs {
		for i := range m {
			scaled.Set(i, j, weight*x*v.At(i, j))
		}
	}
	g.Mul(&scaled, v.T())
	for q, x := range g.RawMatrix().Data {
		sum[q] += x
	}
	left.Mul(mat.NewDense(m, m, inverse).T(), v) // L⁻' V
	for j, x := range logs {
		for i := range m {
			scaled.Set(i, j, 2*weight*x/values[j]*left.At(i, j))
		}
	}
	g.Mul(&scaled, left.T())
	s.both.Add(s.both, &g)
}
