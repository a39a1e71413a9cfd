package stopping

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"rao/internal/linalg/vec"

	"gonum.org/v1/gonum/floats"
)

// Speller finds the symbol that a person attends to from flashes of groups of symbols: rows and columns of a matrix, or
// single symbols. The decoder assigns each flash a probability p that it was a target. With π, the fraction of targets
// among the training flashes, the evidence for every symbol in the group increases by
//
//	log(p/(1−p)) − log(π/(1−π))
//
// which is log P(x|target)/P(x|other). All symbols are equally probable at first; there is no language model.
type Speller struct {
	symbols   []string
	groups    map[string][]int
	prior     float64 // log-odds
	threshold float64
	most      int
	logp      []float64
	posterior []float64
	flashes   int
}

// SpellerOptions are the options of [NewSpeller].
type SpellerOptions struct {
	Prior     float64 // fraction of targets in the training data; 0: the mean fraction of symbols in a group
	Threshold float64 // posterior at which a symbol is chosen; 0: 0.95
	Most      int     // number of flashes after which the most probable symbol is chosen; 0: no limit
}

// NewSpeller returns a speller. groups maps the name of each event to the symbols that flash at the event. It returns
// an error for fewer than two symbols, for symbols that always flash together, and for options out of range.
func NewSpeller(groups map[string][]string, opt SpellerOptions) (*Speller, error) {
	s := &Speller{groups: map[string][]int{}, threshold: opt.Threshold, most: opt.Most}
	share := 0.0
	for _, event := range slices.Sorted(maps.Keys(groups)) {
		for _, symbol := range groups[event] {
			k := slices.Index(s.symbols, symbol)
			if k < 0 {
				k = len(s.symbols)
				s.symbols = append(s.symbols, symbol)
			}
			if slices.Contains(s.groups[event], k) {
				return nil, fmt.Errorf("group %s has the symbol %q twice; list each symbol once", event, symbol)
			}
			s.groups[event] = append(s.groups[event], k)
		}
		share += float64(len(groups[event]))
	}
	slices.Sort(s.symbols)
	for event := range groups { // assign the indexes after sorting
		s.groups[event] = nil
		for _, symbol := range groups[event] {
			s.groups[event] = append(s.groups[event], slices.Index(s.symbols, symbol))
		}
	}
	if len(s.symbols) < 2 {
		return nil, fmt.Errorf("a speller needs at least two symbols, not %d", len(s.symbols))
	}
	if err := s.distinct(); err != nil {
		return nil, err
	}
	prior := cmp.Or(opt.Prior, share/float64(len(groups)*len(s.symbols)))
	if s.threshold == 0 {
		s.threshold = 0.95
	}
	if !(prior > 0 && prior < 1) || !(s.threshold > 0 && s.threshold < 1) || s.most < 0 {
		return nil, fmt.Errorf("the share of targets is %g, the threshold %g and the largest number of flashes %d; "+
			"the first two must be above 0 and below 1, and the last 0 or more", prior, s.threshold, s.most)
	}
	s.prior = math.Log(prior / (1 - prior))
	s.logp, s.posterior = make([]float64, len(s.symbols)), make([]float64, len(s.symbols))
	s.Restart()
	return s, nil
}

// distinct returns an error if two symbols always flash together.
func (s *Speller) distinct() error {
	seen := map[string]string{}
	for k, symbol := range s.symbols {
		in := ""
		for _, event := range slices.Sorted(maps.Keys(s.groups)) {
			if slices.Contains(s.groups[event], k) {
				in += event + "\x00"
			}
		}
		if other, ok := seen[in]; ok {
			return fmt.Errorf("symbols %q and %q always flash together, so no flash distinguishes them; give each "+
				"symbol its own set of flashes", other, symbol)
		}
		seen[in] = symbol
	}
	return nil
}

// Symbols returns the symbols in alphabetical order.
func (s *Speller) Symbols() []string { return s.symbols }

// Posterior returns the probability of each symbol, in the order of [Speller.Symbols]. It is valid until the next
// flash.
func (s *Speller) Posterior() []float64 { return s.posterior }

// Flashes returns the number of flashes since the last symbol.
func (s *Speller) Flashes() int { return s.flashes }

// Restart discards all flashes. Call it before each new symbol.
func (s *Speller) Restart() {
	s.flashes = 0
	clear(s.logp)
	for k := range s.posterior {
		s.posterior[k] = 1 / float64(len(s.posterior))
	}
}

// Flash adds the evidence of one flash: the probability that the event was a flash of the attended symbol. It returns
// the most probable symbol, the probability of that symbol, and whether it is chosen. If it is chosen, call
// [Speller.Restart]. An event without a group changes nothing.
func (s *Speller) Flash(event string, probability float64) (symbol string, posterior float64, chosen bool) {
	if members, ok := s.groups[event]; ok && !math.IsNaN(probability) {
		p := min(max(probability, 1e-6), 1-1e-6) // a single flash never excludes a symbol
		for _, k := range members {
			s.logp[k] += math.Log(p/(1-p)) - s.prior
		}
		s.flashes++
		vec.Softmax(s.posterior, s.logp)
	}
	best := floats.MaxIdx(s.posterior)
	return s.symbols[best], s.posterior[best], s.flashes > 0 && (s.posterior[best] >= s.threshold || s.most > 0 &&
		s.flashes >= s.most)
}
