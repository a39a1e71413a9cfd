package experiment

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/report"
	"rao/spd"
)

const representProtocol = "We add the term λ d²(X, W_y)/(2σ²) to the cost of a matrix X with label y. The data are " +
	"SynI and SynII. PLRSQ uses one prototype per class, a constant σ² of 0.45, the paper's rate and 15 epochs. " +
	"There are 3 repetitions."

var representNotes = []string{
	"With the term, X attracts its prototype by (α/σ²)(1 − P(y|X) + λ).",
	"The paper says that such a term (Hammer et al. 2014) could make prototypes easier to interpret, and does not " +
		"use one.",
	"We give no p-values, because the smallest possible p of the paired signed-rank test with three repetitions is " +
		"0.25.",
}

// representWeights are the values of λ.
var representWeights = []float64{0, 0.01, 0.03, 0.1, 0.3, 1}

// representTable shows the effect of the representability term.
func representTable(ctx context.Context, r *Run) error {
	r.ownBases = true
	repetitions, epochs := r.Pick(3, 1), r.Pick(15, 2)
	for set, name := range synNames {
		accuracy, spreads := zeros(len(representWeights), repetitions), zeros(len(representWeights), repetitions)
		err := r.eachOf(ctx, name, len(representWeights)*repetitions, func(job int) error {
			i, k := job/repetitions, job%repetitions
			part, err := r.synParts(set, k)
			if err != nil {
				return err
			}
			w, err := representable(ctx, part[0], 0.45, representWeights[i], epochs, uint64(k))
			if err != nil {
				return err
			}
			accuracy[i][k], spreads[i][k], err = represents(w, part[2])
			return err
		})
		if err != nil {
			return err
		}
		t := r.Table("represent-"+name, "Test accuracy in percent and mean squared distance of test matrices to the "+
			"prototype of their class, mean ± SD [95 % interval], "+name,
			"λ", "accuracy", "squared distance")
		lines := []report.Line{{Name: "accuracy"}}
		for i, weight := range representWeights {
			t.Add(weight, withInterval(accuracy[i], 100, 2), withInterval(spreads[i], 1, 2))
			curve(&lines[0], weight, accuracy[i])
		}
		r.accuracyFigure("represent-"+name, "Accuracy over the weight of representability, "+name,
			report.Axis{Label: "λ"}, lines)
	}
	return nil
}

// representable learns one prototype per class by stochastic gradient descent on the cost of Tang et al. 2021 (equation
// 18) with the representability term.
func representable(ctx context.Context, d *dataset.Data, sigma2, weight float64, epochs int,
	seed uint64) (*spd.Stack, error) {
	n, c := d.Stack.Dim, len(d.Classes)
	prototypes := spd.NewStack(c, n)
	if err := replaceMeans(ctx, prototypes, d, spd.Riemann); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	order := rng.Perm(d.N())
	pull := make([]float64, c)
	var moved mat.SymDense
	for t := 1; t <= epochs; t++ {
		rate := float64(n) / 100 * math.Pow(0.01, float64(t)/float64(epochs)) / sigma2
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for k, i := range order {
			if k%64 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			x, y := d.Stack.At(i), d.Labels[i]
			if _, err := posteriorOf(pull, prototypes, x, sigma2); err != nil {
				return nil, err
			}
			toPulls(pull, y, weight)
			for l, p := range pull {
				share := math.Max(-1, math.Min(1, rate*p))
				if err := spd.Geodesic(&moved, spd.Riemann, prototypes.Sym(l), d.Stack.Sym(i), share); err != nil {
					return nil, fmt.Errorf("prototype %d: %w", l, err)
				}
				prototypes.Set(l, &moved)
			}
		}
	}
	return prototypes, nil
}

// toPulls converts the posterior to the strength with which a matrix with label y attracts each prototype: −P(l|X) for
// other classes, and 1 − P(y|X) + λ for its own class.
func toPulls(p []float64, y int, weight float64) {
	for l := range p {
		p[l] = -p[l]
	}
	p[y] += 1 + weight
}

// posteriorOf fills p with P(l|X) (equation 16) and returns the squared distances.
func posteriorOf(p []float64, prototypes *spd.Stack, x []float64, sigma2 float64) ([]float64, error) {
	d2 := make([]float64, len(p))
	least := math.Inf(1)
	for l := range d2 {
		d, err := spd.Distance(spd.Riemann, prototypes.Sym(l), mat.NewSymDense(prototypes.Dim, x))
		if err != nil {
			return nil, err
		}
		d2[l] = d * d
		least = math.Min(least, d2[l])
	}
	sum := 0.0
	for l := range p {
		p[l] = math.Exp((least - d2[l]) / (2 * sigma2))
		sum += p[l]
	}
	for l := range p {
		p[l] /= sum
	}
	return d2, nil
}

// represents returns the accuracy of nearest prototypes, and the mean squared distance of matrices to the prototype of
// their class.
func represents(prototypes *spd.Stack, d *dataset.Data) (accuracy, spread float64, err error) {
	p := make([]float64, prototypes.Count)
	for i, y := range d.Labels {
		d2, err := posteriorOf(p, prototypes, d.Stack.At(i), 1)
		if err != nil {
			return 0, 0, err
		}
		if floats.MinIdx(d2) == y {
			accuracy += 1 / float64(d.N())
		}
		spread += d2[y] / float64(d.N())
	}
	return accuracy, spread, nil
}
