package privacy

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/statsarrays"
	"rao/internal/subclasses"
	"rao/spd"
)

const leastRatio = 0.1 // smallest ratio of a repaired class variance to the pooled variance

// Subclasses converts complete subspace statistics to one Gaussian per class, in an orthonormal basis of the columns,
// with covariances that a classifier can invert. The noise of the means is subtracted from the covariances. In the
// metric of the pooled covariance, every eigenvalue is raised to at least the edge of the spectrum of the noise, σ√(2d)
// (Wigner's semicircle), limited to between a tenth and one. Covariances are computed from clipped rows. They are
// suitable for decisions, but not for distances between classes.
func (r *Release) Subclasses() (*subclasses.Statistics, error) {
	p := &r.Plan
	if p.Round != RoundClasses {
		return nil, r.incomplete()
	}
	c, d, u := len(p.Classes), p.Dim, p.unit()
	s := gaussian.New(p.Classes, d)
	counts, deviations := make([]float64, c), make([]float64, c)
	for k := range c {
		counts[k] = usable(r.Counts[k], r.CountNoise)
		s.Counts[k] = max(2, int(math.Round(counts[k])))
		mean := s.Means[k*d : (k+1)*d]
		for j := range mean {
			mean[j] = u * float64(r.Sums[k*d+j]) / counts[k]
		}
		noise := u * u * r.SumNoise / (counts[k] * counts[k])
		cov := unpackInts(r.Squares[k*vec.PackedLen(d):(k+1)*vec.PackedLen(d)], d, u*u/counts[k])
		for i := range d {
			for j := range d {
				cov[i*d+j] -= mean[i] * mean[j]
			}
			cov[i*d+i] += noise
		}
		copy(s.Covariances[k*d*d:], cov)
		deviations[k] = u * u * math.Sqrt(r.SquareNoise) / counts[k]
	}
	if err := repair(counts, s.Covariances, deviations, d); err != nil {
		return nil, err
	}
	basis, err := p.principal(s, counts)
	if err != nil {
		return nil, err
	}
	of := indices.Range(c)
	return &subclasses.Statistics{Classes: p.Classes, Of: of, Components: s, Basis: basis, Most: 1,
		Sites: r.Contributors(), Stages: min(1, r.Contributors()-1)}, nil
}

func (r *Release) incomplete() error {
	return fmt.Errorf("the statistics are incomplete after round %s; run the remaining rounds (the order is start, "+
		"pooled and, for subspace statistics, classes)", r.Plan.Round)
}

// raised returns a symmetric matrix in which eigenvalues below least are raised to least.
func raised(a []float64, n int, least float64) ([]float64, error) {
	w, v, err := spectrum(a, n)
	if err != nil {
		return nil, err
	}
	for i := range w {
		w[i] = max(w[i], least)
	}
	return symmetricProduct(w, v, n), nil
}

// repair raises the eigenvalues of the covariances in place. deviations are the standard deviations of the noise of
// diagonal elements.
func repair(counts, covariances, deviations []float64, d int) error {
	total := vec.Total(counts)
	pooled, edges := make([]float64, d*d), 0.0
	for k, n := range counts {
		edge := deviations[k] * math.Sqrt(2*float64(d))
		edges += n / total * n / total * edge * edge
		for i, v := range covariances[k*d*d : (k+1)*d*d] {
			pooled[i] += n / total * v
		}
	}
	trace := vec.Trace(pooled, d)
	w, v, err := spectrum(pooled, d)
	if err != nil {
		return fmt.Errorf("the pooled covariance: %w", err)
	}
	roots, inverses, inverse := make([]float64, d), make([]float64, d), 0.0
	least := max(leastPart*trace/float64(d), math.Sqrt(edges), math.SmallestNonzeroFloat64)
	for i := range w {
		w[i] = max(w[i], least)
		roots[i], inverses[i] = math.Sqrt(w[i]), 1/math.Sqrt(w[i])
		inverse += 1 / w[i] / float64(d)
	}
	root := mat.NewDense(d, d, symmetricProduct(roots, v, d))
	white := mat.NewDense(d, d, symmetricProduct(inverses, v, d))
	for k := range counts {
		cov := covariances[k*d*d : (k+1)*d*d]
		edge := deviations[k] * math.Sqrt(2*float64(d))
		floor := min(1, max(leastRatio, edge*inverse))
		whitened := spd.NewStack(1, d)
		spd.Congruence(whitened, spd.StackOf(1, d, cov), white)
		raisedCov, err := raised(whitened.At(0), d, floor)
		if err != nil {
			return fmt.Errorf("a covariance: %w", err)
		}
		spd.Congruence(spd.StackOf(1, d, cov), spd.StackOf(1, d, raisedCov), root)
	}
	return nil
}

// Source converts complete statistics to the data's own columns. For subspace statistics, covariances are computed
// when they are needed, and are zero outside the subspace.
func (r *Release) Source() (*gaussian.Source, error) {
	if r.Plan.Kind == Pooled {
		return r.compact()
	}
	s, err := r.Subclasses()
	if err != nil {
		return nil, err
	}
	n, d := s.Basis.Dims()
	means := make([]float64, len(s.Classes)*n)
	for k := range s.Classes {
		mean := mat.NewVecDense(n, means[k*n:(k+1)*n])
		mean.MulVec(s.Basis.Components, mat.NewVecDense(d, s.Components.Means[k*d:(k+1)*d]))
		for j, c := range s.Basis.Center {
			means[k*n+j] += c
		}
	}
	src := gaussian.NewSource(s.Classes, s.Components.Counts, means, func(i int) *mat.SymDense {
		cov := spd.StackOf(1, d, s.Components.Covariances[i*d*d:(i+1)*d*d])
		full := spd.NewStack(1, n)
		spd.Congruence(full, cov, s.Basis.Components.T())
		return full.View(0)
	})
	src.Columns = s.Basis.Columns
	return src, nil
}

// ReadStatistics reads complete private statistics from a file and returns them in the data's own columns, with their
// guarantee.
func ReadStatistics(ctx context.Context, path string) (*gaussian.Statistics, Guarantee, error) {
	r, err := ReadFile(path)
	if err != nil {
		return nil, Guarantee{}, err
	}
	src, err := r.Source()
	if err != nil {
		return nil, Guarantee{}, fmt.Errorf("%s: %w", path, err)
	}
	s, err := src.Load(ctx)
	return s, r.Guarantee(), err
}

// principal maps statistics of the whitened coordinates, in place, to the principal components of their total
// covariance in the data's own columns. It returns the components as a basis.
func (p *Plan) principal(s *gaussian.Statistics, counts []float64) (*subclasses.Basis, error) {
	n, d := len(p.Center), p.Dim
	b := &subclasses.Basis{Center: make([]float64, n), Variances: make([]float64, d), Columns: p.Columns}
	mapping := mat.NewDense(n, d, nil)
	middle, squares := 0.0, 0.0 // middle of the values; mean square of the units
	for j := range n {
		offset, half := p.Domain.unit(j)
		b.Center[j] = offset + half*p.Center[j]
		middle += b.Center[j] / float64(n)
		squares += half * half / float64(n)
		for k := range d {
			mapping.Set(j, k, p.Mapping[j*d+k]/half)
		}
	}
	// With mapping = QR, the coordinates z of the statistics are R'w for coordinates w in the orthonormal Q.
	var qr mat.QR
	var q, r, inverse mat.Dense
	qr.Factorize(mapping)
	qr.QTo(&q)
	qr.RTo(&r)
	if err := inverse.Inverse(r.Slice(0, d, 0, d).T()); err != nil {
		return nil, fmt.Errorf("the basis of the statistics is singular: %w", err)
	}
	mapStatistics(s, &inverse)
	_, _, _, total := s.Pooled(counts)
	values, vectors, err := spectrum(total.RawSymmetric().Data, d)
	if err != nil {
		return nil, fmt.Errorf("the total covariance: %w", err)
	}
	rotation := mat.NewDense(d, d, nil)
	for k := range d {
		b.Variances[k] = max(0, values[d-1-k])
		b.Variance += b.Variances[k]
		rotation.SetRow(k, vectors[(d-1-k)*d:(d-k)*d])
	}
	mapStatistics(s, rotation)
	b.Components = new(mat.Dense)
	b.Components.Mul(q.Slice(0, n, 0, d), rotation.T())
	b.Variance = max(b.Variance, p.Trace*squares)
	spread := 0.0
	for _, v := range b.Center {
		spread += (v - middle) * (v - middle)
	}
	b.Scale = math.Sqrt((b.Variance + spread) / float64(n))
	return b, nil
}

// mapStatistics replaces statistics of x by the statistics of a·x.
func mapStatistics(s *gaussian.Statistics, a mat.Matrix) {
	d := s.Dim
	for k := range s.Counts {
		mean := mat.NewVecDense(d, s.Means[k*d:(k+1)*d])
		var moved mat.VecDense
		moved.MulVec(a, mean)
		mean.CopyVec(&moved)
	}
	covariances := spd.StackOf(len(s.Counts), d, s.Covariances)
	spd.Congruence(covariances, covariances.Clone(), a.T())
}

// compact converts complete pooled statistics to the means of the classes and one covariance within classes, in the
// data's own columns. The eigenvalues of the covariance are raised to at least the edge of the spectrum of the noise.
func (r *Release) compact() (*gaussian.Source, error) {
	p := &r.Plan
	if p.Kind != Pooled || p.Round != RoundPooled {
		return nil, r.incomplete()
	}
	c, d, m := len(p.Classes), p.Dim, r.pooled()
	within, noise := make([]float64, d*d), 0.0
	for k := range c {
		noise += m.counts[k] / m.total * m.meanVariance[k]
	}
	for i := range d {
		for j := range d {
			within[i*d+j] = m.covariance[i*d+j] - m.between[i*d+j]
		}
		within[i*d+i] += noise
	}
	edge := 2 * m.deviation * math.Sqrt(float64(d))
	within, err := raised(within, d, max(edge, leastPart*p.Trace/float64(d)))
	if err != nil {
		return nil, fmt.Errorf("the covariance within the classes: %w", err)
	}
	out := gaussian.NewSource(p.Classes, make([]int, c), make([]float64, c*d),
		func(int) *mat.SymDense { return mat.NewSymDense(d, within) })
	out.Structure, out.Columns = statsarrays.Pooled, p.Columns
	half := make([]float64, d)
	for j := range d {
		var middle float64
		middle, half[j] = p.Domain.unit(j)
		for k := range c {
			out.Means[k*d+j] = middle + half[j]*(p.Center[j]+m.shift[j]+m.means[k*d+j])
		}
	}
	for k := range c {
		out.Counts[k] = max(2, int(math.Round(m.counts[k])))
	}
	for i := range d {
		for j := range d {
			within[i*d+j] *= half[i] * half[j]
		}
	}
	return out, nil
}
