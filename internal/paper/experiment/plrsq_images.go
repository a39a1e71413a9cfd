package experiment

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"rao/cluster"
	"rao/dataset"
	"rao/internal/descriptors"
	"rao/internal/indices"
	"rao/lvq"
	"rao/report"
)

const ethProtocol = "Each image has one 5×5 covariance descriptor (x, y, I, |Ix|, |Iy|). The categories are the " +
	"first 3 to 8 in alphabetical order, with ten objects each. In each of five draws, 21 of the 41 images of each " +
	"object are for training and 20 for testing. PLRSQ starts from k-means and learns for 20 epochs, with settings " +
	"chosen on a held-out fifth of the training part. The other methods use their default options. A short run has " +
	"3 categories, one draw and a third of the images."

var ethNotes = []string{
	"The first step of the choice has ten prototypes per class. It chooses σ² (0.03, 0.1, 0.25, 0.5 or 1 times its " +
		"automatic value) together with the starting rate (n/100, or the published n/100 times the prototypes per " +
		"class).",
	"The second step chooses 5, 10 or 20 prototypes per class.",
	"kNN uses 5 neighbors.",
	"K-means (affine-invariant) and kernel k-means form as many groups as categories on the training part, without " +
		"labels and with three starts. Groups are then matched to categories.",
}

// describe returns covariance descriptors of images. The default is five features for gray images and nine features
// for color images.
func describe(ctx context.Context, d *dataset.Data, opt descriptors.Options) (*dataset.Data, error) {
	shape := descriptors.Shape{Rows: d.Image[0], Cols: d.Image[1], Channels: max(1, d.Image[2])}
	x, err := descriptors.Describe(ctx, d.X, shape, opt)
	if err != nil {
		return nil, err
	}
	out := *d
	out.X, out.Stack, out.Image = nil, x, [3]int{}
	return &out, nil
}

// imageLearners returns methods that learn from labels. PLRSQ is the first one.
func imageLearners(o lvq.PLRSQOptions) []learner {
	return []learner{
		{"PLRSQ", 89.09, fitPLRSQ(o)},
		{"MDRM", 63.16, fitMDM},
		{"TSLDA", 0, fitTSLDA},
		{"kNN", 0, fitMatrixKNN},
		{"kernel SVM", 0, fitMatrixSVM},
	}
}

// ethGrid contains the candidates for the prototypes of plrsq-eth80.
type ethGrid struct {
	numbers   []int     // prototypes per class; the middle number is used while σ² and the rate are chosen
	multiples []float64 // σ² divided by its automatic value
	epochs    int
}

// ethTable runs our own protocol on the data of table 5.
func ethTable(ctx context.Context, r *Run) error {
	all, err := r.ethDescriptors(ctx)
	if err != nil {
		return err
	}
	counts := []int{3, 4, 5, 6, 7, 8}
	grid := ethGrid{[]int{5, 10, 20}, []float64{0.03, 0.1, 0.25, 0.5, 1}, 20}
	if r.Short {
		counts, grid = counts[:1], ethGrid{[]int{2, 3, 4}, []float64{0.1, 0.5}, 5}
	}
	choices := r.Table("choices", "Settings of PLRSQ, chosen on the training part of each draw", "categories", "draw",
		"prototypes per class", "σ²", "rate")
	var accuracy [][][]float64 // by number of categories, method and draw
	for k, c := range counts {
		got, chosen, err := r.ethDraws(ctx, all, c, grid)
		if err != nil {
			return err
		}
		for draw, o := range chosen {
			choices.Add(c, draw+1, o.Prototypes, o.Sigma2, o.Rate)
		}
		accuracy = append(accuracy, got)
		r.progress("categories", k+1, len(counts))
	}
	r.ethResult(counts, accuracy)
	return nil
}

// ethDraws returns the accuracies of every method and draw for the first c categories, and the options of PLRSQ in each
// draw.
func (r *Run) ethDraws(ctx context.Context, all *dataset.Data, c int,
	grid ethGrid) ([][]float64, []lvq.PLRSQOptions, error) {
	d := firstCategories(all, c)
	draws := r.Pick(5, 1)
	chosen := make([]lvq.PLRSQOptions, draws)
	got := zeros(len(imageLearners(lvq.PLRSQOptions{}))+2, draws)
	err := r.eachOf(ctx, fmt.Sprintf("%d categories", c), draws, func(draw int) error {
		train, test := splitObjects(d, r.Seed+uint64(draw))
		o, err := ethChoice(ctx, train, grid, r.Seed+uint64(draw))
		if err != nil {
			return err
		}
		chosen[draw] = o
		learners := imageLearners(o)
		for i, l := range learners {
			if got[i][draw], err = l.accuracy(ctx, train, test, uint64(draw)); err != nil {
				return err
			}
		}
		k := len(learners)
		got[k][draw], got[k+1][draw], err = clusterAccuracies(ctx, train, c, uint64(draw))
		return err
	})
	return got, chosen, err
}

// ethChoice chooses σ² and the rate, and then the number of prototypes, on a held-out fifth of the training part.
func ethChoice(ctx context.Context, train *dataset.Data, grid ethGrid, seed uint64) (lvq.PLRSQOptions, error) {
	inner, valid, err := holdOut(train, 0.2, seed)
	if err != nil {
		return lvq.PLRSQOptions{}, err
	}
	slow := float64(train.Stack.Dim) / 100
	o := lvq.PLRSQOptions{Prototypes: grid.numbers[len(grid.numbers)/2], Epochs: grid.epochs, Start: "kmeans",
		CalibrationFolds: -1, Seed: seed}
	auto, err := automaticSigma2(ctx, inner, o)
	if err != nil {
		return o, err
	}
	var tried []lvq.PLRSQOptions
	for _, f := range grid.multiples {
		for _, rate := range []float64{slow, slow * float64(o.Prototypes)} {
			next := o
			next.Sigma2, next.Rate = f*auto, rate
			tried = append(tried, next)
		}
	}
	_, k, err := bestOptions(ctx, inner, valid, tried)
	if err != nil {
		return o, err
	}
	o = tried[k]
	published := o.Rate > slow
	tried = nil
	for _, p := range grid.numbers {
		next := o
		if next.Prototypes = p; published {
			next.Rate = slow * float64(p)
		}
		tried = append(tried, next)
	}
	_, k, err = bestOptions(ctx, inner, valid, tried)
	return tried[k], err
}

// kernelOptions returns the options of kernel k-means with the same metric, starts and seed.
func kernelOptions(o cluster.KMeansOptions, gamma float64) cluster.KernelKMeansOptions {
	return cluster.KernelKMeansOptions{Metric: o.Metric, Gamma: gamma, Starts: o.Starts, Seed: o.Seed}
}

func clusterAccuracies(ctx context.Context, d *dataset.Data, c int, seed uint64) (means, kernel float64, err error) {
	opt := cluster.KMeansOptions{Starts: 3, Seed: seed}
	k, err := cluster.FitKMeans(ctx, d.Stack, c, opt)
	if k == nil {
		return 0, 0, err
	}
	kk, err := cluster.FitKernelKMeans(ctx, d.Stack, c, kernelOptions(opt, 0))
	if kk == nil {
		return 0, 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, 0, err
	}
	means, _ = cluster.Accuracy(k.Assignments, d.Labels)
	kernel, _ = cluster.Accuracy(kk.Assignments, d.Labels)
	return means, kernel, nil
}

func (r *Run) ethResult(counts []int, accuracy [][][]float64) {
	learners := imageLearners(lvq.PLRSQOptions{})
	var labels []string
	for _, l := range learners {
		labels = append(labels, l.label)
	}
	labels = append(labels, "k-means, training part", "kernel k-means, training part")
	t := r.Table("accuracy", "Test accuracy in percent, mean ± SD over the draws",
		append(perCount("method", counts), "paper, 8 categories", "p against PLRSQ")...)
	lines := make([]report.Line, len(labels))
	last := len(counts) - 1
	p := againstFirst(accuracy[last])
	for i, label := range labels {
		row := []any{label}
		lines[i].Name = label
		for k, c := range counts {
			row = append(row, withInterval(accuracy[k][i], 100, 2))
			curve(&lines[i], float64(c), accuracy[k][i])
		}
		paper := 0.0
		if i < len(learners) {
			paper = learners[i].paper
		}
		t.Add(append(row, Printed(printed(paper, 2)), p[i])...)
	}
	r.accuracyFigure("accuracy", "Accuracy over the number of categories", report.Axis{Label: "categories"}, lines)
	r.Remark("The images are gray and reduced from 256×256 to 128×128 by averaging. On these images pyRiemann's " +
		"nearest means reach 88.0, 80.9, 65.3, 56.9, 59.5 and 60.5 %% with 3 to 8 categories.")
}

// perCount returns a header with a column for each number of categories.
func perCount(first string, counts []int) []string {
	header := []string{first}
	for _, c := range counts {
		header = append(header, fmt.Sprintf("%d categories", c))
	}
	return header
}

// firstCategories returns the matrices of the first c classes.
func firstCategories(d *dataset.Data, c int) *dataset.Data {
	var keep []int
	for i, l := range d.Labels {
		if l < c {
			keep = append(keep, i)
		}
	}
	out := d.Subset(keep)
	out.Classes = d.Classes[:c]
	return out
}

// splitObjects draws half of the images of each object, rounded up, for training (21 of 41). The images of an object
// are consecutive.
func splitObjects(d *dataset.Data, seed uint64) (train, test *dataset.Data) {
	rng := rand.New(rand.NewPCG(seed, 80))
	const objects = 10
	var a, b []int
	for _, own := range indices.Groups(d.Labels, len(d.Classes)) {
		for o := range objects {
			mine := slices.Clone(own[o*len(own)/objects : (o+1)*len(own)/objects])
			rng.Shuffle(len(mine), func(i, j int) { mine[i], mine[j] = mine[j], mine[i] })
			cut := (len(mine) + 1) / 2
			a, b = append(a, mine[:cut]...), append(b, mine[cut:]...)
		}
	}
	return d.Subset(a), d.Subset(b)
}
