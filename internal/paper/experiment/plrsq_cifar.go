package experiment

import (
	"context"
	"fmt"

	"rao/dataset"
	"rao/evaluate"
	"rao/internal/descriptors"
	"rao/lvq"
	"rao/report"
	"rao/spd"
)

const cifarProtocol = "Each image has one 9×9 covariance descriptor (x, y, R, G, B, |Ix|, |Iy|, |Ixx|, |Iyy|). There " +
	"are three draws of 200, 500, 1000 and 5000 training images, and 1017 test images. PLRSQ-AN uses the paper's " +
	"start, rate and priors, 20 epochs, and settings chosen by 5-fold cross-validation on the training images. It is " +
	"compared with MDRM, TSLDA and five nearest neighbors."

var cifarNotes = []string{
	"The paper draws 200, 500, 1000, 5000, 10000 and 20000 of 50000 images, stratified, five times, and tests on " +
		"10000. Our copy has 5085 training and 1017 test images.",
	"The paper chooses 1 to 5 prototypes per class and σ²opt from 0.45 to 5, and does not give the number of epochs. " +
		"We choose 1 or 5 prototypes and σ² of 0.45, 1.5 or 5, which we fixed beforehand.",
	"With 5000 images, PLRSQ-AN uses the settings chosen for 1000 images of the same draw.",
}

// cifarImages opens the images of CIFAR-10. A short run has about 300 of each part.
func (r *Run) cifarImages(ctx context.Context) (*labeled, error) {
	l, err := r.parts(ctx, "cifar10", 1)
	if err != nil || !r.Short {
		return l, err
	}
	return l.both(func(d *dataset.Data) (*dataset.Data, error) { return thin(d, max(1, d.N()/300)), nil })
}

// cifar opens the descriptors of CIFAR-10. The default features are the nine features of color images.
func (r *Run) cifar(ctx context.Context, features ...descriptors.Feature) (train, test *dataset.Data, err error) {
	images, err := r.cifarImages(ctx)
	if err != nil {
		return nil, nil, err
	}
	l, err := images.both(func(d *dataset.Data) (*dataset.Data, error) {
		return describe(ctx, d, descriptors.Options{Features: features})
	})
	if err != nil {
		return nil, nil, err
	}
	return l.train, l.test, nil
}

// cifarSizes reproduces figure 6: accuracy against the number of training images.
func cifarSizes(ctx context.Context, r *Run) error {
	train, test, err := r.cifar(ctx)
	if err != nil {
		return err
	}
	sizes := r.cifarNumbers()
	draws := r.PickGrid(5, 3, 1)
	others := []learner{{"MDRM", 0, fitMDM}, {"TSLDA", 0, fitTSLDA}, {"kNN", 0, fitMatrixKNN}}
	labels := []string{"PLRSQ-AN"}
	for _, l := range others {
		labels = append(labels, l.label)
	}
	scores := make([][][]float64, len(sizes)) // by size, method and draw
	chosen := make([]lvq.PLRSQOptions, draws)
	picked := r.Table("chosen", "Selected prototypes per class and σ²opt, mean ± SD over the draws", "images",
		"prototypes", "σ²opt")
	for i, n := range sizes {
		scores[i] = zeros(len(labels), draws)
		for draw := range draws {
			index, err := r.cifarDraw(ctx, train, n, draw, &chosen[draw])
			if err != nil {
				return err
			}
			part := train.Subset(index)
			learners := append([]learner{{label: labels[0], fit: fitPLRSQ(chosen[draw])}}, others...)
			if err = each(ctx, len(labels), func(m int) (err error) {
				scores[i][m][draw], err = learners[m].accuracy(ctx, part, test, uint64(draw))
				return err
			}); err != nil {
				return err
			}
			r.progress(fmt.Sprintf("%d images", n), draw+1, draws)
		}
		prototypes, sigma2 := chosenSettings(chosen)
		picked.Add(n, spread(prototypes, 1, 2), spread(sigma2, 1, 2))
	}
	r.cifarTable(sizes, labels, scores)
	return nil
}

// cifarNumbers returns the numbers of training images: four of the six in figure 6, or smaller ones in a short run.
func (r *Run) cifarNumbers() []int {
	if r.Short {
		return []int{100, 150}
	}
	return []int{200, 500, 1000, 5000}
}

// cifarDraw draws n images, returns their indices, and chooses the settings of PLRSQ on them. With more than 1000
// images it keeps the earlier settings.
func (r *Run) cifarDraw(ctx context.Context, train *dataset.Data, n, draw int,
	chosen *lvq.PLRSQOptions) ([]int, error) {
	f, err := evaluate.StratifiedSplit(train.Labels, 1-float64(n)/float64(train.N()), r.Seed+uint64(draw))
	if err == nil && n <= 1000 {
		*chosen, err = r.crossValidated(ctx, train.Subset(f.Train), r.cifarCandidates(train.Stack.Dim), uint64(draw))
	}
	return f.Train, err
}

const cifarFeaturesProtocol = "Images, draws, sizes and the choice of settings are the same as in plrsq-fig6. Each " +
	"image has two descriptors: the 9×9 descriptor of plrsq-fig6, and the 5×5 descriptor of ETH-80 (x, y, I, |Ix|, " +
	"|Iy|)."

var cifarFeaturesNotes = []string{
	"The footnote does not name the features of its 5×5 descriptor.",
}

// cifarFeatures compares two descriptors on the same draws (footnote 3).
func cifarFeatures(ctx context.Context, r *Run) error {
	sizes, draws := r.cifarNumbers(), r.PickGrid(5, 3, 1)
	descriptor := []struct {
		label    string
		features []descriptors.Feature
	}{{"9×9", nil}, {"5×5", descriptors.Features5()}}
	scores := make([][][]float64, len(descriptor)) // by descriptor, size and draw
	for k, d := range descriptor {
		train, test, err := r.cifar(ctx, d.features...)
		if err != nil {
			return err
		}
		scores[k] = zeros(len(sizes), draws)
		err = r.eachOf(ctx, d.label, draws, func(draw int) error {
			var o lvq.PLRSQOptions
			for i, n := range sizes {
				index, err := r.cifarDraw(ctx, train, n, draw, &o)
				if err != nil {
					return err
				}
				l := learner{label: "PLRSQ-AN", fit: fitPLRSQ(o)}
				if scores[k][i][draw], err = l.accuracy(ctx, train.Subset(index), test, uint64(draw)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	t := r.Table("accuracy", "Test accuracy of PLRSQ-AN in percent, mean ± SD over the draws [95 % "+
		"interval]", "images", "9×9", "5×5")
	larger := 0
	for i, n := range sizes {
		t.Add(n, withInterval(scores[0][i], 100, 2), withInterval(scores[1][i], 100, 2))
		if average(scores[0][i]) > average(scores[1][i]) {
			larger++
		}
	}
	last := len(sizes) - 1
	r.Claim("The method performs better with 9×9 descriptors than with 5×5 (footnote 3).", larger == len(sizes),
		"It does at %d of %d sizes: with %d images it has %.1f and %.1f %%, with %d images %.1f and %.1f "+
			"%%.", larger, len(sizes),
		sizes[0], 100*average(scores[0][0]), 100*average(scores[1][0]),
		sizes[last], 100*average(scores[0][last]), 100*average(scores[1][last])).
		If("larger mean over the draws at every size").Needs(!r.Short)
	return nil
}

func (r *Run) cifarCandidates(n int) []lvq.PLRSQOptions {
	numbers, sigmas := []int{1, 5}, []float64{0.45, 1.5, 5}
	switch {
	case r.Short:
		numbers, sigmas = []int{1}, []float64{0.5, 2}
	case r.Whole:
		numbers, sigmas = []int{1, 2, 3, 4, 5}, []float64{0.45, 0.75, 1, 1.5, 2, 3, 4, 5}
	}
	return paperGrid(n, numbers, []int{r.Pick(20, 3)}, sigmas)
}

// cifarTable writes and draws the accuracies by size, method and draw.
func (r *Run) cifarTable(sizes []int, labels []string, scores [][][]float64) {
	t := r.Table("accuracy", "Test accuracy in percent, mean ± SD over the draws [95 % interval]; chance is 10 "+
		"%", append([]string{"images"}, labels...)...)
	lines := make([]report.Line, len(labels))
	for i, n := range sizes {
		row := []any{n}
		for m, v := range scores[i] {
			row = append(row, withInterval(v, 100, 2))
			lines[m].Name = labels[m]
			curve(&lines[m], float64(n), v)
		}
		t.Add(row...)
	}
	r.accuracyFigure("accuracy", "Accuracy over the number of training images", report.Axis{Label: "training images",
		Log: true}, lines)
}

// geometryTable compares prototypes with the metrics of the manifold on the descriptors of CIFAR-10.
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
	}{{"affine-invariant metric: PLRSQ", spd.Riemann}, {"log-Euclidean metric", spd.LogEuclid},
		{"Euclidean metric: RSLVQ", spd.Euclid}}
	numbers := []int{1, r.Pick(5, 2)}
	chosen := make([]float64, len(geometries)*len(numbers))
	accuracy := make([][]float64, len(chosen))
	err = r.eachOf(ctx, "geometries", len(chosen), func(job int) error {
		o := lvq.PLRSQOptions{Metric: geometries[job/2].metric, Prototypes: numbers[job%2], Start: "kmeans",
			Epochs: r.Pick(20, 3), CalibrationFolds: -1, Seed: r.Seed}
		auto, err := automaticSigma2(ctx, inner, o)
		if err != nil {
			return err
		}
		m, err := bestSigma2(ctx, inner, valid, o, auto, multiples...)
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
	t := r.Table("accuracy", "Test accuracy in percent on CIFAR-10 descriptors, mean ± SD over seeds and the "+
		"mean's 95 % interval", "prototypes under", "1 per class", "5 per class", "σ², 1 per class")
	for i, g := range geometries {
		t.Add(g.label, withInterval(accuracy[2*i], 100, 2), withInterval(accuracy[2*i+1], 100, 2), chosen[2*i])
	}
	r.Remark("p against PLRSQ with one prototype per class is %s for the log-Euclidean metric and %s for the "+
		"Euclidean metric (paired signed-rank test). Five seeds allow no p below 0.0625.",
		Cell(signedRank(accuracy[2], accuracy[0])), Cell(signedRank(accuracy[4], accuracy[0])))
	return nil
}

// seedAccuracies fits prototypes with several seeds and scores each fit on the test set.
func seedAccuracies(ctx context.Context, train, test *dataset.Data, o lvq.PLRSQOptions, seeds int) ([]float64, error) {
	return collect(ctx, seeds, func(k int) (float64, error) {
		return learner{label: "PLRSQ", fit: fitPLRSQ(o)}.accuracy(ctx, train, test, o.Seed+uint64(k))
	})
}
