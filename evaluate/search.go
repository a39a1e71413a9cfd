package evaluate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"

	"rao"
	"rao/internal/faults"
	"rao/internal/par"
	"rao/internal/scoring"
)

// Parameter is one option to search over: either a list of Values, or a range from Low to High.
type Parameter struct {
	Name    string   // name of the option
	Values  []string // values to try, in this order; if set, the range is ignored
	Low     float64  // lower end of the range, included
	High    float64  // upper end of the range, included
	Log     bool     // draw uniformly on a logarithmic scale
	Integer bool     // round to integers
}

// Setting is the name of an option of a method and its value, as text.
type Setting struct {
	Name  string `json:"name"`  // name of the option, such as max-iter
	Value string `json:"value"` // value as text
}

// Candidate is one combination of settings.
type Candidate []Setting

// String returns the settings in the form "name=value name=value".
func (c Candidate) String() string {
	var b []byte
	for i, s := range c {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(append(append(b, s.Name...), '='), s.Value...)
	}
	return string(b)
}

// prefix returns the start of a message about the candidate; it is empty for a candidate without settings.
func (c Candidate) prefix() string {
	if len(c) == 0 {
		return ""
	}
	return c.String() + ", "
}

// Get returns the value of the named option and whether the candidate sets it.
func (c Candidate) Get(name string) (string, bool) {
	for _, s := range c {
		if s.Name == name {
			return s.Value, true
		}
	}
	return "", false
}

// maxCandidates limits the size of a grid, so a typing error cannot use up the memory.
const maxCandidates = 1_000_000

func checkParameters(params []Parameter, ranges bool) error {
	if len(params) == 0 {
		return faults.Option("a search needs at least one parameter")
	}
	seen := map[string]bool{}
	for _, p := range params {
		switch {
		case p.Name == "":
			return faults.Option("a parameter of the search has no name; name it")
		case seen[p.Name]:
			return faults.Option("parameter %q is given twice; leave one out", p.Name)
		case len(p.Values) == 0 && !ranges:
			return rao.Optionf("random", "parameter %q has no list of values; give a list, or draw from its range "+
				"with {random}", p.Name)
		case len(p.Values) == 0 && !(p.Low <= p.High) || math.IsInf(p.High-p.Low, 0):
			return faults.Option("parameter %q: the range from %g to %g is empty or not finite; give two finite "+
				"limits, the lower one first", p.Name, p.Low, p.High)
		case len(p.Values) == 0 && p.Log && p.Low <= 0:
			return faults.Option("parameter %q: a logarithmic range must start above 0, not at %g", p.Name, p.Low)
		}
		seen[p.Name] = true
	}
	return nil
}

// Grid returns every combination of the parameters' values; the last parameter varies fastest. It returns an error if
// there are no parameters, a parameter has no name or no values, a name is repeated, or there are more than a million
// combinations.
func Grid(params []Parameter) ([]Candidate, error) {
	if err := checkParameters(params, false); err != nil {
		return nil, err
	}
	total := 1
	for _, p := range params {
		if total > maxCandidates/len(p.Values) {
			return nil, rao.Optionf("random", "the grid has more than %d combinations; draw some of them with "+
				"{random}", maxCandidates)
		}
		total *= len(p.Values)
	}
	out := make([]Candidate, total)
	for k := range out {
		c := make(Candidate, len(params))
		rest := k
		for i := len(params) - 1; i >= 0; i-- {
			v := params[i].Values
			c[i] = Setting{params[i].Name, v[rest%len(v)]}
			rest /= len(v)
		}
		out[k] = c
	}
	return out, nil
}

// Random draws count candidates. For each candidate it picks a value from each list and a number from each range. The
// same seed gives the same candidates. It returns an error if there are no parameters, a name is empty or repeated, a
// range is empty or infinite, a logarithmic range does not start above 0, or count is outside 1..1000000.
func Random(params []Parameter, count int, seed uint64) ([]Candidate, error) {
	if err := checkParameters(params, true); err != nil {
		return nil, err
	}
	if count < 1 || count > maxCandidates {
		return nil, faults.Option("the number of random candidates is %d; it must be between 1 and %d",
			count, maxCandidates)
	}
	rng := rand.New(rand.NewPCG(seed, 4))
	out := make([]Candidate, count)
	for k := range out {
		c := make(Candidate, len(params))
		for i, p := range params {
			c[i] = Setting{p.Name, p.draw(rng)}
		}
		out[k] = c
	}
	return out, nil
}

func (p *Parameter) draw(rng *rand.Rand) string {
	if len(p.Values) > 0 {
		return p.Values[rng.IntN(len(p.Values))]
	}
	u := rng.Float64()
	v := p.Low + u*(p.High-p.Low)
	if p.Log {
		v = p.Low * math.Exp(u*math.Log(p.High/p.Low))
	}
	if p.Integer {
		return strconv.FormatFloat(math.Round(v), 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// summarize sets the means over the folds, and the standard deviation of the accuracy.
func (t *Trial) summarize() {
	mean, k := &Scores{}, float64(len(t.Folds))
	for _, s := range t.Folds {
		mean.N += s.N
		mean.Accuracy += s.Accuracy / k
		mean.Kappa += s.Kappa / k
		mean.BalancedAccuracy += s.BalancedAccuracy / k
		mean.LogLoss += s.LogLoss / k
		mean.ECE += s.ECE / k
		for len(mean.Confusion) < len(s.Confusion) {
			mean.Confusion = append(mean.Confusion, make([]int, len(s.Confusion)))
		}
		for i, row := range s.Confusion {
			for j, v := range row {
				mean.Confusion[i][j] += v
			}
		}
	}
	if len(t.Folds) > 1 {
		for _, s := range t.Folds {
			d := s.Accuracy - mean.Accuracy
			t.AccuracySD += d * d / (k - 1)
		}
		t.AccuracySD = math.Sqrt(t.AccuracySD)
	}
	t.Mean = mean
}

// SearchOptions are the options of [Search]. The zero value chooses by accuracy.
type SearchOptions struct {
	// Score is the measure that ranks the candidates: accuracy, balanced_accuracy, kappa, auc, average_precision,
	// precision, recall, f1, wolpaw_bits, confusion_bits, wolpaw_bits_per_minute, confusion_bits_per_minute (see
	// [Measure]), log_loss or ece. "" means accuracy.
	Score    string
	First    bool         // the first of two classes is the positive one; see [MeasureOptions]
	Seconds  float64      // time per decision in seconds, for the bits per minute
	Progress rao.Progress // receives an event after every fit
	// Abandon is for programs that exit after an interruption: Search does not wait for a fit that does not end soon
	// after ctx is canceled. The fit continues without effect, and a panic in it ends the program.
	Abandon bool
}

// Trial is the result of one candidate.
type Trial struct {
	Candidate Candidate // the settings
	Folds     []*Scores // scores of each fold; nil if a fold failed
	// Mean contains the means of the scores over the folds, and the sums of the numbers of observations and of the
	// confusion matrices. It is nil if a fold failed.
	Mean       *Scores
	AccuracySD float64 // standard deviation of the accuracy over the folds, divisor k-1
	Err        error   // the first error, in the order of the folds
	Score      float64 // mean of the search criterion over the folds; losses are negated
	// Loss is the mean log loss of all held-out predictions at their best common temperature, or 0 if a fold failed.
	Loss float64
	// Close is true if the loss exceeds the lowest loss by at most one standard error of the paired differences.
	// Choose the simplest of the close candidates.
	Close bool
	// Warning counts the fits of the folds that have warnings and quotes the first one. It is empty if there are none,
	// or if Search was not called by the method Tune of package method.
	Warning string
}

// SearchResult is the result of [Search]: all candidates, in the order in which they were given, and the best one.
type SearchResult struct {
	Trials []Trial
	Best   int // index into Trials
}

// criterion returns the function that Search maximizes: the score of one fold. Five are fields of Scores; the others
// are computed from the predictions.
func criterion(opt SearchOptions) (func(*Scores) float64, error) {
	switch opt.Score {
	case "", "accuracy":
		return func(s *Scores) float64 { return s.Accuracy }, nil
	case "kappa":
		return func(s *Scores) float64 { return s.Kappa }, nil
	case "balanced_accuracy":
		return func(s *Scores) float64 { return s.BalancedAccuracy }, nil
	case "log_loss":
		return func(s *Scores) float64 { return -s.LogLoss }, nil
	case "ece":
		return func(s *Scores) float64 { return -s.ECE }, nil
	}
	if !slices.Contains(scoring.MeasureNames, opt.Score) {
		return nil, &rao.UnknownError{Kind: "score", Name: opt.Score, Known: scoring.SearchScores}
	}
	if k := slices.Index(scoring.MeasureNames, opt.Score); k >= scoring.AtWolpawRate && !(opt.Seconds > 0) {
		return nil, faults.Option("%s needs the time per decision, which is unknown; set it", opt.Score)
	}
	return func(s *Scores) float64 { return measure(s, opt) }, nil
}

// Search cross-validates every candidate on the same folds and picks the candidate with the best mean score, or the
// first one in a tie. Fits run in parallel, and the result does not depend on how many run at a time. A candidate that
// fails in a fold is excluded and its error recorded; if all fail, Search returns the error of the first. A panic in
// fit is raised again in the caller's goroutine. If ctx is canceled, Search returns the error of ctx and the result of
// the candidates that had finished, or nil if no candidate had. It also returns an error if there are no candidates or
// folds, or the score is unknown. fit must be safe for concurrent use.
func Search(ctx context.Context, candidates []Candidate, folds []Fold, opt SearchOptions,
	fit func(ctx context.Context, candidate Candidate, fold Fold) (*Scores, error)) (*SearchResult, error) {
	value, err := criterion(opt)
	if err != nil {
		return nil, err
	}
	if len(candidates) == 0 || len(folds) == 0 {
		return nil, faults.Option("a search needs candidates and folds, but there are %d candidates and %d folds",
			len(candidates),
			len(folds))
	}
	jobs := len(candidates) * len(folds)
	scores, errs := make([]*Scores, jobs), make([]error, jobs)
	values := make([]float64, jobs)
	losses, left := make([][]float64, len(candidates)), make([]int, len(candidates))
	for k := range left {
		left[k] = len(folds)
	}
	var mu sync.Mutex
	done := 0
	par.For(jobs, 1, func(_, i, _ int) {
		if errs[i] = ctx.Err(); errs[i] != nil {
			return
		}
		k := i / len(folds)
		keep, ended := par.Await(ctx, opt.Abandon, func() func() {
			s, err := fit(ctx, candidates[k], folds[i%len(folds)])
			return func() { scores[i], errs[i] = s, err }
		})
		if ended {
			keep()
		}
		if err := ctx.Err(); err != nil {
			errs[i] = err // the fit may have stopped early
		}
		if errs[i] == nil {
			if values[i] = value(scores[i]); math.IsNaN(values[i]) {
				errs[i] = fmt.Errorf("%s is undefined for the held-out observations, which all belong to one class; "+
					"use fewer folds or another score",
					opt.Score)
			}
		}
		mu.Lock()
		done++
		left[k]--
		last := left[k] == 0
		opt.Progress.Send(rao.Event{Stage: "search", Done: done, Total: jobs})
		mu.Unlock()
		if last && ctx.Err() == nil { // all folds of this candidate are finished, so its predictions can be dropped
			losses[k] = pooledLosses(scores[k*len(folds) : (k+1)*len(folds)])
		}
	})
	result := &SearchResult{Trials: make([]Trial, len(candidates)), Best: -1}
	best := math.Inf(-1)
	for k := range candidates {
		t := Trial{Candidate: candidates[k]}
		for f, err := range errs[k*len(folds) : (k+1)*len(folds)] {
			if err != nil {
				t.Err = fmt.Errorf("%sfold %d of %d: %w", t.Candidate.prefix(), f+1, len(folds), err)
				break
			}
		}
		if t.Err == nil {
			t.Folds = slices.Clone(scores[k*len(folds) : (k+1)*len(folds)])
			t.summarize()
			for _, v := range values[k*len(folds) : (k+1)*len(folds)] {
				t.Score += v / float64(len(folds))
			}
			if result.Best < 0 || t.Score > best {
				result.Best, best = k, t.Score
			}
		}
		result.Trials[k] = t
	}
	if err := ctx.Err(); err != nil {
		if result.Best < 0 {
			return nil, err
		}
		return result, err
	}
	if result.Best < 0 {
		return nil, fmt.Errorf("every candidate failed, the first one with: %w", result.Trials[0].Err)
	}
	result.markClose(losses)
	return result, nil
}
