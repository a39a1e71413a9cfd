package experiment

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"rao"
	"rao/dataset"
	"rao/internal/suggest"
	"rao/report"
)

// Experiment is one table or figure of a paper, or a study beside them.
type Experiment struct {
	ID        string   // such as "sqfa-fig2"
	Paper     string   // "SQFA", "PLRSQ", or the method whose paper it is
	Item      string   // such as "figure 2"
	Title     string   // one line
	Needs     []string // data sets from outside, as rao dataset get names them; empty: none
	Published bool     // not run: the numbers are the paper's own
	Protocol  string   // what is done, in sentences: seeds, repetitions, splits
	run       func(ctx context.Context, r *Run) error
	state     func() string // what else is to be said of its data; nil: nothing
}

// Run is an experiment under way. Its methods collect the result.
type Run struct {
	Short    bool   // a small form that a test can afford: fewer repetitions, less data
	Seed     uint64 // of everything random
	Progress rao.Progress
	result   *Result
}

// Result is what an experiment found. It is plain data: JSON and CSV hold it whole.
type Result struct {
	ID       string   `json:"id"`
	Paper    string   `json:"paper"`
	Item     string   `json:"item"`
	Title    string   `json:"title"`
	Protocol string   `json:"protocol"`
	Short    bool     `json:"short"`
	Seed     uint64   `json:"seed"`
	Seconds  float64  `json:"seconds"`
	Machine  string   `json:"machine"`
	Tables   []*Table `json:"tables"`
	Remarks  []string `json:"remarks"` // where we differ from the paper, and why
	figures  []namedFigure
}

type namedFigure struct {
	name   string
	figure *report.Figure
}

// Table is a table of numbers with the paper's beside ours where it prints them.
type Table struct {
	Name    string     `json:"name"` // short, for file names
	Caption string     `json:"caption"`
	Header  []string   `json:"header"`
	Rows    [][]string `json:"rows"`
}

// Add appends a row; cells are formatted with [Cell].
func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = Cell(c)
	}
	t.Rows = append(t.Rows, row)
}

// Cell formats a value for a table: floats with four significant digits.
func Cell(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case float64:
		return fmt.Sprintf("%.4g", x)
	}
	return fmt.Sprint(v)
}

// Table starts a table of the result.
func (r *Run) Table(name, caption string, header ...string) *Table {
	t := &Table{Name: name, Caption: caption, Header: header}
	r.result.Tables = append(r.result.Tables, t)
	return t
}

// Figure adds a figure under a short name.
func (r *Run) Figure(name string, f *report.Figure) {
	r.result.figures = append(r.result.figures, namedFigure{name, f})
}

// Remark adds a sentence on the result: an ordering that holds, a difference and its
// reason.
func (r *Run) Remark(format string, args ...any) {
	r.result.Remarks = append(r.result.Remarks, fmt.Sprintf(format, args...))
}

// Data opens a set by name. One that is not here is an error that says how to
// get it.
func (r *Run) Data(ctx context.Context, name string) (*dataset.Data, error) {
	return dataset.Open(ctx, name, dataset.OpenOptions{RequireLabels: true})
}

// Pick returns full, or short when the run is a short one.
func (r *Run) Pick(full, short int) int {
	if r.Short {
		return short
	}
	return full
}

// List returns all experiments in the order of the papers.
func List() []*Experiment {
	var all []*Experiment
	for _, group := range [][]Experiment{sqfaExperiments, plrsqExperiments, otherExperiments} {
		for i := range group {
			all = append(all, &group[i])
		}
	}
	return all
}

// Lookup returns the experiment of the given ID; for an unknown one the error offers
// the nearest.
func Lookup(id string) (*Experiment, error) {
	var ids []string
	for _, e := range List() {
		if e.ID == id {
			return e, nil
		}
		ids = append(ids, e.ID)
	}
	return nil, suggest.Unknown("experiment", id, ids)
}

// Missing returns the data sets that the experiment needs and that are not here.
func (e *Experiment) Missing() []string {
	here := map[string]bool{}
	for _, i := range dataset.List() {
		here[i.Name] = i.Here
	}
	var missing []string
	for _, n := range e.Needs {
		if !here[n] {
			missing = append(missing, n)
		}
	}
	return missing
}

// State says in a few words whether the experiment can run here.
func (e *Experiment) State() string {
	if e.Published {
		return "published only"
	}
	if m := e.Missing(); len(m) > 0 {
		return fmt.Sprintf("needs data: rao dataset get %s", m[0])
	}
	if e.state != nil {
		return e.state()
	}
	return "runs"
}

// Run runs the experiment. Missing data are an error that names the remedy;
// cancelling ctx is one too.
func (e *Experiment) Run(ctx context.Context, r Run) (*Result, error) {
	if m := e.Missing(); len(m) > 0 {
		return nil, fmt.Errorf("%s needs the data set %s: rao dataset get %s, or --from a folder that holds it", e.ID, m[0], m[0])
	}
	start := time.Now()
	r.result = &Result{ID: e.ID, Paper: e.Paper, Item: e.Item, Title: e.Title, Protocol: e.Protocol, Short: r.Short, Seed: r.Seed,
		Machine: fmt.Sprintf("%s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))}
	err := e.run(ctx, &r)
	if ctx.Err() != nil { // whatever an unfinished part made of it
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.ID, err)
	}
	r.result.Seconds = time.Since(start).Seconds()
	return r.result, nil
}
