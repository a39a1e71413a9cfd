package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/classify"
	"rao/cluster"
	"rao/evaluate"
	"rao/internal/linalg/vec"
	"rao/internal/spdclusters"
	"rao/spd"
	"rao/synth"
)

// numbers returns the named array of n integers, one per matrix, and the largest integer plus one. It returns an error
// for an integer below low or above n-1.
func (q *Request) numbers(name string, n, low int) (of []int, count int, err error) {
	a, err := q.array(name)
	if err != nil {
		return nil, 0, err
	}
	if of, err = a.oneOf("matrix", n, low, n-1); err != nil || n == 0 {
		return nil, 0, err
	}
	return of, slices.Max(of) + 1, nil
}

// classified returns the matrices "X", their classes "y" and the metric.
func (q *Request) classified() (*spd.Stack, []int, spd.Metric, error) {
	metric, x, err := q.metricAndMatrices()
	if err != nil {
		return nil, nil, metric, err
	}
	labels, _, err := q.numbers("y", x.Count, 0)
	return x, labels, metric, err
}

// manova tests whether the classes "y" of the matrices "X" differ. With the array "groups", labels are permuted only
// within groups. With keep, the reply has F for each permutation as "F".
func manova(ctx context.Context, _ *server, q *Request) (*Reply, error) {
	x, labels, metric, err := q.classified()
	if err != nil {
		return nil, err
	}
	opt := q.Manova
	if q.optional("groups") != nil {
		if opt.Groups, _, err = q.numbers("groups", x.Count, 0); err != nil {
			return nil, err
		}
	}
	if opt.Permutations < 0 {
		return nil, fmt.Errorf("the number of permutations is %d; it must be 1 or more, or 0 to choose it "+
			"automatically",
			opt.Permutations)
	}
	var d mat.Dense
	if err := spd.Distances(ctx, &d, metric, x, nil); err != nil {
		return nil, err
	}
	result, err := evaluate.Manova(ctx, mat.NewSymDense(x.Count, d.RawMatrix().Data), labels, opt)
	if err != nil {
		return nil, err
	}
	r := &Reply{Info: result}
	if result.All != nil {
		r.Arrays = []Array{float64Array("F", result.All, len(result.All))}
	}
	return r, nil
}

// distinct measures how distinct the classes "y" of the matrices "X" are.
func distinct(ctx context.Context, _ *server, q *Request) (*Reply, error) {
	x, labels, metric, err := q.classified()
	if err != nil {
		return nil, err
	}
	v, err := classify.Distinctiveness(ctx, x, labels, metric)
	return &Reply{Info: v}, err
}

// embed returns as "Z" the coordinates of an embedding of the matrices "X". The kind is spectral or lle.
func embed(ctx context.Context, q *Request, metric spd.Metric, x *spd.Stack) (*Reply, error) {
	opt := q.Embed
	opt.Metric = metric
	var z mat.Dense
	var err error
	switch q.Kind {
	case "spectral":
		err = cluster.SpectralEmbedding(ctx, &z, x, opt)
	case "lle":
		_, err = cluster.LocallyLinearEmbedding(ctx, &z, x, opt)
	default:
		err = &rao.UnknownError{Kind: "embedding", Name: q.Kind, Known: []string{"spectral", "lle"}}
	}
	if err != nil {
		return nil, err
	}
	return &Reply{Arrays: []Array{denseArray("Z", &z)}}, nil
}

type clusterRequest struct {
	Clusters int    `json:"clusters"`
	Starts   int    `json:"starts"`
	Seed     uint64 `json:"seed"`
	// only for mean shift
	Kernel    string  `json:"kernel"`
	Bandwidth float64 `json:"bandwidth"`
	Tol       float64 `json:"tol"`
}

// kmeans clusters the matrices "X". The arrays of the reply are the means "M" and the cluster of each matrix.
func kmeans(ctx context.Context, q *Request, metric spd.Metric, x *spd.Stack) (*Reply, error) {
	m, err := cluster.FitKMeans(ctx, x, q.Cluster.Clusters, cluster.KMeansOptions{Metric: metric,
		Starts: q.Cluster.Starts, MaxIter: q.MaxIter, Seed: q.Cluster.Seed})
	why, err := partial(err)
	if err != nil {
		return nil, err
	}
	return &Reply{Partial: why, Info: map[string]any{"inertia": m.Inertia, "iterations": m.Report.Iterations},
		Arrays: []Array{stackArray("M", m.Means), intArray("cluster", m.Assignments)}}, nil
}

// meanShift returns the modes "M" of the density of the matrices "X", and the cluster of each matrix.
func meanShift(ctx context.Context, q *Request, metric spd.Metric, x *spd.Stack) (*Reply, error) {
	m, err := cluster.FitMeanShift(ctx, x, cluster.MeanShiftOptions{Metric: metric,
		Kernel:    cluster.Kernel(q.Cluster.Kernel),
		Bandwidth: q.Cluster.Bandwidth, Tol: q.Cluster.Tol, MaxIter: q.MaxIter})
	why, err := partial(err)
	if err != nil {
		return nil, err
	}
	return &Reply{Partial: why, Info: map[string]any{"bandwidth": m.Bandwidth, "iterations": m.Report.Iterations},
		Arrays: []Array{stackArray("M", m.Modes), intArray("cluster", m.Assignments)}}, nil
}

// mixture fits Gaussians to the matrices "X". It returns their means "M", covariances "S" and weights "w", and the
// cluster of each matrix.
func mixture(ctx context.Context, q *Request, metric spd.Metric, x *spd.Stack) (*Reply, error) {
	m, err := cluster.FitMixture(ctx, x, q.Cluster.Clusters, cluster.MixtureOptions{Metric: metric,
		Starts: q.Cluster.Starts, MaxIter: q.MaxIter, Tol: q.Cluster.Tol, Seed: q.Cluster.Seed})
	why, err := partial(err)
	if err != nil {
		return nil, err
	}
	k, d := len(m.Weights), m.Covariances[0].SymmetricDim()
	covs := make([]float64, 0, k*d*d)
	for _, s := range m.Covariances {
		covs = append(covs, full(s)...)
	}
	return &Reply{Partial: why, Info: map[string]any{"objective": m.Report.Objective, "caveat": spdclusters.Caveat(m),
		"iterations": m.Report.Iterations}, Arrays: []Array{
		stackArray("M", m.Means), float64Array("S", covs, k, d, d),
		float64Array("w", m.Weights, k), intArray("cluster", m.Assignments)}}, nil
}

// mixturePosterior returns the probabilities "P" of the components of a mixture for each matrix in "X", and the
// log-densities "L".
func mixturePosterior(ctx context.Context, q *Request, metric spd.Metric, x *spd.Stack) (*Reply, error) {
	means, err := q.matrices("M")
	if err != nil {
		return nil, err
	}
	s, err := q.matrices("S")
	if err != nil {
		return nil, err
	}
	w, err := q.array("w")
	if err != nil {
		return nil, err
	}
	m := &cluster.Mixture{Metric: metric, Means: means, Weights: w.doubles()}
	if s.Count != means.Count || len(m.Weights) != means.Count || s.Dim != vec.PackedLen(means.Dim) {
		return nil, fmt.Errorf("the mixture has %d means of order %d, %d covariances of order %d and %d weights; "+
			"every component needs one of each, and means of order n need covariances of order n(n+1)/2",
			means.Count, means.Dim, s.Count, s.Dim, len(m.Weights))
	}
	for k := range s.Count {
		m.Covariances = append(m.Covariances, s.Sym(k))
	}
	if x.Count == 0 {
		return nil, errors.New("the array X contains no matrices; give at least one")
	}
	var p mat.Dense
	logs, err := m.Posterior(ctx, &p, x)
	if err != nil {
		return nil, err
	}
	return &Reply{Arrays: []Array{denseArray("P", &p), float64Array("L", logs, len(logs))}}, nil
}

type drawRequest struct {
	Sigma    []float64 `json:"sigma"`
	PerClass int       `json:"per_class"`
	Seed     uint64    `json:"seed"`
}

// drawnMost is the largest number of values that one request may draw.
const drawnMost = 1 << 28

// riemannGaussian draws matrices "X" with classes "y" around the centers "C".
func riemannGaussian(_ context.Context, _ *server, q *Request) (*Reply, error) {
	centers, err := q.matrices("C")
	if err != nil {
		return nil, err
	}
	most := drawnMost / max(1, centers.Count*centers.Dim*centers.Dim)
	if n := q.Draw.PerClass; n < 1 || n > most {
		return nil, fmt.Errorf("the number of matrices per class is %d; it must be between 1 and %d", n, most)
	}
	d, err := synth.RiemannGaussian(centers, q.Draw.Sigma, q.Draw.PerClass, q.Draw.Seed)
	if err != nil {
		return nil, err
	}
	return &Reply{Arrays: []Array{stackArray("X", d.Stack), intArray("y", d.Labels)}}, nil
}
