package live

import (
	"math"
	"rao/internal/eeg/stopping"
	"rao/internal/text"
)

type gathering struct {
	evidence *stopping.Evidence
	classes  int
	began    int64 // first sample of the current trial
	logp     []float64
}

// gather prepares to accumulate evidence, if the session has a stopping rule.
func (s *Session) gather() error {
	if s.Stopping == nil {
		return nil
	}
	if err := s.Stopping.Check(s.Model.Classes); err != nil {
		return err
	}
	n := len(s.Model.Classes)
	s.gathered = &gathering{evidence: stopping.NewEvidence(s.Stopping, n), classes: n, logp: make([]float64, n)}
	return nil
}

// restart marks a break at a sample. Filters, window and evidence restart.
func (s *Session) restart(at int64) {
	s.decoder.Restart(0)
	s.mender.restart()
	s.search.restart()
	s.begin(at)
}

// begin starts a trial at a sample and discards the earlier evidence.
func (s *Session) begin(at int64) {
	if g := s.gathered; g != nil {
		g.evidence.Restart()
		g.began = at
	}
}

// weigh adds a decision to the accumulated evidence and returns the decision that all evidence implies. ok is false if
// the evidence is not sufficient yet. If the trial ends before the evidence is sufficient, it returns the most probable
// class, which is rejected unless the rule is forced. Rejected windows and windows that include samples before the
// trial do not count. Without a stopping rule, it returns every decision unchanged.
func (s *Session) weigh(d Decision) (decision Decision, ok bool) {
	g := s.gathered
	if g == nil {
		s.Feedback.show(s.Model.Classes, d.Decision, 1)
		return d, true
	}
	rate := s.Options.Rate
	if float64(d.At-g.began)/rate < s.decoder.Seconds()-1e-7 {
		return d, false
	}
	label := -1
	if !d.Rejected && !d.Outlier {
		label, _ = g.evidence.Add(d.LogPosterior)
	}
	if label < 0 && float64(d.At-g.began)/rate < s.Stopping.Longest-1e-7 {
		s.Feedback.Show(s.Model.Classes, g.evidence.Posterior(), text.Plural(g.evidence.Windows(), "window",
			"windows"), false, -1)
		return d, false
	}
	if label < 0 {
		label, _ = g.evidence.End()
	}
	d.Rejected, d.Outlier, d.Artifact = label < 0, false, false
	d.Label, d.Probability = 0, 0
	for c, p := range g.evidence.Posterior() {
		g.logp[c] = math.Log(p)
		if p > d.Probability {
			d.Label, d.Probability = c, p
		}
	}
	d.LogPosterior = g.logp
	s.Feedback.show(s.Model.Classes, d.Decision, g.evidence.Windows())
	s.begin(d.At)
	return d, true
}
