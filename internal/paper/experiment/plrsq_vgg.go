package experiment

import (
	"context"
	"fmt"

	"rao/dataset"
	"rao/internal/paper/peers"
	"rao/lvq"
)

const vggProtocol = "Images, draws and PLRSQ's settings are the same as in plrsq-fig6, for 200 and 500 images and " +
	"two of the draws, fixed before the run. VGG-11 learns from the pixels of the same images (32×32, three colors, " +
	"standardized by the training images). It has random initial weights, 100 epochs and the paper's rate " +
	"0.01·0.99^t."

var vggNotes = []string{
	"The paper does not state the optimizer, the batch size or the size of the images. We use stochastic gradient " +
		"descent with momentum 0.9, batches of 50 and no augmentation.",
	"The last maps are pooled to 7×7, which gives 129 million parameters. The paper has 133 million.",
}

// figure6Claims are the paper's claims about figure 6.
var figure6Claims = [2]string{
	"PLRSQ is better than a randomly initialized VGG-11 when the training sample is small.",
	"PLRSQ is worse than a pretrained VGG-11 throughout."}

// pixels returns the images of a set, scaled to 0..1, as input of a network.
func pixels(d *dataset.Data) peers.Part {
	return peers.PartOf(d, 255, d.Image[0], d.Image[1], max(1, d.Image[2]))
}

// cifarNetwork reproduces figure 6 with the network of the figure: PLRSQ and VGG-11 on the same draws.
func cifarNetwork(ctx context.Context, r *Run) error {
	python, err := peers.Python()
	if err != nil {
		return err
	}
	train, test, err := r.cifar(ctx)
	if err != nil {
		return err
	}
	images, err := r.cifarImages(ctx)
	if err != nil {
		return err
	}
	sizes, draws := []int{200, 500}, r.PickGrid(5, 2, 1)
	switch {
	case r.Short:
		sizes = []int{100}
	case r.Whole:
		sizes = []int{200, 500, 1000, 5000}
	}
	labels := []string{"PLRSQ-AN", "VGG-11"}
	scores := make([][][]float64, len(sizes)) // by size, method and draw
	costs := r.Table("network", "Cost of VGG-11", "images", "parameters", "seconds to train",
		fmt.Sprintf("seconds for %d test images", test.N()))
	chosen := make([]lvq.PLRSQOptions, draws)
	for i, n := range sizes {
		scores[i] = zeros(len(labels), draws)
		var seconds [2]float64
		parameters := 0.0
		for draw := range draws {
			index, err := r.cifarDraw(ctx, train, n, draw, &chosen[draw])
			if err != nil {
				return err
			}
			l := learner{label: labels[0], fit: fitPLRSQ(chosen[draw])}
			if scores[i][0][draw], err = l.accuracy(ctx, train.Subset(index), test, uint64(draw)); err != nil {
				return err
			}
			task := peers.Task{Net: "vgg11", Epochs: r.Pick(100, 1), Batch: 50, Rate: 0.01, Decay: 0.99,
				Seed: r.Seed + uint64(draw), Classes: len(train.Classes), Train: pixels(images.train.Subset(index)),
				Test: pixels(images.test)}
			stage := fmt.Sprintf("%d images, draw %d", n, draw+1)
			found, err := r.Numbers(ctx, stage, 1, func(int) ([]float64, error) {
				v, err := peers.Train(ctx, python, task, func(done int) { r.progress(stage, done, task.Epochs) })
				if err != nil {
					return nil, err
				}
				return []float64{v.Accuracy, float64(v.Parameters), v.TrainSeconds, v.TestSeconds}, nil
			})
			if err != nil {
				return err
			}
			values := found[0]
			scores[i][1][draw], parameters = values[0], values[1]
			seconds[0], seconds[1] = seconds[0]+values[2]/float64(draws), seconds[1]+values[3]/float64(draws)
		}
		costs.Add(n, int(parameters), Seconds(seconds[0]), Seconds(seconds[1]))
	}
	r.networkResult(sizes, labels, scores)
	if device := peers.Device(python); device == "the CPU" {
		r.Remark("The network and PLRSQ ran on the CPU.")
	} else {
		r.Remark("The network ran on %s, and PLRSQ on the CPU.", device)
	}
	return nil
}

func (r *Run) networkResult(sizes []int, labels []string, scores [][][]float64) {
	r.cifarTable(sizes, labels, scores)
	above := true
	for i := range sizes {
		above = above && average(scores[i][0]) > average(scores[i][1])
	}
	r.Claim(figure6Claims[0], above,
		"With %d images they reach %.1f and %.1f %%, and with %d images %.1f and %.1f "+
			"%%.", sizes[0], 100*average(scores[0][0]),
		100*average(scores[0][1]), sizes[len(sizes)-1], 100*average(scores[len(sizes)-1][0]),
		100*average(scores[len(sizes)-1][1])).If("larger mean at every size up to 500").Needs(!r.Short)
	r.Claim(figure6Claims[1], false, "The pretrained network was not run.").
		If("mean over the draws").Needs(false)
}
