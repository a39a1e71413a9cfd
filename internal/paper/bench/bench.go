// Package bench compares the speed of the library's kernels with gonum, and with numpy, torch and pyRiemann if it finds
// a Python with these packages. Every case runs its contenders in turn, for several rounds, so changes of the machine's
// speed affect all of them. The results are medians and ratios.
package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"rao"
	"rao/dataset"
	"rao/internal/linalg/vec"
)

// Options select what to measure.
type Options struct {
	Python string // interpreter of the peers; empty: python3
	Rounds int    // number of counted rounds; 0: 5
	Filter string // run the cases whose name contains it; empty: all
	Dir    string // folder for temporary files, up to 8.4 GB
	// Progress is called before each case; nil reports nothing.
	Progress rao.Progress
}

// Measure is the result of one contender: the median over rounds.
type Measure struct {
	Who     string  `json:"who"`
	Seconds float64 `json:"seconds"`
	Rate    float64 `json:"rate,omitempty"` // in the unit of the case
	Ratio   float64 `json:"ratio"`          // its time divided by ours, median over rounds
}

// Case is the result of one case. The measure of this library is the first.
type Case struct {
	Name     string    `json:"name"`
	Unit     string    `json:"unit,omitempty"`
	Measures []Measure `json:"measures"`
	Absent   []string  `json:"absent,omitempty"` // contenders that were not available, and why
	Remarks  []string  `json:"remarks,omitempty"`
}

// contender is a program that runs a case. run returns the seconds of one run.
type contender struct {
	who string
	run func() (float64, error)
}

// spec describes a case and its contenders.
type spec struct {
	name    string
	unit    string
	work    float64 // of one run, in the unit
	threads int
	peer    []string // names of the case in the peers' script
	// reference also measures numpy with the reference BLAS, which takes seconds per run.
	reference bool
	params    params
	second    string // the name of the second contender; empty: gonum
	long      bool   // needs minutes, so it runs only if a filter names it
	// once replaces prepare for a case that runs only once and reports more than its seconds.
	once func() (run func() error, remarks func() ([]string, error))
	// prepare creates the data and returns the functions that run the case. gonum is nil if gonum has no counterpart.
	// If its error is a *dataset.AbsentError, a run without a filter leaves the case out. Other errors end the run.
	prepare func() (ours, gonum func(), err error)
}

// Run runs the cases and calls each with every result. It returns an error if no case has a name that contains the
// filter, if a case cannot be prepared, or if ctx is canceled.
func Run(ctx context.Context, opt Options, each func(Case)) error {
	opt.Python = cmp.Or(opt.Python, "python3")
	if opt.Rounds == 0 {
		opt.Rounds = 5
	}
	peers := newPeers(opt.Python, opt.Dir)
	defer peers.close()
	found := false
	all := slices.Concat(specs(), tasks(ctx, opt.Dir), matrices(ctx), ofSubclasses(ctx), many(ctx, opt.Dir),
		onDisk(ctx, opt.Dir))
	for _, s := range all {
		if opt.Filter == "" && s.long || !strings.Contains(strings.ToLower(s.name), strings.ToLower(opt.Filter)) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		found = true
		opt.Progress.Send(rao.Event{Stage: s.name})
		if s.once != nil {
			c, err := s.single()
			if err != nil {
				return err
			}
			each(c)
			continue
		}
		ours, gonum, err := s.prepare()
		if absent := (*dataset.AbsentError)(nil); opt.Filter == "" && errors.As(err, &absent) {
			continue // without a filter, cases on data sets that are not available are left out
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		runtime.GC() // free the data of the previous case, which would delay every collection in this one
		each(s.measure(opt.Rounds, ours, gonum, peers))
	}
	if !found {
		return fmt.Errorf("no case has a name that contains %q; leave out the filter to run all cases", opt.Filter)
	}
	return nil
}

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
	for round := range rounds + 1 { // the first round warms up
		for i, c := range list {
			if seconds[i] == nil && round > 0 {
				continue // not available
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

// turn is the time for which each contender repeats its case in one turn. After another contender's turn, caches are
// cold and clocks are slow, unlike in long computations. A turn therefore starts with a run that is not counted, unless
// this run takes longer than longRun. longRun is much longer than a turn, so chance does not decide whether the first
// run counts.
const turn, longRun = 250 * time.Millisecond, 8 * turn

// rest is the pause after a peer's turn. The threads of its BLAS spin for about a fifth of a second while they wait for
// more work, which would slow down the next contender.
const rest = 300 * time.Millisecond

// timed returns a function that repeats f for a turn, or runs it only once if the first run takes longRun or more. The
// function returns the seconds of one run.
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
