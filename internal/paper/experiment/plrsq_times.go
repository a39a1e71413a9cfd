package experiment

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/stat"

	"rao/dataset"
	"rao/report"
	"rao/spd"
)

const timesProtocol = "The data are random matrices (Wishart) of order 9 in ten classes, like the descriptors of " +
	"CIFAR-10. PLRSQ uses five prototypes per class and no pruning. The time of an epoch is the fastest run of two " +
	"epochs minus the fastest run of one. The two runs alternate for at least two seconds, at least three times each."

// plrsqTimes reproduces figure 7: the time of an epoch against the number of matrices.
func plrsqTimes(ctx context.Context, r *Run) error {
	counts, orders := []int{200, 500, 1000, 5000, 10000, 20000}, []int{5, 10, 15, 22, 32}
	if r.Short {
		counts, orders = []int{100, 200}, []int{5, 10}
	}
	byCount := report.Line{Name: "order 9, 50 prototypes"}
	t := r.Table("samples", "Seconds per epoch for matrices of order 9 and ten classes with five prototypes "+
		"each", "matrices",
		"seconds per epoch", "microseconds per matrix and prototype")
	for i, n := range counts {
		s, err := r.epochSeconds(ctx, n, 9, 10, 5)
		if err != nil {
			return err
		}
		t.Add(n, Seconds(s), Seconds(1e6*s/float64(50*n)))
		point(&byCount, float64(n), s)
		r.progress("sizes", i+1, len(counts))
	}
	n := r.Pick(1000, 100)
	byOrder := report.Line{Name: fmt.Sprintf("%d matrices, 4 prototypes", n)}
	t = r.Table("order", fmt.Sprintf("Seconds per epoch for %d matrices and four prototypes, by order of the "+
		"matrices", n), "order",
		"seconds per epoch", "microseconds per matrix and prototype")
	for i, order := range orders {
		s, err := r.epochSeconds(ctx, n, order, 4, 1)
		if err != nil {
			return err
		}
		t.Add(order, Seconds(s), Seconds(1e6*s/float64(4*n)))
		point(&byOrder, float64(order), s)
		r.progress("orders", i+1, len(orders))
	}
	seconds := report.Axis{Label: "seconds per epoch", Log: true}
	r.curves("samples", "Training time an epoch over the number of training examples", []report.Line{byCount},
		report.Axis{Label: "training examples", Log: true}, seconds)
	r.curves("order", "Training time an epoch over the order of the matrices", []report.Line{byOrder},
		report.Axis{Label: "order", Log: true}, seconds)
	power := slope(byCount.X, byCount.Y)
	r.Claim("The training time depends linearly on the number of training instances.", math.Abs(power-1) < 0.1,
		"The time is proportional to the number to the power %.2f. A matrix needs %.0f µs per epoch at the smallest "+
			"number and %.0f µs at the largest.",
		power, 1e6*byCount.Y[0]/byCount.X[0], 1e6*byCount.Y[len(counts)-1]/byCount.X[len(counts)-1]).
		If("exponent between 0.9 and 1.1")
	parameters := r.Table("parameters", "Free parameters of the largest model, which has ten classes with five "+
		"prototypes each and σ²",
		"counted as", "numbers", "paper")
	parameters.Add("all entries of 50 matrices of order 9, and σ²", 50*81+1, Printed("4051"))
	parameters.Add("the free entries of these symmetric matrices, and σ²", 50*45+1, Printed(""))
	return nil
}

const decideProtocol = "As in section 6.2, 10000 matrices of order 9 are classified with 50 prototypes, five for " +
	"each of ten classes. The time is the fastest of five runs on all processors. The paper's times are for its own " +
	"computer without a GPU."

// decisionTime compares the time of decisions with the times in section 6.2.
func decisionTime(ctx context.Context, r *Run) error {
	o := paperPLRSQ(9, 5, 4, 1, "")
	o.Seed = r.Seed
	m, err := learnPLRSQ(ctx, randomMatrices(r.Pick(500, 100), 9, 10, r.Seed), o)
	if err != nil {
		return err
	}
	tests := randomMatrices(r.Pick(10000, 200), 9, 10, r.Seed+1)
	best := math.Inf(1)
	for range r.Pick(5, 1) {
		start := time.Now()
		if _, err := posterior(ctx, m, tests); err != nil {
			return err
		}
		best = math.Min(best, time.Since(start).Seconds())
	}
	t := r.Table("decisions", fmt.Sprintf("Seconds to classify %d matrices or images", tests.N()), "classifier",
		"seconds", "paper (approximate), 10000 images")
	t.Add("PLRSQ, five prototypes per class", Seconds(best), Printed("10.5"))
	t.Add("VGG-11", "–", Printed("26.3"))
	return nil
}

// slope returns the slope of the least-squares line through the logarithms, which is the exponent with which y grows
// with x.
func slope(x, y []float64) float64 {
	logs := func(v []float64) []float64 {
		l := make([]float64, len(v))
		for i := range v {
			l[i] = math.Log(v[i])
		}
		return l
	}
	_, power := stat.LinearRegression(logs(x), logs(y), nil, false)
	return power
}

// epochSeconds returns the time of an epoch, which is the fastest run of two epochs minus the fastest run of one epoch.
func (r *Run) epochSeconds(ctx context.Context, count, order, classes, prototypes int) (float64, error) {
	d := randomMatrices(count, order, classes, r.Seed)
	best := [2]float64{math.Inf(1), math.Inf(1)}
	begin := time.Now()
	for turn := 0; turn < r.Pick(3, 1) || !r.Short && time.Since(begin) < 2*time.Second; turn++ {
		for e := range best {
			o := paperPLRSQ(order, prototypes, 4, e+1, "")
			o.NoPruning, o.Seed = true, r.Seed
			start := time.Now()
			if _, err := learnPLRSQ(ctx, d, o); err != nil {
				return 0, err
			}
			best[e] = math.Min(best[e], time.Since(start).Seconds())
		}
	}
	if best[1] <= best[0] { // other work disturbed the runs; use half of both epochs, including the start
		return best[1] / 2, nil
	}
	return best[1] - best[0], nil
}

// randomMatrices draws matrices of several classes, which differ in their first entry.
func randomMatrices(count, order, classes int, seed uint64) *dataset.Data {
	d := &dataset.Data{Stack: spd.NewStack(count, order), Labels: make([]int, count)}
	rng := rand.New(rand.NewPCG(seed, uint64(order)))
	for k := range count {
		d.Labels[k] = k % classes
		wishart(d.Stack.At(k), order, 1+0.5*float64(k%classes), rng)
	}
	return d
}

// wishart draws 3n normal vectors with mean zero and writes the mean of their outer products to dst. The first
// coordinate has the standard deviation first.
func wishart(dst []float64, n int, first float64, rng *rand.Rand) {
	clear(dst)
	v := make([]float64, n)
	for range 3 * n {
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		v[0] *= first
		for i := range v {
			for j := range v {
				dst[i*n+j] += v[i] * v[j] / float64(3*n)
			}
		}
	}
}
