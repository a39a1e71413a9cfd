package worker

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/internal/covstream"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
	"rao/internal/optionvalues"
	"rao/internal/spdmeans"
	"rao/internal/text"
	"rao/recipe"
	"rao/spd"
)

// matrices returns the named array as read-only matrices.
func (q *Request) matrices(name string) (*spd.Stack, error) {
	a, err := q.array(name)
	if err != nil {
		return nil, err
	}
	return a.lent()
}

// metricAndMatrices returns the metric of the request and the matrices "X".
func (q *Request) metricAndMatrices() (spd.Metric, *spd.Stack, error) {
	metric, err := spd.ParseMetric(q.Metric)
	if err != nil {
		return "", nil, err
	}
	x, err := q.matrices("X")
	return metric, x, err
}

// onMatrices returns an operation on the matrices "X" with a metric.
func onMatrices(run func(ctx context.Context, q *Request, metric spd.Metric, x *spd.Stack) (*Reply, error)) operation {
	return func(ctx context.Context, _ *server, q *Request) (*Reply, error) {
		metric, x, err := q.metricAndMatrices()
		if err != nil {
			return nil, err
		}
		return run(ctx, q, metric, x)
	}
}

// distance returns as "D" the distances between the matrices "X" and "Y" or, without "Y", between all pairs of "X".
// With paired set, it returns the distances between the k-th matrices of "X" and "Y" for every k.
func distance(ctx context.Context, q *Request, metric spd.Metric, x *spd.Stack) (*Reply, error) {
	var y *spd.Stack
	var err error
	if q.optional("Y") != nil {
		if y, err = q.matrices("Y"); err != nil {
			return nil, err
		}
		if y.Dim != x.Dim {
			return nil, fmt.Errorf("the matrices of X have order %d, and the matrices of Y order %d; distances need "+
				"matrices of the same order", x.Dim, y.Dim)
		}
	}
	if q.Paired {
		return pairedDistances(metric, x, y)
	}
	var d mat.Dense
	if err := spd.Distances(ctx, &d, metric, x, y); err != nil {
		return nil, err
	}
	return &Reply{Arrays: []Array{denseArray("D", &d)}}, nil
}

func pairedDistances(metric spd.Metric, x, y *spd.Stack) (*Reply, error) {
	if y == nil || x.Count != y.Count {
		return nil, errors.New("paired distances need as many matrices in X as in Y")
	}
	d := make([]float64, x.Count)
	for i := range d {
		v, err := spd.Distance(metric, mat.NewSymDense(x.Dim, x.At(i)), mat.NewSymDense(y.Dim, y.At(i)))
		if err != nil {
			return nil, fmt.Errorf("pair %d: %w", i, err)
		}
		d[i] = v
	}
	return &Reply{Arrays: []Array{float64Array("D", d, len(d))}}, nil
}

// mean returns as "M" the mean of the matrices "X", with optional "weights". The kinds are the same as in rao spd mean.
func mean(ctx context.Context, q *Request, metric spd.Metric, x *spd.Stack) (*Reply, error) {
	var weights []float64
	if w := q.optional("weights"); w != nil {
		weights = w.doubles()
		if len(w.Shape) != 1 || len(weights) != x.Count {
			return nil, fmt.Errorf("the weights have the shape %s, but there are %d matrices; give one weight per "+
				"matrix", text.Shape(w.Shape), x.Count)
		}
	}
	m, report, err := spdmeans.Of(ctx, x, weights, spdmeans.Options{Kind: q.Kind, Metric: metric, Exponent: q.Exponent,
		MeanOptions: spd.MeanOptions{Tol: q.Tol, MaxIter: q.MaxIter}})
	why, err := partial(err)
	if err != nil {
		return nil, err
	}
	return &Reply{Partial: why, Info: report, Arrays: []Array{float64Array("M", m.RawSymmetric().Data, x.Dim, x.Dim)}},
		nil
}

// reference returns the matrix "C", which must have the given order.
func (q *Request) reference(order int) (*mat.SymDense, error) {
	a, err := q.array("C")
	if err != nil {
		return nil, err
	}
	c, err := a.symmetric()
	if err == nil && c.SymmetricDim() != order {
		err = fmt.Errorf("the reference has order %d, but the matrices have order %d; give a reference of the same "+
			"channels", c.SymmetricDim(), order)
	}
	return c, err
}

// tangent returns as "Z" the tangent vectors of the matrices "X" at "C".
func tangent(ctx context.Context, _ *server, q *Request) (*Reply, error) {
	x, err := q.matrices("X")
	if err != nil {
		return nil, err
	}
	c, err := q.reference(x.Dim)
	if err != nil {
		return nil, err
	}
	var z mat.Dense
	if err := spd.TangentVectors(ctx, &z, x, c); err != nil {
		return nil, err
	}
	return &Reply{Arrays: []Array{denseArray("Z", &z)}}, nil
}

// untangent returns as "X" the matrices of the tangent vectors "Z" at "C".
func untangent(_ context.Context, _ *server, q *Request) (*Reply, error) {
	a, err := q.array("Z")
	if err != nil {
		return nil, err
	}
	t, err := a.table()
	if err != nil {
		return nil, err
	}
	n, dim := t.Dims()
	order := 0
	for vec.PackedLen(order) < dim {
		order++
	}
	if vec.PackedLen(order) != dim {
		return nil, fmt.Errorf("the tangent vectors have length %d, which is not n(n+1)/2 for any order n of matrices",
			dim)
	}
	c, err := q.reference(order)
	if err != nil {
		return nil, err
	}
	x := spd.NewStack(n, order)
	if err := spd.UntangentVectors(x, t.Matrix(), c); err != nil {
		return nil, err
	}
	return &Reply{Arrays: []Array{stackArray("X", x)}}, nil
}

// covariances returns as "C" the covariances of the trials "X" (trials × channels × samples) by the estimator named in
// method. Errors use the names in channels, if given.
func covariances(ctx context.Context, _ *server, q *Request) (*Reply, error) {
	a, err := q.array("X")
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 3 || a.Shape[1] == 0 || a.Shape[2] == 0 {
		return nil, fmt.Errorf("the array X has the shape %s, but signals must have the shape trials × channels × "+
			"samples", text.Shape(a.Shape))
	}
	x := a.doubles()
	count, channels, samples := a.Shape[0], a.Shape[1], a.Shape[2]
	if optionvalues.IsSpectral(q.Method) {
		made, err := q.Spectra.matrices(ctx, x, count, channels, samples,
			recipe.SignalOptions{Estimator: recipe.Estimator(q.Method)})
		return made, naming.NameChannel(err, q.Channels)
	}
	estimator, err := optionvalues.ParseEstimator(spd.Estimator(q.Method), optionvalues.SpectralEstimators()...)
	if err != nil {
		return nil, err
	}
	trials := make([]mat.Matrix, count)
	for k := range trials {
		trials[k] = mat.NewDense(channels, samples, x[k*channels*samples:][:channels*samples]).T()
	}
	out, err := spd.Covariances(ctx, trials, spd.CovarianceOptions{Estimator: estimator})
	if err != nil {
		return nil, naming.NameChannel(err, q.Channels)
	}
	return &Reply{Arrays: []Array{stackArray("C", out)}}, nil
}

// spectraRequest contains the settings of spectral matrices.
type spectraRequest struct {
	Rate    float64   `json:"rate"`    // samples per second
	Band    []float64 `json:"band"`    // lowest and highest frequency; empty: all
	Segment float64   `json:"segment"` // seconds; 0: the default
	Overlap float64   `json:"overlap"` // fraction; 0: the default
}

// matrices returns the spectral matrices of trials with channels × samples each.
func (r *spectraRequest) matrices(ctx context.Context, x []float64, count, channels, samples int,
	o recipe.SignalOptions) (*Reply, error) {
	if !vec.Positive(r.Rate) {
		return nil, fmt.Errorf("the sampling rate is %g Hz; the estimator %s needs a finite rate above 0", r.Rate,
			o.Estimator)
	}
	o.Segment, o.Overlap = r.Segment, r.Overlap
	if r.Band != nil {
		if len(r.Band) != 2 || !(r.Band[0] >= 0) || !(r.Band[1] > r.Band[0]) {
			return nil, fmt.Errorf("the band %v is not a lower and a higher frequency in hertz, such as [8, 30]",
				r.Band)
		}
		o.Bands = []recipe.Band{{Low: r.Band[0], High: r.Band[1]}}
	}
	e, err := covstream.NewEstimator(channels, samples, r.Rate, o)
	if err != nil {
		return nil, err
	}
	var out []float64
	order := 0
	for k := range count {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		trial := mat.NewDense(channels, samples, x[k*channels*samples:][:channels*samples])
		m, err := e.Estimate(mat.DenseCopyOf(trial.T()))
		if err != nil {
			return nil, naming.At(fmt.Sprintf("trial %d", k), err)
		}
		order = m[0].SymmetricDim()
		out = append(out, full(m[0])...)
	}
	if count == 0 {
		return nil, errors.New("the array X contains no trials; give at least one")
	}
	return &Reply{Arrays: []Array{float64Array("C", out, count, order, order)}}, nil
}
