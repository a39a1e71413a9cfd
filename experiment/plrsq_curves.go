package experiment

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"rao"
	"rao/dataset"
	"rao/lvq"
	"rao/report"
	"rao/spd"
)

// curveProtocol is shared by the curves on the synthetic sets.
const curveProtocol = "SynI and SynII, 250 matrices a class to train and as many to test, five repetitions with bases and draws of their own; one prototype a class unless said otherwise, σ² in units of its automatic value (half the median squared distance to the class means). " +
	"The paper's figure prints no numbers; this is its question on our data. A short run has two repetitions of 40 matrices a class and at most 5 epochs."

// progress reports how far the experiment is.
func (r *Run) progress(stage string, done, total int) {
	r.Progress.Send(rao.Event{Stage: stage, Done: done, Total: total})
}

// synPairs draws training and test parts of the repetitions of a set.
func (r *Run) synPairs(set int) (pairs [][2]*dataset.Data, err error) {
	for k := range r.Pick(5, 2) {
		var p [2]*dataset.Data
		for i := range p {
			if p[i], err = r.synPart(set, k, 2*i); err != nil {
				return nil, err
			}
		}
		pairs = append(pairs, p)
	}
	return pairs, nil
}

// curveOf is one curve: its name, and the options at a point of the axis.
type curveOf struct {
	name string
	at   func(auto, x float64) lvq.Options
}

// synCurves draws test accuracy over an axis for both sets.
func synCurves(title, axis string, log bool, full, short []float64, curves []curveOf, remark string) func(context.Context, *Run) error {
	return func(ctx context.Context, r *Run) error {
		points := full
		if r.Short {
			points = short
		}
		for set, name := range []string{"SynI", "SynII"} {
			pairs, err := r.synPairs(set)
			if err != nil {
				return err
			}
			header := []string{axis}
			lines := make([]report.Line, len(curves))
			for i, c := range curves {
				header, lines[i].Name = append(header, c.name+", mean ± SD"), c.name
			}
			t := r.Table("accuracy-"+name, "Test accuracy in per cent, "+name, header...)
			for k, x := range points {
				row := []any{x}
				for i, c := range curves {
					v, err := r.curvePoint(ctx, pairs, c, x)
					if err != nil {
						return err
					}
					row = append(row, spread(v, 100, 2))
					curve(&lines[i], x, v)
				}
				t.Add(row...)
				r.progress(name, k+1, len(points))
			}
			r.Figure("accuracy-"+name, report.Lines(title+", "+name, lines, report.PlotOptions{
				X: report.Axis{Label: axis, Log: log}, Y: report.Axis{Label: "test accuracy", Percent: true}, Markers: true}))
		}
		r.Remark("%s", remark)
		return nil
	}
}

// curvePoint is the test accuracy of every repetition.
func (r *Run) curvePoint(ctx context.Context, pairs [][2]*dataset.Data, c curveOf, x float64) ([]float64, error) {
	v := make([]float64, len(pairs))
	err := each(ctx, len(pairs), func(k int) error {
		train, test := pairs[k][0], pairs[k][1]
		auto, err := automaticSigma2(ctx, train, lvq.Options{Seed: uint64(k)})
		if err != nil {
			return err
		}
		o := c.at(auto, x)
		o.Seed, o.CalibrationFolds = uint64(k), -1
		if r.Short {
			o.Epochs = min(o.Epochs, 5)
		}
		m, err := learnPLRSQ(ctx, train, o)
		if err != nil {
			return err
		}
		s, err := scoresOn(m, test)
		if err != nil {
			return err
		}
		v[k] = s.Accuracy
		return nil
	})
	return v, err
}

// epochCurves is figure 2: accuracy over the number of epochs, each a whole run of
// the learning-rate schedule.
func epochCurves() func(context.Context, *Run) error {
	form := func(a lvq.Annealing) func(auto, x float64) lvq.Options {
		return func(auto, x float64) lvq.Options {
			return lvq.Options{Sigma2: auto / 2, Epochs: int(x), Anneal: a}
		}
	}
	return synCurves("Accuracy over epochs", "epochs", true, []float64{1, 2, 5, 10, 20, 50, 100}, []float64{1, 5},
		[]curveOf{{"constant", form(lvq.AnnealNone)}, {"annealed", form(lvq.AnnealPublished)}},
		"Prototypes start at the Riemannian means of the classes and the rate falls to a hundredth within a run, so that a run of one epoch is close to MDRM. On SynII, at this σ², two epochs fall far below it and a hundred do not come back to it; a smaller σ² does better there (figure 3).")
}

// sigmaCurves is figure 3: accuracy over σ².
func sigmaCurves() func(context.Context, *Run) error {
	return synCurves("Accuracy over σ²", "σ² / automatic", true, []float64{0.03, 0.1, 0.25, 0.5, 1, 2, 4, 8}, []float64{0.25, 1},
		[]curveOf{{"constant", func(auto, x float64) lvq.Options { return lvq.Options{Sigma2: x * auto, Epochs: 30} }}},
		"On SynI a broad range of σ² does about equally well. On SynII a small σ² is the better one: with a large σ² matrices of all classes push every prototype, and they leave the class means for places that separate the classes less well.")
}

// prototypeCurves is figure 4: accuracy over the number of prototypes.
func prototypeCurves() func(context.Context, *Run) error {
	form := func(s lvq.Start) func(auto, x float64) lvq.Options {
		return func(auto, x float64) lvq.Options {
			return lvq.Options{Sigma2: auto / 2, Epochs: 30, Prototypes: int(x), Start: s}
		}
	}
	return synCurves("Accuracy over the number of prototypes", "prototypes a class", false, []float64{1, 2, 3, 4, 6, 8}, []float64{1, 2},
		[]curveOf{{"start at means", form(lvq.StartMeans)}, {"start at k-means", form(lvq.StartKMeans)}},
		"The synthetic classes are of one piece each, so that one prototype can do; for classes of many pieces see table 5.")
}

// annealingCurves is figure 5: the annealing schedules beside a constant σ².
func annealingCurves() func(context.Context, *Run) error {
	form := func(a lvq.Annealing) func(auto, x float64) lvq.Options {
		return func(auto, x float64) lvq.Options {
			return lvq.Options{Sigma2: x * auto, Epochs: 30, Anneal: a}
		}
	}
	return synCurves("Annealing against a constant σ²", "σ² / automatic", true, []float64{0.1, 0.25, 0.5, 1, 2, 4}, []float64{0.5, 2},
		[]curveOf{{"constant", form(lvq.AnnealNone)}, {"published", form(lvq.AnnealPublished)}, {"monotone", form(lvq.AnnealMonotone)}},
		"The published schedule lowers σ² by at most a little more than 0.4 whatever its size, so that it matters where σ² is of that order; the monotone one goes from twice to half of σ².")
}

// plrsqTimes is figure 7: the time of an epoch over the number of matrices and over
// their order.
func plrsqTimes(ctx context.Context, r *Run) error {
	counts, orders := []int{250, 500, 1000, 2000, 4000}, []int{5, 10, 15, 22, 32}
	if r.Short {
		counts, orders = []int{100, 200}, []int{5, 10}
	}
	epochs := r.Pick(5, 2)
	byCount := report.Line{Name: "order 10"}
	t := r.Table("samples", "Seconds of an epoch of matrices of order 10, four prototypes", "matrices", "seconds an epoch", "microseconds a matrix")
	for _, n := range counts {
		s, err := r.epochSeconds(ctx, n, 10, epochs)
		if err != nil {
			return err
		}
		t.Add(n, Seconds(s), Seconds(1e6*s/float64(n)))
		byCount.X, byCount.Y = append(byCount.X, float64(n)), append(byCount.Y, s)
	}
	n := r.Pick(1000, 100)
	byOrder := report.Line{Name: fmt.Sprintf("%d matrices", n)}
	t = r.Table("order", "Seconds of an epoch over the order of the matrices, four prototypes", "order", "matrices", "seconds an epoch", "microseconds a matrix")
	for _, order := range orders {
		s, err := r.epochSeconds(ctx, n, order, epochs)
		if err != nil {
			return err
		}
		t.Add(order, n, Seconds(s), Seconds(1e6*s/float64(n)))
		byOrder.X, byOrder.Y = append(byOrder.X, float64(order)), append(byOrder.Y, s)
	}
	seconds := report.Axis{Label: "seconds an epoch", Log: true}
	r.Figure("samples", report.Lines("Time of an epoch over the number of matrices", []report.Line{byCount},
		report.PlotOptions{X: report.Axis{Label: "matrices", Log: true}, Y: seconds, Markers: true}))
	r.Figure("order", report.Lines("Time of an epoch over the order of the matrices", []report.Line{byOrder},
		report.PlotOptions{X: report.Axis{Label: "order", Log: true}, Y: seconds, Markers: true}))
	r.Remark("In theory an epoch costs in proportion to the number of matrices and to the cube of their order; at small orders fixed work weighs more. The wall time is that of this machine with what else ran on it.")
	return nil
}

// epochSeconds times epochs of four classes of Wishart matrices without pruning and
// returns the time of the fastest of three runs, an epoch.
func (r *Run) epochSeconds(ctx context.Context, count, order, epochs int) (float64, error) {
	x := spd.NewStack(count, order)
	labels := make([]int, count)
	rng := rand.New(rand.NewPCG(r.Seed, uint64(order)))
	for k := range count {
		labels[k] = k % 4
		wishart(x.At(k), order, 1+0.5*float64(k%4), rng)
	}
	best := math.Inf(1)
	for range r.Pick(3, 1) {
		start := time.Now()
		_, err := lvq.FitPLRSQ(ctx, x, labels, lvq.Options{Epochs: epochs, CalibrationFolds: -1, NoPruning: true, Seed: r.Seed})
		if err := whole(ctx, err); err != nil {
			return 0, err
		}
		best = math.Min(best, time.Since(start).Seconds())
	}
	return best / float64(epochs), nil
}

// wishart draws a sample covariance of 3n normal vectors whose first coordinate has
// the given deviation.
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
