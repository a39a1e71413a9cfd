package eig

import "math"

// tridiagonalize reduces the lower triangle of a to tridiagonal form with reflections H = I - u u'/h, one for each row
// from the last to the third:
//
//	Q'AQ = T,  Q = H(n-1) H(n-2) ... H(2).
//
// On return, row i of a contains u left of the diagonal and the diagonal entry of T on it. h[i] is that reflection's
// h, or 0 if there is none, and e[i] couples i-1 and i.
func tridiagonalize(h, e, a []float64, n int) {
	for i := n - 1; i > 1; i-- {
		u := a[i*n : i*n+i]
		last := i - 1
		var sum float64
		for _, v := range u[:last] {
			sum += v * v
		}
		alpha := u[last]
		if sum < negligible {
			e[i], h[i] = alpha, 0
			continue
		}
		sum += alpha * alpha
		g := -math.Copysign(math.Sqrt(sum), alpha)
		hi := sum - alpha*g
		u[last] = alpha - g
		h[i] = hi
		reflectBoth(e[:i], u, a, n, hi)
		e[i] = g
	}
	if n > 1 {
		e[1], h[1] = a[n], 0
	}
	e[0], h[0] = 0, 0
}

// reflectBoth replaces the leading block A of a by HAH, in the lower triangle only. The order of A is the length of u;
// p is scratch memory of the same length.
func reflectBoth(p, u, a []float64, n int, h float64) {
	for j, uj := range u {
		row := a[j*n : j*n+j]
		before, partial := u[:j], p[:j]
		var dot float64
		for k, v := range row {
			dot += v * before[k]
			partial[k] += v * uj
		}
		p[j] = dot + a[j*n+j]*uj
	}
	var up float64
	for j := range p {
		p[j] /= h
		up += p[j] * u[j]
	}
	half := up / (h + h)
	for j := range p {
		p[j] -= half * u[j]
	}
	for j, uj := range u {
		pj := p[j]
		row := a[j*n : j*n+j+1]
		us, ps := u[:j+1], p[:j+1]
		for k := range row {
			row[k] -= uj*ps[k] + pj*us[k]
		}
	}
}

// accumulate replaces the reflections that tridiagonalize left in a by Q', and h by the diagonal of T. It stores Q
// transposed because the rotations of the QL iteration then combine rows.
func accumulate(h, a []float64, n int) {
	for i := range n {
		u := a[i*n : i*n+i]
		if h[i] != 0 {
			for r := range i {
				row := a[r*n : r*n+i]
				var dot float64
				for k, v := range row {
					dot += v * u[k]
				}
				dot /= h[i]
				for k := range row {
					row[k] -= dot * u[k]
				}
			}
		}
		h[i] = a[i*n+i]
		a[i*n+i] = 1
		for k := range u {
			u[k], a[k*n+i] = 0, 0
		}
	}
}
