package experiment

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/evaluate"
	"rao/gaussian"
	"rao/internal/classstats"
	"rao/internal/scoring"
	"rao/internal/synth"
	"rao/internal/usage"
	"rao/report"
	"rao/sqfa"
)

const beyondClassesProtocol = "The classes are generated Gaussians that resemble embeddings, with 256 columns. " +
	"Filters are learned from the exact statistics of the classes with the bound on the Bayes error and feature " +
	"noise 0.1. The bound is exact for all pairs of classes, or only for the pairs of each class with its eight " +
	"nearest classes (near pairs). QDA classifies 6000 rows with 16 filters (9 for ten classes). There are five " +
	"seeds. A " +
	"short run has 10 and 20 classes of 100 columns, 4 filters and one seed."

var beyondClassesNotes = []string{
	"All classes share a common covariance with a power-law spectrum, and each class has 24 of 96 additional " +
		"directions.",
	"\"Near pairs\" (`--pairs near:8`) approximates the bound of all other pairs with the pooled covariance. \"Near " +
		"pairs, subspace\" (`--subspace 128`) does the same in 128 dimensions.",
	"The column \"discriminants\" is QDA with the same number of discriminants.",
	"Before the run we set these two limits for making near pairs the default. The default uses near pairs only " +
		"above 30 classes, because with fewer classes all pairs need at most two seconds.",
}

// classesWays are the ways to learn filters for many classes.
var classesWays = []string{"all pairs", "near pairs", "near pairs, subspace"}

// classesFound contains the results for one number of classes, with one value per seed.
type classesFound struct {
	accuracy, seconds [3][]float64
	lda               []float64
}

// beyondClasses finds the number of classes from which near pairs should be the default, and measures how the cost
// grows.
func beyondClasses(ctx context.Context, r *Run) error {
	counts, columns, seeds := []int{10, 20, 30, 50, 100}, r.Pick(256, 100), r.Pick(5, 1)
	if r.Short {
		counts = counts[:2]
	}
	found := make([]classesFound, len(counts))
	for k, c := range counts {
		for s := range seeds {
			if err := r.classesSeed(ctx, c, columns, uint64(s), &found[k]); err != nil {
				return err
			}
			r.progress("seeds", k*seeds+s+1, len(counts)*seeds)
		}
	}
	r.classesTable(counts, found)
	r.classesDefault(counts, found)
	if r.Short {
		return nil
	}
	return r.classesGrowth(ctx)
}

// classesSeed learns from one set of classes in all ways.
func (r *Run) classesSeed(ctx context.Context, c, columns int, seed uint64, found *classesFound) error {
	filters := r.Pick(16, 4)
	if c == 10 && !r.Short {
		filters = 9
	}
	made := synth.NewClasses(c, columns, r.Seed+seed)
	stats := made.Statistics(nil, 0, 100)
	x, labels := made.Rows(6000/c, r.Seed+seed)
	rows := mat.NewDense(len(labels), columns, x)
	for w := range classesWays {
		opt := sqfa.Options{Filters: filters, Noise: 0.1, Aggregate: "bayes", Start: "lda", Pooled: w > 0}
		if w == 2 {
			opt.Subspace = min(128, columns/2)
		}
		m, seconds, err := timedFit(ctx, stats, opt)
		if err != nil {
			return err
		}
		found.seconds[w] = append(found.seconds[w], seconds)
		a, err := drawnAccuracy(stats, m.Filters, rows, labels)
		if err != nil {
			return err
		}
		found.accuracy[w] = append(found.accuracy[w], a)
	}
	lda, err := classstats.Discriminants(stats, filters, 0.1)
	if err != nil {
		return err
	}
	a, err := drawnAccuracy(stats, lda, rows, labels)
	found.lda = append(found.lda, a)
	return err
}

// timedFit returns a fit, which need not have converged, and its seconds of processor time.
func timedFit(ctx context.Context, stats *gaussian.Statistics, opt sqfa.Options) (*sqfa.Model, float64, error) {
	began := usage.Processor()
	m, err := sqfa.Fit(ctx, stats, opt)
	return m, usage.Processor() - began, canceledOr(ctx, converged(err))
}

func drawnAccuracy(stats *gaussian.Statistics, filters, rows *mat.Dense, labels []int) (float64, error) {
	qda, err := classify.FitQDA(stats.Project(filters), classify.QDAOptions{})
	if err != nil {
		return 0, err
	}
	var z, logp mat.Dense
	z.Mul(rows, filters)
	if err := qda.LogPosterior(context.Background(), &logp, &z); err != nil {
		return 0, err
	}
	return 100 * evaluate.Accuracy(labels, evaluate.MostProbable(&logp)), nil
}

func (r *Run) classesTable(counts []int, found []classesFound) {
	t := r.Table("classes", "Accuracy of QDA in percent, mean ± SD over seeds, and seconds of processor "+
		"time", "classes",
		"discriminants", "all pairs", "near pairs", "near pairs, subspace", "near minus all, paired",
		"all pairs, s", "near pairs, s", "near pairs, subspace, s")
	lines := make([]report.Line, len(classesWays))
	for k, c := range counts {
		f := &found[k]
		row := []any{c, meanSD(f.lda, "%.2f")}
		for w := range classesWays {
			row = append(row, meanSD(f.accuracy[w], "%.2f"))
		}
		row = append(row, meanSD(f.loss(1), "%+.2f"))
		for w, name := range classesWays {
			s := average(f.seconds[w])
			row = append(row, Seconds(s))
			lines[w].Name = name
			point(&lines[w], float64(c), math.Max(s, 0.01))
		}
		t.Add(row...)
	}
	r.curves("classes", "Processor time over the number of classes", lines, report.Axis{Label: "classes", Log: true},
		report.Axis{Label: "seconds", Log: true})
}

// loss returns the accuracy minus the accuracy with all pairs for each seed, in percentage points.
func (f *classesFound) loss(way int) []float64 {
	out := make([]float64, len(f.accuracy[0]))
	for s := range out {
		out[s] = f.accuracy[way][s] - f.accuracy[0][s]
	}
	return out
}

func meanSD(v []float64, form string) string {
	m, sd := scoring.MeanSD(v)
	if len(v) < 2 {
		return fmt.Sprintf(form, m)
	}
	return fmt.Sprintf(form+" ± %.2f", m, sd)
}

// classesDefault finds the smallest number of classes from which near pairs should be the default. They must lose at
// most 0.3 points and need less than half of the time.
func (r *Run) classesDefault(counts []int, found []classesFound) {
	from := 0
	for k := len(counts) - 1; k >= 0; k-- {
		all := average(found[k].seconds[0])
		near := average(found[k].seconds[1])
		loss := average(found[k].loss(1))
		if loss < -0.3 || near >= all/2 {
			break
		}
		from = counts[k]
	}
	if r.Short {
		return // there is one seed only, and times differ between runs
	}
	if from == 0 {
		r.Remark("At no number of classes do near pairs both lose at most 0.3 points and need less than half the " +
			"time of all pairs.")
	} else {
		r.Remark("With %d to %d classes, near pairs lose at most 0.3 points and need less than half the time of all "+
			"pairs.", from, counts[len(counts)-1])
	}
	last := &found[len(counts)-1]
	loss := average(last.loss(1))
	inside := average(last.loss(2))
	r.Claim("Near pairs are within 0.3 points of all pairs at 100 classes.", loss >= -0.3, "%+.2f points.", loss)
	r.Claim("Near pairs in the subspace are also within 0.3 points of all pairs.", inside >= -0.3, "%+.2f "+
		"points.", inside)
}

// classesGrowth measures fits of near pairs in a subspace of 128 dimensions for several numbers of classes, columns and
// filters. The statistics are in memory.
func (r *Run) classesGrowth(ctx context.Context) error {
	t := r.Table("growth", "Fits of near pairs in a subspace of 128 dimensions, seconds of processor time", "classes",
		"columns", "filters", "iterations", "s")
	series := []struct {
		name  string
		cases [][3]int
	}{
		{"classes, 512 columns, 16 filters", [][3]int{{50, 512, 16}, {100, 512, 16}, {200, 512, 16}, {400, 512, 16}}},
		{"columns, 100 classes, 16 filters", [][3]int{{100, 256, 16}, {100, 512, 16}, {100, 1024, 16}}},
		{"filters, 100 classes, 512 columns", [][3]int{{100, 512, 8}, {100, 512, 16}, {100, 512, 32}}},
	}
	lines := make([]report.Line, len(series))
	done := map[[3]int]float64{}
	for i, s := range series {
		lines[i].Name = s.name
		for _, c := range s.cases {
			seconds, known := done[c]
			if !known {
				stats := synth.NewClasses(c[0], c[1], r.Seed).Statistics(nil, 0, 100)
				m, s, err := timedFit(ctx, stats, sqfa.Options{Filters: c[2], Noise: 0.1, Aggregate: "bayes",
					Start: "lda", Pooled: true, Subspace: 128})
				if err != nil {
					return err
				}
				done[c], seconds = s, s
				t.Add(c[0], c[1], c[2], m.Report.Iterations, Seconds(seconds))
			}
			point(&lines[i], float64(c[i])/float64(s.cases[0][i]), seconds)
			r.progress("growth", len(done), 8)
		}
	}
	r.curves("growth", "Processor time as one number grows", lines,
		report.Axis{Label: "multiple of the smallest number", Log: true}, report.Axis{Label: "seconds", Log: true})
	return nil
}
