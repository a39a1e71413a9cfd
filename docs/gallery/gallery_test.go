package gallery_test

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/dataset"
	"rao/evaluate"
	"rao/method"
	"rao/report"
	"rao/spd"
)

var ctx = context.Background()

// check panics if err is not nil.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// must returns v, and panics if err is not nil.
func must[T any](v T, err error) T {
	check(err)
	return v
}

// found returns v, the result of an iteration, and panics if err is not nil.
func found[T any](v T, _ rao.Report, err error) T { return must(v, err) }

// decider is a classifier of matrices.
type decider interface {
	LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error
}

// fitted returns the classifier of the named method, fitted to d.
func fitted(name string, d *dataset.Data, options method.Settings) decider {
	m := must(must(method.Lookup(name)).Fit(ctx, method.InMemory{Data: d}, options, nil))
	return m.Classifier.(decider)
}

// accuracy returns the accuracy of c on d.
func accuracy(c decider, d *dataset.Data) float64 {
	var log mat.Dense
	check(c.LogPosterior(context.Background(), &log, d.Stack))
	return evaluate.Accuracy(d.Labels, evaluate.MostProbable(&log))
}

// halves returns the observations with even indices and the observations with odd indices.
func halves(d *dataset.Data) (even, odd *dataset.Data) {
	var index [2][]int
	for i := range d.N() {
		index[i%2] = append(index[i%2], i)
	}
	return d.Subset(index[0]), d.Subset(index[1])
}

// diagonals returns the diagonal entries of each 2×2 matrix as a point.
func diagonals(name string, x *spd.Stack) report.Points {
	p := report.Points{Name: name}
	for k := range x.Count {
		p.X, p.Y = append(p.X, x.At(k)[0]), append(p.Y, x.At(k)[3])
	}
	return p
}

// steps returns n evenly spaced values from lo to hi.
func steps(lo, hi float64, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = lo + (hi-lo)*float64(i)/float64(n-1)
	}
	return v
}

// fieldOf returns the quadrant (0 to 3) of a pixel in a square image.
func fieldOf(pixel, side int) int { return pixel/side/(side/2)*2 + pixel%side/(side/2) }

// windows returns the covariance of each window of a square image, and the quadrant that contains the center of the
// window.
func windows(pixels *mat.Dense, side, window int) (*spd.Stack, []int) {
	_, n := pixels.Dims()
	inside := side - window + 1
	x, truth := spd.NewStack(inside*inside, n), make([]int, inside*inside)
	for k := range truth {
		first := k/inside*side + k%inside
		truth[k] = fieldOf(first+window/2*(side+1), side)
		for q := range window * window {
			v := pixels.RawRowView(first + q/window*side + q%window)
			for e := range n * n {
				x.At(k)[e] += v[e/n] * v[e%n] / float64(window*window)
			}
		}
	}
	return x, truth
}
