package classify

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/par"
	"rao/spd"
)

// MatrixKNNOptions adjust [FitMatrixKNN].
type MatrixKNNOptions struct {
	// Metric of the distances. Default spd.Riemann.
	Metric spd.Metric
	// K is the number of neighbours that vote, 1 to the number of training
	// matrices. Default 5, or all matrices when there are fewer.
	K int
	// Smoothing is the number of votes that each class has beforehand, so that no
	// probability is zero. Default 1/c: one vote in all.
	Smoothing float64
}

// MatrixKNN decides by the votes of the K nearest training matrices, with the
// probabilities of [KNN]: p(i|X) = (v_i + s)/(K + c s).
//
// The search is exact. In the affine-invariant metric most distances are not
// computed: the log-Euclidean distance is never larger (the exponential metric
// increasing property, Bhatia 2007, theorem 6.1.4), so candidates are tried in its
// order until it exceeds the K-th distance found. Of equally distant matrices the
// one that comes first in the training data is nearer.
//
// The exported fields determine the model.
type MatrixKNN struct {
	Classes   []string
	Metric    string
	K         int
	Smoothing float64
	Matrices  *spd.Stack // training matrices
	Labels    []int      // of them, 0..c-1
}

// FitMatrixKNN keeps a copy of the training matrices. Errors name the matrix or
// class, or the option out of range.
func FitMatrixKNN(x *spd.Stack, labels []int, classes []string, opt MatrixKNNOptions) (*MatrixKNN, error) {
	if err := checkStack("knn-spd", x, labels, classes, 1); err != nil {
		return nil, err
	}
	metric, err := spd.LookupMetric(string(opt.Metric))
	if err != nil {
		return nil, fmt.Errorf("knn-spd: %w", err)
	}
	if opt.K == 0 {
		opt.K = min(5, x.Count)
	}
	if opt.Smoothing == 0 {
		opt.Smoothing = 1 / float64(len(classes))
	}
	all := make([]int, x.Count)
	for k := range all {
		all[k] = k
	}
	m := &MatrixKNN{Classes: slices.Clone(classes), Metric: string(metric), K: opt.K, Smoothing: opt.Smoothing,
		Matrices: x.Select(all), Labels: slices.Clone(labels)}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	// A distance to itself finds every matrix that is not positive definite.
	if metric != spd.Euclid {
		if err := spd.Log(new(spd.Stack), x); err != nil {
			return nil, fmt.Errorf("knn-spd: %w", err)
		}
	}
	return m, nil
}

// NumClasses returns c.
func (m *MatrixKNN) NumClasses() int { return len(m.Classes) }

// Dim returns the order of the matrices.
func (m *MatrixKNN) Dim() int { return m.Matrices.Dim }

// knnBlock is how many matrices have their distances in memory at a time.
const knnBlock = 256

// LogPosterior writes the N×c log-probabilities of the matrices of x to dst, which
// is resized when empty; another shape panics with mat.ErrShape. Errors name the
// matrix. Cost: one distance a pair, in the metric or, for Riemann, log-Euclidean
// with few Riemannian ones.
func (m *MatrixKNN) LogPosterior(dst *mat.Dense, x *spd.Stack) error {
	if err := checkOrder("knn-spd", x, m.Dim()); err != nil {
		return err
	}
	c := m.NumClasses()
	shape(dst, x.Count, c)
	total := math.Log(float64(m.K) + float64(c)*m.Smoothing)
	for lo := 0; lo < x.Count; lo += knnBlock {
		index := make([]int, min(knnBlock, x.Count-lo))
		for i := range index {
			index[i] = lo + i
		}
		near, err := m.neighbours(x.Select(index))
		if err != nil {
			return fmt.Errorf("knn-spd: matrices from %d on: %w", lo, err)
		}
		for i, nn := range near {
			row := dst.RawRowView(lo + i)
			clear(row)
			for _, k := range nn {
				row[m.Labels[k]]++
			}
			for j, v := range row {
				row[j] = math.Log(v+m.Smoothing) - total
			}
		}
	}
	return nil
}

// neighbours returns the K nearest training matrices of each matrix of x.
func (m *MatrixKNN) neighbours(x *spd.Stack) ([][]int, error) {
	bound := spd.Metric(m.Metric)
	if bound == spd.Riemann {
		bound = spd.LogEuclid
	}
	var d mat.Dense
	if err := spd.DistancesNamed(&d, bound, x, m.Matrices, "matrix", "training matrix"); err != nil {
		return nil, err
	}
	out := make([][]int, x.Count)
	errs := make([]error, x.Count)
	par.For(x.Count, 1, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			order := sortedBy(d.RawRowView(i))
			if m.Metric == string(spd.Riemann) {
				order, errs[i] = m.refine(x.At(i), order, d.RawRowView(i))
			}
			out[i] = order[:min(m.K, len(order))]
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sortedBy returns the indices of v in ascending order of value, then index.
func sortedBy(v []float64) []int {
	order := make([]int, len(v))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case v[a] < v[b]:
			return -1
		case v[a] > v[b]:
			return 1
		}
		return a - b
	})
	return order
}

// refine returns the K nearest by the Riemannian distance, given all in the order
// of a lower bound. Distances are computed eight at a time.
func (m *MatrixKNN) refine(a []float64, order []int, bound []float64) ([]int, error) {
	const batch = 8
	var found []int
	exact := map[int]float64{}
	one := spd.StackOf(1, m.Dim(), a)
	for lo := 0; lo < len(order); lo += batch {
		// Rounding of both distances must not cut a neighbour off.
		if len(found) >= m.K && bound[order[lo]]*(1-1e-9) > exact[found[m.K-1]] {
			break
		}
		next := order[lo:min(lo+batch, len(order))]
		var d mat.Dense
		if err := spd.DistancesNamed(&d, spd.Riemann, one, m.Matrices.Select(next), "matrix", "training matrix"); err != nil {
			return nil, err
		}
		for j, k := range next {
			exact[k] = d.At(0, j)
		}
		found = append(found, next...)
		slices.SortFunc(found, func(a, b int) int {
			switch {
			case exact[a] < exact[b]:
				return -1
			case exact[a] > exact[b]:
				return 1
			}
			return a - b
		})
		found = found[:min(m.K, len(found))]
	}
	return found, nil
}

// Validate checks the exported fields, which may come from a damaged file.
func (m *MatrixKNN) Validate() error {
	if _, err := spd.LookupMetric(m.Metric); err != nil {
		return fmt.Errorf("knn-spd: %w", err)
	}
	if m.Matrices == nil {
		return fmt.Errorf("knn-spd: no training matrices")
	}
	if err := checkStack("knn-spd", m.Matrices, m.Labels, m.Classes, 0); err != nil {
		return err
	}
	if m.K < 1 || m.K > m.Matrices.Count {
		return fmt.Errorf("knn-spd: %d neighbours of %d training matrices; k must be between 1 and their number", m.K, m.Matrices.Count)
	}
	if !(m.Smoothing > 0) || math.IsInf(m.Smoothing, 1) {
		return fmt.Errorf("knn-spd: smoothing %g; it must be positive", m.Smoothing)
	}
	return nil
}
