package privacy

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"rao/internal/indices"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/eig"
	"rao/internal/linalg/ritz"
	"rao/internal/subclasses"
)

const (
	cutPooled  = 0.5 // squared radius in the pooled round, in units of the mean square of the rows
	cutClasses = 0.7 // squared radius in the classes' round, in units of the number of whitened dimensions
	cutPublic  = 1.5 // the same with a public basis
	mostDims   = 64  // largest number of dimensions that is chosen automatically
	leastPart  = 0.02
)

// Next returns the plan of the next round. It uses only the noisy sums, so it costs no privacy. dim is the number of
// dimensions of the classes' round; 0 chooses it from the noise. Next returns an error if there is no further round, or
// if dim exceeds the number of columns.
func (r *Release) Next(dim int) (*Plan, error) {
	p := r.Plan
	switch {
	case r.next != nil && (dim == 0 || dim == r.next.Dim || p.Round == RoundStart):
		return r.next, nil
	case p.Kind.last(p.Round):
		return nil, fmt.Errorf("the round %s is the last one, so these statistics need no further round", p.Round)
	case p.Round == RoundStart:
		return r.planPooled(), nil
	}
	return r.planClasses(dim)
}

// usable returns a noisy count that is large enough to divide by.
func usable(count int64, variance float64) float64 {
	return max(float64(count), 2*math.Sqrt(variance)+2)
}

// unit returns the spacing of the lattice in the units of the rows.
func (p *Plan) unit() float64 { return p.Radius / top(p.Dim) }

// planPooled chooses the mapping of the pooled round. Rows are centered at the noisy mean of all rows. Their squared
// length is clipped at half the noisy mean square about this mean.
func (r *Release) planPooled() *Plan {
	p := r.Plan
	p.Sites = slices.Clone(r.Sites)
	d, u, n := float64(p.Dim), r.Plan.unit(), usable(r.Counts[0], r.CountNoise)
	square := max(float64(r.Squares[0])*u*u/n, 1e-6*p.Radius*p.Radius)
	p.CenterVariance = r.SumNoise * u * u / (n * n)
	p.Center = make([]float64, p.Dim)
	length := 0.0
	for j := range p.Center {
		p.Center[j] = u * float64(r.Sums[j]) / n
		length += p.Center[j] * p.Center[j]
	}
	p.Trace = max(square-max(length-d*p.CenterVariance, 0), leastPart*square)
	p.Radius = math.Sqrt(cutPooled * p.Trace)
	p.Round = RoundPooled
	return &p
}

// pooledMoments are the moments of the rows that follow from the sums of the pooled round.
type pooledMoments struct {
	counts       []float64
	total        float64
	shift        []float64 // shift of the mean, relative to the plan's center
	means        []float64 // means of the classes, relative to center+shift, c×D
	meanVariance []float64 // by class: variance of the noise of each element of a mean
	covariance   []float64 // covariance of all rows about the shifted center, D×D
	deviation    float64   // standard deviation of the noise of its off-diagonal elements
	between      []float64 // covariance of the means of the classes
}

func (r *Release) pooled() *pooledMoments {
	p := &r.Plan
	c, d, u := len(p.Classes), p.Dim, p.unit()
	m := &pooledMoments{counts: make([]float64, c), shift: make([]float64, d), means: make([]float64, c*d),
		meanVariance: make([]float64, c)}
	for k := range c {
		m.counts[k] = usable(r.Counts[k], r.CountNoise)
		m.total += m.counts[k]
	}
	// The shift is estimated from the center and from these sums, and both are noisy. The weights favor the more
	// precise estimate.
	own := u * u * r.SumNoise / (m.total * m.total) * float64(c)
	weight := p.CenterVariance / (p.CenterVariance + own)
	for k := range c {
		for j := range d {
			m.shift[j] += weight * u * float64(r.Sums[k*d+j]) / m.total
		}
	}
	for k := range c {
		m.meanVariance[k] = u * u * r.SumNoise / (m.counts[k] * m.counts[k])
		for j := range d {
			m.means[k*d+j] = u*float64(r.Sums[k*d+j])/m.counts[k] - m.shift[j]
		}
	}
	m.covariance = unpackInts(r.Squares, d, u*u/m.total)
	m.between = make([]float64, d*d)
	for i := range d {
		for j := range d {
			m.covariance[i*d+j] -= m.shift[i] * m.shift[j]
			for k := range c {
				m.between[i*d+j] += m.counts[k] / m.total * m.means[k*d+i] * m.means[k*d+j]
			}
		}
	}
	m.deviation = u * u * math.Sqrt(r.SquareNoise/2) / m.total
	return m
}

// unpackInts returns the symmetric matrix with the given upper triangle, multiplied by a factor.
func unpackInts(triangle []int64, d int, factor float64) []float64 {
	full := make([]float64, d*d)
	at := 0
	for i := range d {
		for j := i; j < d; j++ {
			full[i*d+j] = factor * float64(triangle[at])
			full[j*d+i] = full[i*d+j]
			at++
		}
	}
	return full
}

// spectrum returns the eigenvalues of a symmetric matrix, ascending, and its eigenvectors as rows. It does not modify
// the matrix.
func spectrum(a []float64, n int) (values, vectors []float64, err error) {
	values, vectors = make([]float64, n), append([]float64(nil), a...)
	err = eig.SymRows(values, vectors, n, true, make([]float64, eig.WorkLen(n)))
	return values, vectors, err
}

// planClasses chooses the basis, the number of dimensions and the whitening for the classes' round.
func (r *Release) planClasses(dim int) (*Plan, error) {
	p, m := r.Plan, r.pooled()
	p.Sites = slices.Clone(r.Sites)
	d, c := p.Dim, len(p.Classes)
	values, vectors, err := spectrum(m.covariance, d)
	if err != nil {
		return nil, fmt.Errorf("the noisy second moment: %w", err)
	}
	// No eigenvalue of the sum of the covariances within and between classes is below the smallest eigenvalue of the
	// covariance within classes.
	both := make([]float64, d*d)
	trace := 0.0
	for i, v := range m.covariance {
		both[i] = v + m.between[i]
		if i%(d+1) == 0 {
			both[i] -= values[0]
			trace += v
		}
	}
	above := indices.Count(values, func(v float64) bool { return v > 2*m.deviation*math.Sqrt(float64(d)) })
	p.faint = above == 0
	dims := dim
	if dims == 0 {
		dims = r.chooseDims(above, m.total/float64(c))
	}
	if dims > d {
		return nil, fmt.Errorf("the number of dimensions is %d; it must not exceed %d, the number of columns", dims, d)
	}
	leading, _, err := ritz.LeadingTo(both, d, dims, 1e-8)
	if err != nil {
		return nil, fmt.Errorf("the noisy second moment: %w", err)
	}
	// Variances along the leading directions, from the spectrum with the noise removed.
	clean := cleaned(values, m.deviation)
	scale := p.Trace / max(trace, 0.1*p.Trace)
	cosines := make([]float64, d*dims)
	dense.Gemm(false, false, d, dims, d, 1, vectors, d, leading, dims, 0, cosines, dims)
	x := make([]float64, dims)
	for i, v := range clean {
		for k, c := range cosines[i*dims : (i+1)*dims] {
			x[k] += c * c * v * scale
		}
	}
	least := leastPart * max(slices.Max(x), leastPart*p.Trace/float64(d)) // for data that are only noise
	mapping := leading
	for k := range x {
		x[k] = max(x[k], least)
		for j := range d {
			mapping[j*dims+k] /= math.Sqrt(x[k])
		}
	}
	center := make([]float64, d)
	for j := range center {
		center[j] = p.Center[j] + m.shift[j]
	}
	p.Round, p.Center, p.Mapping, p.Dim, p.Variances = RoundClasses, center, mapping, dims, x
	p.Radius = math.Sqrt(cutClasses * float64(dims))
	return &p, nil
}

// chooseDims returns the number of dimensions for which the covariances are still usable despite the noise of the
// classes' round. It compares them with the edge of the spectrum of the noise. perClass is the mean number of rows per
// class. above is the number of eigenvalues of the second moment that are too large to be noise alone. It assumes that
// the sites divide ρ between the rounds in the usual proportions.
func (r *Release) chooseDims(above int, perClass float64) int {
	p := &r.Plan
	rho := r.rho() * p.Kind.share(RoundClasses) / (p.Kind.share(RoundStart) + p.Kind.share(RoundPooled))
	mu, sites := math.Sqrt(2*rho)/p.weight(), math.Sqrt(float64(r.Contributors()))
	most := func(limit float64) int {
		best := 2
		for d := 2; d <= p.Dim; d++ {
			v := float64(d)
			if cutClasses*v*math.Sqrt(2*v)*math.Sqrt(1+3/v)/mu*sites/perClass <= limit {
				best = d
			}
		}
		return best
	}
	return max(1, min(p.Dim, max(min(len(p.Classes)-1, most(1)), min(above, most(0.5), mostDims))))
}

// cleaned returns the variances along the eigenvectors of a noisy matrix C + E with eigenvalues l, where off-diagonal
// elements of E have standard deviation tau. They are l - 2τ²D Re g(l), where g is the Stieltjes transform of the
// spectrum (Bun, Allez, Bouchaud and Potters 2016).
func cleaned(l []float64, tau float64) []float64 {
	out := make([]float64, len(l))
	for i, a := range l {
		g := 0.0
		for _, b := range l {
			if s := (a-b)*(a-b) + tau*tau; s > 0 {
				g += (a - b) / s
			}
		}
		out[i] = a - 2*tau*tau*g
	}
	return out
}

// ofBasis returns the plan of the only round with a public basis. Coordinates are whitened by the variances of the
// basis.
func (p *Plan) ofBasis(b *subclasses.Basis, dim int) (*Plan, error) {
	if err := b.Validate(); err != nil {
		return nil, err
	}
	n, d := b.Dims()
	if dim > d {
		return nil, fmt.Errorf("the number of dimensions is %d; it must be at most %d, the number in the public basis",
			dim, d)
	}
	if dim > 0 {
		d = dim
	}
	p.Domain = p.Domain.of(n)
	if err := p.Domain.Validate(n); err != nil {
		return nil, err
	}
	p.Public, p.Round, p.Dim = true, RoundClasses, d
	p.Radius = math.Sqrt(cutPublic * float64(d))
	p.Center, p.Mapping, p.Variances = make([]float64, n), make([]float64, n*d), make([]float64, d)
	largest := 0.0
	for _, v := range b.Variances[:d] {
		largest = max(largest, v)
	}
	if !(largest > 0) {
		return nil, errors.New("all variances of the public basis are 0; give a basis that was learned from data " +
			"that vary")
	}
	for k := range d {
		p.Variances[k] = max(b.Variances[k], leastPart*largest)
	}
	for j := range n {
		middle, half := p.Domain.unit(j)
		p.Center[j] = (b.Center[j] - middle) / half
		for k := range d {
			p.Mapping[j*d+k] = b.Components.At(j, k) * half / math.Sqrt(p.Variances[k])
		}
	}
	return p, nil
}

// symmetricProduct returns A diag(w) A' = Σ w_k v_k v_k', where the rows of v are the columns v_k of A.
func symmetricProduct(w, v []float64, n int) []float64 {
	scaled := make([]float64, n*n)
	for k := range n {
		for j := range n {
			scaled[k*n+j] = w[k] * v[k*n+j]
		}
	}
	out := make([]float64, n*n)
	dense.Gemm(true, false, n, n, n, 1, v, n, scaled, n, 0, out, n)
	return out
}
