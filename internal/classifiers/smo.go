package classifiers

import (
	"context"
	"math"
	"slices"
	"sync"

	"rao/internal/linalg/vec"
)

// smo solves the dual problem of the two-class support vector machine: smoWith with p = −1.
func smo(ctx context.Context, k, y []float64, opt MachineOptions) (coef []float64, bias float64, converged bool) {
	p := make([]float64, len(y))
	for i := range p {
		p[i] = -1
	}
	return smoWith(ctx, k, y, p, opt)
}

// smoWith solves
//
//	min ½ α'Qα + p'α,  0 ≤ α ≤ C,  y'α = 0,  Q_ij = y_i y_j K_ij
//
// by sequential minimal optimization with second-order choice of the pair (Fan, Chen and Lin 2005, algorithm 2). It
// returns y∘α and the bias b of the decision Σ y_k α_k K(x_k, x) + b. converged is false if the limit on steps or ctx
// ended the optimization before the violation of the optimality conditions reached the tolerance.
func smoWith(ctx context.Context, k, y, p []float64, opt MachineOptions) (coef []float64, bias float64,
	converged bool) {
	n, c := len(y), opt.C
	alpha, grad := make([]float64, n), slices.Clone(p)
	for step := range opt.MaxIter {
		i, j, gap := smoPair(k, y, alpha, grad, c)
		if gap <= opt.Tol {
			converged = true
			break
		}
		if step%smoListen == smoListen-1 && ctx.Err() != nil {
			break
		}
		smoStep(k, y, alpha, grad, c, i, j)
	}
	bias = smoBias(y, alpha, grad, c)
	for i := range alpha {
		alpha[i] *= y[i]
	}
	return alpha, bias, converged
}

// smoListen is the number of steps between two checks of the context.
const smoListen = 64

// canRise and canFall report whether y∘α may grow or shrink.
func canRise(y, a, c float64) bool { return y > 0 && a < c || y < 0 && a > 0 }
func canFall(y, a, c float64) bool { return y > 0 && a > 0 || y < 0 && a < c }

// smoCurvature replaces smaller curvatures of a pair, to avoid division by zero.
const smoCurvature = 1e-12

// smoPair returns the index i that violates optimality most, the index j for which a step of the pair decreases the
// objective most, and the largest violation of any pair.
func smoPair(k, y, alpha, grad []float64, c float64) (i, j int, gap float64) {
	n := len(y)
	i, j = -1, -1
	top, bottom := math.Inf(-1), math.Inf(1)
	for t := range n {
		if canRise(y[t], alpha[t], c) && -y[t]*grad[t] > top {
			i, top = t, -y[t]*grad[t]
		}
	}
	if i < 0 {
		return 0, 0, 0
	}
	best := 0.0
	for t := range n {
		if !canFall(y[t], alpha[t], c) {
			continue
		}
		v := -y[t] * grad[t]
		bottom = min(bottom, v)
		if b := top - v; b > 0 {
			a := max(k[i*n+i]+k[t*n+t]-2*k[i*n+t], smoCurvature)
			if gain := b * b / a; gain > best {
				j, best = t, gain
			}
		}
	}
	if j < 0 {
		return 0, 0, 0
	}
	return i, j, top - bottom
}

// smoStep minimizes over α_i and α_j.
func smoStep(k, y, alpha, grad []float64, c float64, i, j int) {
	n := len(y)
	a := max(k[i*n+i]+k[j*n+j]-2*k[i*n+j], smoCurvature)
	step := (y[j]*grad[j] - y[i]*grad[i]) / a // step of y_i α_i; y_j α_j decreases by the same amount
	room := func(y, a float64) float64 {      // how far y∘α can increase
		if y > 0 {
			return c - a
		}
		return a
	}
	step = min(step, room(y[i], alpha[i]), room(-y[j], alpha[j]))
	alpha[i] = min(max(alpha[i]+y[i]*step, 0), c)
	alpha[j] = min(max(alpha[j]-y[j]*step, 0), c)
	for t := range n {
		grad[t] += y[t] * step * (k[i*n+t] - k[j*n+t])
	}
}

// smoBias returns the bias: the mean over the free support vectors or, without free support vectors, the middle of the
// remaining interval.
func smoBias(y, alpha, grad []float64, c float64) float64 {
	free, sum := 0, 0.0
	lo, hi := math.Inf(-1), math.Inf(1)
	for t, a := range alpha {
		v := -y[t] * grad[t]
		if a > 0 && a < c {
			free++
			sum += v
			continue
		}
		if canRise(y[t], a, c) {
			lo = max(lo, v)
		} else {
			hi = min(hi, v)
		}
	}
	switch {
	case free > 0:
		return sum / float64(free)
	case math.IsInf(lo, 0):
		return hi
	case math.IsInf(hi, 0):
		return lo
	}
	return (lo + hi) / 2
}

// platt fits p(y=1|f) = 1/(1+exp(a f + b)) to decision values by Newton's method
// with backtracking (Platt 2000; Lin, Lin and Weng 2007), with Platt's targets.
func platt(f, y []float64) (a, b float64) {
	var pos, neg float64
	for _, v := range y {
		if v > 0 {
			pos++
		} else {
			neg++
		}
	}
	target := make([]float64, len(y))
	for i, v := range y {
		target[i] = 1 / (neg + 2)
		if v > 0 {
			target[i] = (pos + 1) / (pos + 2)
		}
	}
	b = math.Log((neg + 1) / (pos + 1))
	loss := func(a, b float64) float64 {
		s := 0.0
		for i, v := range f {
			z := a*v + b
			if z >= 0 { // without the cancellation of target[i]*z + vec.LogAdd(0, -z)
				s += target[i]*z + math.Log1p(math.Exp(-z))
			} else {
				s += (target[i]-1)*z + math.Log1p(math.Exp(z))
			}
		}
		return s
	}
	value := loss(a, b)
	for range 100 {
		h11, h22, h21, g1, g2 := 1e-12, 1e-12, 0.0, 0.0, 0.0
		for i, v := range f {
			p := 1 / (1 + math.Exp(a*v+b))
			q := 1 - p
			h11 += v * v * p * q
			h22 += p * q
			h21 += v * p * q
			g1 += v * (target[i] - p)
			g2 += target[i] - p
		}
		if math.Abs(g1) < 1e-5 && math.Abs(g2) < 1e-5 {
			break
		}
		det := h11*h22 - h21*h21
		da, db := -(h22*g1-h21*g2)/det, -(-h21*g1+h11*g2)/det
		slope := g1*da + g2*db
		step := 1.0
		for ; step >= 1e-10; step /= 2 {
			if v := loss(a+step*da, b+step*db); v < value+1e-4*step*slope {
				a, b, value = a+step*da, b+step*db, v
				break
			}
		}
		if step < 1e-10 {
			break
		}
	}
	return a, b
}

// coupleWork is the scratch memory of couple.
type coupleWork struct {
	r []float64 // c×c: the probability r_ij of class i against class j; the diagonal is not used

	q, qp []float64
}

var coupleWorks = sync.Pool{New: func() any { return new(coupleWork) }}

// couple converts the probabilities of pairs to class probabilities p: the minimizer of Σ_ij (r_ji p_i − r_ij p_j)²
// (Wu, Lin and Weng 2004, algorithm 2).
func (w *coupleWork) couple(p []float64) {
	c := len(p)
	vec.Room(&w.q, c*c)
	vec.Room(&w.qp, c)
	r, q, qp := w.r, w.q, w.qp
	clear(q)
	for t := range c {
		p[t] = 1 / float64(c)
		for j := range c {
			if j != t {
				q[t*c+t] += r[j*c+t] * r[j*c+t]
				q[t*c+j] = -r[j*c+t] * r[t*c+j]
			}
		}
	}
	for range max(100, c) {
		total := 0.0
		for t := range c {
			qp[t] = vec.Dot(q[t*c:(t+1)*c], p)
			total += p[t] * qp[t]
		}
		worst := 0.0
		for t := range c {
			worst = max(worst, math.Abs(qp[t]-total))
		}
		if worst < 0.005/float64(c) {
			break
		}
		for t := range c {
			d := (total - qp[t]) / q[t*c+t]
			p[t] += d
			total = (total + d*(d*q[t*c+t]+2*qp[t])) / (1 + d) / (1 + d)
			for j := range c {
				qp[j] = (qp[j] + d*q[t*c+j]) / (1 + d)
				p[j] /= 1 + d
			}
		}
	}
}
