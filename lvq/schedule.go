package lvq

import "math"

// schedule computes the learning rate α and σ² of each epoch.
type schedule struct {
	epochs   int
	rate     Schedule
	anneal   Annealing
	alpha0   float64
	sigma0   float64 // initial σ², given or automatic
	alpha    float64
	sigma2   float64
	beta     float64 // factor of the published and the fixed annealing
	lastCost float64
}

func newSchedule(o *resolved, sigma2 float64) *schedule {
	s := &schedule{epochs: o.Epochs, rate: o.Schedule, anneal: o.Anneal, alpha0: o.Rate, sigma0: sigma2,
		alpha: o.Rate, sigma2: sigma2, beta: 0.99, lastCost: math.Inf(1)}
	if s.anneal == annealingMonotone {
		s.sigma2 = 2 * sigma2
	}
	return s
}

// smallestSigma2 is the lower limit of the published annealing, as in the authors' code.
const smallestSigma2 = 0.01

// begin sets the values of epoch t, counted from 1.
func (s *schedule) begin(t int) {
	if s.rate == schedulePublished {
		// Tang et al. 2021, section 6: α(t) = α(0) 0.01^(t/T)
		s.alpha = s.alpha0 * math.Pow(0.01, float64(t)/float64(s.epochs))
	}
	switch s.anneal {
	case annealingPublished, annealingFixed:
		if s.sigma2 >= math.Max(s.sigma0-0.4, smallestSigma2) {
			if s.anneal == annealingPublished {
				s.beta = math.Pow(s.beta, 1.1)
			}
			s.sigma2 = math.Max(s.sigma2*s.beta, smallestSigma2)
		}
	case annealingMonotone:
		s.sigma2 = 2 * s.sigma0 * math.Pow(0.25, float64(t-1)/float64(max(1, s.epochs-1)))
	}
}

// learn makes one gradient step on log σ², within a factor of 16 of the start.
func (s *schedule) learn(slope float64) {
	if s.anneal != annealingLearned {
		return
	}
	step := math.Max(-0.1, math.Min(0.1, 0.01*s.alpha/s.alpha0*slope))
	v := math.Log(s.sigma2/s.sigma0) - step
	s.sigma2 = s.sigma0 * math.Exp(math.Max(-math.Log(16), math.Min(math.Log(16), v)))
}

// end updates the rate from the mean cost of an epoch.
func (s *schedule) end(cost float64) {
	if s.rate == scheduleAdaptive {
		if cost > s.lastCost {
			s.alpha /= 2
		} else {
			s.alpha = math.Min(s.alpha*1.05, 4*s.alpha0)
		}
	}
	s.lastCost = cost
}
