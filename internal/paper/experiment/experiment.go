package experiment

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"rao"
	"rao/dataset"
	"rao/internal/paper/peers"
	_ "rao/sets" // registers the sets that experiments open by name
)

// Experiment is a table or figure of a paper, or one of our own studies.
type Experiment struct {
	ID       string   // such as "sqfa-fig2"
	Paper    string   // "SQFA", "PLRSQ", or the method that the paper is about
	Item     string   // number in the paper, such as "figure 2 (v1: figures 2 and 3)", or "compared with figure 4"
	Title    string   // one line
	Needs    []string // external data sets, as named by rao data get; empty if there are none
	Protocol string   // what is done, in at most 80 words: data, splits, repetitions
	Notes    []string // details of the protocol, and other statements that do not depend on the numbers
	Whole    string   // what the larger grid adds to a full run; empty if nothing
	NotRun   string   // reason why it is not run, such as "a drawing of the idea"; empty if it is run
	Long     string   // duration of a full run, if none is recorded because of the duration
	Version  int      // version of the protocol; a result recorded with another version must be run again
	Earlier  string   // how the previous version differed, for the page of a result recorded with it

	run   func(ctx context.Context, r *Run) error
	read  func(r *Run)  // adds claims and intervals that follow from the tables; see [Result.Shown]
	state func() string // additional description of the available data; may be nil

	record  []byte // the recorded result of a study of another package
	standIn bool   // a short run needs none of the data sets
}

// Run is a run of an experiment. Its methods collect the result.
type Run struct {
	Short    bool   // a small form for tests, with fewer repetitions and less data
	Whole    bool   // the larger grid, if the experiment has one
	Seed     uint64 // seed of all random numbers
	Commit   string // commit of the code; if empty, it is read from the build
	Resume   string // folder of journals, to continue an interrupted run; empty for no journal
	Progress rao.Progress

	result   *Result
	journal  *journal
	ownBases bool // SynI and SynII have their own bases in each repetition
}

// Data opens a set by name. If the set is not available, the error explains how to get it.
func (r *Run) Data(ctx context.Context, name string) (*dataset.Data, error) {
	return dataset.Open(ctx, name, dataset.OpenOptions{RequireLabels: true})
}

// Pick returns short in a short run, and full otherwise.
func (r *Run) Pick(full, short int) int {
	if r.Short {
		return short
	}
	return full
}

// PickGrid returns grid if r covers the larger grid, short in a short run, and full otherwise.
func (r *Run) PickGrid(grid, full, short int) int {
	if r.Whole {
		return grid
	}
	return r.Pick(full, short)
}

// Study is an experiment that another package adds to the list.
type Study struct {
	Entry  Experiment
	After  string                                  // ID of the preceding experiment in the list
	Run    func(ctx context.Context, r *Run) error // collects the result
	Shown  func(r *Run)                            // adds claims and intervals that follow from the tables; may be nil
	Lacks  map[string]func() string                // for data in folders: functions that describe what is missing
	Record []byte                                  // the recorded result; nil if there is none
}

var studies []*Study

// Register adds a study to the list. It must be called from an init function.
func Register(s Study) {
	s.Entry.run, s.Entry.read, s.Entry.record = s.Run, s.Shown, s.Record
	maps.Copy(folders, s.Lacks)
	studies = append(studies, &s)
}

// List returns all experiments in the order of the papers.
func List() []*Experiment {
	var all []*Experiment
	for _, group := range [][]Experiment{sqfaExperiments, plrsqExperiments, otherExperiments, beyondExperiments} {
		for i := range group {
			all = append(all, &group[i])
		}
	}
	left := slices.Clone(studies)
	for tries := len(left) * len(left); len(left) > 0; tries-- { // a study may follow a study that is registered later
		s := left[0]
		at := slices.IndexFunc(all, func(e *Experiment) bool { return e.ID == s.After })
		waits := at < 0 && tries > 0 && slices.ContainsFunc(left, func(o *Study) bool { return o.Entry.ID == s.After })
		if left = left[1:]; waits {
			left = append(left, s)
			continue
		}
		all = slices.Insert(all, at+1, &s.Entry)
	}
	return all
}

// Lookup returns the experiment with the given ID. If the ID is unknown, the error suggests similar IDs.
func Lookup(id string) (*Experiment, error) {
	var ids []string
	for _, e := range List() {
		if e.ID == id {
			return e, nil
		}
		ids = append(ids, e.ID)
	}
	return nil, &rao.UnknownError{Kind: "experiment", Name: id, Known: ids}
}

// Missing returns the data sets that the experiment needs and that are not available.
func (e *Experiment) Missing() []string {
	sets := dataset.Sets()
	var missing []string
	for _, n := range e.Needs {
		here := slices.ContainsFunc(sets, func(s dataset.Set) bool { return s.Name == n && s.Here() })
		if !here && (folders[n] == nil || folders[n]() != "") {
			missing = append(missing, n)
		}
	}
	return missing
}

// folders maps the names of data that are not registered sets, such as a folder in the cache, to functions. Each
// function describes what is missing, or returns "" if the data are complete.
var folders = map[string]func() string{"embeddings": embeddingsLacks, "private": pythonLacks(peers.PrivatePython),
	"torch": pythonLacks(peers.Python)}

func remedy(name string) string {
	if f := folders[name]; f != nil {
		return f()
	}
	return fmt.Sprintf("rao data get %s; add --from FOLDER if you have the files", name)
}

// State describes in a few words whether the experiment can run.
func (e *Experiment) State() string {
	if e.NotRun != "" {
		return "not run: " + e.NotRun
	}
	if m := e.Missing(); len(m) > 0 {
		return "needs data: " + remedy(m[0])
	}
	if e.state != nil {
		return e.state()
	}
	return "runs"
}

// Run runs the experiment and returns a complete result. It returns an error if the experiment is not run, if data are
// missing (the error names the remedy), if r.Whole is set but r.Short is also set or there is no larger grid, if the
// journal cannot be used, if ctx is canceled, or if the tables cannot be right. For example, a table may be empty, or
// all its measured cells may be equal.
func (e *Experiment) Run(ctx context.Context, r Run) (*Result, error) {
	if err := e.check(r); err != nil {
		return nil, err
	}
	start := time.Now()
	r.result = e.begin(r, start)
	if r.Resume != "" {
		var err error
		if r.journal, err = openJournal(r.Resume, r.result); err != nil {
			return nil, fmt.Errorf("%s: %w", e.ID, err)
		}
		defer r.journal.file.Close()
		r.result.Resumed = len(r.journal.done) > 0
	}
	err := e.run(ctx, &r)
	if ctx.Err() != nil { // ignore errors of a part that the cancellation interrupted
		err = ctx.Err()
	}
	if err == nil {
		err = r.result.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.ID, err)
	}
	r.result.Seconds = time.Since(start).Seconds()
	return r.result, nil
}

func (e *Experiment) check(r Run) error {
	switch m := e.Missing(); {
	case e.NotRun != "":
		return fmt.Errorf("%s is not run: %s", e.ID, e.NotRun)
	case r.Short && r.Whole:
		return fmt.Errorf("%s: a run cannot be short and use the larger grid; choose one", e.ID)
	case r.Whole && e.Whole == "":
		return rao.Optionf("whole", "%s: a normal run is already complete; leave {whole} out", e.ID)
	case len(m) > 0 && !(r.Short && e.standIn):
		return fmt.Errorf("%s needs the data set %s: %s", e.ID, m[0], remedy(m[0]))
	}
	return nil
}
