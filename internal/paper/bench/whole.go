package bench

import (
	"context"
	"fmt"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/linalg/dense"
	"rao/internal/naming"
	_ "rao/sets" // mnist by name
	"rao/spd"
	"rao/sqfa"
)

// tasks returns the cases on complete tasks: statistics, distances, means, a fit.
func tasks(ctx context.Context, dir string) []*spec {
	return []*spec{statistics("float32", 60000, 784, 10, 0.5), statistics("bytes in float32", 60000, 784, 10, 1),
		distances(22, 576), mean(ctx, 22, 576), fit(ctx, dir)}
}

// statistics measures class statistics of values that are multiples of unit; unit 1 means bytes.
func statistics(what string, rows, n, classes int, unit float32) *spec {
	return &spec{name: fmt.Sprintf("class statistics, 60000×784 %s, 10 classes, 2 threads", what), unit: "GB/s",
		work: float64(rows) * float64(n) * 4 / 1e9, threads: 2,
		second: "SSYRK of the same size", peer: []string{"statistics", "statistics-torch"},
		params: params{"n": n, "rows": rows, "classes": classes},
		prepare: func() (ours, gonum func(), err error) {
			values, labels := make([]float32, rows*n), make([]int, rows)
			for i := range values {
				values[i] = unit * float32(i*7919%256)
			}
			for i := range labels {
				labels[i] = i * 31 % classes
			}
			x, names := dataset.NewTable(rows, n, values), naming.Classes(nil, classes)
			ours = func() {
				_, err := gaussian.Estimate(x, labels, names)
				must(err)
			}
			product := make([]float64, n*n)
			return ours, func() { dense.Syrk32(n, rows, values, n, product, n) }, nil
		}}
}

func distances(n, count int) *spec {
	return &spec{name: "all Riemannian distances of 576 matrices 22×22, 2 threads", unit: "pairs/s",
		work: float64(count*(count-1)) / 2, threads: 2,
		peer: []string{"distances"}, params: params{"n": n, "count": count},
		prepare: func() (ours, gonum func(), err error) {
			x := spd.StackOf(count, n, spdStack(n, count))
			var d mat.Dense
			return func() { must(spd.Distances(context.Background(), &d, spd.Riemann, x, nil)) }, nil, nil
		}}
}

func mean(ctx context.Context, n, count int) *spec {
	const tol = 1e-9
	return &spec{name: "Riemannian mean of 576 matrices 22×22, tolerance 1e-9, 2 threads", threads: 2,
		peer: []string{"mean"}, params: params{"n": n, "count": count, "tol": tol},
		prepare: func() (ours, gonum func(), err error) {
			x := spd.StackOf(count, n, spdStack(n, count))
			ours = func() {
				_, _, err := spd.Mean(ctx, x, nil, spd.Riemann, spd.MeanOptions{Tol: tol})
				must(err)
			}
			return ours, nil, nil
		}}
}

// fit measures SQFA on the statistics of MNIST, if the set is available. The peer reads the same statistics from a file
// in dir.
func fit(ctx context.Context, dir string) *spec {
	path := filepath.Join(dir, "statistics.npz")
	return &spec{name: "SQFA on the statistics of MNIST, 9 filters, noise 1, 2 threads", threads: 2,
		peer: []string{"sqfa"}, params: params{"path": path},
		prepare: func() (ours, gonum func(), err error) {
			stats, err := mnist(ctx)
			if err != nil {
				return nil, nil, err
			}
			if err := stats.WriteFile(path); err != nil {
				return nil, nil, err
			}
			ours = func() {
				_, err := sqfa.Fit(ctx, stats, sqfa.Options{Filters: 9, Noise: 1})
				must(err)
			}
			return ours, nil, nil
		}}
}

// mnist returns the statistics of the training digits, centered and divided by their standard deviation.
func mnist(ctx context.Context) (*gaussian.Statistics, error) {
	d, err := digits(ctx)
	if err != nil {
		return nil, err
	}
	raw, err := gaussian.Estimate(d.X, d.Labels, d.Classes)
	if err != nil {
		return nil, err
	}
	shift, _, _, _ := raw.Pooled(nil)
	return raw.Affine(shift, []float64{1 / classstats.GlobalScale(raw)}), nil
}
