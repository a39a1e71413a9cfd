package stopping

import (
	"math"
	"math/rand/v2"
	"testing"

	"rao/internal/testkit"
)

// rowsAndColumns returns the groups of a matrix of six by six.
func rowsAndColumns() map[string][]string {
	groups := map[string][]string{}
	for k, symbol := range "ABCDEFGHIJKLMNOPQRSTUVWXYZ123456789_" {
		row, column := string(rune('a'+k/6)), string(rune('0'+k%6))
		groups[row], groups[column] = append(groups[row], string(symbol)), append(groups[column], string(symbol))
	}
	return groups
}

// If the log-odds of the responses are known, the share of wrong symbols is at most what the threshold allows, with far
// fewer flashes than the maximum.
func TestSpellerStopsWhenItIsSure(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := testkit.Must(NewSpeller(rowsAndColumns(), SpellerOptions{Threshold: 0.95, Most: 240}))(t)
	const letters, distance = 400, 1.2
	wrong, flashes := 0, 0
	for range letters {
		row, column := rng.IntN(6), rng.IntN(6)
		s.Restart()
		for chosen := false; !chosen; {
			for _, g := range rng.Perm(12) {
				name, target := string(rune('a'+g)), g == row
				if g >= 6 {
					name, target = string(rune('0'+g-6)), g-6 == column
				}
				x := rng.NormFloat64()
				if target {
					x += distance
				}
				logOdds := distance*x - distance*distance/2 + math.Log(1.0/5)
				var symbol string
				if symbol, _, chosen = s.Flash(name, 1/(1+math.Exp(-logOdds))); chosen {
					if symbol != string("ABCDEFGHIJKLMNOPQRSTUVWXYZ123456789_"[6*row+column]) {
						wrong++
					}
					flashes += s.Flashes()
					break
				}
			}
		}
	}
	if rate, mean := float64(wrong)/letters, float64(flashes)/letters; rate > 0.07 || mean > 110 || mean < 30 {
		t.Errorf("%.3f wrong after %.1f flashes", rate, mean)
	}
}

func TestSpellersThatAreRefused(t *testing.T) {
	for want, c := range map[string]struct {
		groups map[string][]string
		opt    SpellerOptions
	}{
		"needs at least two":    {map[string][]string{"a": {"A"}}, SpellerOptions{}},
		"always flash together": {map[string][]string{"a": {"A", "B"}, "c": {"C"}}, SpellerOptions{}},
		"twice":                 {map[string][]string{"a": {"A", "A"}, "c": {"C"}}, SpellerOptions{}},
		"must be above 0":       {map[string][]string{"a": {"A"}, "c": {"C"}}, SpellerOptions{Threshold: 1.5}},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(NewSpeller(c.groups, c.opt)), want)
	}
	s := testkit.Must(NewSpeller(map[string][]string{"a": {"A"}, "b": {"B"}, "c": {"C"}}, SpellerOptions{Most: 2}))(t)
	if _, p, chosen := s.Flash("pause", 0.9); chosen || p != 1.0/3 || s.Flashes() != 0 {
		t.Error("an event without a group counts")
	}
	s.Flash("a", 0.4)
	symbol, _, chosen := s.Flash("b", 0.6)
	if symbol != "B" || !chosen || s.Symbols()[1] != "B" || s.Posterior()[1] < 0.4 {
		t.Errorf("%s, %v, %v", symbol, chosen, s.Posterior())
	}
}
