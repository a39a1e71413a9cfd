package experiment

import (
	"context"
	"fmt"

	"rao/internal/paper/peers"
)

const privatePeersProtocol = "The data are the digits of MNIST, 60000 for training and 10000 for testing. rao uses " +
	"private statistics with the defaults of `rao stats --private` and a quadratic classifier. Opacus trains a " +
	"linear classifier by private gradient descent, on the pixels or on scattering features of Kymatio. diffprivlib " +
	"fits private logistic regression. Accuracies are mean and standard deviation over three seeds. A short run has " +
	"optical digits."

var privatePeersNotes = []string{
	"δ is 1e-6 for rao and Opacus. The guarantee of diffprivlib is stronger: δ is 0.",
	"There are 3969 scattering features of two levels.",
	"Opacus uses Poisson sampling, momentum 0.9, gradients clipped to norm 1 and a learning rate of 0.2. Its batch " +
		"size is 2000 for the pixels and 4000 for the features.",
	"We chose the batch size, epochs, rate and clipping of Opacus on 10000 held-out training digits, among 13 " +
		"settings for the pixels and 8 for the features at ε 1, and at most 4 at ε 3 and 8. ε does not include the " +
		"privacy cost of this choice.",
	"diffprivlib uses its defaults and 100 iterations, on rows scaled to norm 1.",
	"We chose the constants of private statistics with knowledge of results on these test digits.",
	"Times are processor times and include the computation of the features.",
}

// privatePeerKinds are the classifiers with which private statistics are compared.
var privatePeerKinds = []struct {
	kind, label string
	epochs      map[float64]float64 // number of epochs by ε
	batch       int
}{
	{"linear", "Opacus, linear, pixels", map[float64]float64{1: 10, 3: 40, 8: 40}, 2000},
	{"scattering", "Opacus, linear, scattering features", map[float64]float64{1: 15, 3: 30, 8: 30}, 4000},
	{"logistic", "diffprivlib, logistic regression", nil, 0},
}

// pythonLacks describes what the programs of others need. It returns "" if everything is available.
func pythonLacks(find func() (string, error)) func() string {
	return func() string {
		if _, err := find(); err != nil {
			return err.Error()
		}
		return ""
	}
}

// privatePeers compares private statistics with other private classifiers on the same data.
func privatePeers(ctx context.Context, r *Run) error {
	python, err := peers.PrivatePython()
	if err != nil {
		return err
	}
	l, _, domain, err := r.privateDigits(ctx)
	if err != nil {
		return err
	}
	epsilons, seeds := []float64{1, 3, 8}, r.Pick(3, 1)
	if r.Short {
		epsilons = []float64{3}
	}
	header := []string{"method"}
	for _, epsilon := range epsilons {
		header = append(header, fmt.Sprintf("ε %g", epsilon))
	}
	t := r.Table("accuracy", "Accuracy on the test digits in percent", append(header, "processor time, s")...)
	ours := make([][]float64, len(epsilons))
	for i, epsilon := range epsilons {
		for seed := range seeds {
			released, err := release(ctx, l.train, domain, epsilon, r.Seed+uint64(seed))
			if err != nil {
				return err
			}
			_, a, err := quadratic(released, l.test)
			if err != nil {
				return err
			}
			ours[i] = append(ours[i], a)
		}
	}
	t.Add(peerRow("rao, quadratic", ours, "–")...)
	high, shape := domain.High[0], l.train.Image[:2]
	train, test := peers.PartOf(l.train, high, shape...), peers.PartOf(l.test, high, shape...)
	for _, k := range privatePeerKinds {
		var runs []peers.PrivateRun
		for _, epsilon := range epsilons {
			for seed := range seeds {
				batch := min(k.batch, l.train.N()/4)
				runs = append(runs, peers.PrivateRun{Epsilon: epsilon, Seed: r.Seed + uint64(seed),
					Epochs: k.epochs[epsilon], Batch: batch, Rate: 0.2, Clip: 1})
			}
		}
		found, err := r.Numbers(ctx, k.kind, 1, func(int) ([]float64, error) {
			v, err := peers.TrainPrivate(ctx, python, peers.PrivateTask{Kind: k.kind, Runs: runs, Delta: privateDelta,
				Train: train, Test: test}, func(done int) { r.progress(k.label, done, len(runs)) })
			if err != nil {
				return nil, err
			}
			return append(v.Accuracies, v.Seconds...), nil
		})
		if err != nil {
			return err
		}
		scores := make([][]float64, len(epsilons))
		for i := range epsilons {
			scores[i] = found[0][i*seeds : (i+1)*seeds]
		}
		t.Add(peerRow(k.label, scores, fmt.Sprintf("%.0f", average(found[0][len(runs):])))...)
	}
	return nil
}

func peerRow(label string, scores [][]float64, seconds string) []any {
	row := []any{label}
	for _, s := range scores {
		row = append(row, spread(s, 100, 1))
	}
	return append(row, seconds)
}
