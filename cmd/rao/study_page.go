package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"rao/evaluate"
	"rao/internal/format/archive"
	"rao/report"
)

// studyResult is what a study found; its JSON names do not change.
type studyResult struct {
	Scores []studyScore `json:"scores"`
	Means  []studyMean  `json:"means"`
	Pairs  []studyPair  `json:"pairs,omitempty"`
	Reused int          `json:"reused"` // scored by an earlier run
}

// studyMean is a method's accuracy over the subjects of a set, each the mean over its sessions.
type studyMean struct {
	Set        string `json:"dataset"`
	Evaluation string `json:"evaluation"`
	Method     string `json:"pipeline"`
	Mean       number `json:"mean"`
	SD         number `json:"sd"`
	Subjects   int    `json:"subjects"`

	subjects []string
	scores   [][]float64 // of the sessions of each subject
	each     []float64   // of each subject, the mean over its sessions
}

// studyPair is whether one method is better than another; its JSON names do not change.
type studyPair struct {
	Evaluation string      `json:"evaluation"`
	First      string      `json:"pipe1"` // better on the mean
	Second     string      `json:"pipe2"`
	Sets       []studyTest `json:"datasets"`
	P          number      `json:"p"`   // one-sided, over all sets
	Effect     number      `json:"smd"` // standardized mean difference, over all sets
}

type studyTest struct {
	Set      string `json:"dataset"`
	P        number `json:"p"`
	Effect   number `json:"smd"`
	Subjects int    `json:"nsub"`
}

// compare makes means and tests of the scores.
func (s *study) compare() error {
	r := &s.result
	r.Means, r.Pairs = nil, nil
	for _, sc := range r.Scores {
		m := r.meanOf(sc)
		k := slices.Index(m.subjects, sc.Subject)
		if k < 0 {
			k = len(m.subjects)
			m.subjects, m.scores = append(m.subjects, sc.Subject), append(m.scores, nil)
		}
		m.scores[k] = append(m.scores[k], float64(sc.Accuracy))
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
	for _, e := range s.evaluations {
		for i, a := range s.methods {
			for _, b := range s.methods[i+1:] {
				if err := s.pair(e, a.Name, b.Name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// meanOf returns the mean that a score belongs to, in the order in which scores come.
func (r *studyResult) meanOf(sc studyScore) *studyMean {
	i := slices.IndexFunc(r.Means, func(m studyMean) bool {
		return m.Set == sc.Set && m.Evaluation == sc.Evaluation && m.Method == sc.Method
	})
	if i < 0 {
		i = len(r.Means)
		r.Means = append(r.Means, studyMean{Set: sc.Set, Evaluation: sc.Evaluation, Method: sc.Method})
	}
	return &r.Means[i]
}

// pair tests whether the better of two methods is better in every set, and over all.
func (s *study) pair(evaluation, a, b string) error {
	sets := func(first, second string) (list []studyTest, sum float64, err error) {
		for _, m := range s.result.Means {
			for _, o := range s.result.Means {
				if m.Evaluation != evaluation || o.Evaluation != evaluation || m.Set != o.Set || m.Method != first ||
					o.Method != second || len(m.each) != len(o.each) {
					continue
				}
				t, err := evaluate.Superior(m.each, o.each)
				if err != nil {
					return nil, 0, err
				}
				list = append(list, studyTest{m.Set, number(t.P), number(t.Effect), t.N})
				sum += float64(m.Mean - o.Mean)
			}
		}
		return list, sum, nil
	}
	list, sum, err := sets(a, b)
	if err != nil || len(list) == 0 {
		return err
	}
	if sum < 0 {
		a, b = b, a
		if list, _, err = sets(a, b); err != nil {
			return err
		}
	}
	p, effects, n := make([]float64, len(list)), make([]float64, len(list)), make([]int, len(list))
	for i, t := range list {
		p[i], effects[i], n[i] = float64(t.P), float64(t.Effect), t.Subjects
	}
	all, err := evaluate.Stouffer(p, n)
	if err != nil {
		return err
	}
	s.result.Pairs = append(s.result.Pairs, studyPair{evaluation, a, b, list, number(all),
		number(evaluate.MeanEffect(effects, n))})
	return nil
}

func (s *study) print() {
	header, rows := s.result.meansTable()
	s.table(header, rows)
	if len(s.result.Pairs) > 0 {
		fmt.Fprintln(s.out)
		header, rows = s.result.pairsTable()
		s.table(header, rows)
	}
	fmt.Fprintf(s.out, "%d scores, %d of them from an earlier run; page, table and scores in %s\n",
		len(s.result.Scores), s.result.Reused, s.flags.out)
}

func (r *studyResult) meansTable() (header []string, rows [][]string) {
	for _, m := range r.Means {
		rows = append(rows, []string{m.Set, m.Evaluation, m.Method, percent(float64(m.Mean)), percent(float64(m.SD)),
			strconv.Itoa(m.Subjects)})
	}
	return []string{"set", "evaluation", "method", "accuracy", "sd", "subjects"}, rows
}

func (r *studyResult) pairsTable() (header []string, rows [][]string) {
	for _, p := range r.Pairs {
		n := 0
		for _, t := range p.Sets {
			n += t.Subjects
		}
		rows = append(rows, []string{p.Evaluation, p.First + " > " + p.Second, effect(p.Effect),
			fmt.Sprintf("%.4f", float64(p.P)), strconv.Itoa(len(p.Sets)), strconv.Itoa(n)})
	}
	return []string{"evaluation", "better", "effect", "p", "sets", "subjects"}, rows
}

func effect(e number) string {
	if math.IsInf(float64(e), 0) {
		return "all alike"
	}
	return fmt.Sprintf("%.2f", float64(e))
}

// subjectsTable is the accuracy of every subject, a column a method.
func (r *studyResult) subjectsTable(set, evaluation string) *report.Table {
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
			*row = append(*row, percent(m.each[k]))
		}
		t.Header = append(t.Header, m.Method)
		for i := range t.Rows { // of whom a study that was cut short has no score yet
			t.Rows[i] = slices.Concat(t.Rows[i], make([]string, len(t.Header)-len(t.Rows[i])))
		}
	}
	return t
}

// writePage writes the page of what there is so far.
func (s *study) writePage() error {
	p := report.Page{Title: "Study", Subtitle: "Methods, data sets and ways to evaluate", Footer: "rao " + version}
	header, rows := s.result.meansTable()
	if len(rows) == 0 {
		p.Sections = append(p.Sections, report.Section{Heading: "Nothing scored yet", Text: "The study has begun."})
	} else {
		p.Sections = append(p.Sections, report.Section{Heading: "Accuracy",
			Text: "The mean over subjects, each the mean over its sessions, with the standard deviation over " +
				"subjects.",
			Table: &report.Table{Header: header, Rows: rows}})
	}
	if len(s.result.Pairs) > 0 {
		header, rows = s.result.pairsTable()
		p.Sections = append(p.Sections, report.Section{Heading: "Which is better", Table: &report.Table{Header: header,
			Rows: rows}, Text: "The better of two on the mean; the standardized difference over subjects; and the " +
			"one-sided p-value, not adjusted for the number of pairs.",
			Note: "Within a set all signs of the differences are tried up to 20 subjects, and beyond it is the " +
				"signed-rank test. Sets are put together by Stouffer's method, weighed by the roots of their " +
				"subjects, as in MOABB's meta-analysis."})
	}
	var last studyMean
	for _, m := range s.result.Means {
		if m.Set == last.Set && m.Evaluation == last.Evaluation {
			continue
		}
		last = m
		var bars []report.Bar
		for _, o := range s.result.Means {
			if o.Set == m.Set && o.Evaluation == m.Evaluation {
				mean, sd := float64(o.Mean), float64(o.SD)
				bars = append(bars, report.Bar{Label: o.Method, Value: mean, Low: max(0, mean-sd),
					High: min(1, mean+sd)})
			}
		}
		title := m.Set + ", " + m.Evaluation
		p.Sections = append(p.Sections, report.Section{Heading: title,
			Table:   s.result.subjectsTable(m.Set, m.Evaluation),
			Figures: []*report.Figure{report.Bars(title, bars, report.BarsOptions{Axis: barAxis(bars)})},
			Note:    "Bars carry one standard deviation over subjects to either side."})
	}
	return writePage(filepath.Join(s.flags.out, "index.html"), p)
}

// writeTable writes every score, with the names of MOABB's results.
func (s *study) writeTable() error {
	return archive.WriteFile(filepath.Join(s.flags.out, "scores.csv"), func(w io.Writer) error {
		t := csv.NewWriter(w)
		if err := t.Write([]string{"dataset", "evaluation", "pipeline", "subject", "session", "score", "kappa",
			"samples", "samples_test", "time"}); err != nil {
			return err
		}
		for _, sc := range s.result.Scores {
			if err := t.Write([]string{sc.Set, sc.Evaluation, sc.Method, sc.Subject, sc.Session, text(sc.Accuracy),
				text(sc.Kappa), strconv.Itoa(sc.Train), strconv.Itoa(sc.N), text(number(sc.Seconds))}); err != nil {
				return err
			}
		}
		t.Flush()
		return t.Error()
	})
}

func text(v number) string { return strconv.FormatFloat(float64(v), 'g', -1, 64) }
