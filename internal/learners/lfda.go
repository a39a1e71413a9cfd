package learners

import (
	"context"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/feature"
	"rao/internal/faults"
	"rao/internal/linalg/dense"
	"rao/internal/linalg/ritz"
	"rao/internal/linalg/vec"
	"rao/internal/linearfilters"
	"rao/internal/nearest"
	"rao/internal/optionvalues"
	"rao/internal/par"
	"rao/internal/shrink"
)

// LFDAOptions are the options of [FitLFDA]. Filters is required.
type LFDAOptions struct {
	Filters int // number of filters, 1 to the number of dimensions; required
	// Neighbor is the number k: the local scale of a row is the distance to the k-th nearest row of its class. Classes
	// with too few rows use the farthest row.
	Neighbor int `opt:"local-neighbor" default:"7" min:"1" max:"1000000" help:"which nearest neighbor sets the local scale of a row"`
	// Shrinkage shrinks the local within-class scatter towards a multiple of the identity. This excludes directions
	// with very little spread. Negative: no shrinkage.
	Shrinkage float64 `opt:"scatter-shrinkage" default:"0.1" min:"0" max:"1" help:"shrinkage of the within-class scatter"`
	Progress  rao.Progress
}

// FitLFDA fits local Fisher discriminant analysis (Sugiyama 2007): LDA with scatter matrices in which near pairs of a
// class have more weight than far pairs. A class may have several clusters, and the number of filters is not limited by
// the number of classes:
//
//	S_b F = S_w F diag(values)
//	S_w = ½ Σ_{i,j same class} A_ij/N_c (x_i - x_j)(x_i - x_j)'
//	S_b = ½ Σ_{i,j} W_ij (x_i - x_j)(x_i - x_j)',  W_ij = A_ij (1/N - 1/N_c) in a class, 1/N across
//
// (equations 13 to 16) with A_ij = exp(-‖x_i - x_j‖² / (σ_i σ_j)) and σ_i the distance to the k-th neighbor. Each
// filter is scaled by the square root of its eigenvalue. Without shrinkage, directions without variance are ignored, as
// in [feature.FitLDA].
//
// The affinities of all pairs of a class are exact. The cost is 6 n Σ N_c² operations at the speed of matrix
// multiplication; memory depends on the largest class. FitLFDA returns an error for invalid data (with row and column)
// or options out of range. If ctx is canceled, it uses the covariance of a class instead of its missing affinities and
// returns a *rao.NotConvergedError.
func FitLFDA(ctx context.Context, x mat.Matrix, labels []int, classes []string, opt LFDAOptions) (*feature.Model,
	error) {
	start := time.Now()
	t, err := newTraining(x, labels, classes)
	if err != nil {
		return nil, err
	}
	m, n := opt.Filters, t.dim
	if err := linearfilters.CheckFilters(m, n, "the number of dimensions"); err != nil {
		return nil, err
	}
	optionvalues.Fill(&opt)
	opt.Shrinkage = max(opt.Shrinkage, 0)
	if opt.Neighbor < 1 || !(opt.Shrinkage >= 0 && opt.Shrinkage <= 1) {
		return nil, faults.Option("the number of the neighbor is %d and the shrinkage %g; the number must be "+
			"positive, and the shrinkage between 0 and 1", opt.Neighbor, opt.Shrinkage)
	}
	mean, within, between, status := localScatter(ctx, t, opt)
	shrink.Apply(within, n, opt.Shrinkage)
	values, f, err := discriminants(within, between, n, m)
	if err != nil {
		return nil, err
	}
	m = len(values)
	sum := 0.0
	for j, v := range values {
		sum += v
		scale := math.Sqrt(math.Max(v, 1e-300))
		for i := range n {
			f[i*m+j] *= scale
		}
	}
	ritz.FixSigns(f, n, m)
	model := &feature.Model{Method: "lfda", Filters: mat.NewDense(n, m, f), Center: mean, Values: values,
		Report: rao.Report{Status: status, Passes: 3, Objective: sum, Elapsed: time.Since(start)}}
	return model, faults.Unfinished(ctx, "lfda", model.Report, "let it finish")
}

// discriminants returns the m largest λ with S_b v = λ S_w v, and the vectors v, scaled to v'S_w v = 1, as columns.
// There are fewer if the classes have spread in fewer directions.
func discriminants(within, between []float64, n, m int) (values, f []float64, err error) {
	t, r, err := linearfilters.Whitener(within, n)
	if err != nil {
		return nil, nil, err
	}
	if m = min(m, r); m == 0 {
		return nil, nil, faults.Data("the rows of every class are identical; give rows that differ")
	}
	half, b := make([]float64, n*r), make([]float64, r*r)
	dense.Gemm(false, false, n, r, n, 1, between, n, t, r, 0, half, r)
	dense.Gemm(true, false, r, r, n, 1, t, r, half, r, 0, b, r)
	for i := range r { // adding the identity gives the local total scatter, which has no negative eigenvalues
		b[i*r+i]++
	}
	vec.Symmetrize(b, r)
	values, u, err := linearfilters.Leading(b, r, m)
	if err != nil {
		return nil, nil, err
	}
	for j := range values {
		values[j]--
	}
	f = make([]float64, n*m)
	dense.Gemm(false, false, n, m, r, 1, t, r, u, m, 0, f, m)
	return values, f, nil
}

// lfdaBlock is the number of rows for which affinities are in memory at a time.
const lfdaBlock = 512

// localScatter returns the mean of the rows, S_w and S_b. With D the row sums of A, M_c = X'(D - A)X over class c,
// S_c the scatter of class c and S the total scatter,
//
//	S_w = Σ_c M_c / N_c,  S_b = S - Σ_c N_c/N S_c + Σ_c (1/N - 1/N_c) M_c
func localScatter(ctx context.Context, t *training,
	opt LFDAOptions) (mean, within, between []float64, status rao.Status) {
	n := t.dim
	within, between, mean = make([]float64, n*n), make([]float64, n*n), make([]float64, n)
	status = rao.StatusClosed
	total := float64(t.rows)
	classMeans := make([][]float64, t.classes)
	scatter := make([]float64, n*n)
	done := 0
	for c, members := range t.members {
		x := t.in.Select(members, nil)
		own, count := make([]float64, n), float64(len(members))
		for i := range members {
			vec.Axpy(own, 1/count, x[i*n:(i+1)*n])
		}
		classMeans[c] = own
		vec.Axpy(mean, count/total, own)
		par.For(len(members), 512, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				vec.Axpy(x[i*n:(i+1)*n], -1, own)
			}
		})
		dense.Syrk(n, len(members), 1, x, n, 0, scatter, n)
		vec.Axpy(between, 1-count/total, scatter)
		if laplacian(ctx, scatter, x, len(members), n, min(opt.Neighbor, len(members)-1)) != nil {
			status = rao.StatusCanceled
			vec.Axpy(within, 1/count, scatter)
		} else {
			vec.Axpy(within, 1/count, scatter)
			vec.Axpy(between, 1/total-1/count, scatter)
		}
		done += len(members)
		opt.Progress.Send(rao.Event{Stage: "fit", Done: done, Total: t.rows})
	}
	for c, own := range classMeans { // the total scatter is the scatter within classes plus the scatter of the means
		for i := range n {
			d := float64(t.counts[c]) * (own[i] - mean[i])
			for j := range n {
				between[i*n+j] += d * (own[j] - mean[j])
			}
		}
	}
	return mean, within, between, status
}

// laplacian sets dst to X'(D - A)X for count rows. If ctx has ended, it returns an error and does not change dst.
func laplacian(ctx context.Context, dst, x []float64, count, n, k int) error {
	index, distance := make([]int, count*k), make([]float64, count*k)
	if err := nearest.New(x, count, n).Search(ctx, x, count, k, true, index, distance); err != nil {
		return err
	}
	sigma, norms := make([]float64, count), make([]float64, count)
	for i := range count {
		sigma[i] = math.Sqrt(distance[(i+1)*k-1])
		norms[i] = vec.Dot(x[i*n:(i+1)*n], x[i*n:(i+1)*n])
	}
	clear(dst)
	block := min(lfdaBlock, count)
	a, r := make([]float64, block*count), make([]float64, block*n)
	for lo := 0; lo < count; lo += block {
		q := min(block, count-lo)
		dense.Gemm(false, true, q, count, n, -2, x[lo*n:], n, x, n, 0, a, count)
		par.For(q, 8, func(_, from, to int) {
			for i := from; i < to; i++ {
				row, sum := a[i*count:(i+1)*count], 0.0
				for j, p := range row {
					row[j] = affinity(math.Max(p+norms[lo+i]+norms[j], 0), sigma[lo+i]*sigma[j])
					sum += row[j]
				}
				copy(r[i*n:(i+1)*n], x[(lo+i)*n:(lo+i+1)*n])
				for j := range n {
					r[i*n+j] *= sum
				}
			}
		})
		dense.Gemm(false, false, q, n, count, -1, a, count, x, n, 1, r, n)
		dense.Gemm(true, false, n, n, q, 1, x[lo*n:], n, r, n, 1, dst, n)
	}
	vec.Symmetrize(dst, n)
	return nil
}

// affinity returns exp(-d²/(σσ')), or its limit for repeated rows, where the scale is zero.
func affinity(d2, scale float64) float64 {
	if scale > 0 {
		return math.Exp(-d2 / scale)
	}
	if d2 > 0 {
		return 0
	}
	return 1
}
