package classifiers

import (
	"cmp"
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/classifiers/common"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/nearest"
	"rao/internal/shrink"
	"rao/spd"
)

// LocalWhiteningOptions are the options of [FitLocalWhitening].
type LocalWhiteningOptions struct {
	// Neighbors is the number of neighbors of the same class with which each training matrix is compared. Default 5.
	Neighbors int
	// Shrinkage shrinks the local covariance towards a multiple of the identity, in (0, 1]. Default 0.1.
	Shrinkage float64
	// Mean contains the options for the mean of the tangent space.
	Mean spd.MeanOptions
}

func (o LocalWhiteningOptions) filled() (LocalWhiteningOptions, error) {
	o.Neighbors = cmp.Or(o.Neighbors, 5)
	o.Shrinkage = cmp.Or(o.Shrinkage, 0.1)
	if o.Neighbors < 1 || !(o.Shrinkage > 0 && o.Shrinkage <= 1) {
		return o, faults.Option("local whitening: the number of neighbors is %d and the shrinkage %g; at least one "+
			"neighbor is needed, and the shrinkage must be above 0 and at most 1",
			o.Neighbors, o.Shrinkage)
	}
	return o, nil
}

// LocalWhitening maps SPD matrices to SPD matrices. In the log-Euclidean metric of the result, directions in which
// neighbors of one class differ count less. With z the tangent vector of X at the mean of the training matrices,
//
//	C = mean of (z_i − z_j)(z_i − z_j)' over training pairs, j among the nearest of i's class
//	C ← (1 − ε) C + ε tr(C)/p I,  X → exp(s C^-½ z)
//
// where p is the length of z, and s preserves the mean squared length of the training vectors. The method is relevant
// component analysis (Bar-Hillel, Hertz, Shental and Weinshall 2005) with neighbors instead of given groups. Follow it
// with a classifier in the log-Euclidean metric, such as [FitMatrixKNN] or [FitMatrixSVM].
//
// The exported fields determine the map.
type LocalWhitening struct {
	Tangent   *TangentSpace `json:"tangent"`   // the tangent space of the vectors
	Transform *mat.Dense    `json:"transform"` // p×p, symmetric: the map of tangent vectors
}

// FitLocalWhitening learns the map. Errors name the matrix or class. If all neighbors within the classes are equal,
// FitLocalWhitening returns an error. If the mean does not converge, it returns a usable map and a
// *rao.NotConvergedError. The cost is the mean, the neighbors and the transform. For N matrices (N_k in class k), K
// neighbors of each, and tangent vectors of length p, the neighbors need about Σ N_k² p operations, and the transform
// K N p² + p³.
func FitLocalWhitening(ctx context.Context, x *spd.Stack, labels []int, classes []string,
	opt LocalWhiteningOptions) (*LocalWhitening, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	if err := common.CheckStack(x, labels, classes, 2); err != nil {
		return nil, err
	}
	t, v, unsettled, err := trainingSpace(ctx, x, spd.Riemann, opt.Mean)
	if err != nil {
		return nil, fmt.Errorf("local whitening: %w", err)
	}
	differences, err := nearestDifferences(ctx, v, indices.Groups(labels, len(classes)), opt.Neighbors)
	if err != nil {
		return nil, fmt.Errorf("local whitening: %w", err)
	}
	transform, err := inverseRoot(differences, opt.Shrinkage)
	if err != nil {
		return nil, fmt.Errorf("local whitening: %w", err)
	}
	var z mat.Dense
	z.Mul(v, transform)
	transform.Scale(mat.Norm(v, 2)/mat.Norm(&z, 2), transform)
	w := &LocalWhitening{Tangent: t, Transform: transform}
	if rao.HasModel(unsettled) {
		return w, fmt.Errorf("local whitening: %w", unsettled)
	}
	return w, nil
}

// nearestDifferences returns the rows z_i − z_j for every row i and the k nearest rows j of its class.
func nearestDifferences(ctx context.Context, v *mat.Dense, members [][]int, k int) (*mat.Dense, error) {
	_, d := v.Dims()
	var out []float64
	for _, rows := range members {
		n, k := len(rows), min(k, len(rows)-1)
		z := make([]float64, 0, n*d)
		for _, i := range rows {
			z = append(z, v.RawRowView(i)...)
		}
		near, distance := make([]int, n*k), make([]float64, n*k)
		if err := nearest.New(z, n, d).Search(ctx, z, n, k, true, near, distance); err != nil {
			return nil, err
		}
		for r, j := range near {
			out = append(out, z[r/k*d:(r/k+1)*d]...)
			vec.Axpy(out[len(out)-d:], -1, z[j*d:(j+1)*d])
		}
	}
	return mat.NewDense(len(out)/d, d, out), nil
}

// inverseRoot returns C^-½, where C is the shrunk second moment of the rows.
func inverseRoot(rows *mat.Dense, shrinkage float64) (*mat.Dense, error) {
	n, d := rows.Dims()
	c := mat.NewSymDense(d, nil)
	c.SymOuterK(1/float64(n), rows.T())
	if !(mat.Trace(c) > 0) {
		return nil, faults.Data("the nearest matrices of each class are equal, so there is nothing to whiten; use " +
			"more neighbors")
	}
	out := spd.StackFrom(c)
	shrink.Apply(out.Data, d, shrinkage)
	if err := spd.InvSqrt(out, out); err != nil {
		return nil, err
	}
	return mat.NewDense(d, d, out.Data), nil
}

// Dims returns the order of the matrices before and after the map, which is the same.
func (w *LocalWhitening) Dims() (in, out int) { return w.Tangent.N, w.Tangent.N }

// Map writes the mapped matrices of x to dst. Errors name the matrix.
func (w *LocalWhitening) Map(dst, x *spd.Stack) error {
	n := w.Tangent.N
	if err := common.CheckOrder(x, n); err != nil {
		return err
	}
	var v, z mat.Dense
	if err := w.Tangent.Vectors(context.Background(), &v, x); err != nil {
		return fmt.Errorf("local whitening: %w", err)
	}
	z.Mul(&v, w.Transform)
	one := mat.NewSymDense(n, vec.Identity(n))
	return spd.UntangentVectors(dst, &z, one) // their tangent vectors are packed logarithms
}

// Validate checks the exported fields. Call it after reading them from a file.
func (w *LocalWhitening) Validate() error {
	if err := w.Tangent.Validate(); err != nil {
		return fmt.Errorf("local whitening: %w", err)
	}
	return common.CheckMatrix("local whitening: transform", w.Transform, w.Tangent.dim(), w.Tangent.dim())
}
