package experiment

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/dataset"
	"rao/evaluate"
	"rao/internal/naming"
	"rao/internal/privacy"
)

const privateKindsProtocol = "We compare two kinds of private statistics of the same rows, with δ 1e-6: statistics " +
	"in a private subspace (the default kind) with a quadratic classifier, and pooled statistics with LDA. The data " +
	"are MNIST, the optical digits of 43 writers (about 380 rows per class), and two generated sets of ten classes " +
	"with 2000 rows each. There are three draws of the noise, and five for the optical digits. Two rules choose the " +
	"kind privately. A short run has the embedded digits."

var privateKindsNotes = []string{
	"We use 100, 300, 1000 or all (about 6000) rows per class of MNIST.",
	"\"Steep spectrum\" has 60 columns with variances that fall as 1/k², and means that differ in every direction in " +
		"proportion to the standard deviation in that direction. \"Sparse columns\" has 200 columns. About ten of " +
		"them are not 0 in each row, and most of these ten are typical of its class.",
	"The first rule (\"by the count\") uses the noisy number of rows from the first round. It chooses subspace if " +
		"the number of rows per class times ε is at least 300.",
	"The second rule (\"by held-out rows\") holds out a tenth of the rows, and computes both kinds of statistics " +
		"from the other rows. It chooses the kind that classifies more of the held-out rows correctly. Each " +
		"kind uses 47.5 % of the privacy budget ρ, and the noisy counts of correct rows use 5 %.",
	"The optical digits, which have targets, have five draws of the noise. Their row at ε 8 does not count in the " +
		"table of lost points.",
	"We set the threshold of 300 before the run.",
}

// kindTask is a data set with its public properties.
type kindTask struct {
	name        string
	train, test *dataset.Data
	low, high   float64
	draws       int
	also        []float64 // values of ε that have a target but are not used to compare the rules
}

func (t *kindTask) perClass() float64 { return float64(t.train.N()) / float64(len(t.train.Classes)) }

// privateKinds compares subspace with pooled statistics, and compares ways to choose between them.
func privateKinds(ctx context.Context, r *Run) error {
	tasks, err := r.kindTasks(ctx)
	if err != nil {
		return err
	}
	t := r.Table("kinds", "Accuracy on test rows in percent, mean ± SD over the draws", "data", "rows per class", "ε",
		"subspace, quadratic", "pooled, LDA", "chosen by the count", "chosen by held-out rows")
	var lost [4]float64 // points below the better kind: subspace, pooled, by the count, by held-out rows
	settings, epsilons := 0, []float64{0.3, 1, 3}
	if r.Short {
		epsilons = epsilons[2:]
	}
	for k, task := range tasks {
		for i, epsilon := range slices.Concat(epsilons, task.also) {
			compared := i < len(epsilons)
			var scores [4][]float64
			for draw := range task.draws {
				found, err := task.kinds(ctx, epsilon, r.Seed+uint64(draw))
				if err != nil {
					return fmt.Errorf("%s, ε %g: %w", task.name, epsilon, err)
				}
				for i, v := range found {
					scores[i] = append(scores[i], v)
				}
			}
			row := []any{task.name, math.Round(task.perClass()), epsilon}
			better := math.Max(average(scores[0]), average(scores[1]))
			for i, v := range scores {
				row = append(row, spread(v, 100, 1))
				if compared {
					lost[i] += 100 * (better - average(v))
				}
			}
			t.Add(row...)
			if compared {
				settings++
			}
			if task.name == "optical digits" {
				r.kindMarks(epsilon, 100*average(scores[0]), 100*average(scores[1]))
			}
		}
		r.progress("sets", k+1, len(tasks))
	}
	sum := r.Table("lost", "Points lost compared with the better of the two kinds, as a mean over the rows of the "+
		"table above", "rule", "points")
	for i, rule := range []string{"always subspace", "always pooled", "by the count", "by held-out rows"} {
		lost[i] /= float64(settings)
		sum.Add(rule, fmt.Sprintf("%.1f", lost[i]))
	}
	best := math.Min(lost[0], lost[1])
	for i, rule := range []string{"the count", "held-out rows"} {
		r.Claim(fmt.Sprintf("Choosing the kind by %s loses at most half as many points as the better fixed kind", rule),
			lost[2+i] <= best/2, "%.1f points, and %.1f with the better fixed kind", lost[2+i], best).Needs(!r.Short)
	}
	return nil
}

// kindMarks adds the targets for the optical digits.
func (r *Run) kindMarks(epsilon, subspace, pooled float64) {
	marks := map[float64][2]float64{0.3: {75, 77}, 1: {89, 90}, 3: {93.5, 91}, 8: {96, 92}}
	if m, ok := marks[epsilon]; ok && !r.Short {
		r.Claim(fmt.Sprintf("On optical digits at ε %g, subspace statistics reach at least %g %% and pooled "+
			"statistics %g %%", epsilon, m[0], m[1]),
			subspace >= m[0] && pooled >= m[1], "%.1f and %.1f %%", subspace, pooled)
	}
}

// kindTasks opens the data sets of the comparison. A short run has smaller sets.
func (r *Run) kindTasks(ctx context.Context) ([]*kindTask, error) {
	if r.Short {
		l, err := r.open(ctx, "digits", 1)
		if err != nil {
			return nil, err
		}
		digits := &kindTask{name: "digits", train: l.train, test: l.test, high: 16, draws: 2}
		return []*kindTask{digits, steepTask(300), sparseTask(300)}, nil
	}
	l, err := r.open(ctx, "mnist", 1)
	if err != nil {
		return nil, err
	}
	var tasks []*kindTask
	for _, n := range []int{100, 300, 1000} {
		few := l.train.Subset(drawRows(l.train.Labels, n, r.Seed))
		tasks = append(tasks, &kindTask{name: "MNIST", train: few, test: l.test, high: 255, draws: 3})
	}
	tasks = append(tasks, &kindTask{name: "MNIST", train: l.train, test: l.test, high: 255, draws: 3})
	o, err := r.open(ctx, "optdigits", 1)
	if err != nil {
		return nil, err
	}
	tasks = append(tasks, &kindTask{name: "optical digits", train: o.train, test: o.test, high: 16, draws: 5,
		also: []float64{8}})
	return append(tasks, steepTask(2000), sparseTask(2000)), nil
}

// generatedTask generates n training rows and 300 test rows per class.
func generatedTask(name string, columns, n int, low, high float64, row func(x []float64, class int,
	rng *rand.Rand)) *kindTask {
	const classes, tests = 10, 300
	rng := rand.New(rand.NewPCG(11, 0x5eed))
	part := func(n int) *dataset.Data {
		d := &dataset.Data{Source: name, Labels: make([]int, n*classes), Classes: naming.Classes(nil, classes)}
		values := make([]float64, n*classes*columns)
		for i := range d.Labels {
			d.Labels[i] = i % classes
			row(values[i*columns:(i+1)*columns], d.Labels[i], rng)
		}
		d.X = dataset.NewTable(len(d.Labels), columns, values)
		return d
	}
	return &kindTask{name: name, train: part(n), test: part(tests), low: low, high: high, draws: 3}
}

// steepTask has variances that fall as 1/k² over the columns.
func steepTask(n int) *kindTask {
	const columns = 60
	rng := rand.New(rand.NewPCG(12, 0x57ee9))
	means := mat.NewDense(10, columns, nil)
	for k := range 10 {
		for j := range columns {
			means.Set(k, j, 0.5*rng.NormFloat64())
		}
	}
	return generatedTask("steep spectrum", columns, n, -4, 4, func(x []float64, class int, rng *rand.Rand) {
		for j := range x {
			x[j] = (means.At(class, j) + rng.NormFloat64()) / float64(j+1)
		}
	})
}

// sparseTask has columns that are mostly 0. In each class, 20 of the columns are 0 less often.
func sparseTask(n int) *kindTask {
	const columns = 200
	return generatedTask("sparse columns", columns, n, 0, 1, func(x []float64, class int, rng *rand.Rand) {
		for j := range x {
			often := 0.045
			if j/20 == class {
				often = 0.1
			}
			if x[j] = 0; rng.Float64() < often {
				x[j] = 1
			}
		}
	})
}

// kinds returns the accuracies of subspace and pooled statistics, and of the kind that each rule chooses.
func (t *kindTask) kinds(ctx context.Context, epsilon float64, seed uint64) (found [4]float64, err error) {
	total := privacy.Guarantee{Epsilon: epsilon, Delta: privateDelta}
	var rows float64
	for i, kind := range []privacy.Kind{privacy.Subspace, privacy.Pooled} {
		var n int64
		if found[i], n, err = t.scored(ctx, kind, total, t.train, t.test, seed); err != nil {
			return found, err
		}
		rows = float64(n)
	}
	found[2] = found[1]
	if rows/float64(len(t.train.Classes))*epsilon >= 300 {
		found[2] = found[0]
	}
	rho := total.Rho()
	half := privacy.Guarantee{Epsilon: privacy.EpsilonOf(0.475*rho, privateDelta), Delta: privateDelta}
	learned, held, err := holdOut(t.train, 0.1, seed)
	if err != nil {
		return found, err
	}
	// The noise is for two counts of correct decisions. A row changes each count by at most one.
	noise, rng := math.Sqrt(2)/math.Sqrt(2*0.05*rho), rand.New(rand.NewPCG(seed, 0xc0e))
	most := math.Inf(-1)
	for _, kind := range []privacy.Kind{privacy.Subspace, privacy.Pooled} {
		right, _, err := t.scored(ctx, kind, half, learned, held, seed+1000)
		if err != nil {
			return found, err
		}
		count := right*float64(held.N()) + noise*rng.NormFloat64()
		if count <= most {
			continue
		}
		most = count
		if found[3], _, err = t.scored(ctx, kind, half, learned, t.test, seed+1000); err != nil {
			return found, err
		}
	}
	return found, nil
}

// scored returns the accuracy on some rows of the classifier for this kind, and the noisy number of training rows.
func (t *kindTask) scored(ctx context.Context, kind privacy.Kind, g privacy.Guarantee, train, on *dataset.Data,
	seed uint64) (float64, int64, error) {
	domain := privacy.Domain{Low: []float64{t.low}, High: []float64{t.high}}
	opt := privateOptions(g.Epsilon, train.Classes, domain, seed)
	opt.Kind = kind
	released, err := privacy.Estimate(ctx, rowsOf(train), opt)
	if err != nil {
		return 0, 0, err
	}
	if kind == privacy.Subspace {
		_, accuracy, err := quadratic(released, on)
		return accuracy, released.Total(), err
	}
	src, err := released.Source()
	if err != nil {
		return 0, 0, err
	}
	s, err := src.Load(ctx)
	if err != nil {
		return 0, 0, err
	}
	c, err := classify.FitLDA(s, classify.LDAOptions{})
	if err != nil {
		return 0, 0, err
	}
	var post mat.Dense
	if err := c.LogPosterior(ctx, &post, on.X.Matrix()); err != nil {
		return 0, 0, err
	}
	o := &outcome{truth: on.Labels, decided: evaluate.MostProbable(&post)}
	return o.count().accuracy(), released.Total(), nil
}
