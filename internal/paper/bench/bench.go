// Package bench times the library's kernels next to their peers: gonum, and numpy,
// torch and pyRiemann where a Python with them is found. Every case runs its
// contenders in turn, round after round, so that a machine that slows down slows all
// of them, and reports medians and ratios.
package bench

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"rao"
	"rao/internal/linalg/vec"
)

// Options say what to measure.
type Options struct {
	Python string // interpreter of the peers; empty: python3
	Rounds int    // counted rounds; 0: 5
	Filter string // run the cases whose name contains it; empty: all
	// Progress is called before each case.
	Progress rao.Progress
}

// Measure is the median of one contender.
type Measure struct {
	Who     string  `json:"who"`
	Seconds float64 `json:"seconds"`
	Rate    float64 `json:"rate,omitempty"` // in the unit of the case
	Ratio   float64 `json:"ratio"`          // its time over ours, median of the rounds
}

// Case is the outcome of one case, ours first.
type Case struct {
	Name     string    `json:"name"`
	Unit     string    `json:"unit,omitempty"`
	Measures []Measure `json:"measures"`
	Absent   []string  `json:"absent,omitempty"` // contenders that were not there, and why
	Remarks  []string  `json:"remarks,omitempty"`
}

// contender is one that runs a case; it returns its seconds.
type contender struct {
	who string
	run func() (float64, error)
}

// spec is one case to run.
type spec struct {
	name    string
	unit    string
	work    float64 // in the unit, of one run
	threads int
	peer    []string // names of the case in the peers' script
	// reference also times numpy with the reference BLAS, which takes seconds a run.
	reference bool
	params    params
	second    string // the name of the second contender; empty: gonum
	long      bool   // takes minutes: runs when a filter names it
	// once takes the place of prepare for what runs one time and says more than its seconds.
	once func() (run func() error, remarks func() ([]string, error))
	// prepare makes the data and returns what runs the case; nil gonum: it has no
	// such thing. An error leaves the case out: its data are not here.
	prepare func() (ours, gonum func(), err error)
}

// Run runs the cases and calls each with every outcome.
func Run(ctx context.Context, opt Options, each func(Case)) error {
	if opt.Python == "" {
		opt.Python = "python3"
	}
	if opt.Rounds == 0 {
		opt.Rounds = 5
	}
	peers := newPeers(opt.Python)
	defer peers.close()
	dir, remove, err := tempDir()
	if err != nil {
		return err
	}
	defer remove()
	all := slices.Concat(specs(), wholes(ctx, dir), matrices(ctx), subclasses(ctx), many(ctx, dir), onDisk(ctx, dir))
	for _, s := range all {
		if opt.Filter != "" && !contains(s.name, opt.Filter) || opt.Filter == "" && s.long {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		opt.Progress.Send(rao.Event{Stage: s.name})
		if s.once != nil {
			if opt.Filter == "" { // minutes each
				continue
			}
			c, err := s.single()
			if err != nil {
				return err
			}
			each(c)
			continue
		}
		ours, gonum, err := s.prepare()
		if err != nil {
			continue
		}
		runtime.GC() // the data of the case before, which would delay all collections in this one
		each(s.measure(opt.Rounds, ours, gonum, peers))
	}
	return nil
}

// single runs a case one time.
func (s *spec) single() (Case, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(s.threads))
	run, remarks := s.once()
	runtime.GC()
	start := time.Now()
	if err := run(); err != nil {
		return Case{}, fmt.Errorf("%s: %w", s.name, err)
	}
	out := Case{Name: s.name, Measures: []Measure{{Who: "rao", Seconds: time.Since(start).Seconds(), Ratio: 1}}}
	var err error
	out.Remarks, err = remarks()
	return out, err
}

// measure runs the contenders of a case in turn.
func (s *spec) measure(rounds int, ours, gonum func(), peers *peers) Case {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(s.threads))
	out := Case{Name: s.name, Unit: s.unit}
	list := []contender{{"rao", timed(ours)}}
	if gonum != nil {
		list = append(list, contender{cmp.Or(s.second, "gonum"), timed(gonum)})
	}
	own := len(list)
	list = append(list, peers.of(s, &out)...)
	seconds := make([][]float64, len(list))
	for round := range rounds + 1 { // the first warms up
		for i, c := range list {
			if seconds[i] == nil && round > 0 {
				continue // absent
			}
			if before := (i + len(list) - 1) % len(list); before >= own {
				time.Sleep(rest)
			}
			t, err := c.run()
			if err != nil {
				out.Absent = append(out.Absent, fmt.Sprintf("%s: %v", c.who, err))
				continue
			}
			if round == 0 {
				seconds[i] = []float64{}
				continue
			}
			seconds[i] = append(seconds[i], t)
		}
	}
	for i, c := range list {
		if len(seconds[i]) == rounds {
			out.Measures = append(out.Measures, s.summary(c.who, seconds[i], seconds[0]))
		}
	}
	return out
}

func (s *spec) summary(who string, theirs, ours []float64) Measure {
	ratios := make([]float64, len(theirs))
	for i := range ratios {
		ratios[i] = theirs[i] / ours[i]
	}
	m := Measure{Who: who, Seconds: vec.Median(theirs), Ratio: vec.Median(ratios)}
	if s.work > 0 {
		m.Rate = s.work / m.Seconds
	}
	return m
}

// turn is how long every contender runs its case in one turn, over and over: what
// comes after another's turn finds cold caches and slow clocks, and a user's long
// work does not. For the same reason a turn begins with a run that is not counted,
// unless that alone takes eight times as long. With a limit near the time of a run it would be
// chance which runs count, the first of a turn, with the pages that were given back meanwhile
// and threads of the one before that still spin, or those after it.
const turn, longRun = 250 * time.Millisecond, 8 * turn

// rest is the pause after a peer's turn: threads of its BLAS wait for more work on their
// processors for some fifth of a second, and would take them from whoever comes next.
const rest = 300 * time.Millisecond

// timed runs f for a turn, or once if it takes longer, and returns the seconds of
// one run.
func timed(f func()) func() (float64, error) {
	repeat := func(limit time.Duration) (took time.Duration, runs int) {
		start := time.Now()
		for runs == 0 || took < limit {
			f()
			took, runs = time.Since(start), runs+1
		}
		return took, runs
	}
	return func() (float64, error) {
		took, runs := repeat(0)
		if took < longRun {
			took, runs = repeat(turn)
		}
		return took.Seconds() / float64(runs), nil
	}
}
