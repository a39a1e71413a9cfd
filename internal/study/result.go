package study

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"rao/evaluate"
	"rao/internal/format/archive"
	"rao/internal/scoring"
	"rao/report"
)

// Result is the result of a study. The JSON names must not change.
type Result struct {
	Score  string        `json:"score"` // name of the measure, see [evaluate.Measure]
	Scores []Score       `json:"scores"`
	Means  []Mean        `json:"means"`
	Pairs  []Superiority `json:"pairs,omitempty"`
	Reused int           `json:"reused"` // number of scores from an earlier run
}

// Score is the score of a method on one session. The JSON names must not change.
type Score struct {
	Set        string  `json:"dataset"`
	Evaluation string  `json:"evaluation"`
	Method     string  `json:"pipeline"`
	Subject    string  `json:"subject"`
	Session    string  `json:"session"`
	Value      Number  `json:"score"` // the measure of the study
	Accuracy   Number  `json:"accuracy"`
	Kappa      Number  `json:"kappa"`
	Train      int     `json:"samples"` // number of observations learned from, averaged over folds
	N          int     `json:"samples_test"`
	Seconds    float64 `json:"time"` // of the fits
}

// Mean is a method's mean score over the subjects of a set. The score of a subject is the mean over its sessions.
type Mean struct {
	Set        string `json:"dataset"`
	Evaluation string `json:"evaluation"`
	Method     string `json:"pipeline"`
	Mean       Number `json:"mean"`
	SD         Number `json:"sd"`
	Subjects   int    `json:"subjects"`

	subjects []string
	scores   [][]float64 // of the sessions of each subject
	each     []float64   // of each subject, the mean over its sessions
}

// Superiority tests whether one method is better than another. The JSON names must not change.
type Superiority struct {
	Evaluation string    `json:"evaluation"`
	First      string    `json:"first"` // the method with the positive effect
	Second     string    `json:"second"`
	Sets       []SetTest `json:"datasets"`
	P          Number    `json:"p"`       // one-sided, over all sets
	Effect     Number    `json:"smd"`     // standardized mean difference, over all sets
	Holm       Number    `json:"p_holm"`  // two-sided, adjusted for all pairs of the evaluation
	Least      Number    `json:"p_least"` // the smallest p that is possible with these subjects
}

// SetTest is the test of a Superiority on one data set.
type SetTest struct {
	Set      string `json:"dataset"`
	P        Number `json:"p"`
	Effect   Number `json:"smd"`
	Subjects int    `json:"subjects"`
}

// compare computes the mean score of each method and subject, and the tests between methods.
func (s *Study) compare() error {
	r := &s.result
	for _, sc := range r.Scores {
		m := r.meanOf(sc)
		k := slices.Index(m.subjects, sc.Subject)
		if k < 0 {
			k = len(m.subjects)
			m.subjects, m.scores = append(m.subjects, sc.Subject), append(m.scores, nil)
		}
		m.scores[k] = append(m.scores[k], float64(sc.Value))
	}
	for i := range r.Means {
		m := &r.Means[i]
		for _, scores := range m.scores {
			mean, _ := meanSD(scores)
			m.each = append(m.each, float64(mean))
		}
		m.Mean, m.SD = meanSD(m.each)
		m.Subjects = len(m.each)
	}
	for _, e := range s.Evaluations {
		methods := s.methods()
		for i, a := range methods {
			for _, b := range methods[i+1:] {
				if err := r.superior(e, a, b); err != nil {
					return err
				}
			}
		}
		if err := r.adjust(e); err != nil {
			return err
		}
	}
	return nil
}

// meanOf returns the mean that a score contributes to. It appends a new mean if necessary.
func (r *Result) meanOf(sc Score) *Mean {
	i := slices.IndexFunc(r.Means, func(m Mean) bool {
		return m.Set == sc.Set && m.Evaluation == sc.Evaluation && m.Method == sc.Method
	})
	if i < 0 {
		i = len(r.Means)
		r.Means = append(r.Means, Mean{Set: sc.Set, Evaluation: sc.Evaluation, Method: sc.Method})
	}
	return &r.Means[i]
}

// superior tests whether the better of two methods is better in every set and over all sets.
func (r *Result) superior(evaluation, a, b string) error {
	list, err := r.setTests(evaluation, a, b)
	if err != nil || len(list) == 0 {
		return err
	}
	if meanEffect(list) < 0 {
		a, b = b, a
		if list, err = r.setTests(evaluation, a, b); err != nil {
			return err
		}
	}
	p, n := make([]float64, len(list)), make([]int, len(list))
	for i, t := range list {
		p[i], n[i] = float64(t.P), t.Subjects
	}
	all, err := scoring.Stouffer(p, n)
	if err != nil {
		return err
	}
	least := make([]float64, len(list))
	for i := range least {
		least[i] = leastP(n[i])
	}
	lowest, err := scoring.Stouffer(least, n)
	if err != nil {
		return err
	}
	r.Pairs = append(r.Pairs, Superiority{Evaluation: evaluation, First: a, Second: b, Sets: list, P: Number(all),
		Effect: Number(meanEffect(list)), Least: Number(lowest)})
	return nil
}

// meanEffect returns the mean difference over the sets.
func meanEffect(list []SetTest) float64 {
	effects, n := make([]float64, len(list)), make([]int, len(list))
	for i, t := range list {
		effects[i], n[i] = float64(t.Effect), t.Subjects
	}
	return scoring.MeanEffect(effects, n)
}

// leastP returns the smallest possible p-value, for differences with the same sign in all subjects: one over the number
// of combinations of signs.
func leastP(subjects int) float64 { return max(math.Ldexp(1, -subjects), 1e-300) }

// adjust computes Holm's adjusted values over the pairs of an evaluation. Each p-value is first doubled, because the
// direction of the test depends on the data.
func (r *Result) adjust(evaluation string) error {
	var at []int
	var p []float64
	for i, pair := range r.Pairs {
		if pair.Evaluation == evaluation {
			at, p = append(at, i), append(p, min(1, 2*float64(pair.P)))
		}
	}
	adjusted, err := evaluate.Holm(p)
	if err != nil {
		return err
	}
	for k, i := range at {
		r.Pairs[i].Holm = Number(adjusted[k])
	}
	return nil
}

// setTests tests whether the first method is better than the second in every set on which both were scored.
func (r *Result) setTests(evaluation, first, second string) (list []SetTest, err error) {
	for _, m := range r.Means {
		for _, o := range r.Means {
			if m.Evaluation != evaluation || o.Evaluation != evaluation || m.Set != o.Set || m.Method != first ||
				o.Method != second || len(m.each) != len(o.each) {
				continue
			}
			t, err := scoring.Superior(m.each, o.each)
			if err != nil {
				return nil, err
			}
			list = append(list, SetTest{m.Set, Number(t.P), Number(t.Effect), t.N})
		}
	}
	return list, nil
}

// MeanTable returns the means over subjects.
func (r *Result) MeanTable() (header []string, rows [][]string) {
	for _, m := range r.Means {
		rows = append(rows, []string{m.Set, m.Evaluation, m.Method, r.show(float64(m.Mean)),
			r.show(float64(m.SD)), strconv.Itoa(m.Subjects)})
	}
	return []string{"set", "evaluation", "method", scoring.MeasureTitle(r.Score), "sd", "subjects"}, rows
}

func (r *Result) show(v float64) string { return scoring.FormatMeasure(r.Score, v) }

// PairTable returns the tests of all pairs of methods.
func (r *Result) PairTable() (header []string, rows [][]string) {
	for _, p := range r.Pairs {
		n := 0
		for _, t := range p.Sets {
			n += t.Subjects
		}
		sign := " > "
		if p.Effect == 0 {
			sign = " = "
		}
		rows = append(rows, []string{p.Evaluation, p.First + sign + p.Second, effect(p.Effect),
			fmt.Sprintf("%.4f", float64(p.P)), fmt.Sprintf("%.4f", float64(p.Holm)),
			fmt.Sprintf("%.2g", float64(p.Least)), strconv.Itoa(len(p.Sets)), strconv.Itoa(n)})
	}
	return []string{"evaluation", "better", "effect", "p", "p (Holm)", "least p", "sets", "subjects"}, rows
}

func effect(e Number) string {
	if math.IsInf(float64(e), 0) {
		return "all alike"
	}
	return fmt.Sprintf("%.2f", float64(e))
}

// subjectTable returns the score of every subject, with one column per method.
func (r *Result) subjectTable(set, evaluation string) *report.Table {
	t := &report.Table{Header: []string{"subject"}}
	var names []string
	for _, m := range r.Means {
		if m.Set != set || m.Evaluation != evaluation {
			continue
		}
		for k, name := range m.subjects {
			if !slices.Contains(names, name) {
				names = append(names, name)
				t.Rows = append(t.Rows, slices.Concat([]string{name}, make([]string, len(t.Header)-1)))
			}
			row := &t.Rows[slices.Index(names, name)]
			*row = append(*row, r.show(m.each[k]))
		}
		t.Header = append(t.Header, m.Method)
		for i := range t.Rows { // an interrupted study may have no score for a subject yet
			t.Rows[i] = slices.Concat(t.Rows[i], make([]string, len(t.Header)-len(t.Rows[i])))
		}
	}
	return t
}

// writePage writes a page with the current scores.
func (s *Study) writePage() error {
	r := &s.result
	p := report.Page{Title: "Study", Subtitle: "Methods, data sets and ways to evaluate", Footer: "rao " + s.Program}
	header, rows := r.MeanTable()
	if len(rows) == 0 {
		p.Sections = append(p.Sections, report.Section{Heading: "Nothing scored yet", Text: "The study has begun."})
	} else {
		p.Sections = append(p.Sections, report.Section{Heading: "Scores: " + scoring.MeasureTitle(r.Score),
			Text: "The mean over subjects, each the mean over its sessions, with the standard deviation over " +
				"subjects.",
			Table: &report.Table{Header: header, Rows: rows}})
	}
	if len(r.Pairs) > 0 {
		header, rows = r.PairTable()
		p.Sections = append(p.Sections, report.Section{Heading: "Which is better", Table: &report.Table{Header: header,
			Rows: rows}, Text: "For each pair: the method with the higher mean first, the difference in standard " +
			"deviations over subjects, and the one-sided p-value. p (Holm) is two-sided and adjusted for all pairs " +
			"of an evaluation. Least p is the smallest p-value that so few subjects can give.",
			Note: "Within a set the p-value is exact over all signs of the differences for up to 20 subjects, and of " +
				"the signed-rank test for more. Effects and p-values of several sets are combined as in MOABB's " +
				"meta-analysis, p-values by Stouffer's method, weighted by the square roots of the numbers of " +
				"subjects. If sets disagree, the combined effect can be negative."})
	}
	var last Mean
	for _, m := range r.Means {
		if m.Set == last.Set && m.Evaluation == last.Evaluation {
			continue
		}
		last = m
		p.Sections = append(p.Sections, r.setSection(m.Set, m.Evaluation))
	}
	return p.WriteFile(s.path("index.html"))
}

// axis returns the axis of the scores. If the scores are fractions, it also clips the intervals of bars to [0, 1].
func (r *Result) axis(bars []report.Bar) report.Axis {
	if !scoring.IsShare(r.Score) {
		return report.Axis{Label: scoring.MeasureTitle(r.Score)}
	}
	for i := range bars {
		bars[i].Low, bars[i].High = max(0, bars[i].Low), min(1, bars[i].High)
	}
	return accuracyAxis(bars)
}

// setSection shows the subjects of a set, and bars of the methods.
func (r *Result) setSection(set, evaluation string) report.Section {
	var bars []report.Bar
	for _, m := range r.Means {
		if m.Set == set && m.Evaluation == evaluation {
			mean, sd := float64(m.Mean), float64(m.SD)
			bars = append(bars, report.Bar{Label: m.Method, Value: mean, Low: mean - sd, High: mean + sd})
		}
	}
	title := set + ", " + evaluation
	return report.Section{Heading: title, Table: r.subjectTable(set, evaluation),
		Figures: []*report.Figure{report.Bars(title, bars, r.axis(bars))},
		Note:    "Bars extend one standard deviation over subjects to each side."}
}

// writeTable writes every score, with the column names of MOABB's results.
func (s *Study) writeTable() error {
	return archive.WriteFile(s.path("scores.csv"), func(w io.Writer) error {
		t := csv.NewWriter(w)
		if err := t.Write([]string{"dataset", "evaluation", "pipeline", "subject", "session", "score", "kappa",
			"samples", "samples_test", "time"}); err != nil {
			return err
		}
		shortest := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
		for _, sc := range s.result.Scores {
			if err := t.Write([]string{sc.Set, sc.Evaluation, sc.Method, sc.Subject, sc.Session,
				shortest(float64(sc.Value)), shortest(float64(sc.Kappa)), strconv.Itoa(sc.Train),
				strconv.Itoa(sc.N), shortest(sc.Seconds)}); err != nil {
				return err
			}
		}
		t.Flush()
		return t.Error()
	})
}
