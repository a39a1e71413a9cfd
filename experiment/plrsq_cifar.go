package experiment

import (
	"context"
	"fmt"

	"rao/dataset"
	"rao/lvq"
	"rao/report"
	"rao/spd"
)

const cifarProtocol = "CIFAR-10, one 9×9 covariance descriptor (x, y, R, G, B, |Ix|, |Iy|, |Ixx|, |Iyy|) an image; whatever part of the set is in the cache folder. " +
	"PLRSQ: prototypes a class from 1, 3 and 5, starting at k-means, and σ² from 0.5, 1, 2 and 4, chosen on a held-out fifth of the training part; 20 epochs, with a learning rate that starts at n/100 = 0.09 for any number of prototypes. The other methods have their default options (5 neighbours)."

// cifar opens the descriptors of CIFAR-10.
func (r *Run) cifar(ctx context.Context) (train, test *dataset.Data, err error) {
	var part [2]*dataset.Data
	for i, name := range []string{"cifar10:train", "cifar10:test"} {
		d, err := r.Data(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		if r.Short {
			d = thin(d, max(1, d.N()/300))
		}
		if part[i], err = descriptors(ctx, d); err != nil {
			return nil, nil, err
		}
	}
	return part[0], part[1], nil
}

// cifarSizes is figure 6: accuracy over the number of training images.
func cifarSizes(ctx context.Context, r *Run) error {
	train, test, err := r.cifar(ctx)
	if err != nil {
		return err
	}
	sizes := []int{250, 500, 1000, 2000, 4000}
	if r.Short {
		sizes = []int{150}
	}
	learners := imageLearners(lvq.Options{}, false)
	lines := make([]report.Line, len(learners))
	header := []string{"images"}
	for i, l := range learners {
		header, lines[i].Name = append(header, l.label), l.label
	}
	t := r.Table("accuracy", "Test accuracy in per cent over the number of training images, mean ± SD over draws", header...)
	for k, n := range sizes {
		if n >= train.N() {
			break
		}
		got, err := r.cifarDraws(ctx, train, test, n)
		if err != nil {
			return err
		}
		row := []any{n}
		for i, v := range got {
			row = append(row, spread(v, 100, 2))
			curve(&lines[i], float64(n), v)
		}
		t.Add(row...)
		r.progress("sizes", k+1, len(sizes))
	}
	r.Figure("accuracy", report.Lines("Accuracy over the number of training images", lines, report.PlotOptions{
		X: report.Axis{Label: "training images", Log: true}, Y: report.Axis{Label: "test accuracy", Percent: true}, Markers: true}))
	r.Remark("%d training and %d test images were at hand; the paper draws from all 60000. A 9×9 descriptor of a whole image keeps little of it: chance is 10 per cent.", train.N(), test.N())
	return nil
}

// cifarDraws returns the accuracies of the methods on draws of n training images.
func (r *Run) cifarDraws(ctx context.Context, train, test *dataset.Data, n int) ([][]float64, error) {
	parts := make([]*dataset.Data, r.Pick(3, 1))
	for draw := range parts {
		var err error
		if parts[draw], _, err = holdOut(train, 1-float64(n)/float64(train.N()), r.Seed+uint64(draw)); err != nil {
			return nil, err
		}
	}
	o, err := r.cifarChoice(ctx, parts[0])
	if err != nil {
		return nil, err
	}
	learners := imageLearners(o, false)
	got := make([][]float64, len(learners))
	for i := range got {
		got[i] = make([]float64, len(parts))
	}
	err = r.eachOf(ctx, fmt.Sprintf("%d images", n), len(parts)*len(learners), func(job int) error {
		i, draw := job%len(learners), job/len(learners)
		var err error
		got[i][draw], err = learners[i].accuracy(ctx, parts[draw], test, uint64(draw))
		return err
	})
	return got, err
}

// cifarChoice chooses the number of prototypes and σ² on a held-out fifth of the
// training data.
func (r *Run) cifarChoice(ctx context.Context, train *dataset.Data) (lvq.Options, error) {
	numbers, sigmas, epochs := []int{1, 3, 5}, []float64{0.5, 1, 2, 4}, r.Pick(20, 3)
	if r.Short {
		numbers, sigmas = []int{1}, []float64{1}
	}
	inner, valid, err := holdOut(train, 0.2, r.Seed)
	if err != nil {
		return lvq.Options{}, err
	}
	var tried []lvq.Options
	for _, p := range numbers {
		for _, s2 := range sigmas {
			tried = append(tried, lvq.Options{Prototypes: p, Sigma2: s2, Epochs: epochs, Start: lvq.StartKMeans,
				Rate: float64(train.Stack.Dim) / 100, CalibrationFolds: -1, Seed: r.Seed})
		}
	}
	_, k, err := bestOptions(ctx, inner, valid, tried)
	return tried[k], err
}

// geometryTable is table 6: prototypes under the metrics of the manifold, on the
// descriptors of CIFAR-10.
func geometryTable(ctx context.Context, r *Run) error {
	train, test, err := r.cifar(ctx)
	if err != nil {
		return err
	}
	inner, valid, err := holdOut(train, 0.2, r.Seed)
	if err != nil {
		return err
	}
	multiples := []float64{0.5, 1, 2}
	if r.Short {
		multiples = multiples[1:2]
	}
	geometries := []struct {
		label  string
		metric spd.Metric
	}{{"affine-invariant metric: PLRSQ", spd.Riemann}, {"log-Euclidean metric", spd.LogEuclid}, {"Euclidean metric: RSLVQ", spd.Euclid}}
	numbers := []int{1, r.Pick(5, 2)}
	chosen := make([]float64, len(geometries)*len(numbers))
	accuracy := make([][]float64, len(chosen))
	err = r.eachOf(ctx, "geometries", len(chosen), func(job int) error {
		o := lvq.Options{Metric: geometries[job/2].metric, Prototypes: numbers[job%2], Start: lvq.StartKMeans,
			Epochs: r.Pick(20, 3), CalibrationFolds: -1, Seed: r.Seed}
		m, err := chooseSigma2(ctx, inner, valid, o, multiples)
		if err != nil {
			return err
		}
		o.Sigma2, chosen[job] = m.Sigma2, m.Sigma2
		accuracy[job], err = seedAccuracies(ctx, train, test, o, r.Pick(5, 1))
		return err
	})
	if err != nil {
		return err
	}
	t := r.Table("accuracy", "Test accuracy in per cent on CIFAR-10 descriptors, mean ± SD over seeds", "prototypes under", "1 a class", "5 a class", "σ², 1 a class")
	for i, g := range geometries {
		t.Add(g.label, spread(accuracy[2*i], 100, 2), spread(accuracy[2*i+1], 100, 2), chosen[2*i])
	}
	r.Remark("What the paper's table 6 holds is not known to us; this is the comparison of geometries that its argument rests on, under its number.")
	return nil
}

// seedAccuracies fits prototypes with several seeds and scores each on the test
// set.
func seedAccuracies(ctx context.Context, train, test *dataset.Data, o lvq.Options, seeds int) ([]float64, error) {
	v := make([]float64, seeds)
	err := each(ctx, seeds, func(k int) error {
		var err error
		v[k], err = learner{label: "PLRSQ", fit: fitPLRSQ(o)}.accuracy(ctx, train, test, o.Seed+uint64(k))
		return err
	})
	return v, err
}
