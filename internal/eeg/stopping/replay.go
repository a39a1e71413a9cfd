package stopping

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/evaluate"
	"rao/internal/digest"
	"rao/internal/indices"
	"rao/internal/linalg/vec"
	"rao/internal/scoring"
)

// Replay contains the trials of a recording and the decisions of a decoder on that recording.
type Replay struct {
	Length       float64     // length of the recording in seconds
	Window       float64     // length in seconds of the signal used for a decision
	Seconds      []float64   // end of each window in seconds from the start of the recording, ascending
	LogPosterior [][]float64 // log-probabilities for each window
	Refused      []bool      // whether each decision was rejected or an outlier
	Trials       []ReplayTrial
}

// ReplayTrial is a trial of a recording.
type ReplayTrial struct {
	Class       int
	Start, Stop float64 // in seconds from the start of the recording
}

// Courses returns the trials of replays. Each has the decisions on the windows inside the trial.
func Courses(replays []*Replay) []Course {
	var out []Course
	for _, r := range replays {
		for _, t := range r.Trials {
			out = append(out, r.course(t))
		}
	}
	return out
}

// digest identifies the recording by its decisions. Different recordings have different decisions.
func (r *Replay) digest() string {
	d := digest.New()
	for _, logp := range r.LogPosterior {
		d.Floats(logp)
	}
	return d.String()[:32]
}

// Windowless returns the number of trials in the replays, and the number of trials that contain no window and therefore
// get no decision.
func Windowless(replays []*Replay) (trials, without int) {
	for _, r := range replays {
		for _, t := range r.Trials {
			trials++
			if !slices.ContainsFunc(r.Seconds, func(at float64) bool { return r.within(t, at) }) {
				without++
			}
		}
	}
	return trials, without
}

// within reports whether the window that ends at a time is inside a trial.
func (r *Replay) within(t ReplayTrial, at float64) bool {
	return at-r.Window >= t.Start-tick && at <= t.Stop+tick
}

// tick is a tolerance for comparing times in seconds, shorter than a sampling interval.
const tick = 1e-7

// course returns the decisions on the windows inside a trial.
func (r *Replay) course(t ReplayTrial) Course {
	c := Course{Class: t.Class}
	for k, at := range r.Seconds {
		if r.within(t, at) && !r.Refused[k] {
			c.Seconds = append(c.Seconds, at-t.Start)
			c.LogPosterior = append(c.LogPosterior, r.LogPosterior[k])
		}
	}
	return c
}

// ReplayOptions are the options of [ScoreReplays].
type ReplayOptions struct {
	// Stopping decides when the evidence is sufficient. With nil, the decision is from the first window inside the
	// trial that is not rejected.
	Stopping *Rule
	// Idle is the class that means no command. Outside trials, decisions for it are not false positives. -1 means that
	// every class is a command.
	Idle int
	// Step is the distance in seconds between points of the curve.
	Step float64
}

// ReplayScore contains the scores of a decoder on recordings. The JSON names must not change.
type ReplayScore struct {
	Trials      int           `json:"trials"`
	Right       int           `json:"right"`
	Wrong       int           `json:"wrong"`
	Undecided   int           `json:"undecided"` // trials without a decision
	Accuracy    float64       `json:"accuracy"`  // fraction of all trials that were decided correctly
	Balanced    float64       `json:"balanced_accuracy"`
	Seconds     float64       `json:"seconds"`        // mean time to the decision, or to the end of the trial
	Median      float64       `json:"median_seconds"` // median of these times
	WolpawRate  float64       `json:"wolpaw_bits_per_minute"`
	Information float64       `json:"confusion_bits_per_minute"` // treats no decision as one more class of decisions
	IdleMinutes float64       `json:"idle_minutes"`              // excludes trials and one window after each
	False       int           `json:"false_positives"`           // decisions in idle time
	FalseRate   float64       `json:"false_positives_per_minute"`
	AUC         float64       `json:"auc,omitempty"` // area under the ROC curve of the windows in trials; 0: undefined
	Windows     int           `json:"windows"`
	Rejected    int           `json:"rejected_windows"` // windows whose decision was rejected or an outlier
	Confusion   [][]int       `json:"confusion"`        // one row per class; the last column is no decision
	Curve       []ReplayPoint `json:"curve"`
	Outcomes    []Outcome     `json:"outcomes"`
}

// ReplayPoint is the accuracy of the windows that end at a given time after the start of a trial.
type ReplayPoint struct {
	Seconds  float64           `json:"seconds"`
	N        int               `json:"n"`        // number of windows that end at this time, over all trials
	Accuracy float64           `json:"accuracy"` // accuracy of these windows alone
	Interval evaluate.Interval `json:"interval"` // Wilson's 95 % interval
	Decided  float64           `json:"decided"`  // fraction of trials decided by this time
}

// Outcome is the result of one trial.
type Outcome struct {
	Replay      int     `json:"recording"`
	Class       int     `json:"class"`
	Decision    int     `json:"decision"` // -1 means no decision
	Seconds     float64 `json:"seconds"`  // time to the decision, or to the end of the trial
	Probability float64 `json:"probability"`
}

// ScoreReplays compares decisions with trials as a user would experience them. The time to a decision counts from the
// start of the trial, although the first window of the trial ends one window length later. The idle time between trials
// begins one window length after the end of a trial, because earlier windows contain samples of the trial. Any decision
// in idle time, except for the idle class, is a false positive; a series of equal decisions counts once. It returns an
// error if there are no trials.
func ScoreReplays(replays []*Replay, classes int, opt ReplayOptions) (*ReplayScore, error) {
	s := &ReplayScore{Confusion: make([][]int, classes)}
	for c := range s.Confusion {
		s.Confusion[c] = make([]int, classes+1)
	}
	for k, r := range replays {
		for _, t := range r.Trials {
			s.add(k, r, t, opt)
		}
		s.between(r, classes, opt)
		s.Windows += len(r.Refused)
		for _, refused := range r.Refused {
			if refused {
				s.Rejected++
			}
		}
	}
	if s.Trials == 0 {
		return nil, fmt.Errorf("no trial can be scored; replay recordings with trials of the classes")
	}
	s.finish(classes)
	s.curve(replays, opt.Step)
	return s, s.area(replays, classes)
}

func (s *ReplayScore) add(replay int, r *Replay, t ReplayTrial, opt ReplayOptions) {
	c := r.course(t)
	o := Outcome{Replay: replay, Class: t.Class, Decision: -1, Seconds: t.Stop - t.Start}
	switch {
	case opt.Stopping != nil:
		o.Decision, o.Seconds, o.Probability = opt.Stopping.Decide(c)
		o.Seconds = min(o.Seconds, t.Stop-t.Start)
	case len(c.Seconds) > 0:
		o.Decision, o.Seconds = floats.MaxIdx(c.LogPosterior[0]), c.Seconds[0]
		o.Probability = math.Exp(c.LogPosterior[0][o.Decision])
	}
	s.Trials++
	s.Outcomes = append(s.Outcomes, o)
	at := o.Decision
	switch {
	case at < 0:
		s.Undecided++
		at = len(s.Confusion)
	case at == t.Class:
		s.Right++
	default:
		s.Wrong++
	}
	s.Confusion[t.Class][at]++
}

// between counts the decisions outside trials.
func (s *ReplayScore) between(r *Replay, classes int, opt ReplayOptions) {
	trials := slices.Clone(r.Trials)
	slices.SortFunc(trials, func(a, b ReplayTrial) int { return cmp.Compare(a.Start, b.Start) })
	from := 0.0
	for _, t := range append(trials, ReplayTrial{Start: r.Length, Stop: r.Length}) {
		if t.Start > from {
			s.IdleMinutes += (t.Start - from) / 60
			s.False += r.activations(from, t.Start, classes, opt)
		}
		from = max(from, t.Stop+r.Window)
	}
}

// activations counts the decisions for a command on windows that end between two times.
func (r *Replay) activations(from, to float64, classes int, opt ReplayOptions) (count int) {
	rule := opt.Stopping
	if rule == nil {
		rule = &Rule{Weight: 1, Threshold: 1e-300, Longest: math.Inf(1)}
	}
	e := NewEvidence(rule, classes)
	began, before := from, -1
	for k, at := range r.Seconds {
		if at <= from || at >= to {
			continue
		}
		if r.Refused[k] {
			before = -1
			continue
		}
		label, _ := e.Add(r.LogPosterior[k])
		if label < 0 && at-began < rule.Longest {
			continue
		}
		if label < 0 {
			label, _ = e.End()
		}
		e.Restart()
		began = at
		if label >= 0 && label != opt.Idle && label != before {
			count++
		}
		before = label
	}
	return count
}

func (s *ReplayScore) finish(classes int) {
	seconds := make([]float64, s.Trials)
	for i, o := range s.Outcomes {
		seconds[i] = o.Seconds
		s.Seconds += o.Seconds / float64(s.Trials)
	}
	s.Median = vec.Median(seconds)
	s.Accuracy = float64(s.Right) / float64(s.Trials)
	present := 0
	for c, row := range s.Confusion {
		n := vec.Total(row)
		if n > 0 {
			present++
			s.Balanced += float64(row[c]) / float64(n)
		}
	}
	s.Balanced /= float64(present)
	if s.Seconds > 0 {
		s.WolpawRate = scoring.WolpawBits(s.Accuracy, classes) * 60 / s.Seconds
		square := append(slices.Clone(s.Confusion), make([]int, classes+1))
		s.Information = scoring.ConfusionBits(square) * 60 / s.Seconds
	}
	if s.IdleMinutes > 0 {
		s.FalseRate = float64(s.False) / s.IdleMinutes
	}
}

// area computes the area under the ROC curve from all windows in trials.
func (s *ReplayScore) area(replays []*Replay, classes int) error {
	m, err := scoring.NewMeasurer(classes, scoring.MeasureOptions{})
	if err != nil {
		return err
	}
	for _, c := range Courses(replays) {
		for _, logp := range c.LogPosterior {
			if err := m.Add([]int{c.Class}, mat.NewDense(1, classes, logp), nil); err != nil {
				return err
			}
		}
	}
	if area := scoring.Named(m.Measures(), scoring.AUC); area != nil {
		s.AUC = area.Value
	}
	return nil
}

// curve computes the accuracy of windows by their time after the start of the trial.
func (s *ReplayScore) curve(replays []*Replay, step float64) {
	if !(step > 0) {
		return
	}
	var right, n []int
	for _, r := range replays {
		for _, t := range r.Trials {
			for k, at := range r.Seconds {
				if at <= t.Start || at > t.Stop+tick {
					continue
				}
				bin := int((at - t.Start - tick) / step)
				for len(n) <= bin {
					right, n = append(right, 0), append(n, 0)
				}
				n[bin]++
				if floats.MaxIdx(r.LogPosterior[k]) == t.Class {
					right[bin]++
				}
			}
		}
	}
	for bin := range n {
		p := ReplayPoint{Seconds: math.Round(float64(bin+1)*step*1e6) / 1e6, N: n[bin]}
		decided := indices.Count(s.Outcomes, func(o Outcome) bool {
			return o.Decision >= 0 && o.Seconds <= p.Seconds+tick
		})
		p.Decided = float64(decided) / float64(s.Trials)
		if n[bin] == 0 {
			continue
		}
		p.Accuracy = float64(right[bin]) / float64(n[bin])
		p.Interval, _ = evaluate.WilsonInterval(right[bin], n[bin], 0.95)
		s.Curve = append(s.Curve, p)
	}
}
