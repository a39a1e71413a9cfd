package scoring

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rao/internal/indices"
)

// Scorer accumulates scores and the risk curve over blocks of observations. Its memory stops growing after a million
// observations. The scores have the same bits as the result of evaluate.Score for the same observations in the same
// order.
type Scorer struct {
	n         int
	loss      float64
	gap       [CalibrationBins]float64        // sum of correct decisions minus sum of confidences
	bins      [CalibrationBins]ReliabilityBin // sums
	confusion [][]int
	weight    float64     // sum of the weights of all observations
	weighted  [][]float64 // weighted confusion matrix; nil if all weights are 1
	risk      riskSum
}

// NewScorer returns a scorer for c classes.
func NewScorer(c int) *Scorer {
	s := &Scorer{confusion: make([][]int, c)}
	for i := range s.confusion {
		s.confusion[i] = make([]int, c)
	}
	return s
}

// Add adds observations: their true labels (0..c-1) and the N×c log-probabilities. If a label is not a column or a row
// contains a NaN, it returns an error and adds nothing; errors count rows from 0 over all calls. It panics with
// mat.ErrShape if the numbers of rows or classes differ. Weights must be finite and not negative; nil means that all
// are 1. Use weights in all calls or in none. Weighted observations have no risk curve.
func (s *Scorer) Add(truth []int, logPosterior *mat.Dense, weights []float64) error {
	n, c := logPosterior.Dims()
	if len(truth) != n || c != len(s.confusion) || weights != nil && len(weights) != n {
		panic(mat.ErrShape)
	}
	for i, l := range truth {
		if err := scorable(s.n+i, l, logPosterior.RawRowView(i)); err != nil {
			return err
		}
	}
	if weights != nil && s.weighted == nil {
		s.weighted = squares(c)
	}
	for i, l := range truth {
		row := logPosterior.RawRowView(i)
		if weights != nil {
			s.add(l, row, weights[i])
			continue
		}
		best := floats.MaxIdx(row)
		s.risk.add(math.Exp(row[best]), best == l)
		s.add(l, row, 1)
	}
	return nil
}

// scorable returns an error if the label or the log-probabilities of a row are not valid.
func scorable(row, label int, logp []float64) error {
	if err := indices.CheckLabel("row", row, label, len(logp)); err != nil {
		return err
	}
	for j, v := range logp {
		if math.IsNaN(v) {
			return fmt.Errorf("row %d: the log-probability of class %d (counted from 0) is NaN", row, j)
		}
	}
	return nil
}

func (s *Scorer) add(truth int, logp []float64, w float64) {
	s.n++
	s.weight += w
	best := floats.MaxIdx(logp)
	s.confusion[truth][best]++
	if s.weighted != nil {
		s.weighted[truth][best] += w
	}
	s.loss -= w * math.Max(logp[truth], minLogProbability)
	p := math.Exp(logp[best])
	b := binOf(p)
	s.bins[b].Count++
	s.bins[b].Confidence += p
	if best == truth {
		s.gap[b] += w
		s.bins[b].Accuracy++
	}
	s.gap[b] -= w * p
}

// Scores returns the scores of all observations so far. They are NaN without observations.
func (s *Scorer) Scores() *Scores {
	gap := 0.0
	for _, g := range s.gap {
		gap += math.Abs(g)
	}
	out := &Scores{N: s.n, LogLoss: s.loss / s.weight, ECE: gap / s.weight, Confusion: s.confusion}
	for _, b := range s.bins {
		if n := float64(b.Count); n > 0 {
			b.Confidence /= n
			b.Accuracy /= n
		}
		out.bins = append(out.bins, b)
	}
	if s.weighted != nil {
		out.Weight, out.Weighted = s.weight, s.weighted
		out.Accuracy, out.Kappa, out.BalancedAccuracy = agreements(s.weighted)
	} else {
		out.Accuracy, out.Kappa, out.BalancedAccuracy = agreements(s.confusion)
	}
	return out
}

// Risk returns the risk-coverage curve; see evaluate.PosteriorRisk. It is exact for up to a million observations. With
// more, observations whose error probabilities agree within 0.03 % are accepted together, and exact is false.
func (s *Scorer) Risk() (curve *RiskCurve, exact bool) { return s.risk.curve() }

// riskSum collects confidences and whether each decision was right.
type riskSum struct {
	confidence []float64
	right      []bool
	bins       []riskBin // bins by the probability of an error; nil up to exactRisk observations
}

type riskBin struct {
	n, wrong int
	lowest   float64 // smallest confidence in the bin
}

// ExactRisk is the number of observations that are stored one by one before they are binned.
const ExactRisk = 1 << 20

// The bin of an observation is the leading bits of 1 - confidence: the exponent and binBits bits of the mantissa.
const (
	binBits = 12
	lastBin = 1023 << binBits // bin of a confidence of 0
	binsLow = (1023 - 54) << binBits
)

func (r *riskSum) add(confidence float64, right bool) {
	if r.bins != nil {
		r.count(confidence, right)
		return
	}
	r.confidence, r.right = append(r.confidence, confidence), append(r.right, right)
	if len(r.right) <= ExactRisk {
		return
	}
	r.bins = make([]riskBin, lastBin-binsLow+1)
	for i, c := range r.confidence {
		r.count(c, r.right[i])
	}
	r.confidence, r.right = nil, nil
}

func (r *riskSum) count(confidence float64, right bool) {
	at := int(math.Float64bits(1-confidence)>>(52-binBits)) - binsLow
	b := &r.bins[min(max(at, 0), len(r.bins)-1)]
	if b.n == 0 || confidence < b.lowest {
		b.lowest = confidence
	}
	b.n++
	if !right {
		b.wrong++
	}
}

func (r *riskSum) curve() (curve *RiskCurve, exact bool) {
	if r.bins == nil {
		return RiskCoverage(r.confidence, r.right), true
	}
	total := 0
	for _, b := range r.bins {
		total += b.n
	}
	curve = &RiskCurve{}
	n, wrong := 0, 0
	for _, b := range r.bins {
		if b.n == 0 {
			continue
		}
		n += b.n
		wrong += b.wrong
		curve.add(n, b.n, wrong, total, b.lowest)
	}
	return curve, false
}
