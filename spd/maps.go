package spd

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
)

var mapMetrics = []Metric{Riemann, LogEuclid, Euclid, Wasserstein, LogChol}

// LogMap writes to dst the logarithmic map of every matrix of x at the reference:
// the tangent at ref, a symmetric matrix, of the geodesic that reaches X at time
// one. dst may be x; an empty dst is resized. With C the reference:
//
//	riemann      C½ log(C⁻½ X C⁻½) C½                 (Pennec, Fillard and Ayache 2006)
//	logeuclid    D exp at log C of (log X − log C)     (Arsigny et al. 2007, equation 3.4)
//	euclid       X − C
//	wasserstein  (XC)½ + (CX)½ − 2C                    (Malagò et al. 2018, proposition 9)
//	logchol      Lin 2019, table 2
//
// Errors name the matrix; it panics with mat.ErrShape if ref has another order.
func LogMap(dst *Stack, metric Metric, x *Stack, ref []float64) error {
	return mapped(dst, metric, x, ref, "logarithmic map", newLogMap)
}

// ExpMap writes to dst the exponential map at ref of every symmetric matrix of v,
// the inverse of [LogMap]. dst may be v. For Euclid and Wasserstein a long
// tangent may lead out of the SPD matrices.
func ExpMap(dst *Stack, metric Metric, v *Stack, ref []float64) error {
	return mapped(dst, metric, v, ref, "exponential map", newExpMap)
}

// pointMap maps matrices lo..hi-1 of x to out.
type pointMap func(s *scratch, out []float64, x *Stack, lo, hi int) error

func mapped(dst *Stack, metric Metric, x *Stack, ref []float64, what string, build func(Metric, *spectrum, []float64) (pointMap, error)) error {
	m, err := metric.among(what, mapMetrics)
	if err != nil {
		return err
	}
	if err := x.verify("matrix"); err != nil {
		return err
	}
	if len(ref) != x.Dim*x.Dim {
		panic(mat.ErrShape)
	}
	sp, err := decompose(ref, x.Dim, "reference", true)
	if err != nil {
		return err
	}
	f, err := build(m, sp, ref)
	if err != nil {
		return err
	}
	dst.fit(x.Count, x.Dim)
	nn := x.Dim * x.Dim
	return batches(x.Count, x.Dim, func(s *scratch, lo, hi int) error {
		out := dst.Data[lo*nn : hi*nn]
		if err := f(s, out, x, lo, hi); err != nil {
			return err
		}
		for k := range hi - lo {
			vec.Symmetrise(out[k*nn:(k+1)*nn], x.Dim)
		}
		return nil
	})
}

func newLogMap(m Metric, sp *spectrum, ref []float64) (pointMap, error) {
	n := sp.n
	switch m {
	case Riemann:
		root, inv := sp.sqrt(), sp.invSqrt()
		return func(s *scratch, out []float64, x *Stack, lo, hi int) error {
			if err := s.whitenedLog(out, inv, x, lo, hi); err != nil {
				return err
			}
			t := s.buf(1, len(out))
			copy(t, out)
			s.w.Congruence(out, root, t, n, hi-lo, true)
			return nil
		}, nil
	case Euclid:
		return shifted(ref, -1), nil
	case LogEuclid:
		logRef := sp.log()
		weights := loewner(sp.vals, func(a, b float64) float64 { return 1 / logMean(a, b) })
		return func(s *scratch, out []float64, x *Stack, lo, hi int) error {
			if err := s.flatten(out, x, lo, hi, LogEuclid, "matrix"); err != nil {
				return err
			}
			subtractEach(out, logRef)
			s.schur(out, sp.vecs, weights, n, hi-lo)
			return nil
		}, nil
	case Wasserstein:
		root, inv := sp.sqrt(), sp.invSqrt()
		return func(s *scratch, out []float64, x *Stack, lo, hi int) error {
			return s.wassersteinLog(out, root, inv, ref, x, lo, hi)
		}, nil
	}
	return newLogCholMap(sp, ref, true)
}

func newExpMap(m Metric, sp *spectrum, ref []float64) (pointMap, error) {
	n := sp.n
	switch m {
	case Riemann:
		root, inv := sp.sqrt(), sp.invSqrt()
		return func(s *scratch, out []float64, x *Stack, lo, hi int) error {
			c := hi - lo
			t := s.buf(1, len(out))
			s.w.Congruence(t, inv, x.block(lo, hi, s, 3), n, c, true)
			if err := s.exponential(t, n, c, x, lo); err != nil {
				return err
			}
			s.w.Congruence(out, root, t, n, c, true)
			return nil
		}, nil
	case Euclid:
		return shifted(ref, 1), nil
	case LogEuclid:
		logRef := sp.log()
		weights := loewner(sp.vals, logMean)
		return func(s *scratch, out []float64, x *Stack, lo, hi int) error {
			copy(out, x.block(lo, hi, s, 3))
			s.schur(out, sp.vecs, weights, n, hi-lo)
			for p := 0; p < len(out); p += n * n {
				vec.Axpy(out[p:p+n*n], 1, logRef)
			}
			return s.exponential(out, n, hi-lo, x, lo)
		}, nil
	case Wasserstein:
		// C + V + L C L with L the solution of LC + CL = V (Malagò et al. 2018, equation 36).
		weights := loewner(sp.vals, func(a, b float64) float64 { return 1 / (a + b) })
		return func(s *scratch, out []float64, x *Stack, lo, hi int) error {
			c := hi - lo
			src := x.block(lo, hi, s, 3)
			lyap, t := s.buf(0, len(out)), s.buf(2, len(out))
			copy(lyap, src)
			s.schur(lyap, sp.vecs, weights, n, c)
			for p := 0; p < len(out); p += n * n {
				copy(t[p:], ref[:n*n])
			}
			sum := s.buf(1, len(out))
			s.w.Congruence(sum, lyap, t, n, c, false)
			for i, v := range src {
				out[i] = v + sum[i] + t[i]
			}
			return nil
		}, nil
	}
	return newLogCholMap(sp, ref, false)
}

// shifted adds sign*ref to every matrix.
func shifted(ref []float64, sign float64) pointMap {
	return func(s *scratch, out []float64, x *Stack, lo, hi int) error {
		copy(out, x.block(lo, hi, s, 3))
		nn := x.Dim * x.Dim
		for p := 0; p < len(out); p += nn {
			vec.Axpy(out[p:p+nn], sign, ref[:nn])
		}
		return nil
	}
}

func subtractEach(out, ref []float64) {
	for p := 0; p < len(out); p += len(ref) {
		vec.Axpy(out[p:p+len(ref)], -1, ref)
	}
}

// whitenedLog writes log(W X W') for matrices lo..hi-1. It uses scratch slices 0,
// 1 and 3.
func (s *scratch) whitenedLog(out, white []float64, x *Stack, lo, hi int) error {
	n, c := x.Dim, hi-lo
	t, vecs, vals := s.buf(0, c*n*n), s.buf(1, c*n*n), s.values(c*n)
	s.w.Congruence(t, white, x.block(lo, hi, s, 3), n, c, true)
	if err := s.w.Eigen(vals, vecs, t, n, c); err != nil {
		return failed(err, x, lo, "matrix")
	}
	for k := range c {
		if !definiteValues(vals[k*n : (k+1)*n]) {
			return notDefinite(x.At(lo+k), n, "matrix", lo+k)
		}
	}
	for i, v := range vals {
		vals[i] = math.Log(v)
	}
	s.w.Rebuild(out, vecs, vals, n, c)
	return nil
}

// exponential replaces the c symmetric matrices of a by their exponentials. It
// uses scratch slice 0.
func (s *scratch) exponential(a []float64, n, c int, x *Stack, lo int) error {
	vecs, vals := s.buf(0, c*n*n), s.values(c*n)
	if err := s.w.Eigen(vals, vecs, a, n, c); err != nil {
		return failed(err, x, lo, "tangent matrix")
	}
	for i, v := range vals {
		vals[i] = math.Exp(v)
	}
	s.w.Rebuild(a, vecs, vals, n, c)
	return nil
}

// logMean is the first divided difference of the logarithm, 1/a at a = b.
func logMean(a, b float64) float64 {
	d := (a - b) / b
	if math.Abs(d) < 1e-300 {
		return 1 / b
	}
	return math.Log1p(d) / d / b
}

// loewner returns the matrix of f over all pairs of values.
func loewner(values []float64, f func(a, b float64) float64) []float64 {
	n := len(values)
	out := make([]float64, n*n)
	for i, a := range values {
		for j, b := range values {
			out[i*n+j] = f(a, b)
		}
	}
	return out
}

// schur replaces every matrix A by V (weights ∘ V'AV) V': the derivative of a
// matrix function at V diag V' when the weights are its divided differences
// (Daleckii and Krein 1965). It uses scratch slice 1.
func (s *scratch) schur(a, vecs, weights []float64, n, c int) {
	t := s.buf(1, c*n*n)
	transposed := make([]float64, n*n)
	for i := range n {
		for j := range n {
			transposed[j*n+i] = vecs[i*n+j]
		}
	}
	s.w.Congruence(t, transposed, a, n, c, true)
	for p := 0; p < len(t); p += n * n {
		for i, w := range weights {
			t[p+i] *= w
		}
	}
	s.w.Congruence(a, vecs, t, n, c, true)
}

// wassersteinLog writes (XC)½ + (CX)½ − 2C = Y + Y' − 2C with
// Y = C⁻½ (C½ X C½)½ C½. It uses scratch slices 0 to 3.
func (s *scratch) wassersteinLog(out, root, inv, ref []float64, x *Stack, lo, hi int) error {
	n, nn, c := x.Dim, x.Dim*x.Dim, hi-lo
	t, vecs, vals := s.buf(0, c*nn), s.buf(1, c*nn), s.values(c*n)
	s.w.Congruence(t, root, x.block(lo, hi, s, 3), n, c, true)
	if err := s.w.Eigen(vals, vecs, t, n, c); err != nil {
		return failed(err, x, lo, "matrix")
	}
	for i, v := range vals {
		vals[i] = math.Sqrt(max(v, 0))
	}
	s.w.Rebuild(t, vecs, vals, n, c)
	left := s.buf(2, c*nn)
	for k := range c {
		mul(left[k*nn:(k+1)*nn], inv, t[k*nn:(k+1)*nn], n)
		mul(t[k*nn:(k+1)*nn], left[k*nn:(k+1)*nn], root, n)
		y, o := t[k*nn:(k+1)*nn], out[k*nn:(k+1)*nn]
		for i := range n {
			for j := range n {
				o[i*n+j] = y[i*n+j] + y[j*n+i] - 2*ref[i*n+j]
			}
		}
	}
	return nil
}

// mul writes a*b of order n to c.
func mul(c, a, b []float64, n int) {
	clear(c[:n*n])
	for i := range n {
		for k := range n {
			vec.Axpy(c[i*n:(i+1)*n], a[i*n+k], b[k*n:(k+1)*n])
		}
	}
}

// newLogCholMap is the logarithmic (forward) or exponential map of the
// log-Cholesky metric (Lin 2019, table 2). With L = chol C, K = chol X and the
// tangent W = T L' + L T' of a lower triangular T:
//
//	T_ij = K_ij − L_ij below the diagonal, T_ii = L_ii log(K_ii/L_ii)
func newLogCholMap(sp *spectrum, ref []float64, forward bool) (pointMap, error) {
	n, nn := sp.n, sp.n*sp.n
	l, li := make([]float64, nn), make([]float64, nn)
	if err := sp.scratch.factors(l, StackOf(1, n, ref), 0, 1, "reference"); err != nil {
		return nil, single(err)
	}
	sp.scratch.w.InvertLower(li, l, n, 1)
	if forward {
		return func(s *scratch, out []float64, x *Stack, lo, hi int) error {
			k := s.buf(0, len(out))
			if err := s.factors(k, x, lo, hi, "matrix"); err != nil {
				return err
			}
			for p := 0; p < len(out); p += nn {
				logCholTangent(out[p:p+nn], k[p:p+nn], l, n)
			}
			return nil
		}, nil
	}
	return func(s *scratch, out []float64, x *Stack, lo, hi int) error {
		t := s.buf(0, len(out))
		s.w.Congruence(t, li, x.block(lo, hi, s, 3), n, hi-lo, true)
		for p := 0; p < len(out); p += nn {
			logCholPoint(out[p:p+nn], t[p:p+nn], l, n)
		}
		return nil
	}, nil
}

// logCholTangent writes T L' + L T'.
func logCholTangent(out, k, l []float64, n int) {
	for i := range n {
		k[i*n+i] = l[i*n+i] * math.Log(k[i*n+i]/l[i*n+i])
		for j := range i {
			k[i*n+j] -= l[i*n+j]
		}
	}
	for i := range n {
		for j := range i + 1 {
			v := 0.0
			for p := range j + 1 {
				v += k[i*n+p]*l[j*n+p] + l[i*n+p]*k[j*n+p]
			}
			out[i*n+j], out[j*n+i] = v, v
		}
	}
}

// logCholPoint writes K K' from w = L⁻¹ W L⁻ᵀ: T = L (w's lower half).
func logCholPoint(out, w, l []float64, n int) {
	for i := range n {
		w[i*n+i] /= 2
		for j := i + 1; j < n; j++ {
			w[i*n+j] = 0
		}
	}
	t := make([]float64, n*n)
	mul(t, l, w, n)
	for i := range n {
		t[i*n+i] = l[i*n+i] * math.Exp(t[i*n+i]/l[i*n+i])
		for j := range i {
			t[i*n+j] += l[i*n+j]
		}
	}
	copy(out, lowerProduct(t, n))
}
