package spd

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/rows"
)

// Kernel writes to dst the inner products of every matrix of x (rows) with every matrix of y (columns; nil means x) in
// a tangent space:
//
//	euclid     tr(X Y)
//	logeuclid  tr(log X log Y)
//	riemann    tr(log(C⁻½ X C⁻½) log(C⁻½ Y C⁻½))  (Barachant et al. 2013)
//
// where C is the reference, or the Riemannian mean of x if ref is nil. Use the mean of the training data as reference
// for the test data, too. Metrics with inner products that do not depend on a reference ignore ref. An empty dst is
// resized; another shape panics with mat.ErrShape. Kernel returns an error if the metric has no kernel, or if a matrix
// or ref is not SPD.
func Kernel(dst *mat.Dense, metric Metric, x, y *Stack, ref mat.Symmetric) error {
	g, err := metric.with("kernel", func(g *geometry) bool { return g.vectors != nil })
	if err != nil {
		return err
	}
	if err := x.verify("matrix"); err != nil {
		return err
	}
	if y != nil {
		if err := y.verify("matrix"); err != nil {
			return err
		}
		if err := sameDim(x, y); err != nil {
			return err
		}
	}
	at := full(ref)
	if g.atReference && at == nil {
		if at, _, err = weightedMean(context.Background(), x, nil, g.name, MeanOptions{}); err != nil &&
			!rao.HasModel(err) {
			return err
		}
	}
	u, err := g.vectors(x, at)
	if err != nil {
		return err
	}
	v, other := u, x
	if y != nil {
		other = y
		if v, err = g.vectors(y, at); err != nil {
			return err
		}
	}
	rows.Shape(dst, x.Count, other.Count)
	raw := dst.RawMatrix()
	p := vec.PackedLen(x.Dim)
	dense.Gemm(false, true, x.Count, other.Count, p, 1, u, p, v, p, 0, raw.Data, raw.Stride)
	if y == nil {
		dense.Mirror(x.Count, raw.Data, raw.Stride)
	}
	return nil
}

// gammaBlock is the number of matrices for which distances to others are computed at a time.
const gammaBlock = 20

// MedianGamma returns a gamma for [GaussianKernel]: the reciprocal of the median squared distance between the matrices,
// or between 500 evenly spaced matrices if there are more. It returns an error if there is a single matrix, if more
// than half of the pairs are equal matrices, or if a matrix among them is not SPD. If ctx is canceled, it returns the
// error of ctx.
func MedianGamma(ctx context.Context, x *Stack, metric Metric) (float64, error) {
	if x == nil {
		return 0, errNil
	}
	index := indices.Spread(x.Count, 500)
	squared := []float64{}
	for lo := 0; lo < len(index); lo += gammaBlock {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		hi := min(lo+gammaBlock, len(index))
		var d mat.Dense
		if err := Distances(ctx, &d, metric, x.Select(index[lo:hi]), x.Select(index[:hi])); err != nil {
			return 0, indices.InError(err, func(e *MatrixError) {
				if e.Role == "matrix" {
					e.Index += lo
				}
				e.Role, e.Index = "matrix", index[e.Index]
			})
		}
		for i := lo; i < hi; i++ {
			for _, v := range d.RawRowView(i - lo)[:i] {
				squared = append(squared, v*v)
			}
		}
	}
	if len(squared) > 0 {
		if median := vec.UpperMedian(squared); median > 0 {
			return 1 / median, nil
		}
	}
	return 0, faults.Option("more than half of the matrices are equal, so gamma cannot be estimated from their " +
		"distances; set gamma")
}

// GaussianKernel writes exp(−gamma d²) for every matrix of x (rows) and of y (columns; nil means x). It is positive
// definite for every gamma > 0 if the metric is Euclidean after an embedding: logeuclid, euclid, chol, logchol,
// harmonic (Jayasumana, Hartley, Salzmann, Li and Harandi 2015, theorem 4.1). It returns an error for other metrics. An
// empty dst is resized; another shape panics with mat.ErrShape. After an error dst is undefined. Errors name the
// matrix; if ctx is canceled, it returns the error of ctx.
func GaussianKernel(ctx context.Context, dst *mat.Dense, metric Metric, x, y *Stack, gamma float64) error {
	g, err := metric.with("Gaussian kernel that is positive definite", isFlat)
	if err != nil {
		return err
	}
	if !vec.Positive(gamma) {
		return faults.Option("gamma of the Gaussian kernel is %g; give a positive number, such as 1 over the median "+
			"squared distance", gamma)
	}
	u, err := g.flat.Vectors(ctx, x, "matrix")
	if err != nil {
		return err
	}
	v, count := u, x.Count
	if y != nil {
		if err := sameDim(x, y); err != nil {
			return err
		}
		if v, err = g.flat.Vectors(ctx, y, "matrix"); err != nil {
			return err
		}
		count = y.Count
	}
	rows.Shape(dst, x.Count, count)
	p := vec.PackedLen(x.Dim)
	rows := min(64, max(4, (1<<28)/(count*p))) // between two checks of ctx
	for lo := 0; lo < x.Count; lo += rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		par.For(min(rows, x.Count-lo), 1, func(_, r, _ int) {
			i, from := lo+r, 0
			if y == nil {
				from = lo + r
			}
			row := dst.RawRowView(i)
			for j := from; j < count; j++ {
				row[j] = math.Exp(-gamma * vec.SquaredDistance(u[i*p:(i+1)*p], v[j*p:(j+1)*p]))
				if y == nil {
					dst.Set(j, i, row[j])
				}
			}
		})
	}
	return nil
}
