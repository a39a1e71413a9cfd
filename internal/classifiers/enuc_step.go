package classifiers

import (
	"fmt"
	"math"
	"slices"

	"rao/internal/linalg/dense"
	"rao/internal/linalg/vec"
	"rao/internal/par"

	"gonum.org/v1/gonum/floats"
)

// step makes one step of every fit. It shortens a step until the loss at its end is below the parabola that the step
// minimizes.
func (s *nuclearSolver) step() error {
	m := s.fits * s.classes
	s.residuals()
	dense.Gemm(false, false, s.dim, m, s.rows, 1, s.zt, s.rows, s.residual, m, 0, s.gradient, m)
	clear(s.sums)
	for i := range s.rows {
		vec.Axpy(s.sums, 1, s.residual[i*m:(i+1)*m])
	}
	for {
		if err := s.propose(); err != nil {
			return err
		}
		s.compare()
		short := true
		for j := range s.fits {
			if s.rate[j] > s.safe[j] && !s.below(j) {
				s.rate[j], short = max(s.safe[j], s.rate[j]*caution), false
			}
		}
		if short {
			break
		}
	}
	s.loss = s.lossAhead() + s.slope() + s.bend[0]
	par.For(s.fits, 1, func(_, j, _ int) { s.advance(j) })
	s.now, s.next = s.next, s.now
	return nil
}

// below reports whether the smooth part of the objective of fit j at W⁺ is at most the parabola of its step. The ridge
// penalty is also a parabola, so it is compared with its own part of the parabola.
func (s *nuclearSolver) below(j int) bool {
	lo, hi := j*s.classes, (j+1)*s.classes
	square := vec.SquaredDistance(s.ahead.w[lo*s.dim:hi*s.dim], s.next.w[lo*s.dim:hi*s.dim]) +
		vec.SquaredDistance(s.ahead.b[lo:hi], s.next.b[lo:hi])
	return s.bend[j] <= square/2*(1/s.rate[j]-s.ridge)+1e-12
}

// lossAhead returns the mean loss of fit 0 at V. slope is the increase of its tangent from V to W⁺.
func (s *nuclearSolver) lossAhead() float64 {
	sum := vec.Total(s.losses)
	return sum
}

func (s *nuclearSolver) slope() float64 {
	m, sum := s.fits*s.classes, 0.0
	for k := range s.classes {
		to, from := s.next.w[k*s.dim:(k+1)*s.dim], s.ahead.w[k*s.dim:]
		for i, v := range to {
			sum += s.gradient[i*m+k] * (v - from[i])
		}
		sum += s.sums[k] * (s.next.b[k] - s.ahead.b[k])
	}
	return sum
}

// compare writes the difference between the mean loss of each fit at W⁺ and the tangent of that loss at V,
//
//	Σ_i weight_i (log Σ_k p_k exp(d_k) − Σ_k p_k d_k),
//
// where d is the change of a row's scores in the step.
func (s *nuclearSolver) compare() {
	m := s.fits * s.classes
	shift := make([]float64, m)
	for k, b := range s.next.b {
		shift[k] = b - s.ahead.b[k]
	}
	par.For(s.rows, trialGrain, func(_, lo, hi int) {
		d, e := s.changes[lo*m:hi*m], s.grown[lo*m:hi*m]
		for i := 0; i < len(d); i += m {
			to, from := s.next.scores[lo*m+i:], s.ahead.scores[lo*m+i:]
			for k, v := range shift {
				d[i+k] = to[k] - from[k] + v
			}
		}
		copy(e, d)
		vec.Exp(e, -700)
		for j := range s.fits {
			s.bends[lo/trialGrain*s.fits+j] = s.share[j] * s.excess(j, lo, hi)
		}
	})
	clear(s.bend)
	for at := 0; at < len(s.bends); at += s.fits {
		vec.Axpy(s.bend, 1, s.bends[at:at+s.fits])
	}
}

// excess returns the sum that compare computes, without weights, over the rows lo to hi-1 that are in the training set
// of fit j. To save logarithms, it multiplies values first, as long as the product stays in range.
func (s *nuclearSolver) excess(j, lo, hi int) float64 {
	m, c := s.fits*s.classes, s.classes
	total, product := 0.0, 1.0
	for i := lo; i < hi; i++ {
		if s.weight[j][i] == 0 {
			continue
		}
		at := i*m + j*c
		p, d, e, sum := s.chances[at:at+c], s.changes[at:at+c], s.grown[at:at+c], 0.0
		for k, v := range p {
			sum += v * e[k]
			total -= v * d[k]
		}
		product *= sum
		if !(product > 1e-100 && product < 1e100) {
			total += math.Log(product)
			product = 1
		}
	}
	return total + math.Log(product)
}

// propose computes the end W⁺ of a step from V, with its scores.
func (s *nuclearSolver) propose() error {
	m := s.fits * s.classes
	for k := range m {
		rate := s.rate[k/s.classes]
		keep := 1 - rate*s.ridge
		to, from := s.next.w[k*s.dim:(k+1)*s.dim], s.ahead.w[k*s.dim:]
		for i := range to {
			to[i] = keep*from[i] - rate*s.gradient[i*m+k]
		}
		s.next.b[k] = s.ahead.b[k] - rate*s.sums[k]
	}
	if err := s.shrink(); err != nil {
		return err
	}
	dense.Gemm(false, true, s.rows, m, s.dim, 1, s.z, s.dim, s.next.w, s.dim, 0, s.next.scores, m)
	return nil
}

// residuals writes the scores, the probabilities and E of every fit at V, and the losses of fit 0 at V.
func (s *nuclearSolver) residuals() {
	m, c := s.fits*s.classes, s.classes
	wide := s.reach() > 300
	par.For(s.rows, trialGrain, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			x, old := s.now.scores[i*m:(i+1)*m], s.next.scores[i*m:(i+1)*m]
			ahead, p := s.ahead.scores[i*m:(i+1)*m], s.chances[i*m:(i+1)*m]
			for k, beta := range s.beta {
				v := x[k] + beta*(x[k]-old[k])
				ahead[k], p[k] = v, v+s.ahead.b[k]
			}
			if wide {
				for at := 0; at < m; at += c {
					floats.AddConst(-slices.Max(p[at:at+c]), p[at:at+c])
				}
			}
		}
		vec.Exp(s.chances[lo*m:hi*m], -700)
		for i := lo; i < hi; i++ {
			for j := range s.fits {
				row, e := s.chances[i*m+j*c:i*m+(j+1)*c], s.residual[i*m+j*c:i*m+(j+1)*c]
				sum := vec.Total(row)
				weight, inverse := s.weight[j][i], 1/sum
				for k, v := range row {
					row[k] = v * inverse
					e[k] = weight * row[k]
				}
				e[s.labels[i]] -= weight
			}
			s.losses[i] = -s.share[0] * math.Log(max(s.chances[i*m+s.labels[i]], math.SmallestNonzeroFloat64))
		}
	})
}

// reach returns an upper bound of the scores at V. Exponentials of scores beyond 700 overflow.
func (s *nuclearSolver) reach() float64 {
	most := 0.0
	for k, b := range s.ahead.b {
		most = max(most, s.longest*vec.Norm(s.ahead.w[k*s.dim:(k+1)*s.dim])+math.Abs(b))
	}
	return most
}

// shrink applies the prox of the nuclear norms to the next coefficients.
func (s *nuclearSolver) shrink() error {
	m, n := s.fits*s.classes, s.order
	return par.Try(m, proxGrain, func(worker, lo, hi int) error {
		a := s.full[lo*n*n : hi*n*n]
		for k := lo; k < hi; k++ {
			vec.Unpack(a[(k-lo)*n*n:(k-lo+1)*n*n], s.next.w[k*s.dim:(k+1)*s.dim], n)
		}
		err := s.work[worker].Function(a, nil, a, n, hi-lo, func(k int, values []float64) {
			threshold, sum := s.lambda*s.rate[(lo+k)/s.classes], 0.0
			for i, v := range values {
				values[i] = math.Copysign(max(math.Abs(v)-threshold, 0), v)
				sum += math.Abs(values[i])
			}
			s.nuclear[lo+k] = sum
		})
		if err != nil {
			return fmt.Errorf("coefficients of the fit: %w", err)
		}
		for k := lo; k < hi; k++ {
			vec.Pack(s.next.w[k*s.dim:(k+1)*s.dim], a[(k-lo)*n*n:(k-lo+1)*n*n], n)
		}
		return nil
	})
}

// advance sets V of fit j, except its scores, from the last two points: ahead of the new point by the momentum. If the
// step went against the momentum, V is the new point.
func (s *nuclearSolver) advance(j int) {
	c := s.classes
	lo, hi := j*c*s.dim, (j+1)*c*s.dim
	old, next, v, d := s.now.w[lo:hi], s.next.w[lo:hi], s.ahead.w[lo:hi], s.moves[lo:hi]
	moved := 0.0
	for i, x := range next {
		d[i] = x - old[i]
		if a := math.Abs(d[i]); a > moved {
			moved = a
		}
	}
	s.moved[j] = moved
	beta := 0.0
	if vec.Dot(v, d) > vec.Dot(next, d) {
		s.momentum[j] = 1
	} else {
		t := (1 + math.Sqrt(1+4*s.momentum[j]*s.momentum[j])) / 2
		q := math.Sqrt(min(1, s.ridge*s.rate[j]))
		beta = min((s.momentum[j]-1)/t, (1-q)/(1+q))
		s.momentum[j] = t
	}
	copy(v, next)
	vec.Axpy(v, beta, d)
	for k := j * c; k < (j+1)*c; k++ {
		s.beta[k], s.ahead.b[k] = beta, s.next.b[k]+beta*(s.next.b[k]-s.now.b[k])
	}
}
