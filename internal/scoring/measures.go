package scoring

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"rao"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/par"
	"rao/internal/text"
)

const (
	atAccuracy = iota
	atBalanced
	atKappa
	AtAUC
	atAveragePrecision
	atPrecision
	atRecall
	atF1
	atWolpaw
	atConfusion
	AtWolpawRate
	atConfusionRate
	measureCount
)

// AUC is the name of the measure at AtAUC, for summaries that print only this one.
const AUC = "auc"

// property describes a measure, or another score of a search.
type property struct {
	name  string
	title string // heading in tables; "" is the name in words
	share bool   // values are shares, which tables print as percentages
	brief bool   // belongs in a summary of one line
}

var properties = []property{
	atAccuracy:         {name: "accuracy", share: true, brief: true},
	atBalanced:         {name: "balanced_accuracy", share: true, brief: true},
	atKappa:            {name: "kappa"},
	AtAUC:              {name: AUC, title: "AUC", brief: true},
	atAveragePrecision: {name: "average_precision"},
	atPrecision:        {name: "precision"},
	atRecall:           {name: "recall"},
	atF1:               {name: "f1", title: "F1"},
	atWolpaw:           {name: "wolpaw_bits", title: "bits (Wolpaw)"},
	atConfusion:        {name: "confusion_bits", title: "bits (confusion)"},
	AtWolpawRate:       {name: "wolpaw_bits_per_minute", title: "bits/min (Wolpaw)", brief: true},
	atConfusionRate:    {name: "confusion_bits_per_minute", title: "bits/min (confusion)", brief: true},
	measureCount:       {name: "log_loss"},
	measureCount + 1:   {name: "ece", title: "calibration error"},
}

// MeasureNames are the names of the measures, in the order of the constants. Package evaluate lists their formulas.
var MeasureNames = names(properties[:measureCount])

// SearchScores are the names of the scores of a search: the measures and two losses.
var SearchScores = names(properties)

func names(list []property) (out []string) {
	for _, p := range list {
		out = append(out, p.name)
	}
	return out
}

// propertyOf returns the properties of a score by its name.
func propertyOf(name string) (p property) {
	if i := slices.Index(SearchScores, name); i >= 0 {
		p = properties[i]
	}
	return p
}

// IsShare reports whether values of a measure are shares, which tables print as percentages.
func IsShare(name string) bool { return propertyOf(name).share }

// IsBrief reports whether a measure belongs in a summary of one line.
func IsBrief(name string) bool { return propertyOf(name).brief }

// MeasureTitle returns the heading of a measure in tables.
func MeasureTitle(name string) string {
	return cmp.Or(propertyOf(name).title, strings.ReplaceAll(name, "_", " "))
}

// FormatMeasure formats a value of a measure for a table.
func FormatMeasure(name string, v float64) string {
	if IsShare(name) {
		return text.Percent(v)
	}
	return fmt.Sprintf("%.4f", v)
}

// CheckMeasures returns an error that names the first unknown measure, or nil if all are known.
func CheckMeasures(names []string) error {
	for _, name := range names {
		if !slices.Contains(MeasureNames, name) {
			return &rao.UnknownError{Kind: "measure", Name: name, Known: MeasureNames}
		}
	}
	return nil
}

// Interval is a confidence interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Measure is a figure of merit with a confidence interval. Package evaluate lists the formulas.
type Measure struct {
	Name     string    `json:"name"`               // one of [MeasureNames]
	Value    float64   `json:"value"`              // for all observations
	Interval *Interval `json:"interval,omitempty"` // nil if unknown; see [Measurer.Measures]
}

// Named returns the measure with this name, or nil if it is not in the list.
func Named(list []Measure, name string) *Measure {
	if i := slices.IndexFunc(list, func(m Measure) bool { return m.Name == name }); i >= 0 {
		return &list[i]
	}
	return nil
}

// MeasureOptions adjust measures. With the zero value, the last of two classes is the positive one and there are no
// intervals.
type MeasureOptions struct {
	// First makes the first of two classes the positive one, instead of the last. It is ignored for more classes.
	First bool
	// Threshold applies to two classes: the positive one is chosen if its probability is at least Threshold. 0
	// chooses the most probable class.
	Threshold float64
	// Resamples is the number of bootstrap resamples for the intervals; 0 means no intervals. 1000 is usual.
	Resamples int
	Level     float64 // confidence level of the intervals; 0 means 0.95
	Seed      uint64  // seed of the resampling; 0 means 1
	// Seconds is the time per decision, for the bits per minute. 0 means unknown, and leaves the bits per minute
	// undefined.
	Seconds float64
}

// Measurer collects decisions and computes measures with bootstrap intervals.
//
// The memory is 8 bytes per observation and class (with two classes, per observation), another 8 bytes per observation,
// and 8 bytes per weight. [Measurer.Measures] needs another 8 bytes per observation and class.
type Measurer struct {
	classes, positive int
	opt               MeasureOptions
	truth, decision   []int32
	weights           []float64 // weights of the observations; nil: all weights are 1
	ranked            []ranking
}

// ranking orders the observations by the probability of a class.
type ranking struct {
	class int32
	score []float64 // log-probability of the class
	order []int     // row numbers, highest score first
}

// NewMeasurer returns a Measurer for the given number of classes. It returns an error for fewer than two classes, and
// for a threshold, level, number of resamples or number of seconds out of range. A threshold needs exactly two
// classes.
func NewMeasurer(classes int, opt MeasureOptions) (*Measurer, error) {
	opt.Level = cmp.Or(opt.Level, 0.95)
	switch {
	case classes < 2:
		return nil, fmt.Errorf("these measures need at least two classes, not %d", classes)
	case !(opt.Threshold >= 0 && opt.Threshold <= 1):
		return nil, fmt.Errorf("the threshold is %g; it must be between 0 and 1", opt.Threshold)
	case opt.Threshold > 0 && classes > 2:
		return nil, fmt.Errorf("a threshold needs exactly two classes, not %d; leave it out", classes)
	case !(opt.Level > 0 && opt.Level < 1):
		return nil, fmt.Errorf("the confidence level is %g; it must be above 0 and below 1", opt.Level)
	case opt.Resamples < 0 || opt.Resamples > 1_000_000:
		return nil, fmt.Errorf("the number of resamples is %d; it must be between 0 and 1000000", opt.Resamples)
	case !vec.NotNegative(opt.Seconds):
		return nil, fmt.Errorf("the time per decision is %g s; it must be finite and 0 or more", opt.Seconds)
	}
	m := &Measurer{classes: classes, positive: 1, opt: opt}
	if opt.First {
		m.positive = 0
	}
	if classes == 2 {
		m.ranked = []ranking{{class: int32(m.positive)}}
		return m, nil
	}
	for k := range classes {
		m.ranked = append(m.ranked, ranking{class: int32(k)})
	}
	return m, nil
}

// Add adds observations: their true labels (0..c-1) and the N×c log-probabilities. If a label is not a column or a
// row contains a NaN, it returns an error and adds nothing. It panics with mat.ErrShape if the numbers of rows or
// classes differ. Weights must be finite and not negative; nil means that all are 1. Use weights in all calls or in
// none.
func (m *Measurer) Add(truth []int, logPosterior *mat.Dense, weights []float64) error {
	n, c := logPosterior.Dims()
	if len(truth) != n || c != m.classes || weights != nil && len(weights) != n {
		panic(mat.ErrShape)
	}
	for i, l := range truth {
		if err := scorable(len(m.truth)+i, l, logPosterior.RawRowView(i)); err != nil {
			return err
		}
	}
	m.weights = append(m.weights, weights...)
	for i, l := range truth {
		row := logPosterior.RawRowView(i)
		m.truth = append(m.truth, int32(l))
		m.decision = append(m.decision, int32(m.decide(row)))
		for k := range m.ranked {
			r := &m.ranked[k]
			r.score, r.order = append(r.score, row[r.class]), nil
		}
	}
	return nil
}

// Decisions returns the classes chosen for all added observations.
func (m *Measurer) Decisions() []int {
	return vec.Converted[int](m.decision)
}

// decide returns the class chosen for a row of log-probabilities.
func (m *Measurer) decide(logp []float64) int {
	if m.opt.Threshold == 0 {
		return floats.MaxIdx(logp)
	}
	if math.Exp(logp[m.positive]) >= m.opt.Threshold {
		return m.positive
	}
	return 1 - m.positive
}

// Measures returns the measures of all added observations, except undefined ones, such as the AUC if only one class
// occurs. The intervals are percentiles over bootstrap resamples of the observations. If a measure is equal on all
// resamples, such as after perfect decisions, its interval is Wilson's if it is an accuracy or, with two classes, a
// recall or precision. Other measures then have no interval. A measure can be undefined on a resample. If it is defined
// on fewer than half of the resamples, it has no interval; otherwise these resamples are skipped. Equal observations,
// options and seed give equal intervals for any number of processors. The cost is N log N per ranked class, and N per
// ranked class and resample.
func (m *Measurer) Measures() []Measure {
	n := len(m.truth)
	if n == 0 {
		return nil
	}
	for k := range m.ranked {
		r := &m.ranked[k]
		if r.order == nil {
			r.order = indices.Sorted(n, func(i, j int) int { return cmp.Compare(r.score[j], r.score[i]) })
		}
	}
	values := m.values(m.weights)
	drawn := make([][measureCount]float64, m.opt.Resamples)
	par.For(len(drawn), 1, func(_, lo, hi int) {
		weights := make([]float64, n)
		for b := lo; b < hi; b++ {
			rng := rand.New(rand.NewPCG(max(m.opt.Seed, 1)-1, uint64(b)))
			clear(weights)
			for range n {
				weights[rng.IntN(n)]++
			}
			for i, w := range m.weights {
				weights[i] *= w
			}
			drawn[b] = m.values(weights)
		}
	})
	var out []Measure
	for k, name := range MeasureNames {
		if math.IsNaN(values[k]) {
			continue
		}
		column := make([]float64, 0, len(drawn))
		for b := range drawn {
			if v := drawn[b][k]; !math.IsNaN(v) {
				column = append(column, v)
			}
		}
		one := Measure{Name: name, Value: values[k]}
		if len(column) > 0 && 2*len(column) >= len(drawn) {
			slices.Sort(column)
			tail := (1 - m.opt.Level) / 2
			one.Interval = &Interval{quantile(column, tail), quantile(column, 1-tail)}
			if one.Interval.Low == one.Interval.High {
				one.Interval = m.wilson(k)
			}
		}
		out = append(out, one)
	}
	return out
}

// wilson returns Wilson's interval for a measure that is 0 or 1 in every resample: an accuracy, or the recall or
// precision of one class. It returns nil for other measures, which are not a share of a known number of observations.
// Weights w of the observations scale the share, so the number of observations is Kish's effective sample size
// (Σw)²/Σw².
func (m *Measurer) wilson(measure int) *Interval {
	if measure != atAccuracy && (m.classes > 2 || measure != atRecall && measure != atPrecision) {
		return nil
	}
	right, sum, squared := 0.0, 0.0, 0.0
	for i, t := range m.truth {
		if measure == atRecall && int(t) != m.positive || measure == atPrecision && int(m.decision[i]) != m.positive {
			continue
		}
		w := 1.0
		if m.weights != nil {
			w = m.weights[i]
		}
		sum, squared = sum+w, squared+w*w
		if t == m.decision[i] {
			right += w
		}
	}
	if sum == 0 || right != 0 && right != sum {
		return nil
	}
	i := Wilson(right*(sum/squared), sum*(sum/squared), m.opt.Level)
	return &i
}

// Wilson returns Wilson's score interval for the proportion right/n at the confidence level.
func Wilson(right, n, level float64) Interval {
	z := distuv.UnitNormal.Quantile(0.5 + level/2)
	p := right / n
	center := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n)) / (1 + z*z/n)
	i := Interval{Low: math.Max(center-half, 0), High: math.Min(center+half, 1)}
	if right == 0 {
		i.Low = 0
	}
	if right == n {
		i.High = 1
	}
	return i
}

// quantile interpolates linearly between the sorted values; p is 0 for the first and 1 for the last.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	j := min(i+1, len(sorted)-1)
	return sorted[i] + (at-float64(i))*(sorted[j]-sorted[i])
}

// Resamples sets the number of bootstrap resamples, 0 for none.
func (m *Measurer) Resamples(n int) { m.opt.Resamples = n }

// Decided returns the scores of the decisions at the threshold. Only N, Accuracy, BalancedAccuracy, Kappa, Confusion
// and, with weights, Weighted are set.
func (m *Measurer) Decided() *Scores {
	s := &Scores{N: len(m.truth), Confusion: make([][]int, m.classes)}
	for i, row := range m.confusion(nil) {
		s.Confusion[i] = make([]int, m.classes)
		for j, v := range row {
			s.Confusion[i][j] = int(v)
		}
	}
	if m.weights != nil {
		s.Weighted = m.confusion(m.weights)
	}
	s.Accuracy, s.Kappa, s.BalancedAccuracy = agreements(m.confusion(m.weights))
	return s
}

// values computes all measures for weighted observations; nil weights are 1. Undefined measures are NaN.
func (m *Measurer) values(weights []float64) (v [measureCount]float64) {
	confusion := m.confusion(weights)
	v[atAccuracy], v[atKappa], v[atBalanced] = agreements(confusion)
	v[atPrecision], v[atRecall], v[atF1] = m.retrieval(confusion)
	v[atWolpaw], v[atConfusion] = WolpawBits(v[atAccuracy], m.classes), ConfusionBits(confusion)
	v[AtWolpawRate] = perMinute(v[atWolpaw], m.opt.Seconds)
	v[atConfusionRate] = perMinute(v[atConfusion], m.opt.Seconds)
	auc, precision, areas, precisions := 0.0, 0.0, 0, 0
	for k := range m.ranked {
		a, p := m.ranked[k].areas(m.truth, weights)
		if !math.IsNaN(a) {
			auc += a
			areas++
		}
		if !math.IsNaN(p) {
			precision += p
			precisions++
		}
	}
	v[AtAUC], v[atAveragePrecision] = auc/float64(areas), precision/float64(precisions)
	return v
}

// confusion returns the confusion matrix of weighted observations: true classes in rows, decisions in columns. Nil
// weights are 1.
func (m *Measurer) confusion(weights []float64) [][]float64 {
	out := squares(m.classes)
	for i, t := range m.truth {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		out[t][m.decision[i]] += w
	}
	return out
}

// areas returns the area under the ROC curve and the average precision of the class, or NaN where they are undefined.
func (r *ranking) areas(truth []int32, weights []float64) (auc, precision float64) {
	tp, fp := 0.0, 0.0
	for lo := 0; lo < len(r.order); {
		at, positive, negative := r.score[r.order[lo]], 0.0, 0.0
		for ; lo < len(r.order) && r.score[r.order[lo]] == at; lo++ {
			i, w := r.order[lo], 1.0
			if weights != nil {
				w = weights[i]
			}
			if truth[i] == r.class {
				positive += w
			} else {
				negative += w
			}
		}
		auc += negative * (tp + positive/2)
		tp, fp = tp+positive, fp+negative
		if positive > 0 {
			precision += positive * tp / (tp + fp)
		}
	}
	auc /= tp * fp
	if tp == 0 {
		return math.NaN(), math.NaN()
	}
	return auc, precision / tp
}

// retrieval returns precision, recall and F1 of the positive class of two, or NaN if no label is of that class. With
// more classes it returns their means over the classes that occur.
func (m *Measurer) retrieval(confusion [][]float64) (precision, recall, f1 float64) {
	count := 0.0
	for k := range confusion {
		if m.classes == 2 && k != m.positive {
			continue
		}
		actual, decided := 0.0, 0.0
		for j := range confusion {
			actual += confusion[k][j]
			decided += confusion[j][k]
		}
		if actual == 0 && (m.classes == 2 || decided == 0) {
			continue
		}
		count++
		tp := confusion[k][k]
		precision += ratio(tp, decided)
		recall += ratio(tp, actual)
		f1 += ratio(2*tp, actual+decided)
	}
	return precision / count, recall / count, f1 / count
}

// ratio returns a/b, or 0 if b is 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
