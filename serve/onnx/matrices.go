package onnx

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao/internal/classifiers"
	"rao/internal/linalg/vec"
	"rao/model"
	"rao/spd"
)

// power returns a^p for an SPD matrix. It returns an error if an eigenvalue is not positive.
func power(a mat.Symmetric, p float64) (*mat.Dense, error) {
	out := spd.StackFrom(a)
	if err := spd.Pow(out, out, p); err != nil {
		return nil, fmt.Errorf("a matrix of the model: %w; fit the model again with more regularization", err)
	}
	return mat.NewDense(out.Dim, out.Dim, out.Data), nil
}

func (g *graph) dense(m mat.Matrix) string {
	r, c := m.Dims()
	return g.numbers(mat.DenseCopyOf(m).RawMatrix().Data, r, c)
}

// packing returns the n²×n(n+1)/2 matrix that converts the entries of a symmetric matrix to the order of vec.Pack. Its
// transpose converts them back.
func packing(n int) *mat.Dense {
	p := mat.NewDense(n*n, vec.PackedLen(n), nil)
	k := 0
	for i := range n {
		p.Set(i*n+i, k, 1)
		k++
		for j := i + 1; j < n; j++ {
			p.Set(i*n+j, k, math.Sqrt2/2)
			p.Set(j*n+i, k, math.Sqrt2/2)
			k++
		}
	}
	return p
}

// matrices is a graph whose current value x contains matrices of order n.
type matrices struct {
	*graph
	x         string
	n         int
	condition float64
	residuals []string // residuals of the logarithms, with one value per observation each
}

// congruent replaces X by WᵀXW. The new order is the number of columns of w.
func (m *matrices) congruent(w mat.Matrix) *matrices {
	_, m.n = w.Dims()
	m.x = m.matmul(m.matmul(m.dense(w.T()), m.x), m.dense(w))
	return m
}

// logarithm returns the logarithms of matrices that have the order of m.
func (m *matrices) logarithm(x string) string {
	l, residual := m.logm(x, m.n, m.condition)
	m.residuals = append(m.residuals, residual)
	return l
}

// whitened returns W X W with W = ref^-½.
func (m *matrices) whitened(ref mat.Symmetric) (string, error) {
	w, err := power(ref, -0.5)
	if err != nil {
		return "", err
	}
	c := m.dense(w)
	return m.matmul(m.matmul(c, m.x), c), nil
}

// tangentLog returns the logarithms at the reference of a tangent space. A flat metric needs no reference.
func (m *matrices) tangentLog(t *classifiers.TangentSpace) (string, error) {
	if t.Metric.Flat() != nil {
		return m.flat(t.Metric)
	}
	x, err := m.whitened(t.Reference)
	if err != nil {
		return "", err
	}
	return m.logarithm(x), nil
}

// tangent returns the tangent vectors of the matrices at the reference of t.
func (m *matrices) tangent(t *classifiers.TangentSpace) (rows, error) {
	l, err := m.tangentLog(t)
	if err != nil {
		return rows{}, err
	}
	return m.packed(l), nil
}

// packed returns symmetric matrices as vectors in the order of vec.Pack.
func (m *matrices) packed(x string) rows {
	return rows{graph: m.graph, x: m.reshape(x, -1, int64(m.n*m.n)), a: packing(m.n), dim: vec.PackedLen(m.n)}
}

// logVariances returns the logarithms of the diagonals.
func (m *matrices) logVariances(*model.LogVariance) (rows, error) {
	diagonal := mat.NewDense(m.n*m.n, m.n, nil)
	for i := range m.n {
		diagonal.Set(i*m.n+i, i, 1)
	}
	flat := m.reshape(m.x, -1, int64(m.n*m.n))
	return rows{graph: m.graph, x: m.op("Log", m.matmul(flat, m.dense(diagonal))), dim: m.n}, nil
}

// geodesic projects tangent vectors onto the basis and maps them back to the manifold.
func (m *matrices) geodesic(f *classifiers.GeodesicFilter) (*matrices, error) {
	l, err := m.tangentLog(f.Tangent)
	if err != nil {
		return nil, err
	}
	var in, project mat.Dense
	in.Mul(packing(m.n), f.Basis)
	project.Mul(&in, in.T())
	project.Scale(math.Ldexp(1, -squarings), &project)
	s := m.matmul(m.reshape(l, -1, int64(m.n*m.n)), m.dense(&project))
	x := m.expm(m.reshape(s, -1, int64(m.n), int64(m.n)), m.n)
	if f.Tangent.Metric.Flat() == nil {
		root, err := power(f.Tangent.Reference, 0.5)
		if err != nil {
			return nil, err
		}
		c := m.dense(root)
		x = m.matmul(m.matmul(c, x), c)
	}
	m.x = x
	return m, nil
}

// flatGraphs map matrices to the space in which a flat metric is Euclidean. Flat metrics that are missing here cannot
// be exported.
var flatGraphs = map[spd.Metric]func(m *matrices, x string) string{
	spd.LogEuclid: (*matrices).logarithm,
	spd.Euclid:    func(_ *matrices, x string) string { return x },
}

// distanceGraphs compute squared distances to matrices, one per column, for metrics that are not flat.
var distanceGraphs = map[spd.Metric]func(m *matrices, p *spd.Stack) (string, error){
	spd.Riemann: (*matrices).riemannDistances,
}

// squaredDistances returns the squared distances to the matrices of p, one per column.
func (m *matrices) squaredDistances(metric spd.Metric, p *spd.Stack) (string, error) {
	if distances, ok := distanceGraphs[metric]; ok {
		return distances(m, p)
	}
	if _, ok := flatGraphs[metric]; !ok {
		names := slices.Concat(slices.Collect(maps.Keys(distanceGraphs)), slices.Collect(maps.Keys(flatGraphs)))
		return "", fmt.Errorf("the metric %s cannot be exported; use one of %s", metric, listed(names))
	}
	x, points, err := m.flatWith(metric, p)
	if err != nil {
		return "", err
	}
	return m.distancesTo(m.packed(x).value(), points), nil
}

// riemannDistances returns the sums of the squared entries of log(W X W) with W = P^-½.
func (m *matrices) riemannDistances(p *spd.Stack) (string, error) {
	n := m.n
	w := make([]float64, 0, p.Count*n*n)
	for k := range p.Count {
		root, err := power(p.Sym(k), -0.5)
		if err != nil {
			return "", err
		}
		w = append(w, root.RawMatrix().Data...)
	}
	c := m.numbers(w, p.Count, n, n)
	l := m.logarithm(m.matmul(m.matmul(c, m.reshape(m.x, -1, 1, int64(n), int64(n))), c))
	last := len(m.residuals) - 1
	m.residuals[last] = m.reduce("ReduceMax", m.residuals[last], 0, 1)
	return m.sum(m.op("Mul", l, l), 2, 3), nil
}

// listed returns the names of metrics, sorted and separated by commas.
func listed(metrics []spd.Metric) string {
	names := make([]string, len(metrics))
	for i, m := range metrics {
		names[i] = string(m)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// scores adds a classifier of matrices and returns its scores.
func (m *matrices) scores(cl model.Classifier) (string, error) {
	e := find(matrixClassifiers, cl)
	if e == nil {
		return "", without(cl)
	}
	return e.add(m, cl)
}

// flat returns matrices whose packed entries are the vectors of a flat metric.
func (m *matrices) flat(metric spd.Metric) (string, error) {
	graph, ok := flatGraphs[metric]
	if !ok {
		return "", fmt.Errorf("vectors in the metric %s cannot be exported; use one of %s", metric,
			listed(slices.Collect(maps.Keys(flatGraphs))))
	}
	return graph(m, m.x), nil
}

// flatWith is like flat, and also returns the vectors of p, one per row.
func (m *matrices) flatWith(metric spd.Metric, p *spd.Stack) (string, *mat.Dense, error) {
	x, err := m.flat(metric)
	if err != nil {
		return "", nil, err
	}
	v, err := metric.Flat().Vectors(context.Background(), p, "matrix")
	if err != nil {
		return "", nil, err
	}
	return x, mat.NewDense(p.Count, vec.PackedLen(m.n), v), nil
}

// nearest adds the votes of the nearest matrices in a flat metric.
func (m *matrices) nearest(cl *classifiers.MatrixKNN) (string, error) {
	x, references, err := m.flatWith(cl.Metric, cl.Matrices)
	if err != nil {
		return "", err
	}
	return m.voted(m.packed(x).value(), references, cl.Labels, len(cl.Classes), cl.K, cl.Smoothing), nil
}

// linear adds a linear classifier of tangent vectors. Its scores are divided by the temperature.
func (m *matrices) linear(s classifiers.TangentScores) (string, error) {
	z, err := m.tangent(s.Space)
	if err != nil {
		return "", err
	}
	w := mat.DenseCopyOf(s.Coefficients.T())
	w.Scale(1/s.Temperature, w)
	negative := make([]float64, len(s.Intercepts))
	for i, v := range s.Intercepts {
		negative[i] = -v / s.Temperature
	}
	return z.then(nil, w, negative).value(), nil
}
