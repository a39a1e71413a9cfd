package lvq

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/faults"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/naming"
	"rao/internal/priors"
	"rao/spd"
)

// Annealing selects how σ² changes from epoch to epoch:
//
//   - empty keeps σ² constant;
//   - published is the schedule of Tang et al. 2021, section 6: σ²(t) = σ²(t−1)β(t) with β(t) = β(t−1)^1.1 and β(0) =
//     0.99, from the first epoch until σ²(t) < σ²(0) − 0.4. The 0.4 is in units of the squared distance; if σ²(0) is
//     below 0.4, annealing continues down to 0.01;
//   - fixed is the same schedule with a constant β(t) = 0.99. Tang et al. 2021, section 6.1.3, report that it gives a
//     naturally converging learning curve on SynII;
//   - monotone starts at 2σ² and ends at σ²/2, with a constant factor per epoch. It does not depend on the unit of the
//     data, so it also suits data with small distances;
//   - learned moves log σ² down the gradient of the cost, within a factor of 16 of its start. It follows the training
//     cost and tends to small values on small data sets, so use it with Validation.
type Annealing string

const (
	annealingNone      Annealing = ""
	annealingPublished Annealing = "published"
	annealingFixed     Annealing = "fixed"
	annealingMonotone  Annealing = "monotone"
	annealingLearned   Annealing = "learned"
)

// Schedule selects how the learning rate changes:
//
//   - empty is as published: α(t) = α(0)·0.01^(t/T) over T epochs;
//   - adaptive increases the rate by 5 % after an epoch that did not increase the cost, up to 4·α(0), and halves it
//     after an epoch that increased the cost.
type Schedule string

const (
	schedulePublished Schedule = ""
	scheduleAdaptive  Schedule = "adaptive"
)

// Rule selects how prototypes decide, which also determines the probabilities:
//
//   - empty chooses the class with the largest posterior, summed over all its prototypes: Tang et al. 2021, equation
//     16;
//   - nearest chooses the class of the nearest prototype, as Tang et al. 2021, section 3, describe an LVQ classifier.
//     For agreement with the decision, the probabilities are P(c|X) ∝ exp(−d_c/(2σ²T)), with d_c the squared distance
//     to the nearest prototype of class c. Priors affect only the training.
type Rule string

const (
	rulePosterior Rule = ""
	ruleNearest   Rule = "nearest"
)

func (r Rule) check() error {
	if r != rulePosterior && r != ruleNearest {
		return &rao.UnknownError{Kind: "decision rule", Name: string(r), Known: []string{string(ruleNearest)}}
	}
	return nil
}

// errPerClass explains why a rule and a calibration cannot be combined.
var errPerClass = faults.Option("decisions by the nearest prototype cannot be calibrated per class; use one " +
	"temperature for all classes")

// Start selects the initial prototypes:
//
//   - empty is means if every class has one prototype, and kmeans otherwise;
//   - means starts at the class mean plus symmetric noise, as published. Several prototypes of one class then stay
//     close together for many epochs;
//   - kmeans starts at the k-means centers of each class, plus the noise;
//   - given starts at PLRSQOptions.Given.
type Start string

const (
	startAuto   Start = ""
	startMeans  Start = "means"
	startKMeans Start = "kmeans"
	startGiven  Start = "given"
)

// PLRSQOptions are the options of FitPLRSQ. The zero value runs PLRSQ with one prototype per class. Five held-out
// folds choose σ² and the length of the training, and fit the temperature.
//
// The folds choose only if none of Epochs, Sigma2, Anneal, Rate, Schedule, Batch and Validation is set. Candidates for
// σ² are 1, 0.2 and 0.04 times half the median squared distance. The starting rate is p·σ²/20 for p prototypes per
// class, and training stops after 0, 1, 2, 4, 8, 16 or 30 epochs. For N > 10 000 samples, the last of these numbers is
// 300 000/N, but at least 10. Each combination is scored at its best temperature, and the combination with the smallest
// held-out cross-entropy wins. If it is not better than zero epochs by more than one standard error, the folds choose
// zero epochs: with one prototype per class, this is minimum distance to the class means. If any of these fields is
// set, the remaining fields have their published values.
type PLRSQOptions struct {
	// Metric is one of [spd.SpaceMetrics]: spd.Riemann (default), or a flat metric, in which prototypes are vectors.
	// With spd.Euclid, PLRSQ is RSLVQ on the entries of the matrices, with prototypes projected to SPD matrices.
	Metric     spd.Metric
	Prototypes int   // prototypes per class, ≥ 1; default 1
	PerClass   []int // prototypes of each class; overrides Prototypes
	// Epochs is the number of passes over the data. 0 lets the folds choose. If other training options are set, 0 means
	// 100 for up to 3000 samples; for more samples it means 300 000 steps in total, but at least 10 passes.
	Epochs int
	// Sigma2 is σ² > 0, in units of the squared distance. 0 lets the folds choose. If other training options are set, 0
	// means half the median squared distance of samples to starting prototypes.
	Sigma2 float64
	Anneal Annealing // how σ² changes; default constant
	// Rate is α(0) > 0. 0 lets the folds choose. If other training options are set, 0 means n·p/100, where n
	// is the order of the matrices and p the largest number of prototypes per class, or p·σ²/20 for entries and
	// vectors, which have units.
	Rate     float64
	Schedule Schedule // how the rate changes; default published
	Batch    int      // samples per step; default 1, the published algorithm
	// MaxStep is the largest step of a prototype, as a fraction of the distance to the sample, in (0, 1]. In a batch,
	// it limits the sum of the fractions. The default 1 never moves a prototype past the sample.
	MaxStep float64
	// Start selects the initial prototypes. The default is the class mean, or k-means for a class with several
	// prototypes.
	Start Start
	// Soft contains class probabilities in place of labels: row i has the probabilities of matrix i, one column per
	// class, with the sum 1. The fit minimizes the cross-entropy −Σ_i Σ_c q_ic log P(c|X_i) of probabilistic learning
	// vector quantization (Villmann et al. 2018); labels are the special case of probabilities 0 and 1.
	Soft       mat.Matrix
	Given      *spd.Stack // for Start given: prototypes, ordered by class with PerClass of each
	Noise      float64    // half width of the starting noise in whitened coordinates; default 1e-3, negative: none
	Priors     []float64  // class probabilities, positive; nil: equal for every prototype, as published
	Rule       Rule       // how the prototypes decide; default by posterior
	Validation float64    // share of the data held out for early stopping, in [0, 0.5]; 0: none
	Patience   int        // training stops after more epochs than this without a better validation cost; default 10
	// CalibrationFolds is the number of folds with held-out scores for fitting the temperature. 0 means 5; negative
	// means no calibration (temperature 1). Each fold costs one more fit; after 2000 held-out samples no further fold
	// is trained. The training settings are chosen on the same folds, or on five folds without calibration.
	CalibrationFolds int
	// Groups, one number per sample, replaces the random folds: each group is held out in turn, so the temperature
	// fits unseen groups. A group can be a run of a recording, a day or a person.
	Groups []int
	// PerClassDispersion fits a scale and an offset for each class on the held-out scores, in addition to the
	// temperature.
	PerClassDispersion bool
	NoPruning          bool         // also compute distances that a bound proves irrelevant; the result is the same
	Seed               uint64       // seed of the sample order, the noise and the folds
	Progress           rao.Progress // receives an event after every epoch, and for every fold
}

// RSLVQOptions are the options of [FitRSLVQ]: those of [FitPLRSQ] except Metric, Given, Soft and NoPruning, which apply
// to matrices. The zero value is a good default.
type RSLVQOptions PLRSQOptions

// resolved contains options with every default filled in.
type resolved struct {
	PLRSQOptions
	classes  int
	names    []string
	perClass []int
	label    []int // class of each prototype
	autoRate bool  // no rate was given
	choose   bool  // no training option is given: held-out folds choose the training
}

// resolve fills in defaults and checks the options against the data. n is the order of the matrices or the length of
// the vectors; counts are the numbers of samples in each class, and names the names of the classes, or nil.
func (o PLRSQOptions) resolve(n int, counts []int, names []string) (*resolved, error) {
	r := &resolved{PLRSQOptions: o, classes: len(counts), names: naming.Classes(names, len(counts))}
	r.Metric = cmp.Or(r.Metric, spd.Riemann)
	if _, err := flatSpace(r.Metric); err != nil {
		return nil, err
	}
	switch r.Anneal {
	case annealingNone, annealingPublished, annealingFixed, annealingMonotone, annealingLearned:
	default:
		return nil, &rao.UnknownError{Kind: "annealing", Name: string(r.Anneal),
			Known: []string{"published", "fixed", "monotone", "learned"}}
	}
	switch r.Schedule {
	case schedulePublished, scheduleAdaptive:
	default:
		return nil, &rao.UnknownError{Kind: "rate schedule", Name: string(r.Schedule),
			Known: []string{string(scheduleAdaptive)}}
	}
	if err := r.Rule.check(); err != nil {
		return nil, err
	}
	if r.Rule == ruleNearest && r.PerClassDispersion {
		return nil, errPerClass
	}
	if err := r.sizes(counts); err != nil {
		return nil, err
	}
	samples := vec.Total(counts)
	if err := r.numbers(n, samples); err != nil {
		return nil, err
	}
	return r, r.start(n)
}

// mixture returns the prototypes of the options as a mixture.
func (r *resolved) mixture() *mixture { return newMixture(r.Rule, r.label, r.classes, r.Priors) }

// sizes determines the number of prototypes of each class.
func (r *resolved) sizes(counts []int) error {
	if r.classes < 2 {
		return faults.Count(r.classes, 2,
			"a classifier needs at least two classes, not %d; check which column or variable "+
				"contains the labels", r.classes)
	}
	samples := vec.Total(counts)
	r.perClass = r.PerClass
	if r.perClass == nil {
		r.perClass = slices.Repeat([]int{cmp.Or(r.Prototypes, 1)}, r.classes)
	}
	if len(r.perClass) != r.classes {
		return faults.Option("numbers of prototypes are given for %d classes, but the labels have %d; give one number "+
			"per class",
			len(r.perClass), r.classes)
	}
	for c, p := range r.perClass {
		if p < 1 {
			return faults.Option("the number of prototypes of class %s is %d; it must be 1 or more", r.names[c], p)
		}
		if p > samples {
			return faults.Option("%d prototypes for class %s are more than the %d samples of all classes; choose fewer",
				p, r.names[c], samples)
		}
		if counts[c] == 0 {
			return faults.Count(0, 1, "class %s has no samples; leave the class out or add data", r.names[c])
		}
		for range p {
			r.label = append(r.label, c)
		}
	}
	return nil
}

// numbers fills in and checks the numeric options.
func (r *resolved) numbers(n, samples int) error {
	most := slices.Max(r.perClass)
	r.autoRate = r.Rate == 0
	r.Rate = cmp.Or(r.Rate, float64(n*most)/100)
	r.MaxStep = cmp.Or(r.MaxStep, 1)
	r.Noise = math.Max(cmp.Or(r.Noise, 1e-3), 0)
	r.choose = r.Sigma2 == 0 && r.Epochs == 0 && r.autoRate && r.Anneal == annealingNone &&
		r.Schedule == schedulePublished &&
		r.Validation == 0 && r.Batch <= 1
	r.Epochs = cmp.Or(r.Epochs, defaultEpochs(samples, r.choose))
	r.Batch = cmp.Or(r.Batch, 1)
	r.Patience = cmp.Or(r.Patience, 10)
	r.CalibrationFolds = cmp.Or(r.CalibrationFolds, 5)
	switch {
	case r.Epochs < 0 || r.Batch < 0 || r.Patience < 0:
		return faults.Option("epochs is %d, batch is %d and patience is %d; none may be negative",
			r.Epochs, r.Batch, r.Patience)
	case !vec.NotNegative(r.Sigma2):
		return faults.Option("sigma2 is %g; it must be positive, or 0 to choose it automatically", r.Sigma2)
	case !vec.Positive(r.Rate):
		return faults.Option("the rate is %g; it must be positive and finite", r.Rate)
	case !(r.MaxStep > 0 && r.MaxStep <= 1):
		return faults.Option("the largest step is %g; it must be above 0 and at most 1", r.MaxStep)
	case !(r.Noise <= 1):
		return faults.Option("the starting noise is %g; it must be at most 1", r.Noise)
	case r.CalibrationFolds > max(samples, 5):
		return faults.Option("%d calibration folds are more than the %d samples; use fewer folds, usually 2 to 10",
			r.CalibrationFolds, samples)
	case !(r.Validation >= 0 && r.Validation <= 0.5):
		return faults.Option("the validation part is %g; it must be a share between 0 and 0.5", r.Validation)
	}
	if r.Groups != nil {
		if err := indices.CheckOnePer("group", len(r.Groups), "sample", samples); err != nil {
			return err
		}
	}
	return priors.Check(r.Priors, r.classes)
}

// defaultEpochs returns the published 100 epochs or, if held-out folds choose, the largest number among the candidates.
// For many samples it returns fewer epochs, for at most 300 000 steps, but at least 10.
func defaultEpochs(samples int, choose bool) int {
	most := 100
	if choose {
		most = choiceEpochs
	}
	return max(10, min(most, 300000/max(1, samples)))
}

func (r *resolved) start(n int) error {
	if r.Start == startAuto {
		if r.Start = startMeans; slices.Max(r.perClass) > 1 {
			r.Start = startKMeans
		}
	}
	switch r.Start {
	case startMeans, startKMeans:
		return nil
	case startGiven:
	default:
		return &rao.UnknownError{Kind: "start", Name: string(r.Start), Known: []string{"means", "kmeans", "given"}}
	}
	if r.Given == nil || r.Given.Count != len(r.label) || r.Given.Dim != n {
		return faults.Option("a start from given prototypes needs %d matrices of order %d", len(r.label), n)
	}
	return r.Given.VerifyDefinite("given prototype")
}

// countLabels checks labels against n samples and the names of the classes, which may be nil, and returns the number
// of samples of each class. Without names, the number of classes is the largest label plus one.
func countLabels(labels []int, n int, names []string) ([]int, error) {
	if err := indices.CheckOnePer("label", len(labels), "sample", n); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, faults.Count(0, 1, "the training data have no samples; give at least two of each class")
	}
	classes, err := indices.NumClasses("sample", labels, names)
	if err != nil {
		return nil, err
	}
	counts, _ := indices.Counts("sample", labels, classes)
	for c, name := range names {
		if counts[c] == 0 {
			return nil, faults.Count(0, 1, "class %s has no samples; leave the class out or add data", name)
		}
	}
	return counts, nil
}
