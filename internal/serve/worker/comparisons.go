package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"rao"
	"rao/dataset"
	"rao/evaluate"
	"rao/internal/datapart"
	"rao/internal/provenance"
	"rao/internal/scoring"
	"rao/internal/study"
	"rao/internal/text"
	"rao/method"
	"rao/model"
)

// studyRequest selects the methods of a comparison, search or study, and how they are evaluated.
type studyRequest struct {
	Methods  []methodRequest `json:"methods"`
	Measures []string        `json:"measures"` // compare: additional measures, with intervals
	Folds    int             `json:"folds"`    // compare without test data, tune, study: folds of the observations
	Repeats  int             `json:"repeats"`  // compare without test data; array "folds1" is of the second, and so on
	Seed     uint64          `json:"seed"`
	Align    []string        `json:"align"`  // compare without test data
	Groups   []string        `json:"groups"` // names of the groups in the array "groups", or of the array "folds"
	First    bool            `json:"first"`  // compare with test data, tune: the first of two classes is positive

	Search []parameter `json:"search"` // tune
	Random int         `json:"random"` // tune: number of random draws instead of all combinations
	Score  string      `json:"score"`  // tune, study: the measure to maximize
	// Seconds is the time per decision, for bits per minute; 0 if unknown.
	Seconds float64 `json:"seconds"`

	Sets        []studySet `json:"sets"` // study; the arrays of set i start with "i."
	Evaluations []string   `json:"evaluations"`
	Folder      string     `json:"folder"` // study: for the page, the table and the scores; "" writes none
}

// methodRequest is a method with its options, and its label in the results.
type methodRequest struct {
	Name     string              `json:"name"`
	Label    string              `json:"label"`
	Settings []map[string]string `json:"settings"`
	Text     string              `json:"text"` // METHOD:OPTION=VALUE, instead of name and settings
}

// parameter is an option to search over: a list of values, or a range.
type parameter struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
	Text   string   `json:"text"` // LOW..HIGH[:log][:int], instead of values
}

// studySet contains the names that belong to the arrays of one data set of a study.
type studySet struct {
	Name     string   `json:"name"`
	Classes  []string `json:"classes"`
	Subjects []string `json:"subjects"` // names of the subjects in the array "subjects"
	Sessions []string `json:"sessions"`
}

func (m *methodRequest) spec() (s method.Spec, err error) {
	if m.Text != "" {
		s, err = method.ParseSpec(m.Text)
	} else if s.Method, err = method.Lookup(m.Name); err == nil {
		s, err = s.With(settingsOf(m.Settings)...)
	}
	if m.Label != "" {
		s.Label = m.Label
	}
	return s, err
}

func (r *studyRequest) specs() ([]method.Spec, error) {
	if len(r.Methods) == 0 {
		return nil, fmt.Errorf("no methods are given; give at least one")
	}
	var specs []method.Spec
	for i := range r.Methods {
		s, err := r.Methods[i].spec()
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(specs, func(o method.Spec) bool { return o.String() == s.String() }) {
			return nil, fmt.Errorf("the method %s is listed twice; give each method another label", s)
		}
		specs = append(specs, s)
	}
	return specs, nil
}

func (q *Request) study() (*studyRequest, []method.Spec, error) {
	if q.Study == nil {
		return nil, nil, fmt.Errorf("the request %s has no field study, which lists the methods", q.Op)
	}
	specs, err := q.Study.specs()
	return q.Study, specs, err
}

// part returns a request with the arrays whose names start with prefix.
func (q *Request) part(prefix string, classes []string) *Request {
	p := *q
	p.Arrays, p.Classes = nil, classes
	for _, a := range q.Arrays {
		if name, ok := strings.CutPrefix(a.Name, prefix); ok {
			a.Name = name
			p.Arrays = append(p.Arrays, a)
		}
	}
	return &p
}

func (q *Request) labeled(ctx context.Context, source string) (*dataset.Data, error) {
	if q.optional("y") == nil && !q.hasTable() {
		return nil, fmt.Errorf("the request %s has no array %q with the labels", q.Op, "y")
	}
	d, err := q.data(ctx)
	if err != nil {
		return nil, err
	}
	for i, text := range q.notes {
		q.notes[i] = source + ": " + text
	}
	if d.Source = source; q.hasTable() {
		return d, nil
	}
	d.Weights, err = q.rowWeights(d.N())
	return d, err
}

// numbered returns the groups in the named array, or one group if the request does not have the array.
func (q *Request) numbered(name string, names []string, n int) (*study.Groups, error) {
	a := q.optional(name)
	if a == nil {
		return study.OneGroup(n), nil
	}
	of, err := a.oneOf("observation", n, 0, math.MaxInt)
	if err == nil && n > 0 && slices.Max(of) >= len(names) {
		err = fmt.Errorf("%s: an observation is in group %d, but there are only %d groups", name, slices.Max(of),
			len(names))
	}
	return &study.Groups{Names: names, Of: of}, err
}

// monitor forwards the progress of a study and collects its warnings in r.
func monitor(show rao.Progress, r *Reply) study.Monitor {
	m := study.Monitor{Message: message, Note: func(s string) { r.Warnings = append(r.Warnings, s) }}
	if show != nil {
		m.Progress = func(task string) (rao.Progress, func()) {
			return func(e rao.Event) {
				e.Stage = task + ", " + e.Stage
				show(e)
			}, func() {}
		}
	}
	return m
}

type comparisonInfo struct {
	*study.Rows
	Train int           `json:"train"` // observations
	Test  int           `json:"test"`
	Pairs []mcnemarPair `json:"pairs"`
}

// mcnemarPair compares two methods on the same test data.
type mcnemarPair struct {
	First      string      `json:"first"`
	Second     string      `json:"second"`
	Difference text.Number `json:"difference"` // of the accuracies
	P          text.Number `json:"p"`          // of McNemar's test, adjusted by Holm over all pairs
}

// compare fits the methods to "X" and "y" and scores them on "test.X" and "test.y". The arrays of the reply are the
// files of the models, "file0", "file1" and so on. Without test data, compare leaves out one group or fold at a time.
func compare(ctx context.Context, s *server, q *Request) (*Reply, error) {
	r, specs, err := q.study()
	if err != nil {
		return nil, err
	}
	train, err := q.labeled(ctx, "X")
	if err != nil {
		return nil, err
	}
	show, done := s.progress(q)
	defer done()
	reply := &Reply{Warnings: q.notes}
	if q.optional("test.X") == nil && q.optional("test.table") == nil {
		return reply, leaveOut(ctx, q, train, specs, monitor(show, reply), reply)
	}
	other := q.part("test.", q.Classes).byForm(train.Form, nil)
	other.notes = nil
	test, err := other.labeled(ctx, "X_test")
	if err != nil {
		return nil, err
	}
	reply.Warnings = append(reply.Warnings, other.notes...)
	names, plain := model.SchemaOf(train), provenance.Hashing{}
	tested := datapart.Of(datapart.Like(test, names.Columns, names.Channels), plain)
	learned := []provenance.Part{datapart.Of(train, plain)}
	if share := provenance.LargestOverlap(tested, learned); share > 0 {
		reply.Warnings = append(reply.Warnings, fmt.Sprintf("about %.0f %% of the test observations are also training "+
			"observations, so the scores are too good; use other data", 100*share))
	}
	c := &study.Comparison{Train: train, Test: test, Measures: r.Measures, First: r.First,
		Seconds: r.Seconds, Monitor: monitor(show, reply)}
	if err := scoring.CheckMeasures(r.Measures); err != nil {
		return nil, err
	}
	if err := c.Estimate(specs); err != nil {
		return nil, err
	}
	rows := c.Run(ctx, specs)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	pairs, err := mcnemar(ctx, rows, test)
	if err != nil {
		return nil, err
	}
	for i, row := range rows.Rows {
		if row.Model != nil {
			file, err := fileArray(fmt.Sprintf("file%d", i), row.Model)
			if err != nil {
				return nil, err
			}
			reply.Arrays = append(reply.Arrays, file)
		}
	}
	reply.Info = comparisonInfo{rows, train.N(), test.N(), pairs}
	return reply, nil
}

// mcnemar compares the decisions of every two rows that have scores. The test counts every observation once, so it is
// not computed for weighted observations.
func mcnemar(ctx context.Context, rows *study.Rows, test *dataset.Data) ([]mcnemarPair, error) {
	if test.Weights != nil {
		return nil, nil
	}
	type decided struct {
		*study.Row
		truth, labels []int
	}
	var all []decided
	for _, row := range rows.Rows {
		if row.Scores == nil {
			continue
		}
		truth, p, err := method.PredictLabeled(ctx, row.Model, test)
		if err != nil {
			return nil, err
		}
		all = append(all, decided{row, truth, p.Label})
	}
	var pairs []mcnemarPair
	var ps []float64
	for i, a := range all {
		for _, b := range all[i+1:] {
			t, err := evaluate.McNemar(a.truth, a.labels, b.labels, false)
			if err != nil {
				return nil, err
			}
			pairs = append(pairs, mcnemarPair{a.Method, b.Method, a.Accuracy - b.Accuracy, 0})
			ps = append(ps, t.P)
		}
	}
	ps, err := evaluate.Holm(ps)
	if err != nil {
		return nil, err
	}
	for i := range pairs {
		pairs[i].P = text.Number(ps[i])
	}
	return pairs, nil
}

// leaveOut compares the methods by leaving out each group of the request, or each stratified fold.
func leaveOut(ctx context.Context, q *Request, d *dataset.Data, specs []method.Spec, m study.Monitor,
	reply *Reply) error {
	if d.Weights != nil {
		return errors.New("folds and groups do not support weights; leave out the weights, or give test data")
	}
	r := q.Study
	l := &study.LeaveOut{Data: d, Repeats: r.Repeats, Seed: r.Seed, Align: r.Align, Monitor: m}
	var err error
	if q.optional("folds") != nil {
		if l.Groups, err = q.numbered("folds", r.Groups, d.N()); err != nil {
			return err
		}
		if l.Others, err = q.repeated("folds", d.N()); err != nil {
			return err
		}
	} else if q.optional("groups") != nil {
		l.Folds = r.Folds
		if l.Groups, err = q.numbered("groups", r.Groups, d.N()); err != nil {
			return err
		}
		if l.Others, err = q.repeated("groups", d.N()); err != nil {
			return err
		}
	} else {
		if l.Groups, err = stratified(d, r.Folds, r.Seed); err != nil {
			return err
		}
		for k := 1; k < r.Repeats; k++ {
			more, err := stratified(d, r.Folds, r.Seed+uint64(k))
			if err != nil {
				return err
			}
			l.Others = append(l.Others, more)
		}
	}
	res, err := l.Run(ctx, specs)
	if err != nil {
		return err
	}
	info := leaveOutInfo{Train: d.N(), Pairs: res.Pairs}
	for _, row := range res.Rows {
		one := leaveOutRow{row, text.Number(math.NaN()), text.Number(math.NaN())}
		if row.Error == "" {
			interval := pooled
			if q.optional("groups") != nil {
				interval = overGroups
			}
			if i, err := interval(row.Groups); err == nil {
				one.Low, one.High = text.Number(i.Low), text.Number(i.High)
			}
		}
		info.Rows = append(info.Rows, one)
	}
	reply.Info = info
	return ctx.Err()
}

// repeated returns the groups of the repeats that follow the first, or nil if the request has groups for only one
// repeat.
func (q *Request) repeated(name string, n int) (more []*study.Groups, err error) {
	for k := 1; k < q.Study.Repeats; k++ {
		own := fmt.Sprintf("%s%d", name, k)
		if q.optional(own) == nil && more == nil {
			return nil, nil
		}
		if _, err := q.array(own); err != nil {
			return nil, err
		}
		g, err := q.numbered(own, q.Study.Groups, n)
		if err != nil {
			return nil, err
		}
		more = append(more, g)
	}
	return more, nil
}

// stratified divides the data into k random folds.
func stratified(d *dataset.Data, k int, seed uint64) (*study.Groups, error) {
	folds, err := study.Folds(d, d.Labels, nil, k, seed)
	if err != nil {
		return nil, err
	}
	g := &study.Groups{Of: make([]int, d.N())}
	for k, f := range folds {
		g.Names = append(g.Names, fmt.Sprintf("fold %d", k+1))
		for _, i := range f.Test {
			g.Of[i] = k
		}
	}
	return g, nil
}

// leaveOutInfo is the result of a comparison without test data.
type leaveOutInfo struct {
	Train int           `json:"train"` // observations
	Rows  []leaveOutRow `json:"rows"`
	Pairs []study.Pair  `json:"pairs"`
}

// leaveOutRow has an interval for the accuracy. Observations in a group are not independent, so for groups the interval
// is computed from the number of groups; an interval from the number of observations would be too narrow.
type leaveOutRow struct {
	*study.GroupRow
	Low  text.Number `json:"accuracy_low"`
	High text.Number `json:"accuracy_high"`
}

// pooled returns the 95 % interval of the accuracy on the observations in all folds of the first repeat.
func pooled(folds []study.GroupScore) (evaluate.Interval, error) {
	right, n := 0, 0
	for _, f := range folds {
		if f.Repeat == 0 {
			right, n = right+int(math.Round(float64(f.Accuracy)*float64(f.N))), n+f.N
		}
	}
	return evaluate.WilsonInterval(right, n, 0.95)
}

// overGroups returns the 95 % interval of the mean accuracy per group from Student's t distribution, clipped to [0, 1].
func overGroups(scores []study.GroupScore) (evaluate.Interval, error) {
	byGroup := study.MeanByGroup(scores)
	var means []float64
	for _, name := range slices.Sorted(maps.Keys(byGroup)) {
		means = append(means, byGroup[name])
	}
	if len(means) < 2 {
		return evaluate.Interval{}, errors.New("the interval needs the scores of at least two groups")
	}
	mean, sd := stat.MeanStdDev(means, nil)
	n := float64(len(means))
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * sd / math.Sqrt(n)
	return evaluate.Interval{Low: max(0, mean-half), High: min(1, mean+half)}, nil
}

// runStudy runs methods on several data sets. The names of their arrays start with "0.", "1." and so on.
func runStudy(ctx context.Context, s *server, q *Request) (*Reply, error) {
	r, specs, err := q.study()
	if err != nil {
		return nil, err
	}
	for _, e := range r.Evaluations {
		if !slices.Contains(study.Evaluations, e) {
			return nil, fmt.Errorf("the evaluation %q is unknown; choose from %s", e, strings.Join(study.Evaluations,
				", "))
		}
	}
	if r.Score != "" {
		if err := scoring.CheckMeasures([]string{r.Score}); err != nil {
			return nil, err
		}
	}
	folder := r.Folder
	if folder == "" {
		if folder, err = os.MkdirTemp("", "rao-study"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
	}
	if err := os.MkdirAll(folder+"/scores", 0o777); err != nil {
		return nil, err
	}
	show, done := s.progress(q)
	defer done()
	reply := new(Reply)
	t := &study.Study{Folder: folder, Program: s.opt.Version, Evaluations: r.Evaluations, Methods: specs,
		Folds: r.Folds, Seed: r.Seed, Score: r.Score, Seconds: r.Seconds, Monitor: monitor(show, reply)}
	t.Monitor.Note = func(text string) { reply.Notes = append(reply.Notes, text) }
	for i, one := range r.Sets {
		p := q.part(fmt.Sprintf("%d.", i), one.Classes)
		d, err := p.labeled(ctx, one.Name)
		if err != nil {
			return nil, fmt.Errorf("set %s: %w", one.Name, err)
		}
		reply.Warnings = append(reply.Warnings, p.notes...)
		subjects, err := p.numbered("subjects", one.Subjects, d.N())
		if err != nil {
			return nil, fmt.Errorf("set %s: %w", one.Name, err)
		}
		sessions, err := p.numbered("sessions", one.Sessions, d.N())
		if err != nil {
			return nil, fmt.Errorf("set %s: %w", one.Name, err)
		}
		if err := t.Add(one.Name, d, subjects, sessions); err != nil {
			return nil, err
		}
	}
	if err := t.Begin(); err != nil {
		return nil, err
	}
	if reply.Info, err = t.Run(ctx); err != nil {
		return nil, err
	}
	return reply, ctx.Err()
}
