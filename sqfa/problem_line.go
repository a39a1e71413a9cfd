package sqfa

import (
	"math"

	"rao/internal/linalg/vec"
)

// Along implements optim.Problem.
func (q *problem) Along(t float64) (value, slope float64) {
	q.t = t
	if !q.curve.At(t) {
		return math.NaN(), math.NaN()
	}
	for i, a := range q.a {
		q.mid[i] = a + t*(q.bm[i]+t*q.cm[i])
	}
	if q.triangular() {
		q.border()
		q.trial(t)
	} else {
		q.scaledTrial(t)
	}
	q.addNoise(q.s, q.noise)
	v, err := q.obj.value(q.mu, q.s)
	if q.err = err; err != nil {
		return math.NaN(), math.NaN()
	}
	q.obj.gradient(q.gm, q.gs)
	if q.triangular() {
		return -v, -q.slope(t)
	}
	return -v, -q.scaledSlope(t)
}

// triangular reports whether N is triangular. Otherwise it is diagonal, and products with it scale rows and columns.
func (q *problem) triangular() bool { return q.constraint == constraintOrthogonal }

// border writes N and its derivative, bordered by the identity for the fixed columns.
func (q *problem) border() {
	clear(q.full)
	clear(q.dfull)
	for j := range q.fixed {
		q.full[j*q.m+j] = 1
	}
	for r := range q.k {
		at := (q.fixed+r)*q.m + q.fixed
		copy(q.full[at:at+q.k], q.curve.N[r*q.k:(r+1)*q.k])
		copy(q.dfull[at:at+q.k], q.curve.DN[r*q.k:(r+1)*q.k])
	}
}

// trial writes S_i(t) without the noise, and μ_i(t).
func (q *problem) trial(t float64) {
	m, mm := q.m, q.m*q.m
	for i := range q.c {
		s := q.s[i*mm : (i+1)*mm]
		multiply(q.tmp, q.mid[i*mm:(i+1)*mm], q.full, m)
		multiplyLeftT(s, q.full, q.tmp, m)
		vec.Symmetrize(s, m)
		mu := q.mu[i*m : (i+1)*m]
		for j := range mu {
			var v float64
			for h := range m {
				v += (q.mu0[i*m+h] + t*q.mu1[i*m+h]) * q.full[h*m+j]
			}
			mu[j] = v
		}
	}
}

// slope returns the derivative of the objective with respect to t at the last trial point, Σ_i <∂S_i, dS_i/dt> +
// <∂μ_i, dμ_i/dt>, where for M = A + tB + t²C,
//
//	dS/dt = N'(B + 2tC)N + N'M N' + its transpose.
func (q *problem) slope(t float64) float64 {
	m, mm := q.m, q.m*q.m
	var sum float64
	for i := range q.c {
		multiply(q.tmp, q.mid[i*mm:(i+1)*mm], q.dfull, m) // M N'
		b, c := q.bm[i*mm:(i+1)*mm], q.cm[i*mm:(i+1)*mm]
		for j := range q.half {
			q.half[j] = (b[j] + 2*t*c[j]) / 2
		}
		multiply(q.tmp2, q.half, q.full, m)
		for j := range q.tmp {
			q.tmp[j] += q.tmp2[j]
		}
		multiplyLeftT(q.half, q.full, q.tmp, m)
		sum += 2 * vec.Dot(q.gs[i*mm:(i+1)*mm], q.half)
		for j, g := range q.gm[i*m : (i+1)*m] {
			var v float64
			for h := range m {
				v += q.mu1[i*m+h]*q.full[h*m+j] + (q.mu0[i*m+h]+t*q.mu1[i*m+h])*q.dfull[h*m+j]
			}
			sum += g * v
		}
	}
	return sum
}

// diagonals returns the diagonals of N and of its derivative, with the identity for the fixed columns.
func (q *problem) diagonals() (n, dn []float64) {
	n, dn = q.tmp[:q.m], q.tmp2[:q.m]
	for j := range q.fixed {
		n[j], dn[j] = 1, 0
	}
	for j := range q.k {
		n[q.fixed+j], dn[q.fixed+j] = q.curve.N[j*q.k+j], q.curve.DN[j*q.k+j]
	}
	return n, dn
}

// scaledTrial replaces trial for a diagonal N.
func (q *problem) scaledTrial(t float64) {
	n, _ := q.diagonals()
	m := q.m
	for lo := 0; lo < len(q.mid); lo += m { // row r of every class in turn
		row, out, scale := q.mid[lo:lo+m], q.s[lo:lo+m], n[lo/m%m]
		for j, v := range row {
			out[j] = v * (scale * n[j]) // symmetric to the last bit
		}
	}
	for j := range q.mu {
		q.mu[j] = (q.mu0[j] + t*q.mu1[j]) * n[j%m]
	}
}

// scaledSlope replaces slope for a diagonal N, where
//
//	<∂S, dS/dt> = Σ_a n_a Σ_b ∂S_ab (B + 2tC)_ab n_b + 2 Σ_a n'_a Σ_b ∂S_ab M_ab n_b.
func (q *problem) scaledSlope(t float64) float64 {
	n, dn := q.diagonals()
	m := q.m
	var sum float64
	for lo := 0; lo < len(q.mid); lo += m {
		g, mid, b, c := q.gs[lo:lo+m], q.mid[lo:lo+m], q.bm[lo:lo+m], q.cm[lo:lo+m]
		var change, level float64
		for j, v := range g {
			v *= n[j]
			change += v * (b[j] + 2*t*c[j])
			level += v * mid[j]
		}
		r := lo / m % m
		sum += n[r]*change + 2*dn[r]*level
	}
	for j, g := range q.gm {
		sum += g * (q.mu1[j]*n[j%m] + (q.mu0[j]+t*q.mu1[j])*dn[j%m])
	}
	return sum
}
