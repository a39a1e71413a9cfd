package stopping

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"rao/internal/linalg/vec"

	"gonum.org/v1/gonum/floats"

	"rao"
	"rao/internal/format/archive"
	"rao/internal/text"
)

// Rule determines when the evidence in one trial is sufficient for a decision. The log-probabilities of the windows are
// summed,
//
//	s_c = w Σ_t log p_t(c)
//
// and their softmax is the accumulated posterior, which assumes equally frequent classes. A class is chosen as soon as
// its posterior reaches the threshold. The weight w is below 1 if windows overlap, because their decisions are then
// correlated. The JSON names must not change.
type Rule struct {
	Kind      string   `json:"kind"` // always "stopping rule"
	Classes   []string `json:"classes"`
	Weight    float64  `json:"weight"`
	Threshold float64  `json:"threshold"`
	Longest   float64  `json:"longest"` // maximum length of a trial in seconds
	Forced    bool     `json:"forced"`  // at the end, choose the most probable class instead of none

	// The following fields record how the rule was learned.

	Risk    float64 `json:"risk"`    // allowed fraction of wrong decisions
	Met     bool    `json:"met"`     // whether a threshold achieved this risk
	Trials  int     `json:"trials"`  // number of training trials
	Decided int     `json:"decided"` // number of trials with a decision
	Wrong   int     `json:"wrong"`   // number of wrong decisions
	Seconds float64 `json:"seconds"` // mean time to a decision, or to the end of a trial

	Recordings []string `json:"recordings,omitempty"` // digests of the training recordings
}

// RuleKind marks the JSON of a rule.
const RuleKind = "stopping rule"

// Course contains the decisions of a decoder during one trial.
type Course struct {
	Class        int         // true class
	Seconds      []float64   // end of each window in seconds from the start of the trial, ascending
	LogPosterior [][]float64 // log-probabilities for each window
}

// Options are the settings of [Learn].
type Options struct {
	Risk    float64 // allowed fraction of wrong decisions, such as 0.05
	Longest float64 // maximum length of a trial in seconds; 0: the length of the longest course
	Forced  bool
}

// weights are the weights that [Learn] tries.
var weights = []float64{0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}

// Learn learns a rule from trials that were not used to train the model. The weight minimizes the log loss of the
// accumulated posteriors over all times. A threshold is acceptable if its error rate among the decided trials, (wrong +
// 1)/(decided + 2) by Laplace's rule, is at most opt.Risk. Learn chooses the acceptable threshold with the shortest
// mean time. If none is acceptable, it uses the highest posterior that occurred, and Met is false. The cost grows as
// trials times windows times weights. It returns an error for a risk that is not between 0 and 1, a negative maximum
// time, or fewer than two trials with a window.
func Learn(courses []Course, classes []string, opt Options) (*Rule, error) {
	if !(opt.Risk > 0 && opt.Risk < 1) {
		return nil, rao.Optionf("risk", "{risk=%g}: the share of wrong decisions must be above 0 and below 1", opt.Risk)
	}
	if !(opt.Longest >= 0) {
		return nil, rao.Optionf("longest", "{longest=%g}: the longest time must be 0 seconds or more", opt.Longest)
	}
	courses = slices.DeleteFunc(slices.Clone(courses), func(c Course) bool { return len(c.Seconds) == 0 })
	if len(courses) < 2 {
		return nil, fmt.Errorf("a stopping rule needs at least two trials with a decision, but there are only %d; "+
			"give more or longer trials", len(courses))
	}
	s := &Rule{Kind: RuleKind, Classes: classes, Risk: opt.Risk, Longest: opt.Longest, Forced: opt.Forced,
		Trials: len(courses)}
	if s.Longest == 0 {
		for _, c := range courses {
			s.Longest = max(s.Longest, c.Seconds[len(c.Seconds)-1])
		}
	}
	best := math.Inf(1)
	for _, w := range weights {
		if loss := accumulatedLoss(courses, w); loss < best {
			best, s.Weight = loss, w
		}
	}
	s.learnThreshold(courses)
	return s, nil
}

// LearnReplays learns a rule from recordings with [Learn], and stores their digests in the rule.
func LearnReplays(replays []*Replay, classes []string, opt Options) (*Rule, error) {
	s, err := Learn(Courses(replays), classes, opt)
	if err != nil {
		return nil, err
	}
	for _, r := range replays {
		s.Recordings = append(s.Recordings, r.digest())
	}
	return s, nil
}

// LearnedFrom reports whether the rule was learned from the recording. If it was, a score on the recording is too
// optimistic.
func (s *Rule) LearnedFrom(r *Replay) bool { return slices.Contains(s.Recordings, r.digest()) }

// accumulatedLoss returns the mean log loss of the accumulated posteriors over all times. All trials have the same
// weight.
func accumulatedLoss(courses []Course, weight float64) float64 {
	sum := 0.0
	for _, c := range courses {
		e := NewEvidence(&Rule{Weight: weight, Threshold: 1}, len(c.LogPosterior[0]))
		for _, logp := range c.LogPosterior {
			e.Add(logp)
			sum -= math.Log(max(e.Posterior()[c.Class], 1e-12)) / float64(len(c.Seconds))
		}
	}
	return sum / float64(len(courses))
}

// rise is a window at which the highest posterior so far in a trial increases.
type rise struct {
	posterior, seconds float64
	label              int
}

// rises returns the windows of a trial at which the highest posterior increases, and the decision at the end.
func (s *Rule) rises(c Course) (list []rise, end int) {
	e := NewEvidence(s, len(c.LogPosterior[0]))
	highest := 0.0
	for k, logp := range c.LogPosterior {
		if c.Seconds[k] > s.Longest {
			break
		}
		e.Add(logp)
		if best := floats.MaxIdx(e.Posterior()); e.Posterior()[best] > highest {
			highest = e.Posterior()[best]
			list = append(list, rise{highest, c.Seconds[k], best})
		}
	}
	end, _ = e.End()
	return list, end
}

// mostCandidates limits the number of thresholds that are tried.
const mostCandidates = 2000

// learnThreshold tries the highest posteriors that occurred as thresholds.
func (s *Rule) learnThreshold(courses []Course) {
	s.Threshold, s.Seconds = 2, math.Inf(1) // no evidence is sufficient
	trials, ends := make([][]rise, len(courses)), make([]int, len(courses))
	var candidates []float64
	for i, c := range courses {
		trials[i], ends[i] = s.rises(c)
		for _, r := range trials[i] {
			candidates = append(candidates, r.posterior)
		}
	}
	slices.Sort(candidates)
	candidates = slices.Compact(candidates)
	try := func(threshold float64) (decided, wrong int, seconds float64) {
		for i, list := range trials {
			label, at := ends[i], s.Longest
			k, _ := slices.BinarySearchFunc(list, threshold,
				func(r rise, p float64) int { return cmp.Compare(r.posterior, p) })
			if k < len(list) {
				label, at = list[k].label, list[k].seconds
			}
			seconds += at / float64(len(trials))
			if label >= 0 {
				decided++
				if label != courses[i].Class {
					wrong++
				}
			}
		}
		return decided, wrong, seconds
	}
	for k := 0; k < len(candidates); k += 1 + len(candidates)/mostCandidates {
		decided, wrong, seconds := try(candidates[k])
		if float64(wrong+1)/float64(decided+2) <= s.Risk && seconds < s.Seconds {
			s.Threshold, s.Decided, s.Wrong, s.Seconds, s.Met = candidates[k], decided, wrong, seconds, true
		}
	}
	if !s.Met {
		s.Threshold = 1
		if len(candidates) > 0 {
			s.Threshold = candidates[len(candidates)-1]
		}
		s.Decided, s.Wrong, s.Seconds = try(s.Threshold)
	}
}

// Decide applies the rule to a trial. label is the class, or -1 for no decision. seconds is the time from the start of
// the trial to the decision, or Longest if the evidence was never sufficient. probability is the posterior of the most
// probable class at that time.
func (s *Rule) Decide(c Course) (label int, seconds, probability float64) {
	if len(c.LogPosterior) == 0 {
		return -1, s.Longest, 0
	}
	e := NewEvidence(s, len(c.LogPosterior[0]))
	for k, logp := range c.LogPosterior {
		if c.Seconds[k] > s.Longest {
			break
		}
		if label, probability = e.Add(logp); label >= 0 {
			return label, c.Seconds[k], probability
		}
	}
	label, probability = e.End()
	return label, s.Longest, probability
}

// Check returns an error unless the rule is valid and has the given classes.
func (s *Rule) Check(classes []string) error {
	switch {
	case !slices.Equal(s.Classes, classes):
		return fmt.Errorf("the stopping rule is for the classes %s, but the model has %s; learn a rule with this model",
			strings.Join(s.Classes, ", "), strings.Join(classes, ", "))
	case !(s.Weight > 0 && s.Weight <= 1) || !(s.Threshold > 0 && s.Threshold <= 1) || !(s.Longest > 0) ||
		math.IsInf(s.Longest, 0):
		return fmt.Errorf("the stopping rule has weight %g, threshold %g and longest time %g s; weight and threshold "+
			"must be above 0 and at most 1, and the time positive", s.Weight, s.Threshold, s.Longest)
	}
	return nil
}

// Parse parses a rule from JSON. [Rule.Check] checks its values.
func Parse(rule []byte) (*Rule, error) {
	s := new(Rule)
	if err := json.Unmarshal(rule, s); err != nil {
		return nil, fmt.Errorf("this is not a stopping rule (%w); give a file that contains one", text.JSONError(err))
	}
	if s.Kind != RuleKind {
		return nil, fmt.Errorf("this is not a stopping rule, because its kind is %.40q; give a file that contains "+
			"one", s.Kind)
	}
	if err := archive.RefuseUnknown(rule, reflect.TypeFor[Rule](), ""); err != nil {
		return nil, err
	}
	return s, nil
}

// Evidence accumulates the decisions during one trial. It is not safe for concurrent use.
type Evidence struct {
	rule      *Rule
	sum       []float64
	posterior []float64
	windows   int
}

// NewEvidence returns empty evidence for the given number of classes.
func NewEvidence(rule *Rule, classes int) *Evidence {
	e := &Evidence{rule: rule, sum: make([]float64, classes), posterior: make([]float64, classes)}
	e.Restart()
	return e
}

// Restart discards all windows. Call it at the start of a trial.
func (e *Evidence) Restart() {
	e.windows = 0
	clear(e.sum)
	for c := range e.posterior {
		e.posterior[c] = 1 / float64(len(e.posterior))
	}
}

// Windows returns the number of windows added since the last restart.
func (e *Evidence) Windows() int { return e.windows }

// Posterior returns the accumulated posterior. It is valid until the next window. Before the first window, each of the
// c classes has the probability 1/c.
func (e *Evidence) Posterior() []float64 { return e.posterior }

// Add adds the log-probabilities of a window. It returns the chosen class, or -1 if the evidence is not sufficient, and
// the accumulated posterior of the most probable class. It does not allocate memory. It panics with an index error if
// there are fewer log-probabilities than classes.
func (e *Evidence) Add(logPosterior []float64) (label int, probability float64) {
	e.windows++
	for c := range e.sum {
		e.sum[c] += e.rule.Weight * max(logPosterior[c], -50) // a single window cannot exclude a class forever
	}
	vec.Softmax(e.posterior, e.sum)
	best := floats.MaxIdx(e.posterior)
	if e.posterior[best] >= e.rule.Threshold {
		return best, e.posterior[best]
	}
	return -1, e.posterior[best]
}

// End ends a trial. It returns the decision and the posterior of the most probable class. If the rule is forced, the
// decision is the most probable class, otherwise -1.
func (e *Evidence) End() (label int, probability float64) {
	best := floats.MaxIdx(e.posterior)
	if !e.rule.Forced || e.windows == 0 {
		return -1, e.posterior[best]
	}
	return best, e.posterior[best]
}
