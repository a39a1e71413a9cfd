package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/dataset"
	"rao/internal/classifiers"
	"rao/internal/par"
	"rao/spd"
)

// matrices returns the cases on classifiers of SPD matrices: at order 22 on a session of EEG, if the set is available,
// and on large matrices compared with pyRiemann. The cases with large matrices take minutes.
func matrices(ctx context.Context) []*spec {
	all := []*spec{enucFit(ctx), enucDecisions(ctx)}
	for _, n := range []int{64, 100, 256} {
		for _, m := range matrixMethods {
			all = append(all, m.specs(ctx, n)...)
		}
	}
	return all
}

// enucFit measures a fit with default options, including the folds for the temperature.
func enucFit(ctx context.Context) *spec {
	return &spec{name: "enuc fit, 288 trials of 22 channels, 2 threads", threads: 2,
		prepare: func() (ours, gonum func(), err error) {
			d, err := dataset.Open(ctx, "bci-iv-2a:A01T", dataset.OpenOptions{RequireLabels: true})
			if err != nil {
				return nil, nil, err
			}
			return func() {
				_, err := classifiers.FitENuc(ctx, d.Stack, d.Labels, d.Classes, classifiers.ENucOptions{})
				must(err)
			}, nil, nil
		}}
}

// enucDecisions measures the probabilities of trials, and the logarithms alone, which are most of the work.
func enucDecisions(ctx context.Context) *spec {
	return &spec{name: "enuc decisions of 288 trials of 22 channels, 1 thread", unit: "trials/s", work: 288, threads: 1,
		second: "their logarithms alone",
		prepare: func() (ours, logs func(), err error) {
			d, err := dataset.Open(ctx, "bci-iv-2a:A01T", dataset.OpenOptions{RequireLabels: true})
			if err != nil {
				return nil, nil, err
			}
			m, err := classifiers.FitENuc(ctx, d.Stack, d.Labels, d.Classes, classifiers.ENucOptions{Folds: -1})
			if err != nil {
				return nil, nil, err
			}
			ours = func() {
				var p mat.Dense
				must(m.LogPosterior(ctx, &p, d.Stack))
			}
			logs = func() {
				var v mat.Dense
				must(m.Tangent.Vectors(ctx, &v, d.Stack))
			}
			return ours, logs, nil
		}}
}

// matrixMethod is a classifier that is available in this library and in pyRiemann.
type matrixMethod struct {
	name string
	fit  func(ctx context.Context, x *spd.Stack, labels []int, classes []string) (matrixModel, error)
}

type matrixModel interface {
	LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error
}

// filtered is FgMDM: an MDM classifier on matrices that a geodesic filter has mapped. The method fgmdm would also time
// the digest and the ranges of the training data, which pyRiemann does not compute.
type filtered struct {
	filter *classifiers.GeodesicFilter
	mdm    *classify.MDM
}

// LogPosterior implements matrixModel.
func (f filtered) LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error {
	z := new(spd.Stack)
	if err := f.filter.Map(z, x); err != nil {
		return err
	}
	return f.mdm.LogPosterior(context.Background(), dst, z)
}

var matrixMethods = []matrixMethod{
	{"mdm", func(ctx context.Context, x *spd.Stack, labels []int, classes []string) (matrixModel, error) {
		return classify.FitMDM(ctx, x, labels, classes, classify.MDMOptions{})
	}},
	{"tslda", func(ctx context.Context, x *spd.Stack, labels []int, classes []string) (matrixModel, error) {
		return classifiers.FitTangentLDA(ctx, x, labels, classes, classifiers.TangentLDAOptions{})
	}},
	{"fgmdm", func(ctx context.Context, x *spd.Stack, labels []int, classes []string) (matrixModel, error) {
		filter, err := classifiers.FitGeodesicFilter(ctx, x, labels, classes, classifiers.GeodesicFilterOptions{})
		if err != nil {
			return nil, err
		}
		z := new(spd.Stack)
		if err := filter.Map(z, x); err != nil {
			return nil, err
		}
		mdm, err := classify.FitMDM(ctx, z, labels, classes, classify.MDMOptions{})
		return filtered{filter, mdm}, err
	}},
}

const largeCount = 1000

// specs returns the cases of a fit and of its predictions on large matrices of order n.
func (m matrixMethod) specs(ctx context.Context, n int) []*spec {
	of := func(step string, ours func(x *spd.Stack, fit func() matrixModel) func()) *spec {
		return &spec{name: fmt.Sprintf("%s %s, %d matrices of order %d, 2 threads", m.name, step, largeCount, n),
			threads: 2, long: true, peer: []string{"classifier-" + step},
			params: params{"method": m.name, "n": n, "count": largeCount},
			prepare: func() (_, gonum func(), err error) {
				x, labels := covariances(n, largeCount)
				return ours(x, func() matrixModel {
					model, err := m.fit(ctx, x, labels, []string{"a", "b"})
					must(err)
					return model
				}), nil, nil
			}}
	}
	return []*spec{
		of("fit", func(_ *spd.Stack, fit func() matrixModel) func() { return func() { fit() } }),
		of("predict", func(x *spd.Stack, fit func() matrixModel) func() {
			model := fit()
			return func() {
				var p mat.Dense
				must(model.LogPosterior(ctx, &p, x))
			}
		})}
}

// covariances returns the covariances of 3n samples of a mixture of n sources. In the second class the power of the
// first eighth of the sources is 1.5 times as large.
func covariances(n, count int) (*spd.Stack, []int) {
	mixture := normal(n * n)
	x, labels := spd.NewStack(count, n), make([]int, count)
	par.For(count, 1, func(_, k, _ int) {
		rng := rand.New(rand.NewPCG(uint64(k), uint64(n)))
		labels[k] = k % 2
		sources := mat.NewDense(n, 3*n, nil)
		for i := range n {
			strength := 1.0
			if labels[k] == 1 && i < n/8 {
				strength = math.Sqrt(1.5)
			}
			for j := range 3 * n {
				sources.Set(i, j, strength*rng.NormFloat64()/math.Sqrt(float64(3*n)))
			}
		}
		var signals mat.Dense
		signals.Mul(mat.NewDense(n, n, mixture), sources)
		mat.NewDense(n, n, x.At(k)).Mul(&signals, signals.T())
	})
	return x, labels
}
