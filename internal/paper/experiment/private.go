package experiment

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/dataset"
	"rao/internal/indices"
	"rao/internal/privacy"
	"rao/internal/subclasses"
	"rao/internal/usage"
	"rao/method"
)

const privateProtocol = "The data are the digits of MNIST, 60000 for training and 10000 for testing. Private " +
	"statistics use the defaults of `rao stats --private` with the range 0 to 255 and δ 1e-6. Accuracies are mean " +
	"and standard deviation over five draws of the noise. Plain statistics in 64 principal components are the " +
	"reference. Three attacks try to rebuild rows, to guess from the file which rows it contains, and to detect one " +
	"row. A " +
	"short run has optical digits and no targets."

var privateNotes = []string{
	"The quadratic classifier has one Gaussian per class in all private dimensions. SQFA learns 16 or 9 filters, " +
		"or one per private dimension if there are fewer, from the same statistics with `--aggregate bayes`. LDA " +
		"uses pooled statistics (`--kind pooled`).",
	"For ten sites, rows are divided at random, and each site adds its own noise in three rounds.",
	"The attack that rebuilds rows searches for rows within the range that have the mean and covariance of the " +
		"class, by alternating projections from up to three random starts.",
	"A row counts as rebuilt if no value is off by more than 2 % of the range. Each row is matched with the most " +
		"similar rebuilt row. The last column is for other digits of the same class, which were not in the file.",
	"The attack that guesses membership uses only the file. It distinguishes rows in the file from other digits of " +
		"the class by the part outside the span of the covariance (plain) or by the Mahalanobis distance (private).",
	"This attacker has one file and has to tell which of two rows it contains. The attacker who knows all other rows " +
		"has two files and has to tell which of them contains the row, for which the bound is lower.",
	"To test the detection of one row, we use a file with 200 generated rows of four columns. There are 20000 " +
		"releases with " +
		"one row at the corner of the range, and 20000 releases without this row. The attacker knows all other rows " +
		"and computes the likelihood ratio over all three rounds.",
}

var privateEpsilons = []float64{0.1, 0.3, 1, 3, 8}

// privateMarks are the target accuracies in percent, for each of privateEpsilons.
var privateMarks = []struct {
	classifier string
	filters    int // number of filters of SQFA
	marks      [5]float64
}{
	{"quadratic", 0, [5]float64{80.5, 90.8, 94.4, 95.6, 96.1}},
	{"SQFA, 16 filters", 16, [5]float64{80.5, 90.3, 93.0, 94.2, 94.8}},
	{"SQFA, 9 filters", 9, [5]float64{80.5, 87.0, 90.5, 91.5, 92.2}},
	{"LDA", 0, [5]float64{81.0, 85.7, 87.6, 87.8, 87.7}},
}

const (
	privateDelta = 1e-6
	sitesEpsilon = 3
	sitesMark    = 93.8
)

// privateStudy measures accuracy, time and attacks on private statistics.
func privateStudy(ctx context.Context, r *Run) error {
	l, name, domain, err := r.privateDigits(ctx)
	if err != nil {
		return err
	}
	for _, part := range []func() error{
		func() error { return r.privateAccuracy(ctx, l, domain) },
		func() error { return r.privateTime(ctx, name+":train", l.train.Classes, domain) },
		func() error { return r.reconstruction(ctx, l, domain) },
		func() error { return r.membership(ctx, l, domain) },
		func() error { return r.audit(ctx) },
	} {
		if err := part(); err != nil {
			return err
		}
	}
	r.Remark("The noise of this run comes from known seeds, so it protects nobody. Only the timed releases used the " +
		"secure random numbers of the operating system.")
	return nil
}

// privateOptions returns the options of a release with noise from a seed.
func privateOptions(epsilon float64, classes []string, domain privacy.Domain, seed uint64) privacy.Options {
	return privacy.Options{Guarantee: privacy.Guarantee{Epsilon: epsilon, Delta: privateDelta}, Classes: classes,
		Domain: domain, Noise: rand.NewPCG(seed, 0)}
}

// privateDigits opens the digits for private statistics, with their name and domain. A short run has optical digits.
func (r *Run) privateDigits(ctx context.Context) (l *labeled, name string, domain privacy.Domain, err error) {
	name, domain = "mnist", privacy.Domain{Low: []float64{0}, High: []float64{255}}
	if r.Short {
		name, domain.High[0] = "digits", 16
	}
	l, err = r.open(ctx, name, 1)
	return l, name, domain, err
}

// release returns private statistics of the default kind of a data set in memory, with noise from a seed.
func release(ctx context.Context, d *dataset.Data, domain privacy.Domain, epsilon float64,
	seed uint64) (*privacy.Release, error) {
	return privacy.Estimate(ctx, rowsOf(d), privateOptions(epsilon, d.Classes, domain, seed))
}

// rowsOf returns a data set in memory as rows with labels, for estimating statistics.
func rowsOf(d *dataset.Data) subclasses.Rows {
	return subclasses.RowsOf(d.X.Matrix(), d.Labels, d.Classes)
}

func (r *Run) privateAccuracy(ctx context.Context, l *labeled, domain privacy.Domain) error {
	t := r.Table("accuracy", "Accuracy on the test digits in percent", "statistics", "ε", "dimensions", "classifier",
		"accuracy", "target")
	draws := uint64(r.Pick(5, 2))
	row := func(what string, epsilon float64, dims []float64, classifier string, accuracies []float64, mark float64,
		claim string) {
		mean, says := average(accuracies), "–"
		if !r.Short {
			says = fmt.Sprintf("%.1f", mark)
			r.Claim(fmt.Sprintf(claim, epsilon, classifier, mark), 100*mean >= mark, "%.2f %%", 100*mean)
		}
		t.Add(what, epsilon, fmt.Sprintf("%.1f", average(dims)), classifier, spread(accuracies, 100, 2), says)
	}
	for i, epsilon := range privateEpsilons {
		accuracies := make([][]float64, len(privateMarks))
		var dims, columns []float64
		for draw := range draws {
			found, d, err := r.privateClassifiers(ctx, l, domain, epsilon, r.Seed+draw)
			if err != nil {
				return fmt.Errorf("ε %g: %w", epsilon, err)
			}
			for k, a := range found {
				accuracies[k] = append(accuracies[k], a)
			}
			dims, columns = append(dims, float64(d)), append(columns, float64(l.stats.Dim))
			r.progress("draws", i*int(draws)+int(draw)+1, len(privateEpsilons)*int(draws))
		}
		last := len(privateMarks) - 1
		for k, m := range privateMarks[:last] {
			row("private", epsilon, dims, m.classifier, accuracies[k], m.marks[i],
				"the accuracy of private statistics at ε %g (%s) is at least %.1f %%")
		}
		row("private, pooled", epsilon, columns, privateMarks[last].classifier, accuracies[last],
			privateMarks[last].marks[i], "the accuracy of private pooled statistics at ε %g (%s) is at least %.1f %%")
	}
	var accuracies, dims []float64
	for draw := range draws {
		released, err := releaseOfSites(ctx, l.train, domain, r.Seed+draw)
		if err != nil {
			return err
		}
		_, a, err := quadratic(released, l.test)
		if err != nil {
			return err
		}
		accuracies, dims = append(accuracies, a), append(dims, float64(released.Plan.Dim))
		r.progress("sites", int(draw)+1, int(draws))
	}
	row("private, ten sites", sitesEpsilon, dims, "quadratic", accuracies, sitesMark,
		"the accuracy of private statistics of ten sites at ε %g (%s) is at least %.1f %%")
	return r.plainAccuracy(ctx, l, t)
}

// privateClassifiers returns the accuracies of the classifiers in privateMarks and the dimension of their private
// statistics. The last classifier learns from pooled statistics, which have all dimensions.
func (r *Run) privateClassifiers(ctx context.Context, l *labeled, domain privacy.Domain, epsilon float64,
	seed uint64) (accuracies []float64, dims int, err error) {
	released, err := release(ctx, l.train, domain, epsilon, seed)
	if err != nil {
		return nil, 0, err
	}
	s, a, err := quadratic(released, l.test)
	if err != nil {
		return nil, 0, err
	}
	accuracies, dims = append(accuracies, a), released.Plan.Dim
	for _, of := range privateMarks {
		if of.filters == 0 {
			continue
		}
		m, _, err := r.fitSource(ctx, method.Subclasses{Subclasses: s},
			setting{"filters", fmt.Sprint(min(of.filters, dims))}, setting{"aggregate", "bayes"})
		if err != nil {
			return nil, 0, err
		}
		filters := &subclassRow{}
		if err := filters.judge(ctx, m, l.test); err != nil {
			return nil, 0, err
		}
		accuracies = append(accuracies, filters.accuracy[0])
	}
	pooled := &kindTask{low: domain.Low[0], high: domain.High[0]}
	a, _, err = pooled.scored(ctx, privacy.Pooled, privacy.Guarantee{Epsilon: epsilon, Delta: privateDelta}, l.train,
		l.test, seed)
	return append(accuracies, a), dims, err
}

// plainAccuracy adds rows to t for statistics without noise.
func (r *Run) plainAccuracy(ctx context.Context, l *labeled, t *Table) error {
	basis, err := subclasses.BasisOf(l.stats, r.Pick(64, 16))
	if err != nil {
		return err
	}
	_, d := basis.Dims()
	o, err := l.asIs().decide("plain", basis.Components, 1e-3*basis.Variances[0], 0)
	if err != nil {
		return err
	}
	t.Add("plain", "–", d, "quadratic", fmt.Sprintf("%.2f", 100*o.accuracy()), "–")
	m, _, err := r.fitSource(ctx, method.Statistics{Stats: l.stats}, setting{"filters", "16"},
		setting{"aggregate", "bayes"})
	if err != nil {
		return err
	}
	plain := &subclassRow{}
	if err := plain.judge(ctx, m, l.test); err != nil {
		return err
	}
	t.Add("plain", "–", l.stats.Dim, "SQFA, 16 filters", fmt.Sprintf("%.2f", 100*plain.accuracy[0]), "–")
	return nil
}

// quadratic decides by one Gaussian per class in all private dimensions.
func quadratic(released *privacy.Release, test *dataset.Data) (*subclasses.Statistics, float64, error) {
	s, err := released.Subclasses()
	if err != nil {
		return nil, 0, err
	}
	q, err := classify.FitQDA(s.Components, classify.QDAOptions{})
	if err != nil {
		return nil, 0, err
	}
	space := &plane{shift: s.Basis.Center, scale: 1}
	return s, decideBy(q, "", space.features(s.Basis.Components, test.X), test.Labels, 0).accuracy(), nil
}

// releaseOfSites deals the rows to ten sites. Each site adds its own noise in every round.
func releaseOfSites(ctx context.Context, d *dataset.Data, domain privacy.Domain,
	seed uint64) (*privacy.Release, error) {
	index := make([][]int, federatedSites)
	for i, row := range rand.New(rand.NewPCG(seed, 0x517e)).Perm(d.N()) {
		index[i%federatedSites] = append(index[i%federatedSites], row)
	}
	opts, sites := make([]privacy.Options, federatedSites), make([]*privacy.Site, federatedSites)
	for i := range opts {
		opts[i] = privateOptions(sitesEpsilon, d.Classes, domain, seed*federatedSites+uint64(i))
	}
	plan, err := privacy.Begin(opts[0])
	if err != nil {
		return nil, err
	}
	for {
		parts := make([]*privacy.Release, federatedSites)
		for i, rows := range index {
			if parts[i], err = privacy.Measure(ctx, rowsOf(d.Subset(rows)), plan, sites[i], opts[i]); err != nil {
				return nil, err
			}
		}
		merged, err := privacy.Merge(parts...)
		if err != nil || merged.Complete() {
			return merged, err
		}
		for i := range sites {
			sites[i] = merged.SiteAfter(parts[i].Sites[0].ID)
		}
		if plan, err = merged.Next(0); err != nil {
			return nil, err
		}
	}
}

// privateTime compares the times of private and plain statistics that are computed from files.
func (r *Run) privateTime(ctx context.Context, spec string, classes []string, domain privacy.Domain) error {
	opt := privateOptions(1, classes, domain, 0)
	opt.Noise = nil
	plain, private := Seconds(1e9), Seconds(1e9)
	fastest := func(s *Seconds, work func() error) error {
		runtime.GC()
		start := usage.Processor()
		err := work()
		*s = min(*s, Seconds(usage.Processor()-start))
		return err
	}
	for range r.Pick(5, 1) {
		if err := fastest(&plain, func() error {
			_, err := dataset.Statistics(ctx, spec, dataset.StatisticsOptions{})
			return err
		}); err != nil {
			return err
		}
		if err := fastest(&private, func() error {
			var columns []string
			rows := dataset.LabeledRows(ctx, spec, &columns, "", nil, nil, dataset.OpenOptions{})
			_, err := privacy.Estimate(ctx, rows, opt)
			return err
		}); err != nil {
			return err
		}
	}
	t := r.Table("time", "Processor time from the files to the statistics, in seconds", "statistics", "seconds")
	t.Add("plain", plain)
	t.Add("private, ε 1", private)
	if !r.Short {
		r.Claim("Private statistics need at most three times the processor time of plain statistics plus 2 s",
			private <= 3*plain+2, "%.2f s and %.2f s", float64(private), float64(plain))
	}
	return nil
}

// split draws 2n rows of each class. It returns n of them as members of the data set and n as others.
func split(d *dataset.Data, n int, seed uint64) (members, others *dataset.Data) {
	seen := make([]int, len(d.Classes))
	var in, out []int
	for _, i := range drawRows(d.Labels, 2*n, seed) {
		k := d.Labels[i]
		if seen[k]++; seen[k] <= n {
			in = append(in, i)
		} else {
			out = append(out, i)
		}
	}
	return d.Subset(in), d.Subset(out)
}

func rowsOfClass(d *dataset.Data, class int) *mat.Dense {
	return mat.DenseCopyOf(d.Subset(indices.Groups(d.Labels, len(d.Classes))[class]).X.Matrix())
}
